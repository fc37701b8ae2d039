"""The motion `smooth`: two sines for every joint, faded in and out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits
from urdf2dyn_ros.trajectories.trajectory import room

_GOLDEN = 0.6180339887498949
"""Multiples of it, modulo 1, never repeat: every joint gets frequencies of its own."""

_WEIGHTS = np.array([0.6, 0.4])
_LOWEST, _HIGHEST = np.array([0.15, 0.40]), np.array([0.33, 0.74])
"""Frequencies [Hz] of the slow and of the fast sine lie between."""


class SmoothTrajectory:
    """
    Every joint swings about a centre by two sines, faded in and out.

    q = centre + amplitude * w(t) * (0.6 sin a t + 0.4 sin b t), where the fade w rises from 0 to
    1 and falls again with three continuous derivatives. All of it is in closed form, depends on
    nothing but the arguments, and is at rest before 0 and after the duration.

    Parameters
    ----------
    types : sequence of str, (n,)
        revolute, continuous or prismatic.
    limits : sequence of Limits, (n,)
    duration : float
        [s].

    """

    def __init__(self, types: Sequence[str], limits: Sequence[Limits], duration: float) -> None:
        self.duration = duration
        self._fade = min(2.0, duration / 3.0)
        number = np.arange(1, len(types) + 1)[:, None]
        share = np.mod(number * np.array([_GOLDEN, _GOLDEN**2]), 1.0)
        self._w = 2.0 * np.pi * (_LOWEST + (_HIGHEST - _LOWEST) * share)
        space = room(types, limits)
        self.centre = space.centre
        # |d/dt (w s)| <= |dw/dt| |s| + |w| |ds/dt|, with the steepest fade in its middle.
        fastest = 35.0 / 16.0 / self._fade + self._w @ _WEIGHTS
        self._amplitude = np.minimum(space.amplitude, space.velocity / fastest)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2] at t [s]."""
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
        """Return the fade and its two derivatives."""
        left = self.duration - t
        sign = 1.0 if t < left else -1.0
        x = min(max(min(t, left) / self._fade, 0.0), 1.0)
        return ((35.0 - 84.0 * x + 70.0 * x**2 - 20.0 * x**3) * x**4,
                140.0 * (x * (1.0 - x))**3 / self._fade * sign,
                420.0 * (x * (1.0 - x))**2 * (1.0 - 2.0 * x) / self._fade**2)
