"""
Joints that are received together, and the state of all joints at one instant.

Several publishers may have a part of the joints each. Every sample enters the estimator of its
group at its own stamp, and `Groups` says whose messages have outputs. Nothing is published while
one of the groups has no estimate.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from math import hypot, inf, nan, pi
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.degrees import DegreesGuard
from urdf2dyn_ros.estimation.estimators import CheckedEstimator, Estimator
from urdf2dyn_ros.estimation.hold import ModelJoints
from urdf2dyn_ros.estimation.kalman import Estimate, Verdict
from urdf2dyn_ros.estimation.messages import (
    MAX_LAYOUTS,
    Indices,
    NameLayout,
    Sample,
    Steps,
    unwrap,
)
from urdf2dyn_ros.estimation.outcomes import Count, Event, Outcome
from urdf2dyn_ros.estimation.velocities import FrozenJoints, VelocityGate
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed

MOST_RECENT = 64   # messages of which a relay is recognised: 60 ms at 1 kHz
MOST_KEPT = 1024   # estimates and efforts: more than the longest lag in samples
APART_NS = 10_000_000   # time between estimates that tell a jerk from noise
ERROR_GAIN = 0.05   # by which mean squared errors of predictions follow a new one
LAG_DECAY = 0.01   # by which the lag of an estimator follows one that is shorter
MOST_CARRIED_PERIODS = 2.5   # over which joints are carried: one lost message and jitter
LEAST_CARRIED_NS = 5_000_000   # time over which joints are carried, whatever their rate
SKEWED_TO_WARN = 20   # messages in a row at which joints are too far away, before that is reported
TURN = 2.0 * pi
LOST_TURN = 0.3   # rad from whole turns by which a joint differs after a gap: turns were lost
LEAST_INTERCHANGE = 0.02   # rad or m by which joints jump that take each other's positions
# rad or m by which a position jumps to another motion, beside twice what its own explains, and
# what it moves in so many seconds: samples may be old
LEAST_JUMP, LATE_SAMPLE = 0.1, 0.1
LATE_STAMP = 2e-3   # s, a step of the clock by which a joint seems to shift along its motion
INTERCHANGED = 0.05   # part of their jumps by which joints miss each other's positions
VELOCITIES_JUDGED = 50   # messages after which the scale of velocities is looked at

DISTRUST_SAID_NS = 2_000_000_000   # for which joints without trust are reported

MOST_INCOMPLETE = 2   # messages in a row with a part of a group that are bridged
BETTER_TO_LEAD = 0.8   # ratio of the costs below which another group leads
SPREAD_GAIN = 0.1   # by which the mean spread of a group follows a new one
AFTER_LOST = 1.4   # periods of the leader after an output: its next message is lost
AFTER_MISSED = 0.9   # the same where its message had no output, as others were too late

_OUTCOMES = {
    Verdict.VALID: Outcome.ESTIMATED, Verdict.STARTING: Outcome.WARMING_UP,
    Verdict.LATE: Outcome.OUT_OF_ORDER, Verdict.REPEATED: Outcome.REPEATED,
    Verdict.CONTRADICTORY: Outcome.CONTRADICTORY, Verdict.DISTRUSTED: Outcome.DISTRUSTED,
    Verdict.BEGUN_ANEW: Outcome.WARMING_UP, Verdict.AFTER_GAP: Outcome.WARMING_UP}
_NOT_ADDED = (Outcome.DUPLICATE_STAMP, Outcome.OUT_OF_ORDER)


class MeasuredEstimate(NamedTuple):
    """A valid estimate, and the measured efforts (k,) of its stamp [N m or N] or NaN."""

    estimate: Estimate
    measured: Array


class History:
    """
    Estimates of some joints (k,), from which their state is carried to another stamp.

    Between two estimates the acceleration is linear in time. After the newest it goes on as the
    line or the parabola through the newest ones (by Newton's divided differences), whichever has
    predicted new ones better; how wrong that was adds to the deviation.
    """

    def __init__(self, joints: int, several: bool) -> None:
        self._several = several
        self._past: deque[MeasuredEstimate] = deque(maxlen=MOST_KEPT if several else 1)
        self._points: deque[Estimate] = deque(maxlen=3)   # APART_NS or more from each other
        self._jerk, self._snap, self._errors = np.zeros((3, 2, joints))   # of line and parabola
        self._predicted = 0
        self.newest: MeasuredEstimate | None = None

    def clear(self) -> None:
        """Forget the estimates, but not how well they were predicted."""
        self._past.clear()
        self._points.clear()
        self.newest = None

    def add(self, newer: MeasuredEstimate) -> None:
        new, newest = newer.estimate, self.newest
        if newest is not None and new.stamp <= newest.estimate.stamp:
            return
        self._past.append(newer)
        self.newest = newer
        if not self._several:
            return
        if newest is not None and len(self._points) > 2:
            h = (new.stamp - newest.estimate.stamp) * 1e-9
            wrong = (new.qdd - newest.estimate.qdd) / h - self._jerk - h / 2.0 * self._snap
            self._predicted += 1
            self._errors += (wrong * wrong - self._errors) * max(ERROR_GAIN, 1.0 / self._predicted)
        self._differentiate(new)
        if not self._points or new.stamp - self._points[-1].stamp >= APART_NS:
            self._points.append(new)

    def _differentiate(self, new: Estimate) -> None:
        """Set jerk and snap of the line and the parabola through the newest estimates."""
        points = [point for point in self._points if new.stamp - point.stamp >= APART_NS]
        self._jerk[:] = self._snap[:] = 0.0
        if points:
            h = (new.stamp - points[-1].stamp) * 1e-9
            self._jerk[:] = (new.qdd - points[-1].qdd) / h
        if len(points) > 1:
            before = (points[-1].stamp - points[-2].stamp) * 1e-9
            second = (self._jerk[0] - (points[-1].qdd - points[-2].qdd) / before) / (h + before)
            self._jerk[1] += h * second
            self._snap[1] = 2.0 * second

    def newest_until(self, stamp: int) -> int | None:
        """Return the stamp of the newest estimate that is no newer than a stamp [ns]."""
        return next((past.estimate.stamp for past in reversed(self._past)
                     if past.estimate.stamp <= stamp), None)

    def reaches(self, stamp: int, most: int) -> bool:
        """Return whether a stamp [ns] is between estimates, or this long before or after them."""
        first, last = self._past[0].estimate.stamp, self._past[-1].estimate.stamp
        if len(self._points) < 2:   # there is no jerk yet
            return first - most <= stamp <= last
        return first - most <= stamp <= last + most

    def at(self, stamp: int) -> MeasuredEstimate:
        """Return the state at a stamp [ns], which must not be older than that of the last call."""
        past = self._past
        while len(past) > 1 and past[1].estimate.stamp <= stamp:
            past.popleft()
        base, measured = past[0]
        h = (stamp - base.stamp) * 1e-9
        if h == 0.0:
            return past[0]
        if len(past) > 1:
            other = past[1].estimate
            jerk, snap = (other.qdd - base.qdd) / ((other.stamp - base.stamp) * 1e-9), 0.0
            variance = base.std * base.std
        else:
            parabola = self._errors[1] < self._errors[0]
            jerk, snap = (np.where(parabola, second, first)
                          for first, second in (self._jerk, self._snap))
            variance = base.std * base.std + h * h * self._errors.min(axis=0)
        q, qd, qdd = base.q, base.qd, base.qdd
        change = h * (qdd + h / 2.0 * (jerk + h / 3.0 * snap))
        return MeasuredEstimate(Estimate(
            stamp, q + h * (qd + h / 2.0 * (qdd + h / 3.0 * (jerk + h / 4.0 * snap))), qd + change,
            qdd + h * (jerk + h / 2.0 * snap), np.sqrt(variance), Verdict.VALID,
            (qd if base.prompt_qd is None else base.prompt_qd) + change), measured)


class GroupFigures(NamedTuple):
    """Figures of joints that are received together."""

    joints: tuple[str, ...]   # their names
    # messages per second by their stamps, without losses [Hz]; NaN while it is unknown
    rate: float
    age: float | None   # age of the newest stamp [s]; None before the first message
    skew: float   # by how much their newest stamp is older than that of the newest efforts [s]


class PositionShift(NamedTuple):
    """A position that jumped, and goes on from there."""

    joint: str
    size: float   # [rad or m]
    stamp: int   # of the message in which it was found [ns]
    other: str = ''   # the joint whose position it has taken

    def __str__(self) -> str:
        turns = round(self.size / TURN)
        lost = turns and abs(self.size - TURN * turns) < LOST_TURN
        return (f'jump of position of {self.joint!r}: by {self.size:.3g} rad or m at '
                f'{self.stamp * 1e-9:.3f} s, and it stays there: '
                + (f'that was the position of {self.other!r}: have names been interchanged?'
                   if self.other else f'were {abs(turns)} turns lost?' if lost else
                   'were counts lost, or was its sensor set to another zero?')
                + ' The efforts are those of the new position')


class Reception(NamedTuple):
    """What became of a sample in its group."""

    outcome: Outcome   # ESTIMATED if there is an estimate of it
    event: Event | None = None
    outlier: bool = False   # whether a position contradicts the motion, and was not used


class GroupsReception(NamedTuple):
    """What became of a sample in all groups that it belongs to."""

    outcome: Outcome   # ESTIMATED if an output may follow
    # samples before it must not be used for some joints after any but RELAYED
    events: set[Event]
    due: Group | None = None   # the group that an output may follow of


class Group:
    """The samples of joints that are received together, with their indices (k,) in the model."""

    def __init__(self, joints: Indices, model: ModelJoints, estimator: Estimator, steps: Steps,
                 several: bool, newest: int, shifts: dict[str, PositionShift]) -> None:
        count, chosen = len(joints), model.chosen(joints)
        self.joints, self.names = joints, chosen.names
        self._endless, self._turning = chosen.turn_error >= pi, np.flatnonzero(chosen.turn_error)
        self._sliding = np.flatnonzero(chosen.turn_error == 0.0)
        self._turn_error = chosen.turn_error[self._turning]
        self.estimator, self.steps = CheckedEstimator(estimator, count), steps
        self.history = History(count, several)
        self.velocities = VelocityGate(count)
        self.frozen = FrozenJoints(count)
        self._shifts = shifts   # the newest of each joint, by its name
        self.degrees = DegreesGuard(chosen)
        self.newest = newest   # stamp [ns]; 0 before the first sample
        self.outcome = Outcome.WARMING_UP   # of the newest sample
        self.lag = 0           # by which the newest estimate was older than its sample [ns]
        self.skew = 0          # by which it is older than the group of the last output [ns]
        self.skewed = 0        # messages of others in a row at which it was too old to be carried
        self.spread = 0.0      # mean age of the oldest other group at its messages [ns]
        self.incomplete = 0    # messages in a row with a part of the joints
        self._messages = 0
        self._distrusted = -DISTRUST_SAID_NS, self.joints[:0]   # stamp, and which joints
        self._efforts: deque[tuple[int, Array]] = deque(maxlen=MOST_KEPT)
        self._no_effort = np.full(count, nan)
        self._q = self._before = np.full(count, nan)   # positions of the last two messages
        self._sampled = False
        # positions of the last messages by their stamps
        self._recent: OrderedDict[int, bytes] = OrderedDict()

    def add(self, stamp: int, q: Array, qd: Array, effort: Array) -> Reception:
        """
        Add a sample, which is kept.

        Stamp [ns], q, qd and effort (k,) as in `Sample`; q is NaN where it is not published.
        """
        content = q.tobytes()
        if self._recent.get(stamp) == content:   # no clock was set back
            return Reception(Outcome.DUPLICATE_STAMP if stamp == self.newest
                             else Outcome.OUT_OF_ORDER, Event.RELAYED)
        refused, event = self.steps.add(self.newest, stamp)
        if refused:
            return Reception(refused)
        self._recent[stamp] = content
        if len(self._recent) > MOST_RECENT:
            self._recent.popitem(last=False)
        self.newest = stamp
        if event is Event.GAP:
            self._find_lost_turns(stamp, q)
        if event:   # a joint with limits may have gone the long way, or it is another robot
            self._q = np.where(self._endless & (event is Event.GAP), self._q, nan)
        elif not self._sampled:
            event = Event.RESTART
        if event:
            self.reset(event is Event.GAP)
        self._sampled = True
        self.degrees.add_positions(q)
        before, self._before, self._q = self._before, self._q, q
        self._efforts.append((stamp, effort))
        if self._turning.size and not hypot(*(q - self._before).tolist()) <= pi:   # also NaN
            unwrap(q, self._turning, self._turn_error, self._before, before)
        if self.frozen.add(stamp, q, qd, self.velocities):
            if self.outcome is not Outcome.FROZEN:   # what follows is another motion
                self.reset(gap=True)
                event = event or Event.RESTART
            self.outcome = Outcome.FROZEN
            return Reception(self.outcome, event, True)
        self.outcome, outlier = self._estimate(stamp, q, qd)
        if self.outcome is Outcome.DISTRUSTED:
            self._distrusted = stamp, np.flatnonzero(self.estimator.judge.distrusted)
        return Reception(self.outcome, event, outlier)

    def _find_lost_turns(self, stamp: int, q: Array) -> None:
        """Note joints with limits that differ by whole turns from where they were before a gap."""
        step = q - self._q
        turns = np.rint(step / TURN)
        lost = (turns != 0.0) & (np.abs(step - TURN * turns) < LOST_TURN) & ~self._endless
        lost[self._sliding] = False
        self._add_shifts(stamp, q, self._q, np.where(lost, step, 0.0))

    def _note_shifts(self, stamp: int, q: Array, new: Estimate) -> None:
        """Note joints that shifted by a size (k,), not 0, or that jumped to another motion."""
        sizes, past = np.zeros(len(q)) if new.shifts is None else new.shifts, self.history.newest
        sizes = np.where(np.abs(sizes) < LATE_STAMP * np.abs(new.qd), 0.0, sizes)
        expected = q - sizes
        if past is not None:
            _, position, velocity, acceleration, *_ = past.estimate
            h = (stamp - past.estimate.stamp) * 1e-9
            moved = h * velocity, h * h / 2.0 * acceleration
            expected = position + sum(moved)
            most = LEAST_JUMP + LATE_SAMPLE * np.abs(velocity) + 2.0 * np.abs(moved).sum(axis=0)
            jumped = (np.abs(q - expected) > most) & ~self.frozen.stopped_until(stamp)
            sizes = np.where(jumped & (sizes == 0.0), q - expected, sizes)
        self._add_shifts(stamp, q, expected, sizes)

    def _add_shifts(self, stamp: int, q: Array, expected: Array, sizes: Array) -> None:
        """Note joints that shifted by a size (k,), not 0, or to where others are expected."""
        steps = q - expected
        jumped = np.flatnonzero(np.abs(steps) > LEAST_INTERCHANGE)
        others = {}
        if len(jumped) > 1:
            away = np.abs(q[jumped, None] - expected[jumped])
            to = jumped[away.argmin(axis=1)]
            if len(set(to.tolist())) == len(to) and (
                    away.min(axis=1) < INTERCHANGED * np.abs(steps[jumped])).all():
                others = dict(zip(jumped.tolist(), to.tolist()))
        for joint in sorted({*np.flatnonzero(sizes).tolist(), *others}):
            name = self.names[joint]
            self._shifts[name] = PositionShift(
                name, float(sizes[joint] or steps[joint]), stamp,
                self.names[others[joint]] if joint in others else '')

    def _estimate(self, stamp: int, q: Array, qd: Array) -> tuple[Outcome, bool]:
        """Estimate the motion at a sample, and keep it; return the outcome, and if an outlier."""
        checked = self.estimator
        estimate, outlier, anew, judged = checked.update(
            stamp, q, self.velocities.credible(qd, offsets=checked.judges_itself))
        if estimate.shifts is not None or anew:
            self._note_shifts(stamp, q, estimate)
        if anew:
            self.degrees.reset()
        verdict = estimate.verdict
        if verdict in (Verdict.BEGUN_ANEW, Verdict.DISTRUSTED):
            self.history.clear()   # nothing is between states before and after
        if verdict is not Verdict.VALID:
            return _OUTCOMES[verdict], outlier
        self.degrees.add_velocities(estimate.qd)
        lag = stamp - estimate.stamp
        self.lag = max(lag, self.lag - round(LAG_DECAY * (self.lag - lag)))
        if judged and self.velocities.is_due(stamp):
            self.velocities.add(stamp, qd, checked.inner.velocity_use,
                                checked.judge.delayed_velocity)
        self._messages += 1
        if self.velocities.rejected and self._messages % VELOCITIES_JUDGED == 0:
            scales = self.velocities.positions_in_degrees
            self.degrees.add_scales(scales, list(scales.values()))
        self.history.add(MeasuredEstimate(estimate, self._measured_at(estimate.stamp)))
        return Outcome.ESTIMATED, outlier

    def reset(self, gap: bool = False) -> None:
        """Use no sample before the next one; after a gap, what was learned stays."""
        self.estimator.reset(gap)
        self.history.clear()
        self._efforts.clear()
        self.velocities.restart()
        self.degrees.reset()
        self.lag = 0
        self.outcome = Outcome.WARMING_UP

    def is_far(self, stamp: int) -> bool:
        """Return whether a stamp [ns] is a gap or a clock jump from the newest sample."""
        return self.newest == 0 or self.steps.is_jump(stamp - self.newest)

    def longest_carry(self, max_skew: int) -> int:
        """Return the time over which the joints are carried [ns]."""
        return max_skew or max(round(MOST_CARRIED_PERIODS * self.steps.period), LEAST_CARRIED_NS)

    def warnings(self, newest: int) -> Iterator[str]:
        """Yield what is not credible or too old at the newest stamp of all joints [ns]."""
        rejected = self.velocities.warnings if self.velocities.rejected else {}
        yield from (*self.frozen.sentences(self.names), *self.frozen.stops(self.names))
        yield from dict.fromkeys((*self.degrees.sentences, *(
            f'velocity of {self.names[k]!r}: {text}' for k, text in rejected.items())))
        since, joints = self._distrusted
        if 0 <= self.newest - since < DISTRUST_SAID_NS:
            yield (f'positions of {listed([self.names[k] for k in joints])}: they alternate or '
                   'contradict their motion: several publishers of the same joints, noise '
                   'above 3 mrad, a sensor that fails, or a controller that oscillates at half '
                   'the rate of the messages: some messages have no efforts')
        late = (newest - self.newest) * 1e-9
        if self.newest and self.is_far(newest):
            yield (f'joint states of {listed(self.names)}: their stamps are {late:.3g} s older '
                   'than those of other joints, over stream.max_gap and five of their periods: '
                   'there are no efforts')
        elif self.skewed >= SKEWED_TO_WARN:
            yield (f'joint states of {listed(self.names)}: their stamps are {1e3 * late:.3g} ms '
                   'older than those of other joints, more than they can be carried '
                   '(stream.max_skew): efforts are late or missing; are messages delayed, are the '
                   'clocks synchronised?')

    def _measured_at(self, stamp: int) -> Array:
        efforts = self._efforts
        while efforts and efforts[0][0] < stamp:
            efforts.popleft()
        return efforts[0][1] if efforts and efforts[0][0] == stamp else self._no_effort


class Part(NamedTuple):
    """A group in a message."""

    group: Group
    entries: Indices | None   # of its joints, -1 where missing; None if they are those of it all
    whole: bool   # whether none is missing


class Groups:
    """
    The groups of a robot's joints, and the state of all joints at the stamps of one group.

    They are the largest sets of which each message has all or none. A message with a part of a
    group divides it, and its joints start again; but where the estimator takes a part, one or two
    such messages are bridged.

    The messages of the leading group have outputs: the others are carried to its stamp. It is the
    one with the shortest period and the least to carry; another one takes over where its cost,
    two periods and the mean age of the oldest other group, is below 0.8 of that of the leader, or
    where the leader is not received any more. If groups are too late to be carried, or a message
    of the leader is lost, the next message of another group is `due`: 1.4 periods of the leader
    after the last output, 0.9 after one that was missed because others were late. If an estimator
    has a lag, the output is at the first message by which all estimates have reached a stamp of
    the leader.

    `max_gap` and `max_skew` are as in `Stream`, but in [ns]. Positions that another zero has
    shifted are added to `shifts`, by joint.
    """

    def __init__(self, joints: ModelJoints, make_estimator: Callable[[int], Estimator],
                 events: Counter[str], max_gap: int, max_skew: int,
                 shifts: dict[str, PositionShift] | None = None) -> None:
        self._model, self._make_estimator = joints, make_estimator
        self.events, self._max_gap, self._max_skew = events, max_gap, max_skew
        self._shifts = {} if shifts is None else shifts
        self.all: list[Group] = []   # replaced as a whole when it changes
        count = len(joints.names)
        self._replace([Group(np.arange(count, dtype=np.intp), joints, make_estimator(count),
                             Steps(max_gap), several=False, newest=0, shifts=self._shifts)])
        self._leader = self.all[0]
        self._last_output, self._missed = 0, False

    def _replace(self, groups: list[Group]) -> None:
        self.all = groups
        # for each joint of the model, its place among the joints of all groups
        self._order = np.argsort(np.concatenate([group.joints for group in groups]))
        self._parts: dict[NameLayout, list[Part]] = {}

    def _parts_of(self, layout: NameLayout) -> list[Part]:
        """Return the groups of which a message has joints."""
        parts = self._parts.get(layout)
        if parts is None:
            if len(self._parts) >= MAX_LAYOUTS:
                self._parts.clear()
            parts = self._parts[layout] = []
            for group in self.all:
                entries = np.minimum(np.searchsorted(layout.joints, group.joints),
                                     len(layout.joints) - 1)
                entries[layout.joints[entries] != group.joints] = -1
                there = entries >= 0
                if there.any():
                    same = np.array_equal(layout.joints, group.joints)
                    parts.append(Part(group, None if same else entries, bool(there.all())))
        return parts

    def _divide(self, parts: list[Part]) -> None:
        """Divide the groups of which a message has a part, unless that is bridged."""
        groups: list[Group] = []
        entries = {part.group: part.entries for part in parts if not part.whole}
        for group in self.all:
            some = entries.get(group)
            if some is None or (group.newest and group.estimator.inner.PARTIAL
                                and group.incomplete <= MOST_INCOMPLETE):
                groups.append(group)
            else:
                groups += [Group(group.joints[part], self._model,
                                 self._make_estimator(int(part.sum())), group.steps.copy(),
                                 several=True, newest=group.newest, shifts=self._shifts)
                           for part in (some >= 0, some < 0)]
        if len(groups) > len(self.all):
            self._replace(groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self.all)

    def proceed(self, before: Groups) -> None:
        """Go on with the samples of other groups of the same joints and kind of estimator."""
        self.all, self._order, self._parts = before.all, before._order, before._parts
        self._leader, self._shifts, self.events = before._leader, before._shifts, before.events
        self._last_output, self._missed = before._last_output, before._missed
        for group in self:
            group.steps.max_gap = self._max_gap

    @property
    def ready(self) -> bool:
        """Whether all joints have estimates."""
        return all(group.history.newest for group in self)

    @property
    def newest(self) -> int:
        """Newest stamp [ns]; 0 before the first message."""
        return max(group.newest for group in self)

    @property
    def absent(self) -> list[Group]:
        """The groups that were not received yet, or not recently."""
        newest = self.newest
        return [group for group in self if group.is_far(newest)]

    def reset(self) -> None:
        for group in self:
            group.reset()

    def add(self, stamp: int, sample: Sample) -> GroupsReception:
        """Add a sample."""
        layout, q, qd, effort = sample
        parts = self._parts_of(layout)
        for group, _, whole in parts:
            group.incomplete = 0 if whole else group.incomplete + 1
        if not all(part.whole for part in parts):
            self._divide(parts)
            parts = self._parts_of(layout)
        events: set[Event] = set()
        added, first, outlier, rejected = [], None, False, False
        for group, entries, _ in parts:
            reception = group.add(stamp, q, qd, effort) if entries is None else group.add(
                stamp, *(np.where(entries < 0, nan, values[entries])
                         for values in (q, qd, effort)))
            first = first or reception.outcome
            if reception.event:
                events.add(reception.event)
            if reception.outcome not in _NOT_ADDED:
                added.append(group)
            outlier |= reception.outlier
            rejected |= group.velocities.rejected
        assert first is not None
        if events:
            if Event.JUMP_BACK in events:
                self._last_output, self._missed = 0, False
            self.events.update(events - {Event.RESTART})
        if outlier:
            self.events[Count.POSITION_REJECTED] += 1
        if rejected:
            self.events[Count.VELOCITY_REJECTED] += 1
        if len(self.all) == 1 or not added:
            return GroupsReception(first, events, self.all[0])
        for group in added:
            self._lead(group)
        due = [group for group in added if self._is_due(group)]
        if not due or self.absent:
            return GroupsReception(Outcome.INCOMPLETE, events)
        chosen = self._leader if self._leader in due else due[0]
        return GroupsReception(chosen.outcome, events, chosen)

    def _lead(self, group: Group) -> None:
        """Let a group lead that is faster, or received with less to carry."""
        near = [other for other in self if not other.is_far(group.newest)]
        oldest = min(other.newest for other in near)
        group.spread += SPREAD_GAIN * (group.newest - oldest - group.spread)

        def cost(other: Group) -> float:
            return 2.0 * (other.steps.period or inf) + other.spread

        if self._leader not in near or cost(group) < BETTER_TO_LEAD * cost(self._leader):
            self._leader = group

    def _is_due(self, group: Group) -> bool:
        """Return whether the newest message of a group should have an output."""
        if group is self._leader or not self._last_output:
            return group is self._leader
        periods = AFTER_MISSED if self._missed else AFTER_LOST
        return group.newest - self._last_output > periods * self._leader.steps.period > 0.0

    def carry(self, due: Group) -> MeasuredEstimate | Outcome:
        """Carry all joints to the stamp of a due output, the last one then; or return why not."""
        groups = self.all
        if len(groups) == 1:
            return groups[0].history.newest or Outcome.WARMING_UP
        for group in groups:
            if group.outcome is not Outcome.ESTIMATED:
                return group.outcome
        lag = max(group.lag for group in groups)
        if lag:   # whichever message completes the stamps of the leader
            due = self._leader
        stamp = due.history.newest_until(self.newest - lag + due.steps.period // 2)   # with jitter
        if stamp is None:
            return Outcome.WARMING_UP
        self._count_skewed(due)
        self._missed = not all(group is due or group.history.reaches(
            stamp, group.longest_carry(self._max_skew)) for group in groups)
        if self._missed:
            return Outcome.SKEWED
        self._last_output = stamp
        rows = []
        for group in groups:
            estimate, measured = group.history.at(stamp)
            rows.append((estimate.q, estimate.qd, estimate.qdd, estimate.std, measured,
                         estimate.qd if estimate.prompt_qd is None else estimate.prompt_qd))
        q, qd, qdd, std, measured, prompt_qd = (np.concatenate(row)[self._order]
                                                for row in zip(*rows))
        return MeasuredEstimate(Estimate(stamp, q, qd, qdd, std, Verdict.VALID, prompt_qd),
                                measured)

    def _count_skewed(self, due: Group) -> None:
        """Count for each group the messages of others at which it was too old to be carried."""
        for group in self:
            group.skew = due.newest - group.newest
            if group is not due:
                late = group.skew > group.longest_carry(self._max_skew)
                group.skewed = group.skewed + 1 if late else 0
            elif due.newest == self.newest:
                group.skewed = 0
