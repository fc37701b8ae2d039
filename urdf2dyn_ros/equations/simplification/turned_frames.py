"""
The choice of every body frame's x axis for the fewest operations.

A body frame has z on its joint; a constant rotation about that axis changes no effort. With x
along the common normal of the joint's axis and that of the child with the most bodies behind it,
the constant rotation to the child is one about x alone (Khalil and Kleinfinger 1986), and the
remaining rotation is a constant in the child's angle. At a tip the rotation makes h_y zero, the
first moment across x: U h and h x a lose 5 products, and the x component of a is not needed.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from urdf2dyn_ros.algebra.frames import ROUNDOFF, composed, turned_about_x, turned_about_z
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import Matrix, about_x, about_z, apply, product, transpose
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

_PARALLEL = 2e-11
"""Directions closer than this [rad] determine no common normal well; any x axis is right."""


def turned_frames(system: Multibody, inertias: Sequence[BodyInertia | None]) -> Multibody:
    """Return the same robot with the x axes of its body frames chosen."""
    heirs = most_behind([body.parent for body in system.bodies])
    turns: list[float] = []
    bodies: list[Body] = []
    close = system.close
    for i, body in enumerate(system.bodies):
        back = turned_about_z(0.0 if body.parent == ROOT else -turns[body.parent], close)
        R = composed(back, body.parent_R_joint, close)
        beta, alpha, gamma = zxz(R)
        heir = heirs[i]
        turn = -gamma
        if JOINTS[body.type].turns:
            if heir is not None:
                turn = _turn(system.bodies[heir], -gamma)
            elif not _shares_angle(system.bodies, body):
                turn = _tip_turn(inertias[i], -gamma)
        turns.append(turn)
        to_body = turned_about_z(-turn, close)
        # the offset of a mimic joint and the rotation make one constant
        about_axis = 0.0 if JOINTS[body.type].slides else body.offset
        bodies.append(replace(
            body,
            parent_R_joint=composed(
                turned_about_z(beta, close), turned_about_x(alpha, close), close),
            parent_p_joint=apply(back, body.parent_p_joint),
            offset=body.offset - about_axis,
            turn=_quarter(math.remainder(gamma + turn + about_axis, 2.0 * math.pi), close),
            attached=tuple(replace(
                attached, body_R_link=composed(to_body, attached.body_R_link, close),
                body_p_link=apply(to_body, attached.body_p_link)) for attached in body.attached)))
    return replace(system, bodies=tuple(bodies))


def most_behind(parents: Sequence[int]) -> list[int | None]:
    """Return, for every body, the child with the most bodies behind it, from all parents."""
    size = [1] * len(parents)
    heirs: list[int | None] = [None] * len(parents)
    for i in reversed(range(len(parents))):
        parent = parents[i]
        if parent == ROOT:
            continue
        size[parent] += size[i]
        heir = heirs[parent]
        if heir is None or size[i] >= size[heir]:
            heirs[parent] = i
    return heirs


def _turn(child: Body, otherwise: float) -> float:
    """Return the angle of the common normal of z and the child's axis, about z."""
    axis = (child.parent_R_joint[0][2], child.parent_R_joint[1][2])
    if math.hypot(*axis) > _PARALLEL:
        return math.atan2(axis[0], -axis[1])
    p_x, p_y, _ = child.parent_p_joint   # parallel axes: from one to the other
    return math.atan2(p_y, p_x) if math.hypot(p_x, p_y) > _PARALLEL else otherwise


def _shares_angle(bodies: tuple[Body, ...], body: Body) -> bool:
    """Return whether another body has the same angle, and so the same sine and cosine."""
    return any(other is not body and (other.coordinate, other.multiplier, other.offset)
               == (body.coordinate, body.multiplier, body.offset) for other in bodies)


def _tip_turn(inertia: BodyInertia | None, otherwise: float) -> float:
    """Return the angle about z of the centre of mass, to which the body's x axis will point."""
    if inertia is None:
        return otherwise
    (x, y, z), J = inertia.h, inertia.J
    if math.hypot(x, y) > _PARALLEL * math.hypot(x, y, z):
        return math.atan2(y, x)
    # on the axis: no product of inertia across it
    xy, difference = -2.0 * J[0][1], J[1][1] - J[0][0]
    if math.hypot(xy, difference) > _PARALLEL * abs(J[0][0] + J[1][1]):
        return 0.5 * math.atan2(xy, difference)
    return otherwise


def zxz(R: Matrix) -> tuple[float, float, float]:
    """Return beta, alpha, gamma of R = Rz(beta) Rx(alpha) Rz(gamma)."""
    x, y, z = R[0][2], R[1][2], R[2][2]
    across = math.hypot(x, y)
    if across < ROUNDOFF:
        return 0.0, 0.0 if z > 0.0 else math.pi, math.atan2(-R[0][1], R[0][0])
    beta = math.atan2(x, -y)
    if abs(beta) > math.pi / 2:   # the same normal in the opposite direction
        beta, across = beta - math.copysign(math.pi, beta), -across
    alpha = math.atan2(across, z)
    rest = product(transpose(product(about_z(math.cos(beta), math.sin(beta)),
                                     about_x(math.cos(alpha), math.sin(alpha)))), R)
    return beta, alpha, math.atan2(rest[1][0], rest[0][0])


def _quarter(angle: float, close: float) -> float:
    """Return a multiple of pi / 2 that is close to an angle, else the angle."""
    nearest = round(angle / (math.pi / 2)) * (math.pi / 2)
    return nearest if abs(angle - nearest) < close else angle
