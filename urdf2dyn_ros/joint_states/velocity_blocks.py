"""Blocks of samples in which positions and velocities are compared."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.velocity_regression import UNEXPLAINED_SHARE
from urdf2dyn_ros.robot.spatial import Array

LEAST_MOTION = 3e-4
"""Least motion of a joint in a block that is used [rad or m]."""

LEAST_SIGNAL = 20.0
"""Least motion that is used, in deviations of the noise."""

LEAST_RESOLUTION = 5.0
"""Least motion that is used, in steps of the encoder."""

COARSE_MOTION = 3e-3
"""Least motion that is used from which on encoders or velocities are coarse [rad or m]."""

LARGEST_CORRECTION = 0.05
"""Share of the motion by curves between samples above which a block is not used."""

AGREEING_SHARE = 0.05
"""Share of the motion that is unexplained in a block that agrees with the velocity."""

SUDDEN_SHARE = 0.05
"""Share of the motion by a change of velocity within one step above which a block is not used."""

VelocitySample = tuple[int, Array, Array]
"""Stamp [ns], positions (n,) [rad or m] and velocities (n,) [rad/s or m/s]."""


class VelocityBlock(NamedTuple):
    """Evidence of a block of samples; (n,) where no other shape is written."""

    integral: Array   # integral of the velocity [rad or m]
    unexplained: Array   # change of position minus that [rad or m]
    regressors: Array   # (n, 3), integral, change of velocity, and time
    moved: Array   # squared motion
    least: Array   # least motion of a block that is used
    resting: NDArray[np.bool_]   # joints whose positions hardly change
    # joints whose motion is resolved, and neither partly noise or resolution nor an impact
    moving: NDArray[np.bool_]

    @property
    def contradicted(self) -> NDArray[np.bool_]:
        """Joints that move, but not as their velocity, (n,)."""
        return self.moving & (self.unexplained ** 2 > UNEXPLAINED_SHARE ** 2 * self.moved)

    @property
    def coarse(self) -> NDArray[np.bool_]:
        """Joints whose velocity one block does not confirm, (n,)."""
        coarse: NDArray[np.bool_] = self.least > COARSE_MOTION
        return coarse

    @property
    def agreeing(self) -> NDArray[np.bool_]:
        """Joints that move as their velocity, (n,)."""
        return (self.moving & ~self.coarse
                & (self.unexplained ** 2 < AGREEING_SHARE ** 2 * self.moved))


class VelocityBlocks:
    """Measures blocks, and learns the resolution of positions and velocities."""

    def __init__(self, joints: int) -> None:
        # positions and velocities: the smallest change, and whether there were samples without one
        self._smallest = np.full((2, joints), np.inf)
        self._stayed = np.zeros((2, joints), dtype=bool)

    def measure(self, samples: Sequence[VelocitySample]) -> Generator[None, None, VelocityBlock]:
        """Measure a block in parts; return the last one's result."""
        stamps, positions, velocities = zip(*samples)
        times = (np.array(stamps) - stamps[0]) * 1e-9
        values = np.concatenate(positions + velocities).reshape(
            2, len(stamps), len(positions[0]))
        yield
        v = values[1]
        steps = times[1:] - times[:-1]
        changes = values[:, 1:] - values[:, :-1]
        sizes = np.abs(changes)
        least = LEAST_MOTION + LEAST_RESOLUTION * self._resolution(sizes, times[-1])
        change = positions[-1] - positions[0]
        integral, correction = _integral(steps, v)
        yield
        variance = _variance(changes)
        noise = variance[1] * (steps @ steps) + 2.0 * variance[0]
        moved = np.maximum(np.square(change), np.square(integral))
        moving = moved > least ** 2 + LEAST_SIGNAL ** 2 * noise   # False for NaN
        resting = np.abs(values[0] - values[0, 0]).max(axis=0) < least
        moving &= ~_sudden(steps, sizes[1], moved)
        moving &= np.square(correction) < LARGEST_CORRECTION ** 2 * moved
        regressors = np.array([integral, v[-1] - v[0], np.full_like(change, times[-1])]).T
        return VelocityBlock(integral, change - integral, regressors, moved, least,
                             resting, moving)

    def _resolution(self, changes: Array, time: float) -> Array:
        """Return the resolution of the motion in a block: changes (2, k, n), time [s]."""
        np.minimum(self._smallest, np.where(changes > 0.0, changes, np.inf).min(axis=1),
                   out=self._smallest)
        # a value that changes in some samples alone has a resolution, at most its smallest change
        self._stayed |= (changes == 0.0).any(axis=1)
        known = self._stayed & np.isfinite(self._smallest)
        position, velocity = np.where(known, self._smallest, 0.0)
        steps: Array = position + 0.5 * time * velocity
        return steps


def _integral(steps: Array, v: Array) -> tuple[Array, Array]:
    """Return the integral (n,) of velocities (k, n) over steps (k - 1,) [s], and a part of it."""
    # Gregory's rule: the trapezoidal one alone is 6 % off at 4 Hz and 30 samples a second
    trapezoids: Array = 0.5 * (steps @ (v[1:] + v[:-1]))
    ends: Array = (steps[-1] * (v[-1] - v[-2]) - steps[0] * (v[1] - v[0])) / 12.0
    return trapezoids - ends, ends


def _sudden(steps: Array, changes: Array, moved: Array) -> NDArray[np.bool_]:
    """Return which velocities change within one step, as by an impact: changes (k, n)."""
    largest = changes.max(axis=0)
    sudden: NDArray[np.bool_] = (largest > 0.5 * changes.sum(axis=0)) & (
        (largest * steps.max()) ** 2 > SUDDEN_SHARE ** 2 * moved)
    return sudden


def _variance(changes: Array) -> Array:
    """Return the variance of the noise, (2, n): the fourth difference is mostly noise."""
    for _ in range(3):
        changes = changes[:, 1:] - changes[:, :-1]
    fourth: Array = (changes * changes).mean(axis=1) / 70.0
    return fourth
