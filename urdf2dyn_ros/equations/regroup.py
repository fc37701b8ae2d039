"""
Base inertial parameters: fewer numbers, fewer operations, the same efforts.

A mass distribution on a joint's axis does not notice that the joint turns: it can as well be
fixed to the parent. So the mass, the first moment along z and the second moment zz of a turning
body go to its parent, and vanish from the body's own equations (Gautier and Khalil 1990, here as
a shift of second moments). What slides without turning keeps its orientation in the parent: all
its second moments go there.

"""

from __future__ import annotations

from collections.abc import Sequence

from urdf2dyn_ros.equations.inertia import BodyInertia, moved, total
from urdf2dyn_ros.equations.vectors import Matrix
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Multibody


def second_moments(J: Matrix) -> Matrix:
    """Return S = tr(J)/2 1 - J, the integral of r r' over the mass [kg m^2]."""
    half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
    return ((half - J[0][0], -J[0][1], -J[0][2]),
            (-J[1][0], half - J[1][1], -J[1][2]),
            (-J[2][0], -J[2][1], half - J[2][2]))


def regrouped(system: Multibody, inertias: Sequence[BodyInertia | None],
              ) -> list[BodyInertia | None]:
    """
    Return inertial parameters of which as many as can be are zero, for `second_moment`.

    Parameters
    ----------
    system : Multibody
    inertias : sequence of BodyInertia or None
        With inertia tensors, one per body.

    Returns
    -------
    list of BodyInertia or None
        With second moments in the place of the tensors, one per body.

    """
    result = [inertia and inertia._replace(J=second_moments(inertia.J)) for inertia in inertias]
    for i in reversed(range(len(result))):
        body, inertia = system.bodies[i], result[i]
        if inertia is None:
            continue
        given, kept = JOINTS[body.type].split(inertia)
        result[i] = kept
        if body.parent != ROOT:
            # seen from the parent the same at whatever position of the joint
            shifted = moved(given, body.parent_R_joint, body.parent_p_joint)
            result[body.parent] = total(
                part for part in (result[body.parent], shifted) if part is not None)
    return result
