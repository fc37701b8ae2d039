"""Samples of joints that are received together, kept until they are smoothed as a whole."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.smoothing.smoother import FEWEST_SAMPLES

_UNUSED_END_NS = 40_000_000
"""Time at both ends of a motion without outputs, as samples are on one side only [ns]."""

_FEWEST_AT_END = 3
"""Fewest samples in that time."""


class Recorder:
    """An estimator that keeps all samples, and has no estimate."""

    def __init__(self, joints: int) -> None:
        unknown = np.full(joints, np.nan)
        self._none = Estimate(0, unknown, unknown, unknown, unknown, valid=False)
        self._stamps: list[int] = []
        self._positions: list[Array] = []
        self._ended: tuple[list[int], list[Array]] | None = None
        self._continued = False

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Keep a sample."""
        self._stamps.append(stamp)
        self._positions.append(q)
        return self._none

    def reset(self) -> None:
        """Begin another motion; the samples before are kept until `end`."""
        if self._ended is None:
            self._ended = self._stamps, self._positions
        self._stamps, self._positions = [], []

    def motion(self) -> tuple[NDArray[np.int64], Array]:
        """Return stamps (k,) [ns] and positions (k, n) of the motion that ended, or this one."""
        stamps, positions = self._ended or (self._stamps, self._positions)
        return np.array(stamps, dtype=np.int64), np.array(positions)

    def end(self) -> None:
        """Forget the motion that ended, or this one."""
        if self._ended is None:
            self._stamps, self._positions = [], []
        self._ended = None
        self._continued = False

    def forget(self, until: int) -> None:
        """Forget the samples before a stamp [ns]; the motion continues."""
        first = int(np.searchsorted(self._stamps, until))
        self._stamps, self._positions = self._stamps[first:], self._positions[first:]
        self._continued = True

    def span(self, stamps: NDArray[np.int64], after_jump: bool) -> tuple[int, int] | None:
        """Return first and last stamp of outputs of a part of a motion [ns]; None if too short."""
        if len(stamps) < FEWEST_SAMPLES:
            return None
        first = 0 if self._continued and not after_jump else max(
            int(stamps[0]) + _UNUSED_END_NS, int(stamps[_FEWEST_AT_END]))
        return first, min(int(stamps[-1]) - _UNUSED_END_NS, int(stamps[-1 - _FEWEST_AT_END]))
