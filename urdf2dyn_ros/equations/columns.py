"""
A column: how q, qd and qdd of one joint vary what it and every joint before it transmit.

A variation of joint j varies the motion of all that its body carries: by dw and
e = d(wd) + w x dw, which are the same for all of it, and by da of the body's origin. So the wrench
varies by

    F = m da + e x h + dw x P            N = h x da + J e + K dw

(P and K as in `Composite`) and is rotated with the joint. From there it is transformed towards the
root, as any wrench.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    cross,
    scale,
)
from urdf2dyn_ros.equations.column_frames import (
    ColumnFrame,
    parent_in_joint,
    parent_w,
    slide,
)
from urdf2dyn_ros.equations.composite import Composite
from urdf2dyn_ros.joints import JointType
from urdf2dyn_ros.joints.joint_type import turned
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Note
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import Multibody

_Z = (0.0, 0.0, 1.0)


class Column(NamedTuple):
    """
    Changes of force and moment with q (fq, nq), qd (fv, nv) and qdd (fa, na) of one joint, and g.

    If another body varies by dw, e and da of the column's origin, the effort of the column's joint
    varies by g . dw + na . e + fa . da.
    """

    fq: Vector
    nq: Vector
    fv: Vector
    nv: Vector
    fa: Vector
    na: Vector
    g: Vector


class _Source(NamedTuple):
    """A body with what it carries, its motion, and the wrench that its joint transmits."""

    m: Scalar
    h: Vector
    J: Matrix
    P: Vector
    K: Matrix
    w: Vector
    e: Vector
    a: Vector
    f: Vector
    n: Vector


_ROTATION: dict[str, Callable[[_Source], Vector]] = {
    'fq': lambda x: add(add(add(scale(x.m, cross(x.a, _Z)), cross(x.e, x.h)),
                            cross(cross(x.w, _Z), x.P)), cross(_Z, x.f)),
    'nq': lambda x: add(add(add(cross(x.h, cross(x.a, _Z)), apply(x.J, x.e)),
                            apply(x.K, cross(x.w, _Z))), cross(_Z, x.n)),
    'fv': lambda x: add(cross(cross(scale(2.0, x.w), _Z), x.h), cross(_Z, x.P)),
    'nv': lambda x: add(apply(x.J, cross(scale(2.0, x.w), _Z)), apply(x.K, _Z)),
    'fa': lambda x: cross(_Z, x.h),
    'na': lambda x: apply(x.J, _Z),
    'g': lambda x: x.K[2],
}
"""dw, e and da are w x z, U z and a x z of q; z, 2 w x z and 0 of qd; 0, z and 0 of qdd."""

_TRANSLATION: dict[str, Callable[[_Source], Vector]] = {
    'fq': lambda x: scale(x.m, x.e),
    'nq': lambda x: add(cross(x.h, x.e), cross(_Z, x.f)),
    'fv': lambda x: scale(x.m, cross(scale(2.0, x.w), _Z)),
    'nv': lambda x: cross(x.h, cross(scale(2.0, x.w), _Z)),
    'fa': lambda x: scale(x.m, _Z),
    'na': lambda x: cross(x.h, _Z),
    'g': lambda x: cross(x.P, _Z),
}
"""dw and e are 0, and da is U z of q, 2 w x z of qd and z of qdd."""


def begun(joint: JointType, composite: Composite, frame: ColumnFrame, note: BodyNote) -> Column:
    """Return the column of a joint at its own body."""
    x = _Source(*composite, *frame.motion, *frame.wrench)
    vectors = []
    for name in Column._fields:
        vector = ZERO
        for factor, formulas in ((joint.turns, _ROTATION), (joint.slides, _TRANSLATION)):
            if factor:
                vector = add(vector, scale(factor, formulas[name](x)))
        note(f'd{name}', vector)
        vectors.append(vector)
    return Column(*vectors)


def column_in_parent(system: Multibody, frames: Sequence[ColumnFrame], i: int, at: Coordinate,
                     column: Column, terms: Sequence[JointTerm], note: Note) -> Column:
    """Return a column of body i about the parent's origin, along the axes that i is placed in."""
    frame, body, noted = frames[i], system.bodies[i], partial(note, i)
    column = _transformed(column, *slide(system, frames, i, at), IDENTITY, noted, '')
    vectors = []
    for name, vector in zip(Column._fields, column):
        vectors.append(vector if frame.back is None else
                       turned(vector, frame.back[0], -frame.back[1]))
        noted(f'd{name}j', vectors[-1])
    column = Column(*vectors)
    for term in terms:
        column = _with_rotor(column, term, parent_in_joint(system, frames, i), at, noted)
    twice_v = cross(scale(2.0, parent_w(system, frames, i)), frame.p)
    R = IDENTITY if frame.shared else body.parent_R_joint
    return _transformed(column, frame.p, twice_v, R, noted, 'p')


def _transformed(column: Column, r: Vector, twice_v: Vector, R: Matrix, note: BodyNote,
                 stage: str) -> Column:
    """Return a column in axes to which R rotates, about an origin from which its own is at r."""
    forces, vectors = {}, []
    for name, vector in zip(Column._fields, column):
        rotated = apply(R, vector)
        if name.startswith('f'):
            forces[name[1:]] = rotated
        else:
            rotated = add(rotated, cross(twice_v, forces['a']) if name == 'g' else
                          cross(r, forces[name[1:]]))
        if stage:
            note(f'd{name}{stage}', rotated)
        vectors.append(rotated)
    return Column(*vectors)


def _with_rotor(column: Column, term: JointTerm, parent: Motion, at: Coordinate,
                note: BodyNote) -> Column:
    """Return a column with the moment on the parent, which is also how the parent acts back."""
    by_rate = term.on_parent(parent, at._replace(qd=1.0, qdd=0.0))
    by_acceleration = term.on_parent(parent, at._replace(qd=0.0, qdd=1.0))
    if by_acceleration == ZERO:
        return column
    changed = {'nv': add(column.nv, by_rate), 'na': add(column.na, by_acceleration),
               'g': add(column.g, by_rate)}
    for name, vector in changed.items():
        note(f'd{name}r', vector)
    return column._replace(**changed)
