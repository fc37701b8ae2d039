"""What a language gets to see: named statements, grouped and commented, without syntax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Number(NamedTuple):
    """A positive constant."""

    value: float


class Name(NamedTuple):
    """A generated identifier: an input, a parameter or an earlier statement."""

    text: str


class Call(NamedTuple):
    """Function sin or cos of a term."""

    function: str
    argument: Term


class Product(NamedTuple):
    """Factors, multiplied from left to right."""

    factors: tuple[Term, ...]


class Sum(NamedTuple):
    """Terms with their signs (True is minus), added from left to right; the first is plus."""

    terms: tuple[tuple[bool, Term], ...]


Term: TypeAlias = 'Number | Name | Call | Product | Sum'


class Signed(NamedTuple):
    """A term, or its opposite."""

    negative: bool
    term: Term


class Statement(NamedTuple):
    """``name = value``."""

    name: str
    value: Signed


class Block(NamedTuple):
    """Statements that make one quantity, and the formula they spell out."""

    comment: str
    statements: tuple[Statement, ...]


class Paragraph(NamedTuple):
    """All blocks of one link, in one sweep."""

    title: str
    blocks: tuple[Block, ...]


class Section(NamedTuple):
    """One sweep."""

    title: str
    paragraphs: tuple[Paragraph, ...]


class Operations(NamedTuple):
    """What one evaluation costs."""

    multiplications: int
    additions: int
    trigonometric: int

    def __str__(self) -> str:
        return (f'{self.multiplications} multiplications, {self.additions} additions, '
                f'{self.trigonometric} sines and cosines')


class Output(NamedTuple):
    """A result with its key (a name from the URDF, data to a language) and entries."""

    key: str
    entries: tuple[Signed, ...]


@dataclass(frozen=True)
class Function:
    """One evaluation, from the inputs to outputs."""

    sections: tuple[Section, ...]
    outputs: tuple[Output, ...]
    operations: Operations


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

    Attributes
    ----------
    number : int
        Index in the names of the equations, from 1.
    name, link : str
        The joint and the link it moves, as in the URDF.
    type, unit, effort_unit, parent, frame : str
        Type, units of position and effort, number of the parent, axes of the body frame.
    driver : str
        How a mimic joint follows another; empty for an independent one.

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


class Reference(NamedTuple):
    """A state, (n,) each, and the efforts that the recursion on plain numbers gives for it."""

    q: tuple[float, ...]
    qd: tuple[float, ...]
    qdd: tuple[float, ...]
    efforts: tuple[float, ...]


@dataclass(frozen=True)
class Program:
    """
    A robot's equations, ready to be written in any language.

    Attributes
    ----------
    robot : str
        Its name in the URDF.
    name : str
        Valid as part of an identifier and of a file's name.
    style : str
        readable or fast.
    gravity : tuple of float, (3,)
        [m/s^2], root frame.
    joints : tuple of JointRow
    numbers : tuple of int
        Rows of the independent joints, in the order of q and of the efforts.
    parameters, constants
        Editable values, and statements that depend on them alone.
    inverse_dynamics : Function
        One output an independent joint.
    dynamic_model : Function or None
        Positions, velocities, accelerations, forces and moments in the root frame.

    """

    robot: str
    name: str
    style: str
    gravity: tuple[float, float, float]
    joints: tuple[JointRow, ...]
    numbers: tuple[int, ...]
    parameters: tuple[ParameterGroup, ...]
    constants: tuple[Block, ...]
    inverse_dynamics: Function
    dynamic_model: Function | None
    reference: Reference

    @property
    def independent(self) -> tuple[JointRow, ...]:
        """The rows of the independent joints."""
        return tuple(self.joints[number - 1] for number in self.numbers)
