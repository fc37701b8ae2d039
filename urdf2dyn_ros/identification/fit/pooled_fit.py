"""Fits of pooled triangles: their scales, deviations of residuals, and which terms there are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.consistent_fit import ConsistentFit
from urdf2dyn_ros.identification.fit.fit_problem import Fit, FitProblem
from urdf2dyn_ros.identification.fit.joint_columns import (
    ARMATURE,
    JOINT_COLUMNS,
    LOAD,
    OFFSET,
    QUADRATIC,
    top_speeds,
)
from urdf2dyn_ros.identification.fit.payload_term import PayloadTerm
from urdf2dyn_ros.identification.fit.triangles import merged_triangle, residual_squares
from urdf2dyn_ros.identification.robot import Robot

PRIOR_WEIGHT = 10.0
"""Weight of the prior where no other one is chosen."""

_PASSES = 4
"""Fits after each of which the standard deviations of the residuals are estimated again."""

_PRIOR_SHARE = 0.1
"""Share of a joint's effort that the prior of a friction explains."""

_NEGLIGIBLE_SHARE = 1e-3
"""Share below which a friction or rotor is zero: the data would have it negative."""

_SIGNIFICANT_DEVIATIONS = 3.0
"""Deviations from which on a value differs from zero."""

LEAST_SIGMA = 1e-9


class Pool(NamedTuple):
    """Triangles of all joints."""

    triangles: list[Array]   # (c, c) of each joint
    rows: Array   # (n,), sum of the weights of their rows


class FitTerms(NamedTuple):
    """
    Unknowns of each joint (n, 6), and the velocity up to which its friction is bounded.

    The others are those of FitProblem.
    """

    used: NDArray[np.bool_]
    top_speed: Array
    free_gains: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()
    sets: int = 1
    payload: PayloadTerm | None = None


def used_terms(robot: Robot, used: Array, fastest: Array,
               free_gains: tuple[int, ...] = ()) -> FitTerms:
    """Return the terms of all unknowns of the joints that are used (n,)."""
    every = np.broadcast_to(used[:, None] > 0, (len(used), len(JOINT_COLUMNS)))
    return FitTerms(every, top_speeds(robot.speed_limits, fastest), free_gains)


class PooledFit(NamedTuple):
    """A fit with the standard deviations (n,) of its residuals, and its problem."""

    fit: Fit
    sigma: Array
    problem: FitProblem


def pooled(pools: Sequence[Pool]) -> Pool:
    """Return the pool of several, whose order has no effect beyond rounding."""
    return Pool([merged_triangle(each) for each in zip(*(pool.triangles for pool in pools))],
                np.sum([pool.rows for pool in pools], axis=0))


def scales(pool: Pool, terms: FitTerms) -> Array:
    """Return the x0 (n, 6) of friction and rotors; 0 for those that are no unknowns."""
    result = np.zeros(terms.used.shape)
    for j, R in enumerate(pool.triangles):
        sizes = np.linalg.norm(R, axis=0)
        for k in range(len(JOINT_COLUMNS)):
            size = sizes[len(sizes) - 1 - len(JOINT_COLUMNS) + k]
            if terms.used[j, k] and size > 0.0 and sizes[-1] > 0.0:
                # qd |qd| / v is as large as the column of quadratic friction over v
                size /= terms.top_speed[j] if JOINT_COLUMNS[k] == 'quadratic' else 1.0
                result[j, k] = _PRIOR_SHARE * sizes[-1] / size
    rotors = result[:, ARMATURE].reshape(terms.sets, -1)
    result[:, ARMATURE] = np.where(rotors > 0.0, rotors.max(axis=0), 0.0).ravel()
    return result


def fitted(robot: Robot, pool: Pool, terms: FitTerms, weight: float,
           begin: PooledFit | None = None, linear: bool = False) -> PooledFit:
    """
    Return the fit of a pool with a weight of the prior, from the approximation of another.

    A linear one is not bounded: friction, rotors and bodies may be impossible; it has no unknown
    gains.
    """
    sizes = np.array([np.linalg.norm(R[:, -1]) for R in pool.triangles])
    rows = np.maximum(pool.rows, 1.0)
    sigma = 0.3 * sizes / np.sqrt(rows) if begin is None else begin.sigma
    unknowns = None if begin is None or linear else begin.fit.unknowns
    scale = scales(pool, terms) if begin is None else begin.problem.scale
    passes = (2 if linear else _PASSES) if begin is None else 1 if linear else 2
    for _ in range(passes):
        sigma = np.where(sizes > 0.0, np.maximum(sigma, LEAST_SIGMA * (sizes + 1e-9)), 1.0)
        problem = FitProblem(pool.triangles, robot.columns.bodies, robot.prior.factors, scale,
                             terms.top_speed, sigma, weight,
                             () if linear else terms.free_gains, terms.fixed, terms.sets,
                             terms.payload)
        method = ConsistentFit(problem, signed=linear)
        fit = method.solve_linear() if linear else method.solve(unknowns)
        unknowns = fit.unknowns
        sigma = np.sqrt(squares(fit, pool, robot) / rows)
    return PooledFit(fit, sigma, problem)


def squares(fit: Fit, pool: Pool, robot: Robot) -> Array:
    """Return the sum of the squared residuals (n,) of a pool's rows."""
    return np.array([residual_squares(R, fit.solution(j, used)) for j, (R, used) in enumerate(
        zip(pool.triangles, robot.columns.bodies))])


def fits_to_others(robot: Robot, pools: Sequence[Pool], terms: FitTerms, weight: float,
                   begin: PooledFit | None = None, linear: bool = False) -> list[PooledFit]:
    """Return for each pool a fit to all others; each begins with the one before it."""
    fits = []
    for number in range(len(pools)):
        others = pooled([each for k, each in enumerate(pools) if k != number])
        begin = fitted(robot, others, terms, weight, begin, linear)
        fits.append(begin)
    return fits


def left_squares(robot: Robot, fits: Sequence[PooledFit],
                 pools: Sequence[Pool]) -> tuple[Array, Array]:
    """Return the squares of residuals (n,) that fits leave of their pools, and the rows (n,)."""
    return (np.sum([squares(each.fit, pool, robot) for each, pool in zip(fits, pools)], axis=0),
            np.sum([pool.rows for pool in pools], axis=0))


def signed_terms(robot: Robot, pool: Pool, terms: FitTerms, weight: float,
                 correlation: Array) -> tuple[Array, Array]:
    """
    Return JOINT_COLUMNS (n, 6) that may be negative, and their deviations, NaN for no unknowns.

    The correlation (n,) is the number of rows that count as one.
    """
    result = fitted(robot, pool, terms, weight, linear=True)
    method = ConsistentFit(result.problem, signed=True)
    _, jacobian = method.linearised(result.fit.unknowns)
    normal = jacobian.T @ jacobian + method.information(method.start())[1]
    normal += np.diag(1e-9 * np.diag(normal) + 1e-9)
    covariance: Array = np.asarray(np.linalg.inv(normal), dtype=np.float64)
    return (result.fit.joints,
            method.joint_deviations(covariance) * np.sqrt(correlation)[:, None])


def with_significant_terms(terms: FitTerms, signed: tuple[Array, Array]) -> FitTerms:
    """
    Return the terms without friction with the load, and quadratic, that has no significant effect.

    An effort that hardly varies cannot distinguish the former from Coulomb friction, nor a slow
    motion the latter from viscous friction, with huge values at other velocities.
    """
    used = terms.used.copy()
    values, errors = signed
    used[:, LOAD] &= values[:, LOAD] > _SIGNIFICANT_DEVIATIONS * errors[:, LOAD]
    used[:, QUADRATIC] &= np.abs(values[:, QUADRATIC]) > (
        _SIGNIFICANT_DEVIATIONS * errors[:, QUADRATIC])
    return terms._replace(used=used)


def with_negative_rotors(signed: tuple[Array, Array]) -> NDArray[np.bool_]:
    """Return which joints' data would have a negative rotor inertia."""
    values, errors = (each[:, ARMATURE] for each in signed)
    return np.asarray(values < -_SIGNIFICANT_DEVIATIONS * errors)


def cleaned(fit: Fit, problem: FitProblem) -> Fit:
    """Return a fit with exact zeros for negligible friction and rotors."""
    signed = np.arange(len(JOINT_COLUMNS)) == OFFSET
    least = _NEGLIGIBLE_SHARE * problem.scale / _PRIOR_SHARE
    small = (np.abs(fit.joints) < least) & ~signed
    small[:, QUADRATIC] &= np.abs(fit.joints[:, QUADRATIC]) * problem.top_speed < (
        least[:, QUADRATIC])
    return fit._replace(joints=np.where(small, 0.0, fit.joints))
