"""What a language gets to see: functions, parameters and joints of a robot, without syntax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.functions.inputs import JOINT_INPUTS, JointInput
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Block


class ParameterLine(NamedTuple):
    """Named constants of one kind, with their values and what they are."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    comment: str


class ParameterGroup(NamedTuple):
    """The constants of one link."""

    title: str
    lines: tuple[ParameterLine, ...]


class JointRow(NamedTuple):
    """
    One line of the joint table.

    `number` is the index in the names of the equations, from 1; joint and link are named as in the
    URDF; `unit` is that of the position; `frame` says which axes of the link the body's are;
    `driver` says how a mimic joint follows another, and is empty for an independent one; `limits`
    are those of position, velocity and effort in the URDF; `rotation` says which axes of the
    parent's frame those of the joint are, Ai, and is empty where they are the same.
    """

    number: int
    name: str
    link: str
    type: str
    unit: str
    effort_unit: str
    parent: str
    frame: str
    driver: str
    limits: str
    rotation: str = ''


class Reference(NamedTuple):
    """
    A state, and what the recursion on plain numbers returns for it.

    `arguments` are the entries of each input, q, qd and qdd always, and those of vectors that
    matrices are multiplied by; `expected` has for each function its results by name, (n,) or (6,),
    of a matrix its product; `vectors` are those in the root frame; `transmitted` has the largest
    force and moment of a joint, by unit, under the loads in that state.
    """

    arguments: dict[str, tuple[float, ...]]
    expected: dict[str, dict[str, tuple[float, ...]]]
    vectors: Mapping[str, tuple[float, ...]] = MappingProxyType({})
    transmitted: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class Program:
    """A robot's equations, ready to be written in any language."""

    title: str   # the functions as an equation or a sentence
    robot: str   # its name in the URDF
    name: str   # the same as part of an identifier and of a file's name
    style: str
    gravity: tuple[float, float, float]   # [m/s^2], root frame
    loads: tuple[str, ...]   # in words
    legend: tuple[str, ...]   # what the symbols of formulas mean, a line each; fast style: none
    joints: tuple[JointRow, ...]
    numbers: tuple[int, ...]   # rows of the independent joints, in the order of q and the efforts
    parameters: tuple[ParameterGroup, ...]   # editable values
    constants: tuple[Block, ...]   # statements that depend on these alone
    functions: tuple[Function, ...]
    # positions, velocities, accelerations, forces and moments in the root frame
    dynamic_model: Function | None
    check: Callable[[], tuple[Reference, ...]]   # computes the references, when a file is written
    kinematic: bool = False   # masses, gravity and loads have no effect on any of the functions
    precision: str = 'double'   # of the numbers: double or float
    # what a self-check in single precision allows, relative to the largest entry of a result;
    # 0 in double precision
    accuracy: float = 0.0

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """States to check the functions with."""
        return self.check()

    @property
    def state(self) -> dict[str, JointInput]:
        """Positions, velocities and, as an input of a function, efforts, else accelerations."""
        used = {x.name for function in self.functions for x in function.inputs}
        last = 'tau' if 'tau' in used else 'qdd'
        return {x: JOINT_INPUTS[x] for x in ('q', 'qd', last)}

    @property
    def moves(self) -> bool:
        """Whether the motion of the root is an input."""
        return any(x.name == 'base_motion' for function in self.functions
                   for x in function.inputs)

    def function(self, name: str) -> Function:
        return next(function for function in self.functions if function.name == name)

    @property
    def independent(self) -> tuple[JointRow, ...]:
        """The rows of the independent joints."""
        return tuple(self.joints[number - 1] for number in self.numbers)
