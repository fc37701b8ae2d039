"""
Models of motion of the filters of a joint, from the slowest to the fastest.

The snap of most is white noise: their acceleration is smooth. Where accelerations jump, such
filters overshoot; the jerk of some others decays, so that their acceleration has less to continue.
At the start these would have all the weight: a jerk that decays leaves less unknown, and fails
less while every filter knows too little. They have no weight until a joint was filtered for a
while, and what is remembered of their predictions begins like that of the filter before them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

JUDGED_AFTER, ADMITTED_AFTER = 500_000_000, 1_000_000_000
"""Time from the start of a joint until predictions of filters whose jerk decays count, and until
these have a weight [ns]."""

JUDGED_SAMPLES, ADMITTED_SAMPLES = 25, 50
"""Samples from the start of a joint until then, at least."""

ABSENT = 1e60
"""Squared error of an acceleration that leaves a filter without weight [rad^2/s^4 or m^2/s^4]."""

NEVER = 2 ** 63 - 1
"""A stamp that does not come [ns]."""


class Model(NamedTuple):
    """How a joint moves."""

    # power spectral density of the white noise in the derivative of the jerk [rad^2/s^7 or
    # m^2/s^7]
    density: float
    decay: float = 0.0   # rate at which the jerk decays [1/s]; 0 for white snap


MOTION_MODELS = (Model(1e-6), Model(1e-4), Model(1e-2), Model(1e0), Model(1e2), Model(5e2, 52.0),
                 Model(1e4), Model(1.5e4, 42.0), Model(1e5), Model(1e6), Model(1e7))
"""Models of each joint where the bandwidth adapts; a density of 1e5 suits fast arms."""


class Bank:
    """The filters of all joints, n, each with k models."""

    def __init__(self, models: tuple[Model, ...], joints: int) -> None:
        self.density, self.decay = np.repeat(np.array(models).T[:, :, None], joints, axis=2)
        # ``ABSENT`` for a filter that has no weight yet, else 0
        self.absent = np.zeros_like(self.decay)
        # the last filter up to each whose jerk does not decay
        self.before = np.maximum.accumulate(
            [0 if model.decay else k for k, model in enumerate(models)])
        self._due, self._enough = np.full((2, 2, joints), NEVER)   # stamps [ns], samples
        self.next_stamp = NEVER   # `admit` is due from then on [ns]

    def restart(self, joints: NDArray[np.bool_], stamp: int, samples: int) -> None:
        """Start the filters of some joints, (n,), at a stamp [ns] after so many samples."""
        self.absent[:, joints] = np.where(self.decay[:, joints] > 0.0, ABSENT, 0.0)
        if self.absent.any():
            self._due[:, joints] = np.array([[JUDGED_AFTER], [ADMITTED_AFTER]]) + stamp
            self._enough[:, joints] = np.array([[JUDGED_SAMPLES], [ADMITTED_SAMPLES]]) + samples
            self.next_stamp = int(self._due.min())

    def admit(self, stamp: int, samples: int) -> NDArray[np.bool_]:
        """
        Give all filters a weight of the joints that were filtered for long enough.

        Return the joints, (n,), whose predictions count from now on.
        """
        done = (self._due <= stamp) & (self._enough <= samples)
        self._due[done] = NEVER
        self.next_stamp = int(self._due.min())
        self.absent[:, done[1]] = 0.0
        judged: NDArray[np.bool_] = done[0]
        return judged
