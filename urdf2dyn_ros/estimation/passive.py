"""Measured positions of passive joints of closed loops: a start for these, and a comparison."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from math import isfinite

import numpy as np

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.assembly import Gaps
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import quote

MOST_OPEN = 5e-3, 0.05   # m and rad that measured joints may leave a loop open
_POSES = 5   # in all of which a loop must be that far open: a sensor with a wrong zero is always
_PERIOD = 100_000_000   # ns between these
_AGE = 200_000_000   # ns over which a passive position is carried to the stamp of the others
_JUMP = 0.05   # rad or m between two outputs; beyond, the assembly is that which is measured


class PassiveJoints:
    """
    The passive joints of a robot with closed loops, as far as they are published.

    They are neither filtered nor differentiated: their motion follows from the actuated joints.
    """

    def __init__(self, dynamics: InverseDynamics) -> None:
        self.names = dynamics.passive_names
        self._dynamics = dynamics
        # stamp [ns] and position of the last two messages
        self._measured: dict[str, deque[tuple[int, float]]] = {}
        self._poses: deque[dict[str, float]] = deque(maxlen=_POSES)
        self._compared = 0
        self._placed: Array | None = None   # of the last output; None after one without efforts

    def receive(self, message: Message) -> bool:
        """Take the positions of passive joints; return whether there are any."""
        found = False
        with suppress(TypeError, ValueError):   # the reader of the others says what is wrong
            values = dict(zip(message.names, message.position, strict=True))
            for name in self.names:
                if name in values and isfinite(position := float(values[name])):
                    found = True
                    self._measured.setdefault(name, deque(maxlen=2)).append(
                        (message.stamp, position))
        return found

    @property
    def margin(self) -> float:
        """Of the last output, to a singular pose."""
        return self._dynamics.margin

    def place(self, q: Array, measured: Mapping[str, float]) -> None:
        """Let the robot be assembled as it is measured, where it was not near q (n,) before."""
        near = self._placed is not None and np.abs(q - self._placed).max(initial=0.0) < _JUMP
        self._placed = q
        if near or not measured:
            return
        with suppress(StateError):   # from the start pose, then
            rest = {} if len(measured) == len(self.names) else self._closed(q)
            self._dynamics.close(q, start={**rest, **measured})

    def compare(self, stamp: int, q: Array, closed: bool) -> None:
        """Keep a pose now and then, for the `warnings`; some of its joints may be computed."""
        if not closed:
            self._placed = None
        if self._measured and not 0 < stamp - self._compared < _PERIOD:
            self._compared = stamp
            measured = self.at(stamp)
            if measured and (closed or len(measured) == len(self.names)):
                self._poses.append({**dict(zip(self._dynamics.joint_names, q.tolist())),
                                    **(self._closed(q) if closed else {}), **measured})

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for each loop that the measured joints leave open."""
        if len(self._poses) < _POSES:
            return ()
        return tuple(
            f'loop {quote(name)}: the measured joints leave it open by {1e3 * distance:.3g} mm '
            f'and {angle:.3g} rad, more than {1e3 * MOST_OPEN[0]:g} mm or {MOST_OPEN[1]:g} rad: '
            'a sensor has another zero, or the description another frame or length'
            for name, (distance, angle) in self._gaps(list(self._poses)).items()
            if distance > MOST_OPEN[0] or angle > MOST_OPEN[1])

    @cached_property
    def _gaps(self) -> Gaps:
        return Gaps(self._dynamics.model)

    def _closed(self, q: Array) -> Mapping[str, float]:
        return dict(zip(self.names, self._dynamics.close(q).tolist()))

    def at(self, stamp: int) -> dict[str, float]:
        """Return positions that were measured lately, carried to a stamp [ns]."""
        found = {}
        for name, samples in self._measured.items():
            (before, start), (last, position) = samples[0], samples[-1]
            if abs(stamp - last) < _AGE:
                step = last - before
                rate = (position - start) / step if 0 < step < _AGE else 0.0
                found[name] = position + rate * (stamp - last)
        return found
