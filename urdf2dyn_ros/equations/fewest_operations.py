"""
The recursion with the fewest operations, equal in exact arithmetic.

What depends on the robot alone, frames and inertial parameters of the bodies, is chosen in
`fewest_operations`. In the recursion itself `inherited_spin` takes U of a body from that of its
parent, and `align_parallel_axes` returns a robot whose parallel joints have the same axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

from urdf2dyn_ros.equations.links import turns_before
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, Recursion, Spin, textbook_spin
from urdf2dyn_ros.robot.inertia import NO_MOMENTS, Inertia, SecondMoments, second_moments, total
from urdf2dyn_ros.robot.joints import JOINTS, Coordinate, Motion, Note, turn_by, turned
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody, body_inertias, turned_frames
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_TENSOR,
    ROUNDING,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    outer,
    rounded,
)
from urdf2dyn_ros.robot.terms import JointTerm

# ---- The choice of every body frame's origin on its joint's axis for the fewest operations
#
# Any point on the axis of a revolute joint can be the origin of its body, and of the joint's frame
# in the parent, without a change of efforts. If an origin moves by t along z, it moves by t z in
# the parent, and the body's children by -t z in the body. Every component of a joint's position in
# its parent costs U p and p x f, 5 multiplications and additions; an offset between two common
# normals needs one component, before the joint or behind it (compare the standard and the modified
# parameters of Denavit and Hartenberg), and parallel axes share one. Each axis has few candidate
# points; dynamic programming from tips to root chooses among them.

FARTHEST_ORIGIN = 4.0   # shift as a multiple of the longest offset: axes may be almost parallel
SHALLOWEST_AXIS = 1e-3   # component along which no shift makes a component of p zero
MOST_POINTS = 12   # candidates on one axis

COMPONENT, FLAT_COMPONENT, FIRST, LEVER = 10.0, 5.0, 4.0, 4.0
"""
Operations of a component of p, in general and in a body that rotates about its z alone; of the
first lever arm, which needs a force; and those that one across the axis of the parent saves: see
`virtual_masses`.
"""


def slid_origins(system: Multibody, pulls: Sequence[bool]) -> Multibody:
    """Return the same robot with the origins of its body frames chosen."""
    # a body pulls if it, or one behind it, needs the acceleration of its origin
    bodies = system.bodies
    longest = max((abs(x) for body in bodies for x in body.parent_p_joint), default=0.0)
    points = _points(bodies, longest)
    turning = turns_before(bodies)
    # least[i][t]: cost of body i and all behind it with its parent's origin at t, and its own
    least: list[dict[float, tuple[float, float]]] = [{} for _ in bodies]
    behind: list[dict[float, float]] = [dict.fromkeys(each, 0.0) for each in points]
    for i in reversed(range(len(bodies))):
        parent = bodies[i].parent
        displaced = [_displaced(bodies[i], t) for t in points[i]]
        for t_parent in points[parent] if parent != ROOT else (0.0,):
            least[i][t_parent] = min(
                (pulls[i] * _cost_of_position(_lowered(p, t_parent, longest), turning[i])
                 + behind[i][t], k, t)
                for k, (t, p) in enumerate(zip(points[i], displaced)))[::2]
        if parent != ROOT:
            for t_parent, (cost, _) in least[i].items():
                behind[parent][t_parent] += cost
    moves: list[float] = []
    result: list[Body] = []
    for i, body in enumerate(bodies):
        t_parent = moves[body.parent] if body.parent != ROOT else 0.0
        t = least[i][t_parent][1]
        moves.append(t)
        attached = tuple(replace(each, body_p_link=_lower(each.body_p_link, t))
                         for each in body.attached) if t else body.attached
        result.append(replace(body, attached=attached,
                              parent_p_joint=_lowered(_displaced(body, t), t_parent, longest)))
    return replace(system, bodies=tuple(result))


def _points(bodies: Sequence[Body], longest: float) -> list[list[float]]:
    """Return the points on the axis of every body that make a component of a position zero."""
    points: list[list[float]] = []
    for body in bodies:
        p, z = body.parent_p_joint, _axis(body)
        points.append([0.0])
        if JOINTS[body.type].turns:
            _include(points[-1], (-p[k] / z[k] for k in range(3) if abs(z[k]) > SHALLOWEST_AXIS),
                     longest)
    for i in reversed(range(len(bodies))):
        parent, z = bodies[i].parent, _axis(bodies[i])[2]
        if parent != ROOT and JOINTS[bodies[parent].type].turns:
            _include(points[parent], (bodies[i].parent_p_joint[2] + t * z for t in points[i]),
                     longest)
    for i, body in enumerate(bodies):
        z = _axis(body)[2]
        if body.parent != ROOT and abs(z) == 1.0 and JOINTS[body.type].turns:
            _include(points[i], ((t - body.parent_p_joint[2]) * z for t in points[body.parent]),
                     longest)
    return points


def _include(points: list[float], more: Iterable[float], longest: float) -> None:
    """Add points that are new and not too far away, up to `MOST_POINTS`."""
    for t in more:
        if (len(points) < MOST_POINTS and abs(t) <= FARTHEST_ORIGIN * longest
                and all(abs(t - known) > ROUNDING * longest for known in points)):
            points.append(t)


def _cost_of_position(p: Vector, turning: int) -> float:
    """Return the operations of a position in a body that has so many revolute joints before it."""
    x, y, z = p
    across = int(x != 0.0) + int(y != 0.0)
    if turning < 2:
        return FLAT_COMPONENT * across * turning
    components = COMPONENT * (across + int(z != 0.0))
    if turning == 2:
        return components + FIRST * (components > 0.0)
    return components - LEVER * (across > 0)


def _axis(body: Body) -> Vector:
    return body.parent_R_joint.T[2]


def _displaced(body: Body, t: float) -> Vector:
    return body.parent_p_joint + t * _axis(body)


def _lowered(p: Vector, t_parent: float, longest: float) -> Vector:
    """Return a position after the origin of the parent has moved by t_parent."""
    return rounded(_lower(p, t_parent), longest)


def _lower(p: Vector, t: float) -> Vector:
    return Vector(p[0], p[1], p[2] - t)


# ---- Virtual masses: a point mass at a joint, added to one body and subtracted from the other
#
# A point mass at the origin of a joint's frame, on its axis, can belong to the body before the
# joint or to the body behind it (Gautier and Khalil 1990 assign all of it to the one before).
# Behind the joint, it costs F = mu a; subtracted before it, at p from that body's origin, it
# reduces the first moments by mu p, which can make one of them zero. An entry of the first moments
# costs U h and h x a, 5 multiplications and additions; mu a costs 3 of each, and p x f is computed
# in any case.

SHORTEST_ARM = 1e-3   # lever arm [m] below which there is no virtual mass
LARGEST_RATIO = 100.0   # of a virtual mass to the mass at and behind the body: it costs two digits
MASS, WHOLE = 6, 3   # operations of mu a, and of the component of a that only a mass needs


def mass_takers(system: Multibody) -> list[list[int]]:
    """Return, for every body, the children to which a mass may be moved for fewer operations."""
    # near the root it saves none, since little of the force is needed there
    bodies = system.bodies
    result: list[list[int]] = [[] for _ in bodies]
    slides = [bool(JOINTS[body.type].slides) for body in bodies]
    turning = turns_before(bodies)
    slid: list[bool] = []   # whether there is a prismatic joint from the root to the body
    for i, body in enumerate(bodies):
        p = body.parent
        slid.append(slides[i] or (p != ROOT and slid[p]))
        if (p != ROOT and turning[i] > 1 and not slides[i] and not slides[p]
                and (turning[i] > 2 or slid[p] or _force_across(system, p))):
            result[p].append(i)
    return result


def _force_across(system: Multibody, i: int) -> bool:
    """Return whether the joint on the root needs more of body i's force than the part along z."""
    x, y, _ = system.bodies[i].parent_p_joint
    R = system.bodies[i].parent_R_joint
    # z . (p x f) = f . (z x p)
    return any(R[0][k] * -y + R[1][k] * x != 0.0 for k in (0, 1))


def virtual_mass(inertia: SecondMoments,
                 children: Iterable[tuple[int, Vector, bool]],
                 ) -> tuple[int, float, SecondMoments] | None:
    """
    Return a child, the mass [kg] to move behind its joint, and the inertia that remains before it.

    The inertia is that of a rotating body with the masses behind it. Of each child that may get a
    mass: number, joint's origin [m] in the parent, and whether no other body on or behind it
    transmits a force. None where no mass pays.
    """
    best, least = None, _cost_of_inertia(inertia)
    for child, p, alone in children:
        for k in (0, 1):   # h_z is moved to the parent in any case
            if abs(p[k]) < SHORTEST_ARM or (
                    abs(inertia.h[k]) > LARGEST_RATIO * abs(inertia.m * p[k])):
                continue
            mu = inertia.h[k] / p[k]
            h = list(inertia.h - mu * p)
            h[k] = 0.0
            rest = SecondMoments(inertia.m - mu, Vector(*h),
                                 inertia.S + outer(-mu * p, p))
            cost = _cost_of_inertia(rest) + MASS + alone * WHOLE
            if cost < least:
                best, least = (child, mu, rest), cost
    return best


def _cost_of_inertia(inertia: SecondMoments) -> int:
    h, S = inertia.h, inertia.S
    entries = ((10, h[0]), (10, h[1]), (4, S[0][0]), (4, S[1][1]),
               (7, S[0][1]), (7, S[0][2]), (7, S[1][2]))
    return sum(operations for operations, entry in entries if entry != 0.0)


# ---- Base inertial parameters: fewer numbers, fewer operations, the same efforts
#
# A mass distribution on the axis of a revolute joint has the same effect if it is fixed to the
# parent. So the mass, the first moment along z and the second moment zz of the body are moved to
# its parent, and vanish from the body's own equations (Gautier and Khalil 1990, here as a shift of
# second moments). The body of a prismatic joint keeps its orientation in the parent: all its
# second moments are moved there.

def regrouped(system: Multibody, inertias: Sequence[Inertia | None],
              takers: Sequence[Sequence[int]] = ()) -> list[SecondMoments | None]:
    """
    Return second moments with as many zeros as possible, for `second_moment`.

    `inertias` are one for every body and then the root's; `takers` are for every body the children
    that may get a virtual mass, by default none. The root's of the result is the rest.
    """
    bodies = system.bodies
    result = second_moments(inertias)
    behind = [0] * len(bodies)   # number of bodies with a force
    for i in reversed(range(len(bodies))):
        body, inertia = bodies[i], result[i]
        if inertia is not None:
            inertia = _cleaned(inertia)
            # a body without any force behind it needs all operations of one for a mass
            moved_mass = virtual_mass(inertia, [
                (k, bodies[k].parent_p_joint, behind[k] == _pulls(result[k]))
                for k in (takers[i] if takers else ()) if behind[k]])
            if moved_mass is not None:
                child, mu, inertia = moved_mass
                result[child] = (result[child] or NO_MOMENTS)._replace(m=mu)
            shared, kept = JOINTS[body.type].split(inertia)
            result[i] = None if kept == NO_MOMENTS else kept
            # in the parent it is the same at every position of the joint
            shifted = shared.in_frame(body.parent_R_joint, body.parent_p_joint)
            before = len(bodies) if body.parent == ROOT else body.parent
            result[before] = total([result[before] or NO_MOMENTS, shifted])
        behind[i] += _pulls(result[i])
        if body.parent != ROOT:
            behind[body.parent] += behind[i]
    return result


def pulls(system: Multibody, inertias: Sequence[Inertia | None]) -> list[bool]:
    """Return for every body whether it or one behind it has a force of its own."""
    result = [_pulls(inertia) for inertia in inertias]
    for i in reversed(range(len(system.bodies))):
        if system.bodies[i].parent != ROOT:
            result[system.bodies[i].parent] |= result[i]
    return result


def _pulls(inertia: Inertia | None) -> bool:
    return inertia is not None and (inertia.m != 0.0 or inertia.h != ZERO)


def _cleaned(inertia: SecondMoments) -> SecondMoments:
    """Return an inertia with entries of the size of rounding errors set to zero."""
    m, h, S = inertia
    largest = max(abs(entry) for row in S for entry in row)
    return SecondMoments(m, rounded(h, max(map(abs, h))),
                         Matrix(*(rounded(row, largest) for row in S)))


# ---- Frames and inertial parameters, whatever these are or for those of one robot

FULL_INERTIA = SecondMoments.of([1.0] * 10)   # without any zero


def for_any_inertia(system: Multibody) -> tuple[Multibody, list[SecondMoments | None]]:
    """Return the same robot in other frames, and the second moments of its bodies."""
    turned = turned_frames(system, [None] * (len(system.bodies) + 1))
    system = slid_origins(turned, [True] * len(system.bodies))
    return system, second_moments(body_inertias(system))


@lru_cache(maxsize=8)   # several functions of a robot ask for it
def fewest_operations(system: Multibody, with_velocities: bool = True,
                      ) -> tuple[Multibody, list[SecondMoments | None]]:
    """Return the same robot in other frames, and the second moments of its bodies."""
    # virtual masses save operations with U, which without velocities has accelerations alone
    inertias = body_inertias(system)
    pulling = pulls(system, regrouped(system, inertias))
    system = slid_origins(turned_frames(system, inertias), pulling)
    takers = mass_takers(system) if with_velocities else ()
    return system, regrouped(system, body_inertias(system), takers)


# ---- The third column of U from the parent's U, since both have the points on the joint's axis
#
# The third column of U is the acceleration of a point at z = 1 relative to the origin, and the
# points on a joint's axis are also fixed to the parent: the rotation about the axis rotates this
# column and changes nothing else, U z = R' U_joint z. Where the constant rotation to the joint
# only swaps axes, U_joint z is a column of the parent's U, which is known. So the column costs one
# planar rotation, and w_y qd and -w_x qd of the angular acceleration, two entries of U and one
# square cost nothing: 3 multiplications and 2 additions fewer per joint than from w and wd.

_UNITS = (0.0, 1.0, -1.0)


def inherited_spin(system: Multibody, inertias: Sequence[Inertia | None]) -> Spin:
    """Return what computes U of bodies with fewer operations."""
    bodies = system.bodies
    wd_is_needed, spin_is_needed = _wd_is_needed(bodies), _spin_is_needed(bodies, inertias)

    def spun(i: int, motion: Motion, U_parent: Matrix, coordinate: Coordinate, w: Vector,
             wd: Vector) -> tuple[Vector, Matrix]:
        body = bodies[i]
        joint, R = JOINTS[body.type], body.parent_R_joint
        rotation = joint.rotation(coordinate)
        c, s = rotation[0][0], rotation[1][0]
        known = body.parent == ROOT or (spin_is_needed[body.parent] and swaps(R))
        known |= body.cos_sin is not None and R == IDENTITY   # the column is the parent's
        if joint.turns and known:
            column = turned(R.T @ (U_parent @ R.T[2]), c, s)
        elif joint.turns and not wd_is_needed[i] and 0.0 not in motion.w:
            column = turned(third_column(motion.w, motion.wd), c, s)
        elif known and not joint.turns and swaps(rotation):
            parent_R_body = R @ rotation
            return wd, parent_R_body.T @ U_parent @ parent_R_body
        else:
            column = third_column(w, wd)
        return spin_about(column, w, wd, wd_is_needed[i])

    return lambda i, motion, U_parent, coordinate, note: partial(
        spun, i, motion, U_parent, coordinate)


def spin_about(column: Vector, w: Vector, wd: Vector,
               wd_is_needed: bool) -> tuple[Vector, Matrix]:
    """Return U from its third column, w and wd_z; and wd, with x and y where it is needed."""
    U_xz, U_yz, U_zz = column
    yy, zz = w[1] * w[1], w[2] * w[2]
    xy = w[0] * w[1]
    if wd_is_needed:
        xz, yz = w[0] * w[2], w[1] * w[2]
        wd = Vector(yz - U_yz, U_xz - xz, wd[2])
        U_zx, U_zy = xz - wd[1], yz + wd[0]
    else:
        twice = w[2] + w[2]
        U_zx, U_zy = twice * w[0] - U_xz, twice * w[1] - U_yz
    # U_zz - U_yy = zz - yy, a difference that the moment needs as well
    return wd, Matrix((-(yy + zz), xy - wd[2], U_xz),
                      (xy + wd[2], U_zz - (zz - yy), U_yz),
                      (U_zx, U_zy, U_zz))


def third_column(w: Vector, wd: Vector) -> Vector:
    """Return U z from w and wd."""
    return Vector(w[0] * w[2] + wd[1], w[1] * w[2] - wd[0], -(w[0] * w[0] + w[1] * w[1]))


def swaps(R: Matrix) -> bool:
    """Return whether a constant rotation only swaps or inverts axes."""
    return all(isinstance(entry, float) and entry in _UNITS for row in R for entry in row)


def _spin_is_needed(bodies: Sequence[Body], inertias: Sequence[Inertia | None]) -> list[bool]:
    """Return for every body whether its inertia, or a child away from its z, needs its U."""
    result = [inertia is not None and (inertia.h, inertia.tensor) != (ZERO, NO_TENSOR)
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
    inertias: list[Inertia | None]   # one per body of `system`, then the root's
    # by the number of a body of the robot as it was; ROOT to itself:
    joints: dict[int, int]   # the body with its joint
    parts: dict[int, int]   # the body with its inertia
    # cosine and sine of the rotation about z from the body's own axes to those of its inertia,
    # where there is one
    rotations: dict[int, tuple[Scalar, Scalar]]

    def terms(self, terms: Mapping[int, Sequence[JointTerm]],
              ) -> dict[int, Sequence[JointTerm]]:
        return {self.joints[i]: each for i, each in terms.items()}

    @property
    def originals(self) -> dict[int, int]:
        """The number of a joint's body in the robot as it was, by that in `system`."""
        return {new: old for old, new in self.joints.items()}

    def note(self, note: Note) -> Note:
        """Return what notes the quantities at joints by the numbers of the robot as it was."""
        number = self.originals

        def noted(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
            if i in number:
                note(number[i], symbol, entries)

        return noted

    def recursion(self, recursion: Recursion) -> Recursion:
        """Return the recursion for this robot; notes are by the numbers of the robot as it was."""
        spin = recursion.spin_of
        return recursion._replace(note=self.note(recursion.note), spin_of=(
            spin if spin is textbook_spin else inherited_spin(self.system, self.inertias)))

    def loads(self, loads: AppliedLoads) -> AppliedLoads:
        """Return loads on the robot as it was as those on this one."""
        wrenches = {self.parts[i]: wrench.rotated_about_z(*self.rotations.get(i, _NO_ROTATION))
                    for i, wrench in loads.wrenches.items()}
        return loads._replace(terms=self.terms(loads.terms), wrenches=wrenches)


def align_parallel_axes(system: Multibody, inertias: Sequence[Inertia | None],
                        q: Sequence[Scalar], groups: Sequence[Sequence[int]]) -> ParallelAxes:
    """Return the robot with the axes of each group of bodies in those of its first joint."""
    follows = {i: system.bodies[i].parent for group in groups for i in group[1:]}
    firsts = {group[0] for group in groups}
    apart = {body.parent for i, body in enumerate(system.bodies) if i not in follows}
    angles: dict[int, tuple[Scalar, float]] = {}
    turns: dict[int, tuple[Scalar, Scalar]] = {}
    bodies: list[Body] = []
    new_inertias: list[Inertia | None] = []

    def added(body: Body, inertia: Inertia | None) -> int:
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
            joints[i] = parts[i] = added(body, inertia and inertia.rotated_about_z(*turns[i]))
            rotated[i] = turns[i]
    return ParallelAxes(replace(system, bodies=tuple(bodies)), [*new_inertias, inertias[-1]],
                        joints, parts, rotated)


def parallel_groups(system: Multibody) -> list[list[int]]:
    """
    Return the bodies, two or more, whose joints are parallel, each the only child of the other.

    A group begins where the axis has another direction than the joint before: on the root, the
    motion in the axes of the bodies themselves has more zeros. Of closed loops, whose equations
    have the sines of the sums of angles already, it begins there too.
    """
    children = Counter(body.parent for body in system.bodies)
    groups: dict[int, list[int]] = {}
    for i, body in enumerate(system.bodies):
        parent = body.parent
        if parent == ROOT and not system.closed_loops:
            continue
        if parent == ROOT or body.parent_R_joint != IDENTITY:
            groups[i] = [i]
        elif parent in groups and children[parent] == 1:
            groups[i] = groups[parent]
            groups[i].append(i)
    return [group for i, group in groups.items() if i == group[0] and len(group) > 1]


def same_axes(system: Multibody, root_moves: bool) -> list[list[int]]:
    """
    Return all bodies, each behind others with parallel joints in one group with them.

    A column of derivatives begins in the axes of the joint before it rotates, which saves a
    rotation. Behind a joint on a root that does not move, no column goes further: it rotates.
    """
    groups: dict[int, list[int]] = {}
    for i, body in enumerate(system.bodies):
        if body.parent != ROOT or root_moves:
            parallel = body.parent in groups and body.parent_R_joint == IDENTITY
            groups[i] = groups[body.parent] if parallel else []
            groups[i].append(i)
    return [group for i, group in groups.items() if i == group[0]]


def behind_one_joint(system: Multibody, groups: Sequence[list[int]]) -> list[list[int]]:
    """Return the groups behind a single revolute joint of a root that does not move."""
    # there the angular velocity has a zero along the axes of the group before its first joint
    # rotates: with velocities, others cost more additions than they save multiplications
    turning = turns_before(system.bodies)
    return [group for group in groups if turning[group[0]] <= 1]
