"""Noise of the sensors, estimated in C."""

import ctypes

import numpy as np

from urdf2dyn_ros.estimators.compiled.machine_code import MachineCode
from urdf2dyn_ros.estimators.sensor_noise import SensorNoise
from urdf2dyn_ros.robot.spatial import Array

_ARRAYS = ('variance', '_prior', '_weight', '_sum', '_step', '_fits', '_judged', 'known',
           '_moments')
_NUMBERS = ('stamps', 'windows', 'mean', 'square')


class _Noise(ctypes.Structure):
    """Structure of sensor_noise.c."""

    _fields_ = (('joints', ctypes.c_long), ('turn', ctypes.c_long),
                *((name.strip('_'), ctypes.c_void_p) for name in (*_ARRAYS, 'squares', 'excess')),
                *((name, ctypes.c_double) for name in _NUMBERS))


class CompiledSensorNoise(SensorNoise):
    """The same estimate, by one call of C for a window instead of a hundred of numpy."""

    def __init__(self, joints: int, code: MachineCode) -> None:
        self._learn_in_c = code.learn
        super().__init__(joints)

    def reset(self) -> None:
        super().reset()
        arrays = [getattr(self, name) for name in _ARRAYS]
        self._struct = _Noise(self._joints, 0, *(array.ctypes.data for array in (
            *arrays, self._mismatch.squares, self._mismatch.excess)))

    def _learn(self, samples: Array, rates: Array) -> None:
        times = np.array([(stamp - self._times[0]) * 1e-9 for stamp in self._times])
        self._learn_in_c(ctypes.addressof(self._struct), times.ctypes.data, samples.ctypes.data,
                         rates.ctypes.data, self._passed())
        self.stamps, self._windows = self._struct.stamps, self._struct.windows
