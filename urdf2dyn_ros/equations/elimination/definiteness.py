"""Check that the mass matrix of a robot is positive definite, as that of bodies with mass is."""

import math
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.body_terms import BodyTerms
from urdf2dyn_ros.equations.mass_matrix import mass_matrix
from urdf2dyn_ros.equations.simplification.regroup import with_second_moments
from urdf2dyn_ros.multibody import Multibody

SMALLEST_INERTIA = 1e-15
"""Smallest inertia of a coordinate [kg m^2 or kg]; a cubic millimetre of water has 1e-13."""

SMALLEST_SHARE = 1e-12
"""Smallest share of it that the joints behind, moving freely, leave: less is rounding."""

_STATES = 2


class Weakness(NamedTuple):
    """
    Coordinate at which a mass matrix is not positive definite.

    `inertia` is its entry on the diagonal [kg m^2 or kg], `rest` what the joints behind it, moving
    freely, leave of that.
    """

    joint: str
    inertia: float
    rest: float


def weakness(system: Multibody, terms: BodyTerms) -> Weakness | None:
    """Return where the mass matrix of links and rotors is not positive definite, if anywhere."""
    inertias = with_second_moments(body_inertias(system))
    n = len(system.joint_names)
    for state in range(_STATES):   # without symmetry
        q = [math.sin(1.7 * k + 2.0 * state + 0.4) for k in range(n)]
        M: Array = np.array(mass_matrix(system, inertias, q, terms=terms)).reshape(n, n)
        rest = M.copy()
        for k in reversed(range(n)):   # as in `sparse_factors`
            if not rest[k, k] > max(SMALLEST_INERTIA, SMALLEST_SHARE * M[k, k]):
                return Weakness(system.joint_names[k], float(M[k, k]), float(rest[k, k]))
            rest[:k, :k] -= np.outer(rest[:k, k], rest[k, :k] / rest[k, k])
    return None
