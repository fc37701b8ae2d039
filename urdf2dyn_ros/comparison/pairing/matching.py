"""Values at other stamps, by interpolation between neighbours in time."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.pairing.series import Stamps

_LONGEST_STEP = 100_000_000
"""Longest step over which samples are interpolated, whatever their rate [ns]."""

_USUAL_STEPS = 2.5
"""Usual steps over which they are interpolated: one lost message is, two are a hole."""

_USUAL = 0.9
"""Part of the steps that are not longer than the usual one: stamps may come in bursts."""

_STEPS_JUDGED, _FEWEST_STEPS = 1000, 10

_MATCHINGS_KEPT = 8
"""Matchings that are cached: more than one joint needs at once."""


def longest_step(stamps: Stamps) -> int:
    """Return the longest step over which samples at some stamps (m,) are interpolated [ns]."""
    steps = np.diff(stamps[-_STEPS_JUDGED:])
    if len(steps) < _FEWEST_STEPS:
        return _LONGEST_STEP
    rank = int(_USUAL * (len(steps) - 1))
    return min(round(_USUAL_STEPS * int(np.partition(steps, rank)[rank])), _LONGEST_STEP)


class Matching:
    """
    Neighbours and shares by which samples are interpolated at other stamps plus each lag.

    It depends on stamps alone, so that the joints of one message share it: increasing stamps `at`
    (k,) of the values and `stamps` (m,) of the samples, lags (p,), and the `longest` step over
    which samples are interpolated, all in [ns].

    `valid` (k,) are the values with close neighbours on both sides at every lag. `power` (p,) is
    the remaining power of white noise, summed over these: all of it at the stamp of a sample,
    half of it midway between two.
    """

    def __init__(self, at: Stamps, stamps: Stamps, lags: Stamps, longest: int) -> None:
        self._made_of, self._longest = (at.copy(), stamps.copy(), lags), longest
        self.valid: NDArray[np.bool_] = np.zeros(len(at), dtype=bool)
        self.power: Array = np.zeros(len(lags))
        if len(stamps) == 0:
            return
        wanted = at + lags[:, None]
        right = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
        left = np.where(stamps[right] == wanted, right, np.maximum(right - 1, 0))
        width = stamps[right] - stamps[left]
        inside = ((stamps[left] <= wanted) & (wanted <= stamps[right]) & (width <= longest))
        self.valid = np.asarray(inside.all(axis=0))
        self._left, self._right = left[:, self.valid], right[:, self.valid]
        # differences of integers: seconds since 1970 as a float do not resolve nanoseconds
        offset = (wanted - stamps[left])[:, self.valid]
        self._share = offset / np.maximum(width[:, self.valid], 1)
        self.power = np.sum(1.0 - 2.0 * self._share * (1.0 - self._share), axis=1)

    def fits(self, at: Stamps, stamps: Stamps, lags: Stamps, longest: int) -> bool:
        """Return whether the matching has these arguments."""
        return longest == self._longest and all(
            np.array_equal(a, b) for a, b in zip(self._made_of, (at, stamps, lags), strict=True))

    def values(self, samples: Array) -> Array:
        """Return samples (m,) interpolated at the valid stamps, (p, k')."""
        if not self.valid.any():
            return np.empty((len(self.power), 0))
        first = samples[self._left]
        return np.asarray(first + self._share * (samples[self._right] - first))


class Matcher:
    """Caches the last matchings."""

    def __init__(self) -> None:
        self._last: deque[Matching] = deque(maxlen=_MATCHINGS_KEPT)

    def match(self, at: Stamps, stamps: Stamps, lags: Stamps, longest: int) -> Matching:
        """Return the matching with these arguments, see `Matching`."""
        for known in self._last:
            if known.fits(at, stamps, lags, longest):
                return known
        self._last.append(Matching(at, stamps, lags, longest))
        return self._last[-1]
