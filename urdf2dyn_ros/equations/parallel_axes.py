"""
The same recursion with fewer operations, in axes that parallel joints share.

`InheritedSpin` takes U of a body from that of its parent; `parallel_axes` returns a robot whose
parallel joints have the same axes, for efforts and the mass matrix.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.equations.kinematics import turns_before
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Recursion,
    Sweep,
    newton_euler,
)
from urdf2dyn_ros.robot.joints import (
    JOINTS,
    BodyNote,
    Coordinate,
    Motion,
    Note,
    Spun,
    turn_by,
    turned,
)
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    ZERO,
    BodyInertia,
    Matrix,
    Scalar,
    Vector,
    apply,
    product,
    rotated_about_z,
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
