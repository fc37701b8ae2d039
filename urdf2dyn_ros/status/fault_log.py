"""Lines of the log about faulty messages: one for each kind of fault."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from urdf2dyn_ros.outcomes import ACCEPTED_OUTCOMES, JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.quoting import asked_once, listed

LOG_PERIOD = 5.0
"""Shortest time between two lines of the same kind [s]."""

WARNING_MEMORY = 60.0
"""Time after which a warning that returns is logged again [s]."""

NOT_LOGGED = frozenset(('received', 'accelerations', 'velocity_doubted', 'two_sources'))
"""No faults, or reported by warnings."""

HARMLESS_OUTCOMES = frozenset(('gap', 'jump_back', 'other_joints'))
"""May be correct: a bag that starts again, the joint states of a gripper."""

LOGGED_ONCE = frozenset(('other_joints',))


class LogLine(NamedTuple):
    """A line for the log, and whether it is a warning."""

    text: str
    warning: bool


class FaultLog:
    """
    Chooses what to log: each kind of fault at once, then its number every few seconds.

    The clock is monotonic and returns [s].
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pending: Counter[str] = Counter()
        self._logged: dict[str, float] = {}
        self._warned: dict[str, float] = {}
        self._unknown: frozenset[str] = frozenset()

    def counted(self, grown: Counter[str]) -> list[LogLine]:
        """Return lines for an increase of the stream's counters."""
        now, lines = self._clock(), []
        self._pending.update({name: count for name, count in grown.items()
                             if name not in ACCEPTED_OUTCOMES and name not in NOT_LOGGED})
        for name, count in sorted(self._pending.items()):
            if now - self._logged.get(name, -LOG_PERIOD) >= LOG_PERIOD:
                meaning = JOINT_STATE_OUTCOMES.get(name) or JOINT_STATE_EVENTS[name]
                lines.append(LogLine(f'joint states: {count} {name} ({meaning})',
                                     name not in HARMLESS_OUTCOMES))
                self._logged[name] = float('inf') if name in LOGGED_ONCE else now
                del self._pending[name]
        return lines

    def warned(self, warnings: Sequence[str]) -> list[LogLine]:
        """Return lines for those of the present warnings that are new, or have returned."""
        now = self._clock()
        new = []
        for warning in warnings:
            key = warning.partition(': ')[0]   # without figures, which change
            if key not in self._warned:
                new.append((key.partition(' of ')[2], warning))
            self._warned[key] = now
        self._warned = {key: seen for key, seen in self._warned.items()
                        if now - seen < WARNING_MEMORY}
        return [LogLine(text, True) for text in asked_once(new)]

    def unknown(self, joints: Sequence[str]) -> list[LogLine]:
        """Return a line for names that are no joints of the model and were not logged yet."""
        new = [name for name in joints if name not in self._unknown]
        self._unknown |= set(new)
        return [LogLine(f'joints that the model does not have are dropped: {listed(new)}', False)
                ] if new else []
