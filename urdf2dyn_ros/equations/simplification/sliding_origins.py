"""
The choice of every body frame's origin on its joint's axis for the fewest operations.

Any point on the axis of a revolute joint can be the origin of its body, and of the joint's frame
in the parent, without a change of efforts. If an origin moves by t along z, it moves by t z in the
parent, and the body's children by -t z in the body. Every component of a joint's position in its
parent costs U p and p x f, 5 multiplications and additions; an offset between two common normals
needs one component, before the joint or behind it (compare the standard and the modified
parameters of Denavit and Hartenberg), and parallel axes share one. Each axis has few candidate
points; dynamic programming from tips to root chooses among them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from urdf2dyn_ros.algebra.vectors import ROUNDING, Vector, add, rounded, scale
from urdf2dyn_ros.equations.kinematics import turns_before
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

FARTHEST_ORIGIN = 4.0
"""Largest shift of an origin as a multiple of the longest offset: axes may be almost parallel."""

SHALLOWEST_AXIS = 1e-3
"""Component of an axis below which an origin does not move to make a component of p zero."""

MOST_POINTS = 12
"""Most candidate points on one axis."""

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
                (pulls[i] * _cost(_lowered(p, t_parent, longest), turning[i])
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


def _cost(p: Vector, turning: int) -> float:
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
