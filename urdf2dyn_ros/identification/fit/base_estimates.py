"""Base parameters of an identified robot: the combinations that efforts depend on."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.equations.base_parameters import BaseParameters, base_parameters
from urdf2dyn_ros.equations.simplification.any_inertia import for_any_inertia
from urdf2dyn_ros.identification.bodies import BASIS, in_link, parameters_of
from urdf2dyn_ros.identification.robot import Robot


class BaseEstimates(NamedTuple):
    """Names and units of base parameters (b,), values of URDF and fit, standard deviations."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    urdf: Array
    identified: Array
    deviations: Array


def base_estimates(robot: Robot, bodies: Array, covariance: Array) -> BaseEstimates:
    """Return the base parameters of bodies (k, 10) with a covariance (10 k, 10 k)."""
    base = base_parameters(for_any_inertia(robot.system)[0], robot.dynamics.gravity_vector)
    matrix = _from_bodies(robot, base)
    return BaseEstimates(base.names, base.units, matrix @ robot.prior.nominal.ravel(),
                         matrix @ bodies.ravel(),
                         np.sqrt(np.maximum(np.diag(matrix @ covariance @ matrix.T), 0.0)))


def _from_bodies(robot: Robot, base: BaseParameters) -> Array:
    """Return the matrix (b, 10 k) to base parameters: a body is as if it were its first link."""
    parts = []
    for body in robot.system.bodies:
        first = body.attached[0]
        place = 10 * base.links.index(first.link.name)
        own = np.array([parameters_of(in_link(first, P)) for P in BASIS]).T
        parts.append(base.matrix[:, place:place + 10] @ own)
    return np.concatenate(parts, axis=1)
