"""The motion `fourier`: periodic and rich, as used to identify dynamic parameters."""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.trajectories.rest_series import HARMONICS, period_of
from urdf2dyn_ros.trajectories.trajectory import PlannedTrajectory, Room

_SEED = 1997

_INSTANTS = 4096
"""Instants of a period at which the largest position and velocity are searched."""


class FourierTrajectory(PlannedTrajectory):
    """
    Every joint moves by a series q = centre + sum a_k sin(k w t) + b_k cos(k w t), k = 1 to 5.

    The coefficients are random, made orthogonal to the conditions that the motion starts and ends
    at rest, without acceleration and at the centre, and scaled to the room that the limits leave
    (Swevers et al., IEEE T-RA 13(5), 1997, optimise them).
    """

    def _plan(self, room: Room) -> None:
        self._k = np.arange(1.0, HARMONICS + 1.0)
        self._w = 2.0 * np.pi / period_of(self.duration)
        shape = (2, len(room.centre), HARMONICS)
        a, b = np.random.default_rng(_SEED).normal(size=shape) / self._k
        # at t = 0: velocity sum k a_k = 0; position sum b_k = 0, acceleration sum k^2 b_k = 0
        self._a, self._b = _without(a, self._k[None]), _without(b, np.array([self._k**0,
                                                                             self._k**2]))
        phases = 2.0 * np.pi / _INSTANTS * np.arange(_INSTANTS)
        q, qd, _ = np.array([self._series(phase) for phase in phases]).transpose(1, 0, 2)
        scale = np.minimum(room.amplitude / np.abs(q).max(axis=0),
                           room.velocity / np.abs(qd).max(axis=0))[:, None]
        self._a, self._b = scale * self._a, scale * self._b

    def _state(self, t: float) -> tuple[Array, Array, Array]:
        q, qd, qdd = self._series(self._w * t)
        return self.centre + q, qd, qdd

    def _series(self, phase: float) -> tuple[Array, Array, Array]:
        """Return the series and its first two derivatives with respect to time."""
        sine, cosine = np.sin(self._k * phase), np.cos(self._k * phase)
        speed = self._k * self._w
        return (self._a @ sine + self._b @ cosine,
                self._a @ (speed * cosine) - self._b @ (speed * sine),
                -self._a @ (speed**2 * sine) - self._b @ (speed**2 * cosine))


def _without(coefficients: Array, rows: Array) -> Array:
    """Return the projection of coefficients (n, h) that is orthogonal to rows (c, h)."""
    return coefficients - coefficients @ np.linalg.pinv(rows) @ rows
