"""Whether a measured effort is credible: neither constant, frozen nor saturated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.pairing.series import Stamps
from urdf2dyn_ros.counting import counted

_FEWEST_SAMPLES = 50

_FROZEN_TIME = 1_000_000_000
"""Longest time for which a credible measurement repeats itself bit for bit [ns]."""

_VARIED_SHARE = 0.05
"""Share of its range by which the computed effort must vary in that time."""

_SATURATED_SHARE = 0.02
"""Share of samples at the same extreme from which on a measurement is saturated."""

_AT_LIMIT = 1e-3
"""Relative distance from the URDF's limit at which an effort reaches it."""


@dataclass
class Stuck:
    """A repeated value of a measurement, and the range of the computed effort at those times."""

    value: float = np.nan
    count: int = 0
    since: int = 0
    lowest: float = np.inf
    highest: float = -np.inf

    def take(self, computed: Array) -> None:
        """Count samples with this value."""
        self.count += len(computed)
        self.lowest = min(self.lowest, float(computed.min()))
        self.highest = max(self.highest, float(computed.max()))

    @property
    def varied(self) -> float:
        """Range of the computed effort [N m or N]."""
        return self.highest - self.lowest if self.count else 0.0


class Evidence:
    """Evidence against a measured effort, collected over any number of samples."""

    def __init__(self) -> None:
        self._all = Stuck()
        self._low, self._high = Stuck(np.inf), Stuck(-np.inf)
        self._run = Stuck()
        self._frozen, self._frozen_varied = 0, 0.0
        self._at_limit = 0

    def take(self, stamps: Stamps, measured: Array, computed: Array,
             limit: float | None = None) -> None:
        """Add samples (k,): stamps [ns] and efforts; the actuator's limit [N m or N]."""
        if not len(stamps):
            return
        self._all.take(computed)
        self._low = _extreme(self._low, min(self._low.value, measured.min()), measured, computed)
        self._high = _extreme(self._high, max(self._high.value, measured.max()), measured,
                              computed)
        if limit:
            self._at_limit += int(np.sum(np.abs(measured) >= (1.0 - _AT_LIMIT) * limit))
        self._take_runs(stamps, measured, computed)

    def _take_runs(self, stamps: Stamps, measured: Array, computed: Array) -> None:
        """Find repetitions; the last one may continue in the next samples."""
        starts = np.concatenate(([0], np.flatnonzero(np.diff(measured)) + 1))
        ends = np.append(starts[1:], len(measured))
        lowest, highest = (function.reduceat(computed, starts)
                           for function in (np.minimum, np.maximum))
        since = stamps[starts]
        if self._run.value == measured[0]:
            since[0] = self._run.since
            lowest[0] = min(lowest[0], self._run.lowest)
            highest[0] = max(highest[0], self._run.highest)
        times, varied = stamps[ends - 1] - since, highest - lowest
        varied = np.where(times > _FROZEN_TIME, varied, -1.0)
        worst = int(np.argmax(varied))
        if varied[worst] > self._frozen_varied:
            self._frozen, self._frozen_varied = int(times[worst]), float(varied[worst])
        self._run = Stuck(float(measured[-1]), 1, int(since[-1]), float(lowest[-1]),
                          float(highest[-1]))

    def fault(self, whole: Evidence | None = None, limit: float | None = None) -> str:
        """
        Return why the efforts are not credible, or an empty text.

        Simulators and drivers that do not measure effort publish zeros or an old value. For a
        window, `whole` is the evidence of all samples: an effort at rest may be constant. The
        URDF's limit is in [N m or N].
        """
        count = self._all.count
        if count < _FEWEST_SAMPLES:
            return f'{counted(count, "sample")}, at least {_FEWEST_SAMPLES} are needed'
        if whole is None and self._low.value == self._high.value:
            if self._low.value == 0.0:
                return 'the measured effort is zero throughout'
            return f'the measured effort is frozen at {self._low.value:.6g}'
        spread = (whole or self)._all.varied
        cut, beyond = self._saturated(spread)
        # a limit that the measurement exceeds is wrong
        within = limit and max(-self._low.value, self._high.value) <= (1.0 + _AT_LIMIT) * limit
        if within and self._at_limit > _SATURATED_SHARE * count:
            return (f"the measured effort is at the URDF's limit of {limit:.6g} in "
                    f'{100.0 * self._at_limit / count:.0f} % of the samples')
        if self._frozen_varied > _VARIED_SHARE * spread and not beyond:
            return (f'the measured effort is frozen for {self._frozen * 1e-9:.1f} s while the '
                    'computed one varies')
        return '' if cut is None else (
            f'the measured effort is saturated at {cut.value:.6g} in '
            f'{100.0 * cut.count / count:.0f} % of the samples')

    def _saturated(self, spread: float) -> tuple[Stuck | None, bool]:
        """Return the saturated extreme, and whether the computed effort then lies beyond it."""
        for stuck, sign in ((self._low, -1.0), (self._high, 1.0)):
            if (stuck.count > _SATURATED_SHARE * self._all.count
                    and stuck.varied > _VARIED_SHARE * spread):
                middle = 0.5 * (stuck.lowest + stuck.highest)
                return stuck, sign * (middle - stuck.value) > 0.0
        return None, False


def _extreme(known: Stuck, value: float, measured: Array, computed: Array) -> Stuck:
    """Return the extreme at a value, with these samples counted; `known` is the one before."""
    if known.value != value:
        known = Stuck(float(value))
    at = measured == value
    if at.any():
        known.take(computed[at])
    return known
