"""One function without syntax: its inputs, its statements and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.functions.inputs import Input
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
    """Numbers of operations of one evaluation."""

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
    Result of a function: a vector with an entry a row, or a matrix.

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
        """Axes of the rows and, for a matrix, of the columns."""
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
