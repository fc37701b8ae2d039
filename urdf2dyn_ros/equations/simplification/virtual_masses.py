"""
Virtual masses: a point mass at a joint, added to one body and subtracted from the other.

A point mass at the origin of a joint's frame, on its axis, can belong to the body before the joint
or to the body behind it (Gautier and Khalil 1990 assign all of it to the one before). Behind the
joint, it costs F = mu a; subtracted before it, at p from that body's origin, it reduces the first
moments by mu p, which can make one of them zero. An entry of the first moments costs U h and h x
a, 5 multiplications and additions; mu a costs 3 of each, and p x f is computed in any case.
"""

from collections.abc import Iterable
from typing import NamedTuple

from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import Vector, add, matrix_sum, outer, scale
from urdf2dyn_ros.equations.kinematics import turns_before
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Multibody

SHORTEST_ARM = 1e-3
"""Lever arm [m] below which there is no virtual mass."""

LARGEST_RATIO = 100.0
"""Largest virtual mass as a multiple of the mass at and behind the body: it costs two digits."""

MASS, WHOLE = 6, 3
"""Operations of mu a, and of the component of a that a body without other mass does not need."""


class Child(NamedTuple):
    """
    A body to which a virtual mass may be added, and its joint's origin [m] in the parent.

    It is `alone` if no other body on or behind it transmits a force.
    """

    number: int
    p: Vector
    alone: bool


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
                 children: Iterable[Child]) -> tuple[int, float, BodyInertia] | None:
    """
    Return a child, the mass [kg] to move behind its joint, and the inertia that remains before it.

    The inertia is that of a rotating body, with second moments, and with the masses behind it.
    None where no mass pays.
    """
    best, least = None, _cost(inertia)
    for child, p, alone in children:
        for k in (0, 1):   # h_z is moved to the parent in any case
            if abs(p[k]) < SHORTEST_ARM or (
                    abs(inertia.h[k]) > LARGEST_RATIO * abs(inertia.m * p[k])):
                continue
            mu = inertia.h[k] / p[k]
            rest = _without(inertia, mu, p, k)
            cost = _cost(rest) + MASS + alone * WHOLE
            if cost < least:
                best, least = (child, mu, rest), cost
    return best


def _without(inertia: BodyInertia, mu: float, p: Vector, k: int) -> BodyInertia:
    """Return the inertia without mu at p, which makes h[k] zero."""
    h = list(add(inertia.h, scale(-mu, p)))
    h[k] = 0.0
    S = matrix_sum(inertia.J, outer(scale(-mu, p), p))
    return BodyInertia(inertia.m - mu, (h[0], h[1], h[2]), S)


def _cost(inertia: BodyInertia) -> int:
    """Return the operations of the parameters that stay with the body."""
    h, S = inertia.h, inertia.J
    entries = ((10, h[0]), (10, h[1]), (4, S[0][0]), (4, S[1][1]),
               (7, S[0][1]), (7, S[0][2]), (7, S[1][2]))
    return sum(operations for operations, entry in entries if entry != 0.0)
