"""What was recognised about measured velocities, as figures and in words."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.robot.spatial import Array

RADIAN_DEGREES = 57.3
"""Degrees in a radian."""

ALWAYS_ZERO = 'it is zero throughout while the position changes'


class JointVelocity(NamedTuple):
    """Recognised properties of the velocity of a joint."""

    used: bool   # whether an estimator receives it
    # by how much it is later than the positions [s]; NaN before there was enough motion
    lag: float
    scale: float   # measured over true velocity [-]; NaN likewise
    fault: str   # why it is not credible; empty if it is

    def __str__(self) -> str:
        use = 'used' if self.used else 'not used'
        if not np.isfinite(self.lag):
            return f'{use}: {self.fault or "not compared with a motion yet"}'
        return f'{use}: lag {round(1e3 * self.lag, 1) + 0.0:.1f} ms, scale {self.scale:.3g}' + (
            f' ({self.fault})' if self.fault else '')


def fault_text(figures: Array, severity: Array) -> str:
    """
    Return the severest fault of a velocity in words.

    `figures` (3,) are the excess of the gain of positions over velocities [-], the lag [s] and the
    offset [rad/s or m/s]; `severity` (3,) is zero for those that are not wrong.
    """
    worst = int(severity.argmax())
    if severity[worst] == 0.0:
        return 'the position does not follow it'
    return (_gain, _lag, _offset)[worst](float(figures[worst]))


def _gain(excess: float) -> str:
    gain = 1.0 + excess
    text = f'the position changes {gain:.3g} times as fast'
    for factor, what in ((RADIAN_DEGREES, 'positions'), (1.0 / RADIAN_DEGREES, 'velocities')):
        if abs(gain / factor - 1.0) < 0.1:
            text += f': are the {what} in degrees?'
    return text


def _lag(lag: float) -> str:
    return f'it is {1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'


def _offset(offset: float) -> str:
    return f'it is {abs(offset):.3g} too {"small" if offset > 0.0 else "large"} [rad/s or m/s]'
