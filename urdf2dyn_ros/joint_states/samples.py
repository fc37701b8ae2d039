"""Fields of JointState messages in, samples of all joints in the model's order out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite, pi
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.layouts import Layout, Layouts
from urdf2dyn_ros.joint_states.steps import Steps

TURN = 2.0 * pi
# Further apart than this, two positions of a joint are a fault and no number of turns.
MAX_TURNS = 1e6
SKEW_PERIODS = 1.5
NEAR_PERIODS = 0.6


class Sample(NamedTuple):
    """
    All joints at one instant, in the model's order.

    Attributes
    ----------
    stamp : int
        [ns].
    q : ndarray, (n,)
        [rad or m]; a continuous joint goes on counting beyond its turn.
    qd : ndarray, (n,)
        [rad/s or m/s]; NaN where not measured.
    effort : ndarray, (n,)
        [N m or N]; NaN where not measured.
    restart : bool
        Whether nothing may be concluded from the samples before: a jump or a gap lies between.
    gap : bool
        Whether it is a gap: time is missing, and everything else as it was.

    """

    stamp: int
    q: Array
    qd: Array
    effort: Array
    restart: bool
    gap: bool


class Samples:
    """
    Sorts, checks, merges and unwraps.

    A message that names all joints is a sample. Others are kept until every joint has arrived
    since the last sample and the stamps are no further apart than `max_skew`, nor than they will
    be with the next message; the sample bears the newest stamp. Stamps that do not advance are
    refused joint by joint; a jump back in time forgets everything.

    Parameters
    ----------
    joint_names : sequence of str, (n,)
        In the model's order.
    continuous : sequence of bool, (n,)
        Which joints turn without end.
    events : Counter
        Where ``gap``, ``jump_back``, ``velocity_ignored`` and ``effort_ignored`` are counted.
    max_gap : int
        Steps up to this long [ns], and up to five median periods, are no jumps.
    max_skew : int
        [ns]; 0 for 1.5 median periods.

    """

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool],
                 events: Counter[str], max_gap: int = 100_000_000, max_skew: int = 0) -> None:
        self._names = tuple(joint_names)
        self._layouts = Layouts(joint_names, continuous)
        self._events = events
        self._steps = Steps(max_gap)
        self._max_skew = max_skew
        self._forget()

    def _forget(self) -> None:
        joints = len(self._names)
        self._q, self._qd, self._effort = (np.full(joints, np.nan) for _ in range(3))
        self._stamps = np.zeros(joints, dtype=np.int64)
        self._renewed = np.zeros(joints, dtype=bool)
        self._newest = 0
        self._last_sample = 0

    @property
    def newest(self) -> int:
        """Newest stamp that was accepted [ns]; 0 if none was."""
        return self._newest

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names in messages that are no joints of the model, the first few."""
        return tuple(self._layouts.unknown)

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the joints that were never heard of, or not lately."""
        return tuple(name for name, stamp in zip(self._names, self._stamps.tolist(), strict=True)
                     if stamp == 0 or self._steps.is_jump(self._newest - stamp))

    def take(self, stamp: int, names: Sequence[str], position: Sequence[float],
             velocity: Sequence[float], effort: Sequence[float]) -> Sample | str:
        """
        Take the fields of one message; return a sample, or in one word why there is none.

        Parameters
        ----------
        stamp : int
            Positive [ns].
        names : sequence of str
            In any order.
        position, velocity, effort : sequence of float
            [rad or m], [rad/s or m/s], [N m or N], one for each name; the last two may be empty.

        """
        layout = self._layouts.find(names)
        if layout.fault:
            return layout.fault
        q = _numbers(position)
        if q is None or len(q) != layout.length:
            return 'malformed'
        q = q[layout.entries]
        if not is_finite(q):
            return 'position_not_finite'
        fault = self._check_order(stamp, layout)
        if fault:
            return fault

        self._unwrap(q, layout)
        qd = self._measured(velocity, layout, 'velocity_ignored')
        tau = self._measured(effort, layout, 'effort_ignored')
        self._newest = max(self._newest, stamp)
        if layout.complete:
            self._stamps.fill(stamp)
            self._q, self._qd, self._effort = q, qd, tau
        else:
            self._stamps[layout.joints] = stamp
            self._merge(layout, q, qd, tau)
            if not self._renewed.all():
                return 'incomplete'
            if self._is_skewed():
                return 'skewed'
        return self._sample()

    def _check_order(self, stamp: int, layout: Layout) -> str:
        """Refuse a stamp no newer than the last of the same joints, but for a jump back."""
        last = self._newest if layout.complete else int(self._stamps[layout.joints].max())
        step = stamp - last
        if last == 0:
            return ''
        if step > 0:
            self._steps.add(step)
            return ''
        if self._steps.is_jump(step):
            self._events['jump_back'] += 1
            self._steps.clear()
            self._forget()
            return ''
        return 'out_of_order' if step < 0 else 'duplicate_stamp'

    def _merge(self, layout: Layout, q: Array, qd: Array, effort: Array) -> None:
        # Into copies: a sample that was given away must not change.
        self._q, self._qd, self._effort = self._q.copy(), self._qd.copy(), self._effort.copy()
        joints = layout.joints
        self._q[joints], self._qd[joints], self._effort[joints] = q, qd, effort
        self._renewed[joints] = True

    def _is_skewed(self) -> bool:
        """Tell whether the joints are too far apart, or will be nearer with the next message."""
        period = self._steps.period
        skew = self._newest - int(self._stamps.min())
        if NEAR_PERIODS * period < skew < period:
            # the oldest are due before long, and nearer to the newest than they are now
            self._renewed[self._stamps < self._newest - NEAR_PERIODS * period] = False
            return True
        return skew > (self._max_skew or SKEW_PERIODS * period)

    def _sample(self) -> Sample:
        first = self._last_sample == 0
        gap = not first and self._steps.is_jump(self._newest - self._last_sample)
        if gap:
            self._events['gap'] += 1
        self._last_sample = self._newest
        self._renewed.fill(False)
        return Sample(self._newest, self._q, self._qd, self._effort, first or gap, gap)

    def _unwrap(self, q: Array, layout: Layout) -> None:
        """Add to continuous joints the turns that bring them nearest to where they were."""
        turning = layout.turning
        if not turning.size:
            return
        step = self._q[layout.turning_joints] - q[turning]
        if np.abs(step).max() <= pi:
            return
        turns = np.rint(step / TURN)
        turns[~(np.abs(turns) < MAX_TURNS)] = 0.0  # also where there is no position yet: NaN
        q[turning] += TURN * turns

    def _measured(self, values: Any, layout: Layout, ignored: str) -> Array:
        """Return the joints' entries of a field that need not be there; NaN where it is not."""
        numbers = _numbers(values)
        if numbers is not None and len(numbers) == layout.length:
            numbers = numbers[layout.entries]
            if not is_finite(numbers):
                numbers[np.isinf(numbers)] = np.nan
            return numbers
        if numbers is None or len(numbers) > 0:
            self._events[ignored] += 1
        return np.full(len(layout.joints), np.nan)


def is_finite(values: Array) -> bool:
    """Tell whether no entry (n,) is NaN or infinite; for few entries faster than numpy."""
    numbers = values.tolist()
    return isfinite(sum(numbers)) or all(map(isfinite, numbers))


def _numbers(values: Any) -> Array | None:
    """Return one field as numbers (k,), maybe in its own memory, or None if it is not that."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if numbers.ndim == 1 else None
