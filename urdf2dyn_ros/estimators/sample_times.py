"""When samples were taken: their usual period, and by how much the newest stamp is wrong."""

from collections import deque

from urdf2dyn_ros.estimators.wrong_stamp import NEW, periods

LAST_STEPS = 11
"""Steps whose median is nearly the period."""

PERIOD_GAIN = 0.05
"""Part by which the period follows each usual step."""

USUAL_STEP = 0.3
"""Part of the median by which usual steps, and the period, may differ from it; others are those of
messages that were lost, late, or together after a late one."""


class SampleTimes:
    """The mean of the usual steps between stamps that are not wrong, and the newest stamp."""

    def __init__(self) -> None:
        self._steps: deque[int] = deque(maxlen=LAST_STEPS)
        self._newest = self._right = 0   # stamps; the latter 0 if the newest one is wrong [ns]
        self._mean = 0.0     # [ns]
        self.period = 0.0    # usual time between samples, 0 if it is not known [s]
        self.behind = 0.0    # by which the newest stamp is wrong [s]

    def since(self, stamp: int) -> float:
        """Return the time from the newest stamp to another one [ns], in [s]."""
        return (stamp - self._newest) * 1e-9

    def may_be_late(self, kind: int, h: float) -> bool:
        """Return whether a sample of a kind, a time h [s] after the newest one, may be late."""
        return kind == NEW and (self.behind > 0.0 or periods(h, self.period) > 1)

    def add(self, stamp: int, kind: int, off: float) -> float:
        """Add the stamp [ns] of a sample of a kind, wrong by `off` [s]; return the period [s]."""
        last, self._newest, self._right = self._right, stamp, 0 if off else stamp
        self.behind = off if kind == NEW else 0.0
        if off or not last:
            return self.period
        self._steps.append(stamp - last)
        median = sorted(self._steps)[len(self._steps) // 2]
        if abs(self._mean - median) > USUAL_STEP * median:
            self._mean = float(median)
        elif abs(stamp - last - median) < USUAL_STEP * median:
            self._mean += PERIOD_GAIN * (stamp - last - self._mean)
        self.period = 1e-9 * self._mean
        return self.period
