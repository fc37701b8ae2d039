"""Positions, velocities and accelerations of a piece of a recording, from all of its samples."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.smoothing.cutoff import cutoffs
from urdf2dyn_ros.smoothing.repeated import cubic_weights, single_instants, without_repeated
from urdf2dyn_ros.smoothing.spline import SmoothingSpline

FEWEST_SAMPLES = 12

_SPIKE_DEVIATION = 20.0
"""Deviation of a sample from a curve through its neighbours that is an error, in typical ones."""

_ACCELERATION_STEP = 100.0
"""Largest step of an acceleration that is no error of a sample [rad/s^2 or m/s^2]."""

_NEIGHBOURS = np.array([-2, -1, 1, 2])


class Smoothed(NamedTuple):
    """A smoothed motion."""

    q: Array   # (k, n) [rad or m]
    qd: Array   # (k, n) [rad/s or m/s]
    qdd: Array   # (k, n) [rad/s^2 or m/s^2]
    cutoffs: Array   # (n,), of each joint [Hz]


def smoothed(stamps: NDArray[np.int64], positions: Array,
             at: NDArray[np.int64] | None = None) -> Smoothed:
    """
    Return the smoothed motion of positions (k, n) [rad or m] at increasing stamps (k,) [ns].

    It is that at these stamps, or `at` others between the first and the last [ns].

    Single positions far from a curve through their neighbours, and those that a driver repeated,
    are replaced by that curve; of several samples of one instant the last counts. The ends are
    less exact, as samples are on one side only.
    """
    at = stamps if at is None else at
    single = single_instants(stamps)
    if single.sum() >= FEWEST_SAMPLES:
        stamps, positions = stamps[single], positions[single]
    time = (stamps - stamps[0]) * 1e-9
    period = float(np.median(np.diff(time)))
    origin = positions[0]
    samples, noise = without_spikes(time, without_repeated(stamps, positions) - origin)
    chosen = cutoffs(time, samples, period, noise)
    wanted = (at - stamps[0]) * 1e-9
    result = np.empty((3, len(wanted), samples.shape[1]))
    for cutoff in np.unique(chosen):
        joints = np.flatnonzero(chosen == cutoff)
        spline = SmoothingSpline(time, period, cutoff)
        coefficients = spline.fit(samples[:, joints])
        for derivative in range(3):
            result[derivative][:, joints] = spline.values(coefficients, wanted, derivative)
    return Smoothed(result[0] + origin, result[1], result[2], chosen)


def without_spikes(time: Array, samples: Array) -> tuple[Array, Array]:
    """
    Return samples (k, n) at times (k,) [s] without single ones far from their neighbours.

    Second, the root mean square (n,) of the differences of all others from curves through theirs:
    for white noise 1.4 of its standard deviations.
    """
    rows = np.arange(2, len(time) - 2)
    near = time[rows[:, None] + _NEIGHBOURS] - time[rows, None]
    weights = cubic_weights(near)
    expected = sum(weights[:, k, None] * samples[rows + offset]
                   for k, offset in enumerate(_NEIGHBOURS))
    errors = np.zeros_like(samples)
    errors[rows] = np.abs(samples[rows] - expected)
    # a spike is in the curves of its neighbours, too
    largest = np.maximum.reduce([np.roll(errors, offset, axis=0) for offset in _NEIGHBOURS])
    step = np.abs(near[:, 1:3]).max(axis=1)
    limit = (_SPIKE_DEVIATION * np.median(errors, axis=0)
             + _ACCELERATION_STEP * np.square(step)[:, None])
    spikes = (errors[rows] > limit) & (errors[rows] > largest[rows])
    cleaned = samples
    if spikes.any():
        cleaned = samples.copy()
        cleaned[rows] = np.where(spikes, expected, samples[rows])
        for offset in (0, *_NEIGHBOURS):
            errors[rows + offset] = np.where(spikes, 0.0, errors[rows + offset])
    return cleaned, np.sqrt(np.square(errors).mean(axis=0))
