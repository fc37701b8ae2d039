"""Groups of joints that are received together, and the state of all joints at one instant."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.joint_states.messages import Message
from urdf2dyn_ros.stream.group import Group
from urdf2dyn_ros.stream.history import Known
from urdf2dyn_ros.stream.pace import Pace
from urdf2dyn_ros.stream.partition import Partition

JITTER_PART = 2
"""Periods divided by this are how much a lag may change from sample to sample."""


class Groups:
    """
    Samples of groups at their own stamps, and the state of all joints at those of one group.

    Every sample enters the estimator of its group at its own stamp. The messages of the leading
    group have outputs: there the other groups are carried to its stamp. If others are too late for
    that, or a message of the leading group is lost, the next message of another one has it. If an
    estimator has a lag, the first message by which all estimates have reached a stamp of the
    leading group has its output.

    In `events` are counted ``gap``, ``jump_back`` and ``velocity_doubted``; `max_skew` is as in
    `Stream`, but in [ns]. Samples before the newest message must not be used for some joints if it
    `restarted`; stamps may be older than before if it `jumped_back`.
    """

    def __init__(self, partition: Partition, events: Counter[str], max_skew: int) -> None:
        self._partition, self._events, self._max_skew = partition, events, max_skew
        self._pace = Pace()
        self._at = partition.groups[0]   # the group whose message may have an output
        self.restarted = self.jumped_back = False

    def __iter__(self) -> Iterator[Group]:
        return iter(self._partition.groups)

    @property
    def all(self) -> list[Group]:
        """The groups; another list once joints are received together in other ways."""
        return self._partition.groups

    @property
    def newest(self) -> int:
        """Newest stamp [ns]; 0 before the first message."""
        return max(group.newest for group in self)

    @property
    def absent(self) -> list[Group]:
        """The groups that were not received yet, or not recently."""
        newest = self.newest
        return [group for group in self if group.is_far(newest)]

    def restart(self) -> None:
        """Use no sample before the next ones."""
        for group in self:
            group.restart()

    def add(self, stamp: int, message: Message) -> str:
        """Add a message; return its outcome, empty if its stamp is one for an output."""
        layout, q, qd, effort = message
        self.restarted = self.jumped_back = False
        if layout.complete and len(self._partition.groups) == 1:   # the usual and fast way
            group = self._partition.groups[0]
            outcome = group.add(stamp, q, qd, effort)
            if group.event or group.velocities.dropping:
                self._count([group])
            return outcome
        parts = self._partition.parts(layout)
        received = [group for group, _ in parts]
        outcomes = [group.add(stamp, *(values if entries is None else values[entries]
                                       for values in (q, qd, effort))) for group, entries in parts]
        self._count(received)
        self._partition.join(parts)
        return self._outcome(received, outcomes)

    def _count(self, received: Sequence[Group]) -> None:
        for event in {group.event for group in received if group.event}:
            self.restarted = True
            if event == 'jump_back':
                self.jumped_back = True
                self._pace.note(0, True)
            if event != 'restart':
                self._events[event] += 1
        if any(group.velocities.dropping for group in received):
            self._events['velocity_doubted'] += 1

    def _outcome(self, received: Sequence[Group], outcomes: Sequence[str]) -> str:
        """Return the outcome of a message, from those of its groups."""
        if 'two_sources' in outcomes:
            return 'two_sources'
        used = [group for group, outcome in zip(received, outcomes)
                if outcome in ('', 'warming_up')]
        for group in used:
            self._pace.update(group, self._partition.groups)
        due = [group for group in used if self._pace.is_due(group)]
        if not due or any(group.newest == 0 for group in self):
            return 'incomplete' if used else outcomes[0]
        self._at = self._pace.leader if self._pace.leader in due else due[0]
        return outcomes[received.index(self._at)]

    def state(self) -> Known | str:
        """Return the state of all joints at one instant, or the outcome without one."""
        groups, at = self._partition.groups, self._at
        if len(groups) == 1:
            return groups[0].history.newest or 'warming_up'
        if any(group.history.newest is None for group in groups):
            return 'warming_up'
        lag = max(group.lag for group in groups)
        if lag and self._pace.leader in groups:   # whichever message completes its stamps
            at = self._pace.leader
        stamp = at.history.newest_until(self.newest - lag + at.steps.period // JITTER_PART)
        if stamp is None:
            return 'warming_up'
        reached = [group is at or group.reaches(stamp, at.newest, self._max_skew)
                   for group in groups]
        at.skew = 0
        if at.newest == self.newest:
            at.skewed = 0
        self._pace.note(stamp, all(reached))
        if not all(reached):
            return 'skewed'
        rows = []
        for group in groups:
            estimate, measured = group.history.at(stamp)
            rows.append((estimate.q, estimate.qd, estimate.qdd, estimate.std, measured))
        q, qd, qdd, std, measured = (np.concatenate(row)[self._partition.order]
                                     for row in zip(*rows))
        return Known(Estimate(stamp, q, qd, qdd, std, valid=True), measured)
