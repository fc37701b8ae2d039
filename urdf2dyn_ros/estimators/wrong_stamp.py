"""
Wrong stamps: samples that a driver took in time and stamped late or early, and repeated ones.

A stamp that is off by d shows as an error of all positions of v d. If the sample itself was taken
late, there is none. So a sample is not used where its stamp is off the grid of the others and the
innovations of the joints follow their velocities by that time.

Where a driver stands still, or messages wait somewhere and are stamped as they arrive, a sample is
several periods late, and those behind it come together or in quick succession until they have
caught up. A long step is one after lost messages or before late ones: the positions decide.

Where a driver's loop is a little slower than the one that publishes, a message is repeated now and
then, and those after it do not catch up: from then on all stamps are a period late. So the first
message that is the same as the one before although the joints move is not used. If the next one
shows one period of motion, not two, the filters go on with the time at which it was taken.
"""

from math import floor

import numpy as np

from urdf2dyn_ros.robot.spatial import Array

NEW, SAME, AFTER_SAME, CARRIED = range(4)
"""A sample, one that is exactly the one before, the first other one after it, and none at all."""

SAMPLE_SHIFT = 0.2
"""Part of a period by which a sample may be early or late without being an outlier, over the
square root of the gate."""

LARGE_SHIFT, LEAST_SAMPLE_SHIFT = 2e-3, 0.06
"""Such a shift of a position from which on only the smaller part of a period counts, as it may be
a jump of an encoder [rad or m]; and that part."""

FOLLOWED_PART = 0.7
"""Part of a time by which innovations follow velocities if a stamp is off by it."""

SHORTEST_SLIP = 0.0015
"""Period from which on repeated samples and slips are looked for [s]: shorter ones cost less than
the predictions that are forgotten with them."""

SLIP_SPREAD = 0.5
"""Part of a period by which a slip of one may seem to differ from it."""

LEAST_CAUGHT_UP = 0.2
"""Part of a period by which each sample that waited, after another one, must be less late."""


def time_error(kind: int, h: float, behind: float, period: float, gate: float,
               velocities: Array, innovations: Array, variances: Array) -> float:
    """
    Return by how much a stamp is off [s], 0 if it is not.

    The kind is NEW, SAME or AFTER_SAME. h is the time since the stamp of the last sample, which
    was off by `behind`, and `period` the usual one, 0 if there is none [s]; `gate` is the squared
    error of the positions, relative to its variance, from which on it is significant. Velocities
    (n,) are those since the last sample; innovations (n,) what was predicted at the stamp less
    what was measured.
    """
    if not period > 0.0 or (kind != NEW and period < SHORTEST_SLIP):
        return 0.0
    known = np.isfinite(innovations)
    shares = velocities[known] / variances[known]
    size, along = float(shares @ velocities[known]), float(shares @ innovations[known])
    off = period
    if kind == NEW:
        # periods after the last sample at which this one was taken: if fewer than have passed, it
        # was late; otherwise, messages were lost, which is no error
        since, least = h + behind, floor(h / period + LEAST_CAUGHT_UP) + 1
        if behind <= 0.0 or least > periods(since, period):   # it does not catch up
            since, least = h, 1
        passed = periods(since, period)
        taken = round((since - along / size) / period) if passed > 1 and size > 0.0 else passed
        off = since - min(max(taken, least), passed) * period
    size, along = off * off * size, off * along
    if not size > gate:
        return 0.0
    if kind == AFTER_SAME:
        return off if abs(along - size) < SLIP_SPREAD * size else 0.0
    return off if along > FOLLOWED_PART * size else 0.0


def periods(h: float, period: float) -> int:
    """Return how many usual periods a time h [s] is; 0 if there is no usual one."""
    return round(h / period) if period > 0.0 else 0


class Repeats:
    """What a sample is: new, that before once more, or the first other one after such."""

    def __init__(self) -> None:
        self.not_used = False   # the newest one, as it is a repeated one
        self._stayed = False
        self._data = b''

    def kind(self, sample: Array) -> int:
        """Return NEW, SAME or AFTER_SAME; of several repeated ones, only the first is SAME."""
        data, before = sample.tobytes(), self._data
        stays, stayed = data == before, self._stayed
        self._data, self._stayed = data, stays
        if self.not_used and not stays:
            return AFTER_SAME
        return SAME if stays and not stayed else NEW
