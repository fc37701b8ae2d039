"""The Kalman filter with a fixed lag, with its step and its smoother in C."""

import ctypes

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.compiled.kalman import CompiledKalman
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.estimators.wrong_stamp import CARRIED
from urdf2dyn_ros.robot.spatial import Array

_GAINS, _LINKED = 15, 14   # rows of gains, as in constant_jerk.c, and one of them
_RECORD, _SHOWN = 16, 30   # rows that are stored of a sample, and of `Shown` in shown.c
_SETTLING = 16           # samples after a reset until a state is known well
_CACHE_LINE = 8          # numbers
_FIRST_CAPACITY = 32    # samples, at first; a power of 2
_ARRAYS = ('steps', 'states', 'gains')   # of the samples
_OTHERS = ('shown', 'anchors', 'settled', 'mean')


class _Lag(ctypes.Structure):
    """Structure of kalman_fixed_lag.c."""

    _fields_ = (('filter', ctypes.c_void_p), ('hindsight', ctypes.c_void_p),
                *((name, ctypes.c_long) for name in ('samples', 'blocks', 'turn')),
                *((name, ctypes.c_void_p) for name in (*_ARRAYS, *_OTHERS)))


class CompiledKalmanFixedLag(CompiledKalman, KalmanFixedLag):
    """
    The same smoother, by two calls of C for each sample; a CompilerError as of `machine_code`.

    Samples of the lag are not corrected by each sample, but a few times: kalman_fixed_lag.c. The
    number of a sample, modulo the room for samples, is its row.
    """

    def _start(self) -> None:
        width = self._code.width
        blocks = -(-self._filters * self._joints // width)
        self._steps = _rows(_FIRST_CAPACITY)
        self._states = _rows(_FIRST_CAPACITY, blocks, _RECORD, width)
        self._gains = _rows(_FIRST_CAPACITY, _GAINS, blocks, width)
        self._shown = _rows(blocks, _SHOWN, width)
        self._anchors, self._settled = np.repeat(np.array([[-1], [0]], np.int64), blocks, axis=1)
        self._mean: Array = np.zeros((5, self._joints))
        super()._start()
        # not the filtered estimates are compared, but the smoothed ones
        self._smoothed_hindsight, self._struct.hindsight = self._struct.hindsight, None
        self._lay_out()

    def _lay_out(self) -> None:
        """Note where the arrays are."""
        self._lag_struct = _Lag(self._address, self._smoothed_hindsight,
                                *self._states.shape[:2], 0, *(
            getattr(self, f'_{name}').ctypes.data for name in (*_ARRAYS, *_OTHERS)))
        self._lag_address = ctypes.addressof(self._lag_struct)
        self._first_gains, self._sample_bytes = self._gains.ctypes.data, self._gains.strides[0]
        self._struct.apart = self._gains[0, 0].size

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        block, column = np.divmod(np.flatnonzero(np.tile(joints, self._filters)),
                                  self._code.width)
        self._gains[self._row(), _LINKED, block, column] = 0.0
        self._settled[block] = self._count + _SETTLING

    def _advance(self, stamp: int, measured: Array) -> None:
        if len(self._stamps) >= len(self._steps):
            self._make_room()
        row = self._row()
        self._steps[row] = (stamp - self._last) * 1e-9
        self._struct.gains = self._first_gains + row * self._sample_bytes
        if self._kind != CARRIED:
            self._carried = 0
        super()._advance(stamp, measured)

    def _pass(self, stamp: int) -> None:
        newest, self._kind = self._measured.copy(), CARRIED
        self._advance(stamp, np.full_like(newest, np.nan))
        self._measured[:] = newest   # velocities of the estimate are as at that sample

    def _estimate(self, stamp: int) -> Estimate:
        self._add(stamp)
        newest = self._count - 1   # number of the present sample
        certain = self._code.smooth(self._lag_address, newest - len(self._stamps) + 1, newest,
                                    self._stamps[0])
        position, velocity, acceleration, _, deviation = self._mean.copy()
        return Estimate(self._stamps[0], position, velocity, acceleration, deviation,
                        valid=self._usable.begun(self._count, self._rejecting) and self._lagging
                        and bool(certain))

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

    def _follow(self, estimate: Estimate, velocities: Array) -> None:
        """Do nothing: that is done in C."""


def _rows(*shape: int) -> Array:
    """Return zeros that begin with a cache line."""
    size = int(np.prod(shape))
    zeros: Array = np.zeros(size + _CACHE_LINE)
    first = -zeros.ctypes.data // zeros.itemsize % _CACHE_LINE
    return zeros[first:first + size].reshape(shape)
