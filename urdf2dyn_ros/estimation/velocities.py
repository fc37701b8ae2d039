"""What is known of measured velocities: whether they are used, their lag and their scale."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.estimator import Estimate
from urdf2dyn_ros.estimation.estimators import EstimatorBase
from urdf2dyn_ros.robot.spatial import Array

BETWEEN_NS = 9_000_000   # time between two compared samples
MEMORY = 1000.0   # compared samples that count, about 10 s
FEWEST = 50.0   # compared samples from which figures are known
USED = 0.05   # share of the velocities in the estimate, below which they are not used
LEAST_SPEED = 1e-3   # rad/s or m/s, root mean square from which figures are known
SCALE_OFF = 0.1   # difference of the scale from 1 that is a fault
LAG_OFF = 0.01   # s, lag that is a fault
DEGREES = 180.0 / np.pi   # in a radian
FOLLOWS = 0.5   # part of its mean square that the motion explains of a velocity with a scale
IN_DEGREES = 0.1   # difference of a ratio to that of degrees, up to which it is this


class JointVelocity(NamedTuple):
    """Figures of the velocity of a joint."""

    used: bool   # whether the estimate depends on it
    lag: float   # by which it is later than the positions [s]; NaN before there was enough motion
    scale: float   # measured over true velocity [-]; NaN likewise
    fault: str   # why it is not credible; empty if it is
    measured: bool = True   # whether the newest sample had one

    def __str__(self) -> str:
        use = 'used' if self.used else 'not used'
        if not np.isfinite(self.lag):
            why = 'not compared with a motion yet' if self.measured else 'not measured'
            return f'{use}: {self.fault or why}'
        return f'{use}: lag {round(1e3 * self.lag, 1) + 0.0:.1f} ms, scale {self.scale:.3g}' + (
            f' ({self.fault})' if self.fault else '')


class VelocityReport:
    """
    Compares the velocities of joints (n,) with estimates.

    Least squares of z = c v + d a over the last seconds, with the measured velocity z and the
    estimates v and a. A velocity with the scale s and the lag L has c = s cos(w L) and
    d = -s sin(w L) / w in a motion of the frequency w, which is that of the sizes of v and a.
    """

    def __init__(self, joints: int) -> None:
        self._sums = np.zeros((6, joints))   # of vv, va, aa, zv, za, zz
        self._count = 0.0
        self._last = 0
        self._use = np.zeros(joints)
        self._measured = np.zeros(joints, dtype=np.bool_)
        self.rejected = False   # whether a velocity of the newest sample was not used

    def add(self, stamp: int, measured: Array, estimate: Estimate,
            estimator: EstimatorBase) -> None:
        """Add measured velocities (n,), NaN for none, and the estimate of the same sample."""
        if 0 <= stamp - self._last < BETWEEN_NS:
            return
        self._last = stamp
        self._measured = there = np.isfinite(measured)
        use = estimator.velocity_use
        self._use = np.where(there, 1.0, 0.0) if use is None else np.where(there, use, 0.0)
        self.rejected = bool((there & (self._use < USED)).any())
        if estimate.stamp != stamp or not there.any():
            return
        self._count = min(self._count, MEMORY - 1.0)
        self.compare(measured[None], estimate.qd[None], estimate.qdd[None])

    def compare(self, measured: Array, qd: Array, qdd: Array) -> None:
        """Compare measured velocities (k, n), NaN for none, with velocities and accelerations."""
        there = np.isfinite(measured)
        z, v, a = (np.where(there, each, 0.0) for each in (measured, qd, qdd))
        self._count += len(z)
        sums = np.stack((v * v, v * a, a * a, z * v, z * a, z * z)).sum(axis=1)
        self._sums += (sums - len(z) * self._sums) / self._count

    @property
    def joints(self) -> list[JointVelocity]:
        vv, va, aa, zv, za, zz = self._sums
        with np.errstate(all='ignore'):
            determinant = vv * aa - va * va
            c, d = (zv * aa - za * va) / determinant, (za * vv - zv * va) / determinant
            w = np.sqrt(aa / vv)
            scale = np.copysign(np.hypot(c, d * w), c)
            lag = np.where(zz > 0.0, -np.arctan(d * w / c) / w, 0.0)
            explained = np.where(zz > 0.0, (c * zv + d * za) / zz, 1.0)
        known = (self._count >= FEWEST) & (vv > LEAST_SPEED ** 2) & np.isfinite(lag)
        result = []
        for k in range(len(vv)):
            used = bool(self._use[k] >= USED)
            follows = explained[k] > FOLLOWS
            if not known[k] or not (used or follows):
                result.append(JointVelocity(
                    used, np.nan, np.nan, 'it does not follow the position' if known[k] else '',
                    bool(self._measured[k])))
                continue
            fault = '' if used else _fault(float(scale[k]), float(lag[k]), float(zz[k]))
            result.append(JointVelocity(used, float(lag[k]), float(scale[k]), fault))
        return result

    @property
    def warnings(self) -> dict[int, str]:
        """Faults of velocities that are not used, by joint."""
        return {k: each.fault for k, each in enumerate(self.joints) if each.fault}

    @property
    def positions_in_degrees(self) -> dict[int, float]:
        """By how much the positions that look like degrees are faster than the velocities."""
        return {k: 1.0 / velocity.scale for k, velocity in enumerate(self.joints)
                if velocity.fault and abs(velocity.scale * DEGREES - 1.0) < IN_DEGREES}


def _fault(scale: float, lag: float, square: float) -> str:
    """Return what is wrong with a velocity that is not used, or an empty text."""
    if square == 0.0:
        return 'it is zero throughout while the position changes'
    if abs(scale - 1.0) > SCALE_OFF:
        gain = 1.0 / scale if scale else np.inf
        text = f'the position changes {gain:.3g} times as fast'
        for factor, what in ((DEGREES, 'positions'), (1.0 / DEGREES, 'velocities')):
            if abs(gain / factor - 1.0) < IN_DEGREES:
                text += f': are the {what} in degrees?'
        return text
    if abs(lag) > LAG_OFF:
        return f'it is {1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'
    return ''
