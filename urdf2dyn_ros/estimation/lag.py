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

from urdf2dyn_ros.estimation.bank import Bank, mixed
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
        self._began = np.zeros(bank.x.shape[2])

    def begin(self, time: float) -> None:
        """Start all joints at a time [s]."""
        for each in (self._kept, self._samples, self._known):
            each.clear()
        self._began[:] = time
        self.hindsight.begin(time)

    def begin_joint(self, joint: int, time: float) -> None:
        """Leave out the past of a joint."""
        self._began[joint] = time
        self.hindsight.begin_joint(joint, time)

    def add(self, time: float, velocities: NDArray[np.bool_]) -> tuple[float, Array, Array] | None:
        """
        Add the sample that the filters were corrected by.

        Return the time [s], positions, velocities and accelerations (3, n) and deviations (n,) of
        an earlier sample; None if there is none.
        """
        bank, hindsight = self._bank, self.hindsight
        self._samples.append(time)
        if not self._kept or time - self._kept[-1] >= SPACING:
            bank.keep()
            self._kept.append(time)
        while self._kept and self._kept[0] <= time - self._lag + FINER:
            at = self._kept.popleft()
            past = bank.past[0]
            hindsight.add(time, velocities, at, past[2])
            weights = hindsight.weights
            position = mixed(weights, np.concatenate((past[0], past[0, bank.each - 1, None])))
            self._known.append((at, np.stack((position, mixed(weights[:-1], past[1]),
                                              mixed(weights[:-1], past[2])))))
            bank.forget(1)
        while len(self._known) > 1 and self._known[1][0] <= self._samples[0]:
            self._known.popleft()
        if not self._known or self._samples[0] > self._known[-1][0]:
            return None
        at = self._samples.popleft()
        if at < self._known[0][0]:
            return None
        state = self._known[0][1] if len(self._known) == 1 else _between(
            at, self._known[0], self._known[1])
        settled = bool((self._began <= at).all())
        return (at, state, np.sqrt(hindsight.variance)) if settled else None


def _between(time: float, before: tuple[float, Array], after: tuple[float, Array]) -> Array:
    """Return the motion (3, n) between two states, both continued with their accelerations."""
    part = (time - before[0]) / (after[0] - before[0])
    result = np.zeros_like(before[1])
    for share, (at, (q, v, a)) in ((1.0 - part, before), (part, after)):
        t = time - at
        result += share * np.stack((q + t * v + t * t / 2.0 * a, v + t * a, a))
    return result
