"""No accelerations: what gravity, Coriolis and centrifugal forces ask for, and nothing else."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.parameters import Parameter, check_all


class NoAcceleration:
    """
    Zero for every acceleration, and nothing assumed about its error.

    A joint without velocity gets the slope of its last two positions.

    Parameters
    ----------
    joints : int
        Their number, n.
    **parameters
        There are none.

    Raises
    ------
    ParameterError
        For any parameter.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, joints: int, **parameters: Any) -> None:
        check_all(self.PARAMETERS, parameters)
        self._zero, self._unknown = np.zeros(joints), np.full(joints, np.nan)
        self._last: tuple[int, Array] | None = None

    def reset(self) -> None:
        """Forget every sample."""
        self._last = None

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Take one sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s] or NaN."""
        before, self._last = self._last, (stamp, q.copy())
        velocity = qd.copy()
        missing = np.isnan(qd)
        if before is not None and missing.any():
            h = (stamp - before[0]) * 1e-9
            velocity[missing] = ((q - before[1]) / h)[missing]
        return Estimate(stamp, q.copy(), velocity, self._zero.copy(), self._unknown,
                        valid=before is not None or not missing.any())
