"""
When the samples of a recording were taken that a publisher with a rate of its own sent.

Such a publisher sends the newest sample of a driver: stamps are regular, but samples are up to a
period of the driver old, and where both rates are nearly the same, the clocks slip by a period
now and then. What `joint_states/driver_clock.py` and `clock_slips.py` learn sample by sample shows
here in the whole recording: from one sample to the next, all joints move as in a whole number of
periods, whatever the stamps are.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.clock_slips import LEAST_SPEED, MOST_CHANGE, MOST_OF_ONE
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.smoothing.spline import SmoothingSpline

_FEWEST_SAMPLES = 50

_CUTOFF, _HIGHEST_CUTOFF = 0.06, 20.0
"""Cutoff of the velocities, in rates of the samples, so that a slip hardly changes them; highest
one [Hz]."""

_MOST_NOISE, _MOST_APART = 0.05, 0.3
"""Parts of its motion that noise, and what joints disagree in, may be of a step that is known."""

_OTHER_STEP, _FEWEST_OTHERS, _LEAST_OF_OTHERS = 0.12, 2, 0.4
"""Part of a step by which another one differs; such steps, and the sum of their squares, in steps,
without which nothing is found."""

_STAYS = 0.4
"""Part of a step up to which a robot stays: two in a row are at rest, where velocities precede a
motion and follow it."""

_PERIODS = np.arange(0.95, 6.0, 0.02)
"""Periods of the driver in a step of the publisher that are tried."""

_MOST_COMPARED = 1000
"""Steps that are compared with these."""

_OF_USUAL, _OF_OTHERS, _LEFT = 0.15, 0.2, 0.35
"""Root mean squares of what is left of usual steps and of others, in periods, and of the latter
also in their differences from those of the stamps, up to which a period is possible."""

_CLEAR = 0.5
"""Part of these up to which it is that of the driver, with the velocities at its times."""

_WHOLE, _MOST_OFF = 0.4, 1.3
"""Difference from a whole number of periods up to which a step is one, and that of its stamps, in
periods; a publisher that is not late makes less than one."""

_KEPT = 0.99
"""Part of an age that is kept from one sample to the next where steps are not known."""

_SAME = 0.15
"""Part of a period by which that of all known steps may differ from the one that was tried."""


class Taken(NamedTuple):
    """When samples with stamps (k,) [ns] were taken, up to a constant."""

    stamps: NDArray[np.int64]
    times: NDArray[np.int64]   # (k,) [ns]
    period: float              # of the driver [s]; 0 if samples were taken at their stamps

    @property
    def off(self) -> float:
        """By how much the steps between samples differ from those of their stamps, at most [s]."""
        return 1e-9 * float(np.abs(np.diff(self.times - self.stamps)).max(initial=0))

    def at(self, stamps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the times of a state at stamps (m,) between those of the samples [ns]."""
        if not self.period:
            return stamps
        first = self.stamps[0]
        later = np.interp(stamps - first, self.stamps - first, self.times - self.stamps)
        return np.asarray(stamps + np.rint(later).astype(np.int64))


class _Steps(NamedTuple):
    """Steps between samples (k,) [s]."""

    stamps: Array
    shown: Array                 # by the motion
    known: NDArray[np.bool_]     # whether it shows them
    steady: NDArray[np.bool_]    # whether the velocities hardly change

    def others(self, taken: Array) -> NDArray[np.bool_]:
        """Return which steps differ from those of the stamps, as shown or as they are taken."""
        usual, shown = np.median(self.stamps), self.shown - self.stamps
        some = self.known & self.steady & (
            np.maximum(np.abs(shown), np.abs(taken - self.stamps)) > _OTHER_STEP * usual)
        enough = (some.sum() >= _FEWEST_OTHERS
                  and np.square(shown[some]).sum() >= _LEAST_OF_OTHERS * usual ** 2)
        return np.asarray(some & enough)


def times_taken(stamps: NDArray[np.int64], positions: Array) -> Taken:
    """
    Return when samples with positions (k, n) [rad or m] were taken.

    The stamps (k,) [ns] increase, and so do the times. A slip of one joint alone is not looked
    for, as it may be a jump of its encoder.
    """
    if len(stamps) >= _FEWEST_SAMPLES and positions.shape[1] > 1:
        time = (stamps - stamps[0]) * 1e-9
        at_stamps = _steps(time, time, positions)
        for tried in _periods(at_stamps):
            ages, period = _ages(at_stamps, tried)
            if abs(period - tried) > _SAME * tried:
                continue
            steps = _steps(time, _taken(time, ages), positions)
            ages, period = _ages(steps, period)
            taken = steps.stamps - np.diff(ages)
            some = steps.others(taken)
            if some.any() and _misfit(
                    steps.shown[some], steps.stamps[some], taken[some], period) < _CLEAR:
                times = stamps[0] + np.rint(1e9 * _taken(time, ages)).astype(np.int64)
                return Taken(stamps, times, period)
    return Taken(stamps, stamps, 0.0)


def _steps(time: Array, taken: Array, positions: Array) -> _Steps:
    """Return the steps between stamps (k,) [s] of positions that were taken at other times."""
    usual = float(np.median(np.diff(time)))
    spline = SmoothingSpline(taken, usual, min(_CUTOFF / usual, _HIGHEST_CUTOFF))
    velocities = spline.values(spline.fit(positions - positions[0]),
                               0.5 * (taken[1:] + taken[:-1]), 1)
    moved = np.diff(positions, axis=0)
    squares = np.einsum('ij,ij->i', velocities, velocities)
    shown = np.einsum('ij,ij->i', velocities, moved) / np.maximum(squares, LEAST_SPEED ** 2)
    apart = np.square(moved - shown[:, None] * velocities).sum(axis=1)
    noise = np.median(apart) / (positions.shape[1] - 1)
    most = usual ** 2 * squares
    stays = shown < _STAYS * usual   # as at rest, unless a single sample is repeated
    rests = stays & (np.append(stays[1:], False) | np.append(False, stays[:-1]))
    known = (~rests & (squares > LEAST_SPEED ** 2)
             & (noise < _MOST_NOISE ** 2 * most) & (apart < _MOST_APART ** 2 * most)
             & (np.square(velocities).max(axis=1) < MOST_OF_ONE * squares))
    changes = np.square(np.diff(velocities, axis=0)).sum(axis=1)
    steady = squares > MOST_CHANGE * np.maximum(np.append(changes, 0.0), np.append(0.0, changes))
    return _Steps(np.diff(time), shown, known, steady)


def _periods(steps: _Steps) -> Iterator[float]:
    """Yield periods that the driver may have [s], the longest first."""
    others = steps.others(steps.stamps)
    if not others.any():
        return
    usual = steps.shown[steps.known & ~others][:_MOST_COMPARED]
    shown, stamps = (each[others][:_MOST_COMPARED] for each in (steps.shown, steps.stamps))
    tried = np.median(steps.stamps) / _PERIODS
    misfits = np.array([max(
        _misfit(shown, stamps, period * np.rint(shown / period), period),
        _root_mean_square(usual / period - np.rint(usual / period)) / _OF_USUAL)
        for period in tried.tolist()])
    next_ones = np.minimum(np.append(misfits[1:], np.inf), np.append(np.inf, misfits[:-1]))
    yield from tried[(misfits < 1.0) & (misfits <= next_ones)].tolist()


def _misfit(shown: Array, stamps: Array, taken: Array, period: float) -> float:
    """Return what taken steps (k,) leave of shown ones, relative to the most."""
    left = _root_mean_square(shown - taken)
    return max(left / (_OF_OTHERS * period), left / (_LEFT * _root_mean_square(shown - stamps)))


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean())) if len(values) else 0.0


def _ages(steps: _Steps, period: float) -> tuple[Array, float]:
    """Return the ages of samples (k + 1,) and the period, which is known nearly [s]."""
    numbers = np.rint(steps.shown / period)
    whole = (steps.known & (np.abs(steps.shown / period - numbers) < _WHOLE)
             & (np.abs(steps.stamps / period - numbers) < _MOST_OFF))
    period = float(steps.stamps[whole].sum() / max(numbers[whole].sum(), 1.0))
    age, ages = 0.0, [0.0]
    for older, known in zip((steps.stamps - period * numbers).tolist(), whole.tolist()):
        age = age + older if known else _KEPT * age
        ages.append(age)
    return np.array(ages), period


def _taken(time: Array, ages: Array) -> Array:
    """Return times less ages (k,) [s], on average the same; they increase by a microsecond."""
    least = 1e-6 * np.arange(len(time))
    return np.asarray(np.maximum.accumulate(time - ages + ages.mean() - least) + least)
