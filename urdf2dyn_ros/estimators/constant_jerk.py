"""
Motion whose jerk drifts: the model behind the Kalman filters, for steps of any length.

State position, velocity, acceleration, jerk; the fourth derivative is white noise (Bar-Shalom, Li
and Kirubarajan, Estimation with Applications to Tracking and Navigation, section 6.2). A symmetric
4 x 4 covariance is kept as its ten different entries, one column a joint, so that predicting all
joints is one product of matrices.

"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

STATES = 4
ENTRIES = [(i, j) for i in range(STATES) for j in range(i, STATES)]
"""Row and column of each entry that is kept."""

ROWS = np.array([i for i, _ in ENTRIES])
COLUMNS = np.array([j for _, j in ENTRIES])
_NUMBER = {(i, j): k for k, (i, j) in enumerate(ENTRIES)}
FULL = np.array([[_NUMBER[min(i, j), max(i, j)] for j in range(STATES)] for i in range(STATES)])
"""Index of the entry at each row and column of the whole matrix."""


class Step(NamedTuple):
    """
    What a step of time does.

    Attributes
    ----------
    F : ndarray, (4, 4)
        States to states.
    G : ndarray, (10, 10)
        Entries of the covariance to entries: F P F'.
    Q : ndarray, (10, 1)
        Entries that noise of density 1 adds.

    """

    F: Matrix
    G: Matrix
    Q: Matrix


def step(h: float) -> Step:
    """Return what a step of h [s] does."""
    powers = h ** np.arange(2 * STATES)
    return Step(powers[:STATES] @ _F, np.tensordot(powers[:2 * STATES - 1], _G, 1),
                (_Q * powers[_Q_POWER])[:, None])


def _transition() -> Matrix:
    """Return the coefficients of h^k in F, (k, i, j), with k moved inwards for a product."""
    F = np.zeros((STATES, STATES, STATES))
    for i in range(STATES):
        for j in range(i, STATES):
            F[i, j - i, j] = 1.0 / factorial(j - i)
    return F


def _covariance() -> Matrix:
    """Return the coefficients of h^k in G, (k, entry, entry)."""
    G = np.zeros((2 * STATES - 1, len(ENTRIES), len(ENTRIES)))
    for k, (i, j) in enumerate(ENTRIES):
        for a in range(i, STATES):
            for b in range(j, STATES):
                G[(a - i) + (b - j), k, FULL[a, b]] += (
                    1.0 / factorial(a - i) / factorial(b - j))
    return G


_F = _transition()
_G = _covariance()
_Q_POWER = 2 * STATES - 1 - ROWS - COLUMNS
_Q = np.array([1.0 / (factorial(3 - i) * factorial(3 - j) * (7 - i - j)) for i, j in ENTRIES])
