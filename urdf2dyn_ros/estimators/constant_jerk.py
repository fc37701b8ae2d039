"""
Motion whose jerk drifts: the model behind the Kalman filters, for steps of any length.

State position, velocity, acceleration, jerk; the fourth derivative is white noise (Bar-Shalom, Li
and Kirubarajan, Estimation with Applications to Tracking and Navigation, section 6.2). The state
and the ten different entries of its symmetric covariance are one array, a column for each joint,
so that predicting all joints is one product of matrices.

"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

STATES = 4
ENTRIES = [(0, 0), (1, 1), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 2), (2, 3), (3, 3)]
"""Row and column of each entry of the covariance that is kept; they follow the state."""

ROWS_KEPT = STATES + len(ENTRIES)
_NUMBER = {pair: STATES + k for k, (i, j) in enumerate(ENTRIES) for pair in ((i, j), (j, i))}
FULL = np.array([[_NUMBER[i, j] for j in range(STATES)] for i in range(STATES)])
"""Row of the array that has the covariance of the states i and j."""

ROWS = np.array([*range(STATES), *(i for i, _ in ENTRIES)])
COLUMNS = np.array([*STATES * [STATES], *(j for _, j in ENTRIES)])
"""Which states make each row: a state alone has STATES for the second."""


class Step(NamedTuple):
    """
    What a step of time does.

    Attributes
    ----------
    T : ndarray, (14, 14)
        The state and its covariance to those after the step: F x and F P F'.
    F : ndarray, (4, 4)
        States to states.
    Q : ndarray, (14, 1)
        What noise of density 1 adds.

    """

    T: Array
    F: Array
    Q: Array


def step(h: float) -> Step:
    """Return what a step of h [s] does."""
    powers = [1.0]
    for _ in range(2 * STATES - 1):
        powers.append(powers[-1] * h)
    made = (powers @ _TABLE).reshape(ROWS_KEPT + 1, ROWS_KEPT)
    return Step(made[:-1], made[:STATES, :STATES], made[-1:].T)


def _table() -> Array:
    """Return the coefficients of h^k in T and, as one more row, in Q: (k, 15 * 14)."""
    table = np.zeros((2 * STATES, ROWS_KEPT + 1, ROWS_KEPT))
    table[:STATES, :STATES, :STATES] = _transition()
    table[:2 * STATES - 1, STATES:-1, STATES:] = _covariance()
    for row, (i, j) in enumerate(ENTRIES, STATES):
        table[2 * STATES - 1 - i - j, -1, row] = 1.0 / (
            factorial(3 - i) * factorial(3 - j) * (7 - i - j))
    return table.reshape(2 * STATES, -1)


def _transition() -> Array:
    """Return the coefficients of h^k in F, (k, i, j)."""
    F = np.zeros((STATES, STATES, STATES))
    for i in range(STATES):
        for j in range(i, STATES):
            F[j - i, i, j] = 1.0 / factorial(j - i)
    return F


def _covariance() -> Array:
    """Return the coefficients of h^k in G, (k, entry, entry)."""
    G = np.zeros((2 * STATES - 1, len(ENTRIES), len(ENTRIES)))
    for k, (i, j) in enumerate(ENTRIES):
        for a in range(i, STATES):
            for b in range(j, STATES):
                G[(a - i) + (b - j), k, FULL[a, b] - STATES] += (
                    1.0 / factorial(a - i) / factorial(b - j))
    return G


_TABLE = _table()
