"""What is known of measured velocities: whether they are used, their lag and their scale."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.estimator import Estimate
from urdf2dyn_ros.estimation.simple_estimators import EstimatorBase
from urdf2dyn_ros.robot.spatial import Array

BETWEEN_NS = 9_000_000   # time between two compared samples
MEMORY = 1000.0   # compared samples that count, about 10 s
FEWEST = 50.0   # compared samples from which figures are known
USED = 0.05   # share of the velocities in the estimate, below which they are not used
LEAST_SPEED = 1e-3   # rad/s or m/s, root mean square from which figures are known
SCALE_OFF = 0.1   # difference of the scale from 1 that is a fault
LAG_OFF = 0.01   # s, lag that is a fault
DEGREES = 180.0 / np.pi   # in a radian


class JointVelocity(NamedTuple):
    """Figures of the velocity of a joint."""

    used: bool   # whether the estimate depends on it
    lag: float   # by which it is later than the positions [s]; NaN before there was enough motion
    scale: float   # measured over true velocity [-]; NaN likewise
    fault: str   # why it is not credible; empty if it is

    def __str__(self) -> str:
        use = 'used' if self.used else 'not used'
        if not np.isfinite(self.lag):
            return f'{use}: {self.fault or "not compared with a motion yet"}'
        return f'{use}: lag {round(1e3 * self.lag, 1) + 0.0:.1f} ms, scale {self.scale:.3g}' + (
            f' ({self.fault})' if self.fault else '')


class VelocityReport:
    """
    Compares the velocities of joints (n,) with estimates.

    Least squares of z = s v - s L a over the last seconds, with the measured velocity z and the
    estimates v and a: the scale s and the lag L.
    """

    def __init__(self, joints: int) -> None:
        self._sums = np.zeros((6, joints))   # of vv, va, aa, zv, za, zz
        self._count = 0.0
        self._last = 0
        self._use = np.zeros(joints)
        self.rejected = False   # whether a velocity of the newest sample was not used

    def add(self, stamp: int, measured: Array, estimate: Estimate,
            estimator: EstimatorBase) -> None:
        """Add measured velocities (n,), NaN for none, and the estimate of the same sample."""
        if 0 <= stamp - self._last < BETWEEN_NS:
            return
        self._last = stamp
        there = np.isfinite(measured)
        use = estimator.velocity_use
        self._use = np.where(there, 1.0, 0.0) if use is None else np.where(there, use, 0.0)
        self.rejected = bool((there & (self._use < USED)).any())
        if estimate.stamp != stamp or not there.any():
            return
        z = np.where(there, measured, 0.0)
        v, a = np.where(there, estimate.qd, 0.0), np.where(there, estimate.qdd, 0.0)
        self._count = min(self._count + 1.0, MEMORY)
        self._sums += (np.stack((v * v, v * a, a * a, z * v, z * a, z * z))
                       - self._sums) / self._count

    @property
    def joints(self) -> list[JointVelocity]:
        """The figures of each joint."""
        vv, va, aa, zv, za, zz = self._sums
        with np.errstate(all='ignore'):
            determinant = vv * aa - va * va
            scale = (zv * aa - za * va) / determinant
            lag = -(za * vv - zv * va) / determinant / scale
        known = (self._count >= FEWEST) & (vv > LEAST_SPEED ** 2) & np.isfinite(lag)
        result = []
        for k in range(len(vv)):
            used = bool(self._use[k] >= USED)
            if not known[k]:
                result.append(JointVelocity(used, np.nan, np.nan, ''))
                continue
            fault = '' if used else _fault(float(scale[k]), float(lag[k]), float(zz[k]))
            result.append(JointVelocity(used, float(lag[k]), float(scale[k]), fault))
        return result

    @property
    def warnings(self) -> dict[int, str]:
        """Faults of velocities that are not used, by joint."""
        if not self.rejected:
            return {}
        return {k: each.fault for k, each in enumerate(self.joints) if each.fault}


def _fault(scale: float, lag: float, square: float) -> str:
    """Return what is wrong with a velocity that is not used, or an empty text."""
    if square == 0.0:
        return 'it is zero throughout while the position changes'
    if abs(scale - 1.0) > SCALE_OFF:
        gain = 1.0 / scale if scale else np.inf
        text = f'the position changes {gain:.3g} times as fast'
        for factor, what in ((DEGREES, 'positions'), (1.0 / DEGREES, 'velocities')):
            if abs(gain / factor - 1.0) < 0.1:
                text += f': are the {what} in degrees?'
        return text
    if abs(lag) > LAG_OFF:
        return f'it is {1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'
    return ''
