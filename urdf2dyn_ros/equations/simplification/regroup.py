"""
Base inertial parameters: fewer numbers, fewer operations, the same efforts.

A mass distribution on the axis of a revolute joint has the same effect if it is fixed to the
parent. So the mass, the first moment along z and the second moment zz of the body are moved to its
parent, and vanish from the body's own equations (Gautier and Khalil 1990, here as a shift of
second moments). The body of a prismatic joint keeps its orientation in the parent: all its second
moments are moved there.
"""

from collections.abc import Sequence

from urdf2dyn_ros.algebra.inertia import NO_INERTIA, BodyInertia, total, transformed
from urdf2dyn_ros.algebra.vectors import ZERO, rounded
from urdf2dyn_ros.equations.simplification.virtual_masses import Child, virtual_mass
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Multibody


def with_second_moments(inertias: Sequence[BodyInertia | None]) -> list[BodyInertia | None]:
    """Return inertias with second moments in the place of the tensors."""
    return [inertia and inertia.with_second_moments() for inertia in inertias]


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
                Child(k, bodies[k].parent_p_joint, alone=behind[k] == _pulls(result[k]))
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
