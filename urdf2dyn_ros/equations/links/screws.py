"""
The joints from the root to a link as screws: parallel axes together, common normals between them.

Rotations about parallel axes add up to one, whose angle is a sum: a group of such joints has one
frame, that of its first joint before it turns, with z along the axis. From one group to the next
the frame turns about z, shifts along x, the common normal, and tilts about x (Khalil and
Kleinfinger 1986); shifts along z belong to the group itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from urdf2dyn_ros.algebra.frames import composed, turned_about_x, turned_about_z
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    rounded,
)
from urdf2dyn_ros.equations.simplification.turned_frames import zxz
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import Attached, Body, Multibody

_SHALLOWEST_ANGLE = 0.05
"""Sine of a tilt below which the common normal may be far away, and is not used."""

_PARALLEL = (0.0, math.pi)
"""Tilts of parallel axes."""


@dataclass
class Step:
    """
    One joint of a group: body and direction, 1 or -1, of its axis along that of the group.

    To the next joint of the group it is `arm` [m] at the angle `phase` [rad] from the sum of the
    angles so far.
    """

    body: int
    sign: float
    arm: float = 0.0
    phase: float = 0.0


@dataclass
class AxisGroup:
    """
    Joints with parallel axes, root to tip, and the way to the next group or to the link.

    Along z it is `height` [m], in addition to what its prismatic joints slide. The sum of its
    angles and `turn` [rad] gives the x axis along which the next group is `normal` x, y [m] away,
    about which it is tilted by `tilt` [rad].
    """

    height: float
    turn: float = 0.0
    steps: list[Step] = field(default_factory=list)
    normal: tuple[float, float] = (0.0, 0.0)
    tilt: float = 0.0


@dataclass
class Screws:
    """
    The groups from the root to a link, root first.

    The first group is at `p` [m] in the root frame with the axes `R`; the link has the axes
    `link_R` in the tilted frame of the last group, that of the root without groups.
    """

    R: Matrix
    p: Vector
    groups: list[AxisGroup]
    link_R: Matrix


def screws(system: Multibody, chain: Sequence[int], link: Attached, posed: bool) -> Screws:
    """
    Return the screws of a chain of bodies, of which the last carries the link.

    Unless it is `posed`, its axes do not matter, and the last turn leads to its origin.
    """
    way = _Way()
    for i in chain:
        body = system.bodies[i]
        way.go(body.parent_R_joint, body.parent_p_joint)
        way.join(i, body)
    way.go(link.body_R_link, link.body_p_link)
    return way.end(posed)


class _Way:
    """
    Collects the groups on the way from the root to a link.

    R, p: constant placement since the last joint. The frame of that joint after it has moved is
    that of its group turned by the sum of the angles and `angle`, then flipped about x if its sign
    is -1.
    """

    def __init__(self) -> None:
        self._R, self._p = IDENTITY, ZERO
        self._angle, self._sign = 0.0, 1.0
        self._root: tuple[Matrix, Vector] = (IDENTITY, ZERO)
        self._groups: list[AxisGroup] = []

    def go(self, R: Matrix, p: Vector) -> None:
        """Go on by a constant placement."""
        self._p = add(self._p, apply(self._R, p))
        self._R = composed(self._R, R)

    def join(self, i: int, body: Body) -> None:
        """Go on by a joint."""
        self._align()
        joint = JOINTS[body.type]
        self._groups[-1].steps.append(Step(i, self._sign))
        self._groups[-1].height += self._sign * joint.slides * body.offset
        self._angle += self._sign * (body.turn + joint.turns * body.offset)
        self._R, self._p = IDENTITY, ZERO

    def end(self, posed: bool) -> Screws:
        """Return all groups, with the way to the link in the last one."""
        if not self._groups:
            return Screws(IDENTITY, self._p, [], self._R)
        R, p = self._flipped()
        beta, alpha, gamma = zxz(R)
        if not posed:
            beta = math.atan2(p[1], p[0])
        elif alpha in _PARALLEL:   # a turn about z, or half a turn about x before it
            beta, gamma = math.copysign(1.0, math.cos(alpha)) * gamma, 0.0
        x, y, z = _turned(p, beta)
        group = self._groups[-1]
        group.height += z
        group.turn, group.normal = self._angle + beta, (x, y)
        link_R = composed(turned_about_x(alpha), turned_about_z(gamma))
        return Screws(*self._root, self._groups, link_R)

    def _align(self) -> None:
        """Put the next axis on the z axis of a group: the same one if it is parallel."""
        R, p = self._flipped() if self._groups else (self._R, self._p)
        beta, alpha, gamma = zxz(R)
        if not self._groups:
            self._root, height = _rooted(composed(turned_about_z(beta), turned_about_x(alpha)), p)
            self._groups.append(AxisGroup(height))
            self._angle, self._sign = gamma, 1.0
            return
        group = self._groups[-1]
        if alpha in _PARALLEL:
            step = group.steps[-1]
            step.arm = math.hypot(p[0], p[1])
            step.phase = self._angle + (math.atan2(p[1], p[0]) if step.arm else 0.0)
            group.height += p[2]
            self._sign = math.copysign(1.0, math.cos(alpha))
            self._angle += self._sign * gamma
            return
        x, y, z = _turned(p, beta)
        height = 0.0
        if abs(math.sin(alpha)) > _SHALLOWEST_ANGLE:   # to the common normal, and on from there
            height = -y / math.sin(alpha)
            x, y, height = rounded((x, 0.0, height), max(map(abs, p)))
            z -= height * turned_about_x(alpha)[2][2]
        group.height += z
        group.turn, group.normal, group.tilt = self._angle + beta, (x, y), alpha
        self._groups.append(AxisGroup(height))
        self._angle, self._sign = gamma, 1.0

    def _flipped(self) -> tuple[Matrix, Vector]:
        """Return the constant placement in the turned frame of the group."""
        if self._sign > 0.0:
            return self._R, self._p
        x, y, z = self._p
        return composed(turned_about_x(math.pi), self._R), (x, -y, -z)


def _rooted(R: Matrix, p: Vector) -> tuple[tuple[Matrix, Vector], float]:
    """Return the placement of the first axis, and what of it is along an axis of the root."""
    z = [row[2] for row in R]
    if sorted(map(abs, z)) != [0.0, 0.0, 1.0]:
        return (R, p), 0.0
    k = [abs(entry) for entry in z].index(1.0)
    x = list(p)
    height, x[k] = p[k] * z[k], 0.0
    return (R, (x[0], x[1], x[2])), height


def _turned(p: Vector, angle: float) -> Vector:
    """Return a vector in axes that are turned about z; rounding errors are zeros."""
    return rounded(apply(turned_about_z(-angle), p), max(map(abs, p)))
