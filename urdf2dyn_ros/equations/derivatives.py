"""
Derivatives of the efforts with respect to q, qd and qdd, column by column.

Of the column of joint j, its part along the axis of every joint i before it is how the effort of i
varies with j. The same column says how the effort of j varies with i: see `Column`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import dot
from urdf2dyn_ros.equations.column_frames import BodyMotion, ColumnFrame
from urdf2dyn_ros.equations.columns import Column, begun, column_in_parent
from urdf2dyn_ros.equations.composite import Composite
from urdf2dyn_ros.equations.recursion import unnoted
from urdf2dyn_ros.joints import JOINTS, JointType
from urdf2dyn_ros.joints.joint_type import turned
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Note
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

_Rows = list[list[Scalar]]


class EffortDerivatives(NamedTuple):
    """With respect to q, qd and qdd: of the efforts, (n, n), and the root's wrench, (6, n)."""

    efforts: list[_Rows]
    wrench: list[_Rows]


def derivatives(system: Multibody, frames: Sequence[ColumnFrame],
                composites: Sequence[Composite], at: Sequence[Coordinate],
                terms: Mapping[int, Sequence[JointTerm]] = MappingProxyType({}),
                moving: bool = False, note: Note = unnoted,
                column: Callable[[int], None] = lambda body: None) -> EffortDerivatives:
    """
    Return the derivatives of the efforts and, with a moving base, of the wrench on the root.

    Frames and composites are those of all bodies, then of the root. `column` is called with the
    number of a body whose column begins. Wrenches of the environment are constant in the frames
    of the bodies.
    """
    n = len(system.joint_names)
    efforts, wrench = ([[[0.0] * n for _ in range(rows)] for _ in range(3)] for rows in (n, 6))
    for j, body in enumerate(system.bodies):
        column(j)
        current = begun(JOINTS[body.type], composites[j], frames[j], partial(note, j))
        entries = _along(JOINTS[body.type], current)
        for term in terms.get(j, ()):
            slopes = term.slopes(at[j])
            note(j, f'd{term.NAME}', slopes)
            entries = [entry + slope for entry, slope in zip(entries, slopes)]
        _add(system, efforts, j, j, entries)
        i = j
        while system.bodies[i].parent != ROOT or moving:
            current = column_in_parent(system, frames, i, at[i], current,
                                       terms.get(j, ()) if i == j else (), note)
            shared, i = frames[i].shared, system.bodies[i].parent
            if i == ROOT:
                _add_wrench(body, wrench, current)
                break
            last = system.bodies[i].parent == ROOT and not moving
            current, motion = _along_axes(frames[i], shared, current, last)
            _add_pair(system, efforts, i, j, current, motion, partial(note, i))
    return EffortDerivatives(efforts, wrench)


def _add_wrench(body: Body, matrices: Sequence[_Rows], column: Column) -> None:
    """Add a column that has arrived at the root."""
    for matrix, f, n in zip(matrices, column[0:6:2], column[1:6:2]):
        for row, entry in zip(matrix, (*f, *n)):
            row[body.coordinate] = row[body.coordinate] + body.multiplier * entry


def _along_axes(frame: ColumnFrame, shared: bool, column: Column, last: bool,
                ) -> tuple[Column, BodyMotion]:
    """Return a column in the axes of a body's columns, unless it ends there, and the motion."""
    if shared or frame.turn is None:
        return column, frame.motion
    if last:
        return column, frame.body_motion
    c, s = frame.turn
    return Column(*(turned(vector, c, -s) for vector in column)), frame.motion


def _along(joint: JointType, column: Column) -> list[Scalar]:
    """Return how the effort of a joint varies with q, qd and qdd of the column's joint."""
    return [joint.along(f[2], n[2]) for f, n in zip(column[0:6:2], column[1:6:2])]


def _of_other(joint: JointType, motion: BodyMotion, column: Column) -> list[Scalar]:
    """Return how the effort of the column's joint varies with q and qd of a joint before it."""
    (w_x, w_y, _), e, (a_x, a_y, _) = motion
    twice_x, twice_y, _ = motion.twice_w
    fa, na, g = column.fa, column.na, column.g
    # dw, e and da of a rotation are w x z, e and a x z; z, 2 w x z and 0
    rotation = (g[0] * w_y - g[1] * w_x + dot(na, e) + (fa[0] * a_y - fa[1] * a_x),
                g[2] + (na[0] * twice_y - na[1] * twice_x))
    translation = dot(fa, e), fa[0] * twice_y - fa[1] * twice_x
    return [joint.along(slid, turned_) for slid, turned_ in zip(translation, rotation)]


def _add_pair(system: Multibody, efforts: Sequence[_Rows], i: int, j: int, column: Column,
              motion: BodyMotion, note: BodyNote) -> None:
    """Add what the column of body j says of body i, before it, and of j."""
    joint = JOINTS[system.bodies[i].type]
    row = _along(joint, column)
    note('drow', tuple(row))
    others = [*_of_other(joint, motion, column), row[2]]
    note('dothers', tuple(others[:2]))
    _add(system, efforts, i, j, row)
    _add(system, efforts, j, i, others)


def _add(system: Multibody, matrices: Sequence[_Rows], row: int, column: int,
         entries: Sequence[Scalar]) -> None:
    """Add an entry to each matrix, of the coordinates of two bodies."""
    r, c = system.bodies[row], system.bodies[column]
    for matrix, entry in zip(matrices, entries):
        whole = matrix[r.coordinate]
        whole[c.coordinate] = whole[c.coordinate] + r.multiplier * (c.multiplier * entry)
