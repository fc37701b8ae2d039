"""
Kinematics of links: where each is in a frame of reference, and how it moves there.

The frames of the bodies follow each other from the root (`root_frames`); with fewer operations,
`LinkKinematics` has pose, Jacobian and motion of a link from the screws of its joints.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.equations.newton_euler import displaced, oriented, unnoted
from urdf2dyn_ros.robot.joints import JOINTS, BodyNote, Coordinate, Note, silent, turn_by, turned
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Body, Multibody, zxz
from urdf2dyn_ros.robot.rotations import composed, turned_about_x, turned_about_z
from urdf2dyn_ros.robot.spatial import IDENTITY, ZERO, Matrix, Scalar, Vector, cross, rounded

# ---- Frames of bodies and links, each from that of the body before


class Pose(NamedTuple):
    """reference_R_frame, and reference_p_frame [m], the frame's origin."""

    R: Matrix
    p: Vector

    def link(self, link: Attached) -> Pose:
        return Pose(self.R @ link.body_R_link, self.p + self.R @ link.body_p_link)


class Frame(NamedTuple):
    """Pose and motion of a frame, all in the axes of the frame of reference."""

    R: Matrix   # reference_R_frame
    p: Vector   # position [m], velocity [m/s] and acceleration [m/s^2] of the frame's origin
    v: Vector
    a: Vector
    w: Vector   # angular velocity [rad/s] and its derivative [rad/s^2]
    wd: Vector


REFERENCE = Frame(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO)


def turns_before(bodies: Sequence[Body]) -> list[int]:
    """Return for each body the number of revolute joints from the root to its parent."""
    result: list[int] = []
    for body in bodies:
        parent = body.parent
        result.append(0 if parent == ROOT else
                      result[parent] + bool(JOINTS[bodies[parent].type].turns))
    return result


def next_pose(parent: Pose, body: Body, coordinate: Coordinate) -> Pose:
    return Pose(oriented(parent.R, body, coordinate),
                parent.p + parent.R @ displaced(body, coordinate))


def next_frame(parent: Frame, body: Body, coordinate: Coordinate,
               note: BodyNote = silent) -> Frame:
    joint = JOINTS[body.type]
    note('kq', (coordinate.q, coordinate.qd, coordinate.qdd))
    R = oriented(parent.R, body, coordinate, note)
    note('kT', R.entries)
    d = parent.R @ displaced(body, coordinate)
    note('kd', d)
    fixed = ('kr', 'ku', 'kvb', 'kab') if joint.slides else ('kr', 'ku', 'kv', 'ka')
    p, v, a = _fixed_point(parent, d, fixed, note)
    w, wd, z = parent.w, parent.wd, R.T[2]
    if joint.slides:
        rate = joint.slides * coordinate.qd * z
        v = v + rate
        note('kv', v)
        a = a + (2.0 * cross(w, rate) + joint.slides * coordinate.qdd * z)
        note('ka', a)
    if joint.turns:
        rate = joint.turns * coordinate.qd * z
        wd = wd + (cross(w, rate) + joint.turns * coordinate.qdd * z)
        note('kwd', wd)
        w = w + rate
        note('kw', w)
    return Frame(R, p, v, a, w, wd)


def link_frame(body: Frame, link: Attached, note: BodyNote = silent) -> Frame:
    R = body.R @ link.body_R_link
    note('lR', R.entries)
    r = body.R @ link.body_p_link
    note('ld', r)
    p, v, a = _fixed_point(body, r, ('lp', 'lu', 'lv', 'la'), note)
    return Frame(R, p, v, a, body.w, body.wd)


def _fixed_point(frame: Frame, r: Vector, symbols: Sequence[str], note: BodyNote,
           ) -> tuple[Vector, Vector, Vector]:
    """Return p, v, a of a point fixed to a frame, r [m] from its origin."""
    p = frame.p + r
    note(symbols[0], p)
    u = cross(frame.w, r)
    note(symbols[1], u)
    v = frame.v + u
    note(symbols[2], v)
    a = frame.a + (cross(frame.wd, r) + cross(frame.w, u))
    note(symbols[3], a)
    return p, v, a


def root_frames(system: Multibody, state: Sequence[Sequence[Scalar]], links: Collection[str],
                note: Note = unnoted, root: Frame = REFERENCE) -> dict[int, Frame]:
    frames = {ROOT: root}
    for i in sorted({i for link in links for i in system.chain(system.links[link][0])}):
        body = system.bodies[i]
        frames[i] = next_frame(frames[body.parent], body, body.at(*state), partial(note, i))
    return frames


# ---- The joints from the root to a link as screws: parallel axes together, common normals between
# them
#
# Rotations about parallel axes add up to one, whose angle is a sum: a group of such joints has one
# frame, that of its first joint before it turns, with z along the axis. From one group to the next
# the frame turns about z, shifts along x, the common normal, and tilts about x (Khalil and
# Kleinfinger 1986); shifts along z belong to the group itself.

_SHALLOWEST_ANGLE = 0.05   # sine of a tilt below which the common normal may be far away
_PARALLEL = (0.0, math.pi)   # tilts of parallel axes


@dataclass
class Step:
    """One joint of a group: what a unit of its coordinate turns about z and slides along it."""

    coordinate: int
    turns: float
    slides: float
    # to the next joint of the group: length [m], and angle [rad] from the sum of the angles so far
    arm: float = 0.0
    phase: float = 0.0


@dataclass
class AxisGroup:
    """Joints with parallel axes, root to tip, and the way to the next group or to the link."""

    height: float   # along z [m], in addition to what its prismatic joints slide
    turn: float = 0.0   # [rad], in addition to the sum of its angles, to the x axis of the rest:
    steps: list[Step] = field(default_factory=list)
    normal: tuple[float, float] = (0.0, 0.0)   # x, y [m] of the next group
    tilt: float = 0.0   # [rad] of the next group, about x


class Screws:
    """
    The groups from the root to a link, root first.

    The first group is at `p` [m] in the root frame with the axes `R`; the link has the axes
    `link_R` in the tilted frame of the last group, that of the root without groups. Unless the
    link is `posed`, its axes do not matter, and the last turn leads to its origin.
    """

    def __init__(self, system: Multibody, chain: Sequence[int], link: Attached,
                 posed: bool) -> None:
        self.R, self.p, self.link_R = IDENTITY, ZERO, IDENTITY
        self.groups: list[AxisGroup] = []
        # on the way: constant placement since the last joint, whose frame after it has moved is
        # that of its group turned by the sum of the angles and `angle`, then flipped about x if
        # its sign is -1
        self._constant = Pose(IDENTITY, ZERO)
        self._angle, self._sign = 0.0, 1.0
        for i in chain:
            body = system.bodies[i]
            self._go(body.parent_R_joint, body.parent_p_joint)
            self._align()
            joint, k = JOINTS[body.type], self._sign * body.multiplier
            group = self.groups[-1]
            group.steps.append(Step(body.coordinate, k * joint.turns, k * joint.slides))
            group.height += self._sign * joint.slides * body.offset
            self._angle += self._sign * (body.turn + joint.turns * body.offset)
            self._constant = Pose(IDENTITY, ZERO)
        self._go(link.body_R_link, link.body_p_link)
        self._end(posed)

    def _go(self, R: Matrix, p: Vector) -> None:
        before = self._constant
        self._constant = Pose(composed(before.R, R), before.p + before.R @ p)

    def _end(self, posed: bool) -> None:
        """Complete the last group with the way to the link."""
        if not self.groups:
            self.link_R, self.p = self._constant
            return
        R, p = self._flipped()
        beta, alpha, gamma = zxz(R)
        if not posed:
            beta = math.atan2(p[1], p[0])
        elif alpha in _PARALLEL:   # a turn about z, or half a turn about x before it
            beta, gamma = math.copysign(1.0, math.cos(alpha)) * gamma, 0.0
        x, y, z = _turned(p, beta)
        group = self.groups[-1]
        group.height += z
        group.turn, group.normal = self._angle + beta, (x, y)
        self.link_R = composed(turned_about_x(alpha), turned_about_z(gamma))

    def _align(self) -> None:
        """Put the next axis on the z axis of a group: the same one if it is parallel."""
        R, p = self._flipped()
        beta, alpha, gamma = zxz(R)
        if not self.groups:
            self.R = composed(turned_about_z(beta), turned_about_x(alpha))
            self.p, height = _rooted(self.R, p)
            self.groups.append(AxisGroup(height))
            self._angle, self._sign = gamma, 1.0
            return
        group = self.groups[-1]
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
        self.groups.append(AxisGroup(height))
        self._angle, self._sign = gamma, 1.0

    def _flipped(self) -> Pose:
        """Return the constant placement in the turned frame of the group."""
        R, (x, y, z) = self._constant
        if self._sign > 0.0:
            return self._constant
        return Pose(composed(turned_about_x(math.pi), R), Vector(x, -y, -z))


def _rooted(R: Matrix, p: Vector) -> tuple[Vector, float]:
    """Return the position of the first axis, and what of it is along an axis of the root."""
    z = [row[2] for row in R]
    if sorted(map(abs, z)) != [0.0, 0.0, 1.0]:
        return p, 0.0
    k = [abs(entry) for entry in z].index(1.0)
    x = list(p)
    height, x[k] = p[k] * z[k], 0.0
    return Vector(*x), height


def _turned(p: Vector, angle: float) -> Vector:
    """Return a vector in axes that are turned about z; rounding errors are zeros."""
    return rounded(turned_about_z(-angle) @ p, max(map(abs, p)))


# ---- A group of parallel axes in a position: the angles of its joints, and vectors across it

class TurnedGroup:
    def __init__(self, group: AxisGroup, q: Sequence[Scalar]) -> None:
        self.group, self.joints = group, group.steps
        self.tilt = turned_about_x(group.tilt)
        self.angles = self.turning(q)
        self.cos, self.sin = turn_by(self.angles[-1], group.turn)
        self.height: Scalar = self.sliding(q)

    def turning(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """Return the sums of the angles, or of their rates, up to each joint."""
        sums: list[Scalar] = []
        for joint in self.joints:
            sums.append((sums[-1] if sums else 0.0) + joint.turns * rates[joint.coordinate])
        return sums

    def sliding(self, rates: Sequence[Scalar]) -> Scalar:
        """Return what the joints slide along z, or its rate."""
        total: Scalar = 0.0
        for joint in self.joints:
            total = total + joint.slides * rates[joint.coordinate]
        return total

    def beyond(self, v: Vector) -> Vector:
        """Return a point of the next group's frame in the turned axes."""
        return Vector(*self.group.normal, 0.0) + self.tilt @ v

    def before(self, v: Vector) -> Vector:
        """Return a vector in the turned axes as one in the group's frame."""
        return turned(v, self.cos, -self.sin)

    def along(self, v: Vector) -> Vector:
        """Return a vector with what the group adds along z."""
        return Vector(v[0], v[1], v[2] + self.group.height + self.height)

    def arms(self, after: bool = False) -> list[Vector]:
        """Return the vector from each joint to the next one, in the turned axes if `after`."""
        arms = []
        for step, angle in zip(self.group.steps[:-1], self.angles):
            phase = step.phase
            if after:
                angle, phase = angle - self.angles[-1], phase - self.group.turn
            c, s = turn_by(angle, phase) if step.arm else (0.0, 0.0)
            arms.append(Vector(step.arm * c, step.arm * s, 0.0))
        return arms


# ---- Pose, Jacobian and motion of a link with few operations, from its screws
#
# Vectors to the link are in the axes of each group: from the link to the root each group adds its
# arms and rotates them once, and two of the entries are all that its columns of the Jacobian need,
# z x v = (-v_y, v_x, 0), in axes that are then rotated to those of the root or of the link.

_FEWEST_GROUPS = 4   # from which on the cross product of two rows of a rotation is a cheaper third


class Twist(NamedTuple):
    """Linear and angular part of a column of a Jacobian, of a velocity or of an acceleration."""

    v: Vector
    w: Vector


class LinkKinematics:
    """A link of a robot in a position; unless it is `posed`, its orientation is not needed."""

    def __init__(self, system: Multibody, link: str, q: Sequence[Scalar], posed: bool) -> None:
        i, attached = system.links[link]
        self._screws = Screws(system, system.chain(i), attached, posed)
        self._groups = [TurnedGroup(group, q) for group in self._screws.groups]

    def pose(self) -> Pose:
        """Return root_R_link, and the position of its origin [m] in the root frame."""
        v = ZERO
        for group in reversed(self._groups):
            v = group.before(group.beyond(v))
            v = group.along(sum(group.arms(), v))
        *_, R = self._rotations()
        if len(self._groups) >= _FEWEST_GROUPS:
            R = _third_row(R, self._screws.R)
        return Pose(R, self._screws.p + self._screws.R @ v)

    def jacobian(self, joints: int, in_link: bool, root: bool = False) -> list[Twist]:
        """Return a column for each independent joint, behind six of the twist of a `root`."""
        columns = [Twist(ZERO, ZERO)] * joints
        axes = self._turned_axes() if in_link else [*self._rotations()[-2::-1], IDENTITY]
        v = ZERO
        for group, R in zip(reversed(self._groups), axes):
            v = group.beyond(v)
            if not in_link:
                v = group.before(v)
            parts: dict[int, Twist] = {}
            for joint, arm in zip(reversed(group.joints), [ZERO, *reversed(group.arms(in_link))]):
                v = v + arm
                part = parts.get(joint.coordinate, Twist(ZERO, ZERO))
                parts[joint.coordinate] = Twist(
                    part.v + Vector(-joint.turns * v[1], joint.turns * v[0], joint.slides),
                    part.w + Vector(0.0, 0.0, joint.turns))
            for k, part in parts.items():
                columns[k] = Twist(*(a + R @ b for a, b in zip(columns[k], part)))
            v = group.along(group.before(v) if in_link else v)
        if not root:
            return columns
        R, p = axes[-1], self._screws.p + self._screws.R @ v
        units = R.T
        return [*(Twist(unit, ZERO) for unit in units),
                *(Twist(R @ cross(e, p), unit) for e, unit in zip(IDENTITY, units)),
                *columns]

    def motion(self, qd: Sequence[Scalar], qdd: Sequence[Scalar],
               root: Frame = REFERENCE) -> tuple[Twist, Twist]:
        """Return velocity and acceleration in the root's axes, with those of the root in them."""
        # from the link to the root: r, v and a of its origin, w and wd, relative to each group
        r = v = a = w = wd = ZERO
        for group in reversed(self._groups):
            rates, seconds = group.turning(qd), group.turning(qdd)
            r = group.beyond(r)
            v, a, w, wd = (group.tilt @ vector for vector in (v, a, w, wd))
            v, a, wd = _carried(rates[-1], seconds[-1], r, v, a, w, wd)
            w = Vector(w[0], w[1], w[2] + rates[-1])
            r, v, a, w, wd = (group.before(vector) for vector in (r, v, a, w, wd))
            for arm, rate, second in zip(group.arms(), rates, seconds):
                arm_v, arm_a, _ = _carried(rate, second, arm, ZERO, ZERO, ZERO, ZERO)
                r, v, a = r + arm, v + arm_v, a + arm_a
            r = group.along(r)
            v, a = (vector + Vector(0.0, 0.0, group.sliding(rate))
                    for vector, rate in ((v, qd), (a, qdd)))
        r, v, a, w, wd = (self._screws.R @ vector for vector in (r, v, a, w, wd))
        v, a = _point(self._screws.p + r, v, a, root.v, root.a, root.w, root.wd)
        wd = root.wd + (cross(root.w, w) + wd)
        return Twist(v, root.w + w), Twist(a, wd)

    def motion_in_link(self, qd: Sequence[Scalar], qdd: Sequence[Scalar],
                       root: Frame = REFERENCE) -> tuple[Twist, Twist]:
        """Return velocity and acceleration in the link's axes; of the root, in the root's."""
        # from the root to the link: v and a of the origin of each group, its w and wd
        v, a = _point(self._screws.p, ZERO, ZERO, root.v, root.a, root.w, root.wd)
        first_R_root = self._screws.R.T
        v, a, w, wd = (first_R_root @ vector for vector in (v, a, root.w, root.wd))
        for group in self._groups:
            rates, seconds = group.turning(qd), group.turning(qdd)
            r = group.along(ZERO)
            v_r = Vector(0.0, 0.0, group.sliding(qd))
            a_r = Vector(0.0, 0.0, group.sliding(qdd))
            for arm, rate, second in zip(group.arms(), rates, seconds):
                arm_v, arm_a, _ = _carried(rate, second, arm, ZERO, ZERO, ZERO, ZERO)
                r, v_r, a_r = r + arm, v_r + arm_v, a_r + arm_a
            v, a = _point(r, v_r, a_r, v, a, w, wd)
            rate, second = rates[-1], seconds[-1]
            wd = Vector(wd[0] + w[1] * rate, wd[1] - w[0] * rate, wd[2] + second)
            w = Vector(w[0], w[1], w[2] + rate)
            v, a, w, wd = (turned(vector, group.cos, group.sin) for vector in (v, a, w, wd))
            v, a = _point(Vector(*group.group.normal, 0.0), ZERO, ZERO, v, a, w, wd)
            back = group.tilt.T
            v, a, w, wd = (back @ vector for vector in (v, a, w, wd))
        link_R_end = self._screws.link_R.T
        v, a, w, wd = (link_R_end @ vector for vector in (v, a, w, wd))
        return Twist(v, w), Twist(a, wd)

    def _rotations(self) -> list[Matrix]:
        rotations = [self._screws.R]
        for group in self._groups:
            R = _times_about_z(rotations[-1], group.cos, group.sin)
            rotations.append(R @ group.tilt)
        return [*rotations[:-1], rotations[-1] @ self._screws.link_R]

    def _turned_axes(self) -> list[Matrix]:
        """Return the rotations to the link from each group's turned axes, last first, and root."""
        R, rotations = self._screws.link_R.T, []
        for group in reversed(self._groups):
            R = R @ group.tilt.T
            rotations.append(R)
            R = _times_about_z(R, group.cos, -group.sin)
        return [*rotations, R @ self._screws.R.T]


def _times_about_z(R: Matrix, c: Scalar, s: Scalar) -> Matrix:
    x, y, z = R.T
    return Matrix(c * x + s * y, c * y - s * x, z).T


def _third_row(R: Matrix, root_R_first: Matrix) -> Matrix:
    """Return R with a row as the cross product of the others: the first axis' row costs least."""
    k = max(range(3), key=lambda row: abs(root_R_first[row][2]))
    rows = list(R)
    rows[(k + 2) % 3] = cross(rows[k], rows[(k + 1) % 3])
    return Matrix(*rows)


def _carried(rate: Scalar, second: Scalar, r: Vector, v: Vector, a: Vector, w: Vector,
             wd: Vector) -> tuple[Vector, Vector, Vector]:
    """Return v, a and wd of what a rotation about z carries, with this rate and its derivative."""
    u_x, u_y = -rate * r[1], rate * r[0]
    carried = Vector(v[0] + u_x, v[1] + u_y, v[2])
    return (carried,
            Vector(a[0] - rate * (v[1] + carried[1]) - second * r[1],
                   a[1] + rate * (v[0] + carried[0]) + second * r[0], a[2]),
            Vector(wd[0] - rate * w[1], wd[1] + rate * w[0], wd[2] + second))


def _point(r: Vector, v_r: Vector, a_r: Vector, v: Vector, a: Vector, w: Vector,
           wd: Vector) -> tuple[Vector, Vector]:
    """Return v and a of a point at r of a frame, relative to which it has v_r and a_r."""
    rate = cross(w, r)
    more = cross(wd, r) + cross(w, rate + 2.0 * v_r)
    return v + (rate + v_r), a + (more + a_r)
