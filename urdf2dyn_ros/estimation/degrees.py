"""Positions, and velocities of joints without limits, that look like degrees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot, inf, pi

import numpy as np

from urdf2dyn_ros.estimation.hold import FAR_TOO_FAST, ModelJoints
from urdf2dyn_ros.robot.spatial import Array

LIMIT_MARGIN = 2.0 * pi   # rad beyond a limit: hardly an angle in radians
_MOST_DEGREES = 120.0   # position over its limit from which on it is hardly in degrees


def angle_unit(angle: float, limit: float) -> str:
    """Return the unit in which an angle may be that is far beyond its limit in radians."""
    return 'degrees' if abs(angle) < _MOST_DEGREES * limit else 'counts of an encoder'


class DegreesGuard:
    """
    Finds joints (n,) whose angles look like degrees: an arm in degrees also passes zero.

    Two messages in a row with an angle far beyond its limits, or with a velocity far beyond its
    own, stop the efforts until the joints begin anew. What was seen last is kept: kind and value.
    """

    def __init__(self, joints: ModelJoints) -> None:
        self._names, self._limits, self._fastest = joints.names, joints.limits, joints.fastest
        self._plausible = (joints.limits + np.array((-LIMIT_MARGIN, LIMIT_MARGIN))).T
        # no position or speed of a smaller size is far beyond a limit
        self._least = float(np.abs(self._plausible).min(initial=inf))
        self._slowest = float(self._fastest.min(initial=inf))
        self._newest: dict[int, tuple[str, float]] = {}   # of the newest message, by joint
        self._before: dict[int, tuple[str, float]] = {}   # of the one before
        self._found: dict[int, tuple[str, float]] = {}   # since the joints began

    @property
    def stops(self) -> bool:
        """Whether the joints look, or have looked, like degrees."""
        return bool(self._found)

    def reset(self) -> None:
        """Begin anew."""
        self._found = {}

    def add_positions(self, q: Array) -> None:
        """Add positions as received (n,), NaN where not published."""
        self._before, self._newest = self._newest, {}
        if not hypot(*q.tolist()) < self._least:
            outside = (q < self._plausible[0]) | (q > self._plausible[1])
            self._newest = {joint: ('position', float(q[joint]))
                            for joint in np.flatnonzero(outside).tolist()}

    def add_velocities(self, qd: Array) -> None:
        """Add the velocities of an estimate (n,) of the same sample."""
        if not hypot(*qd.tolist()) < self._slowest:
            fast = np.abs(qd) > self._fastest
            self._newest |= {joint: ('speed', float(qd[joint]))
                             for joint in np.flatnonzero(fast).tolist()}
        if self._newest:   # and not in this message alone, which may be an outlier
            self._found |= {joint: what for joint, what in self._newest.items()
                            if joint in self._before}

    def add_scales(self, joints: Iterable[int], scales: Sequence[float]) -> None:
        """Add joints whose positions are so many times as fast as their velocities."""
        self._found |= {joint: ('scale', scale) for joint, scale in zip(joints, scales)}

    @property
    def sentences(self) -> list[str]:
        """What looks like degrees, for a person."""
        return [f'{"velocity" if kind == "scale" else "position"} of {self._names[joint]!r}: '
                + self._sentence(joint, kind, value)
                for joint, (kind, value) in (self._found or self._newest).items()]

    def _sentence(self, joint: int, kind: str, value: float) -> str:
        if kind == 'scale':
            return (f'the position changes {value:.3g} times as fast: are the positions in '
                    'degrees?')
        if kind == 'speed':
            return (f'it changes by {value:.3g} rad/s, {FAR_TOO_FAST:g} times its limit or more: '
                    'is it in degrees?')
        lower, upper = self._limits[joint]
        return (f'it is {value:.4g} rad, more than 2 pi beyond its limits {lower:.4g} to '
                f'{upper:.4g} rad: is it in {angle_unit(value, max(-lower, upper))}?')
