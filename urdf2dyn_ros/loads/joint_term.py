"""A joint term: named parameters, an effort, and a moment on the parent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.algebra.vectors import ZERO, Vector
from urdf2dyn_ros.joints import JointType
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.quoting import quote

LARGEST_SETTING, SMALLEST_DIVISOR_SETTING = 1e9, 1e-6
"""Largest magnitude of a node's parameter; smallest one that is used as a divisor."""


@dataclass(frozen=True)
class TermParameter:
    """A parameter of a joint term: in the equations, and the node's joints.<joint>.<setting>."""

    symbol: str   # its name in the equations, before the number of the joint
    what: str   # what it is
    unit: str   # with {unit} for rad or m and {effort} for N m or N
    default: float
    least: float | None   # the smallest valid value; None if it may be negative
    setting: str   # name of the node's parameter
    meaning: str   # description of the node's parameter
    urdf: str = ''   # attribute of `robot_model.Joint` that is its default; empty for none
    power: int = 1   # its value is this power of the setting: -1 for 1 over the setting
    setting_unit: str = ''   # unit of the setting where that is another one

    @property
    def row(self) -> Parameter:
        """The node's parameter."""
        unit = self.setting_unit or self.unit
        units = dict.fromkeys(unit.format(unit=u, effort=e) for u, e in (
            ('rad', 'N m'), ('m', 'N')))
        least = -LARGEST_SETTING if self.least is None else (
            SMALLEST_DIVISOR_SETTING if self.power < 0 else self.least)
        return Parameter(self.setting, self.setting_of(self.default), self.meaning,
                         ' or '.join(units), least, LARGEST_SETTING)

    def value(self, setting: float) -> float:
        """Return the parameter from the node's parameter."""
        return setting if self.power == 1 else 1.0 / setting**-self.power

    def setting_of(self, value: float) -> float:
        """Return the node's parameter from the parameter."""
        return value if self.power == 1 else value**(1.0 / self.power)


def parameter(symbol: str, what: str, unit: str, setting: str, meaning: str,
              default: float = 0.0, least: float | None = 0.0, **more: Any) -> Any:
    """Return the field of a parameter, with a `TermParameter`; `more` are its other attributes."""
    return field(default=default, metadata={'row': TermParameter(
        symbol, what, unit, default, least, setting, meaning, **more)})


@dataclass(frozen=True)
class JointTerm(ABC):
    """A term at one joint; its parameters are the fields, which may be any scalars."""

    NAME: ClassVar[str]   # key of TERMS, and what the effort is called in the equations
    PLURAL: ClassVar[str]   # what a sentence calls those of all joints
    INERTIAL: ClassVar[bool] = False   # it depends on accelerations: part of the mass matrix

    @classmethod
    def rows(cls) -> dict[str, TermParameter]:
        """Return the parameters by the names of their fields, in order."""
        return {each.name: each.metadata['row'] for each in fields(cls) if each.metadata}

    def parameters(self) -> Iterator[tuple[str, TermParameter, Scalar]]:
        """Yield field, description and value of each parameter that has an effect, in order."""
        unused = self.unused()
        for name, row in self.rows().items():
            value = getattr(self, name)
            if value != 0.0 and name not in unused:
                yield name, row, value

    def check(self, joint: str, kind: JointType) -> None:
        """Raise a ParameterError for a parameter that is no finite number within its range."""
        for name, row in self.rows().items():
            value = getattr(self, name)
            Parameter(f'{self.NAME} {name} of joint {quote(joint)}', 0.0, row.what,
                      row.unit.format(**kind.units),
                      -LARGEST_MAGNITUDE if row.least is None else row.least,
                      LARGEST_MAGNITUDE).check(float(value) if isinstance(value, Real) else value)

    def unused(self) -> set[str]:
        """Return the fields of parameters without an effect, whatever they are."""
        return set()

    def shifted(self, offset: float) -> JointTerm:
        """Return the same term in a coordinate that is smaller by an offset [rad or m]."""
        return self

    def constants(self) -> dict[str, Scalar]:
        """Return what is computed from the parameters alone: symbol to value."""
        return {}

    @abstractmethod
    def is_off(self) -> bool:
        """Return whether its effort is always zero."""

    def needs_transmitted(self) -> bool:
        """Return whether its effort depends on the effort that the joint transmits."""
        return False

    @abstractmethod
    def effort(self, parent: Motion, at: Coordinate, transmitted: Scalar) -> Scalar:
        """
        Return what the actuator supplies [N m or N].

        The motion of the `parent` is in the joint's axes; `transmitted` is the effort of the
        wrench that the joint transmits, before the terms at this joint [N m or N].
        """

    @abstractmethod
    def slopes(self, at: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        """Return the derivatives of its effort by q, qd and qdd of its joint."""

    def on_parent(self, parent: Motion, at: Coordinate) -> Vector:
        """
        Return the moment [N m] that the parent has to transmit for it, in the joint's axes.

        It is linear in w of the parent and in qd and qdd, and gyroscopic: the effort is what the
        motion of the parent adds in return.
        """
        return ZERO

    @abstractmethod
    def formula(self) -> str:
        """Return the effort as a formula, with {n} for the number of the joint."""
