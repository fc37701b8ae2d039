"""The Kalman filter with its step in C."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.c_compiler.compiler import find_compiler
from urdf2dyn_ros.estimators.compiled_sensor_noise import CompiledSensorNoise
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import FIRST_VALID, Kalman
from urdf2dyn_ros.estimators.machine_code import machine_code

_REJECTING, _UNCERTAIN = 1, 2   # flags that a step returns, as in kalman.c
_STARTED = -1                   # no flags: a joint was started or reset since


class _Filter(ctypes.Structure):
    """Structure of kalman.c."""

    _fields_ = (('joints', ctypes.c_long),
                *((name, ctypes.c_void_p) for name in ('state', 'rejected', 'measured',
                                                       'variance', 'estimate')),
                *((name, ctypes.c_double) for name in ('density', 'gate', 'acceleration_step',
                                                       'max_variance')))


class CompiledKalman(Kalman):
    """
    The same filter, by one call of C for each sample instead of many of numpy.

    Raises
    ------
    CompilerError
        If there is no C compiler, it fails, or there is no directory for its output.

    """

    def __init__(self, joints: int, **parameters: float) -> None:
        self._code = machine_code(find_compiler())
        super().__init__(joints, **parameters)

    def _sensor_noise(self) -> CompiledSensorNoise:
        return CompiledSensorNoise(self._joints, self._code)

    def _start(self) -> None:
        super()._start()
        self._measured = np.zeros((2, self._joints))
        # learned variances are read where they are written
        self._variance = self._noise.variance if self._learns else np.zeros((2, self._joints))
        self._result: Array = np.zeros((4, self._joints))
        self._struct = _Filter(self._joints, *(array.ctypes.data for array in (
            self._z, self._rejected, self._measured, self._variance, self._result)),
            self._density, self._gate, self._step, self._max_variance)
        self._address = ctypes.addressof(self._struct)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._flags = _STARTED

    def _advance(self, stamp: int, measured: Array) -> None:
        self._measured[:] = measured
        if not self._learns:
            self._variance[:] = self._variances()
        self._flags = self._code.step(self._address, (stamp - self._last) * 1e-9,
                                      self._noise.stamps)
        self._rejecting = bool(self._flags & _REJECTING)

    def _estimate(self, stamp: int) -> Estimate:
        if self._flags == _STARTED:
            return super()._estimate(stamp)
        position, velocity, acceleration, deviation = self._result.copy()
        return Estimate(stamp, position, velocity, acceleration, deviation,
                        valid=self._count >= FIRST_VALID and not self._flags & _UNCERTAIN)
