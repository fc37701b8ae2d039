"""The Kalman filter with its step as machine code, made by the system's C compiler."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.c_compiler.compiler import find_compiler
from urdf2dyn_ros.estimators.compiled_sensor_noise import CompiledSensorNoise
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import FEWEST, Kalman
from urdf2dyn_ros.estimators.machine_code import machine_code

REJECTING, UNCERTAIN = 1, 2   # what a step answers, as in kalman.c
UNKNOWN = -1                  # no answer: a joint has begun afresh since


class _Filter(ctypes.Structure):
    """The structure of kalman.c."""

    _fields_ = (('joints', ctypes.c_long),
                *((name, ctypes.c_void_p) for name in ('state', 'rejected', 'measured',
                                                       'variance', 'found')),
                *((name, ctypes.c_double) for name in ('density', 'gate', 'acceleration_step',
                                                       'max_variance')))


class CompiledKalman(Kalman):
    """
    The same filter: one call of C for each sample instead of many of numpy.

    Raises
    ------
    CompilerError
        If there is no C compiler, it fails, or no directory to keep its work.

    """

    def __init__(self, joints: int, **parameters: Any) -> None:
        self._code = machine_code(find_compiler())
        super().__init__(joints, **parameters)

    def _sensor_noise(self) -> CompiledSensorNoise:
        return CompiledSensorNoise(self._joints, self._code)

    def _start(self) -> None:
        super()._start()
        self._measured = np.zeros((2, self._joints))
        # what is told is written where it is read
        self._variance = self._noise.variance if self._told else np.zeros((2, self._joints))
        self._found: Array = np.zeros((4, self._joints))
        self._struct = _Filter(self._joints, *(array.ctypes.data for array in (
            self._z, self._rejected, self._measured, self._variance, self._found)),
            self._density, self._gate, self._step, self._max_variance)
        self._address = ctypes.addressof(self._struct)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._flags = UNKNOWN

    def _advance(self, stamp: int, measured: Array) -> None:
        self._measured[:] = measured
        if not self._told:
            self._variance[:] = self._variances()
        self._flags = self._code.step(self._address, (stamp - self._last) * 1e-9,
                                      self._noise.stamps)
        self._rejecting = bool(self._flags & REJECTING)

    def _estimate(self, stamp: int) -> Estimate:
        if self._flags == UNKNOWN:
            return super()._estimate(stamp)
        position, velocity, acceleration, deviation = self._found.copy()
        return Estimate(stamp, position, velocity, acceleration, deviation,
                        valid=self._count >= FEWEST and not self._flags & UNCERTAIN)
