"""The motion `fourier`: periodic and rich, as dynamic parameters are identified with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.robot_model import Limits
from urdf2dyn_ros.trajectories.trajectory import room

_HARMONICS = 5

_PERIOD = 10.0
"""About the period [s]; a whole number of them is the duration."""

_SEED = 1997
"""Of the coefficients: the same joints always get the same motion."""

_INSTANTS = 4096
"""Instants of a period at which the largest position and velocity are looked for."""


class FourierTrajectory:
    """
    Every joint moves by a series q = centre + sum a_k sin(k w t) + b_k cos(k w t), k = 1 to 5.

    The coefficients are random but for what has the motion start and end at rest, without
    acceleration and at the centre (Swevers et al., IEEE T-RA 13(5), 1997, optimise them; ours are
    scaled to the room that the limits leave, and that is all).

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
        space = room(types, limits)
        self.centre = space.centre
        self._k = np.arange(1.0, _HARMONICS + 1.0)
        self._w = 2.0 * np.pi * max(1, round(duration / _PERIOD)) / duration
        a, b = np.random.default_rng(_SEED).normal(size=(2, len(types), _HARMONICS)) / self._k
        # at t = 0: velocity sum k a_k = 0; position sum b_k = 0, acceleration sum k^2 b_k = 0
        self._a, self._b = _without(a, self._k[None]), _without(b, np.array([self._k**0,
                                                                             self._k**2]))
        phases = 2.0 * np.pi / _INSTANTS * np.arange(_INSTANTS)
        q, qd, _ = np.array([self._series(phase) for phase in phases]).transpose(1, 0, 2)
        scale = np.minimum(space.amplitude / np.abs(q).max(axis=0),
                           space.velocity / np.abs(qd).max(axis=0))[:, None]
        self._a, self._b = scale * self._a, scale * self._b

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2] at t [s]."""
        if not 0.0 < t < self.duration:
            return self.centre, 0.0 * self.centre, 0.0 * self.centre
        q, qd, qdd = self._series(self._w * t)
        return self.centre + q, qd, qdd

    def _series(self, phase: float) -> tuple[Array, Array, Array]:
        """Return the series and its two derivatives with respect to time."""
        sine, cosine = np.sin(self._k * phase), np.cos(self._k * phase)
        speed = self._k * self._w
        return (self._a @ sine + self._b @ cosine,
                self._a @ (speed * cosine) - self._b @ (speed * sine),
                -self._a @ (speed**2 * sine) - self._b @ (speed**2 * cosine))


def _without(coefficients: Array, rows: Array) -> Array:
    """Return the coefficients (n, h) nearest to those given that are orthogonal to rows (c, h)."""
    return coefficients - coefficients @ np.linalg.pinv(rows) @ rows
