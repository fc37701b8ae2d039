"""The fields of JointState messages, checked, sorted by the joints of the model."""

from collections import Counter
from collections.abc import Sequence
from math import hypot, isfinite, pi
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.joint_states.layouts import Indices, Layouts, NameLayout
from urdf2dyn_ros.robot.spatial import Array

MAX_TURNS = 1e6
"""Most turns between two positions of a joint that are unwrapped; more are a fault."""

LARGEST_MEASURED = 1e9
"""Velocities and efforts from here on, which no robot has, are a fault of a sensor or a bus: they
count as not measured [rad/s or m/s, N m or N]."""

_TURN = 2.0 * pi


class Message(NamedTuple):
    """Joints of the model in one message, in the model's order."""

    layout: NameLayout   # which joints these are
    q: Array   # (k,) [rad or m], finite; continuous joints are not unwrapped
    qd: Array   # (k,) [rad/s or m/s]; NaN where not measured
    effort: Array   # (k,) [N m or N]; NaN where not measured


class Messages:
    """
    Checks and sorts the fields of messages.

    Names and continuous joints, each (n,), are in the model's order; ``velocity_ignored`` and
    ``effort_ignored`` are counted in `events`.
    """

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool],
                 events: Counter[str]) -> None:
        self.layouts = Layouts(joint_names, continuous)
        self._events = events

    def read(self, names: Sequence[str], position: Sequence[float], velocity: Sequence[float],
             effort: Sequence[float]) -> Message | str:
        """Return the message of fields as in `Stream.receive`, or the outcome without one."""
        layout = self.layouts.find(names)
        if isinstance(layout, str):
            return layout
        q = _numbers(position)
        if q is None or len(q) != layout.length:
            return 'malformed'
        q = q[layout.entries]
        if not is_finite(q):
            return 'position_not_finite'
        return Message(layout, q, self._measured(velocity, layout, 'velocity_ignored'),
                       self._measured(effort, layout, 'effort_ignored'))

    def _measured(self, values: Any, layout: NameLayout, ignored: str) -> Array:
        """Return the entries (k,) of an optional field; NaN where there is no credible one."""
        numbers = _numbers(values)
        if numbers is not None and len(numbers) == layout.length:
            numbers = numbers[layout.entries]
            if not hypot(*numbers.tolist()) < LARGEST_MEASURED:   # also NaN
                numbers[~(np.abs(numbers) < LARGEST_MEASURED)] = np.nan
            return numbers
        if numbers is None or len(numbers) > 0:
            self._events[ignored] += 1
        return np.full(len(layout.joints), np.nan)


def unwrap(q: Array, continuous: Indices, last: Array) -> None:
    """
    Add whole turns to continuous joints of q (k,), so that they change by half a turn at most.

    q [rad or m] is changed in place; `continuous` (c,) says which entries are continuous, `last`
    (c,) are their positions before [rad], NaN if there are none.
    """
    if not continuous.size:
        return
    step = last - q[continuous]
    if np.abs(step).max() <= pi:
        return
    turns = np.rint(step / _TURN)
    turns[~(np.abs(turns) < MAX_TURNS)] = 0.0  # also NaN, before the first position
    q[continuous] += _TURN * turns


def is_finite(values: Array) -> bool:
    """Return whether all entries (n,) are finite; for few entries faster than numpy."""
    numbers = values.tolist()
    return isfinite(sum(numbers)) or all(map(isfinite, numbers))


def _numbers(values: Any) -> Array | None:
    """Return a field as numbers (k,), maybe in its own memory; None if it is malformed."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if numbers.ndim == 1 else None
