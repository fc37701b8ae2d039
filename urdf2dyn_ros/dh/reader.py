"""From a table of DH parameters to the model of its robot."""

import json
import os
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
from urdf2dyn_ros.dh.checks import ROW_NUMBERS, RowData, check_rows
from urdf2dyn_ros.dh.par_file import par_table
from urdf2dyn_ros.dh.parameters import SixParameters, roll_pitch_yaw, transform
from urdf2dyn_ros.dh.rows import (
    FIXED_ROW,
    INERTIA_COLUMNS,
    PRISMATIC_ROW,
    REVOLUTE_ROW,
)
from urdf2dyn_ros.errors import Problem, SourceError, UrdfError
from urdf2dyn_ros.robot_model import Inertia, Joint, Link, Mimic, RobotModel

DhSource: TypeAlias = (
    Mapping[str, object] | Sequence[Mapping[str, object]] | str | os.PathLike[str])
"""A table with `name` and `rows`, its rows alone, or the path of a JSON or .par file."""

_TYPES = {REVOLUTE_ROW: 'continuous', PRISMATIC_ROW: 'prismatic', FIXED_ROW: 'fixed'}


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
    rows = [_completed(row, k, content) for k, row in enumerate(content)]
    check_rows(rows)
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


def _completed(row: RowData, k: int, rows: Sequence[RowData]) -> dict[str, Any]:
    """Return a row with values for the columns that it lacks."""
    first = 0 if rows and rows[0].get('antecedent', 0) is None else 1
    j = row.get('j', k + first)
    before = rows[k - 1].get('j', k + first - 1) if k > 0 else 0
    return {'j': j, 'joint': f'joint{j}', 'link': f'frame{j}', 'antecedent': before,
            'type': None, 'mimic': None, **dict.fromkeys(ROW_NUMBERS, 0.0), **row}


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
        mimic = row['mimic'] and Mimic(**{key: row['mimic'][key] for key in row['mimic']})
        joints.append(Joint(
            row['joint'], _TYPES[row['type']], link_of[row['antecedent']], row['link'], p,
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
