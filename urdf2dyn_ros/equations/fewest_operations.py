"""Frames and inertial parameters of a robot, chosen for the fewest operations."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from urdf2dyn_ros.equations.kinematics import turns_before
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody, body_inertias, turned_frames
from urdf2dyn_ros.robot.spatial import (
    NO_INERTIA,
    ROUNDING,
    ZERO,
    BodyInertia,
    Vector,
    add,
    matrix_sum,
    outer,
    rounded,
    scale,
    total,
    transformed,
    with_second_moments,
)

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
    """
    Return the same robot with the origins of its body frames chosen.

    A body `pulls` if it, or one behind it, needs the acceleration of its origin.
    """
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
    R = body.parent_R_joint
    return (R[0][2], R[1][2], R[2][2])


def _displaced(body: Body, t: float) -> Vector:
    """Return the position of a joint whose origin moves by t."""
    return add(body.parent_p_joint, scale(t, _axis(body)))


def _lowered(p: Vector, t_parent: float, longest: float) -> Vector:
    """Return a position after the origin of the parent has moved by t_parent."""
    return rounded(_lower(p, t_parent), longest)


def _lower(p: Vector, t: float) -> Vector:
    return (p[0], p[1], p[2] - t)


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
    """
    Return, for every body, the children to which a mass may be moved for fewer operations.

    Near the root it saves none, since little of the force is needed there.
    """
    bodies = system.bodies
    result: list[list[int]] = [[] for _ in bodies]
    slides = [bool(JOINTS[body.type].slides) for body in bodies]
    turning = turns_before(bodies)
    slid: list[bool] = []   # whether there is a prismatic joint from the root to the body
    for i, body in enumerate(bodies):
        p = body.parent
        slid.append(slides[i] or (p != ROOT and slid[p]))
        if (turning[i] > 1 and not slides[i] and not slides[p]
                and (turning[i] > 2 or slid[p] or _force_across(system, p))):
            result[p].append(i)
    return result


def _force_across(system: Multibody, i: int) -> bool:
    """Return whether the joint on the root needs more of body i's force than the part along z."""
    x, y, _ = system.bodies[i].parent_p_joint
    R = system.bodies[i].parent_R_joint
    # z . (p x f) = f . (z x p)
    return any(R[0][k] * -y + R[1][k] * x != 0.0 for k in (0, 1))


def virtual_mass(inertia: BodyInertia,
                 children: Iterable[tuple[int, Vector, bool]],
                 ) -> tuple[int, float, BodyInertia] | None:
    """
    Return a child, the mass [kg] to move behind its joint, and the inertia that remains before it.

    The inertia is that of a rotating body, with second moments, and with the masses behind it. Of
    each child that may get a mass: number, joint's origin [m] in the parent, and whether no other
    body on or behind it transmits a force. None where no mass pays.
    """
    best, least = None, _cost_of_inertia(inertia)
    for child, p, alone in children:
        for k in (0, 1):   # h_z is moved to the parent in any case
            if abs(p[k]) < SHORTEST_ARM or (
                    abs(inertia.h[k]) > LARGEST_RATIO * abs(inertia.m * p[k])):
                continue
            mu = inertia.h[k] / p[k]
            h = list(add(inertia.h, scale(-mu, p)))
            h[k] = 0.0
            rest = BodyInertia(inertia.m - mu, (h[0], h[1], h[2]),
                               matrix_sum(inertia.J, outer(scale(-mu, p), p)))
            cost = _cost_of_inertia(rest) + MASS + alone * WHOLE
            if cost < least:
                best, least = (child, mu, rest), cost
    return best


def _cost_of_inertia(inertia: BodyInertia) -> int:
    """Return the operations of the parameters that stay with the body."""
    h, S = inertia.h, inertia.J
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

def regrouped(system: Multibody, inertias: Sequence[BodyInertia | None],
              takers: Sequence[Sequence[int]] = ()) -> list[BodyInertia | None]:
    """
    Return inertial parameters with as many zeros as possible, for `second_moment`.

    `inertias` have inertia tensors, one for every body and then the root's; `takers` are for every
    body the children that may get a virtual mass, by default none. The result has second moments
    in the place of the tensors; the root's is the rest.
    """
    bodies = system.bodies
    result = with_second_moments(inertias)
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
                result[child] = (result[child] or NO_INERTIA)._replace(m=mu)
            shared, kept = JOINTS[body.type].split(inertia)
            result[i] = None if kept == NO_INERTIA else kept
            # in the parent it is the same at every position of the joint
            shifted = transformed(shared, body.parent_R_joint, body.parent_p_joint)
            result[body.parent] = total([result[body.parent] or NO_INERTIA, shifted])
        behind[i] += _pulls(result[i])
        if body.parent != ROOT:
            behind[body.parent] += behind[i]
    return result


def pulls(system: Multibody, inertias: Sequence[BodyInertia | None]) -> list[bool]:
    """Return for every body whether it or one behind it has a force of its own."""
    result = [_pulls(inertia) for inertia in inertias]
    for i in reversed(range(len(system.bodies))):
        if system.bodies[i].parent != ROOT:
            result[system.bodies[i].parent] |= result[i]
    return result


def _pulls(inertia: BodyInertia | None) -> bool:
    return inertia is not None and (inertia.m != 0.0 or inertia.h != ZERO)


def _cleaned(inertia: BodyInertia) -> BodyInertia:
    """Return an inertia with entries of the size of rounding errors set to zero."""
    m, h, S = inertia
    largest = max(abs(entry) for row in S for entry in row)
    return BodyInertia(m, rounded(h, max(map(abs, h))), (
        rounded(S[0], largest), rounded(S[1], largest), rounded(S[2], largest)))


# ---- Frames and inertial parameters, whatever these are or for those of one robot

FULL_INERTIA = BodyInertia(1.0, (1.0, 1.0, 1.0), ((1.0, 1.0, 1.0),) * 3)   # without any zero


def for_any_inertia(system: Multibody) -> tuple[Multibody, list[BodyInertia | None]]:
    """Return the same robot in other frames, and its inertias with second moments."""
    turned = turned_frames(system, [None] * (len(system.bodies) + 1))
    system = slid_origins(turned, [True] * len(system.bodies))
    return system, with_second_moments(body_inertias(system))


def fewest_operations(system: Multibody, moving: bool = True,
                      ) -> tuple[Multibody, list[BodyInertia | None]]:
    """
    Return the same robot in other frames, and its inertias with second moments.

    Virtual masses save operations with U, which has only accelerations in functions without
    velocities (`moving` false).
    """
    inertias = body_inertias(system)
    pulling = pulls(system, regrouped(system, inertias))
    system = slid_origins(turned_frames(system, inertias), pulling)
    return system, regrouped(system, body_inertias(system),
                             mass_takers(system) if moving else ())
