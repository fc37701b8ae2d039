"""The table of a robot: a row for each frame, with columns as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import TENSOR, upper
from urdf2dyn_ros.dh.parameters import SixParameters
from urdf2dyn_ros.robot_model import Mimic

REVOLUTE_ROW, PRISMATIC_ROW, FIXED_ROW = 'R', 'P', 'fixed'

INERTIA_COLUMNS = (*(entry.upper() for entry in TENSOR), 'MX', 'MY', 'MZ', 'M')
"""Inertia [kg m^2] and first moments [kg m] about the frame's origin, mass [kg]."""

FRICTION_COLUMNS = ('FV', 'FS')
"""Viscous [N m s/rad or N s/m] and dry friction [N m or N] of the joint."""


@dataclass(frozen=True)
class DhRow:
    """
    A frame: where it is in that of its antecedent, what moves it, and what is fixed to it.

    Row 0 places frame 0 in the root, its `link`, and has no antecedent. The position of the joint
    adds to theta (R) or r (P). The inertia is about the frame's origin.
    """

    j: int
    joint: str
    link: str
    type: str
    antecedent: int | None
    six: SixParameters
    inertia: BodyInertia | None = None
    mimic: Mimic | None = None
    damping: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True)
class DhTable:
    """A robot's name and its frames, antecedents first."""

    name: str
    rows: tuple[DhRow, ...]


def table_data(table: DhTable) -> dict[str, Any]:
    """Return a table as JSON can hold it, with angles in radians: what read_dh reads."""
    return {'name': table.name, 'rows': [_row_data(row) for row in table.rows]}


def inertia_numbers(row: DhRow) -> Mapping[str, float]:
    """Return the inertial columns of a row; empty where nothing has inertia."""
    if row.inertia is None:
        return {}
    numbers = (*upper(row.inertia.J), *row.inertia.h, row.inertia.m)
    return dict(zip(INERTIA_COLUMNS, map(float, numbers), strict=True))


def _row_data(row: DhRow) -> dict[str, Any]:
    data: dict[str, Any] = {
        'j': row.j, 'joint': row.joint, 'link': row.link, 'type': row.type,
        'antecedent': row.antecedent, **row.six._asdict(), **inertia_numbers(row)}
    if row.mimic is not None:
        data['mimic'] = {'joint': row.mimic.joint, 'multiplier': row.mimic.multiplier,
                         'offset': row.mimic.offset}
    frictions = zip(FRICTION_COLUMNS, (row.damping, row.friction))
    return {**data, **{name: value for name, value in frictions if value != 0.0}}
