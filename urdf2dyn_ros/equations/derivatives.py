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

from urdf2dyn_ros.equations.newton_euler import Sweep, unnoted
from urdf2dyn_ros.robot.inertia import Inertia, SecondMoments, traced
from urdf2dyn_ros.robot.joints import (
    JOINTS,
    BodyNote,
    Coordinate,
    JointType,
    Motion,
    Note,
    Wrench,
    turned,
)
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    cross,
    dot,
    outer,
    symmetric,
    upper,
)
from urdf2dyn_ros.robot.terms import JointTerm

# ---- Each body with all that it carries as one: its inertia, its momentum, and their moments


class Composite(NamedTuple):
    """A body and what it carries, in one frame, relative to its origin."""

    m: Scalar = 0.0   # mass [kg]
    h: Vector = ZERO   # first moments [kg m]
    J: Matrix = NO_TENSOR   # inertia [kg m^2]
    P: Vector = ZERO   # twice the momentum [kg m/s]
    # K d is twice the integral of r x (d x v) over the mass [kg m^2/s], r being the position and v
    # the velocity: of the matrix T that is the integral of v r', K = 2 (tr(T) 1 - T)
    K: Matrix = NO_TENSOR

    def plus(self, other: Composite) -> Composite:
        return Composite(self.m + other.m, self.h + other.h, self.J + other.J,
                         self.P + other.P, self.K + other.K)

    @property
    def entries(self) -> tuple[Scalar, ...]:
        return (self.m, *self.h, *upper(self.J), *self.P, *self.K.entries)

    def rotated_about_z(self, c: Scalar, s: Scalar) -> Composite:
        """Return it in axes that a rotation about z, with this cosine and sine, leads back to."""
        return Composite(self.m, turned(self.h, c, -s), _rotated_about_z(self.J, c, s),
                         turned(self.P, c, -s), _rotated_about_z(self.K, c, s))

    def rotated(self, R: Matrix) -> Composite:
        """Return it in axes to which R rotates vectors."""
        if R is IDENTITY:
            return self
        back = R.T
        return Composite(self.m, R @ self.h, symmetric(upper(R @ self.J @ back)), R @ self.P,
                         R @ self.K @ back)

    def about(self, r: Vector, twice_v: Vector) -> Composite:
        """Return it about an origin from which this one is at r, and moves with half twice_v."""
        h = self.h + self.m * r
        second = outer(self.h, r) + outer(r, h)
        first = outer(self.P, r) + outer(twice_v, h)
        return Composite(self.m, h, symmetric(upper(self.J + traced(second))),
                         self.P + self.m * twice_v, self.K + traced(first))


def own_composite(inertia: Inertia | None, moments: SecondMoments | None,
                  spun: SpunMotion) -> Composite:
    """Return a body by itself from its inertia, its second moments and its motion."""
    if inertia is None or moments is None:
        return Composite()
    J, twice_w = inertia.J, spun.twice_w
    # T = [w]x S has no trace
    K = Matrix(*(-cross(twice_w, column) for column in moments.S.T)).T
    return Composite(inertia.m, inertia.h, J, cross(twice_w, inertia.h), K)


def _rotated_about_z(m: Matrix, c: Scalar, s: Scalar) -> Matrix:
    """Return R m R', with four products for the block of x and y, from c^2 + s^2 = 1."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = m
    t = c * (xx - yy) - s * (xy + yx)
    return Matrix((yy + c * t, xy + s * t, c * xz - s * yz),
                  (yx + s * t, xx - c * t, s * xz + c * yz),
                  (c * zx - s * zy, s * zx + c * zy, zz))


# ---- The frame of a body, in which its column begins, and the bodies with what they carry there

class SpunMotion(NamedTuple):
    """Motion of a frame in its own axes, and its U."""

    motion: Motion
    U: Matrix

    @property
    def e(self) -> Vector:
        """Return U z: how the velocity of z changes as the frame moves on."""
        return self.U.T[2]

    @property
    def twice_w(self) -> Vector:
        return 2.0 * self.motion.w


def spun_motion(sweep: Sweep, i: int) -> SpunMotion:
    return SpunMotion(sweep.motions[i], sweep.spins[i])


def slide(body: Body, spun: SpunMotion, coordinate: Coordinate) -> tuple[Vector, Vector]:
    """Return the origin of a body from that of its joint, and twice its velocity from there."""
    joint, twice_w = JOINTS[body.type], spun.twice_w
    distance = joint.slides * coordinate.q
    return Vector(0.0, 0.0, distance), Vector(
        twice_w[1] * distance, -(twice_w[0] * distance), 2.0 * (joint.slides * coordinate.qd))


def composites(system: Multibody, sweep: Sweep, own: Sequence[Composite],
               terms: Mapping[int, Sequence[JointTerm]], note: Note) -> list[Composite]:
    """Return each body with what it carries, from the bodies alone."""
    result = list(own)
    for i in reversed(range(len(system.bodies))):
        body, coordinate, whole = system.bodies[i], sweep.coordinates[i], result[i]
        note(i, 'composite', whole.entries)
        if body.parent == ROOT:
            continue
        if JOINTS[body.type].slides:
            whole = whole.about(*slide(body, spun_motion(sweep, i), coordinate))
        whole = whole.rotated_about_z(*JOINTS[body.type].cos_sin(coordinate))
        for term in terms.get(i, ()):
            whole = _carried_with_rotor(whole, term, coordinate)
        note(i, 'jointed', whole.entries[1:])
        twice_v = cross(2.0 * sweep.motions[body.parent].w, body.parent_p_joint)
        whole = whole.rotated(body.parent_R_joint).about(body.parent_p_joint, twice_v)
        note(i, 'passed', whole.entries[1:])
        result[body.parent] = result[body.parent].plus(whole)
    return result


def _carried_with_rotor(whole: Composite, term: JointTerm, coordinate: Coordinate) -> Composite:
    """Return what the parent carries of a joint: a spinning rotor resists as K does."""
    spinning = coordinate._replace(qdd=0.0)
    columns = [term.on_parent(Motion(w, ZERO, ZERO), spinning) for w in IDENTITY[:2]]
    K = whole.K
    return whole._replace(K=Matrix(
        (K[0][0] + columns[0][0], K[0][1] + columns[1][0], K[0][2]),
        (K[1][0] + columns[0][1], K[1][1] + columns[1][1], K[1][2]), K[2]))


# ---- A column: how q, qd and qdd of one joint vary what it and every joint before it transmit
#
# A variation of joint j varies the motion of all that its body carries: by dw and e = d(wd) + w x
# dw, which are the same for all of it, and by da of the body's origin. So the wrench varies by
#
#     F = m da + e x h + dw x P            N = h x da + J e + K dw
#
# (P and K as in `Composite`) and is rotated with the joint. From there it is transformed towards
# the root, as any wrench.

_Z = Vector(0.0, 0.0, 1.0)


class Column(NamedTuple):
    """Changes of force f and moment n with q (q), qd (v) and qdd (a) of one joint, and g."""

    fq: Vector
    nq: Vector
    fv: Vector
    nv: Vector
    fa: Vector
    na: Vector
    # if another body varies by dw, e and da of the column's origin, the effort of the column's
    # joint varies by g . dw + na . e + fa . da
    g: Vector


def begun(joint: JointType, composite: Composite, spun: SpunMotion, transmitted: Wrench,
          note: BodyNote) -> Column:
    """Return the column of a joint at its own body."""
    m, h, J, P, K = composite
    (w, _, a), e, (f, n) = spun.motion, spun.e, transmitted

    def noted(symbol: str, vector: Vector) -> Vector:
        note(f'd{symbol}', vector)
        return vector

    if joint.turns:   # dw, e and da are w x z, U z and a x z of q; z, 2 w x z and 0 of qd; 0, z, 0
        return Column(
            noted('fq', m * cross(a, _Z) + cross(e, h) + cross(cross(w, _Z), P) + cross(_Z, f)),
            noted('nq', cross(h, cross(a, _Z)) + J @ e + K @ cross(w, _Z) + cross(_Z, n)),
            noted('fv', cross(cross(2.0 * w, _Z), h) + cross(_Z, P)),
            noted('nv', J @ cross(2.0 * w, _Z) + K @ _Z),
            noted('fa', cross(_Z, h)),
            noted('na', J @ _Z),
            noted('g', K[2]))
    return Column(   # dw and e are 0, and da is U z of q, 2 w x z of qd and z of qdd
        noted('fq', m * e),
        noted('nq', cross(h, e) + cross(_Z, f)),
        noted('fv', m * cross(2.0 * w, _Z)),
        noted('nv', cross(h, cross(2.0 * w, _Z))),
        noted('fa', m * _Z),
        noted('na', cross(h, _Z)),
        noted('g', cross(P, _Z)))


def column_in_parent(body: Body, spun: SpunMotion, parent: Motion, coordinate: Coordinate,
                     column: Column, terms: Sequence[JointTerm], note: BodyNote) -> Column:
    """Return a column of a body in the frame of its parent."""
    column = _transformed(column, *slide(body, spun, coordinate), IDENTITY, note, '')
    c, s = JOINTS[body.type].cos_sin(coordinate)
    vectors = []
    for name, vector in zip(Column._fields, column):
        vectors.append(turned(vector, c, -s))
        note(f'd{name}j', vectors[-1])   # as soon as it is computed
    column = Column(*vectors)
    in_axes = Motion(body.parent_R_joint.T @ parent.w, ZERO, ZERO)
    for term in terms:
        column = _with_rotor(column, term, in_axes, coordinate, note)
    twice_v = cross(2.0 * parent.w, body.parent_p_joint)
    return _transformed(column, body.parent_p_joint, twice_v, body.parent_R_joint, note, 'p')


def _transformed(column: Column, r: Vector, twice_v: Vector, R: Matrix, note: BodyNote,
                 stage: str) -> Column:
    """Return a column in axes to which R rotates, about an origin from which its own is at r."""
    forces, vectors = {}, []
    for name, vector in zip(Column._fields, column):
        rotated = R @ vector
        if name.startswith('f'):
            forces[name[1:]] = rotated
        else:
            rotated = rotated + (cross(twice_v, forces['a']) if name == 'g' else
                                 cross(r, forces[name[1:]]))
        if stage:
            note(f'd{name}{stage}', rotated)
        vectors.append(rotated)
    return Column(*vectors)


def _with_rotor(column: Column, term: JointTerm, parent: Motion, coordinate: Coordinate,
                note: BodyNote) -> Column:
    """Return a column with the moment on the parent, which is also how the parent acts back."""
    by_rate = term.on_parent(parent, coordinate._replace(qd=1.0, qdd=0.0))
    by_acceleration = term.on_parent(parent, coordinate._replace(qd=0.0, qdd=1.0))
    if by_acceleration == ZERO:
        return column
    changed = {'nv': column.nv + by_rate, 'na': column.na + by_acceleration,
               'g': column.g + by_rate}
    for name, vector in changed.items():
        note(f'd{name}r', vector)
    return column._replace(**changed)


# ---- Derivatives of the efforts with respect to q, qd and qdd, column by column

_Rows = list[list[Scalar]]


def derivatives(system: Multibody, sweep: Sweep, composites: Sequence[Composite],
                terms: Mapping[int, Sequence[JointTerm]] = MappingProxyType({}),
                moving: bool = False, note: Note = unnoted,
                column: Callable[[int], None] = lambda body: None,
                ) -> tuple[list[_Rows], list[_Rows]]:
    """
    Return the derivatives of the efforts and, with a moving base, of the wrench on the root.

    With respect to q, qd and qdd, each (n, n) and (6, n). Wrenches of the environment are constant
    in the frames of the bodies. `column` is called with the body whose column begins.
    """
    n, spun = len(system.joint_names), [spun_motion(sweep, i) for i in range(len(system.bodies))]
    efforts, wrench = ([[[0.0] * n for _ in range(rows)] for _ in range(3)] for rows in (n, 6))
    for j, body in enumerate(system.bodies):
        if not body.moves:
            continue
        column(j)
        joint = JOINTS[body.type]
        current = begun(joint, composites[j], spun[j], sweep.wrenches[j], partial(note, j))
        parts = _along(joint, current)
        for term in terms.get(j, ()):
            slopes = term.slopes(sweep.coordinates[j])
            note(j, f'd{term.NAME}', slopes)
            parts = [entry + slope for entry, slope in zip(parts, slopes)]
        _add(system, efforts, j, j, parts)
        i = j
        while system.bodies[i].parent != ROOT or moving:
            before = system.bodies[i].parent
            current = column_in_parent(
                system.bodies[i], spun[i], sweep.motions[before], sweep.coordinates[i], current,
                terms.get(j, ()) if i == j else (), partial(note, i))
            if before == ROOT:
                for matrix, force, moment in zip(wrench, current[0:6:2], current[1:6:2]):
                    for row, entry in zip(matrix, (*force, *moment)):
                        row[body.coordinate] = row[body.coordinate] + body.multiplier * entry
                break
            i = before
            joint = JOINTS[system.bodies[i].type]
            parts = _along(joint, current)
            note(i, 'drow', tuple(parts))
            others = _of_other(joint, spun[i], current)
            note(i, 'dothers', tuple(others))
            _add(system, efforts, i, j, parts)
            _add(system, efforts, j, i, [*others, parts[2]])   # M is symmetric
    return efforts, wrench


def _along(joint: JointType, column: Column) -> list[Scalar]:
    """Return how the effort of a joint varies with q, qd and qdd of the column's joint."""
    return [joint.along(f[2], n[2]) for f, n in zip(column[0:6:2], column[1:6:2])]


def _of_other(joint: JointType, spun: SpunMotion, column: Column) -> list[Scalar]:
    """Return how the effort of the column's joint varies with q and qd of a joint before it."""
    ((w_x, w_y, _), _, (a_x, a_y, _)), e = spun.motion, spun.e
    twice_x, twice_y, _ = spun.twice_w
    fa, na, g = column.fa, column.na, column.g
    # dw, e and da of a rotation are w x z, e and a x z; z, 2 w x z and 0
    rotation = (g[0] * w_y - g[1] * w_x + dot(na, e) + (fa[0] * a_y - fa[1] * a_x),
                g[2] + (na[0] * twice_y - na[1] * twice_x))
    translation = dot(fa, e), fa[0] * twice_y - fa[1] * twice_x
    return [joint.along(slid, turned_) for slid, turned_ in zip(translation, rotation)]


def _add(system: Multibody, matrices: Sequence[_Rows], row: int, column: int,
         entries: Sequence[Scalar]) -> None:
    r, c = system.bodies[row], system.bodies[column]
    for matrix, entry in zip(matrices, entries):
        whole = matrix[r.coordinate]
        whole[c.coordinate] = whole[c.coordinate] + r.multiplier * (c.multiplier * entry)
