"""
Joints with parallel axes in the same axes: between them only constants of the bodies are rotated.

Such joints, one behind the other, take the axes of the first one before it rotates. There w, its
derivative, accelerations, forces and moments pass from joint to joint as they are, w_x and w_y are
the same for all, and so is every product of them. What a body adds is rotated by the sum of the
angles: its origin in the parent and its inertial parameters, or, where the next joint has another
axis, the motion before and the wrench behind (UR5: joints 2 to 4; legs, fingers).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, rotated_about_z
from urdf2dyn_ros.algebra.vectors import IDENTITY, ZERO, Vector
from urdf2dyn_ros.equations.kinematics import turns_before
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, Sweep, newton_euler
from urdf2dyn_ros.equations.recursion import Recursion
from urdf2dyn_ros.equations.simplification.inherited_spin import InheritedSpin
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.joint_type import turn_by, turned
from urdf2dyn_ros.joints.motion import Note, Wrench
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

_NO_ROTATION = (1.0, 0.0)
"""Cosine and sine of no rotation."""


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
        wrenches = {}
        for i, (f, n) in loads.wrenches.items():
            c, s = self.turns.get(i, _NO_ROTATION)
            wrenches[self.parts[i]] = Wrench(turned(f, c, -s), turned(n, c, -s))
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
    new = _Bodies()
    joints, parts, rotated = {ROOT: ROOT}, {ROOT: ROOT}, {}
    for i, (body, inertia) in enumerate(zip(system.bodies, inertias)):
        before = follows.get(i)
        if before is None and i not in firsts:
            joints[i] = parts[i] = new.add(replace(body, parent=parts[body.parent]), inertia)
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
            joints[i] = new.add(body, None)
            parts[i] = new.add(Body('', 'revolute', joints[i], IDENTITY, ZERO, multiplier=0.0,
                                    cos_sin=turns[i]), inertia)
        else:
            joints[i] = parts[i] = new.add(body, inertia and rotated_about_z(inertia, *turns[i]))
            rotated[i] = turns[i]
    return ParallelAxes(replace(system, bodies=tuple(new.bodies)),
                        [*new.inertias, inertias[-1]], joints, parts, rotated)


class _Bodies:
    """Bodies and their inertias, to which more are added."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.inertias: list[BodyInertia | None] = []

    def add(self, body: Body, inertia: BodyInertia | None) -> int:
        """Return the number of the body that is added."""
        self.bodies.append(body)
        self.inertias.append(inertia)
        return len(self.bodies) - 1


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
