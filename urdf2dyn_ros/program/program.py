"""What a language gets to see: named statements, grouped and commented, without syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.functions.inputs import JOINT_INPUTS, Input, JointInput
from urdf2dyn_ros.functions.quantity import JOINTS, Axis, Quantity
from urdf2dyn_ros.program.statements import (
    Block,
    Call,
    Paragraph,
    Section,
    Signed,
    Statement,
    names_in,
    parts,
)


class Operations(NamedTuple):
    """What one evaluation costs."""

    multiplications: int
    additions: int
    trigonometric: int
    exponential: int = 0
    divisions: int = 0

    def __str__(self) -> str:
        more = (', ' + counted(self.exponential, 'hyperbolic tangent or exponential',
                               'hyperbolic tangents and exponentials')
                if self.exponential else '')
        divisions = counted(self.divisions, 'division') + ', ' if self.divisions else ''
        return (f'{counted(self.multiplications, "multiplication")}, '
                f'{counted(self.additions, "addition")}, {divisions}'
                + counted(self.trigonometric, 'sine or cosine', 'sines and cosines') + more)


class Row(NamedTuple):
    """
    Entries of a result: `key` is a name from the URDF, data to a language.

    `label` says what it is in a few plain words, as the number of a joint.

    """

    key: str
    entries: tuple[Signed, ...]
    label: str = ''
    unit: str = ''

    @property
    def comment(self) -> str:
        """Label and unit."""
        return f'{self.label} [{self.unit}]' if self.label else ''


class Result(NamedTuple):
    """
    What a function returns: a vector with an entry a row, or a matrix.

    `reference` is the function and its result whose expected values are those of this one.

    """

    quantity: Quantity
    rows: tuple[Row, ...]
    reference: tuple[str, str] = ('', '')

    @property
    def name(self) -> str:
        return self.quantity.name

    @property
    def is_matrix(self) -> bool:
        """Whether the rows have several entries, or stand for a matrix of one."""
        return self.quantity.columns is not None

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What the rows are and, for a matrix, the columns."""
        rows, columns = self.quantity.rows, self.quantity.columns
        return (rows,) if columns is None else (rows, columns)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and, for a matrix, that of its columns."""
        rows = len(self.rows)
        return (rows, len(self.rows[0].entries) if rows else 0) if self.is_matrix else (rows,)

    @property
    def of_joints(self) -> bool:
        """Whether the rows are those of the independent joints."""
        return self.quantity.rows == JOINTS

    def with_entries(self, other: Callable[[Signed], Signed]) -> Result:
        """Return the result with other entries in the places of its own."""
        return self._replace(rows=tuple(
            row._replace(entries=tuple(map(other, row.entries))) for row in self.rows))


@dataclass(frozen=True)
class Function:
    """
    One evaluation: the statements between inputs and results, in sections, and their cost.

    `name` is a key of FUNCTIONS. The inputs are those of q, qd, qdd that it depends on, then those
    of base_motion, external and payload that there are. `twins` are names of statements that make
    two numbers; `twinned` is the same function with such statements, for languages that have them.

    """

    name: str
    summary: str
    inputs: tuple[Input, ...]
    results: tuple[Result, ...]
    sections: tuple[Section, ...]
    operations: Operations
    twins: frozenset[str] = frozenset()
    twinned: Function | None = None

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements, in order."""
        return tuple(statement for section in self.sections for paragraph in section.paragraphs
                     for block in paragraph.blocks for statement in block.statements)

    def with_statements(self, other: Callable[[Sequence[Statement]], Iterable[Statement]],
                        ) -> Function:
        """Return the function with other statements in the places of those of each block."""
        return replace(self, sections=tuple(Section(section.title, tuple(
            Paragraph(paragraph.title, tuple(
                Block(block.comment, tuple(other(block.statements)))
                for block in paragraph.blocks)) for paragraph in section.paragraphs))
            for section in self.sections))

    @property
    def names(self) -> set[str]:
        """All names that statements and results mention."""
        return names_in(self._values)

    @property
    def calls(self) -> set[str]:
        """The mathematical functions that are called."""
        return {term.function for term in parts(self._values) if isinstance(term, Call)}

    @property
    def result_names(self) -> list[str]:
        """The names of the results, in order."""
        return [result.name for result in self.results]

    @property
    def entries(self) -> list[Signed]:
        """The entries of all results, one behind the other."""
        return [entry for result in self.results for row in result.rows for entry in row.entries]

    @property
    def _values(self) -> list[Signed]:
        return [statement.value for statement in self.statements] + self.entries


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
    of a matrix its product; `vectors` are those in the root frame.

    """

    arguments: dict[str, tuple[float, ...]]
    expected: dict[str, dict[str, tuple[float, ...]]]
    vectors: Mapping[str, tuple[float, ...]] = MappingProxyType({})


@dataclass(frozen=True)
class Program:
    """
    A robot's equations, ready to be written in any language.

    Attributes
    ----------
    title : str
        The functions as an equation or a sentence.
    robot, name : str
        Its name in the URDF; the same as part of an identifier and of a file's name.
    gravity : tuple of float, (3,)
        [m/s^2], root frame.
    acts : tuple of str
        The loads on the joints, in words.
    legend : tuple of str
        What the symbols of formulas mean, a line each; none in the fast style.
    numbers : tuple of int
        Rows of the independent joints, in the order of q and of the efforts.
    parameters, constants
        Editable values, and statements that depend on them alone.
    dynamic_model : Function or None
        Positions, velocities, accelerations, forces and moments in the root frame.
    check : callable
        Computes the references, when a file is written.
    kinematic : bool
        Whether masses, gravity and loads have no effect on any of the functions.
    precision, accuracy : str, float
        Of the numbers: double or float; what a self-check in single precision allows, relative to
        the largest entry of a result, 0 in double precision.

    """

    title: str
    robot: str
    name: str
    style: str
    gravity: tuple[float, float, float]
    acts: tuple[str, ...]
    legend: tuple[str, ...]
    joints: tuple[JointRow, ...]
    numbers: tuple[int, ...]
    parameters: tuple[ParameterGroup, ...]
    constants: tuple[Block, ...]
    functions: tuple[Function, ...]
    dynamic_model: Function | None
    check: Callable[[], tuple[Reference, ...]]
    kinematic: bool = False
    precision: str = 'double'
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
