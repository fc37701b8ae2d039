"""
The noise of positions and velocities, offline and from the samples alone.

As in the filter itself (``estimators/sensor_noise.py``), the fourth divided difference of five
samples of a smooth motion is noise. Offline a quantile over the whole recording excludes outliers
and instants where the motion is not smooth.

"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.sensor_noise import WINDOW
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.sampling import LOST

_ONE_DEVIATION = 0.6827
"""Share of normally distributed errors that are smaller than their standard deviation."""

LEAST_NOISE = (1e-8, 1e-7)
"""
Least noise of positions and velocities [rad or m], [rad/s or m/s].

With less noise the filter's covariance loses all digits to its initial variances; no sensor has 29
bits a turn.

"""


def noise(motion: RecordedMotion) -> Array:
    """
    Return standard deviations of positions and velocities, (2, n) [rad or m], [rad/s or m/s].

    NaN for a velocity that is not measured, and for a joint that never moves.

    """
    time = motion.time
    steps = np.diff(time)
    broken = (steps > LOST * np.median(steps)) | motion.starts[1:]
    whole = ~sliding_window_view(broken, WINDOW - 1).any(axis=1)
    windows = sliding_window_view(time, WINDOW)[whole]
    apart = windows[:, :, None] - windows[:, None, :]
    apart[:, range(WINDOW), range(WINDOW)] = 1.0
    weights = 1.0 / apart.prod(axis=2)
    weights /= np.sqrt((weights ** 2).sum(axis=1))[:, None]

    result = np.full((2, len(motion.names)), np.nan)
    for joint in range(len(motion.names)):
        samples = sliding_window_view(motion.q[:, joint], WINDOW)[whole]
        moves = np.ptp(samples, axis=1) > 0.0   # an encoder at rest shows no noise
        for row, values in enumerate((motion.q, motion.qd)):
            samples = sliding_window_view(values[:, joint], WINDOW)[whole][moves]
            errors = np.abs((weights[moves] * samples).sum(axis=1))
            errors = errors[np.isfinite(errors)]
            if len(errors) >= WINDOW:
                result[row, joint] = max(np.quantile(errors, _ONE_DEVIATION),
                                         LEAST_NOISE[row])
    return result
