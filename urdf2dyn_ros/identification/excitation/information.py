"""The information of a motion about the parameters: its log det, and the gradient of that."""

from collections.abc import Iterator

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.excitation.limits import MotionLimits
from urdf2dyn_ros.inverse_dynamics import InverseDynamics

EFFORT_NOISE = 0.01
"""Standard deviation of measured efforts, as a share of their limits."""

_SIGN_WIDTH = 0.05
"""Share of the largest velocity within which the Coulomb friction changes its sign."""

_RIDGE = 1e-10
"""Information in units of a column's own of which nothing else is known."""

_STEPS = (1e-5, 1e-5, 1e-4)
"""Differences of positions, velocities and accelerations."""


class Information:
    """
    Columns of base parameters, then viscous and Coulomb friction and offsets, which are unknown.

    Rows are in units of the noise of the joint's effort, and count equally.
    """

    def __init__(self, dynamics: InverseDynamics, urdf_friction: Array,
                 limits: MotionLimits) -> None:
        self._dynamics, self.joint_names = dynamics, dynamics.joint_names
        base = dynamics.base_parameters
        self.count = len(base.names)
        self._parameters = np.concatenate((base.values, urdf_friction.T.ravel(),
                                           np.zeros(len(limits.rated))))
        self._width = _SIGN_WIDTH * limits.velocity
        self._weight = 1.0 / (EFFORT_NOISE * limits.rated)
        self._scale = np.ones(len(self._parameters))

    def set_scale(self, motions: Array) -> None:
        """Divide columns by their sizes in motions (3, N, n), so that numbers are of one size."""
        rows = self._weight[:, None] * self._columns(motions)
        sizes = np.sqrt((rows**2).sum(axis=1).mean(axis=0))
        self._scale = 1.0 / np.where(sizes > 0.0, sizes, 1.0)

    def efforts(self, motion: Array) -> Array:
        """Return the efforts (N, n) of the URDF's robot in a motion (3, N, n)."""
        return self._columns(motion) @ self._parameters

    def log_det(self, motion: Array) -> float:
        """Return log det of the information of a row of a motion (3, N, n)."""
        matrix = _information(self._rows(self._columns(motion)))
        return _log_det(matrix) - 2.0 * float(np.log(self._scale).sum())

    def deviations(self, motion: Array, rows: float) -> Array:
        """Return the standard deviations of the base parameters from so many rows."""
        covariance = np.linalg.inv(_information(self._rows(self._columns(motion))))
        result: Array = self._scale * np.sqrt(np.diag(covariance) / rows)
        return result[:self.count]

    def slopes(self, motion: Array, bound: Array, weight: float) -> tuple[float, Array]:
        """
        Return a cost of a motion (3, N, n), and its gradient (3, N, n).

        The cost is -log det, and the weight times the mean square by which efforts exceed bounds.
        """
        columns = self._columns(motion)
        rows = self._rows(columns)
        matrix = _information(rows)
        ratio = columns @ self._parameters / bound
        beyond = np.sign(ratio) * np.maximum(np.abs(ratio) - 1.0, 0.0)
        count = motion.shape[1]
        cost = weight * float((beyond**2).sum()) / count - _log_det(matrix)
        by_efforts = 2.0 * weight / count * beyond / bound
        by_rows = -2.0 / count * rows @ np.linalg.inv(matrix)
        by_columns = (by_efforts[:, :, None] * self._parameters
                      + by_rows * self._weight[:, None] * self._scale)
        gradient = np.empty_like(motion)
        for kind, joint, change in self._differences(motion):
            gradient[kind, :, joint] = np.einsum('tnp,tnp->t', by_columns, change)
        return cost, gradient

    def _differences(self, motion: Array) -> Iterator[tuple[int, int, Array]]:
        """Yield derivatives of the columns by each quantity of each joint."""
        count = motion.shape[1]
        for kind, step in enumerate(_STEPS):
            for joint in range(motion.shape[2]):
                both = np.concatenate((motion, motion), axis=1)
                both[kind, :count, joint] += step
                both[kind, count:, joint] -= step
                columns = self._columns(both)
                yield kind, joint, (columns[:count] - columns[count:]) / (2.0 * step)

    def _columns(self, motion: Array) -> Array:
        _, count, n = motion.shape
        columns = np.zeros((count, n, len(self._parameters)))
        columns[:, :, :self.count] = self._dynamics.regressor(*motion)
        for number, values in enumerate((motion[1], np.tanh(motion[1] / self._width), 1.0)):
            places = self.count + n * number + np.arange(n)
            columns[:, np.arange(n), places] = values
        return columns

    def _rows(self, columns: Array) -> Array:
        return columns * self._weight[:, None] * self._scale


def _information(rows: Array) -> Array:
    """Return the mean information (p, p) of instants, from their rows (N, n, p)."""
    flat = rows.reshape(-1, rows.shape[-1])
    return flat.T @ flat / len(rows) + _RIDGE * np.eye(flat.shape[1])


def _log_det(matrix: Array) -> float:
    return float(np.linalg.slogdet(matrix)[1])
