"""
The same recursions with fewer operations, in axes that parallel joints share.

`InheritedSpin` takes U of a body from that of its parent; `parallel_axes` returns a robot whose
parallel joints have the same axes, for efforts and the mass matrix; `shared_axes` is the recursion
for derivatives of efforts, whose columns begin in axes that are fixed to the parent.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.equations.derivatives import (
    ColumnFrame,
    Composite,
    CosSin,
    body_motion,
    own_composite,
    root_column_frame,
)
from urdf2dyn_ros.equations.kinematics import turns_before
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Recursion,
    Sweep,
    in_joint,
    inertial,
    newton_euler,
    second_moment,
)
from urdf2dyn_ros.robot.joints import (
    AT_REST,
    JOINTS,
    NO_WRENCH,
    BodyNote,
    Coordinate,
    Motion,
    Note,
    Spun,
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
    BodyInertia,
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    cross,
    product,
    rotated_about_z,
    scale,
    transpose,
)
from urdf2dyn_ros.robot.terms import JointTerm

# ---- The third column of U from the parent's U, since both have the points on the joint's axis
#
# The third column of U is the acceleration of a point at z = 1 relative to the origin, and the
# points on a joint's axis are also fixed to the parent: the rotation about the axis rotates this
# column and changes nothing else, U z = R' U_joint z. Where the constant rotation to the joint
# only swaps axes, U_joint z is a column of the parent's U, which is known. So the column costs one
# planar rotation, and w_y qd and -w_x qd of the angular acceleration, two entries of U and one
# square cost nothing: 3 multiplications and 2 additions fewer per joint than from w and wd.

_UNITS = (0.0, 1.0, -1.0)


class InheritedSpin:
    """
    Computes U of bodies in fewer operations than `textbook_spin`.

    The inertias of the bodies have second moments: a U that its own body does not need costs more
    than it saves.
    """

    def __init__(self, system: Multibody, inertias: Sequence[BodyInertia | None]) -> None:
        self._bodies = system.bodies
        self._wd_is_needed = _wd_is_needed(system.bodies)
        self._spin_is_needed = _spin_is_needed(system.bodies, inertias)

    def __call__(self, i: int, motion: Motion, U_parent: Matrix, at: Coordinate,
                 note: BodyNote) -> Spun:
        """Return the function that joints call with w and wd of body i."""
        return partial(self._spun, i, motion, U_parent, at)

    def _spun(self, i: int, motion: Motion, U_parent: Matrix, at: Coordinate,
              w: Vector, wd: Vector) -> tuple[Vector, Matrix]:
        body = self._bodies[i]
        joint = JOINTS[body.type]
        rotation = joint.rotation(at)
        c, s = rotation[0][0], rotation[1][0]
        R = body.parent_R_joint
        known = body.parent == ROOT or (self._spin_is_needed[body.parent] and swaps(R))
        known |= body.cos_sin is not None and R == IDENTITY   # the column is the parent's
        if joint.turns and known:
            z = (R[0][2], R[1][2], R[2][2])
            column = turned(apply(transpose(R), apply(U_parent, z)), c, s)
        elif joint.turns and not self._wd_is_needed[i] and 0.0 not in motion.w:
            column = turned(third_column(motion.w, motion.wd), c, s)
        elif known and not joint.turns and swaps(rotation):
            parent_R_body = product(R, rotation)
            return wd, product(product(transpose(parent_R_body), U_parent), parent_R_body)
        else:
            column = third_column(w, wd)
        return spin_about(column, w, wd, self._wd_is_needed[i])


def spin_about(column: Vector, w: Vector, wd: Vector,
               wd_is_needed: bool) -> tuple[Vector, Matrix]:
    """
    Return wd and U from the third column of U, w and wd_z.

    Where wd_x and wd_y are needed, they are computed from U here; else two entries share 2 w_z.
    """
    U_xz, U_yz, U_zz = column
    yy, zz = w[1] * w[1], w[2] * w[2]
    xy = w[0] * w[1]
    if wd_is_needed:
        xz, yz = w[0] * w[2], w[1] * w[2]
        wd = (yz - U_yz, U_xz - xz, wd[2])
        U_zx, U_zy = xz - wd[1], yz + wd[0]
    else:
        twice = w[2] + w[2]
        U_zx, U_zy = twice * w[0] - U_xz, twice * w[1] - U_yz
    # U_zz - U_yy = zz - yy, a difference that the moment needs as well
    return wd, ((-(yy + zz), xy - wd[2], U_xz),
                (xy + wd[2], U_zz - (zz - yy), U_yz),
                (U_zx, U_zy, U_zz))


def third_column(w: Vector, wd: Vector) -> Vector:
    """Return U z from w and wd."""
    return (w[0] * w[2] + wd[1], w[1] * w[2] - wd[0], -(w[0] * w[0] + w[1] * w[1]))


def swaps(R: Matrix) -> bool:
    """Return whether a constant rotation only swaps or inverts axes."""
    return all(isinstance(entry, float) and entry in _UNITS for row in R for entry in row)


def _spin_is_needed(bodies: Sequence[Body], inertias: Sequence[BodyInertia | None]) -> list[bool]:
    """Return for every body whether its inertia, or a child away from its z, needs its U."""
    result = [inertia is not None and (inertia.h, inertia.J) != (ZERO, (ZERO, ZERO, ZERO))
              for inertia in inertias]
    for body in bodies:
        if body.parent != ROOT and (body.parent_p_joint != ZERO
                                    or JOINTS[body.type].slides):
            result[body.parent] = True
    return result


def _wd_is_needed(bodies: Sequence[Body]) -> list[bool]:
    """Return for every body whether a child needs more of its wd than the part along z."""
    result = [False] * len(bodies)
    for body in bodies:
        if body.parent != ROOT:
            along_z = not JOINTS[body.type].slides and body.parent_R_joint[2][2] in _UNITS[1:]
            result[body.parent] = result[body.parent] or not along_z
    return result


# ---- Joints with parallel axes in the same axes: between them only constants of the bodies are
# rotated
#
# Such joints, one behind the other, take the axes of the first one before it rotates. There w, its
# derivative, accelerations, forces and moments pass from joint to joint as they are, w_x and w_y
# are the same for all, and so is every product of them. What a body adds is rotated by the sum of
# the angles: its origin in the parent and its inertial parameters, or, where the next joint has
# another axis, the motion before and the wrench behind (UR5: joints 2 to 4; legs, fingers).

_NO_ROTATION = (1.0, 0.0)   # its cosine and sine


class ParallelAxes(NamedTuple):
    """A robot whose joints with parallel axes have the same axes."""

    # some bodies are two: one with the joint in the shared axes, and, at rest in it, one with the
    # inertia in the body's own axes, in which its children are placed
    system: Multibody
    inertias: list[BodyInertia | None]   # one per body of `system`, then the root's
    # by the number of a body of the robot as it was; ROOT to itself:
    joints: dict[int, int]   # the body with its joint
    parts: dict[int, int]   # the body with its inertia
    # cosine and sine of the rotation about z from the body's own axes to those of its inertia,
    # where there is one
    turns: dict[int, tuple[Scalar, Scalar]]

    def terms(self, terms: Mapping[int, Sequence[JointTerm]],
              ) -> dict[int, Sequence[JointTerm]]:
        """Return terms at joints by the numbers of this robot."""
        return {self.joints[i]: each for i, each in terms.items()}

    @property
    def numbers(self) -> dict[int, int]:
        """Number of the body with a joint to that of the robot as it was."""
        return {new: old for old, new in self.joints.items()}

    def note(self, note: Note) -> Note:
        """Return what notes the quantities at joints by the numbers of the robot as it was."""
        number = self.numbers

        def noted(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
            if i in number:
                note(number[i], symbol, entries)

        return noted

    def newton_euler(self, state: Sequence[Sequence[Scalar]], gravity: Vector,
                     recursion: Recursion, loads: AppliedLoads) -> Sweep:
        """Return the sweep of this robot under the loads of the robot as it was."""
        return newton_euler(self.system, self.inertias, state, gravity, self.recursion(recursion),
                            self.loads(loads))

    def recursion(self, recursion: Recursion) -> Recursion:
        """Return the recursion for this robot; notes are by the numbers of the robot as it was."""
        return recursion._replace(spin_of=InheritedSpin(self.system, self.inertias),
                                  note=self.note(recursion.note))

    def loads(self, loads: AppliedLoads) -> AppliedLoads:
        """Return loads on the robot as it was as those on this one."""
        wrenches = {self.parts[i]: wrench.rotated_about_z(*self.turns.get(i, _NO_ROTATION))
                    for i, wrench in loads.wrenches.items()}
        return loads._replace(terms=self.terms(loads.terms), wrenches=wrenches)


def parallel_axes(system: Multibody, inertias: Sequence[BodyInertia | None],
                  q: Sequence[Scalar], groups: Sequence[Sequence[int]]) -> ParallelAxes:
    """
    Return the robot with the axes of each group of bodies in those of its first joint.

    q are the positions of the independent joints, (n,) [rad or m]. Inertias have second moments.
    """
    follows = {i: parent for group in groups
               for parent, i in itertools.pairwise(group)}
    firsts = {group[0] for group in groups}
    apart = {body.parent for body in system.bodies} - set(follows.values())
    angles: dict[int, tuple[Scalar, float]] = {}
    turns: dict[int, tuple[Scalar, Scalar]] = {}
    bodies: list[Body] = []
    new_inertias: list[BodyInertia | None] = []

    def added(body: Body, inertia: BodyInertia | None) -> int:
        bodies.append(body)
        new_inertias.append(inertia)
        return len(bodies) - 1

    joints, parts, rotated = {ROOT: ROOT}, {ROOT: ROOT}, {}
    for i, (body, inertia) in enumerate(zip(system.bodies, inertias)):
        before = follows.get(i)
        if before is None and i not in firsts:
            joints[i] = parts[i] = added(replace(body, parent=parts[body.parent]), inertia)
            continue
        if before is None:
            parent, p, angle, turn = parts[body.parent], body.parent_p_joint, 0.0, 0.0
        else:
            c, s = turns[before]
            parent, p = joints[before], turned(body.parent_p_joint, c, -s)
            angle, turn = angles[before]
        angles[i] = (angle + JOINTS[body.type].turns * body.at(q).q, turn + body.turn)
        turns[i] = turn_by(*angles[i])
        body = replace(body, parent=parent, parent_p_joint=p, cos_sin=_NO_ROTATION)
        if i in apart:
            joints[i] = added(body, None)
            parts[i] = added(Body('', 'revolute', joints[i], IDENTITY, ZERO, multiplier=0.0,
                                  cos_sin=turns[i]), inertia)
        else:
            joints[i] = parts[i] = added(body, inertia and rotated_about_z(inertia, *turns[i]))
            rotated[i] = turns[i]
    return ParallelAxes(replace(system, bodies=tuple(bodies)), [*new_inertias, inertias[-1]],
                        joints, parts, rotated)


def parallel_groups(system: Multibody) -> list[list[int]]:
    """
    Return the bodies, two or more, whose joints are parallel, each the only child of the other.

    A group begins where the axis has another direction than the joint before: on the root, the
    motion in the axes of the bodies themselves has more zeros.
    """
    children = Counter(body.parent for body in system.bodies)
    groups: dict[int, list[int]] = {}
    for i, body in enumerate(system.bodies):
        parent = body.parent
        if parent == ROOT:
            continue
        if body.parent_R_joint != IDENTITY:
            groups[i] = [i]
        elif parent in groups and children[parent] == 1:
            groups[i] = groups[parent]
            groups[i].append(i)
    return [group for i, group in groups.items() if i == group[0] and len(group) > 1]


def behind_one_joint(system: Multibody, groups: Sequence[list[int]]) -> list[list[int]]:
    """
    Return the groups behind a single revolute joint of a root that does not move.

    There the angular velocity has a zero along the axes of the group before its first joint
    rotates: with velocities, others cost more additions than they save multiplications.
    """
    turning = turns_before(system.bodies)
    return [group for group in groups if turning[group[0]] <= 1]


# ---- The motion of each body in its own axes and in those of its column, which may be shared

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


# ---- The recursion for derivatives, with the same axes for all joints that are parallel to each
# other
#
# The columns of a joint begin in the axes of the joint before it rotates, which are fixed to the
# parent: each saves a rotation. Where the joint of a child is parallel to that of its parent, both
# have these axes: between them nothing is rotated but what is constant in the bodies, by the sum
# of the angles. A body with children along other axes is computed in its own axes, and then
# rotated.

class SharedAxes(NamedTuple):
    """Efforts, the root's wrench, and what `derivatives` takes: frames, bodies, coordinates."""

    efforts: list[Scalar]
    wrench: Wrench
    frames: list[ColumnFrame]
    own: list[Composite]
    at: list[Coordinate]


def shared_axes(system: Multibody, inertias: Sequence[BodyInertia | None],
                state: Sequence[Sequence[Scalar]], gravity: Vector, loads: AppliedLoads,
                note: Note) -> SharedAxes:
    """
    Return the efforts of a state, as `newton_euler` does, and what their derivatives need.

    Inertias have second moments in the place of the tensors.
    """
    root = (SpunMotion(Motion(ZERO, ZERO, scale(-1.0, gravity)), NO_TENSOR) if loads.base is None
            else SpunMotion(loads.base, spin(loads.base.w, loads.base.wd)))
    at = [body.at(*state) for body in system.bodies]
    motions = shared_motions(system, at, root, loads.base is not None)
    branches = {body.parent for body, here in zip(system.bodies, motions) if not here.shared}
    frames, own, wrenches = [], [], []
    for i, here in enumerate(motions):
        spun, inertia = here.own, inertias[i]
        if i not in branches:
            spun = here.column
            inertia = inertia and rotated_about_z(inertia, *here.turn)
        wrenches.append(inertial(inertia, *spun, second_moment, silent))
        own.append(Composite() if inertia is None else own_composite(
            inertia.with_tensor(), inertia.J, scale(2.0, spun.motion.w)))
        frames.append(ColumnFrame(
            body_motion(*here.column), wrenches[i], body_motion(*here.own),
            here.turn if i in branches else None, None, here.shared, here.p))
    wrenches.append(inertial(inertias[ROOT], *root, second_moment, silent))
    frames.append(root_column_frame(root.motion))
    efforts, wrench = _backward(system, at, motions, frames, wrenches, loads, note)
    return SharedAxes(efforts, wrench, frames, own, at)


def _backward(system: Multibody, at: Sequence[Coordinate], motions: Sequence[SharedMotion],
              frames: list[ColumnFrame], own: Sequence[Wrench], loads: AppliedLoads, note: Note,
              ) -> tuple[list[Scalar], Wrench]:
    """Return the efforts and the root's wrench; the frames get what their joints transmit."""
    efforts: list[Scalar] = [0.0] * len(system.joint_names)
    apart, shared = list(own), [NO_WRENCH] * len(own)
    for i in reversed(range(len(system.bodies))):
        body, here, joint = system.bodies[i], motions[i], JOINTS[system.bodies[i].type]
        external = loads.wrenches.get(i, NO_WRENCH)
        # the environment's is in the body's own axes, and so is a body that is rotated as a whole
        if frames[i].turn is None:
            wrench = apart[i].less(external.rotated_about_z(*here.turn))
        else:
            wrench = apart[i].less(external).rotated_about_z(*here.turn)
        wrench = wrench.plus(shared[i])
        note(i, 'f', wrench.f)
        note(i, 'n', wrench.n)
        frames[i] = frames[i]._replace(wrench=wrench)
        effort = transmitted = joint.along(wrench.f[2], wrench.n[2])
        parent = motions[body.parent].column.motion if here.shared else in_joint(
            body, (loads.base or AT_REST) if body.parent == ROOT else
            motions[body.parent].own.motion)
        for term in loads.terms.get(i, ()):
            effort = effort + term.effort(parent, at[i], transmitted)
            wrench = Wrench(wrench.f, add(wrench.n, term.on_parent(parent, at[i])))
        efforts[body.coordinate] = efforts[body.coordinate] + body.multiplier * effort
        note(i, 'tau', (efforts[body.coordinate],))
        if body.parent == ROOT and loads.base is None:
            continue
        distance = joint.slides * at[i].q
        f, n = wrench.f, add(wrench.n, cross((0.0, 0.0, distance), wrench.f))
        if not here.shared:
            f, n = apply(body.parent_R_joint, f), apply(body.parent_R_joint, n)
        parts = shared if here.shared else apart
        parts[body.parent] = parts[body.parent].plus(Wrench(f, add(n, cross(here.p, f))))
    return efforts, apart[ROOT].less(loads.wrenches.get(ROOT, NO_WRENCH))
