"""Standard deviations of identified parameters, and where their values come from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.consistent_fit import ConsistentFit
from urdf2dyn_ros.identification.fit.pooled_fit import PooledFit

DATA, BOTH, URDF = 'data', 'data and URDF', 'URDF'
"""Sources of a parameter's value."""

_MOSTLY_DATA, _MOSTLY_URDF = 0.2, 0.8
"""Standard deviation over that of the prior alone, up to and from which one source counts."""


_URDF_WEIGHT = 10.0
"""Weight of a prior that is as certain as a URDF is at best: 45 % of a mass."""


class Deviations(NamedTuple):
    """Standard deviations, and the share of the prior's that is left."""

    bodies: Array   # (b, 10)
    bodies_left: Array   # (b, 10)
    joints: Array   # (n, 6), NaN for what is no unknown
    gains: Array   # (n,), of the logarithms of free gains; NaN for known ones
    # (n,), the same of their ratios to the mean of all, weighted by what is known of each
    ratios: Array
    covariance: Array   # (10 b, 10 b), of the parameters of all bodies
    known: int   # combinations of the bodies' parameters that the data determine
    unknowns: int   # number of such combinations


def source_of_value(left: float) -> str:
    """Return the source of a value from the share of the prior's deviation that is left."""
    return DATA if left < _MOSTLY_DATA else URDF if left > _MOSTLY_URDF else BOTH


def _urdf_bodies(result: PooledFit) -> int:
    return len(result.problem.factors) - (result.problem.payload is not None)


def _urdf_variance(result: PooledFit) -> float:
    """Return the variance of the URDF's bodies over that of a prior with the weight of the fit."""
    return max(1.0, result.problem.weight / _URDF_WEIGHT)


def covariance_of(result: PooledFit, correlation: Array) -> tuple[Array, list[Array]]:
    """
    Return the covariance of the unknowns (u, u), and the information of each joint in them.

    Neighbouring residuals are alike, so that the covariance of independent ones is too small:
    it is A^-1 B A^-1, where each joint's information in A is counted correlation times in B.
    """
    method, u = ConsistentFit(result.problem), result.fit.unknowns
    _, jacobian = method.linearised(u)
    prior, _ = method.information(u)
    ends = np.cumsum([len(R) for R in result.problem.triangles])
    *parts, mass = (part.T @ part for part in np.split(jacobian, ends))
    total = np.sum(parts, axis=0) + mass + prior
    tiny = np.diag(1e-12 * np.diag(total) + 1e-12)
    inverse = np.linalg.inv(total + tiny)
    rows = slice(0, 10 * _urdf_bodies(result))
    prior[rows, rows] *= _urdf_variance(result)
    meat = sum(factor * part for factor, part in zip(correlation, parts)) + mass + prior + tiny
    return inverse @ meat @ inverse, parts


def with_spread_of_parts(result: PooledFit, fits: Sequence[PooledFit],
                         correlation: Array) -> Array:
    """
    Return the correlation (n,), larger where fits without a part differ by more than it explains.

    What a model lacks, as friction that changes with the temperature, is another error in every
    part, which neighbouring residuals do not show. The efforts of bodies that the fits predict
    for a joint vary by so much (jackknife; Efron 1982), and by the covariance by so much.
    """
    covariance, parts = covariance_of(result, correlation)
    problem = result.problem
    bodies = slice(0, 10 * len(problem.factors))
    factors = []
    for j, (R, used, part) in enumerate(zip(problem.triangles, problem.bodies, parts)):
        columns = slice(0, 10 * len(used))
        changes = [R[:, columns] @ (each.fit.solution(j, used) - result.fit.solution(j, used))[
            columns] / problem.sigma[j] for each in fits]
        seen = (len(fits) - 1) / len(fits) * float(np.square(changes).sum())
        expected = float(np.sum((part * covariance)[bodies, bodies]))
        factors.append(max(1.0, seen / expected) if expected > 0.0 else 1.0)
    larger: Array = correlation * np.array(factors)
    return larger


def deviations(result: PooledFit, correlation: Array) -> Deviations:
    """Return the deviations of a fit; correlation (n,) is how many rows count as one."""
    problem = result.problem
    method = ConsistentFit(problem)
    _, first = method.information(result.fit.unknowns)
    covariance, parts = covariance_of(result, correlation)
    count = len(problem.factors)
    before = _urdf_variance(result) / np.diag(first)[:10 * count:10]
    bodies, left = np.empty((2, count, 10))
    for body, slope in enumerate(method.slopes):
        rows = slice(10 * body, 10 * body + 10)
        bodies[body] = np.sqrt(np.diag(slope @ covariance[rows, rows] @ slope.T))
        left[body] = bodies[body] / np.sqrt(before[body] * np.diag(slope @ slope.T))
    gains, ratios = np.full((2, len(method.gain_place)), np.nan)
    free = np.flatnonzero(method.gain_place >= 0)
    if len(free):
        block = covariance[np.ix_(method.gain_place[free], method.gain_place[free])]
        gains[free], ratios[free] = np.sqrt(np.diag(block)), deviations_of_ratios(block)
    urdf = _urdf_bodies(result)
    used = slice(0, 10 * urdf)
    information = before[0] * sum(part / factor for factor, part in zip(correlation, parts))
    known = int((np.linalg.eigvalsh(information[used, used]) > _MOSTLY_DATA ** -2).sum())
    slopes = np.zeros((10 * urdf, 10 * urdf))
    for body, slope in enumerate(method.slopes[:urdf]):
        slopes[10 * body:10 * body + 10, 10 * body:10 * body + 10] = slope
    return Deviations(bodies[:urdf], left[:urdf], method.joint_deviations(covariance), gains,
                      ratios, slopes @ covariance[used, used] @ slopes.T, known, 10 * urdf)


def deviations_of_ratios(covariance: Array) -> Array:
    """Return the deviations (m,) of logarithms of gains, without their mean of least variance."""
    weights = 1.0 / np.diag(covariance)
    centred = np.eye(len(weights)) - weights / weights.sum()
    variances = np.diag(centred @ covariance @ centred.T)
    deviations: Array = np.sqrt(np.maximum(variances, 0.0))   # one alone has none but rounding
    return deviations
