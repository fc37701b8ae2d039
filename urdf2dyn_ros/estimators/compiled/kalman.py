"""The Kalman filter with its step in C."""

import ctypes

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.codegen.c_compiler import find_compiler
from urdf2dyn_ros.estimators.bandwidth import Bandwidth
from urdf2dyn_ros.estimators.compiled.driver_clock import CompiledDriverClock
from urdf2dyn_ros.estimators.compiled.machine_code import machine_code
from urdf2dyn_ros.estimators.compiled.sensor_noise import CompiledSensorNoise
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.hindsight import Hindsight
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.robot.spatial import Array

_REJECTING, _UNCERTAIN = 1, 2   # flags that a step returns, as in kalman.c
_STARTED = -1                   # no flags: a joint was started or reset since


_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_double
_ARRAYS = ('stamps', 'states', 'errors', 'compared', 'velocity', 'fast', 'weights', 'variance',
           'declared', 'squares')
_MODELS = ('density', 'decay', 'absent')


_ONSET = ('deviations', 'in_a_row', 'missed', 'judged')
_HINDSIGHT = ('stamps', 'rows', 'errors', 'noise', 'scale', 'compared')


class _Onset(ctypes.Structure):
    """Structure of onset.c."""

    _fields_ = [(name, _POINTER) for name in _ONSET]


class _Bandwidth(ctypes.Structure):
    """Structure of bandwidth.c."""

    _fields_ = (*((name, ctypes.c_long) for name in ('filters', 'joints', 'number')),
                ('onset', _POINTER), ('period', _NUMBER),
                *((name, _POINTER) for name in (*_ARRAYS, *_MODELS)))


class _Hindsight(ctypes.Structure):
    """Structure of hindsight.c."""

    _fields_ = (('joints', ctypes.c_long), ('number', ctypes.c_long),
                *((name, _POINTER) for name in _HINDSIGHT))


class _Filter(ctypes.Structure):
    """Structure of kalman.c."""

    _fields_ = (*((name, _POINTER) for name in (
        'bandwidth', 'hindsight', 'state', 'rejected', 'usual', 'measured', 'variance', 'known',
        'estimate', 'gains')),
        *((name, _NUMBER) for name in ('gate', 'acceleration_step', 'max_variance', 'off')),
        *((name, ctypes.c_long) for name in ('apart', 'tracking', 'following', 'ever')))


class CompiledBandwidth(Bandwidth):
    """Weights that a step in C computes; only what happens between steps is numpy's."""

    def start(self) -> None:
        super().start()
        self._onset = _Onset(*(getattr(self.onset, name).ctypes.data for name in _ONSET))
        self.struct = _Bandwidth(*self._shape, 0, ctypes.addressof(self._onset), 0.0, *(
            getattr(self, name).ctypes.data for name in _ARRAYS), *(
            getattr(self._bank, name).ctypes.data for name in _MODELS))


class CompiledHindsight(Hindsight):
    """Errors of accelerations that a step in C compares."""

    def start(self) -> None:
        super().start()
        self._struct = _Hindsight(self.errors.shape[1], 0, *(
            getattr(self, name).ctypes.data for name in _HINDSIGHT))
        self.address = ctypes.addressof(self._struct)


class CompiledKalman(Kalman):
    """The same filter, by one call of C for each sample; a CompilerError as of `machine_code`."""

    def __init__(self, joints: int, **parameters: float) -> None:
        self._code = machine_code(find_compiler())
        super().__init__(joints, **parameters)

    def _sensor_noise(self) -> CompiledSensorNoise:
        return CompiledSensorNoise(self._joints, self._code)

    def _adaptation(self) -> tuple[CompiledBandwidth, CompiledHindsight]:
        self._compiled = CompiledBandwidth(self._bank)
        self._compared = CompiledHindsight(self._joints)
        return self._compiled, self._compared

    def _start(self) -> None:
        super()._start()
        self._measured = np.zeros((2, self._joints))
        # learned variances are read where they are written
        self._variance = self._noise.variance if self._learns else np.zeros((2, self._joints))
        self._result: Array = np.zeros((5, self._joints))
        self._mixed, self._rates = self._result[:3], self._result[1:3]
        self.clock = CompiledDriverClock(self._sample, self._rates, self._code)
        tracking = self._columns.start // max(self._joints, 1)
        self._struct = _Filter(
            ctypes.addressof(self._compiled.struct),
            self._compared.address if self._filters > 1 else None, *(
                array.ctypes.data for array in (
                    self._z, self._rejected, self._usual.values, self._measured,
                    self._variance, self._noise.known, self._result)),
            None, self._gate.squared, self._gate.step, self._max_variance, 0.0, 0, tracking,
            tracking if self._following else -1)
        self._address = ctypes.addressof(self._struct)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._flags = _STARTED
        if not self._count:
            self._measured[:] = measured

    def _advance(self, stamp: int, measured: Array) -> None:
        self._measured[:] = measured
        self._struct.ever = self._usable.ever
        self._compiled.struct.period = self._bandwidth.period
        if not self._learns:
            self._variance[:] = self._variances()
        self._flags = self._code.step(
            self._address, stamp, (stamp - self._last) * 1e-9, self._times.since(stamp),
            self._times.behind, self._noise.stamps, self._kind)
        self._rejecting = bool(self._flags & _REJECTING)
        self._wrong = self._struct.off

    def _estimate(self, stamp: int) -> Estimate:
        if self._flags == _STARTED:
            return super()._estimate(stamp)
        result = self._result.copy()
        return Estimate(stamp, result[0], result[4], result[2], result[3],
                        valid=self._usable.begun(self._count, self._rejecting)
                        and not self._flags & _UNCERTAIN)

    def _follow(self, estimate: Estimate, velocities: Array) -> None:
        if self._flags == _STARTED:   # else it is done in C
            super()._follow(estimate, velocities)
