"""Fourier series that are at rest at the beginning and at the end of each period."""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

HARMONICS = 5

USUAL_PERIOD = 10.0
"""Approximate period [s]; a duration is a whole number of periods."""


def period_of(duration: float) -> float:
    """Return the period [s] that is closest to USUAL_PERIOD, and divides the duration [s]."""
    return duration / max(1, round(duration / USUAL_PERIOD))


def rest_functions(times: Array, period: float) -> Array:
    """
    Return functions of time (T, 2 h - 1) with their two derivatives, as (3, T, 2 h - 1).

    The first one is 1. The others span all sums of a_k sin(k w t) + b_k cos(k w t), k = 1 to h,
    with w = 2 pi / period, whose velocity sum k a_k and acceleration sum k^2 b_k are zero at 0.
    """
    k = np.arange(1.0, HARMONICS + 1.0)
    w = 2.0 * np.pi / period * k
    phase = np.outer(times, w)
    sine, cosine = np.sin(phase), np.cos(phase)
    a, b = (np.linalg.svd(row[None])[2][1:].T for row in (k, k**2))   # orthogonal to a row
    first = [np.ones((len(times), 1)), *np.zeros((2, len(times), 1))]
    parts = ((sine, cosine), (w * cosine, -w * sine), (-w * w * sine, -w * w * cosine))
    return np.array([np.hstack((one, of_a @ a, of_b @ b))
                     for one, (of_a, of_b) in zip(first, parts)])
