"""Which group's messages have outputs."""

from collections.abc import Sequence

from urdf2dyn_ros.stream.group import Group

FASTER_RATIO = 0.9
"""Ratio of the periods below which another group is faster."""

AS_FAST = 1.1
"""Ratio of the periods below which another group is as fast."""

NEARER_PART = 0.2
"""Part of a period by which another group that is as fast must be nearer to the others."""

MESSAGES_TO_LEAD = 10
"""Messages in a row that must be better before another group leads."""


AFTER_LOST = 1.4
"""Time after an output, in periods of the leading group, from which on a message of another group
has the next output: one of the leading group is lost."""

AFTER_MISSED = 0.9
"""The same where the last message has no output, since other joints were received too late."""


class Pace:
    """Chooses the leading group: the fastest, and of several those with the least to carry."""

    def __init__(self) -> None:
        self.leader: Group | None = None   # its messages have outputs
        self._last_output, self._missed = 0, False

    def update(self, group: Group, groups: Sequence[Group]) -> None:
        """Add a message of one of all groups."""
        near = [each for each in groups if not each.is_far(group.newest)]
        group.spread = max(group.newest - each.newest for each in near)
        leader = self.leader
        if leader is None or leader not in groups:
            known = [each for each in near if each.steps.period]
            self._follow(min(known, key=lambda each: each.steps.period, default=group), groups)
        elif group is not leader:
            group.better = group.better + 1 if _is_better(group, leader) else 0
            if group.better >= MESSAGES_TO_LEAD or leader not in near:
                self._follow(group, groups)

    def is_due(self, group: Group) -> bool:
        """Return whether the newest message of a group should have an output."""
        if self.leader is None or group is self.leader or not self._last_output:
            return group is self.leader
        periods = AFTER_MISSED if self._missed else AFTER_LOST
        return group.newest - self._last_output > periods * self.leader.steps.period > 0.0

    def note(self, stamp: int, reached: bool) -> None:
        """Note an output at a stamp [ns], or that there was none; 0 after a clock jump."""
        self._missed = not reached
        if reached:
            self._last_output = stamp

    def _follow(self, leader: Group, groups: Sequence[Group]) -> None:
        self.leader = leader
        for group in groups:
            group.better = 0


def _is_better(group: Group, leader: Group) -> bool:
    period, best = group.steps.period, leader.steps.period
    return 0 < period < AS_FAST * best and (
        period < FASTER_RATIO * best or group.spread + NEARER_PART * period < leader.spread)
