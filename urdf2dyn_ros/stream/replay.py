"""The newest samples of some joints, for an estimator that has to begin again with them."""

from collections import deque

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Carrying, Estimator, Selective
from urdf2dyn_ros.joint_states.repeated_joints import RepeatedJoints
from urdf2dyn_ros.joint_states.repeated_positions import RUNS_WITHIN_NS, RepeatedPositions

MOST_REPLAYED = 256
"""Samples that are kept: more than accelerations of noisy joints take to become certain."""


class Replay:
    """
    Samples that a driver may have repeated before this was known.

    An estimator that took them for measurements begins again with those that were, so that it
    need not wait for new ones.
    """

    def __init__(self) -> None:
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=MOST_REPLAYED)

    def clear(self) -> None:
        """Forget the samples."""
        self._samples.clear()

    def add(self, stamp: int, q: Array, qd: Array) -> None:
        """Add a sample as an estimator receives it; the arrays are kept."""
        self._samples.append((stamp, q, qd))

    def into(self, estimator: Estimator, messages: RepeatedPositions,
             joints: RepeatedJoints) -> None:
        """Give an estimator without samples those that were measured, by what is known now."""
        while self._samples and self._samples[-1][0] - self._samples[0][0] > RUNS_WITHIN_NS:
            self._samples.popleft()   # it is not known which of these were repeated
        if not self._samples:
            return
        stamps, positions, velocities = map(np.array, zip(*self._samples))
        repeated = joints.among(positions) & np.isnan(velocities)
        for sample, new, missing in zip(self._samples, messages.measured(stamps, positions),
                                        repeated):
            if not new:
                if isinstance(estimator, Selective):
                    estimator.clock.repeat()
                if isinstance(estimator, Carrying):
                    estimator.carry(sample[0])
            elif isinstance(estimator, Selective) and missing.any():
                estimator.update_some(*sample, missing)
            else:   # as the first one is
                estimator.update(*sample)
