"""Accelerations a little later, and several times better: the Kalman filter with a fixed lag."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.constant_jerk import FULL, Step
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import BEYOND, FEWEST, Kalman, all_true
from urdf2dyn_ros.parameters import Parameter, check_all

KEPT = 3   # position, velocity, acceleration
MAX_SAMPLES = 512


class KalmanFixedLag(Kalman):
    """
    The filter, and what it learns afterwards about the states of the last samples.

    Every measurement corrects the states of the samples before it as well, by their covariance
    with the present one (Anderson and Moore, Optimal Filtering, section 7.3): nothing is computed
    twice, and no step backwards is needed. The estimate is that of the sample nearest to `lag`
    before the newest, and carries its stamp.

    Parameters
    ----------
    joints : int
        Their number, n.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Raises
    ------
    ParameterError
        For an unknown parameter or a value that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        *Kalman.PARAMETERS,
        Parameter('lag', 0.02, 'How far behind the newest sample the estimate is.', unit='s',
                  minimum=0.0, maximum=0.5),
    )

    def __init__(self, joints: int, **parameters: Any) -> None:
        self._lag = round(check_all(self.PARAMETERS, parameters)['lag'] * 1e9)
        super().__init__(joints, **{name: value for name, value in parameters.items()
                                    if name != 'lag'})

    def _start(self) -> None:
        super()._start()
        self._lagging = False   # until the estimate is as far behind as it is to be
        self._stamps: list[int] = []
        self._past: Array = np.zeros((0, KEPT, self._joints))       # states
        self._variance: Array = np.zeros((0, self._joints))         # of their accelerations
        # covariance of the present state with those of the past
        self._shared: Array = np.zeros((4, 0, KEPT, self._joints))

    def _estimate(self, stamp: int) -> Estimate:
        self._remember(stamp)
        position, velocity, acceleration = self._past[0]
        variance = self._variance[0]
        return Estimate(self._stamps[0], position.copy(), velocity.copy(), acceleration.copy(),
                        np.sqrt(np.maximum(variance, 0.0)), valid=self._lagging
                        and self._count >= FEWEST and all_true(variance < self._max_variance))

    def _remember(self, stamp: int) -> None:
        """Add the present state, and let go of those that are later than the lag asks for."""
        self._stamps.append(stamp)
        wanted = stamp - self._lag
        done = 0
        while done + 1 < len(self._stamps) and (
                abs(self._stamps[done + 1] - wanted) <= abs(self._stamps[done] - wanted)
                or len(self._stamps) - done > MAX_SAMPLES):
            done += 1
        del self._stamps[:done]
        self._lagging |= done > 0 or self._stamps[0] <= wanted
        present = self._z[FULL[:, :KEPT]][:, None]
        self._past = np.concatenate((self._past[done:], self._z[None, :KEPT]))
        self._variance = np.concatenate((self._variance[done:], present[2, :, 2]))
        self._shared = np.concatenate((self._shared[:, done:], present), axis=1)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._shared[:, :, :, joints] = 0.0

    def _passed(self, stamp: int) -> Step:
        model = super()._passed(stamp)
        shape = self._shared.shape
        self._shared = (model.F @ self._shared.reshape(4, -1)).reshape(shape)
        return model

    def _correct(self, z: Array, S: Array, off: Array) -> None:
        scale = 1.0 / (S[0] * S[1] - off * off)
        C, y = self._shared[:2], z[BEYOND]
        K = (S[::-1] * scale)[:, None, None] * C
        K -= (off * scale) * C[::-1]
        self._past -= K[0] * y[0] + K[1] * y[1]
        self._variance -= (K[:, :, 2] * C[:, :, 2]).sum(axis=0)
        W = z[FULL[:2]][:, :, None, None]
        self._shared = self._shared - W[0] * K[0] - W[1] * K[1]
        super()._correct(z, S, off)
