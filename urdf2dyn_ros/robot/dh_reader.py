"""
Tables of modified Denavit-Hartenberg parameters as a source: from JSON or a .par file to a model.

The rows of a table, which `dh.py` describes, are checked, and made to the links and joints of a
URDF, whose rules they must pass. A .par file of OpenSYMORO is first brought to such rows.
"""

import ast
import json
import math
import operator
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from urdf2dyn_ros.errors import Problem, SourceError, UrdfError
from urdf2dyn_ros.robot.dh import (
    ANGLES,
    FIXED_ROW,
    INERTIA_COLUMNS,
    JOINT_COLUMN,
    PRISMATIC_ROW,
    REVOLUTE_ROW,
    ROW_NUMBERS,
    SixParameters,
    roll_pitch_yaw,
    transform,
)
from urdf2dyn_ros.robot.model import Inertial, Joint, Link, Mimic, RobotModel
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.robot.rotations import composed
from urdf2dyn_ros.robot.spatial import AXES, IDENTITY, TENSOR, ZERO, Matrix, Vector, dot
from urdf2dyn_ros.robot.writer import clean_urdf
from urdf2dyn_ros.text import counted, listed, printable, quote, suggestion

# ---- From a table of DH parameters to the model of its robot

RowData: TypeAlias = Mapping[str, Any]   # as JSON has it: column to value

# a table with `name` and `rows`, its rows alone, or the path of a JSON or .par file
DhSource: TypeAlias = (
    Mapping[str, object] | Sequence[Mapping[str, object]] | str | os.PathLike[str])
_URDF_TYPES = {REVOLUTE_ROW: 'continuous', PRISMATIC_ROW: 'prismatic', FIXED_ROW: 'fixed'}


def read_dh(table: DhSource, values: Mapping[str, float] | None = None) -> RobotModel:
    """
    Return the model of a table of modified DH parameters (Khalil and Kleinfinger).

    Parameters
    ----------
    table : mapping, sequence of mappings, or path
        What ``urdf2dyn info ROBOT --dh --json`` prints: ``name`` and ``rows``, or the rows alone,
        or a JSON file of these; or a .par file of OpenSYMORO. The columns of a row are in
        docs/dh_parameters.md; those that are missing are 0, `j` the number of the row from 1,
        `antecedent` the row before.
    values : mapping, optional
        Values of the symbols in a .par file [rad, m, kg]; those of joint positions have none.

    Raises
    ------
    SourceError
        If a file cannot be read, or is not of these formats.
    UrdfError
        With all problems of the table.

    """
    content: Any = _content(table, values or {}) if isinstance(table, str | os.PathLike) else table
    name = 'robot'
    if isinstance(content, Mapping):
        name, content = printable(str(content.get('name', name))), content.get('rows')
    if isinstance(content, str) or not isinstance(content, Sequence) or not all(
            isinstance(row, Mapping) for row in content):
        raise UrdfError([Problem('dh-rows', 'a table is a sequence of rows, or has one as "rows"; '
                                 'each row is a mapping from columns to values')])
    first = 0 if content and content[0].get('antecedent', 0) is None else 1
    rows: list[dict[str, Any]] = []
    for k, row in enumerate(content):   # with values for the columns that it lacks
        j = row.get('j', k + first)
        rows.append({'j': j, 'joint': f'joint{j}', 'link': f'frame{j}',
                     'antecedent': rows[-1]['j'] if rows else 0, 'type': None, 'mimic': None,
                     **dict.fromkeys(ROW_NUMBERS, 0.0), **row})
    for check in (_cell_problems, _value_problems):
        problems = [Problem(code, message, f'row {row["j"]!r} {quote(str(row["joint"]))}')
                    for row in rows for code, message in check(row, rows)]
        if problems:
            raise UrdfError(problems)
    try:
        return read_description(clean_urdf(_model(name, rows)))   # by the rules for URDFs
    except UrdfError as error:
        raise UrdfError(replace(problem, line=None) for problem in error.problems) from None


def _content(path: str | os.PathLike[str], values: Mapping[str, float]) -> Any:
    try:
        text = Path(path).read_bytes().decode('utf-8', errors='replace')
        if Path(path).suffix.lower() == '.par':
            return _ParFile(text, os.fspath(path), values).table()
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise SourceError(f'cannot read {os.fspath(path)!r} as a table of DH parameters in JSON: '
                          f'{error}') from None


def _model(name: str, rows: Sequence[RowData]) -> RobotModel:
    base = next((row for row in rows if row['antecedent'] is None), None)
    base_R, base_p = (IDENTITY, ZERO) if base is None else transform(_six(base))
    movable = [row for row in rows if row is not base]
    names = {row['link'] for row in movable}
    root = 'root' if base is None else base['link']
    while base is None and root in names:
        root += '_'
    link_of = {0: root, **{row['j']: row['link'] for row in movable}}
    links = [Link(root, None if base is None else _inertia(base, base_R, base_p))]
    joints = []
    for row in movable:
        R, p = transform(_six(row))
        if row['antecedent'] == 0:
            R, p = composed(base_R, R), base_p + base_R @ p
        mimic = row['mimic'] and Mimic(**row['mimic'])
        joints.append(Joint(
            row['joint'], _URDF_TYPES[row['type']], link_of[row['antecedent']], row['link'], p,
            roll_pitch_yaw(R), (0.0, 0.0, 1.0), mimic,
            damping=float(row['FV']), friction=float(row['FS'])))
        links.append(Link(row['link'], _inertia(row, IDENTITY, ZERO)))
    return RobotModel(name, tuple(links), tuple(joints), root)


def _six(row: RowData) -> SixParameters:
    return SixParameters(*(float(row[name]) for name in SixParameters._fields))


def _inertia(row: RowData, R: Matrix, p: Vector) -> Inertial | None:
    """Return a row's inertia about its centre of mass, the frame at R, p in the link's."""
    *about_origin, mx, my, mz, m = (float(row[name]) for name in INERTIA_COLUMNS)
    if m == 0.0 and not any(about_origin):
        return None
    c = ZERO if m == 0.0 else 1.0 / m * Vector(mx, my, mz)
    squares = dot(c, c)
    pairs = [(AXES.index(entry[0]), AXES.index(entry[1])) for entry in TENSOR]
    xx, xy, xz, yy, yz, zz = (
        entry - m * ((squares if i == k else 0.0) - c[i] * c[k])
        for entry, (i, k) in zip(about_origin, pairs))
    return Inertial(m, p + R @ c, roll_pitch_yaw(R), (xx, xy, xz, yy, yz, zz))


# ---- What is wrong in the rows of a table

_TYPES = (REVOLUTE_ROW, PRISMATIC_ROW, FIXED_ROW)
_MIMIC_NUMBERS = ('multiplier', 'offset')
_COLUMNS = ('j', 'joint', 'link', 'type', 'antecedent', 'mimic', *ROW_NUMBERS)

_Problems: TypeAlias = Iterator[tuple[str, str]]   # codes and messages


def _cell_problems(row: RowData, rows: Sequence[RowData]) -> _Problems:
    for name in row:
        if name not in _COLUMNS:
            yield 'dh-column', (f'{quote(str(name))} is no column; '
                                f'{suggestion(str(name), _COLUMNS, search=True)}')
    if row['type'] not in _TYPES:
        yield 'dh-type', (f'{row["type"]!r} is no type of joint; the types are '
                          f'{", ".join(_TYPES)}')
    for name in ROW_NUMBERS:
        if not _is_number(row[name]):
            yield 'dh-number', f'{name} is {row[name]!r}, but must be a finite number'
        elif name in ANGLES and abs(row[name]) > 6.3:   # a whole turn
            yield 'dh-number', (f'{name} is {row[name]:g}, but angles are in rad: of degrees it '
                                f'is {math.radians(row[name]):.10g}')
    for name, null in (('j', ''), ('antecedent', ', or null in row 0')):
        value = row[name]
        if type(value) is not int and not (null and value is None):
            yield 'dh-number', f'{name} is {value!r}, but must be an integer{null}'
    for name in ('joint', 'link'):
        if not (isinstance(row[name], str) and row[name].isprintable() and row[name].strip()):
            yield 'dh-name', f'{name} is {row[name]!r}, but must be a text that is not empty'
    mimic = row['mimic']
    if mimic is not None and not (
            isinstance(mimic, Mapping) and isinstance(mimic.get('joint'), str)
            and {*mimic} <= {'joint', *_MIMIC_NUMBERS}
            and all(_is_number(mimic.get(name, 0.0)) for name in _MIMIC_NUMBERS)):
        yield 'dh-mimic', ('mimic must be a mapping with "joint" and, as finite numbers, '
                           '"multiplier" and "offset"')


def _is_number(value: object) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max)   # not of NaN either


def _value_problems(row: RowData, rows: Sequence[RowData]) -> _Problems:
    """Yield what the rules for URDFs cannot see of values, and between rows."""
    numbers = [other['j'] for other in rows]
    if row['M'] == 0.0 and any(row[name] for name in ('MX', 'MY', 'MZ')):
        yield 'dh-mass', 'first moments MX, MY, MZ need a mass: M must be positive'
    if numbers.count(row['j']) > 1:
        yield 'dh-duplicate', f'several rows have the j {row["j"]!r}'
    if row['antecedent'] is None or row['j'] == 0:
        if row['antecedent'] is not None or row['j'] != 0 or row['type'] != FIXED_ROW:
            yield 'dh-base', ('row 0, and no other, has the antecedent null; it is fixed, and '
                              'places frame 0 in the root')
    elif row['antecedent'] not in {0, *numbers}:
        yield 'dh-antecedent', (f'there is no frame {row["antecedent"]!r}; the frames are '
                                f'{listed(map(str, sorted({0, *numbers})))}')


# ---- The .par files of OpenSYMORO: from their text to a table

_TYPES_BY_SIGMA: dict[float, Any] = {0: REVOLUTE_ROW, 1: PRISMATIC_ROW, 2: FIXED_ROW}
_IDENTITY = [float(k % 5 == 0) for k in range(16)]

# inertias of motors, and wrenches on links: a model of rows has none
_REJECTED_COLUMNS = ('IA', 'FX', 'FY', 'FZ', 'CX', 'CY', 'CZ')
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.USub: operator.neg, ast.UAdd: operator.pos}


class _ParFile:
    """A file's numbers by name, and its lists, whose entries may be symbols and products."""

    def __init__(self, text: str, path: str, values: Mapping[str, float]) -> None:
        self.path, self.values = path, {'pi': math.pi, 'Pi': math.pi, **values}
        name = re.search(r"Robotname\s*=\s*'([^']*)'", text)
        self.name = name[1] if name else 'robot'
        text = re.sub(r'\(\*.*?\*\)', ' ', text, flags=re.DOTALL)   # comments
        self.lists: dict[str, list[str]] = {}
        for title, entries in re.findall(r'(\w+)\s*=\s*\{([^}]*)\}', text):
            parts = [entry.strip() for entry in entries.split(',')]
            if self.lists.setdefault(title.lower(), parts) != parts:
                raise self.fault(f': there are two different lists {title}; delete one')
        self.counts = {title.lower(): int(value) for title, value in re.findall(
            r'^\s*(\w+)\s*=\s*(-?\d{1,9})\s*$', text, re.MULTILINE)}
        self.missing: dict[str, None] = {}   # symbols without a value
        if self.counts.get('nl', -1) < 0 or 'sigma' not in self.lists:
            raise self.fault(' is no .par file of OpenSYMORO: it must have NL, not negative, and '
                             'sigma')

    def fault(self, text: str) -> SourceError:
        return SourceError(self.path + text)

    def table(self) -> dict[str, Any]:
        """Return the table, whose joint positions are symbols without a value."""
        links = self.counts['nl']
        if self.counts.get('nf', links) != links or self.counts.get('type', 0) > 1:
            raise self.fault(': closed loops are not supported (NF must be NL, and Type 0 or 1)')
        if self.counts.get('is_mobile') or self.counts.get('is_floating'):
            raise self.fault(': a base that moves is not supported; set is_mobile to 0')
        if 'z' in self.lists and self._values('Z', None) != _IDENTITY:
            raise self.fault(': Z must be the identity; a table places frame 0 by row 0')
        for name in _REJECTED_COLUMNS:
            if name.lower() in self.lists and any(self._values(name, 0.0)):
                raise self.fault(f': {name} must be zero; rotors and wrenches on links are '
                                 'loads, not part of a model')
        rows = [self._row(k) for k in range(links)]
        if self.missing:
            raise self.fault(f': no value for {listed(self.missing)}; the argument values must '
                             'have them')
        self._check_symbols([row['type'] for row in rows])
        return {'name': self.name, 'rows': rows}

    def _row(self, k: int) -> dict[str, Any]:
        kind = self._number('sigma', k)
        row: dict[str, Any] = {'j': k + 1, 'type': _TYPES_BY_SIGMA.get(kind, kind)}
        antecedent = self._number('ant', k) if 'ant' in self.lists else k
        if antecedent != int(antecedent):
            raise self.fault(f': Ant has the entry {quote(self.lists["ant"][k])}; it must be the '
                             'number of a frame')
        row['antecedent'] = int(antecedent)
        for name in ROW_NUMBERS:
            if name.lower() in self.lists:
                row[name] = self._number(name, k, name == JOINT_COLUMN.get(row['type']))
        return row

    def _check_symbols(self, kinds: Sequence[Any]) -> None:
        """Check that the position of each joint is a symbol of its own, to which values add."""
        rows: dict[str, int] = {}
        for k, name in enumerate(map(JOINT_COLUMN.get, kinds)):
            if name is None or name not in self.lists:
                continue
            entry = self.lists[name][k]
            symbols = {node.id for node in ast.walk(ast.parse(entry, mode='eval'))
                       if isinstance(node, ast.Name)} - {*self.values}
            change = self._value(name, entry, 2.0) - self._value(name, entry, 0.0)
            if len(symbols) > 1 or (symbols and abs(change - 2.0) > 1e-9):
                raise self.fault(f': {name} has the entry {quote(entry)}, but must be the '
                                 f'position of joint {k + 1}, a symbol without a factor, plus or '
                                 'minus what has a value')
            for symbol in symbols:
                if rows.setdefault(symbol, k) != k:
                    raise self.fault(f': {quote(symbol)} is the position of joint '
                                     f'{rows[symbol] + 1} and of joint {k + 1}; each joint needs '
                                     'a symbol of its own')

    def _number(self, name: str, k: int, moves: bool = False) -> float:
        entries, links = self.lists[name.lower()], self.counts['nl']
        if len(entries) != links:
            raise self.fault(f': {name} has {counted(len(entries), "entry", "entries")}, but NL '
                             f'is {links}')
        return self._value(name, entries[k], 0.0 if moves else None)

    def _values(self, name: str, unknown: float | None) -> list[float]:
        return [self._value(name, entry, unknown) for entry in self.lists[name.lower()]]

    def _value(self, name: str, entry: str, unknown: float | None) -> float:
        """Return an entry's value; note a symbol that lacks one if none is accepted."""
        try:
            value = float(self._evaluated(ast.parse(entry, mode='eval').body, unknown))
            if math.isfinite(value):
                return value
            raise ValueError
        except (SyntaxError, ValueError, TypeError, KeyError, ArithmeticError, RecursionError,
                MemoryError):   # of a parser with too many brackets
            raise self.fault(f': {name} has the entry {quote(entry)}; it must be a number, or '
                             'sums and products of numbers, pi and symbols') from None

    def _evaluated(self, node: ast.AST, unknown: float | None) -> float:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return float(value)
            case ast.Name(id=name):
                if name not in self.values and unknown is None:
                    self.missing[name] = None
                return self.values.get(name, unknown or 0.0)
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATORS[type(op)](self._evaluated(left, unknown),
                                            self._evaluated(right, unknown))
            case ast.UnaryOp(op=op, operand=operand):
                return _OPERATORS[type(op)](self._evaluated(operand, unknown))
        raise ValueError
