"""From a table of modified Denavit-Hartenberg parameters, or a .par file, to a RobotModel."""

import ast
import json
import math
import operator
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from urdf2dyn_ros.errors import Problem, SourceError, UrdfError
from urdf2dyn_ros.robot.dh_table import (
    FIXED_ROW,
    FRICTION_COLUMNS,
    INERTIA_COLUMNS,
    PRISMATIC_ROW,
    REVOLUTE_ROW,
    SixParameters,
    roll_pitch_yaw,
    transform,
)
from urdf2dyn_ros.robot.model import Inertia, Joint, Link, Mimic, RobotModel
from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    TENSOR,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    composed,
    dot,
    scale,
)
from urdf2dyn_ros.text import counted, listed, quote, suggestion

# ---- The .par files of OpenSYMORO: from their text to a table

_TYPES_BY_SIGMA: dict[float, Any] = {0: REVOLUTE_ROW, 1: PRISMATIC_ROW, 2: FIXED_ROW}
_JOINT_COLUMN = {REVOLUTE_ROW: 'theta', PRISMATIC_ROW: 'r'}
ROW_NUMBERS = (*SixParameters._fields, *INERTIA_COLUMNS, *FRICTION_COLUMNS)
_IDENTITY = tuple(float(k % 5 == 0) for k in range(16))

# inertias of motors, and wrenches on links: a model of rows has none
_REJECTED_COLUMNS = ('IA', 'FX', 'FY', 'FZ', 'CX', 'CY', 'CZ')
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.USub: operator.neg, ast.UAdd: operator.pos}


def par_table(text: str, path: str, values: Mapping[str, float]) -> dict[str, Any]:
    """
    Return the table of a .par file whose symbols have these values [rad, m, kg].

    Theta of R and r of P contain the joint's position, a symbol that has no value. SourceError
    names symbols that lack one, and what a table cannot express.
    """
    file = _ParFile(text, path, values)
    if file.count('NF') != file.count('NL') or file.count('Type') > 1:
        raise SourceError(f'{path}: closed loops are not supported (NF must be NL, and Type 0 '
                          'or 1)')
    if file.count('is_mobile') or file.count('is_floating'):
        raise SourceError(f'{path}: a base that moves is not supported; set is_mobile to 0')
    if 'z' in file.lists and file.numbers('Z', None) != _IDENTITY:
        raise SourceError(f'{path}: Z must be the identity; a table places frame 0 by row 0')
    for name in _REJECTED_COLUMNS:
        if name.lower() in file.lists and any(file.numbers(name, 0.0)):
            raise SourceError(f'{path}: {name} must be zero; rotors and wrenches on links are '
                              'loads, not part of a model')
    rows = [file.row(k) for k in range(file.count('NL'))]
    if file.missing:
        raise SourceError(f'{path}: no value for {listed(file.missing)}; the argument values '
                          'must have them')
    file.check_symbols([row['type'] for row in rows])
    match = re.search(r"Robotname\s*=\s*'([^']*)'", text)
    return {'name': match[1] if match else 'robot', 'rows': rows}


class _ParFile:
    """The lists of a file, with symbols and products as entries."""

    def __init__(self, text: str, path: str, values: Mapping[str, float]) -> None:
        self.path, self.values = path, {'pi': math.pi, 'Pi': math.pi, **values}
        text = re.sub(r'\(\*.*?\*\)', ' ', text, flags=re.DOTALL)   # comments
        self.lists: dict[str, list[str]] = {}
        for name, entries in re.findall(r'(\w+)\s*=\s*\{([^}]*)\}', text):
            found = [entry.strip() for entry in entries.split(',')]
            if self.lists.setdefault(name.lower(), found) != found:
                raise SourceError(f'{path}: there are two different lists {name}; delete one')
        self.counts = {name.lower(): int(value) for name, value in re.findall(
            r'^\s*(\w+)\s*=\s*(-?\d{1,9})\s*$', text, re.MULTILINE)}
        self.missing: dict[str, None] = {}
        if self.counts.get('nl', -1) < 0 or 'sigma' not in self.lists:
            raise SourceError(f'{path} is no .par file of OpenSYMORO: it must have NL, not '
                              'negative, and sigma')

    def count(self, name: str) -> int:
        """Return a single integer; NF is NL by default, all others are 0."""
        default = self.counts['nl'] if name == 'NF' else 0
        return self.counts.get(name.lower(), default)

    def numbers(self, name: str, unknown: float | None) -> tuple[float, ...]:
        """Return the values of a list, of symbols without value as `_value` does."""
        return tuple(self._value(name, entry, unknown) for entry in self.lists[name.lower()])

    def row(self, k: int) -> dict[str, Any]:
        kind = self._number('sigma', k)
        row: dict[str, Any] = {'j': k + 1, 'type': _TYPES_BY_SIGMA.get(kind, kind)}
        antecedent = self._number('ant', k) if 'ant' in self.lists else k
        if antecedent != int(antecedent):
            raise SourceError(f'{self.path}: Ant has the entry {quote(self.lists["ant"][k])}; it '
                              'must be the number of a frame')
        row['antecedent'] = int(antecedent)
        for name in ROW_NUMBERS:
            if name.lower() in self.lists:
                row[name] = self._number(name, k, name == _JOINT_COLUMN.get(row['type']))
        return row

    def check_symbols(self, kinds: Sequence[Any]) -> None:
        """Check that the position of each joint is a symbol of its own, to which values add."""
        rows: dict[str, int] = {}
        for k, name in enumerate(map(_JOINT_COLUMN.get, kinds)):
            if name is None or name not in self.lists:
                continue
            entry = self.lists[name][k]
            symbols = {node.id for node in ast.walk(ast.parse(entry, mode='eval'))
                       if isinstance(node, ast.Name)} - {*self.values}
            change = self._value(name, entry, 2.0) - self._value(name, entry, 0.0)
            if len(symbols) > 1 or (symbols and abs(change - 2.0) > 1e-9):
                raise SourceError(f'{self.path}: {name} has the entry {quote(entry)}, but must be '
                                  f'the position of joint {k + 1}, a symbol without a factor, '
                                  'plus or minus what has a value')
            for symbol in symbols:
                if rows.setdefault(symbol, k) != k:
                    raise SourceError(f'{self.path}: {quote(symbol)} is the position of joint '
                                      f'{rows[symbol] + 1} and of joint {k + 1}; each joint '
                                      'needs a symbol of its own')

    def _number(self, name: str, k: int, moves: bool = False) -> float:
        entries = self.lists[name.lower()]
        if len(entries) != self.count('NL'):
            count = counted(len(entries), 'entry', 'entries')
            raise SourceError(f'{self.path}: {name} has {count}, but NL is {self.count("NL")}')
        return self._value(name, entries[k], 0.0 if moves else None)

    def _value(self, name: str, entry: str, unknown: float | None) -> float:
        """Return an entry's value; note a symbol that lacks one if none is accepted."""
        try:
            value = float(self._evaluated(ast.parse(entry, mode='eval').body, unknown))
            if math.isfinite(value):
                return value
            raise ValueError
        except (SyntaxError, ValueError, TypeError, KeyError, ArithmeticError, RecursionError,
                MemoryError):   # of a parser with too many brackets
            raise SourceError(f'{self.path}: {name} has the entry {quote(entry)}; it must be a '
                              'number, or sums and products of numbers, pi and symbols') from None

    def _evaluated(self, node: ast.AST, unknown: float | None) -> float:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return float(node.value)   # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            if node.id in self.values:
                return self.values[node.id]
            if unknown is None:
                self.missing[node.id] = None
            return unknown or 0.0
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](self._evaluated(node.left, unknown),
                                             self._evaluated(node.right, unknown))
        if isinstance(node, ast.UnaryOp):
            return _OPERATORS[type(node.op)](self._evaluated(node.operand, unknown))
        raise ValueError


# ---- What is wrong in the rows of a table of DH parameters

RowData: TypeAlias = Mapping[str, Any]   # as JSON has it: column to value

_TYPES = (REVOLUTE_ROW, PRISMATIC_ROW, FIXED_ROW)
_MIMIC_NUMBERS = ('multiplier', 'offset')
_COLUMNS = ('j', 'joint', 'link', 'type', 'antecedent', 'mimic', *ROW_NUMBERS)


_Problems: TypeAlias = list[tuple[str, str]]   # codes and messages


def _column_problems(row: RowData, rows: Sequence[RowData]) -> _Problems:
    """Return what is wrong in single cells."""
    problems = [('dh-column', f'{quote(str(name))} is no column; '
                 f'{suggestion(str(name), _COLUMNS, search=True)}')
                for name in row if name not in _COLUMNS]
    if row['type'] not in _TYPES:
        problems.append(('dh-type', f'{row["type"]!r} is no type of joint; the types are '
                         f'{", ".join(_TYPES)}'))
    problems += [('dh-number', f'{name} is {row[name]!r}, but must be a finite number')
                 for name in ROW_NUMBERS if not _is_number(row[name])]
    problems += [('dh-number', f'{name} is {row[name]!r}, but must be an integer{null}')
                 for name, null in (('j', ''), ('antecedent', ', or null in row 0'))
                 if not ((isinstance(row[name], int) and not isinstance(row[name], bool))
                         or (null and row[name] is None))]
    problems += [('dh-name', f'{name} is {row[name]!r}, but must be a text that is not empty')
                 for name in ('joint', 'link') if not (isinstance(row[name], str) and row[name])]
    return problems or _value_problems(row)


def _value_problems(row: RowData) -> _Problems:
    problems = []
    if row['M'] < 0.0:
        problems.append(('dh-mass', f'the mass M is {row["M"]!r} kg; it must not be negative'))
    if row['M'] == 0.0 and any(row[name] for name in ('MX', 'MY', 'MZ')):
        problems.append(('dh-mass', 'first moments MX, MY, MZ need a mass: M must be positive'))
    problems += [('dh-friction', f'{name} is {row[name]!r}; it must not be negative')
                 for name in FRICTION_COLUMNS if row[name] < 0.0]
    mimic = row['mimic']
    if mimic is not None and not (
            isinstance(mimic, Mapping) and isinstance(mimic.get('joint'), str)
            and {*mimic} <= {'joint', *_MIMIC_NUMBERS}
            and all(_is_number(mimic.get(name, 0.0)) for name in _MIMIC_NUMBERS)):
        problems.append(('dh-mimic', 'mimic must be a mapping with "joint" and, as finite '
                         'numbers, "multiplier" and "offset"'))
    return problems


def _is_number(value: object) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max)   # not of NaN either


def _reference_problems(row: RowData, rows: Sequence[RowData]) -> _Problems:
    """Return what is wrong between rows."""
    problems = []
    for name in ('j', 'joint', 'link'):
        if sum(other[name] == row[name] for other in rows) > 1:
            problems.append(('dh-duplicate', f'several rows have the {name} {row[name]!r}'))
    by_number = {other['j']: other for other in rows}
    if row['antecedent'] is None or row['j'] == 0:
        if row['antecedent'] is not None or row['j'] != 0 or row['type'] != FIXED_ROW:
            problems.append(('dh-base', 'row 0, and no other, has the antecedent null; it is '
                             'fixed, and places frame 0 in the root'))
    elif row['antecedent'] not in {0, *by_number}:
        problems.append(('dh-antecedent', f'there is no frame {row["antecedent"]!r}; the frames '
                         f'are {listed(map(str, sorted({0, *by_number})))}'))
    else:
        problems += _cycle(row, by_number)
    if row['mimic'] is not None:
        driver = {other['joint']: other for other in rows}.get(str(row['mimic']['joint']))
        if row['type'] == FIXED_ROW:
            problems.append(('dh-mimic', 'a fixed joint follows no other'))
        elif driver is None or driver['type'] == FIXED_ROW or driver['mimic'] is not None:
            problems.append(('dh-mimic', f'{row["mimic"]["joint"]!r} is no joint that moves by '
                             'itself; mimic names the joint that drives this one'))
    return problems


def _cycle(row: RowData, by_number: Mapping[int, RowData]) -> _Problems:
    """Return the antecedents that lead from a row back to it."""
    path = [row['j']]
    while (row := by_number.get(row['antecedent'], {})) and row['antecedent'] is not None:
        if row['j'] == path[0]:
            cycle = ', '.join(map(str, [*path, path[0]]))
            return [('dh-cycle', f'the antecedents are a cycle: {cycle}; closed loops are not '
                     'supported, and every frame must lead to frame 0')]
        if row['j'] in path:
            break   # reported at the rows of that cycle
        path.append(row['j'])
    return []


# ---- From a table of DH parameters to the model of its robot

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
        name, content = str(content.get('name', name)), content.get('rows')
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
    # problems of cells, or else those between rows
    for check in (_column_problems, _reference_problems):
        problems = [Problem(code, message, f'row {row["j"]!r} {quote(str(row["joint"]))}')
                    for row in rows for code, message in check(row, rows)]
        if problems:
            raise UrdfError(problems)
    return _model(name, rows)


def _content(path: str | os.PathLike[str], values: Mapping[str, float]) -> Any:
    try:
        text = Path(path).read_bytes().decode('utf-8', errors='replace')
        if Path(path).suffix.lower() == '.par':
            return par_table(text, os.fspath(path), values)
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise SourceError(f'cannot read {os.fspath(path)!r} as a table of DH parameters in JSON: '
                          f'{error}') from None


def _model(name: str, rows: Sequence[RowData]) -> RobotModel:
    """Return the model of rows without problems."""
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
            R, p = composed(base_R, R), add(base_p, apply(base_R, p))
        mimic = row['mimic'] and Mimic(**row['mimic'])
        joints.append(Joint(
            row['joint'], _URDF_TYPES[row['type']], link_of[row['antecedent']], row['link'], p,
            roll_pitch_yaw(R), (0.0, 0.0, 1.0), mimic,
            damping=float(row['FV']), friction=float(row['FS'])))
        links.append(Link(row['link'], _inertia(row, IDENTITY, ZERO)))
    return RobotModel(name, tuple(links), tuple(joints), root)


def _six(row: RowData) -> SixParameters:
    return SixParameters(*(float(row[name]) for name in SixParameters._fields))


def _inertia(row: RowData, R: Matrix, p: Vector) -> Inertia | None:
    """Return a row's inertia about its centre of mass, the frame at R, p in the link's."""
    *about_origin, mx, my, mz, m = (float(row[name]) for name in INERTIA_COLUMNS)
    if m == 0.0 and not any(about_origin):
        return None
    c = ZERO if m == 0.0 else scale(1.0 / m, (mx, my, mz))
    squares = dot(c, c)
    pairs = [(AXES.index(entry[0]), AXES.index(entry[1])) for entry in TENSOR]
    xx, xy, xz, yy, yz, zz = (
        entry - m * ((squares if i == k else 0.0) - c[i] * c[k])
        for entry, (i, k) in zip(about_origin, pairs))
    return Inertia(m, add(p, apply(R, c)), roll_pitch_yaw(R), (xx, xy, xz, yy, yz, zz))
