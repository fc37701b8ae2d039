"""
The fit: the possible robot that explains triangles best and differs least from its URDF.

It minimises, over pseudo-inertias P of the bodies and friction and rotors x,

    sum of |residuals of a joint|^2 / sigma^2
        + weight * sum of tr(P0^-1 P) - log det(P0^-1 P) - 4           (Lee, Wensing, Park 2020)
        + SCALAR_WEIGHT * sum of x / x0 - log(x / x0) - 1              where x may not be negative
        + sum of log(gain)^2                                           where a gain is free
        + sum of (offset / x0)^2

The prior is the barrier that keeps P positive definite and x positive. With P = L0 (1 + X) L0' the
sum is convex in X and x, and its barrier self-concordant: Newton's method with a line search finds
the minimum in some ten steps (Boyd, Vandenberghe, Convex Optimization, section 9.6).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    ASYMMETRY,
    JOINT_COLUMNS,
    LOAD,
    OFFSET,
    QUADRATIC,
    STRIBECK,
    USUAL,
    Robot,
    bounded,
    parameters_of,
    parts_of_rows,
    top_speeds,
)
from urdf2dyn_ros.robot.spatial import Array

# ---- Triangles: rows of a least-squares problem, compressed without loss
#
# The upper triangle R of a QR decomposition of [X, z] has the same least-squares problem, for any
# unknowns, as its rows: |X x - z| = |R [x, -1]|. Triangles of parts merge by a QR decomposition of
# one above the other (TSQR; Demmel, Grigori, Hoemmen, Langou 2012), in any order.

_ROWS_AT_ONCE = 4096


def triangle(rows: Array) -> Array:
    """Return the triangle (c, c) of rows (k, c); its diagonal is not negative."""
    columns = rows.shape[1]
    if not rows.any():   # of a joint that is held, as most of a humanoid are
        return np.zeros((columns, columns))
    R: Array = np.zeros((0, columns))
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        R = np.asarray(np.linalg.qr(np.concatenate((R, rows[first:first + _ROWS_AT_ONCE])),
                                    mode='r'))
    square = np.zeros((columns, columns))
    square[:len(R)] = R
    return np.where(np.diag(square) < 0.0, -1.0, 1.0)[:, None] * square


class Pool(NamedTuple):
    """Triangles of all joints."""

    triangles: list[Array]   # (c, c) of each joint
    rows: Array   # (n,), sum of the weights of their rows


def pooled(pools: Sequence[Pool]) -> Pool:
    """Return the pool of several, whose order has no effect beyond rounding."""
    return Pool([triangle(np.concatenate(triangles)) for triangles in zip(*(
        pool.triangles for pool in pools))],
                np.sum([pool.rows for pool in pools], axis=0))


# ---- A fit: what is known of it, and what it finds

SCALAR_WEIGHT = 1e-2   # weight of the prior of friction and rotors: little more than a bound
_PAYLOAD_WEIGHT = 0.1   # weight of the prior of a payload: no URDF has it
_MASS_DEVIATION = 1e-3   # standard deviation of a known mass of a payload, as a share of it
_FACTORS = (1e4, 1e3, 1e2, 10.0, 1.0)   # of the weights of the priors, one after the other
_STEPS = 100
_LEAST_DECREASE = 1e-11   # decrease of the cost that the last step promises, relative to it


class FitTerms(NamedTuple):
    """What is unknown of n joints."""

    unknown: NDArray[np.bool_]   # (n, c), which of JOINT_COLUMNS are, at each joint
    top_speed: Array   # (n,), velocity up to which friction is not negative [rad/s or m/s]
    direction: Array   # (n,), 1 or -1: in which viscous friction is larger, where it differs
    free_gains: tuple[int, ...] = ()   # joints whose columns of bodies are times exp(an unknown)
    fixed: tuple[int, ...] = ()   # bodies that stay as in the URDF
    payload: float | None = None   # mass [kg] of the last body, a payload; NaN: not known


class FitProblem(NamedTuple):
    """Triangles (c, c) of each joint: columns of its bodies, its own JOINT_COLUMNS, the effort."""

    triangles: Sequence[Array]
    bodies: Sequence[Sequence[int]]   # the bodies of each joint's columns
    factors: Array   # (b, 4, 4), L0 of every body
    terms: FitTerms
    scale: Array   # (n, c), x0 of the unknowns of each joint; zero where there is no such unknown
    sigma: Array   # (n,), standard deviation of the residual of each joint
    weight: float = 1.0   # of the prior of bodies


class Fit(NamedTuple):
    """The solution of a problem."""

    bodies: Array   # (b, 10)
    joints: Array   # (n, c), the unknowns JOINT_COLUMNS
    gains: Array   # (n,), measured effort over that of the bodies, 1 where they are known
    unknowns: Array   # (u,), the same in the coordinates of the method
    cost: float

    def solution(self, joint: int, bodies: Sequence[int]) -> Array:
        """Return the unknowns of a joint's triangle."""
        return np.concatenate((self.gains[joint] * self.bodies[list(bodies)].ravel(),
                               self.joints[joint]))


_SYMMETRIC: Array = np.zeros((10, 4, 4))   # an orthonormal basis of symmetric matrices
for _k, (_i, _j) in enumerate(zip(*np.tril_indices(4))):
    _SYMMETRIC[_k, _i, _j] = _SYMMETRIC[_k, _j, _i] = 1.0 if _i == _j else np.sqrt(0.5)
_TRACES = np.trace(_SYMMETRIC, axis1=1, axis2=2)


def slopes_of(L: Array) -> Array:
    """Return the derivatives (b, 10, 10) of the parameters of bodies L (1 + X) L' by X."""
    return parameters_of(np.einsum('bij,kjl,bml->bkim', L, _SYMMETRIC, L)).transpose(0, 2, 1)


class ConsistentFit:
    """Solves a problem; if `signed`, friction and rotors may be negative and have no prior."""

    def __init__(self, problem: FitProblem, signed: bool = False) -> None:
        self.problem = problem
        terms, b, n = problem.terms, len(problem.factors), len(problem.triangles)
        self._bodies_end = 10 * b
        self._weights = np.full(b, problem.weight)
        if terms.payload is not None:
            self._weights[-1] = _PAYLOAD_WEIGHT
        unknown = problem.scale > 0.0
        positive = unknown & (np.arange(len(JOINT_COLUMNS)) != OFFSET) & (not signed)
        self.place, first_gain = np.full(unknown.shape, -1), 10 * b + np.count_nonzero(unknown)
        self.place[unknown] = np.arange(10 * b, first_gain)
        self._unknown, self._scalars = unknown, self.place[positive]
        self._count = first_gain + len(terms.free_gains)
        gains = np.arange(first_gain, self._count)
        self.gain_place = np.full(n, -1)
        self.gain_place[list(terms.free_gains)] = gains
        # an approximation of a gain is wrong by a factor of two or three, an offset is small
        offsets = self.place[unknown[:, OFFSET] & (not signed), OFFSET]
        self._squared = np.concatenate((offsets, gains))
        speeds = np.where(unknown[:, QUADRATIC], terms.top_speed, np.inf)
        self._to_joint = [*map(bounded, speeds.tolist(), terms.direction.tolist())]
        self._free = np.ones(self._count)
        for body in terms.fixed:
            self._free[10 * body:10 * body + 10] = 0.0
        L = problem.factors
        self.slopes = slopes_of(L)
        self._prior_bodies = parameters_of(L @ L.transpose(0, 2, 1))
        self._whiten()

    def _whiten(self) -> None:
        """Make the parts of `linearised` that are the same for all unknowns."""
        problem = self.problem
        self._joint = np.repeat(np.arange(len(problem.triangles)), [*map(len, problem.triangles)])
        self._of_bodies, self._of_joints = np.zeros((2, len(self._joint), self._count))
        self._nominal, self._target = np.zeros((2, len(self._joint)))
        for j, (R, bodies) in enumerate(zip(problem.triangles, problem.bodies)):
            if not R.any():
                continue
            rows, matrix = self._joint == j, R / problem.sigma[j]
            self._target[rows] = matrix[:, -1]
            for k, body in enumerate(bodies):
                part = matrix[:, 10 * k:10 * k + 10]
                self._of_bodies[rows, 10 * body:10 * body + 10] += part @ self.slopes[body]
                self._nominal[rows] += part @ self._prior_bodies[body]
            of_joint = matrix[:, 10 * len(bodies):-1] @ self._to_joint[j] * problem.scale[j]
            unknown = self._unknown[j]
            self._of_joints[np.ix_(rows, self.place[j][unknown])] = of_joint[:, unknown]
        mass = problem.terms.payload
        if mass is not None and np.isfinite(mass):   # one more residual
            deviation = _MASS_DEVIATION * mass
            row = np.zeros((1, self._count))
            row[0, self._bodies_end - 10:self._bodies_end] = self.slopes[-1, 0] / deviation
            self._joint = np.append(self._joint, 0)
            self._nominal = np.append(self._nominal, 0.0)
            self._target = np.append(self._target, (mass - self._prior_bodies[-1, 0]) / deviation)
            self._of_bodies = np.vstack((self._of_bodies, 0.0 * row))
            self._of_joints = np.vstack((self._of_joints, row))
        self._jacobian = self._of_bodies * self._free + self._of_joints

    def start(self) -> Array:   # the unknowns of the prior
        u = np.zeros(self._count)
        u[self._scalars] = 1.0
        return u

    def solve(self, unknowns: Array | None = None) -> Fit:
        """Return the solution, from a first approximation if there is one."""
        # else the prior is made so strong at first that its minimum is near, and weaker step by
        # step: from afar a faint barrier takes thousands of steps
        u, factors = (self.start(), _FACTORS) if unknowns is None else (unknowns, _FACTORS[-1:])
        for factor in factors:
            u, cost = self._newton(u, factor)
        return Fit(self._bodies(u), self._joints(u), self._gains_of(u), u, cost)

    def _newton(self, u: Array, factor: float) -> tuple[Array, float]:
        """Return the unknowns of the least cost with priors times a factor, and this."""
        residual, jacobian = self.linearised(u)
        cost, squared = self._cost(u, residual, factor), jacobian.T @ jacobian
        near = factor * SCALAR_WEIGHT if factor > 1.0 else 0.0
        for _ in range(_STEPS):
            gradient, hessian = self._prior_slopes(u, factor)
            gradient += 2.0 * jacobian.T @ residual
            hessian += 2.0 * squared
            hessian += np.diag(1e-13 * np.diag(hessian) + 1e-12)
            step = -np.linalg.solve(hessian, gradient)
            promised = -float(gradient @ step)
            size = 1.0
            while size > 1e-9:
                new, new_jacobian = self.linearised(u + size * step)
                new_cost = self._cost(u + size * step, new, factor)
                if new_cost <= cost - 1e-4 * size * promised + 1e-14 * abs(cost):
                    break
                size *= 0.5
            else:
                break
            if new_jacobian is not jacobian:   # without free gains it is always the same
                squared = new_jacobian.T @ new_jacobian
            u, residual, jacobian, cost = u + size * step, new, new_jacobian, new_cost
            if promised <= max(_LEAST_DECREASE * abs(cost), near):
                break
        return u, cost

    def solve_linear(self) -> Fit:
        """Return the solution with a quadratic prior of the bodies instead of the barrier."""
        residual, jacobian = self.linearised(np.zeros(self._count))
        normal = jacobian.T @ jacobian
        normal += np.diag(1e-9 * np.diag(normal) + 1e-9)
        bodies = range(self._bodies_end)
        normal[bodies, bodies] += 0.5 * np.repeat(self._weights, 10)
        u = np.asarray(-np.linalg.solve(normal, jacobian.T @ residual), dtype=np.float64)
        return Fit(self._bodies(u), self._joints(u), np.ones(len(self.problem.triangles)), u,
                   np.nan)

    def linearised(self, u: Array) -> tuple[Array, Array]:
        """Return the whitened residuals of all joints and a mass (m,), and their Jacobian."""
        explained = self._nominal + self._of_bodies @ u
        if not self.problem.terms.free_gains:
            return explained + self._of_joints @ u - self._target, self._jacobian
        gains = self._gains_of(u)[self._joint]
        explained *= gains
        jacobian = gains[:, None] * self._of_bodies * self._free + self._of_joints
        places = self.gain_place[self._joint]
        rows = np.flatnonzero(places >= 0)
        jacobian[rows, places[rows]] = explained[rows]
        return explained + self._of_joints @ u - self._target, jacobian

    def information(self, u: Array) -> tuple[Array, Array]:
        """Return half of the Hessian of the cost that the prior has (u, u), at u and at first."""
        return 0.5 * self._prior_slopes(u)[1], 0.5 * self._prior_slopes(self.start())[1]

    def joint_deviations(self, covariance: Array) -> Array:
        """Return the deviations (n, c) of JOINT_COLUMNS, NaN for what is no unknown."""
        result = np.full(self.place.shape, np.nan)
        for joint, places in enumerate(self.place):
            there = np.flatnonzero(places >= 0)
            slope = (self._to_joint[joint] * self.problem.scale[joint])[:, there]
            block = covariance[np.ix_(places[there], places[there])]
            result[joint, there] = np.sqrt(np.diag(slope @ block @ slope.T))[there]
        return result

    def _matrices(self, u: Array) -> Array:   # 1 + X of each body
        return np.eye(4) + np.tensordot(u[:self._bodies_end].reshape(-1, 10), _SYMMETRIC, axes=1)

    def _bodies(self, u: Array) -> Array:
        entries = u[:self._bodies_end].reshape(-1, 10)
        return np.asarray(self._prior_bodies + np.einsum('bij,bj->bi', self.slopes, entries))

    def _joints(self, u: Array) -> Array:
        values = np.where(self._unknown, self.problem.scale * u[self.place], 0.0)
        return np.array([matrix @ row for matrix, row in zip(self._to_joint, values)])

    def _gains_of(self, u: Array) -> Array:
        return np.asarray(np.exp(np.where(self.gain_place >= 0, u[self.gain_place], 0.0)))

    def _cost(self, u: Array, residual: Array, factor: float) -> float:
        """Return the sum to minimise, infinite for impossible bodies and negative friction."""
        values = u[self._scalars]
        moments = np.linalg.eigvalsh(self._matrices(u))
        if (values <= 0.0).any() or (moments <= 0.0).any():
            return np.inf
        prior = float(self._weights @ (moments - np.log(moments) - 1.0).sum(axis=1))
        prior += SCALAR_WEIGHT * float((values - np.log(values) - 1.0).sum())
        return (float(residual @ residual) + factor * prior
                + float(np.square(u[self._squared]).sum()))

    def _prior_slopes(self, u: Array, factor: float = 1.0) -> tuple[Array, Array]:
        """Return gradient (u,) and Hessian (u, u) of the prior."""
        gradient, hessian = np.zeros(self._count), np.zeros((self._count, self._count))
        turned = np.linalg.inv(self._matrices(u))[:, None] @ _SYMMETRIC   # (b, 10, 4, 4)
        weights, scalar = factor * self._weights[:, None], factor * SCALAR_WEIGHT
        rows = np.arange(self._bodies_end).reshape(-1, 10)
        gradient[rows] = weights * (_TRACES - np.trace(turned, axis1=2, axis2=3))
        hessian[rows[:, :, None], rows[:, None]] = weights[:, :, None] * (
            turned.reshape(-1, 10, 16) @ turned.transpose(0, 3, 2, 1).reshape(-1, 16, 10))
        values = u[self._scalars]
        gradient[self._scalars] = scalar * (1.0 - 1.0 / values)
        hessian[self._scalars, self._scalars] = scalar / values ** 2
        gradient[self._squared] = 2.0 * u[self._squared]
        hessian[self._squared, self._squared] = 2.0
        return gradient, hessian


# ---- Fits of pooled triangles: their scales, deviations of residuals, and which terms there are

PRIOR_WEIGHT = 10.0   # weight of the prior where no other one is chosen
FAINT_WEIGHT = 1e-3   # weight of the prior where what the data alone determine is judged
_PASSES = 4   # fits after each of which the deviations of residuals are estimated again
_FIRST_SIGMA = (0.01, 0.3)   # least and largest one before these, as a share of the efforts
_PRIOR_SHARE = 0.1   # share of a joint's effort that the prior of a friction explains
_NEGLIGIBLE_SHARE = 1e-3   # below which it is zero: the data would have it negative
_SIGNIFICANT_DEVIATIONS = 3.0   # deviations from which on a value differs from zero
_BETTER_FRICTION = 0.95   # residual of held-out parts by a further term of friction that is used
LEAST_SIGMA = 1e-9


def used_terms(robot: Robot, used: NDArray[np.bool_], fastest: Array,
               free_gains: tuple[int, ...] = ()) -> FitTerms:
    """Return the terms of the usual unknowns of the joints that are used (n,)."""
    every = np.zeros((len(used), len(JOINT_COLUMNS)), dtype=bool)
    every[:, USUAL] = used[:, None]
    return FitTerms(every, top_speeds(robot.speed_limits, fastest), np.ones(len(used)),
                    free_gains)


class PooledFit(NamedTuple):
    """A fit with the standard deviations (n,) of its residuals, and its problem."""

    fit: Fit
    sigma: Array
    problem: FitProblem

    @property
    def urdf_bodies(self) -> int:
        """Number of the bodies without a payload."""
        return len(self.problem.factors) - (self.problem.terms.payload is not None)

    @property
    def urdf_variance(self) -> float:
        """Variance of the URDF's bodies over that of a prior with the weight of the fit."""
        return max(1.0, self.problem.weight / _URDF_WEIGHT)


def scales(pool: Pool, terms: FitTerms) -> Array:
    """Return the x0 (n, c) of friction and rotors; 0 for those that are no unknowns."""
    result = np.zeros(terms.unknown.shape)
    for j, R in enumerate(pool.triangles):
        _, own, effort = parts_of_rows(R)
        sizes, most = np.linalg.norm(own, axis=0).tolist(), float(np.linalg.norm(effort))
        for k in np.flatnonzero(terms.unknown[j]):
            if sizes[k] > 0.0 and most > 0.0:
                # qd |qd| / v is as large as the column of quadratic friction over v
                size = sizes[k] / (terms.top_speed[j] if k == QUADRATIC else 1.0)
                result[j, k] = _PRIOR_SHARE * most / size
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
    unknowns = None if begin is None or linear else begin.fit.unknowns
    scale = scales(pool, terms) if begin is None else begin.problem.scale
    terms = terms._replace(free_gains=()) if linear else terms
    passes = (2 if linear else _PASSES) if begin is None else 1 if linear else 2
    if begin is not None:
        sigma = begin.sigma
    else:   # what hardly any prior leaves, as from a larger one bodies would never leave the prior
        least, most = (share * sizes / np.sqrt(rows) for share in _FIRST_SIGMA)
        first = FitProblem(pool.triangles, robot.columns.bodies, robot.prior.factors,
                           terms._replace(free_gains=()), scale, np.where(most > 0.0, most, 1.0),
                           FAINT_WEIGHT)
        squared = squares(ConsistentFit(first, signed=True).solve_linear(), pool, robot)
        sigma = np.clip(np.sqrt(squared / rows), least, most)
    for _ in range(passes):
        sigma = np.where(sizes > 0.0, np.maximum(sigma, LEAST_SIGMA * (sizes + 1e-9)), 1.0)
        problem = FitProblem(pool.triangles, robot.columns.bodies, robot.prior.factors, terms,
                             scale, sigma, weight)
        method = ConsistentFit(problem, signed=linear)
        fit = method.solve_linear() if linear else method.solve(unknowns)
        unknowns = fit.unknowns
        sigma = np.sqrt(squares(fit, pool, robot) / rows)
    return PooledFit(fit, sigma, problem)


def squares(fit: Fit, pool: Pool, robot: Robot) -> Array:
    """Return the sum of the squared residuals (n,) of a pool's rows."""
    residuals = [R[:, :-1] @ fit.solution(j, bodies) - R[:, -1] for j, (R, bodies) in enumerate(
        zip(pool.triangles, robot.columns.bodies))]
    return np.array([float(residual @ residual) for residual in residuals])


def fits_to_others(robot: Robot, pools: Sequence[Pool], terms: FitTerms, weight: float,
                   begin: PooledFit | None = None, linear: bool = False) -> list[PooledFit]:
    """Return for each pool a fit to all others; each begins with the one before it."""
    fits = []
    for number in range(len(pools)):
        others = pooled([pool for k, pool in enumerate(pools) if k != number])
        begin = fitted(robot, others, terms, weight, begin, linear)
        fits.append(begin)
    return fits


def left_squares(robot: Robot, fits: Sequence[PooledFit],
                 pools: Sequence[Pool]) -> tuple[Array, Array]:
    """Return the squares of residuals (n,) that fits leave of their pools, and the rows (n,)."""
    return (np.sum([squares(fit.fit, pool, robot) for fit, pool in zip(fits, pools)], axis=0),
            np.sum([pool.rows for pool in pools], axis=0))


def significant_terms(robot: Robot, pool: Pool, terms: FitTerms, weight: float,
                      correlation: Array) -> tuple[FitTerms, NDArray[np.bool_]]:
    """
    Return the terms without what has no significant effect, and which rotors want to be negative.

    An effort that hardly varies cannot distinguish friction with the load from Coulomb friction,
    nor a slow motion quadratic from viscous friction, with huge values at other velocities. The
    values that are judged may be negative. The correlation (n,) is the number of rows that count
    as one.
    """
    result = fitted(robot, pool, terms, weight, linear=True)
    method = ConsistentFit(result.problem, signed=True)
    _, jacobian = method.linearised(result.fit.unknowns)
    normal = jacobian.T @ jacobian + method.information(method.start())[1]
    normal += np.diag(1e-9 * np.diag(normal) + 1e-9)
    covariance: Array = np.asarray(np.linalg.inv(normal), dtype=np.float64)
    values, errors = result.fit.joints, _SIGNIFICANT_DEVIATIONS * (
        method.joint_deviations(covariance) * np.sqrt(correlation)[:, None])
    unknown = terms.unknown.copy()
    unknown[:, LOAD] &= values[:, LOAD] > errors[:, LOAD]
    unknown[:, QUADRATIC] &= np.abs(values[:, QUADRATIC]) > errors[:, QUADRATIC]
    return terms._replace(unknown=unknown), np.asarray(values[:, ARMATURE] < -errors[:, ARMATURE])


def with_further_friction(robot: Robot, pools: Sequence[Pool], judged: Sequence[Pool],
                          terms: FitTerms, weight: float, fits: list[PooledFit],
                          ) -> tuple[FitTerms, list[PooledFit], Array]:
    """
    Return terms with Stribeck friction and asymmetry, where these predict held-out parts better.

    Both are tried at all joints in linear fits, and where those leave 5 % less, in fits of
    possible robots. Second, the fits without each part, and third, the share (n,) that they leave
    of the residual of `fits`, which have the usual friction.
    """
    def residual_of(trial_fits: Sequence[PooledFit]) -> Array:
        return np.sqrt(left_squares(robot, trial_fits, judged)[0])

    def tried(joints: NDArray[np.bool_], columns: NDArray[np.int64] | int) -> FitTerms:
        unknown = terms.unknown.copy()
        unknown[np.arange(len(unknown)), columns] |= joints
        return terms._replace(unknown=unknown)

    usual = least = residual_of(fits)
    joints = usual > 0.0
    for candidates in (np.array(STRIBECK), np.array([ASYMMETRY])):
        limit = _BETTER_FRICTION * residual_of(
            fits_to_others(robot, pools, terms, weight, linear=True))
        trials = [fits_to_others(robot, pools, tried(joints, column), weight, linear=True)
                  for column in candidates]
        values = np.array([trial[-1].fit.joints[:, column]
                           for trial, column in zip(trials, candidates)])
        possible = (values > 0.0) | (candidates[:, None] == ASYMMETRY)
        errors = np.where(possible, [residual_of(trial) for trial in trials], np.inf)
        columns, promising = candidates[errors.argmin(axis=0)], joints & (
            errors.min(axis=0) < limit)
        if ASYMMETRY in candidates:
            terms = terms._replace(direction=np.where(promising, np.sign(values[0]),
                                                      terms.direction))
        while promising.any():
            further = fits_to_others(robot, pools, tried(promising, columns), weight)
            worse = promising & (residual_of(further) >= _BETTER_FRICTION * least)
            if not worse.any():
                terms, fits, least = tried(promising, columns), further, residual_of(further)
                break
            promising &= ~worse
    return terms, fits, least / np.where(joints, usual, 1.0)


def cleaned(fit: Fit, problem: FitProblem) -> Fit:
    """Return a fit with exact zeros for negligible friction and rotors."""
    signed = np.arange(len(JOINT_COLUMNS)) == OFFSET
    least = _NEGLIGIBLE_SHARE * problem.scale / _PRIOR_SHARE
    small = (np.abs(fit.joints) < least) & ~signed
    return fit._replace(joints=np.where(small, 0.0, fit.joints))


# ---- Standard deviations of identified parameters, and where their values come from

DATA, BOTH, URDF = 'data', 'data and URDF', 'URDF'   # sources of a parameter's value
# standard deviation over that of the prior alone, up to and from which one source counts
_MOSTLY_DATA, _MOSTLY_URDF = 0.2, 0.8
_URDF_WEIGHT = 10.0   # weight of a prior that is as certain as a URDF is at best: 45 % of a mass


class Deviations(NamedTuple):
    """Standard deviations."""

    bodies: Array   # (b, 10)
    bodies_left: Array   # (b, 10), over those of the prior
    joints: Array   # (n, c), NaN for what is no unknown
    covariance: Array   # (10 b, 10 b), of the parameters of all bodies
    known: int   # combinations of the bodies' parameters that the data determine
    unknowns: int   # number of such combinations


def source_of_value(share: float) -> str:
    """Return the source of a value from the share of the prior's deviation that is left."""
    return DATA if share < _MOSTLY_DATA else URDF if share > _MOSTLY_URDF else BOTH


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
    rows = slice(0, 10 * result.urdf_bodies)
    prior[rows, rows] *= result.urdf_variance
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
    of_bodies = slice(0, 10 * len(problem.factors))
    factors = []
    for j, (R, bodies, part) in enumerate(zip(problem.triangles, problem.bodies, parts)):
        columns = slice(0, 10 * len(bodies))
        changes = [R[:, columns] @ (fit.fit.solution(j, bodies) - result.fit.solution(j, bodies))[
            columns] / problem.sigma[j] for fit in fits]
        seen = (len(fits) - 1) / len(fits) * float(np.square(changes).sum())
        expected = float(np.sum((part * covariance)[of_bodies, of_bodies]))
        factors.append(max(1.0, seen / expected) if expected > 0.0 else 1.0)
    return np.asarray(correlation * np.array(factors))


def compute_deviations(result: PooledFit, correlation: Array) -> Deviations:
    """Return the deviations of a fit; correlation (n,) is how many rows count as one."""
    method = ConsistentFit(result.problem)
    _, first = method.information(result.fit.unknowns)
    covariance, parts = covariance_of(result, correlation)
    urdf = result.urdf_bodies
    before = result.urdf_variance / np.diag(first)[:10 * urdf:10]
    bodies, shares = np.empty((2, urdf, 10))
    slopes = np.zeros((10 * urdf, 10 * urdf))
    for body, slope in enumerate(method.slopes[:urdf]):
        rows = slice(10 * body, 10 * body + 10)
        slopes[rows, rows] = slope
        bodies[body] = np.sqrt(np.diag(slope @ covariance[rows, rows] @ slope.T))
        shares[body] = bodies[body] / np.sqrt(before[body] * np.diag(slope @ slope.T))
    of_urdf = slice(0, 10 * urdf)
    information = before[0] * sum(part[of_urdf, of_urdf] / factor
                                  for factor, part in zip(correlation, parts))
    determined = int((np.linalg.eigvalsh(information) > _MOSTLY_DATA ** -2).sum())
    return Deviations(bodies, shares, method.joint_deviations(covariance),
                      slopes @ covariance[of_urdf, of_urdf] @ slopes.T, determined, 10 * urdf)
