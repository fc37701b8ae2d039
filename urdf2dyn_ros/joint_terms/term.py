"""What every term at a joint has: named parameters, an effort, and a moment on the parent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.algebra.vectors import ZERO, Vector
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.quoting import quote


def parameter(symbol: str, what: str, unit: str, default: float = 0.0,
              least: float | None = 0.0) -> Any:
    """
    Return the field of a parameter, whose size is at most LARGEST_MAGNITUDE.

    Parameters
    ----------
    symbol : str
        Its name in the equations, before the number of the joint.
    what, unit : str
        What it is, and its unit with {unit} for rad or m and {effort} for N m or N.
    default : float
    least : float or None
        The smallest valid value; None if it may be negative.

    """
    return field(default=default, metadata={
        'symbol': symbol, 'what': what, 'unit': unit,
        'minimum': -LARGEST_MAGNITUDE if least is None else least})


@dataclass(frozen=True)
class Term(ABC):
    """
    A term at one joint; its parameters are the fields, which may be any scalars.

    Attributes
    ----------
    NAME : str
        Key of TERMS, and what the effort is called in the equations.
    PLURAL : str
        What a sentence calls those of all joints.
    INERTIAL : bool
        Whether it depends on accelerations: then it is part of the mass matrix.

    """

    NAME: ClassVar[str]
    PLURAL: ClassVar[str]
    INERTIAL: ClassVar[bool] = False

    def parameters(self) -> list[Field[Any]]:
        """Return the fields of the parameters that count, in order."""
        idle = self.idle()
        return [each for each in fields(self) if 'symbol' in each.metadata
                and getattr(self, each.name) != 0.0 and each.name not in idle]

    def check(self, joint: str, units: Mapping[str, str]) -> None:
        """
        Check the parameters, which are numbers.

        Parameters
        ----------
        joint : str
            Name of the joint, for the message.
        units : mapping
            'unit' to rad or m, 'effort' to N m or N.

        Raises
        ------
        ParameterError
            If one is no number, not finite or out of its range.

        """
        for each in fields(self):
            if 'symbol' in each.metadata:
                value = getattr(self, each.name)
                Parameter(f'{self.NAME} {each.name} of joint {quote(joint)}', 0.0,
                          each.metadata['what'], each.metadata['unit'].format(**units),
                          each.metadata['minimum'], LARGEST_MAGNITUDE).check(
                              float(value) if isinstance(value, Real) else value)

    def idle(self) -> set[str]:
        """Return the names of parameters that do not count, whatever they are."""
        return set()

    def shifted(self, offset: float) -> Term:
        """Return the same term in a coordinate that is smaller by an offset [rad or m]."""
        return self

    def constants(self) -> dict[str, Scalar]:
        """Return what is made of the parameters alone: symbol to value."""
        return {}

    @abstractmethod
    def is_off(self) -> bool:
        """Tell whether there is nothing of it."""

    @abstractmethod
    def effort(self, parent: Motion, at: Coordinate) -> Scalar:
        """
        Return what the actuator supplies [N m or N].

        Parameters
        ----------
        parent : Motion
            Of the parent, in the joint's axes.
        at : Coordinate

        """

    def on_parent(self, parent: Motion, at: Coordinate) -> Vector:
        """Return the moment [N m] that the parent has to transmit for it, in the joint's axes."""
        return ZERO

    @abstractmethod
    def formula(self) -> str:
        """Return the effort as a formula, with {n} for the number of the joint."""
