"""No accelerations: the efforts of gravity, Coriolis and centrifugal forces alone."""

from typing import ClassVar

import numpy as np

from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array


class Slopes:
    """Slopes of the last two positions, where velocities are missing."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the last sample."""
        self._last: tuple[int, Array] | None = None

    def update(self, stamp: int, q: Array, qd: Array) -> Array:
        """Return qd (n,) with the NaN replaced by slopes; at the first sample they stay NaN."""
        velocity = qd.copy()
        missing = np.isnan(qd)
        if self._last is not None and missing.any():
            velocity[missing] = ((q - self._last[1]) / ((stamp - self._last[0]) * 1e-9))[missing]
        self._last = stamp, q.copy()
        return velocity


class NoAcceleration:
    """Zero for every acceleration, with an unknown deviation; missing velocities are slopes."""

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, joints: int) -> None:
        self._zero, self._unknown = np.zeros(joints), np.full(joints, np.nan)
        self._slopes = Slopes()

    def reset(self) -> None:
        """Forget every sample."""
        self._slopes.reset()

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Return the estimate at the newest sample."""
        velocity = self._slopes.update(stamp, q, qd)
        return Estimate(stamp, q.copy(), velocity, self._zero.copy(), self._unknown,
                        valid=not np.isnan(velocity).any())
