"""
Constant-jerk motion: the model of the Kalman filters, for steps of any length.

The state is position, velocity, acceleration and jerk; the fourth derivative is white noise
(Bar-Shalom, Li and Kirubarajan, Estimation with Applications to Tracking and Navigation, section
6.2). A jerk that decays does so in two halves, before and after the step. The state and the ten
different entries of its symmetric covariance are one array with a column per joint, so that one
matrix product predicts all joints.
"""

from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

STATES = 4
ENTRIES = [(0, 0), (1, 1), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 2), (2, 3), (3, 3)]
"""Row and column of each stored entry of the covariance; these follow the state."""

FILTER_ROWS = STATES + len(ENTRIES)
"""Rows of the array: state and covariance."""

_NUMBER = {pair: STATES + k for k, (i, j) in enumerate(ENTRIES) for pair in ((i, j), (j, i))}
COVARIANCE_ROW = np.array([[_NUMBER[i, j] for j in range(STATES)] for i in range(STATES)])
"""Row of the array with the covariance of the states i and j."""

VARIANCES = COVARIANCE_ROW[np.arange(STATES), np.arange(STATES)]
"""Rows of the array with the variances of the states."""

JERK_ROWS = np.array([STATES - 1, *COVARIANCE_ROW[-1]])
"""Rows of the array that scale with the jerk."""

_JERK_POWERS = np.array([[1.0], [1.0], [1.0], [1.0], [2.0]])

INNOVATIONS = slice(FILTER_ROWS, FILTER_ROWS + 2)
"""Rows of the filter's array below state and covariance: prediction minus measurement."""

_GAINED = np.column_stack((COVARIANCE_ROW[:2], [FILTER_ROWS, FILTER_ROWS + 1]))
_FACTOR_ROWS = np.array([*range(STATES), *(i for i, _ in ENTRIES)])
_FACTOR_COLUMNS = np.array([*STATES * [STATES], *(j for _, j in ENTRIES)])
"""The two states of each row; the second is ``STATES``, the innovation, in rows of the state."""

INITIAL_VARIANCES = np.array([1.0, 1e2, 1e4, 1e8])[:, None]
"""Variances of the states at the start, SI."""


class Transition(NamedTuple):
    """The prediction over one step of time."""

    T: Array   # (14, 14), maps state and covariance to those after the step, F x and F P F'
    F: Array   # (4, 4), maps the state alone
    added: Array   # (14, n), covariance that the noise adds
    kept: Array   # (5, n), part of each of ``JERK_ROWS`` that is left after half of the step


def transition(h: float, density: Array, decay: Array) -> Transition:
    """Return the transition over h [s]; density of the noise and decay of the jerk: n entries."""
    powers = [1.0]
    for _ in range(2 * STATES - 1):
        powers.append(powers[-1] * h)
    rows = (powers @ _TABLE).reshape(FILTER_ROWS + 1, FILTER_ROWS)
    return Transition(rows[:-1], rows[:STATES, :STATES], density.ravel() * rows[-1:].T,
                      np.exp(-0.5 * h * _JERK_POWERS * decay.ravel()))


def start_columns(z: Array, joints: NDArray[np.bool_], measured: Array, variances: Array) -> None:
    """
    Start columns of joints at a measurement, with large variances of what is not measured.

    z is (14, filters, n); position and velocity (2, n), NaN for no velocity, and their variances.
    """
    known = np.isfinite(measured[1]) & joints
    z[..., joints] = 0.0
    for row, initial in zip(VARIANCES, INITIAL_VARIANCES):
        z[row][:, joints] = initial
    for k, some in enumerate((joints, known)):
        z[k][:, some] = measured[k, some]
        z[VARIANCES[k]][:, some] = variances[k, some]


def predict(z: Array, model: Transition) -> Array:
    """Return the predicted array, its innovations undefined; the jerks of `z` decay."""
    predicted = np.empty_like(z)
    z[JERK_ROWS] *= model.kept
    np.dot(model.T, z[:FILTER_ROWS], out=predicted[:FILTER_ROWS])
    predicted[:FILTER_ROWS] += model.added
    predicted[JERK_ROWS] *= model.kept
    return predicted


def integrals(decay: Array, h: float) -> tuple[Array, Array]:
    """Return the second and third integral over h [s] of a jerk of 1 that decays (k, n) [1/s]."""
    rate = np.where(decay > 0.0, decay, 1.0)
    once = -np.expm1(-h * rate) / rate
    twice = (h - once) / rate
    return (np.where(decay > 0.0, twice, h * h / 2.0),
            np.where(decay > 0.0, (h * h / 2.0 - twice) / rate, h * h * h / 6.0))


def correct(z: Array, S: Array, off: Array) -> None:
    """
    Correct states and covariances by their innovations.

    z (16, n) is state, covariance, and innovations of position and velocity: prediction minus
    measurement. S (2, n) and `off` (n,) are the covariance of the innovations, (S_0, off; off,
    S_1).
    """
    scale = 1.0 / (S[0] * S[1] - off * off)
    # covariances with the measured states, and the innovations: x -= K y goes as P -= K W
    W = z.take(_GAINED, axis=0)
    K = (S[::-1] * scale)[:, None] * W
    K -= (off * scale) * W[::-1]
    change = K.take(_FACTOR_ROWS, axis=1)
    change *= W.take(_FACTOR_COLUMNS, axis=1)
    z[:FILTER_ROWS] -= change[0]
    z[:FILTER_ROWS] -= change[1]


def _table() -> Array:
    """Return the coefficients of h^k in T and, in a last row, in Q: (k, 15 * 14)."""
    table = np.zeros((2 * STATES, FILTER_ROWS + 1, FILTER_ROWS))
    table[:STATES, :STATES, :STATES] = _state_transition()
    table[:2 * STATES - 1, STATES:-1, STATES:] = _covariance_transition()
    for row, (i, j) in enumerate(ENTRIES, STATES):
        table[2 * STATES - 1 - i - j, -1, row] = 1.0 / (
            factorial(3 - i) * factorial(3 - j) * (7 - i - j))
    return table.reshape(2 * STATES, -1)


def _state_transition() -> Array:
    """Return the coefficients of h^k in F, (k, i, j)."""
    F = np.zeros((STATES, STATES, STATES))
    for i in range(STATES):
        for j in range(i, STATES):
            F[j - i, i, j] = 1.0 / factorial(j - i)
    return F


def _covariance_transition() -> Array:
    """Return the coefficients of h^k in G, (k, entry, entry)."""
    G = np.zeros((2 * STATES - 1, len(ENTRIES), len(ENTRIES)))
    for k, (i, j) in enumerate(ENTRIES):
        for a in range(i, STATES):
            for b in range(j, STATES):
                G[(a - i) + (b - j), k, COVARIANCE_ROW[a, b] - STATES] += (
                    1.0 / factorial(a - i) / factorial(b - j))
    return G


_TABLE = _table()
