"""What is wrong in the rows of a table of DH parameters."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from urdf2dyn_ros.dh.parameters import SixParameters
from urdf2dyn_ros.dh.rows import (
    FIXED_ROW,
    FRICTION_COLUMNS,
    INERTIA_COLUMNS,
    PRISMATIC_ROW,
    REVOLUTE_ROW,
)
from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.quoting import listed, quote, suggestion

RowData: TypeAlias = Mapping[str, Any]
"""A row as JSON has it: column to value."""

ROW_NUMBERS = (*SixParameters._fields, *INERTIA_COLUMNS, *FRICTION_COLUMNS)
_TYPES = (REVOLUTE_ROW, PRISMATIC_ROW, FIXED_ROW)
_MIMIC_NUMBERS = ('multiplier', 'offset')
_COLUMNS = ('j', 'joint', 'link', 'type', 'antecedent', 'mimic', *ROW_NUMBERS)


def check_rows(rows: Sequence[RowData]) -> None:
    """Raise a UrdfError with all problems: those of cells, or else those between rows."""
    for check in (_column_problems, _reference_problems):
        problems = [Problem(code, message, f'row {row["j"]!r} {quote(str(row["joint"]))}')
                    for row in rows for code, message in check(row, rows)]
        if problems:
            raise UrdfError(problems)


_Problems: TypeAlias = list[tuple[str, str]]


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
    return problems + _mimic_problems(row, {other['joint']: other for other in rows})


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


def _mimic_problems(row: RowData, by_name: Mapping[str, RowData]) -> _Problems:
    if row['mimic'] is None:
        return []
    driver = by_name.get(str(row['mimic']['joint']))
    if row['type'] == FIXED_ROW:
        return [('dh-mimic', 'a fixed joint follows no other')]
    if driver is None or driver['type'] == FIXED_ROW or driver['mimic'] is not None:
        return [('dh-mimic', f'{row["mimic"]["joint"]!r} is no joint that moves by itself; mimic '
                 'names the joint that drives this one')]
    return []
