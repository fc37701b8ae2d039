"""The Kalman filter with a fixed lag, with its step and its smoother in C."""

import ctypes

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.compiled.kalman import CompiledKalman
from urdf2dyn_ros.estimators.constant_jerk import FILTER_ROWS
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag

_GAINS = 13   # rows that kalman.c notes for each sample
_COLUMNS_AT_ONCE = 8    # columns that kalman_fixed_lag.c reads at a time, perhaps beyond the last
_FIRST_CAPACITY = 32    # samples, at first
_ARRAYS = ('steps', 'states', 'gains', 'kept')   # with a row for each sample


class _Lag(ctypes.Structure):
    """Structure of kalman_fixed_lag.c."""

    _fields_ = (('filter', ctypes.c_void_p), ('hindsight', ctypes.c_void_p),
                ('samples', ctypes.c_long),
                ('following', ctypes.c_long),
                *((name, ctypes.c_void_p) for name in (*_ARRAYS, 'smoothed', 'followed')))


class CompiledKalmanFixedLag(CompiledKalman, KalmanFixedLag):
    """
    The same smoother, by two calls of C for each sample.

    The samples of the lag are stored, and the estimate is computed from them when it is due:
    each sample's number, modulo the room for samples, is its row.

    Raises
    ------
    CompilerError
        As `CompiledKalman`.

    """

    def _start(self) -> None:
        columns = self._filters * self._joints
        self._steps = _rows(_FIRST_CAPACITY)
        self._states = _rows(_FIRST_CAPACITY, FILTER_ROWS, columns)
        self._gains = _rows(_FIRST_CAPACITY, _GAINS, columns)
        self._kept = _rows(_FIRST_CAPACITY, self._filters, self._joints)
        self._mean: Array = np.zeros((5, self._joints))
        self._follower: Array = np.zeros((2, self._joints))
        super()._start()
        # not the filtered estimates are compared, but the smoothed ones
        self._smoothed_hindsight, self._struct.hindsight = self._struct.hindsight, None
        self._lay_out()

    def _lay_out(self) -> None:
        """Note where the arrays are."""
        following = -1
        if self._following and self._joints:
            following = self._following.start // self._joints
        self._lag_struct = _Lag(self._address, self._smoothed_hindsight, len(self._steps),
                                following, *(
            array.ctypes.data for array in (*(getattr(self, f'_{name}') for name in _ARRAYS),
                                            self._mean, self._follower)))
        self._lag_address = ctypes.addressof(self._lag_struct)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._kept[self._row(), :, joints] *= -1.0

    def _advance(self, stamp: int, measured: Array) -> None:
        if len(self._stamps) >= len(self._steps):
            self._make_room()
        row = self._row()
        h = (stamp - self._last) * 1e-9
        self._steps[row], self._kept[row] = h, np.exp(-0.5 * h * self._bank.decay)
        self._struct.gains = self._gains[row].ctypes.data
        super()._advance(stamp, measured)

    def _estimate(self, stamp: int) -> Estimate:
        return KalmanFixedLag._estimate(self, stamp)

    def _row(self) -> int:
        return self._count % len(self._steps)

    def _make_room(self) -> None:
        """Double the room for samples."""
        numbers = np.arange(self._count - len(self._stamps), self._count)
        for name in _ARRAYS:
            old = getattr(self, f'_{name}')
            new = _rows(2 * len(old), *old.shape[1:])
            new[numbers % len(new)] = old[numbers % len(old)]
            setattr(self, f'_{name}', new)
        self._lay_out()

    def _smoothed(self, dropped: int) -> Array:
        newest = self._count - 1   # that of the present sample
        self._code.smooth(self._lag_address, newest - len(self._stamps) + 1, newest,
                          self._stamps[0])
        return self._mean.copy()

    def _followed(self, columns: slice) -> Array:
        return self._follower


def _rows(*shape: int) -> Array:
    """Return zeros that may be read a little beyond their end."""
    size = int(np.prod(shape))
    zeros: Array = np.zeros(size + _COLUMNS_AT_ONCE)
    return zeros[:size].reshape(shape)
