"""Motions of known acceleration, the sensors that sample them, and the error of an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

START = 1_700_000_000_000_000_000
DURATION = 12.0
SETTLING, ENDING = 1.0, 0.2


def sums_of_sines(time: Array, w: Array, phase: Array, size: Array | float) -> list[Array]:
    """Return positions to accelerations (k, n); w [rad/s] and phases are (sines, n)."""
    angle = w * time[:, None, None] + phase
    return [size * each.sum(axis=1) for each in (
        np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle))]


@dataclass(frozen=True)
class Profile:
    """Rate [Hz], encoder bits per turn (0: exact), noise (one deviation) of velocity [rad/s]."""

    rate: float
    bits: int
    noise: float


PROFILES = {
    'A': Profile(1000.0, 17, 1e-3),
    'B': Profile(500.0, 17, 1e-3),
    'C': Profile(125.0, 17, 1e-3),
    'D': Profile(1000.0, 20, 3e-4),
    'E': Profile(1000.0, 0, 0.0),
    'F': Profile(1000.0, 14, 5e-3),
}


@dataclass(frozen=True)
class Recording:
    """Stamps [ns] and measured q, qd (k, 4) [rad], [rad/s] of the four motions, a joint each."""

    stamps: NDArray[np.int64]
    q: Array
    qd: Array

    def __iter__(self) -> Iterator[tuple[int, Array, Array]]:
        return zip(self.stamps.tolist(), self.q, self.qd, strict=True)

    def chosen(self, rows: NDArray[np.bool_]) -> Recording:
        return Recording(self.stamps[rows], self.q[rows], self.qd[rows])


def truth(stamps: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd (k, 4) of the four motions [rad], [rad/s], [rad/s^2]."""
    t = (stamps - START) * 1e-9
    motions = [fourier(t), minimum_jerk(t), trapezoid(t), sine(t)]
    q, qd, qdd = (np.stack(parts, axis=1) for parts in zip(*motions, strict=True))
    return q, qd, qdd


def fourier(t: Array) -> tuple[Array, Array, Array]:
    """Five harmonics of 0.2 Hz, amplitudes N(0, 1)/k."""
    random = np.random.default_rng(7)
    q, qd, qdd = np.zeros_like(t), np.zeros_like(t), np.zeros_like(t)
    for k in range(1, 6):
        a, b = random.normal(size=2) / k
        w = 2.0 * np.pi * 0.2 * k
        q += a * np.sin(w * t) + b * np.cos(w * t)
        qd += w * (a * np.cos(w * t) - b * np.sin(w * t))
        qdd -= w * w * (a * np.sin(w * t) + b * np.cos(w * t))
    return q, qd, qdd


def minimum_jerk(t: Array) -> tuple[Array, Array, Array]:
    """Up by 1 rad in 0.8 s, 0.2 s of rest, down again, rest."""
    phase = np.mod(t, 2.0)
    back = phase >= 1.0
    s = np.minimum(np.where(back, phase - 1.0, phase) / 0.8, 1.0)
    q = 10 * s**3 - 15 * s**4 + 6 * s**5
    qd = (30 * s**2 - 60 * s**3 + 30 * s**4) / 0.8
    qdd = (60 * s - 180 * s**2 + 120 * s**3) / 0.8**2
    return np.where(back, 1.0 - q, q), np.where(back, -qd, qd), np.where(back, -qdd, qdd)


def trapezoid(t: Array) -> tuple[Array, Array, Array]:
    """Trapezoidal velocity: accelerations of +-6 rad/s^2 switched on and off."""
    durations = np.array([0.2, 0.6, 0.4, 0.6, 0.2])
    accelerations = np.array([6.0, 0.0, -6.0, 0.0, 6.0])
    starts = np.concatenate(([0.0], np.cumsum(durations)[:-1]))
    velocities = np.concatenate(([0.0], np.cumsum(accelerations * durations)[:-1]))
    travels = velocities * durations + accelerations * durations**2 / 2.0
    positions = np.concatenate(([0.0], np.cumsum(travels)[:-1]))
    phase = np.mod(t, 2.0)
    piece = np.searchsorted(starts, phase, side='right') - 1
    s, v, a = phase - starts[piece], velocities[piece], accelerations[piece]
    return positions[piece] + v * s + a * s**2 / 2.0, v + a * s, a


def sine(t: Array) -> tuple[Array, Array, Array]:
    """0.03 rad at 4 Hz."""
    w = 2.0 * np.pi * 4.0
    q = 0.03 * np.sin(w * t)
    return q, 0.03 * w * np.cos(w * t), -w * w * q


def record(profile: Profile, seed: int = 0, jitter: float = 0.0) -> Recording:
    """
    Sample the motions.

    `jitter`: standard deviation of the instants, as a fraction of the period. They are spread
    evenly, by sqrt(3) deviations either way; of two that cross, the earlier comes first.
    """
    random = np.random.default_rng(seed)
    count = round(DURATION * profile.rate)
    instants = np.sort(np.arange(count) + jitter * 3**0.5 * random.uniform(-1.0, 1.0, size=count))
    stamps = START + np.rint(instants * (1e9 / profile.rate)).astype(np.int64)
    q, qd, _ = truth(stamps)
    if profile.bits:
        step = 2.0 * np.pi / 2**profile.bits
        q = np.round(q / step) * step
    return Recording(stamps, q, qd + profile.noise * random.normal(size=qd.shape))
