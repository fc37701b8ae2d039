"""
Joints that are received together, and the state of all joints at one instant.

Several publishers may have a part of the joints each. Every sample enters the estimator of its
group at its own stamp. The messages of the leading group have outputs: the others are carried to
its stamp by their jerk. Nothing is published while one of the groups is in doubt.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf, nan, pi
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.estimator import PUBLISHED, REASONS, Estimate
from urdf2dyn_ros.estimation.hold import ModelJoints
from urdf2dyn_ros.estimation.messages import Indices, Message, NameLayout, unwrap
from urdf2dyn_ros.estimation.simple_estimators import EstimatorBase
from urdf2dyn_ros.estimation.steps import Steps
from urdf2dyn_ros.estimation.velocities import JointVelocity, VelocityReport
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed

MOST_KEPT = 1024   # estimates and efforts: more than the longest lag in samples
LAG_DECAY = 0.01   # by which the lag of an estimator follows one that is shorter
MOST_CARRIED_PERIODS = 2.5   # over which joints are carried: one lost message and jitter
LEAST_CARRIED_NS = 5_000_000   # time over which joints are carried, whatever their rate
SKEWED_TO_WARN = 20   # messages in a row at which joints are too far away, before that is reported
LIMIT_MARGIN = 2.0 * pi   # rad beyond a limit: hardly an angle in radians

MESSAGES_TO_JOIN = 100   # in a row with all joints of several groups, after which these are one
MESSAGES_TO_DIVIDE = 5   # in a row with a part of a group that has been complete
BETTER_TO_LEAD = 0.8   # ratio of the costs below which another group leads
SPREAD_GAIN = 0.1   # by which the mean spread of a group follows a new one
AFTER_LOST = 1.4   # periods of the leader after an output: its next message is lost
AFTER_MISSED = 0.9   # the same where its message had no output, as others were too late

_OUTCOMES = {'starting': 'warming_up', 'late': 'out_of_order', 'begun_anew': 'warming_up',
             'gap': 'warming_up'}
_NOT_USED = ('duplicate_stamp', 'out_of_order')


class Known(NamedTuple):
    """A valid estimate, measured efforts (k,) [N m or N] or NaN, and jerk (k,) of its stamp."""

    estimate: Estimate
    measured: Array
    jerk: Array | float = 0.0


class History:
    """
    Estimates of some joints (k,), from which their state is carried to another stamp.

    The acceleration is linear in time: between two estimates, and after the newest by its jerk.
    What the jerk adds is uncertain by its half.
    """

    def __init__(self, several: bool) -> None:
        self._past: deque[Known] = deque(maxlen=MOST_KEPT if several else 1)
        self.newest: Known | None = None

    def clear(self) -> None:
        """Forget the estimates."""
        self._past.clear()
        self.newest = None

    def add(self, known: Known) -> None:
        """Add an estimate, if it is newer."""
        if self.newest is None or known.estimate.stamp > self.newest.estimate.stamp:
            self._past.append(known)
            self.newest = known

    def newest_until(self, stamp: int) -> int | None:
        """Return the stamp of the newest estimate that is no newer than a stamp [ns]."""
        return next((known.estimate.stamp for known in reversed(self._past)
                     if known.estimate.stamp <= stamp), None)

    def distance(self, stamp: int) -> int:
        """Return how long before the first or after the last estimate a stamp is [ns]."""
        first, last = self._past[0].estimate.stamp, self._past[-1].estimate.stamp
        return max(first - stamp, stamp - last, 0)

    def at(self, stamp: int) -> Known:
        """Return the state at a stamp [ns], which must not be older than that of the last call."""
        past = self._past
        while len(past) > 1 and past[1].estimate.stamp <= stamp:
            past.popleft()
        base, measured, jerk = past[0]
        h = (stamp - base.stamp) * 1e-9
        error = 0.5 * jerk * h
        if len(past) > 1:
            other = past[1].estimate
            jerk, error = (other.qdd - base.qdd) / ((other.stamp - base.stamp) * 1e-9), 0.0
        q, qd, qdd = base.q, base.qd, base.qdd
        return Known(Estimate(
            stamp, q + h * (qd + h / 2.0 * (qdd + h / 3.0 * jerk)),
            qd + h * (qdd + h / 2.0 * jerk), qdd + h * jerk,
            np.sqrt(base.std * base.std + error * error), PUBLISHED), measured)


class Joints(NamedTuple):
    """Joints of a group (k,): indices in the model, `turn_error` and limits of `ModelJoints`."""

    indices: Indices
    turn_error: Array
    limits: Array


class Group:
    """The samples of joints that are received together, at their own stamps."""

    def __init__(self, joints: Joints, estimator: EstimatorBase, steps: Steps,
                 several: bool = False, newest: int = 0) -> None:
        count = len(joints.indices)
        self.joints, self._endless = joints.indices, joints.turn_error >= pi
        self._turning = np.flatnonzero(joints.turn_error)
        self._turn_error = joints.turn_error[self._turning]
        self._lower, self._upper = joints.limits[:, 0] - LIMIT_MARGIN, (
            joints.limits[:, 1] + LIMIT_MARGIN)
        self.estimator, self.steps = estimator, steps
        self.history, self._several = History(several), several
        self.velocities = VelocityReport(count)
        self.newest = newest   # stamp [ns]; 0 before the first sample
        self.event = ''        # gap, jump_back or restart if the newest sample was one
        self.outcome = 'warming_up'   # of the newest sample, '' if there is an estimate
        self.lag = 0           # by which the newest estimate was older than its sample [ns]
        self.skew = 0          # by which it is older than the group of the last output [ns]
        self.skewed = 0        # messages of others in a row at which it was too old to be carried
        self.spread = 0.0      # mean age of the oldest other group at its messages [ns]
        self.message: object = None   # groups of the newest message
        self.repeated = 0             # how often there were the same before
        self.incomplete = 0           # messages in a row with a part of the joints
        self._efforts: deque[tuple[int, Array]] = deque(maxlen=MOST_KEPT)
        self._no_effort = np.full(count, nan)
        self._q = self._before = np.full(count, nan)   # positions of the last two messages
        self._sampled = False

    def add(self, stamp: int, q: Array, qd: Array, effort: Array) -> str:
        """
        Add a sample, which is kept; return the outcome, empty if there is an estimate of it.

        Stamp [ns], q, qd and effort (k,) as in `Message`; q is NaN where it is not published.
        """
        self.event = ''
        step = self.steps.add(self.newest, stamp)
        if step in _NOT_USED:
            return step
        if step == 'jump_back':
            self._q, self._sampled = np.full(len(q), nan), False
        self.newest, self.event = stamp, step
        if step or not self._sampled:
            self.restart(step == 'gap')
            self.event = step or 'restart'
        self._sampled = True
        if step == 'gap':   # a joint with limits may have gone the long way
            self._q = np.where(self._endless, self._q, nan)
        if self._turning.size:
            unwrap(q, self._turning, self._turn_error, self._q, self._before)
        self._before, self._q = self._q, q
        self._efforts.append((stamp, effort))
        estimate = self.estimator.update(stamp, q, qd)
        reason = REASONS[estimate.outcome]
        self.outcome = _OUTCOMES.get(reason, reason)
        if self.outcome:
            return self.outcome
        lag = stamp - estimate.stamp
        self.lag = lag if lag >= self.lag else self.lag - round(LAG_DECAY * (self.lag - lag))
        self.velocities.add(stamp, qd, estimate, self.estimator)
        self.history.add(Known(estimate, self._measured_at(estimate.stamp),
                               self.estimator.jerk(stamp) if self._several else 0.0))
        return ''

    def restart(self, gap: bool = False) -> None:
        """Use no sample before the next one; after a gap, what was learned stays."""
        if gap:
            self.estimator.pause()
        else:
            self.estimator.reset()
        self.history.clear()
        self._efforts.clear()
        self.lag = 0
        self.outcome = 'warming_up'

    @property
    def beyond_limits(self) -> Iterator[tuple[int, float]]:
        """Yield joints whose positions are far beyond their limits, with their positions."""
        for k in np.flatnonzero((self._q < self._lower) | (self._q > self._upper)).tolist():
            yield int(self.joints[k]), float(self._q[k])

    def is_far(self, stamp: int) -> bool:
        """Return whether a stamp [ns] is a gap or a clock jump from the newest sample."""
        return self.newest == 0 or self.steps.is_jump(stamp - self.newest)

    def reaches(self, stamp: int, newest: int, max_skew: int) -> bool:
        """
        Return whether the state can be carried to a stamp [ns], by max_skew [ns] if not 0.

        Nothing is extrapolated to an earlier stamp; but the newest sample must not be a gap or a
        clock jump away from that of the group with the output, `newest` [ns].
        """
        most = max_skew or max(round(MOST_CARRIED_PERIODS * self.steps.period), LEAST_CARRIED_NS)
        self.skew = newest - self.newest
        self.skewed = self.skewed + 1 if self.skew > most else 0
        return not self.is_far(newest) and self.history.distance(stamp) <= most

    def names(self, joint_names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the joints, chosen from those of the model."""
        return tuple(joint_names[joint] for joint in self.joints.tolist())

    def _measured_at(self, stamp: int) -> Array:
        efforts = self._efforts
        while efforts and efforts[0][0] < stamp:
            efforts.popleft()
        return efforts[0][1] if efforts and efforts[0][0] == stamp else self._no_effort


class GroupFigures(NamedTuple):
    """Figures of joints that are received together."""

    joints: tuple[str, ...]   # their names
    # messages per second by their stamps, without losses [Hz]; NaN while it is unknown
    rate: float
    age: float | None   # age of the newest stamp [s]; None before the first message
    skew: float   # by how much their newest stamp is older than that of the newest efforts [s]


def figures(group: Group, joint_names: Sequence[str], now: int) -> GroupFigures:
    """Return the figures at the present time [ns], for the names of the model."""
    period = group.steps.period
    return GroupFigures(group.names(joint_names), 1e9 / period if period else nan,
                        (now - group.newest) * 1e-9 if group.newest else None, group.skew * 1e-9)


def warnings(group: Group, joint_names: Sequence[str], newest: int) -> Iterator[str]:
    """Yield what is not credible or too old at the newest stamp of all joints [ns]."""
    for joint, position in group.beyond_limits:
        yield (f'position of {joint_names[joint]!r}: it is {position:.4g}, far beyond its limits: '
               'is it in degrees?')
    for joint, text in group.velocities.warnings.items() if group.velocities.rejected else ():
        yield f'velocity of {joint_names[group.joints[joint]]!r}: {text}'
    if group.newest and group.is_far(newest):
        yield (f'joint states of {listed(group.names(joint_names))}: their stamps are '
               f'{(newest - group.newest) * 1e-9:.3g} s older than those of other joints, over '
               'stream.max_gap and five of their periods: there are no efforts')
    elif group.skewed >= SKEWED_TO_WARN:
        yield (f'joint states of {listed(group.names(joint_names))}: their stamps are '
               f'{(newest - group.newest) * 1e-6:.3g} ms older than those of other joints, '
               'more than they can be carried (stream.max_skew): efforts are late or '
               'missing; are messages delayed, are the clocks synchronised?')


Parts = list[tuple[Group, 'Indices | None']]
"""Groups in a message, with the entries of their joints, -1 where missing; None for all."""


class Partition:
    """
    The groups of a robot's joints: the largest sets of which each message has all or none.

    A message with a part of a group divides it, and only its joints start again. Where a group was
    received as a whole, its estimator bridges a few messages without some of its joints before.
    """

    def __init__(self, joints: ModelJoints, make_estimator: Callable[[int], EstimatorBase],
                 max_gap: int) -> None:
        self._model, self._make_estimator = joints, make_estimator
        # doubled each time, so that a message with fewer joints now and then does not divide them
        self._messages_to_join = MESSAGES_TO_JOIN
        self._known: dict[bytes, Parts] = {}
        self._layout: NameLayout | None = None
        self._parts: Parts = []
        self.groups: list[Group] = []   # replaced as a whole when it changes
        self._replace([self._new(np.arange(len(joints.names), dtype=np.intp), Steps(max_gap), 0,
                                 several=False)])

    def parts(self, layout: NameLayout) -> Parts:
        """Return the groups that are received in a message."""
        if layout is not self._layout:
            key = layout.joints.tobytes()
            if key in self._known:
                self._parts = self._known[key]
            else:
                self._parts = self._find(layout.joints)
                if any(group.incomplete for group, _ in self._parts):
                    return self._parts
                self._known[key] = self._parts
            self._layout = layout
            for group, _ in self._parts:
                group.incomplete = 0
        return self._parts

    def _find(self, joints: Indices) -> Parts:
        self._layout = None   # the next complete message ends a row of incomplete ones
        groups: list[Group] = []
        for group in self.groups:
            inside = np.isin(group.joints, joints)
            if inside.all() or not inside.any():
                groups.append(group)
                continue
            group.incomplete += 1
            if group.newest and group.estimator.PARTIAL and (
                    group.incomplete < MESSAGES_TO_DIVIDE):
                groups.append(group)
            else:
                groups += [self._new(group.joints[some], group.steps.copy(), group.newest)
                           for some in (inside, ~inside)]
        if len(groups) > len(self.groups):
            self._replace(groups)
        received = [group for group in self.groups if np.isin(group.joints, joints).any()]
        parts: Parts = []
        for group in received:
            entries = np.minimum(np.searchsorted(joints, group.joints), len(joints) - 1)
            entries[joints[entries] != group.joints] = -1
            whole = len(received) == 1 and len(joints) == len(group.joints)
            parts.append((group, None if whole else entries))
        return parts

    def join(self, parts: Parts) -> None:
        """Make one group of those in a message if they have been received together for long."""
        received = [group for group, _ in parts]
        for group in received:
            group.repeated = group.repeated + 1 if group.message is parts else 0
            group.message = parts
        if len(received) > 1 and all(
                group.repeated >= self._messages_to_join for group in received):
            self._messages_to_join *= 2
            joints = np.sort(np.concatenate([group.joints for group in received]))
            self._replace([*(group for group in self.groups if group not in received),
                           self._new(joints, received[0].steps.copy(), received[0].newest)])

    def _new(self, joints: Indices, steps: Steps, newest: int, several: bool = True) -> Group:
        chosen = Joints(joints, self._model.turn_error[joints], self._model.limits[joints])
        return Group(chosen, self._make_estimator(len(joints)), steps, several, newest)

    def _replace(self, groups: Iterable[Group]) -> None:
        self.groups = list(groups)
        # for each joint of the model, its place among the joints of all groups
        self.order = np.argsort(np.concatenate([group.joints for group in self.groups]))
        self._known.clear()
        self._layout = None


class Groups:
    """
    Samples of groups at their own stamps, and the state of all joints at those of one group.

    If others are too late to be carried, or a message of the leading group is lost, the next
    message of another one has the output. If an estimator has a lag, it is the first message by
    which all estimates have reached a stamp of the leading group.

    In `events` are counted ``gap``, ``jump_back`` and ``velocity_rejected``; `max_skew` is as in
    `Stream`, but in [ns]. Samples before the newest message must not be used for some joints if it
    `restarted`; stamps may be older than before if it `jumped_back`.
    """

    def __init__(self, partition: Partition, events: Counter[str], max_skew: int) -> None:
        self._partition, self._events, self._max_skew = partition, events, max_skew
        self._leader = self._at = partition.groups[0]   # `_at`: whose message may have an output
        self._last_output, self._missed = 0, False
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

    @property
    def velocities(self) -> dict[int, JointVelocity]:
        """What is known of the velocities of joints, by their indices."""
        return {joint: velocity for group in self
                for joint, velocity in zip(group.joints.tolist(), group.velocities.joints)}

    def restart(self) -> None:
        """Use no sample before the next ones."""
        for group in self:
            group.restart()

    def add(self, stamp: int, message: Message) -> str:
        """Add a message; return its outcome, empty if its stamp is one for an output."""
        layout, q, qd, effort = message
        self.restarted = self.jumped_back = False
        parts = self._partition.parts(layout)
        outcomes = [group.add(stamp, *(
            values if entries is None else np.where(entries < 0, nan, values[entries])
            for values in (q, qd, effort))) for group, entries in parts]
        received = [group for group, _ in parts]
        for event in {group.event for group in received if group.event}:
            self.restarted = True
            if event == 'jump_back':
                self.jumped_back = True
                self._last_output, self._missed = 0, False
            if event != 'restart':
                self._events[event] += 1
        if any(group.velocities.rejected for group in received):
            self._events['velocity_rejected'] += 1
        if len(self._partition.groups) == 1:
            self._at = received[0]
            return outcomes[0]
        self._partition.join(parts)
        used = [group for group, outcome in zip(received, outcomes) if outcome not in _NOT_USED]
        if not used:
            return outcomes[0]
        for group in used:
            self._lead(group)
        due = [group for group in used if self._is_due(group)]
        if not due or any(group.newest == 0 for group in self):
            return 'incomplete'
        self._at = self._leader if self._leader in due else due[0]
        return self._at.outcome

    def _lead(self, group: Group) -> None:
        """Let a group lead that is faster, or received with less to carry."""
        near = [each for each in self if not each.is_far(group.newest)]
        oldest = min(each.newest for each in near)
        group.spread += SPREAD_GAIN * (group.newest - oldest - group.spread)

        def cost(each: Group) -> float:
            return 2.0 * (each.steps.period or inf) + each.spread

        if self._leader not in near or cost(group) < BETTER_TO_LEAD * cost(self._leader):
            self._leader = group

    def _is_due(self, group: Group) -> bool:
        """Return whether the newest message of a group should have an output."""
        if group is self._leader or not self._last_output:
            return group is self._leader
        periods = AFTER_MISSED if self._missed else AFTER_LOST
        return group.newest - self._last_output > periods * self._leader.steps.period > 0.0

    def state(self) -> Known | str:
        """Return the state of all joints at one instant, or the outcome without one."""
        groups, at = self._partition.groups, self._at
        if len(groups) == 1:
            return groups[0].history.newest or 'warming_up'
        for group in groups:
            if group.outcome:
                return group.outcome
        lag = max(group.lag for group in groups)
        if lag:   # whichever message completes the stamps of the leader
            at = self._leader
        stamp = at.history.newest_until(self.newest - lag + at.steps.period // 2)   # with jitter
        if stamp is None:
            return 'warming_up'
        reached = [group is at or group.reaches(stamp, at.newest, self._max_skew)
                   for group in groups]
        at.skew = 0
        if at.newest == self.newest:
            at.skewed = 0
        self._missed = not all(reached)
        if self._missed:
            return 'skewed'
        self._last_output = stamp
        rows = []
        for group in groups:
            estimate, measured, _ = group.history.at(stamp)
            rows.append((estimate.q, estimate.qd, estimate.qdd, estimate.std, measured))
        q, qd, qdd, std, measured = (np.concatenate(row)[self._partition.order]
                                     for row in zip(*rows))
        return Known(Estimate(stamp, q, qd, qdd, std, PUBLISHED), measured)
