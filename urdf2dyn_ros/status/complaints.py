"""What the log says of messages that are not as they should be: a line for each kind of fault."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.status.status import KEPT
from urdf2dyn_ros.stream.stream import EVENTS, OUTCOMES

EVERY = 5.0
"""Least time between two lines of the same kind [s]."""

FORGOTTEN = 60.0
"""A doubt that was not there for so long is new when it comes again [s]."""

ELSEWHERE = frozenset(('received', 'accelerations', 'velocity_doubted', 'two_sources'))
"""Nothing wrong, or told of in words of their own."""

NATURAL = frozenset(('gap', 'jump_back', 'other_joints'))
"""May be as it should: a bag that begins again, the joint states of a gripper."""

ONCE = frozenset(('other_joints',))
"""Not said again, however often it comes."""


class Line(NamedTuple):
    """A line for the log, and whether it is a warning."""

    text: str
    warning: bool


class Complaints:
    """
    Chooses what to say: a kind of fault at once, then with its number every now and then.

    Parameters
    ----------
    clock : callable
        Returns a time [s] that nobody sets.

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._unsaid: Counter[str] = Counter()
        self._said: dict[str, float] = {}
        self._doubted: dict[str, float] = {}
        self._unknown: frozenset[str] = frozenset()

    def counted(self, grown: Counter[str]) -> list[Line]:
        """Take what the stream's counters have grown by; return what is to be said."""
        now, lines = self._clock(), []
        self._unsaid.update({name: count for name, count in grown.items()
                             if name not in KEPT and name not in ELSEWHERE})
        for name, count in sorted(self._unsaid.items()):
            if now - self._said.get(name, -EVERY) >= EVERY:
                meaning = OUTCOMES.get(name) or EVENTS[name]
                lines.append(Line(f'joint states: {count} {name} ({meaning})',
                                  name not in NATURAL))
                self._said[name] = float('inf') if name in ONCE else now
                del self._unsaid[name]
        return lines

    def doubted(self, doubts: Sequence[str]) -> list[Line]:
        """Take what is doubtful now; return what was not, or not lately."""
        now = self._clock()
        lines = []
        for doubt in doubts:
            key = doubt.partition(': ')[0]   # without the figures, which change
            if key not in self._doubted:
                lines.append(Line(doubt, True))
            self._doubted[key] = now
        self._doubted = {key: seen for key, seen in self._doubted.items()
                         if now - seen < FORGOTTEN}
        return lines

    def unknown(self, joints: Sequence[str]) -> list[Line]:
        """Take names that are no joints of the model; return those that were not told of."""
        new = [name for name in joints if name not in self._unknown]
        self._unknown |= set(new)
        return [Line(f'joints that the model does not have are left out: {listed(new)}', False)
                ] if new else []
