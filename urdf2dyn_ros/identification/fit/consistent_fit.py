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

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.bodies import parameters_of
from urdf2dyn_ros.identification.fit.fit_problem import Fit, FitProblem
from urdf2dyn_ros.identification.fit.joint_columns import (
    ARMATURE,
    JOINT_COLUMNS,
    OFFSET,
    QUADRATIC,
    bounded,
)
from urdf2dyn_ros.identification.fit.payload_term import prior_weights

SCALAR_WEIGHT = 1e-2
"""Weight of the prior of friction and rotors: little more than a bound."""

_STEPS = 100
_LEAST_DECREASE = 1e-11
"""Decrease of the cost that a step promises, relative to it, at which it is the last."""


def _symmetric() -> Array:
    """Return an orthonormal basis (10, 4, 4) of symmetric matrices."""
    result = np.zeros((10, 4, 4))
    for k, (i, j) in enumerate(zip(*np.tril_indices(4))):
        result[k, i, j] = result[k, j, i] = 1.0 if i == j else np.sqrt(0.5)
    return result


_SYMMETRIC = _symmetric()
_TRACES = np.trace(_SYMMETRIC, axis1=1, axis2=2)


def slopes_of(L: Array) -> Array:
    """Return the derivatives (b, 10, 10) of the parameters of bodies L (1 + X) L' by X."""
    return parameters_of(np.einsum('bij,kjl,bml->bkim', L, _SYMMETRIC, L)).transpose(0, 2, 1)


def _places(used: NDArray[np.bool_], sets: int, first: int) -> tuple[NDArray[np.int64], int]:
    """Return the places of the used unknowns of joints (n, 6), and that after the last."""
    number = np.arange(used.size).reshape(used.shape)
    number[:, ARMATURE] = np.tile(number[:len(number) // sets, ARMATURE], sets)
    distinct, places = np.unique(number[used], return_inverse=True)
    return first + places, first + len(distinct)


class ConsistentFit:
    """
    Residuals and Jacobian of a problem, and its solution.

    If `signed`, friction and rotors may be negative and have no prior.
    """

    def __init__(self, problem: FitProblem, signed: bool = False) -> None:
        self.problem = problem
        b, n = len(problem.factors), len(problem.triangles)
        self._bodies_end = 10 * b
        self._weights = prior_weights(b, problem.weight, problem.payload)
        used = problem.scale > 0.0
        positive = used & (np.arange(len(JOINT_COLUMNS)) != OFFSET) & (not signed)
        self.place = np.full(used.shape, -1)
        self.place[used], self._gain = _places(used, problem.sets, 10 * b)
        self._used, self._scalars = used, np.unique(self.place[positive])
        free, count = list(problem.free_gains), n // problem.sets
        self._count = self._gain + len(free)
        # an approximation of a gain is wrong by a factor of two or three, an offset is small
        offsets = () if signed else np.unique(self.place[:, OFFSET][used[:, OFFSET]])
        self._squared = np.array([*offsets, *range(self._gain, self._count)], dtype=np.int64)
        self.gain_place = np.full(count, -1)
        self.gain_place[free] = self._gain + np.arange(len(free))
        self.gain_place = np.tile(self.gain_place, problem.sets)
        speeds = np.where(used[:, QUADRATIC], problem.top_speed, np.inf)
        self._to_joint = [bounded(speed) for speed in speeds.tolist()]
        self._free = np.ones(self._count)
        for body in problem.fixed:
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
        for j, (R, used) in enumerate(zip(problem.triangles, problem.bodies)):
            if not R.any():
                continue
            rows, matrix = self._joint == j, R / problem.sigma[j]
            self._target[rows] = matrix[:, -1]
            for k, body in enumerate(used):
                part = matrix[:, 10 * k:10 * k + 10]
                self._of_bodies[rows, 10 * body:10 * body + 10] += part @ self.slopes[body]
                self._nominal[rows] += part @ self._prior_bodies[body]
            own = matrix[:, 10 * len(used):-1] @ self._to_joint[j] * problem.scale[j]
            self._of_joints[np.ix_(rows, self.place[j][self._used[j]])] = own[:, self._used[j]]
        if problem.payload is not None:
            mass, row = problem.payload.mass_row(
                float(self._prior_bodies[-1, 0]), self.slopes[-1, 0], self._bodies_end)
            more = len(mass), self._count - self._bodies_end
            self._joint = np.append(self._joint, np.zeros(len(mass), dtype=np.int64))
            self._nominal = np.append(self._nominal, 0.0 * mass)
            self._target = np.append(self._target, -mass)
            self._of_bodies = np.vstack((self._of_bodies, np.zeros((len(mass), self._count))))
            self._of_joints = np.vstack((self._of_joints, np.hstack((row, np.zeros(more)))))
        self._jacobian = self._of_bodies * self._free + self._of_joints

    def start(self) -> Array:
        """Return the unknowns of the prior."""
        u = np.zeros(self._count)
        u[self._scalars] = 1.0
        return u

    def solve(self, unknowns: Array | None = None) -> Fit:
        """Return the solution, from a first approximation."""
        u = self.start() if unknowns is None else unknowns.copy()
        residual, jacobian = self.linearised(u)
        cost, squared = self._cost(u, residual), jacobian.T @ jacobian
        for _ in range(_STEPS):
            gradient, hessian = self._prior(u)
            gradient += 2.0 * jacobian.T @ residual
            hessian += 2.0 * squared
            hessian += np.diag(1e-13 * np.diag(hessian) + 1e-12)
            step = -np.linalg.solve(hessian, gradient)
            promised = -float(gradient @ step)
            size = 1.0
            while size > 1e-9:
                new, new_jacobian = self.linearised(u + size * step)
                new_cost = self._cost(u + size * step, new)
                if new_cost <= cost - 1e-4 * size * promised + 1e-14 * abs(cost):
                    break
                size *= 0.5
            else:
                break
            if new_jacobian is not jacobian:   # without free gains it is always the same
                squared = new_jacobian.T @ new_jacobian
            u, residual, jacobian, cost = u + size * step, new, new_jacobian, new_cost
            if promised <= _LEAST_DECREASE * abs(cost):
                break
        return Fit(self._bodies(u), self._joints(u), self._gains(u), u, cost)

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
        if not self.problem.free_gains:
            return explained + self._of_joints @ u - self._target, self._jacobian
        gains = self._gains(u)[self._joint]
        explained *= gains
        jacobian = gains[:, None] * self._of_bodies * self._free + self._of_joints
        places = self.gain_place[self._joint]
        rows = np.flatnonzero(places >= 0)
        jacobian[rows, places[rows]] = explained[rows]
        return explained + self._of_joints @ u - self._target, jacobian

    def information(self, u: Array) -> tuple[Array, Array]:
        """Return half of the Hessian of the cost that the prior has (u, u), at u and at first."""
        return 0.5 * self._prior(u)[1], 0.5 * self._prior(self.start())[1]

    def joint_slopes(self, joint: int) -> Array:
        """Return the derivatives (6, 6) of JOINT_COLUMNS by the unknowns of a joint."""
        return np.asarray(self._to_joint[joint] * self.problem.scale[joint])

    def joint_deviations(self, covariance: Array) -> Array:
        """Return the deviations (n, 6) of JOINT_COLUMNS, NaN for what is no unknown."""
        result = np.full(self.place.shape, np.nan)
        for joint, places in enumerate(self.place):
            there = np.flatnonzero(places >= 0)
            slope = self.joint_slopes(joint)[:, there]
            block = covariance[np.ix_(places[there], places[there])]
            result[joint, there] = np.sqrt(np.diag(slope @ block @ slope.T))[there]
        return result

    def _matrices(self, u: Array) -> Array:
        """Return 1 + X of each body."""
        entries = u[:self._bodies_end].reshape(-1, 10)
        return np.eye(4) + np.tensordot(entries, _SYMMETRIC, axes=1)

    def _bodies(self, u: Array) -> Array:
        entries = u[:self._bodies_end].reshape(-1, 10)
        return np.asarray(self._prior_bodies + np.einsum('bij,bj->bi', self.slopes, entries))

    def _values(self, u: Array) -> Array:
        """Return the unknowns of joints (n, 6), with slow and fast friction."""
        return np.where(self._used, self.problem.scale * u[self.place], 0.0)

    def _joints(self, u: Array) -> Array:
        return np.array([matrix @ row for matrix, row in zip(self._to_joint, self._values(u))])

    def _gains(self, u: Array) -> Array:
        return np.asarray(np.exp(np.where(self.gain_place >= 0, u[self.gain_place], 0.0)))

    def _cost(self, u: Array, residual: Array) -> float:
        """Return the sum to minimise, infinite for impossible bodies and negative friction."""
        values = u[self._scalars]
        moments = np.linalg.eigvalsh(self._matrices(u))
        if (values <= 0.0).any() or (moments <= 0.0).any():
            return np.inf
        prior = float(self._weights @ (moments - np.log(moments) - 1.0).sum(axis=1))
        prior += float(np.square(u[self._squared]).sum())
        prior += SCALAR_WEIGHT * float((values - np.log(values) - 1.0).sum())
        return float(residual @ residual) + prior

    def _prior(self, u: Array) -> tuple[Array, Array]:
        """Return gradient (u,) and Hessian (u, u) of the prior."""
        gradient, hessian = np.zeros(self._count), np.zeros((self._count, self._count))
        turned = np.linalg.inv(self._matrices(u))[:, None] @ _SYMMETRIC   # (b, 10, 4, 4)
        weights = self._weights[:, None]
        rows = np.arange(self._bodies_end).reshape(-1, 10)
        gradient[rows] = weights * (_TRACES - np.trace(turned, axis1=2, axis2=3))
        hessian[rows[:, :, None], rows[:, None]] = weights[:, :, None] * (
            turned.reshape(-1, 10, 16) @ turned.transpose(0, 3, 2, 1).reshape(-1, 16, 10))
        values = u[self._scalars]
        gradient[self._scalars] = SCALAR_WEIGHT * (1.0 - 1.0 / values)
        hessian[self._scalars, self._scalars] = SCALAR_WEIGHT / values ** 2
        gradient[self._squared] = 2.0 * u[self._squared]
        hessian[self._squared, self._squared] = 2.0
        return gradient, hessian
