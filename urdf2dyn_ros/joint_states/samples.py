"""From fields of JointState messages to samples: all joints in the order of the model."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.joint_states.layouts import NameLayout
from urdf2dyn_ros.joint_states.messages import Message, Messages, unwrap
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.robot.spatial import Array

SKEW_PERIODS = 1.5
"""Largest difference of the stamps of one sample, in median periods."""

NEAR_PERIODS = 0.6
"""Skew in median periods from which on the next message will be nearer."""


class Sample(NamedTuple):
    """All joints at one stamp, in the order of the model."""

    stamp: int   # [ns]
    q: Array   # (n,) [rad or m]; continuous joints are unwrapped
    qd: Array   # (n,) [rad/s or m/s]; NaN where not measured
    effort: Array   # (n,) [N m or N]; NaN where not measured
    # whether the samples before must not be used: this is the first one, or the first after a
    # clock jump or a gap
    restart: bool


class Samples:
    """
    Checks messages of a recording, sorts their joints, merges and unwraps them.

    A message with all joints is a sample. Others are kept, each joint with its own stamp, until
    every joint was received since the last sample and the stamps differ by no more than
    SKEW_PERIODS, nor by more than they will with the next message; the sample gets the newest
    stamp. Messages whose stamps do not advance are dropped per joint; a clock jump back forgets
    all.

    Names and continuous joints are as in `Messages`. ``gap``, ``jump_back``, ``velocity_ignored``
    and ``effort_ignored`` are counted in `events`.
    """

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool],
                 events: Counter[str]) -> None:
        self._joints = len(joint_names)
        self._messages = Messages(joint_names, continuous, events)
        self._events = events
        self._steps = Steps()
        self._forget()

    def _forget(self) -> None:
        joints = self._joints
        self._q, self._qd, self._effort = (np.full(joints, np.nan) for _ in range(3))
        self._stamps = np.zeros(joints, dtype=np.int64)
        self._renewed = np.zeros(joints, dtype=bool)
        self.newest = 0   # stamp [ns]
        self._last_sample = 0

    def add(self, stamp: int, names: Sequence[str], position: Sequence[float],
            velocity: Sequence[float], effort: Sequence[float]) -> Sample | str:
        """Add a message, as in `Stream.receive`; return a sample, or the outcome without one."""
        message = self._messages.read(names, position, velocity, effort)
        if isinstance(message, str):
            return message
        layout, q = message.layout, message.q
        fault = self._check_order(stamp, layout)
        if fault:
            return fault

        unwrap(q, layout.continuous, self._q[layout.continuous_joints])
        self.newest = max(self.newest, stamp)
        if layout.complete:
            self._stamps.fill(stamp)
            self._q, self._qd, self._effort = message[1:]
        else:
            self._stamps[layout.joints] = stamp
            self._merge(message)
            if not self._renewed.all():
                return 'incomplete'
            if self._is_skewed():
                return 'skewed'
        return self._sample()

    def _check_order(self, stamp: int, layout: NameLayout) -> str:
        """Return the outcome of a stamp that does not advance; forget all at a jump back."""
        last = self.newest if layout.complete else int(self._stamps[layout.joints].max())
        fault = self._steps.add(last, stamp)
        if stamp < last and not fault:
            self._events['jump_back'] += 1
            self._steps.clear()
            self._forget()
        return fault

    def _merge(self, message: Message) -> None:
        # into copies: samples that were returned must not change
        self._q, self._qd, self._effort = self._q.copy(), self._qd.copy(), self._effort.copy()
        joints = message.layout.joints
        self._q[joints], self._qd[joints], self._effort[joints] = message[1:]
        self._renewed[joints] = True

    def _is_skewed(self) -> bool:
        """Return whether the stamps are too far apart, or will be nearer with the next message."""
        period = self._steps.period
        skew = self.newest - int(self._stamps.min())
        if NEAR_PERIODS * period < skew < period:
            # the oldest joints are received next, nearer to the newest than they are now
            self._renewed[self._stamps < self.newest - NEAR_PERIODS * period] = False
            return True
        return skew > SKEW_PERIODS * period

    def _sample(self) -> Sample:
        first = self._last_sample == 0
        gap = not first and self._steps.is_jump(self.newest - self._last_sample)
        if gap:
            self._events['gap'] += 1
        self._last_sample = self.newest
        self._renewed.fill(False)
        return Sample(self.newest, self._q, self._qd, self._effort, first or gap)
