"""
Slips of a publisher's clock over that of a driver, where both have nearly the same rate.

Such a publisher sends the newest sample of the driver, too; but its period is nearly a whole
number of the driver's. For seconds, every sample is as old as the one before. Then the two clocks
have drifted apart by a period, and from one sample to the next one the motion is that of one
period more or less. From then on all samples are newer or older by it: the positions are those of
a motion at other times, not of another motion. Where clocks jitter, they slip several times in a
row, there and back.
"""

from math import isfinite

import numpy as np

from urdf2dyn_ros.robot.spatial import Array

LEAST_SLIP, LONGEST_BACK, LONGEST_ON = 0.25, -0.75, 1.25
"""Parts of a step by which a sample is newer or older where the clocks slip: one that is older by
all of it is a repeated one, which wrong_stamp.py finds."""

LEAST_SPEED = 1e-4
"""Speed, of all joints, from which on positions show a step [rad/s or m/s]."""

MOST_CHANGE = 16.0
"""Squared speed, relative to its squared change within a step, from which on positions show it."""

MOST_APART = 0.1
"""Part of the squared differences between these steps and those of stamps by which joints may
disagree."""

MOST_OF_ONE = 0.999
"""Share of one joint in the squared speed up to which others show that it is no jump of its
encoder."""

SIGNIFICANT = 36.0
"""Squared difference over the usual one, from which on it is a slip."""

FOLLOWING_GAIN = 0.05
"""Part by which what is usual follows each step."""

MOST_USUAL, REGULAR = 1.5, 0.3
"""Step between stamps over the usual one, from which on messages were lost; part of the usual step
by which it may differ from a whole number of them."""

BY_VELOCITY = 0.5
"""Part of a slip from which on a change of the measured velocities explains it, not the time."""

WARMING_UP, QUIET = 32, 5
"""Samples before the first slip, and before another one in the same direction: a change of the
velocity looks like a slip once, and then goes on."""


class ClockSlips:
    """The sum of all slips: by how much samples are newer than at first."""

    def __init__(self, joints: int) -> None:
        self.shift = 0.0   # [s]
        self._newest = 0.0       # slip [s]
        self._since = -WARMING_UP + QUIET   # samples after it
        self._step = 0.0         # usual time between stamps [s]
        self._usual = 0.0        # mean square of positions less predicted ones
        self._same = False       # whether the last sample was the one before once more
        self.repeated = False    # whether messages since then repeated it
        # rows: positions, those before, velocities and accelerations; their sum is what is left
        self._rows = np.zeros((4, joints))
        self._factors = np.array([1.0, -1.0, 0.0, 0.0])

    def follow(self, h: float, q: Array, qd: Array, before: Array, rates: Array) -> None:
        """
        Add the slip at a sample, if there is one.

        It came a time h [s] after positions `before`, (n,). Its measured velocities qd, (n,), may
        be NaN; rates (2, n) are velocities and accelerations estimated before.
        """
        left = self.left(h, q, before, rates)
        size = float(left.dot(left))
        stayed, self._same = self._same, q.tobytes() == before.tobytes()
        if self._same:
            self._newest = -h
        if stayed or self._same or not isfinite(size):
            return   # wrong_stamp.py finds what follows from a repeated sample
        if h < MOST_USUAL * self._step or not self._step:
            self._step += (h - self._step) * (FOLLOWING_GAIN if self._step else 1.0)
        self._since += 1
        self.judge(h, left, size, qd, rates)

    def left(self, h: float, q: Array, before: Array, rates: Array) -> Array:
        """Return positions less those predicted, (n,); arguments as in `follow`."""
        rows, factors = self._rows, self._factors
        rows[0], rows[1], rows[2:] = q, before, rates
        factors[2], factors[3] = -h, -0.5 * h * h
        left: Array = factors.dot(rows)
        return left

    def judge(self, h: float, left: Array, size: float, qd: Array, rates: Array) -> None:
        """Add the slip that what is left (n,) of a motion shows, or learn its usual size."""
        slip = self._slip(h, left, size, qd, rates) if size > SIGNIFICANT * self._usual else 0.0
        self.repeated = False
        if slip:
            self.shift, self._newest, self._since = self.shift + slip, slip, 0
        else:
            self._usual += FOLLOWING_GAIN * (size - self._usual)

    def _slip(self, h: float, left: Array, size: float, qd: Array, rates: Array) -> float:
        """Return the time [s] that what is left of a motion (n,), of a size, shows, or 0."""
        velocities, changed = rates[0] + 0.5 * h * rates[1], h * rates[1]
        square = float(velocities @ velocities)
        off = float(velocities @ left) / max(square, LEAST_SPEED ** 2)
        explained = off * off * square
        changes = (float(velocities.dot(qd)) / max(square, LEAST_SPEED ** 2) - 1.0) * h
        return off if (
            LEAST_SLIP * h < abs(off) and LONGEST_BACK * h < off < LONGEST_ON * h
            and explained > SIGNIFICANT * self._usual
            and square > LEAST_SPEED ** 2 + MOST_CHANGE * float(changed @ changed)
            and size - explained < MOST_APART * explained
            and float(np.square(velocities).max()) < MOST_OF_ONE * square
            and not changes * off > BY_VELOCITY * off * off
            and (self._since > QUIET or off * self._newest < 0.0)
            and self._is_regular(h, off)) else 0.0

    def _is_regular(self, h: float, off: float) -> bool:
        """
        Return whether a step [s] is the usual one, or whole ones after lost messages.

        A sample that is older after a long step without messages has waited, which wrong_stamp.py
        finds.
        """
        steps = max(round(h / self._step), 1)
        return abs(steps * self._step - h) < REGULAR * self._step and (
            steps == 1 or off > 0.0 or self.repeated)
