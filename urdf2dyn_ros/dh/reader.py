"""From a table of DH parameters to the model of its robot."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from urdf2dyn_ros.algebra.frames import composed
from urdf2dyn_ros.algebra.vectors import (
    AXES,
    IDENTITY,
    TENSOR,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    dot,
    scale,
)
from urdf2dyn_ros.dh.parameters import SixParameters, roll_pitch_yaw, transform
from urdf2dyn_ros.dh.rows import (
    FIXED_ROW,
    FRICTION_COLUMNS,
    INERTIA_COLUMNS,
    PRISMATIC_ROW,
    REVOLUTE_ROW,
)
from urdf2dyn_ros.errors import Problem, SourceError, UrdfError
from urdf2dyn_ros.quoting import listed, quote, suggestion
from urdf2dyn_ros.robot_model import Inertia, Joint, Link, Mimic, RobotModel

_Row: TypeAlias = Mapping[str, Any]

DhSource: TypeAlias = Mapping[str, Any] | Sequence[_Row] | str | os.PathLike[str]
"""A table with `name` and `rows`, its rows alone, or the path of a JSON file of either."""

_TYPES = {REVOLUTE_ROW: 'continuous', PRISMATIC_ROW: 'prismatic', FIXED_ROW: 'fixed'}
_NUMBERS = (*SixParameters._fields, *INERTIA_COLUMNS, *FRICTION_COLUMNS)
_MIMIC_NUMBERS = ('multiplier', 'offset')
_COLUMNS = ('j', 'joint', 'link', 'type', 'antecedent', 'mimic', *_NUMBERS)


def read_dh(table: DhSource) -> RobotModel:
    """
    Return the model of a table of modified DH parameters (Khalil and Kleinfinger).

    Parameters
    ----------
    table : mapping, sequence of mappings, or path
        What ``urdf2dyn info ROBOT --dh --json`` prints: ``name`` and ``rows``, or the rows alone,
        or a JSON file of these. The columns of a row are in docs/model.md; those that are missing
        are 0, `j` the number of the row from 1, `antecedent` the row before.

    Raises
    ------
    SourceError
        If a file cannot be read or is not JSON.
    UrdfError
        With all problems of the table.

    """
    content: Any = _content(table) if isinstance(table, str | os.PathLike) else table
    name = 'robot'
    if isinstance(content, Mapping):
        name, content = str(content.get('name', name)), content.get('rows')
    if isinstance(content, str) or not isinstance(content, Sequence) or not all(
            isinstance(row, Mapping) for row in content):
        raise UrdfError([Problem('dh-rows', 'a table is a sequence of rows, or has one as "rows"; '
                                 'each row is a mapping from columns to values')])
    rows = [_completed(row, k, content) for k, row in enumerate(content)]
    for check in (_column_problems, _reference_problems):
        problems = [Problem(code, message, f'row {row["j"]!r} {quote(str(row["joint"]))}')
                    for row in rows for code, message in check(row, rows)]
        if problems:
            raise UrdfError(problems)
    return _model(name, rows)


def _content(path: str | os.PathLike[str]) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding='utf-8'))
    except (OSError, ValueError) as error:
        raise SourceError(f'cannot read {os.fspath(path)!r} as a table of DH parameters in JSON: '
                          f'{error}') from None


def _completed(row: _Row, k: int, rows: Sequence[_Row]) -> dict[str, Any]:
    """Return a row with values for the columns that it lacks."""
    first = 0 if rows and rows[0].get('antecedent', 0) is None else 1
    j = row.get('j', k + first)
    before = rows[k - 1].get('j', k + first - 1) if k > 0 else 0
    return {'j': j, 'joint': f'joint{j}', 'link': f'frame{j}', 'antecedent': before,
            'type': None, 'mimic': None, **dict.fromkeys(_NUMBERS, 0.0), **row}


_Found: TypeAlias = list[tuple[str, str]]


def _column_problems(row: _Row, rows: Sequence[_Row]) -> _Found:
    """Return what is wrong in single cells."""
    found = [('dh-column', f'{quote(str(name))} is no column; '
              f'{suggestion(str(name), _COLUMNS, search=True)}')
             for name in row if name not in _COLUMNS]
    if row['type'] not in tuple(_TYPES):
        found.append(('dh-type', f'{row["type"]!r} is no type of joint; the types are '
                      f'{", ".join(_TYPES)}'))
    found += [('dh-number', f'{name} is {row[name]!r}, but must be a finite number')
              for name in _NUMBERS if not _is_number(row[name])]
    found += [('dh-number', f'{name} is {row[name]!r}, but must be an integer{null}')
              for name, null in (('j', ''), ('antecedent', ', or null in row 0'))
              if not ((isinstance(row[name], int) and not isinstance(row[name], bool))
                      or (null and row[name] is None))]
    found += [('dh-name', f'{name} is {row[name]!r}, but must be a text that is not empty')
              for name in ('joint', 'link') if not (isinstance(row[name], str) and row[name])]
    return found or _value_problems(row)


def _value_problems(row: _Row) -> _Found:
    found = []
    if row['M'] < 0.0:
        found.append(('dh-mass', f'the mass M is {row["M"]!r} kg; it must not be negative'))
    if row['M'] == 0.0 and any(row[name] for name in ('MX', 'MY', 'MZ')):
        found.append(('dh-mass', 'first moments MX, MY, MZ need a mass: M must be positive'))
    found += [('dh-friction', f'{name} is {row[name]!r}; it must not be negative')
              for name in FRICTION_COLUMNS if row[name] < 0.0]
    mimic = row['mimic']
    if mimic is not None and not (
            isinstance(mimic, Mapping) and isinstance(mimic.get('joint'), str)
            and {*mimic} <= {'joint', *_MIMIC_NUMBERS}
            and all(_is_number(mimic.get(name, 0.0)) for name in _MIMIC_NUMBERS)):
        found.append(('dh-mimic', 'mimic must be a mapping with "joint" and, as finite numbers, '
                      '"multiplier" and "offset"'))
    return found


def _is_number(value: object) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max)   # not of NaN either


def _reference_problems(row: _Row, rows: Sequence[_Row]) -> _Found:
    """Return what is wrong between rows."""
    found = []
    for name in ('j', 'joint', 'link'):
        if sum(other[name] == row[name] for other in rows) > 1:
            found.append(('dh-duplicate', f'several rows have the {name} {row[name]!r}'))
    by_number = {other['j']: other for other in rows}
    if row['antecedent'] is None or row['j'] == 0:
        if row['antecedent'] is not None or row['j'] != 0 or row['type'] != FIXED_ROW:
            found.append(('dh-base', 'row 0, and no other, has the antecedent null; it is fixed, '
                          'and places frame 0 in the root'))
    elif row['antecedent'] not in {0, *by_number}:
        found.append(('dh-antecedent', f'there is no frame {row["antecedent"]!r}; the frames are '
                      f'{listed(map(str, sorted({0, *by_number})))}'))
    else:
        found += _cycle(row, by_number)
    return found + _mimic_problems(row, {other['joint']: other for other in rows})


def _cycle(row: _Row, by_number: Mapping[int, _Row]) -> _Found:
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


def _mimic_problems(row: _Row, by_name: Mapping[str, _Row]) -> _Found:
    if row['mimic'] is None:
        return []
    driver = by_name.get(str(row['mimic']['joint']))
    if row['type'] == FIXED_ROW:
        return [('dh-mimic', 'a fixed joint follows no other')]
    if driver is None or driver['type'] == FIXED_ROW or driver['mimic'] is not None:
        return [('dh-mimic', f'{row["mimic"]["joint"]!r} is no joint that moves by itself; mimic '
                 'names the joint that drives this one')]
    return []


def _model(name: str, rows: Sequence[_Row]) -> RobotModel:
    """Return the model of rows without problems."""
    base = next((row for row in rows if row['antecedent'] is None), None)
    base_R, base_p = (IDENTITY, ZERO) if base is None else transform(_six(base))
    moved = [row for row in rows if row is not base]
    names = {row['link'] for row in moved}
    root = 'root' if base is None else base['link']
    while base is None and root in names:
        root += '_'
    link_of = {0: root, **{row['j']: row['link'] for row in moved}}
    links = [Link(root, None if base is None else _inertia(base, base_R, base_p))]
    joints = []
    for row in moved:
        R, p = transform(_six(row))
        if row['antecedent'] == 0:
            R, p = composed(base_R, R), add(base_p, apply(base_R, p))
        mimic = row['mimic'] and Mimic(**{key: row['mimic'][key] for key in row['mimic']})
        joints.append(Joint(
            row['joint'], _TYPES[row['type']], link_of[row['antecedent']], row['link'], p,
            roll_pitch_yaw(R), (0.0, 0.0, 1.0), mimic,
            damping=float(row['FV']), friction=float(row['FS'])))
        links.append(Link(row['link'], _inertia(row, IDENTITY, ZERO)))
    return RobotModel(name, tuple(links), tuple(joints), root)


def _six(row: _Row) -> SixParameters:
    return SixParameters(*(float(row[name]) for name in SixParameters._fields))


def _inertia(row: _Row, R: Matrix, p: Vector) -> Inertia | None:
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
