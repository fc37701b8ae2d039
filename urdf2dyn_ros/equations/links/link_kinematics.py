"""
Pose, Jacobian and motion of a link with few operations, from its screws.

Vectors to the link are in the axes of each group: from the link to the root each group adds its
arms and rotates them once, and two of the entries are all that its columns of the Jacobian need,
z x v = (-v_y, v_x, 0), in axes that are then rotated to those of the root or of the link.
"""

from collections.abc import Sequence
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
    product,
    scale,
    transpose,
)
from urdf2dyn_ros.equations.kinematics import REFERENCE, Frame, Placement, chain
from urdf2dyn_ros.equations.links.screws import Screws, screws
from urdf2dyn_ros.equations.links.turned_group import TurnedGroup
from urdf2dyn_ros.joints.joint_type import turned
from urdf2dyn_ros.multibody import Multibody

FEWEST_GROUPS = 4
"""Groups from which on a row of a rotation costs less as the cross product of the others."""


class Twist(NamedTuple):
    """Linear and angular part of a column of a Jacobian, of a velocity or of an acceleration."""

    v: Vector
    w: Vector


class LinkKinematics:
    """
    A link of a robot in a position; vectors in the axes of the root, or of the link.

    Unless it is `posed`, its orientation is not needed: neither for vectors in the root's axes.
    """

    def __init__(self, system: Multibody, link: str, q: Sequence[Scalar], posed: bool) -> None:
        i, attached = system.links[link]
        self._screws: Screws = screws(system, chain(system, i), attached, posed)
        self._groups = [TurnedGroup(group, system, q) for group in self._screws.groups]

    def pose(self) -> Placement:
        """Return root_R_link, and the position of its origin [m] in the root frame."""
        v = ZERO
        for group in reversed(self._groups):
            v = group.along(_sum([group.before(group.beyond(v)), *group.arms()]))
        *_, R = self._rotations()
        if len(self._groups) >= FEWEST_GROUPS:
            R = _third_row(R, self._screws.R)
        return Placement(R, add(self._screws.p, apply(self._screws.R, v)))

    def jacobian(self, joints: int, in_link: bool, root: bool = False) -> list[Twist]:
        """
        Return a column for each of the independent joints.

        With the `root` six stand before them, of the velocity of its origin and of its angular
        velocity, in its axes.
        """
        columns = [Twist(ZERO, ZERO)] * joints
        axes = self._turned_axes() if in_link else [*self._rotations()[-2::-1], IDENTITY]
        v = ZERO
        for group, R in zip(reversed(self._groups), axes):
            v = group.beyond(v)
            if not in_link:
                v = group.before(v)
            parts: dict[int, Twist] = {}
            for joint, arm in zip(reversed(group.joints), [ZERO, *reversed(group.arms(in_link))]):
                v = add(v, arm)
                part = parts.get(joint.coordinate, Twist(ZERO, ZERO))
                parts[joint.coordinate] = Twist(
                    add(part.v, (-joint.turns * v[1], joint.turns * v[0], joint.slides)),
                    add(part.w, (0.0, 0.0, joint.turns)))
            for k, part in parts.items():
                columns[k] = Twist(*(add(a, apply(R, b)) for a, b in zip(columns[k], part)))
            v = group.along(group.before(v) if in_link else v)
        if not root:
            return columns
        R, p = axes[-1], add(self._screws.p, apply(self._screws.R, v))
        units = transpose(R)
        return [*(Twist(unit, ZERO) for unit in units),
                *(Twist(apply(R, cross(e, p)), unit) for e, unit in zip(IDENTITY, units)),
                *columns]

    def motion(self, qd: Sequence[Scalar], qdd: Sequence[Scalar],
               root: Frame = REFERENCE) -> tuple[Twist, Twist]:
        """
        Return velocity and acceleration in the root's axes, with those of the root in them.

        From the link to the root: r, v and a of its origin, w and wd, relative to each group.
        """
        r = v = a = w = wd = ZERO
        for group in reversed(self._groups):
            rates, seconds = group.turning(qd), group.turning(qdd)
            r = group.beyond(r)
            v, a, w, wd = (apply(group.tilt, each) for each in (v, a, w, wd))
            v, a, wd = _carried(rates[-1], seconds[-1], r, v, a, w, wd)
            w = (w[0], w[1], w[2] + rates[-1])
            r, v, a, w, wd = (group.before(each) for each in (r, v, a, w, wd))
            for arm, rate, second in zip(group.arms(), rates, seconds):
                arm_v, arm_a, _ = _carried(rate, second, arm, ZERO, ZERO, ZERO, ZERO)
                r, v, a = add(r, arm), add(v, arm_v), add(a, arm_a)
            r = group.along(r)
            v, a = (add(each, (0.0, 0.0, group.sliding(rate)))
                    for each, rate in ((v, qd), (a, qdd)))
        r, v, a, w, wd = (apply(self._screws.R, each) for each in (r, v, a, w, wd))
        v, a = _point(add(self._screws.p, r), v, a, root.v, root.a, root.w, root.wd)
        wd = add(root.wd, add(cross(root.w, w), wd))
        return Twist(v, add(root.w, w)), Twist(a, wd)

    def motion_in_link(self, qd: Sequence[Scalar], qdd: Sequence[Scalar],
                       root: Frame = REFERENCE) -> tuple[Twist, Twist]:
        """
        Return velocity and acceleration in the link's axes; those of the root are in its own.

        From the root to the link: v and a of the origin of each group, its w and wd.
        """
        v, a = _point(self._screws.p, ZERO, ZERO, root.v, root.a, root.w, root.wd)
        first_R_root = transpose(self._screws.R)
        v, a, w, wd = (apply(first_R_root, each) for each in (v, a, root.w, root.wd))
        for group in self._groups:
            rates, seconds = group.turning(qd), group.turning(qdd)
            r = group.along(ZERO)
            v_r: Vector = (0.0, 0.0, group.sliding(qd))
            a_r: Vector = (0.0, 0.0, group.sliding(qdd))
            for arm, rate, second in zip(group.arms(), rates, seconds):
                arm_v, arm_a, _ = _carried(rate, second, arm, ZERO, ZERO, ZERO, ZERO)
                r, v_r, a_r = add(r, arm), add(v_r, arm_v), add(a_r, arm_a)
            v, a = _point(r, v_r, a_r, v, a, w, wd)
            rate, second = rates[-1], seconds[-1]
            wd = (wd[0] + w[1] * rate, wd[1] - w[0] * rate, wd[2] + second)
            w = (w[0], w[1], w[2] + rate)
            v, a, w, wd = (turned(each, group.cos, group.sin) for each in (v, a, w, wd))
            v, a = _point((*group.group.normal, 0.0), ZERO, ZERO, v, a, w, wd)
            back = transpose(group.tilt)
            v, a, w, wd = (apply(back, each) for each in (v, a, w, wd))
        link_R_end = transpose(self._screws.link_R)
        v, a, w, wd = (apply(link_R_end, each) for each in (v, a, w, wd))
        return Twist(v, w), Twist(a, wd)

    def _rotations(self) -> list[Matrix]:
        """Return the rotation from each group's frame, and from the link, to the root."""
        rotations = [self._screws.R]
        for group in self._groups:
            R = _times_about_z(rotations[-1], group.cos, group.sin)
            rotations.append(product(R, group.tilt))
        return [*rotations[:-1], product(rotations[-1], self._screws.link_R)]

    def _turned_axes(self) -> list[Matrix]:
        """Return the rotations to the link from each group's turned axes, last first, and root."""
        R, rotations = transpose(self._screws.link_R), []
        for group in reversed(self._groups):
            R = product(R, transpose(group.tilt))
            rotations.append(R)
            R = _times_about_z(R, group.cos, -group.sin)
        return [*rotations, product(R, transpose(self._screws.R))]


def _sum(vectors: Sequence[Vector]) -> Vector:
    total = ZERO
    for vector in vectors:
        total = add(total, vector)
    return total


def _times_about_z(R: Matrix, c: Scalar, s: Scalar) -> Matrix:
    """Return R Rz."""
    x, y, z = transpose(R)
    return transpose((add(scale(c, x), scale(s, y)), add(scale(c, y), scale(-s, x)), z))


def _third_row(R: Matrix, root_R_first: Matrix) -> Matrix:
    """Return R with a row as the cross product of the others: the first axis' row costs least."""
    k = max(range(3), key=lambda row: abs(root_R_first[row][2]))
    rows = list(R)
    rows[(k + 2) % 3] = cross(rows[k], rows[(k + 1) % 3])
    return (rows[0], rows[1], rows[2])


def _carried(rate: Scalar, second: Scalar, r: Vector, v: Vector, a: Vector, w: Vector,
             wd: Vector) -> tuple[Vector, Vector, Vector]:
    """Return v, a and wd of what a rotation about z carries, with this rate and its derivative."""
    u_x, u_y = -rate * r[1], rate * r[0]
    carried = (v[0] + u_x, v[1] + u_y, v[2])
    return (carried,
            (a[0] - rate * (v[1] + carried[1]) - second * r[1],
             a[1] + rate * (v[0] + carried[0]) + second * r[0], a[2]),
            (wd[0] - rate * w[1], wd[1] + rate * w[0], wd[2] + second))


def _point(r: Vector, v_r: Vector, a_r: Vector, v: Vector, a: Vector, w: Vector,
           wd: Vector) -> tuple[Vector, Vector]:
    """Return v and a of a point at r of a frame, relative to which it has v_r and a_r."""
    rate = cross(w, r)
    more = add(cross(wd, r), cross(w, add(rate, scale(2.0, v_r))))
    return add(v, add(rate, v_r)), add(a, add(more, a_r))
