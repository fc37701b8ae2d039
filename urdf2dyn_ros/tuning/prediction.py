"""
How well estimates predict the samples that follow, as the filter judges its bandwidths.

A prediction some time h ahead shows an acceleration that is wrong by e as h e in a velocity and as
h^2 / 2 e in a position, while noise costs every estimate the same (``estimators/bandwidth.py``).
"""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.bandwidth import FEWEST_PERIODS, HORIZONS, LONGEST_FOR_VELOCITY
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.reference import Estimated


def acceleration_errors(motion: RecordedMotion, estimates: Sequence[Estimated]) -> Array:
    """
    Return the expected squared errors of the accelerations of some estimates, (m, n).

    It is what an estimate declares, and the largest excess of its predictions' errors over those
    of the best one.
    """
    period = float(np.median(np.diff(motion.time)))
    fast = np.isfinite(motion.qd).mean(axis=0) > 0.5
    with np.errstate(invalid='ignore'):
        declared = np.array([np.nanmean(np.square(each.std), axis=0) for each in estimates])
    excess = np.zeros_like(declared)
    for horizon in HORIZONS:
        used = np.where(fast, horizon <= LONGEST_FOR_VELOCITY,
                        horizon >= FEWEST_PERIODS * period)
        if not used.any():
            continue
        squares = np.array([_squares(motion, each, horizon, fast) for each in estimates])
        effect = np.where(fast, horizon ** 2, horizon ** 4 / 4.0)
        more = (squares - np.nanmin(squares, axis=0)) / effect
        excess = np.maximum(excess, np.where(used, np.nan_to_num(more, nan=np.inf), 0.0))
    return np.asarray(np.nan_to_num(declared, nan=np.inf) + excess)


def _squares(motion: RecordedMotion, estimate: Estimated, horizon: float, fast: Array) -> Array:
    """Return the mean squared errors (n,) of predictions of velocity, or of position."""
    before = np.searchsorted(motion.stamps, motion.stamps - round(horizon * 1e9), 'right') - 1
    piece = np.cumsum(motion.starts)
    rows = np.flatnonzero((before >= 0) & (piece[before] == piece) & motion.settled[before])
    before = before[rows]
    h = (motion.time[rows] - motion.time[before])[:, None]
    q, qd, qdd = (values[before] for values in (estimate.q, estimate.qd, estimate.qdd))
    errors = np.where(fast, qd + h * qdd - motion.qd[rows],
                      q + h * (qd + h / 2.0 * qdd) - motion.q[rows])
    with np.errstate(invalid='ignore'):
        result: Array = np.nanmean(np.square(errors), axis=0) if len(rows) else np.full(
            len(fast), np.nan)
    return result
