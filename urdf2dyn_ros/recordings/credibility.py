"""
Whether a measured effort is credible: neither zero, constant, frozen, cut at a limit, nor spiky.

Simulators and drivers that do not measure effort publish zeros or an old value; drives cut it at
their limit. `Evidence` judges a stream in bounded memory by the computed effort of the same
instants; `sensor_fault` judges a whole recording by its motion alone, where no model is right yet.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import counted

# ---- A stream of measured and computed efforts

_FEWEST_SAMPLES = 50
# longest time for which a measurement repeats itself bit for bit [ns]
_FROZEN_TIME = 1_000_000_000
_VARIED_SHARE = 0.05   # share of its range by which the computed effort must vary meanwhile
_SATURATED_SHARE = 0.02   # share of samples at the same extreme of a saturated measurement
_AT_LIMIT = 1e-3   # relative distance from the URDF's limit at which an effort reaches it
_ZERO = 1e-12   # measured effort over the computed one that is practically zero
_SAME = 1e-9   # relative difference up to which measured efforts are the same


class _Extent:
    """Number of samples, and the lowest and the highest computed effort at them."""

    def __init__(self) -> None:
        self.count, self.lowest, self.highest = 0, np.inf, -np.inf

    def take(self, computed: Array) -> None:
        self.count += len(computed)
        self.lowest = min(self.lowest, float(computed.min(initial=np.inf)))
        self.highest = max(self.highest, float(computed.max(initial=-np.inf)))

    @property
    def varied(self) -> float:
        """Range of the computed effort [N m or N]."""
        return self.highest - self.lowest if self.count else 0.0


class Evidence:
    """Evidence against a measured effort, collected over any number of samples."""

    def __init__(self) -> None:
        self._all = _Extent()
        self.range = np.inf, -np.inf   # the smallest and the largest measured effort
        self._at_ends = _Extent(), _Extent()
        # of the repetitions at the end: measured effort, stamp of the first, computed efforts
        self._run = np.nan, 0, np.inf, -np.inf
        self._frozen, self._frozen_varied = 0, 0.0
        self._at_limit = 0

    def take(self, stamps: NDArray[np.int64], measured: Array, computed: Array,
             limit: float | None = None) -> None:
        """Add samples (k,): stamps [ns] and efforts; the actuator's limit [N m or N]."""
        if not len(stamps):
            return
        self._all.take(computed)
        (low, high), (at_low, at_high) = self.range, self._at_ends
        lowest, highest = float(measured.min()), float(measured.max())
        self.range = min(low, lowest), max(high, highest)
        self._at_ends = (_Extent() if lowest < low else at_low,
                         _Extent() if highest > high else at_high)
        for value, extent in zip(self.range, self._at_ends):
            extent.take(computed[_same(measured, value)])
        if limit:
            self._at_limit += int(np.sum(np.abs(measured) >= (1.0 - _AT_LIMIT) * limit))
        self._take_runs(stamps, measured, computed)

    def _take_runs(self, stamps: NDArray[np.int64], measured: Array, computed: Array) -> None:
        """Find repetitions; the last one may continue in the next samples."""
        starts = np.concatenate(([0], np.flatnonzero(~_same(measured[1:], measured[:-1])) + 1))
        ends = np.append(starts[1:], len(measured))
        lowest, highest = (function.reduceat(computed, starts)
                           for function in (np.minimum, np.maximum))
        since = stamps[starts]
        value, first, low, high = self._run
        if _same(measured[0], value):
            since[0], lowest[0], highest[0] = first, min(lowest[0], low), max(highest[0], high)
        times = stamps[ends - 1] - since
        varied = np.where(times > _FROZEN_TIME, highest - lowest, -1.0)
        worst = int(np.argmax(varied))
        if varied[worst] > self._frozen_varied:
            self._frozen, self._frozen_varied = int(times[worst]), float(varied[worst])
        self._run = (float(measured[-1]), int(since[-1]), float(lowest[-1]), float(highest[-1]))

    def fault(self, whole: Evidence | None = None, limit: float | None = None) -> str:
        """
        Return why the efforts are not credible, or an empty text.

        For a window, `whole` is the evidence of all samples: an effort at rest may be constant.
        The URDF's limit is in [N m or N].
        """
        count, (low, high) = self._all.count, self.range
        if count < _FEWEST_SAMPLES:
            return f'{counted(count, "sample")}, at least {_FEWEST_SAMPLES} are needed'
        if whole is None and _same(low, high):
            return _constant(low)
        largest = max(-self._all.lowest, self._all.highest)
        if max(-low, high) < _ZERO * largest:
            return (f'the measured effort is zero: at most {max(-low, high):.1g} in size, where '
                    f'up to {largest:.3g} is computed')
        least = _VARIED_SHARE * (whole or self)._all.varied
        # a limit that the measurement exceeds is wrong
        within = limit and max(-low, high) <= (1.0 + _AT_LIMIT) * limit
        if within and self._at_limit > _SATURATED_SHARE * count:
            return (f"the measured effort is at the URDF's limit of {limit:.6g} in "
                    f'{100.0 * self._at_limit / count:.0f} % of the samples')
        cut = [(value, extent, sign) for value, extent, sign in zip(
            self.range, self._at_ends, (-1.0, 1.0))
            if extent.count > _SATURATED_SHARE * count and extent.varied > least][:1]
        unlimited = any(sign * (0.5 * (extent.lowest + extent.highest) - value) > 0.0
                        for value, extent, sign in cut)
        if self._frozen_varied > least and not unlimited:
            return (f'the measured effort is frozen for {self._frozen * 1e-9:.1f} s while the '
                    'computed one varies')
        return ''.join(f'the measured effort is saturated at {value:.6g} in '
                       f'{100.0 * extent.count / count:.0f} % of the samples'
                       for value, extent, _ in cut)


def frozen_samples(stamps: NDArray[np.int64], measured: Array,
                   computed: Array) -> NDArray[np.bool_]:
    """Return where a measured effort (k,) is stuck, or frozen while the computed one varies."""
    starts = np.append(0, np.flatnonzero(~_same(measured[1:], measured[:-1])) + 1)
    ends = np.append(starts[1:], len(measured))
    varied = np.maximum.reduceat(computed, starts) - np.minimum.reduceat(computed, starts)
    frozen = (stamps[ends - 1] - stamps[starts] > _FROZEN_TIME) & (
        varied > _VARIED_SHARE * np.ptp(computed))
    return np.repeat(frozen, ends - starts) | stuck(measured)


NO_SIGN = ('the efforts have no sign: none is negative, although the joints move both ways, as if '
           'they were magnitudes')
_NEAR_ZERO = 0.02   # of the largest magnitude, down to which that of most joints comes


def have_no_sign(ranges: Collection[tuple[float, float]]) -> bool:
    """Return whether efforts are magnitudes, by their ranges at joints that move both ways."""
    near_zero = sum(0.0 <= low <= _NEAR_ZERO * high for low, high in ranges if high > 0.0)
    return 2 * near_zero > len(ranges) > 0 and min(ranges)[0] >= 0.0


def _same(one: Array | float, other: Array | float) -> NDArray[np.bool_]:
    """Return whether efforts (k,) are the same, whatever their size is."""
    return np.asarray(np.abs(np.subtract(one, other)) <= _SAME * np.abs(other))


def _constant(value: float) -> str:
    return (f'the measured effort is frozen at {value:.6g}' if value else
            'the measured effort is zero throughout')


# ---- A whole recording

_LEAST_RECORDED = 0.9   # share of samples with an effort
_FEWEST_VALUES = 10   # different values of an effort that is measured
_MOST_EQUAL = 0.5   # largest share of equal efforts of a joint that moves
_SPIKE = 30.0   # largest effort over the one below which 95 % are, from which on it is a spike
# share of the samples at the largest or smallest effort from which on it is cut there, if it is so
# many times the share of those near it (as a share of its range): a sine has more of the latter
_LIMITED_SHARE, _LIMITED_RATIO, _NEAR_LIMIT = 0.01, 3.0, 0.02
_TIMES = 3   # times that an effort reaches a value at which it is cut
# spread of an effort over that of its noise, from which on it is smooth as that of a motion, and
# the share of its variance that a rest explains, from which on it is one
_SMOOTH, _EXPLAINED = 3.0, 0.5
# effort over its limit in the URDF that is one of units; the bodies may explain none of it
_BEYOND_LIMIT = 10.0


def dead_position(names: Collection[str]) -> str:
    """Return that positions of joints are frozen, whose efforts are not those of a rest."""
    return (f'the position of {", ".join(names)} hardly changes, although the effort '
            'changes as if it moved: its sensor or its column looks dead, and then what is said '
            'of the other joints is wrong')


# speed of a joint that stays [rad/s or m/s], for how long [s], and the share of the spread of all
# of its efforts that it has meanwhile, from which on its position is frozen; the time before and
# after it in which smoothed accelerations are those of a stop [s]
_STILL, _LEAST_STAY, _LEAST_SPREAD, _BRAKING = 1e-3, 1.0, 0.3, 0.5


def frozen_spans(time: Array, q: Array, measured: Array,
                 computed: Array) -> dict[int, tuple[float, float]]:
    """
    Return from when to when a position stays, although its effort changes as if it moved.

    By joint, from positions, measured and computed efforts (k, n) at times (k,) [s]: what stays is
    not explained by the efforts that are computed for it, but the rest is.
    """
    found = {}
    still = np.abs(np.diff(q, axis=0)) <= _STILL * np.diff(time)[:, None]
    for joint in range(q.shape[1]):
        ends = np.flatnonzero(np.diff(np.concatenate(([False], still[:, joint], [False]))))
        begin, end = max(ends.reshape(-1, 2).tolist(), default=(0, 0),
                         key=lambda span: time[span[1]] - time[span[0]])
        stays = (time >= time[begin]) & (time <= time[end])
        moves = (time < time[begin] - _BRAKING) | (time > time[end] + _BRAKING)
        effort, left = measured[:, joint], (measured - computed)[:, joint]
        if time[end] - time[begin] < _LEAST_STAY or not np.isfinite(effort).all():
            continue
        explained, elsewhere = (1.0 - np.var(left[rows]) / max(float(np.var(effort[rows])), 1e-300)
                                if rows.any() else 1.0 for rows in (stays, moves))
        if elsewhere > _EXPLAINED and is_of_motion(effort[stays], explained) and (
                np.std(effort[stays]) > _LEAST_SPREAD * np.std(effort)):
            found[joint] = float(time[begin]), float(time[end])
    return found


def is_of_motion(effort: Array, explained: float) -> bool:
    """Return whether an effort (k,) is not that of a rest, which explains a share of it."""
    spread, noise = float(np.nanstd(effort)), float(np.nanstd(np.diff(effort))) / np.sqrt(2.0)
    return spread > _SMOOTH * noise and explained < _EXPLAINED


_FEWEST_STUCK, _JUMP = 5, 10.0   # samples, and a step over the usual one (median)


def stuck(effort: Array) -> NDArray[np.bool_]:
    """
    Return where an effort (k,) stays at one value that it enters or leaves by a jump.

    A sentinel or a lost sensor does so; an effort at its limit, or of a coarse sensor, does not.
    """
    steps = np.abs(np.diff(effort))
    usual = float(np.median(steps[np.isfinite(steps)])) if np.isfinite(steps).any() else 0.0
    ends = np.flatnonzero(np.diff(np.concatenate(([False], steps == 0.0, [False]))))
    around, result = np.concatenate(([0.0], steps, [0.0])), np.zeros(len(effort), dtype=bool)
    for first, last in ends.reshape(-1, 2).tolist():
        if last - first + 1 >= _FEWEST_STUCK and (
                max(around[first], around[last + 1]) > _JUMP * usual > 0.0):
            result[first:last + 1] = True
    return result


def sensor_fault(effort: Array, while_moving: Array) -> str:
    """Return why the efforts of a joint (k,), and those while it moves, are no measurement."""
    recorded = effort[np.isfinite(effort)]
    if len(recorded) < _LEAST_RECORDED * len(effort):
        return 'its effort is not recorded'
    values, _ = _levels(recorded)
    if len(values) == 1:
        return _constant(float(recorded[0]))
    if len(values) < _FEWEST_VALUES:
        return f'the measured effort has {len(values)} different values only'
    if not len(while_moving):
        return ''
    values, counts = _levels(while_moving)
    share = float(counts.max()) / len(while_moving)
    if share > _MOST_EQUAL:
        return (f'the measured effort is {values[np.argmax(counts)]:.3g} in {100.0 * share:.0f} % '
                'of the samples in which the joint moves: its sensor is missing or dead, or it is '
                'at its limit')
    sizes = np.abs(while_moving[np.isfinite(while_moving)])
    usual, largest = (float(np.percentile(sizes, part)) for part in (95.0, 100.0))
    return '' if not largest > _SPIKE * usual > 0.0 else (
        f'the measured effort has spikes of up to {largest:.3g}, where 95 % are below '
        f'{usual:.3g}: remove them')


def _levels(efforts: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the different ones of efforts (k,), and how often each of them is there."""
    ordered = np.sort(efforts)
    starts = np.append(0, np.flatnonzero(~_same(ordered[1:], ordered[:-1])) + 1)
    return ordered[starts], np.diff(starts, append=len(ordered))


def effort_doubts(while_moving: Mapping[str, Array],
                  limits: Mapping[str, float | None]) -> list[str]:
    """Return what is doubtful of efforts (k,) of joints that move, with the URDF's limits."""
    cut, exceeding = [], []
    for joint, effort in while_moving.items():
        recorded, limit = effort[np.isfinite(effort)], limits[joint]
        value, share = _cut(recorded)
        if share:
            cut.append(f'{joint} (exactly {value:.3g} in {100.0 * share:.2g} %)')
        usual = float(np.percentile(np.abs(recorded), 95.0)) if limit and len(recorded) else 0.0
        if limit and usual > _BEYOND_LIMIT * limit:
            exceeding.append(f'{joint} (up to {usual:.3g}, {usual / limit:.3g} times it)')
    return [*([f'the measured efforts of {", ".join(cut)} are never beyond a value that they have '
               'in so many of the samples in which the joint moves: if the drive or sensor has '
               'its limit there, the model is too weak; record a slower motion'] if cut else []),
            *([f'the measured efforts of {", ".join(exceeding)} are far beyond the limit in the '
               'URDF: are they in another unit, as N mm? convert them to N m or N, unless that '
               'limit is wrong'] if exceeding else [])]


def _cut(effort: Array) -> tuple[float, float]:
    """Return the value at which an effort (k,) is cut, and the share of samples, or zeros."""
    values, counts = _levels(effort) if len(effort) else (effort, np.zeros(0, dtype=np.int64))
    span = float(values[-1] - values[0]) if len(values) > _FEWEST_VALUES else 0.0
    for end in (-1, 0) if span > 0.0 else ():
        at_end = _same(effort, values[end])
        near = np.abs(effort - values[end]) < _NEAR_LIMIT * span
        frequent = counts[1:-1].max() / len(effort)
        share = float(at_end.mean())
        times = np.count_nonzero(np.diff(at_end, prepend=False)) / 2.0
        if times > _TIMES - 0.5 and share > _LIMITED_SHARE and share > _LIMITED_RATIO * max(
                float(near.mean()) - share, frequent):
            return float(values[end]), share
    return 0.0, 0.0
