"""The regularity of a recording's samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LOST = 1.5
"""Ratio to the median interval from which on samples were lost."""


@dataclass(frozen=True)
class Sampling:
    """
    Figures of stamps.

    Attributes
    ----------
    count : int
    duration : float
        Time from the first to the last stamp [s].
    period : float
        Median interval [s].
    jitter : float
        Standard deviation of intervals without losses [s].
    lost : int
        Number of missing samples in longer intervals.
    longest : float
        Longest interval [s].
    repeated, back : int
        Numbers of stamps equal to, or before, the one before.

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
    regular = forward[forward <= LOST * period]
    long = forward[forward > LOST * period]
    return Sampling(
        len(stamps), float(stamps.max() - stamps.min()) * 1e-9, period * 1e-9,
        float(regular.std()) * 1e-9, int(np.sum(np.rint(long / period) - 1)),
        float(forward.max()) * 1e-9, int(np.sum(steps == 0)), int(np.sum(steps < 0)))
