"""The recent motion of a sensor, interpolated at the stamps of another one."""

from collections import deque
from collections.abc import Callable

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.moving_base.sensor_state import SensorState

HISTORY_LENGTH = 1024
"""Samples that are kept: a second at 1 kHz."""

LONGEST_PREDICTION = 20_000_000
"""How far the motion is predicted [ns], or a period where that is longer; then it is constant."""


class SensorHistory:
    """
    Samples by stamp: linear between two of them, predicted for a short time after the newest.

    The newest sample is used up to an age of `max_age` [ns]; beyond `timeout` [ns] it is stale,
    and a step is not interpolated. `motion` returns the values of a state, which predicts them.
    `behind` is the age of the newest sample at the last stamp of `at` [ns].
    """

    def __init__(self, timeout: int, max_age: int,
                 motion: Callable[[SensorState], Array]) -> None:
        self._timeout, self._max_age, self._motion = timeout, max_age, motion
        self._samples: deque[tuple[int, Array]] = deque(maxlen=HISTORY_LENGTH)
        self._state: SensorState   # of the last sample
        self._newest = 0
        self.behind = 0

    def announce(self, stamp: int) -> None:
        """Note that there are data of a stamp [ns], which are or will become a sample."""
        self._newest = stamp

    def append(self, stamp: int, values: Array, state: SensorState) -> bool:
        """Add values (k,) of a stamp [ns]; return False if it is no newer than the last."""
        if self._samples and stamp <= self._samples[-1][0]:
            return False
        self._samples.append((stamp, values))
        self._state = state
        return True

    def clear(self) -> None:
        """Forget every sample."""
        self._samples.clear()

    def at(self, stamp: int) -> Array | str:
        """Return the values (k,) at a stamp [ns], or a key of ``BASE_ABSENCES``."""
        if not self._newest:
            return 'base_missing'
        after, later = self._samples[-1] if self._samples else (self._newest, None)
        self.behind = stamp - after
        if self.behind > self._timeout:
            return 'base_stale'
        if later is None:
            return 'base_warming_up'
        if self.behind > self._max_age:
            return 'base_behind'
        if self.behind >= 0:
            return self._predicted() if self.behind else later
        for before, earlier in reversed(self._samples):
            if before <= stamp:
                if after - before > self._timeout:
                    return 'base_gap'
                return earlier + (stamp - before) / (after - before) * (later - earlier)
            after, later = before, earlier
        return 'base_forgotten'

    def _predicted(self) -> Array:
        """Return the values after the newest sample."""
        (before, _), (last, _) = self._samples[max(len(self._samples) - 2, 0)], self._samples[-1]
        ahead = min(self.behind, max(last - before, LONGEST_PREDICTION))
        return self._motion(self._state.after(ahead * 1e-9))
