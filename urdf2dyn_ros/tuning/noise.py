"""
Regularity of a recording's samples, and noise of positions and velocities from them alone.

As in the filter itself (``estimators/sensor_noise.py``), the fourth divided difference of five
samples of a smooth motion is noise. Offline a quantile over the whole recording excludes outliers
and instants where the motion is not smooth.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.sensor_noise import WINDOW
from urdf2dyn_ros.tuning.motion import RecordedMotion

LOST_STEP = 1.5
"""Ratio to the median interval from which on samples were lost."""


@dataclass(frozen=True)
class Sampling:
    """
    Figures of stamps, times in [s].

    The period is the median interval, the jitter the standard deviation of intervals without
    losses; `lost` counts samples missing in longer intervals, `repeated` and `back` stamps equal
    to, or before, the one before.
    """

    count: int
    duration: float
    period: float
    jitter: float
    lost: int
    longest: float
    repeated: int
    back: int

    def __str__(self) -> str:
        share = 100.0 * self.lost / (self.count + self.lost)
        return (f'{self.count} samples in {self.duration:.1f} s, {1.0 / self.period:.4g} Hz; '
                f'jitter {1e3 * self.jitter:.3f} ms ({100.0 * self.jitter / self.period:.1f} % of '
                f'a period), lost {self.lost} ({share:.3g} %), longest interval '
                f'{1e3 * self.longest:.4g} ms, stamps repeated {self.repeated}, back {self.back}')


def sampling(stamps: NDArray[np.int64]) -> Sampling:
    """Return the figures of stamps [ns] in the order of the file; at least two must differ."""
    steps = np.diff(stamps)
    forward = steps[steps > 0]
    period = float(np.median(forward))
    regular = forward[forward <= LOST_STEP * period]
    long = forward[forward > LOST_STEP * period]
    return Sampling(
        len(stamps), float(stamps.max() - stamps.min()) * 1e-9, period * 1e-9,
        float(regular.std()) * 1e-9, int(np.sum(np.rint(long / period) - 1)),
        float(forward.max()) * 1e-9, int(np.sum(steps == 0)), int(np.sum(steps < 0)))


_ONE_DEVIATION = 0.6827
"""Share of normally distributed errors that are smaller than their standard deviation."""

_USUAL_SHARE = 0.9
"""Share of the intervals that are no losses."""

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
    usual = np.quantile(steps, _USUAL_SHARE)   # in which there is room for a repeated sample
    broken = (steps > LOST_STEP * usual) | motion.starts[1:]
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
