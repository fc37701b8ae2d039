"""The motion of each body in its own axes and in those of its column, which may be shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    scale,
    transpose,
)
from urdf2dyn_ros.equations.column_frames import CosSin
from urdf2dyn_ros.equations.simplification.inherited_spin import spin_about, swaps, third_column
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.joint_type import turn_by, turned
from urdf2dyn_ros.joints.motion import Coordinate, Motion, spin
from urdf2dyn_ros.multibody import ROOT, Body, Multibody


class SpunMotion(NamedTuple):
    """Motion of a frame, and its U."""

    motion: Motion
    U: Matrix


class SharedMotion(NamedTuple):
    """Motion of a body in the axes of its column and in its own: see `ColumnFrame`."""

    column: SpunMotion
    own: SpunMotion
    angle: tuple[Scalar, float]
    turn: CosSin
    shared: bool
    p: Vector


def root_of(gravity: Vector, base: Motion | None) -> SpunMotion:
    """Return the motion of the root, fixed or not."""
    if base is None:
        return SpunMotion(Motion(ZERO, ZERO, scale(-1.0, gravity)), NO_TENSOR)
    return SpunMotion(base, spin(base.w, base.wd))


def shared_motions(system: Multibody, at: Sequence[Coordinate], root: SpunMotion, moving: bool,
                   ) -> list[SharedMotion]:
    """Return the motions of all bodies from their coordinates and the motion of the root."""
    result: list[SharedMotion] = []
    for body, coordinate in zip(system.bodies, at):
        parent = None if body.parent == ROOT else result[body.parent]
        here = _shared_motion(body, coordinate, parent, root)
        if parent is None and not moving:   # in its own axes: no column goes further
            here = here._replace(column=here.own, angle=(0.0, 0.0), turn=(1.0, 0.0))
        result.append(here)
    return result


def _shared_motion(body: Body, at: Coordinate, parent: SharedMotion | None, root: SpunMotion,
                   ) -> SharedMotion:
    joint = JOINTS[body.type]
    angle: tuple[Scalar, float] = (joint.turns * at.q, body.turn)
    shared = parent is not None and body.parent_R_joint == IDENTITY
    if parent is not None and shared:
        (w, wd, a), U = parent.column
        p = turned(body.parent_p_joint, parent.turn[0], -parent.turn[1])
        column = (U[0][2], U[1][2], U[2][2])
        a = add(a, apply(U, p))
        angle = (parent.angle[0] + angle[0], parent.angle[1] + angle[1])
    else:
        motion, U = root if parent is None else parent.own
        p, R = body.parent_p_joint, body.parent_R_joint
        back = transpose(R)
        w, wd = apply(back, motion.w), apply(back, motion.wd)
        a = apply(back, add(motion.a, apply(U, p)))
        column = (apply(back, apply(U, (R[0][2], R[1][2], R[2][2]))) if swaps(R)
                  else third_column(w, wd))
    rate = joint.turns * at.qd
    wd = (wd[0] + w[1] * rate, wd[1] - w[0] * rate, wd[2] + joint.turns * at.qdd)
    w = (w[0], w[1], w[2] + rate)
    if joint.slides:
        distance, twice = joint.slides * at.q, 2.0 * (joint.slides * at.qd)
        a = (a[0] + column[0] * distance + twice * w[1],
             a[1] + column[1] * distance - twice * w[0],
             a[2] + column[2] * distance + joint.slides * at.qdd)
    turn = turn_by(*angle)
    _, U = spin_about(column, w, wd, False)
    own_w = turned(w, *turn)
    own_wd, own_U = spin_about(turned(column, *turn), own_w, (0.0, 0.0, wd[2]), True)
    own = Motion(own_w, own_wd, turned(a, *turn))
    return SharedMotion(SpunMotion(Motion(w, wd, a), U), SpunMotion(own, own_U), angle, turn,
                        shared, p)
