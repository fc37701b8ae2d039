"""Single positions that a driver repeats in messages whose other positions are new."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.messages import is_finite
from urdf2dyn_ros.joint_states.repeated_positions import (
    CONFIRMATIONS,
    LARGE_CHANGE,
    LARGEST_ROUNDING,
    LONGEST_RUN_NS,
    LOOKED_AT,
    MOST_OF_USUAL,
    RUNS_WITHIN_NS,
    SAME_SPEED,
)
from urdf2dyn_ros.robot.spatial import Array

MOST_SAMPLES = 17
"""Samples that are kept: twice the longest run that is recognised, and one."""


class RepeatedJoints:
    """
    Recognises joints whose position is repeated although they move, each by its own changes.

    That is so where a bus is read late. A joint that moves with every message, stays, once or for
    longer, and then makes up for it, was repeated. After three such runs of a joint within a
    second, positions that stay count as repeated, up to twice as many in a row, of all joints
    whose velocity is not used: those of a joint that stops are measured after that. A slow joint
    with a coarse encoder does not move with every message.
    """

    def __init__(self, joints: int) -> None:
        self._resolution = np.full(joints, np.inf)   # smallest change of each position
        # stamps [ns] and lengths of the last confirmed runs of a joint
        self._runs: dict[int, deque[tuple[int, int]]] = {}
        self._longest = self._new = 0
        self._past: deque[tuple[int, Array]] = deque(maxlen=MOST_SAMPLES)
        self._same = np.zeros(joints, dtype=bool)    # positions that stayed with the last sample
        self._pattern = b''
        self.found = False   # whether the newest sample was the first to show such joints

    @property
    def known(self) -> bool:
        """Whether positions of single joints are repeated."""
        return self._longest > 0

    def restart(self) -> None:
        """Draw no conclusion from the step to the next sample."""
        self._past.clear()

    def update(self, stamp: int, q: Array, qd: Array) -> NDArray[np.bool_] | None:
        """
        Add a sample; return the joints whose positions are repeated, (n,), or None.

        Stamp [ns], q (n,) [rad or m], and the velocities that are used, qd (n,) [rad/s or m/s] or
        NaN: with one, a joint is measured. The arrays are kept.
        """
        self.found = False
        past = self._past
        if is_finite(qd):
            past.clear()
            return None
        if not past:
            past.append((stamp, q))
            self._same, self._pattern = np.zeros_like(self._same), b''
            return None
        last = past[-1][1]
        same = q == last
        pattern = same.tobytes()
        self._new += 1
        if pattern != self._pattern or self._new % LOOKED_AT == 0:
            self._compare(stamp, q, self._same & ~same)
        self._same, self._pattern = same, pattern
        repeated = None
        most = MOST_OF_USUAL * self._longest
        if most and len(past) > most:
            recent = np.array([past[-k][1] for k in range(2, most + 2)])
            repeated = same & np.isnan(qd) & (q != recent).any(axis=0)
        past.append((stamp, q))
        return repeated if repeated is not None and repeated.any() else None

    def among(self, positions: Array) -> NDArray[np.bool_]:
        """Return which positions of samples, (k, n), are repeated by what is known now, (k, n)."""
        same = np.zeros(positions.shape, dtype=bool)
        same[1:] = positions[1:] == positions[:-1]
        most = MOST_OF_USUAL * self._longest
        moved = np.zeros_like(same)
        for back in range(2, most + 2):
            moved[back:] |= positions[back:] != positions[:-back]
        return same & moved

    def _compare(self, stamp: int, q: Array, ended: NDArray[np.bool_]) -> None:
        """Learn the resolution, and whether changes make up for runs of repeated positions."""
        change = q - self._past[-1][1]
        size = np.abs(change)
        np.fmin(self._resolution, np.where(size > LARGEST_ROUNDING, size, np.inf),
                out=self._resolution)
        large = LARGE_CHANGE * self._resolution
        for joint in np.flatnonzero(ended & (size > large)).tolist():
            length = self._length(joint, stamp, float(change[joint]), float(large[joint]))
            if not length:
                continue
            runs = self._runs.setdefault(joint, deque(maxlen=CONFIRMATIONS))
            runs.append((stamp, length))
            if len(runs) == CONFIRMATIONS and stamp - runs[0][0] < RUNS_WITHIN_NS:
                self.found |= not self._longest
                self._longest = max(self._longest, min(each for _, each in runs))

    def _length(self, joint: int, stamp: int, change: float, large: float) -> int:
        """Return the length of a run that a change makes up for, else 0."""
        stamps = [each for each, _ in self._past]
        positions = [float(each[joint]) for _, each in self._past]
        new = len(positions) - 1   # where the repeated position was new
        while new and positions[new - 1] == positions[-1]:
            new -= 1
        length = len(positions) - 1 - new
        if new < 2 or positions[new - 1] == positions[new - 2] or (
                MOST_OF_USUAL * length >= MOST_SAMPLES or stamp - stamps[new] > LONGEST_RUN_NS):
            return 0
        before = positions[new] - positions[new - 1]
        ratio = change / before * ((stamps[new] - stamps[new - 1]) / (stamp - stamps[new]))
        made_up = abs(before) > large and 1.0 / SAME_SPEED < ratio < SAME_SPEED
        return length if made_up else 0
