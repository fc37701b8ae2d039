"""Scale, lag and bias of measured velocities by regression on the positions."""

from dataclasses import dataclass
from math import pi

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.tuning.motion import RecordedMotion

_INTEGRATION_TIME = 0.05
"""Time over which velocities are integrated [s]."""

_LARGEST_LAG = 2.0 * _INTEGRATION_TIME
"""Lag up to which the iteration finds one [s]."""

_FEWEST_STEPS = 4
_ITERATIONS = 8
_LEAST_SPEED = 1e-12

_UNIT_MISTAKES = {180.0 / pi: 'is it in degrees?', pi / 180.0: 'are the positions in degrees?',
                  1e3: 'is the time in milliseconds?', 1e6: 'is the time in microseconds?',
                  1e9: 'is the time in nanoseconds?'}
"""Questions about the units by the factor of a velocity."""


@dataclass(frozen=True)
class Velocity:
    """
    The measured velocity of a joint compared with its positions.

    Its kind is ``'measured'``, ``'not measured'``, ``'zero'`` throughout although the joint moves,
    ``'unlike'`` the positions with any lag up to 100 ms, or ``'still'``: nothing moves. `scale` is
    measured over true velocity [-], the lag in [s]; `bias` is the value at rest, `error` the RMS
    residual of the regression per time, both in [rad/s or m/s].
    """

    kind: str
    scale: float = np.nan
    lag: float = np.nan
    bias: float = np.nan
    error: float = np.nan

    @property
    def faults(self) -> list[str]:
        if self.kind == 'zero':
            return ['is zero throughout']
        if self.kind == 'unlike':
            return [f'does not match the positions with any lag up to {1e3 * _LARGEST_LAG:.0f} ms']
        faults = []
        if self.scale < 0.0:
            faults.append('has the other sign than the positions')
        size = abs(self.scale)
        if abs(size - 1.0) > 0.05:
            # 1000 and not 1e+03
            faults.append(f'is {float(f"{size:.3g}"):g} times that of the positions'
                          + next((f': {question}' for factor, question in _UNIT_MISTAKES.items()
                                 if abs(size / factor - 1.0) < 0.05), ''))
        if abs(self.lag) > 1e-3:
            faults.append(f'is {abs(1e3 * self.lag):.1f} ms {"late" if self.lag > 0 else "early"}')
        return faults


def velocities(motion: RecordedMotion) -> list[Velocity]:
    """
    Return the comparison of every joint's velocity.

    A velocity v that is `scale` times the true one, with a `lag` and a `bias`, obeys over any span
    of time

        q(end) - q(start) = integral of (v(t + lag) - bias) / scale

    which is linear in 1/scale and bias, and by v(t + lag + d) = v(t + lag) + v'(t + lag) d also
    in a small change d of the lag: a Gauss-Newton iteration. Integrals amplify noise less than
    derivatives of positions.
    """
    return [_velocity(motion, joint) for joint in range(len(motion.names))]


def _velocity(motion: RecordedMotion, joint: int) -> Velocity:
    q, v = motion.q[:, joint], motion.qd[:, joint]
    if np.ptp(q) == 0.0:
        return Velocity('still')
    known = np.isfinite(v)
    if not known.any():
        return Velocity('not measured')
    if not v[known].any():
        return Velocity('zero')
    time = motion.time
    span = max(_FEWEST_STEPS, round(_INTEGRATION_TIME / float(np.median(np.diff(time)))))
    pieces = np.cumsum(motion.starts)
    first = np.arange(len(time) - span)
    first = first[(pieces[first] == pieces[first + span])
                  & (np.convolve(known, np.ones(span + 1), 'valid') > span)]
    if len(first) < 10 * _FEWEST_STEPS:
        return Velocity('not measured')
    return _regression(time, q, np.where(known, v, 0.0), first, first + span)


def _regression(time: Array, q: Array, v: Array, first: Array, last: Array) -> Velocity:
    lag = 0.0
    for _ in range(_ITERATIONS):
        shifted = np.interp(time + lag, time, v)
        integral = np.concatenate(([0.0], np.cumsum(
            0.5 * (shifted[1:] + shifted[:-1]) * np.diff(time))))
        A = np.stack([integral[last] - integral[first], shifted[last] - shifted[first],
                      time[last] - time[first]], axis=1)
        b = q[last] - q[first]
        (inverse, change, drift), *_ = np.linalg.lstsq(A, b, rcond=None)
        if abs(inverse) < _LEAST_SPEED:
            return Velocity('measured')
        lag = float(np.clip(lag + change / inverse, -_LARGEST_LAG, _LARGEST_LAG))
    if abs(lag) == _LARGEST_LAG:
        return Velocity('unlike')
    left = b - A @ (inverse, change, drift)
    return Velocity('measured', 1.0 / float(inverse), lag, -float(drift / inverse),
                    float(np.sqrt(np.mean(left ** 2)) / np.mean(A[:, 2])))
