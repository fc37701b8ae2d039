"""How regularly a recording was sampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LOST = 1.5
"""Intervals longer than so many usual ones have lost samples in them."""


@dataclass(frozen=True)
class Sampling:
    """
    Figures of the stamps.

    Attributes
    ----------
    count : int
    duration : float
        From the first to the last [s].
    period : float
        Median interval [s].
    jitter : float
        Standard deviation of the intervals without losses [s].
    lost : int
        Samples that are missing in longer intervals.
    longest : float
        Interval [s].
    repeated, back : int
        Stamps equal to the one before, or earlier.

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
    """Return the figures of stamps [ns] in the order of the file, two that differ at least."""
    steps = np.diff(stamps)
    forward = steps[steps > 0]
    period = float(np.median(forward))
    regular = forward[forward <= LOST * period]
    long = forward[forward > LOST * period]
    return Sampling(
        len(stamps), float(stamps.max() - stamps.min()) * 1e-9, period * 1e-9,
        float(regular.std()) * 1e-9, int(np.sum(np.rint(long / period) - 1)),
        float(forward.max()) * 1e-9, int(np.sum(steps == 0)), int(np.sum(steps < 0)))
