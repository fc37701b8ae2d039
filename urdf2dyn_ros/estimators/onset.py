"""
Onsets of motions: what no comparison of predictions shows in time.

A prediction is compared when its time has come. Until then, a filter that was best at rest stays
the best in a motion that has begun, although faster filters see that. Here the acceleration of
each filter is compared with the weighted one: if it deviates by several times of what it usually
does, all slower filters have missed something, and their squared errors are increased by the
excess for a while. The more noise a filter has, the more its deviation must exceed the usual one:
false alarms cost as much as that noise. Vibration raises the usual deviation and is no onset.
Where the velocity is measured, no slower filter has missed more than its innovation shows.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.bank import ABSENT
from urdf2dyn_ros.robot.spatial import Array

DEVIATION_MEMORY = 0.2
"""Time constant of the usual squared deviations [s]."""

ONSET_MEMORY = 0.05
"""Time constant of an onset [s]."""

ONSET_GATE = 6.0
"""Squared deviation, relative to the usual one, beyond which it is an onset."""

NOISE_GATE = 3.0
"""Increase of this gate for a filter whose variance is e times that of the weighted one."""

INNOVATION_SHOWS = 0.5
"""Part of the square of a velocity's innovation over the step of time that a filter can have
missed: what deviates by more, follows velocities that contradict the positions."""

SINGLE_SAMPLE = 0.9
"""Variance of a filter, relative to that of the measurement, beyond which it follows each sample
alone: two in a row have to show an onset then."""


class Onset:
    """Finds filters that have missed the onset of a motion."""

    def __init__(self, filters: int, joints: int) -> None:
        # usual squared deviations of the accelerations [rad^2/s^4 or m^2/s^4]
        self.deviations = np.zeros((filters, joints))
        # samples in a row beyond the gate, negative below the weighted acceleration
        self.in_a_row = np.zeros((filters, joints))
        # squared errors of the accelerations because of an onset [rad^2/s^4 or m^2/s^4]
        self.missed = np.zeros((filters, joints))
        self.judged = np.zeros(joints)   # numbers of samples

    def reset(self) -> None:
        """Forget everything."""
        for array in (self.deviations, self.in_a_row, self.missed, self.judged):
            array[:] = 0.0

    def start(self) -> None:
        """Forget onsets but keep the usual deviations: a gap does not change the noise."""
        self.in_a_row[:] = self.missed[:] = 0.0

    def add(self, squares: Array, accelerations: Array, declared: Array,
            single: NDArray[np.bool_], most: Array, h: float) -> None:
        """
        Add the squared errors of the filters that missed an onset.

        All arrays are (k, n). `squares` are the errors of the filters, increased here, ``ABSENT``
        for one that has no weight; accelerations are those after the newest sample, `declared`
        their variances; `single` is whether a filter follows each sample alone, `most` the largest
        errors that the innovations show. h is the time since the last sample, in units in which
        the memories are [s].
        """
        weights = 1.0 / np.square(squares)
        total = weights.sum(axis=0)
        variance = total / (weights / squares).sum(axis=0)
        deviation = accelerations - (weights * accelerations).sum(axis=0) / total
        square = np.square(deviation)
        usual = np.maximum(self.deviations, declared)
        gate = (ONSET_GATE + NOISE_GATE * np.log(np.maximum(1.0, usual / variance))) * usual
        side = np.sign(deviation)
        followed = np.where(self.in_a_row * side > 0.0, self.in_a_row + side, side)
        self.in_a_row[:] = np.where(square > gate, followed, 0.0)
        seen = (np.abs(self.in_a_row) >= np.where(single, 2.0, 1.0)) & (squares < ABSENT)
        excess = np.where(seen, square - gate, 0.0)
        # the largest of all faster filters
        faster = np.zeros_like(excess)
        faster[:-1] = np.maximum.accumulate(excess[:0:-1], axis=0)[::-1]
        np.maximum(self.missed * exp(-h / ONSET_MEMORY), np.minimum(faster, most), out=self.missed)
        squares += self.missed
        self.judged += 1.0
        gain = np.maximum(1.0 - exp(-h / DEVIATION_MEMORY), 1.0 / self.judged)
        self.deviations += gain * (square - self.deviations)
