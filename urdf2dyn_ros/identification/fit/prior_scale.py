"""The scale of the bodies' priors, which no current determines where all gains are free."""

from dataclasses import replace

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.bodies import pseudo_inertia
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS
from urdf2dyn_ros.identification.fit.pooled_fit import Pool
from urdf2dyn_ros.identification.robot import Robot


def scale_of_inertias(robot: Robot, bodies: Array) -> float:
    """Return the factor with which the priors are closest to the bodies (b, 10) of a fit."""
    before, after = (pseudo_inertia(each) for each in (
        robot.prior.parameters[:len(bodies)], bodies))
    return float(np.trace(np.linalg.solve(before, after), axis1=1, axis2=2).mean()) / 4.0


def scale_of_efforts(robot: Robot, pool: Pool, bodies: Array) -> float:
    """
    Return the efforts that the bodies (b, 10) of a fit need, over those of the priors.

    It is the median of the joints, each with the weight of what bodies explain of its effort.
    So gravity and the large inertias count, which the URDF has best, and not the inertias of a
    wrist, which are several times as large with the rotors that it lacks.
    """
    ratios, weights = np.ones(len(pool.triangles)), np.zeros(len(pool.triangles))
    for j, (R, used) in enumerate(zip(pool.triangles, robot.columns.bodies)):
        columns = R[:, :R.shape[1] - 1 - len(JOINT_COLUMNS)]
        nominal, own = (columns @ each[used].ravel()
                        for each in (robot.prior.parameters, bodies))
        squares, product = float(nominal @ nominal), float(nominal @ own)
        if squares > 0.0 and product > 0.0:
            ratios[j] = product / squares
            weights[j] = min(1.0, float(own @ own) / max(float(R[:, -1] @ R[:, -1]), 1e-300))
    order = np.argsort(ratios)
    total = np.cumsum(weights[order])
    return float(ratios[order][np.searchsorted(total, 0.5 * total[-1])])


def with_scaled_prior(robot: Robot, factor: float, count: int) -> Robot:
    """Return a robot in which the priors of the first bodies are multiplied by a factor."""
    scale = np.where(np.arange(len(robot.prior.factors)) < count, factor, 1.0)
    return replace(robot, prior=robot.prior._replace(
        parameters=robot.prior.parameters * scale[:, None],
        factors=robot.prior.factors * np.sqrt(scale)[:, None, None]))
