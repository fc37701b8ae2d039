"""
A Program: what a language writes, without syntax.

multibody -> graph -> Program -> text. A Program has the named statements of each function, grouped
in sections with formulas as comments, the parameters, the joints, and states with the results that
the recursion returns for them. Everything here is data: terms, statements, functions, the program;
then what follows from these, the scales of the self-test and the joint table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from urdf2dyn_ros.codegen.signature import (
    BY_JOINT,
    JOINT_INPUTS,
    Axis,
    Input,
    JointInput,
    Quantity,
    ResultKey,
)
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody
from urdf2dyn_ros.robot.spatial import AXES, IDENTITY, Matrix
from urdf2dyn_ros.text import counted


class Number(NamedTuple):
    """A positive constant."""

    value: float


class Name(NamedTuple):
    """A generated identifier: an input, a parameter or an earlier statement."""

    text: str


class Call(NamedTuple):
    """Function sin, cos, tanh, exp, sqrt or abs of a term, or of its opposite."""

    function: str
    argument: Term
    negative: bool = False


class Reciprocal(NamedTuple):
    """1 over a term."""

    divisor: Term


class Product(NamedTuple):
    """Factors, multiplied from left to right."""

    factors: tuple[Term, ...]


class Sum(NamedTuple):
    """Terms with their signs (True is minus), added from left to right; the first is plus."""

    terms: tuple[tuple[bool, Term], ...]


class Twin(NamedTuple):
    """Two numbers, one of each of two equal limbs, where other terms have one."""

    first: Signed
    second: Signed


class OneOfTwin(NamedTuple):
    """One of the two numbers of a twin that has a name: 0 or 1."""

    twin: Name
    number: int


Term: TypeAlias = 'Number | Name | Call | Reciprocal | Product | Sum | Twin | OneOfTwin'


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


def untitled(statements: Iterable[Statement], title: str = '') -> Section:
    """Return a section of statements without formulas, whose one paragraph has no title."""
    return Section(title, (Paragraph('', (Block('', tuple(statements)),)),))


def names_in(values: Iterable[Signed]) -> set[str]:
    return {term.text for term in parts(values) if isinstance(term, Name)}


def parts(values: Iterable[Signed]) -> Iterator[Term]:
    """Yield some terms and all that they are made of."""
    waiting: list[Term] = [value.term for value in values]
    while waiting:
        term = waiting.pop()
        yield term
        if type(term) in _PARTS:
            waiting += _PARTS[type(term)](term)


def replaced(term: Term, other: Callable[[Term], Term | None]) -> Term:
    """Return a term with others in the places of its parts, where `other` returns one."""
    new = other(term)
    if new is not None:
        return new
    if type(term) not in _OF_PARTS:
        return term
    new_parts = [replaced(part, other) for part in _PARTS[type(term)](term)]
    return _OF_PARTS[type(term)](term, new_parts)


_PARTS: dict[type, Callable[[Any], Iterable[Term]]] = {
    Call: lambda term: (term.argument,),
    Reciprocal: lambda term: (term.divisor,),
    Product: lambda term: term.factors,
    Sum: lambda term: [entry for _, entry in term.terms],
    Twin: lambda term: [number.term for number in term],
    OneOfTwin: lambda term: (term.twin,),
}
# the same with other parts; those of a OneOfTwin stay
_OF_PARTS: dict[type, Callable[[Any, list[Term]], Term]] = {
    Call: lambda term, parts: term._replace(argument=parts[0]),
    Reciprocal: lambda term, parts: Reciprocal(*parts),
    Product: lambda term, parts: Product(tuple(parts)),
    Sum: lambda term, parts: Sum(tuple(zip([minus for minus, _ in term.terms], parts))),
    Twin: lambda term, parts: Twin(*[number._replace(term=part)
                                     for number, part in zip(term, parts)]),
}


class Operations(NamedTuple):
    """Numbers of operations of one evaluation."""

    multiplications: int
    additions: int
    trigonometric: int
    exponential: int = 0
    divisions: int = 0

    def __str__(self) -> str:
        return ', '.join(counted(number, one, many) for number, one, many, always in (
            (self.multiplications, 'multiplication', '', True),
            (self.additions, 'addition', '', True), (self.divisions, 'division', '', False),
            (self.trigonometric, 'sine or cosine', 'sines and cosines', True),
            (self.exponential, 'hyperbolic tangent or exponential',
             'hyperbolic tangents and exponentials', False)) if number or always)


class Row(NamedTuple):
    """Entries of a result."""

    key: str   # a name from the URDF, data to a language
    entries: tuple[Signed, ...]
    label: str = ''   # what it is in a few plain words, as the number of a joint
    unit: str = ''

    @property
    def comment(self) -> str:
        return f'{self.label} [{self.unit}]' if self.label else ''


class Result(NamedTuple):
    """Result of a function: a vector with an entry a row, or a matrix."""

    quantity: Quantity
    rows: tuple[Row, ...]
    expected: ResultKey = ResultKey('', '')   # the result whose expected values it has

    @property
    def name(self) -> str:
        return self.quantity.name

    @property
    def is_matrix(self) -> bool:
        return self.quantity.columns is not None

    @property
    def axes(self) -> tuple[Axis, ...]:
        rows, columns = self.quantity.rows, self.quantity.columns
        return (rows,) if columns is None else (rows, columns)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and, for a matrix, that of its columns."""
        rows = len(self.rows)
        return (rows, len(self.rows[0].entries) if rows else 0) if self.is_matrix else (rows,)

    @property
    def of_joints(self) -> bool:
        return self.quantity.rows == BY_JOINT

    def with_entries(self, other: Callable[[Signed], Signed]) -> Result:
        """Return the result with other entries in the places of its own."""
        return self._replace(rows=tuple(
            row._replace(entries=tuple(map(other, row.entries))) for row in self.rows))


@dataclass(frozen=True)
class Function:
    """One evaluation: the statements between inputs and results, in sections, and their cost."""

    name: str   # a key of FUNCTIONS
    summary: str
    # those of q, qd, qdd that it depends on, then those of base_motion, .. payload that there are
    inputs: tuple[Input, ...]
    results: tuple[Result, ...]
    sections: tuple[Section, ...]
    operations: Operations
    twins: frozenset[str] = frozenset()   # names of statements that make two numbers
    twinned: Function | None = None   # the same with such statements, for languages that have them

    @property
    def statements(self) -> tuple[Statement, ...]:
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

    @cached_property
    def names(self) -> set[str]:
        return names_in(self._values)

    @property
    def calls(self) -> set[str]:
        return {term.function for term in parts(self._values) if isinstance(term, Call)}

    @property
    def result_names(self) -> list[str]:
        return [result.name for result in self.results]

    @property
    def entries(self) -> list[Signed]:
        return [entry for result in self.results for row in result.rows for entry in row.entries]

    @property
    def _values(self) -> list[Signed]:
        return [statement.value for statement in self.statements] + self.entries


class ParameterLine(NamedTuple):
    """Named constants of one kind, with their values and what they are."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    comment: str

    def of(self, used: Collection[str]) -> ParameterLine:
        """Return those that are used."""
        pairs = [pair for pair in zip(self.names, self.values) if pair[0] in used]
        return self._replace(names=tuple(name for name, _ in pairs),
                             values=tuple(value for _, value in pairs))


class ParameterGroup(NamedTuple):
    """The constants of one link."""

    title: str
    lines: tuple[ParameterLine, ...]

    def of(self, used: Collection[str]) -> ParameterGroup:
        """Return those that are used, and the lines that then have some."""
        lines = (line.of(used) for line in self.lines)
        return self._replace(lines=tuple(line for line in lines if line.names))


class JointRow(NamedTuple):
    """One line of the joint table."""

    number: int   # the index in the names of the equations, from 1
    name: str   # as the link, that of the URDF
    link: str
    type: str
    unit: str   # of the position
    effort_unit: str
    parent: str
    frame: str   # which axes of the link the body's are
    driver: str   # how a mimic joint follows another; empty for an independent one
    limits: str   # of position, velocity and effort in the URDF
    rotation: str = ''   # which axes of the parent's frame those of the joint are, Ai, if others


class Reference(NamedTuple):
    """A state, and what the recursion on plain numbers returns for it."""

    # entries of each input, q, qd and qdd always, and of vectors that matrices are multiplied by
    arguments: dict[str, tuple[float, ...]]
    # of each function its results by name, (n,) or (6,), of a matrix its product
    expected: dict[str, dict[str, tuple[float, ...]]]
    vectors: Mapping[str, tuple[float, ...]] = MappingProxyType({})   # in the root frame
    # largest force and moment of a joint, by unit, under the loads in that state
    transmitted: Mapping[str, float] = MappingProxyType({})

    def of(self, key: ResultKey) -> tuple[float, ...]:
        """Return the expected entries of a result."""
        return self.expected[key.function][key.result]


DOUBLE, SINGLE = 'double', 'float'   # precisions of a program's numbers


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
    motor_rows: tuple[int, ...]   # numbers of those of the independent joints, in the order of q
    parameters: tuple[ParameterGroup, ...]   # editable values
    constants: tuple[Block, ...]   # statements that depend on these alone
    functions: tuple[Function, ...]
    # positions, velocities, accelerations, forces and moments in the root frame
    dynamic_model: Function | None
    compute_references: Callable[[], tuple[Reference, ...]]   # when a file is written
    start: tuple[float, ...] = ()   # passive positions of a closed pose, if loops close
    kinematic: bool = False   # masses, gravity and loads have no effect on any of the functions
    precision: str = DOUBLE   # of the numbers
    # what a self-check in single precision allows, relative to the largest entry of a result;
    # 0 in double precision
    accuracy: float = 0.0

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """States to check the functions with."""
        return self.compute_references()

    @property
    def state(self) -> dict[str, JointInput]:
        """Positions, velocities and, as an input of a function, efforts, else accelerations."""
        used = {x.name for function in self.functions for x in function.inputs}
        last = 'tau' if 'tau' in used else 'qdd'
        return {x: JOINT_INPUTS[x] for x in ('q', 'qd', last)}

    def function(self, name: str) -> Function:
        return next(function for function in self.functions if function.name == name)

    @property
    def independent(self) -> tuple[JointRow, ...]:
        return tuple(self.joints[number - 1] for number in self.motor_rows)


Scales = dict[ResultKey, tuple[float, ...]]   # a number for each row

CLOSURE = 'closure'   # the function that a robot with closed loops has in addition

# results, in SI units, that are compared as if the scale were 1, as all were once
_USUAL, _USUAL_EFFORTS = (1e-2, 1e7), (1e-2, 1e4)

# with 1e-9 of it, zeros are as exact as efforts are promised to be: 1e-10 of the largest
_SHARE = 0.1

# entries of a unit that are smaller than this, as a share of those of the others, are zeros
_ROUNDING = 1e-12


def result_scales(program: Program) -> Scales:
    """
    Return the scales of all results, with one digit; none for a robot of usual size.

    A difference of 1e-9 of the scale, or of the expected entry if that is larger, is none; in
    single precision the scale is the largest magnitude itself.
    """
    results = [result for function in program.functions for result in function.results]
    sizes = {result.expected: largest(program, result) for result in results}
    known: Scales = {result.expected: tuple(
        1.0 if result.expected.function == CLOSURE else
        _scale(size, _is_effort(program, result, row.unit))
        for size, row in zip(sizes[result.expected], result.rows)) for result in results}
    if all(scale == 1.0 for row in known.values() for scale in row):
        return {}
    return known if program.precision == DOUBLE else {
        reference: tuple(map(_one_digit, row)) for reference, row in sizes.items()}


def largest(program: Program, result: Result) -> list[float]:
    """
    Return the largest magnitude of a result with the unit of each row, in all reference states.

    Efforts are at least as large as what joints transmit, of which they are entries: they may
    cancel. Where all of a unit cancel, it is what is largest of the others, or 1.
    """
    states = [reference.of(result.expected) for reference in program.references]
    units = [row.unit for row in result.rows]
    known = {unit: max(abs(row[i]) for row in states for i, each in enumerate(units)
                       if each == unit) for unit in units}
    for unit in known:
        if _is_effort(program, result, unit):
            known[unit] = max(known[unit], transmitted(program, unit))
    most = max(known.values(), default=0.0)
    if any(_is_effort(program, result, unit) for unit in known):
        most = max(most, transmitted(program, 'N'), transmitted(program, 'N m'))
    return [known[unit] if known[unit] > _ROUNDING * most else most or 1.0 for unit in units]


def transmitted(program: Program, unit: str) -> float:
    """Return the largest force or moment that a joint transmits; 0 for another unit."""
    return max(reference.transmitted.get(unit, 0.0) for reference in program.references)


def wrench_scales(program: Program) -> Sequence[float]:
    return [_scale(transmitted(program, unit) or 1.0, True) for unit in ('N', 'N m')]


def _is_effort(program: Program, result: Result, unit: str) -> bool:
    return not result.is_matrix and transmitted(program, unit) > 0.0


def _scale(size: float, effort: bool) -> float:
    low, high = _USUAL_EFFORTS if effort else _USUAL
    return 1.0 if low <= size <= high else _one_digit(_SHARE * size)


def _one_digit(value: float) -> float:
    return float(f'{value:.1g}')


def joint_table(system: Multibody) -> tuple[JointRow, ...]:
    drivers = system.drivers
    passive = set(drivers).difference(system.motors)
    rows = []
    for i, body in enumerate(system.bodies):
        joint, driver = JOINTS[body.type], drivers[body.coordinate]
        link = body.attached[0].link.name if body.attached else ''
        rows.append(JointRow(
            i + 1, body.name, link, body.type, joint.unit, joint.effort_unit,
            'root' if body.parent == ROOT else str(body.parent + 1),
            _named(body.attached[0].body_R_link) if body.attached else 'x y z',
            'passive' if i in passive else
            '' if driver == i else _follows(body, driver + 1), _limits(body),
            '' if body.parent_R_joint == IDENTITY else _named(body.parent_R_joint.T)))
    return tuple(rows)


def _follows(body: Body, driver: int) -> str:
    multiplier = '' if body.multiplier == 1.0 else f'{body.multiplier:.9g} '
    offset = '' if body.offset == 0.0 else f' {body.offset:+.9g}'
    return f'{multiplier}q{driver}{offset}'


def _limits(body: Body) -> str:
    joint, limits = JOINTS[body.type], body.limits
    texts = []
    if limits.lower is not None and limits.upper is not None:
        texts.append(f'{limits.lower:g} .. {limits.upper:g} {joint.unit}')
    for value, unit in ((limits.velocity, f'{joint.unit}/s'), (limits.effort, joint.effort_unit)):
        if value is not None:
            texts.append(f'{value:g} {unit}')
    return ', '.join(texts)


def _named(rows: Matrix) -> str:
    """Return the names of axes that are the rows of a rotation."""
    names = []
    for row in rows:
        which = [k for k in range(3) if abs(row[k]) == 1.0]
        if not which:
            return 'oblique'
        names.append(('-' if row[which[0]] < 0.0 else '') + AXES[which[0]])
    return ' '.join(names)
