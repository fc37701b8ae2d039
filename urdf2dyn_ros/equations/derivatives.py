"""
Derivatives of the efforts with respect to q, qd and qdd, column by column.

Of the column of joint j, its part along the axis of every joint i before it is how the effort of i
varies with j. The same column says how the effort of j varies with i: see `Column`. At the end is
the recursion that returns the efforts with what the columns need, in axes that parallel joints
share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.equations.fewest_operations import spin_about, swaps, third_column
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Sweep,
    in_joint,
    inertial,
    second_moment,
    unnoted,
)
from urdf2dyn_ros.robot.inertia import Inertia, SecondMoments, second_moments, traced
from urdf2dyn_ros.robot.joints import (
    JOINTS,
    NO_WRENCH,
    BodyNote,
    Coordinate,
    JointType,
    Motion,
    Note,
    Wrench,
    silent,
    spin,
    turn_by,
    turned,
)
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Scalar,
    Three,
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


# ---- The frames in which columns of derivatives begin, and the bodies with what they carry there

CosSin = tuple[Scalar, Scalar]


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


class ColumnFrame(NamedTuple):
    """Axes at the origin of a body with z along its joint, where the joint's column begins."""

    here: SpunMotion   # along these axes
    # along the axes of the body's own frame, in which its children are placed
    own: SpunMotion
    # the joint's origin in the parent, along the parent's own axes, or along the shared ones
    p: Vector
    wrench: Wrench = NO_WRENCH   # what the joint transmits, along these axes
    shared: bool = False   # whether these axes are those of the parent's column
    angle: tuple[Scalar, float] = (0.0, 0.0)   # about z from the body's own axes to these
    turn: CosSin = (1.0, 0.0)   # its cosine and sine
    apart: bool = False   # whether what the body is and carries is summed in its own axes first
    # cosine and sine from these axes to the joint's, which are fixed to the parent; None where
    # they are the same
    back: CosSin | None = None


Frames = dict[int, ColumnFrame]   # by body; that of the root as well


def body_frames(system: Multibody, sweep: Sweep) -> Frames:
    """Return the own frames of bodies and root, with what the recursion has computed."""
    result = {ROOT: _root_frame(SpunMotion(sweep.motions[ROOT], NO_TENSOR))}
    for i, body in enumerate(system.bodies):
        motion = SpunMotion(sweep.motions[i], sweep.spins[i])
        result[i] = ColumnFrame(motion, motion, body.parent_p_joint, sweep.wrenches[i],
                                back=JOINTS[body.type].cos_sin(sweep.coordinates[i]))
    return result


def _root_frame(root: SpunMotion) -> ColumnFrame:
    """Return the frame of the root, where columns end: it has none of its own."""
    return ColumnFrame(root, root, ZERO)


def parent_w(system: Multibody, frames: Frames, i: int) -> Vector:
    """Return the angular velocity of the parent, along the axes that body i is placed in."""
    parent = frames[system.bodies[i].parent]
    return (parent.here if frames[i].shared else parent.own).motion.w


def slide(system: Multibody, frames: Frames, i: int, coordinate: Coordinate,
          ) -> tuple[Vector, Vector]:
    """Return the origin of body i from that of its joint, and twice its velocity from there."""
    joint, twice_w = JOINTS[system.bodies[i].type], frames[i].here.twice_w
    distance = joint.slides * coordinate.q
    return Vector(0.0, 0.0, distance), Vector(
        twice_w[1] * distance, -(twice_w[0] * distance), 2.0 * (joint.slides * coordinate.qd))


def composites(system: Multibody, frames: Frames, own: Sequence[Composite],
               coordinates: Sequence[Coordinate], terms: Mapping[int, Sequence[JointTerm]],
               note: Note) -> list[Composite]:
    """Return each body with what it carries, from the bodies alone in their own axes."""
    apart, shared = list(own), [Composite()] * len(own)
    result = list(own)
    for i in reversed(range(len(system.bodies))):
        body, frame, whole = system.bodies[i], frames[i], apart[i]
        if frame.apart:
            whole = whole.rotated_about_z(*frame.turn)
        whole = whole.plus(shared[i])
        result[i] = whole
        note(i, 'composite', whole.entries)
        if body.parent == ROOT:
            continue
        if JOINTS[body.type].slides:
            whole = whole.about(*slide(system, frames, i, coordinates[i]))
        if frame.back is not None:
            whole = whole.rotated_about_z(*frame.back)
        for term in terms.get(i, ()):
            whole = _carried_with_rotor(whole, term, coordinates[i])
        note(i, 'jointed', whole.entries[1:])
        twice_v = cross(2.0 * parent_w(system, frames, i), frame.p)
        if not frame.shared:
            whole = whole.rotated(body.parent_R_joint)
        whole = whole.about(frame.p, twice_v)
        note(i, 'passed', whole.entries[1:])
        parts = shared if frame.shared else apart
        parts[body.parent] = parts[body.parent].plus(whole)
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


def begun(joint: JointType, composite: Composite, frame: ColumnFrame, note: BodyNote) -> Column:
    """Return the column of a joint at its own body."""
    m, h, J, P, K = composite
    (w, _, a), e, (f, n) = frame.here.motion, frame.here.e, frame.wrench

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


def column_in_parent(system: Multibody, frames: Frames, i: int, coordinate: Coordinate,
                     column: Column, terms: Sequence[JointTerm], note: Note) -> Column:
    """Return a column of body i about the parent's origin, along the axes that i is placed in."""
    frame, body, noted = frames[i], system.bodies[i], partial(note, i)
    column = _transformed(column, *slide(system, frames, i, coordinate), IDENTITY, noted, '')
    vectors = []
    for name, vector in zip(Column._fields, column):
        vectors.append(vector if frame.back is None else
                       turned(vector, frame.back[0], -frame.back[1]))
        noted(f'd{name}j', vectors[-1])
    column = Column(*vectors)
    w = parent_w(system, frames, i)
    for term in terms:
        in_joint = w if frame.shared else body.parent_R_joint.T @ w
        column = _with_rotor(column, term, Motion(in_joint, ZERO, ZERO), coordinate, noted)
    twice_v = cross(2.0 * w, frame.p)
    R = IDENTITY if frame.shared else body.parent_R_joint
    return _transformed(column, frame.p, twice_v, R, noted, 'p')


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


def derivatives(system: Multibody, frames: Frames,
                composites: Sequence[Composite], coordinates: Sequence[Coordinate],
                terms: Mapping[int, Sequence[JointTerm]] = MappingProxyType({}),
                moving: bool = False, note: Note = unnoted,
                column: Callable[[int], None] = lambda body: None,
                ) -> tuple[list[_Rows], list[_Rows]]:
    """
    Return the derivatives of the efforts and, with a moving base, of the wrench on the root.

    With respect to q, qd and qdd, each (n, n) and (6, n). Wrenches of the environment are constant
    in the frames of the bodies. `column` is called with the body whose column begins.
    """
    n = len(system.joint_names)
    efforts, wrench = ([[[0.0] * n for _ in range(rows)] for _ in range(3)] for rows in (n, 6))
    for j, body in enumerate(system.bodies):
        column(j)
        current = begun(JOINTS[body.type], composites[j], frames[j], partial(note, j))
        parts = _along(JOINTS[body.type], current)
        for term in terms.get(j, ()):
            slopes = term.slopes(coordinates[j])
            note(j, f'd{term.NAME}', slopes)
            parts = [entry + slope for entry, slope in zip(parts, slopes)]
        _add(system, efforts, j, j, parts)
        i = j
        while system.bodies[i].parent != ROOT or moving:
            current = column_in_parent(system, frames, i, coordinates[i], current,
                                       terms.get(j, ()) if i == j else (), note)
            shared, i = frames[i].shared, system.bodies[i].parent
            if i == ROOT:
                for matrix, force, moment in zip(wrench, current[0:6:2], current[1:6:2]):
                    for row, entry in zip(matrix, (*force, *moment)):
                        row[body.coordinate] = row[body.coordinate] + body.multiplier * entry
                break
            frame, motion = frames[i], frames[i].here
            if not shared and frame.apart:   # in the axes of the columns of body i,
                if system.bodies[i].parent == ROOT and not moving:   # unless it ends there
                    motion = frame.own
                else:
                    c, s = frame.turn
                    current = Column(*(turned(vector, c, -s) for vector in current))
            joint = JOINTS[system.bodies[i].type]
            parts = _along(joint, current)
            note(i, 'drow', tuple(parts))
            others = _of_other(joint, motion, current)
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


# ---- The recursion for derivatives, with the same axes for all joints that are parallel to each
# other
#
# The columns of a joint begin in the axes of the joint before it rotates, which are fixed to the
# parent: each saves a rotation. Where the joint of a child is parallel to that of its parent, both
# have these axes: between them nothing is rotated but what is constant in the bodies, by the sum
# of the angles. A body with children along other axes is computed in its own axes, and then
# rotated.

def _shared_frame(body: Body, coordinate: Coordinate, parent: ColumnFrame) -> ColumnFrame:
    joint = JOINTS[body.type]
    angle: tuple[Scalar, float] = (joint.turns * coordinate.q, body.turn)
    shared = body.parent != ROOT and body.parent_R_joint == IDENTITY
    if shared:
        (w, wd, a), U = parent.here
        p = turned(body.parent_p_joint, parent.turn[0], -parent.turn[1])
        column = U.T[2]
        a = a + U @ p
        angle = (parent.angle[0] + angle[0], parent.angle[1] + angle[1])
    else:
        motion, U = parent.own
        p, R = body.parent_p_joint, body.parent_R_joint
        back = R.T
        w, wd = back @ motion.w, back @ motion.wd
        a = back @ (motion.a + U @ p)
        column = back @ (U @ R.T[2]) if swaps(R) else third_column(w, wd)
    rate = joint.turns * coordinate.qd
    wd = Vector(wd[0] + w[1] * rate, wd[1] - w[0] * rate, wd[2] + joint.turns * coordinate.qdd)
    w = Vector(w[0], w[1], w[2] + rate)
    if joint.slides:
        distance, twice = joint.slides * coordinate.q, 2.0 * (joint.slides * coordinate.qd)
        a = Vector(a[0] + column[0] * distance + twice * w[1],
                   a[1] + column[1] * distance - twice * w[0],
                   a[2] + column[2] * distance + joint.slides * coordinate.qdd)
    turn = turn_by(*angle)
    _, U = spin_about(column, w, wd, False)
    own_w = turned(w, *turn)
    own_wd, own_U = spin_about(turned(column, *turn), own_w, Vector(0.0, 0.0, wd[2]), True)
    own = Motion(own_w, own_wd, turned(a, *turn))
    return ColumnFrame(SpunMotion(Motion(w, wd, a), U), SpunMotion(own, own_U), p, shared=shared,
                       angle=angle, turn=turn)


def shared_axes(system: Multibody, inertias: Sequence[Inertia | None],
                state: Sequence[Sequence[Scalar]], gravity: Three, loads: AppliedLoads,
                note: Note) -> tuple[list[Scalar], Wrench, Frames, list[Composite],
                                     list[Coordinate]]:
    """Return efforts and root's wrench, frames, bodies alone (of second moments), coordinates."""
    root = (SpunMotion(Motion(ZERO, ZERO, -Vector(*gravity)), NO_TENSOR) if loads.base is None
            else SpunMotion(loads.base, spin(loads.base.w, loads.base.wd)))
    coordinates = [body.at(*state) for body in system.bodies]
    frames = {ROOT: _root_frame(root)}
    for i, (body, coordinate) in enumerate(zip(system.bodies, coordinates)):
        frame = _shared_frame(body, coordinate, frames[body.parent])
        if body.parent == ROOT and loads.base is None:   # in its own axes: no column goes further
            frame = frame._replace(here=frame.own, angle=(0.0, 0.0), turn=(1.0, 0.0))
        frames[i] = frame
    branches = {body.parent for i, body in enumerate(system.bodies)
                if not frames[i].shared}
    *of_bodies, of_root = second_moments(inertias)
    own: list[Composite] = []
    wrenches: dict[int, Wrench] = {}
    for i, inertia in enumerate(of_bodies):
        frame = frames[i]
        spun = frame.own
        if i not in branches:
            spun = frame.here
            inertia = inertia and inertia.rotated_about_z(*frame.turn)
        wrenches[i] = inertial(inertia, *spun, second_moment, silent)
        own.append(own_composite(inertia, inertia, spun))
        frames[i] = frame._replace(apart=i in branches)
    wrenches[ROOT] = inertial(of_root, *root, second_moment, silent)
    efforts, wrench = _backward(system, coordinates, frames, wrenches, loads, note)
    return efforts, wrench, frames, own, coordinates


def _backward(system: Multibody, coordinates: Sequence[Coordinate], frames: Frames,
              own: Mapping[int, Wrench], loads: AppliedLoads, note: Note,
              ) -> tuple[list[Scalar], Wrench]:
    """Return the efforts and the root's wrench; the frames get what their joints transmit."""
    efforts: list[Scalar] = [0.0] * len(system.joint_names)
    apart, shared = dict(own), dict.fromkeys(own, NO_WRENCH)
    for i in reversed(range(len(system.bodies))):
        body, frame, joint = system.bodies[i], frames[i], JOINTS[system.bodies[i].type]
        external = loads.wrenches.get(i, NO_WRENCH)
        # the environment's is in the body's own axes, and so is a body that is rotated as a whole
        if frame.apart:
            wrench = apart[i].less(external).rotated_about_z(*frame.turn)
        else:
            wrench = apart[i].less(external.rotated_about_z(*frame.turn))
        wrench = wrench.plus(shared[i])
        note(i, 'f', wrench.f)
        note(i, 'n', wrench.n)
        frames[i] = frame._replace(wrench=wrench)
        effort = transmitted = joint.along(wrench.f[2], wrench.n[2])
        parent = frames[body.parent].here.motion if frame.shared else in_joint(
            body, frames[body.parent].own.motion)
        for term in loads.terms.get(i, ()):
            effort = effort + term.effort(parent, coordinates[i], transmitted)
            wrench = Wrench(wrench.f, wrench.n + term.on_parent(parent, coordinates[i]))
        efforts[body.coordinate] = efforts[body.coordinate] + body.multiplier * effort
        note(i, 'tau', (efforts[body.coordinate],))
        if body.parent == ROOT and loads.base is None:
            continue
        distance = joint.slides * coordinates[i].q
        f, n = wrench.f, wrench.n + cross((0.0, 0.0, distance), wrench.f)
        if not frame.shared:
            f, n = body.parent_R_joint @ f, body.parent_R_joint @ n
        parts = shared if frame.shared else apart
        parts[body.parent] = parts[body.parent].plus(Wrench(f, n + cross(frame.p, f)))
    return efforts, apart[ROOT].less(loads.wrenches.get(ROOT, NO_WRENCH))
