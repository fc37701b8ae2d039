"""
Estimates of a fixed lag: of every sample, with the help of those that followed it.

States of all filters are kept every 2.4 ms or more, and corrected by all measurements until they
are as old as the lag (the Rauch-Tung-Striebel smoother, in the form that goes along with the
filter: Bar-Shalom, Li and Kirubarajan, section 8.5). Then they are mixed, with weights of their
own by hindsight. Between two of them, both are continued.
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimation.bank import Bank
from urdf2dyn_ros.estimation.hindsight import SPACING, Hindsight
from urdf2dyn_ros.robot.spatial import Array

FINER = 1e-9   # s, rounding of times


class Lag:
    """The estimates a lag [s] ago."""

    def __init__(self, bank: Bank, lag: float) -> None:
        self._bank, self._lag = bank, lag
        self.hindsight = Hindsight(bank, lag)
        self._kept: deque[float] = deque()   # times of the past states of the bank
        self._samples: deque[float] = deque()   # times that wait for their estimate
        self._known: deque[tuple[float, Array]] = deque()   # states (3, n) that are old enough
        self.began = 0.0   # time [s] of the last joint

    def begin(self, time: float) -> None:
        """Start all joints at a time [s]."""
        for each in (self._kept, self._samples, self._known):
            each.clear()
        self.began = time
        self.hindsight.begin(time)

    def begin_joint(self, joint: int, time: float) -> None:
        """Leave out the past of a joint."""
        self.began = time
        self.hindsight.begin_joint(joint, time)

    def add(self, time: float, velocities: NDArray[np.bool_]) -> tuple[float, Array, Array] | None:
        """
        Add the sample that the filters were corrected by.

        Return the time [s], positions, velocities and accelerations (3, n) and deviations (n,) of
        an earlier sample; None if there is none.
        """
        self._samples.append(time)
        if not self._kept or time - self._kept[-1] >= SPACING:
            self._keep()
            self._kept.append(time)
        while self._kept and self._kept[0] <= time - self._lag + FINER:
            at = self._kept.popleft()
            self._known.append((at, self._settle(time, velocities, at)))
        # samples that came at once are not told one by one, each with a later message
        while len(self._samples) > 1 and self._samples[1] <= time - self._lag - 2.0 * SPACING:
            self._samples.popleft()
        while len(self._known) > 1 and self._known[1][0] <= self._samples[0]:
            self._known.popleft()
        if not self._known or self._samples[0] > self._known[-1][0]:
            return None
        at = self._samples.popleft()
        if at < self._known[0][0]:
            return None
        state = self._known[0][1] if len(self._known) == 1 else _between(
            at, self._known[0], self._known[1])
        return (at, state, np.sqrt(self.hindsight.variance)) if self.began <= at else None

    def _keep(self) -> None:
        self._bank.keep()

    def _settle(self, time: float, velocities: NDArray[np.bool_], at: float) -> Array:
        """Return the motion (3, n) at the time of the oldest past state, and forget it."""
        bank, hindsight = self._bank, self.hindsight
        past = bank.past[0]
        hindsight.add(time, velocities, at, past[bank.derivative])
        bank.forget(1)
        return hindsight.motion(past)


def _between(time: float, before: tuple[float, Array], after: tuple[float, Array]) -> Array:
    """Return the motion (3, n) between two states, both continued with their accelerations."""
    part = (time - before[0]) / (after[0] - before[0])
    shares = []
    for share, t in ((1.0 - part, time - before[0]), (part, time - after[0])):
        v, a = share * t, share * t * t / 2.0
        shares.append([[share, v, a], [0.0, share, v], [0.0, 0.0, share]])
    return np.asarray(np.concatenate(shares, axis=1) @ np.concatenate((before[1], after[1])))
