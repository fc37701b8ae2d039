"""The motion `smooth`: two sines for every joint, faded in and out."""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.trajectories.trajectory import PlannedTrajectory, Room

_GOLDEN = 0.6180339887498949
"""Its multiples modulo 1 never repeat: every joint gets its own frequencies."""

_WEIGHTS = np.array([0.6, 0.4])
_LOWEST, _HIGHEST = np.array([0.15, 0.40]), np.array([0.33, 0.74])
"""Range of the frequencies of the slow and of the fast sine [Hz]."""


class SmoothTrajectory(PlannedTrajectory):
    """
    Every joint swings about its centre by q = centre + amplitude w(t) (0.6 sin a t + 0.4 sin b t).

    The fade w rises from 0 to 1 and falls again, with three continuous derivatives.
    """

    def _plan(self, room: Room) -> None:
        self._fade = min(2.0, self.duration / 3.0)
        number = np.arange(1, len(room.centre) + 1)[:, None]
        share = np.mod(number * np.array([_GOLDEN, _GOLDEN**2]), 1.0)
        self._w = 2.0 * np.pi * (_LOWEST + (_HIGHEST - _LOWEST) * share)
        # |d/dt (w s)| <= |dw/dt| |s| + |w| |ds/dt|, with the steepest fade in its middle.
        fastest = 35.0 / 16.0 / self._fade + self._w @ _WEIGHTS
        self._amplitude = np.minimum(room.amplitude, room.velocity / fastest)

    def _state(self, t: float) -> tuple[Array, Array, Array]:
        w, wd, wdd = self._window(t)
        phase = self._w * t
        s = np.sin(phase) @ _WEIGHTS
        sd = (self._w * np.cos(phase)) @ _WEIGHTS
        sdd = -(self._w**2 * np.sin(phase)) @ _WEIGHTS
        A = self._amplitude
        return (self.centre + A * w * s,
                A * (wd * s + w * sd),
                A * (wdd * s + 2.0 * wd * sd + w * sdd))

    def _window(self, t: float) -> tuple[float, float, float]:
        """Return the fade and its first two derivatives."""
        left = self.duration - t
        sign = 1.0 if t < left else -1.0
        x = min(min(t, left) / self._fade, 1.0)
        return ((35.0 - 84.0 * x + 70.0 * x**2 - 20.0 * x**3) * x**4,
                140.0 * (x * (1.0 - x))**3 / self._fade * sign,
                420.0 * (x * (1.0 - x))**2 * (1.0 - 2.0 * x) / self._fade**2)
