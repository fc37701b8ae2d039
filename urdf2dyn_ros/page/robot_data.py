"""What the page of a robot draws and computes, as data for JSON."""

from math import hypot, isfinite, pi

from urdf2dyn_ros.algebra.frames import composed
from urdf2dyn_ros.algebra.vectors import Matrix, Triple, Vector, add, apply, subtract, transpose
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Attached, Body, Multibody
from urdf2dyn_ros.robot_model import Limits, RobotModel

_UNLIMITED_RANGE = {True: pi, False: 0.5}
"""Whether a joint turns, to positions on both sides of zero without limits [rad or m]."""

_LONGEST_RANGE = {True: 4.0 * pi, False: 50.0}
"""Whether a joint turns, to the longest range on a slider [rad or m]: the part nearest to zero."""

_VELOCITY, _ACCELERATION = 2.0, 10.0
"""Largest velocity where there is no limit [rad/s or m/s], and acceleration, on a slider."""

_LARGEST_VELOCITY = 50.0
"""Limits beyond it, such as 1000 rad/s, are none that a robot keeps [rad/s or m/s]."""


def drawn_bodies(system: Multibody) -> list[int]:
    """Return the numbers of the bodies that have links."""
    return [i for i, body in enumerate(system.bodies) if body.attached]


def robot_data(model: RobotModel, system: Multibody, gravity: Triple) -> dict[str, object]:
    """
    Return joints with ranges, moving bodies, and links with places in their body's frame.

    Upwards is where gravity comes from, z without gravity.

    The frame of a body is that of its first link, as `forward_kinematics` returns it; -1 is the
    root. Lengths are in [m], positions in [rad or m].
    """
    drawn = drawn_bodies(system)
    place = {body: k for k, body in enumerate(drawn)}
    bodies = [_body(system.bodies[i]) for i in drawn]
    size = hypot(*gravity)
    up = tuple(-g / size for g in gravity) if size else (0.0, 0.0, 1.0)
    return {'name': model.name, 'up': up, 'joints': [_joint(system, i) for i in system.drivers],
            'bodies': bodies, 'links': _links(model, system, place)}


def _joint(system: Multibody, number: int) -> dict[str, object]:
    body = system.bodies[number]
    joint, limits = JOINTS[body.type], body.limits
    lower, upper = _range(bool(joint.turns), limits)
    return {'name': body.name, 'turns': bool(joint.turns), 'unit': joint.unit,
            'effortUnit': joint.effort_unit, 'lower': lower, 'upper': upper,
            'velocity': min(limits.velocity or _VELOCITY, _LARGEST_VELOCITY),
            'acceleration': _ACCELERATION, 'limit': limits.effort or 0.0}


def _range(turns: bool, limits: Limits) -> tuple[float, float]:
    lower, upper = limits.lower, limits.upper
    if lower is None or upper is None or not (isfinite(lower) and isfinite(upper)
                                              and lower < upper):
        return -_UNLIMITED_RANGE[turns], _UNLIMITED_RANGE[turns]
    longest = _LONGEST_RANGE[turns]
    lower = max(lower, min(-0.5 * longest, upper - longest))
    return lower, min(upper, lower + longest)


def _body(body: Body) -> dict[str, object]:
    """Return a body with the axis of its joint in the frame of its first link."""
    first = body.attached[0]
    return {'joint': body.coordinate, 'turns': bool(JOINTS[body.type].turns),
            'axis': apply(transpose(first.body_R_link), (0.0, 0.0, 1.0))}


def _links(model: RobotModel, system: Multibody, place: dict[int, int]) -> list[dict[str, object]]:
    """Return all links, each with its parent's number, its origin and its centre of mass."""
    parents = {joint.child: joint.parent for joint in model.joints}
    links = system.links
    numbers = {name: k for k, name in enumerate(links)}
    result = []
    for name, (number, each) in links.items():
        first = system.root[0] if number == ROOT else system.bodies[number].attached[0]
        R, p = _in_frame_of(first, each)
        inertia = each.link.inertia
        result.append({
            'name': name, 'body': place.get(number, -1), 'at': p,
            'parent': numbers[parents[name]] if name in parents else -1,
            'mass': inertia.mass if inertia else 0.0,
            'com': add(p, apply(R, inertia.com)) if inertia else p})
    return result


def _in_frame_of(first: Attached, other: Attached) -> tuple[Matrix, Vector]:
    """Return rotation and origin of a link in the frame of another one of the same body."""
    first_R_body = transpose(first.body_R_link)
    return (composed(first_R_body, other.body_R_link),
            apply(first_R_body, subtract(other.body_p_link, first.body_p_link)))
