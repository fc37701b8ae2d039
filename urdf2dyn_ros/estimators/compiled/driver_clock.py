"""The clock of a driver with its usual samples in C."""

import ctypes
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.compiled.machine_code import MachineCode
from urdf2dyn_ros.joint_states.clock_slips import ClockSlips
from urdf2dyn_ros.joint_states.driver_clock import STEPS, DriverClock
from urdf2dyn_ros.robot.spatial import Array


class _Slips(ctypes.Structure):
    """Structure of clock_slips.c; its first fields are attributes of `ClockSlips`."""

    _fields_: ClassVar = [
        *((name, ctypes.c_double) for name in ('shift', '_newest', '_step', '_usual')),
        *((name, ctypes.c_long) for name in ('_since', '_same', 'repeated', 'joints')),
        *((name, ctypes.c_void_p) for name in ('q', 'velocities', 'sample', 'estimated'))]


class CompiledClockSlips(ClockSlips, _Slips):
    """The same slips; what they depend on is where C reads it."""


class CompiledDriverClock(DriverClock):
    """
    The same clock; where it has no period, one call of C looks at a sample and keeps it.

    The arrays are those that `taken` is called with: sample and rates, each (2, n).
    """

    def __init__(self, sample: Array, rates: Array, code: MachineCode) -> None:
        joints = sample.shape[1]
        super().__init__(joints)
        self._follow_in_c = code.follow_clock
        self._slips = slips = CompiledClockSlips(joints)
        slips.joints = joints
        slips.q, slips.velocities, slips.sample, slips.estimated = (
            array.ctypes.data for array in (self._q, self._qd, sample, rates))
        self._address = ctypes.addressof(slips)

    def taken(self, stamp: int, sample: Array, rates: Array,
              missing: NDArray[np.bool_] | None) -> int:
        stamps, kept = self._stamps, len(self._stamps)
        if self.period or missing is not None or not 0 < kept < STEPS:
            return super().taken(stamp, sample, rates, missing)
        h = 1e-9 * (stamp - stamps[-1])
        if self._follow_in_c(self._address, h, kept):
            left = self._slips.left(h, sample[0], self._q[kept - 1], rates)
            self._slips.judge(h, left, float(left.dot(left)), sample[1], rates)
        stamps.append(stamp)
        return self.at(stamp)
