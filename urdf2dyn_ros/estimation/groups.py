"""
Joints that are received together, and the state of all joints at one instant.

Several publishers may have a part of the joints each. Every sample enters the estimator of its
group at its own stamp. The messages of the leading group have outputs: the others are carried to
its stamp. Nothing is published while one of the groups is in doubt.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from math import inf, nan, pi
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.estimator import PUBLISHED, REASONS, Estimate
from urdf2dyn_ros.estimation.estimators import EstimatorBase, make_estimator
from urdf2dyn_ros.estimation.hold import FAR_TOO_FAST, ModelJoints
from urdf2dyn_ros.estimation.messages import (
    MAX_LAYOUTS,
    Indices,
    Message,
    NameLayout,
    Steps,
    is_any,
    unwrap,
)
from urdf2dyn_ros.estimation.velocities import VelocityReport
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
LIMIT_MARGIN = 2.0 * pi   # rad beyond a limit: hardly an angle in radians
VELOCITIES_JUDGED = 50   # messages after which the scale of velocities is looked at

MOST_INCOMPLETE = 2   # messages in a row with a part of a group that are bridged
BETTER_TO_LEAD = 0.8   # ratio of the costs below which another group leads
SPREAD_GAIN = 0.1   # by which the mean spread of a group follows a new one
AFTER_LOST = 1.4   # periods of the leader after an output: its next message is lost
AFTER_MISSED = 0.9   # the same where its message had no output, as others were too late

_INCONSISTENT = ('repeated', 'contradictory', 'distrusted')
_OUTCOMES = {'starting': 'warming_up', 'late': 'out_of_order', 'begun_anew': 'warming_up',
             'gap': 'warming_up'}
_NOT_USED = ('duplicate_stamp', 'out_of_order')


class Known(NamedTuple):
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
        self._past: deque[Known] = deque(maxlen=MOST_KEPT if several else 1)
        self._points: deque[Estimate] = deque(maxlen=3)   # APART_NS or more from each other
        self._jerk, self._snap, self._errors = np.zeros((3, 2, joints))   # of line and parabola
        self._predicted = 0
        self.newest: Known | None = None

    def clear(self) -> None:
        """Forget the estimates, but not how well they were predicted."""
        self._past.clear()
        self._points.clear()
        self.newest = None

    def add(self, known: Known) -> None:
        new, newest = known.estimate, self.newest
        if newest is not None and new.stamp <= newest.estimate.stamp:
            return
        self._past.append(known)
        self.newest = known
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
        points = [each for each in self._points if new.stamp - each.stamp >= APART_NS]
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
        return next((known.estimate.stamp for known in reversed(self._past)
                     if known.estimate.stamp <= stamp), None)

    def reaches(self, stamp: int, most: int) -> bool:
        """Return whether a stamp [ns] is between estimates, or this long before or after them."""
        first, last = self._past[0].estimate.stamp, self._past[-1].estimate.stamp
        known = len(self._points) > 1   # else there is no jerk yet
        return first - most <= stamp <= last + most * known

    def at(self, stamp: int) -> Known:
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
            jerk, snap = (np.where(parabola, each[1], each[0])
                          for each in (self._jerk, self._snap))
            variance = base.std * base.std + h * h * self._errors.min(axis=0)
        q, qd, qdd = base.q, base.qd, base.qdd
        change = h * (qdd + h / 2.0 * (jerk + h / 3.0 * snap))
        return Known(Estimate(
            stamp, q + h * (qd + h / 2.0 * (qdd + h / 3.0 * (jerk + h / 4.0 * snap))), qd + change,
            qdd + h * (jerk + h / 2.0 * snap), np.sqrt(variance), PUBLISHED,
            (qd if base.prompt_qd is None else base.prompt_qd) + change), measured)


class GroupFigures(NamedTuple):
    """Figures of joints that are received together."""

    joints: tuple[str, ...]   # their names
    # messages per second by their stamps, without losses [Hz]; NaN while it is unknown
    rate: float
    age: float | None   # age of the newest stamp [s]; None before the first message
    skew: float   # by how much their newest stamp is older than that of the newest efforts [s]


class Group:
    """The samples of joints that are received together, with their indices (k,) in the model."""

    def __init__(self, joints: Indices, model: ModelJoints, estimator: EstimatorBase, steps: Steps,
                 several: bool, newest: int) -> None:
        count = len(joints)
        self.joints = joints
        self.names, turn_error, self._limits, self._fastest = model.chosen(joints)
        self._plausible = (self._limits + np.array((-LIMIT_MARGIN, LIMIT_MARGIN))).T
        self._endless, self._turning = turn_error >= pi, np.flatnonzero(turn_error)
        self._turn_error = turn_error[self._turning]
        self.estimator, self.steps = estimator, steps
        self._check = make_estimator('kalman', count) if estimator.CHECKED else None
        self.history = History(count, several)
        self.velocities = VelocityReport(count)
        self.newest = newest   # stamp [ns]; 0 before the first sample
        self.event = ''        # gap, jump_back, restart or relayed if the newest sample was one
        self.rejected = False  # whether a position of it contradicts the motion, and was not used
        self.outcome = 'warming_up'   # of the newest sample, '' if there is an estimate
        self.lag = 0           # by which the newest estimate was older than its sample [ns]
        self.skew = 0          # by which it is older than the group of the last output [ns]
        self.skewed = 0        # messages of others in a row at which it was too old to be carried
        self.spread = 0.0      # mean age of the oldest other group at its messages [ns]
        self.incomplete = 0    # messages in a row with a part of the joints
        # what looks like degrees: since the joints began, in the newest message, in that before
        self.far: dict[int, str] = {}
        self._beyond: dict[int, str] = {}
        self._beyond_before: dict[int, str] = {}
        self._messages = 0
        self._efforts: deque[tuple[int, Array]] = deque(maxlen=MOST_KEPT)
        self._no_effort = np.full(count, nan)
        self._q = self._before = np.full(count, nan)   # positions of the last two messages
        self._sampled = False
        # positions of the last messages by their stamps
        self._recent: OrderedDict[int, bytes] = OrderedDict()

    def add(self, stamp: int, q: Array, qd: Array, effort: Array) -> str:
        """
        Add a sample, which is kept; return the outcome, empty if there is an estimate of it.

        Stamp [ns], q, qd and effort (k,) as in `Message`; q is NaN where it is not published.
        """
        self.event, self.rejected = '', False
        content = q.tobytes()
        if self._recent.get(stamp) == content:   # no clock was set back
            self.event = 'relayed'
            return 'duplicate_stamp' if stamp == self.newest else 'out_of_order'
        step = self.steps.add(self.newest, stamp)
        if step in _NOT_USED:
            return step
        self._recent[stamp] = content
        if len(self._recent) > MOST_RECENT:
            self._recent.popitem(last=False)
        self.newest, self.event = stamp, step
        if step or not self._sampled:
            self.restart(step == 'gap')
            self.event = step or 'restart'
        self._sampled = True
        if step:   # a joint with limits may have gone the long way, or it is another robot
            self._q = np.where(self._endless & (step == 'gap'), self._q, nan)
        self._beyond, self._beyond_before = self._far_positions(q), self._beyond
        if self._turning.size:
            unwrap(q, self._turning, self._turn_error, self._q, self._before)
        self._before, self._q = self._q, q
        self._efforts.append((stamp, effort))
        self.outcome = self._estimate(stamp, q, qd)
        return self.outcome

    def _estimate(self, stamp: int, q: Array, qd: Array) -> str:
        """Estimate the motion at a sample, and keep it; return why there is none, or ''."""
        doubt = ''
        if self._check is not None:
            doubt = REASONS[self._check.update(stamp, q, qd).outcome] or (
                'contradictory' if self._check.contradicts else '')
            self.rejected = self._check.contradicts
            if doubt in _INCONSISTENT:   # an outlier is left out; what is more is another motion
                if self.outcome in _INCONSISTENT:
                    self.estimator.reset()
                    self.far = {}
                return doubt
        estimate = self.estimator.update(stamp, q, qd)
        self.rejected |= self.estimator.contradicts
        reason = REASONS[estimate.outcome] or (doubt if doubt == 'begun_anew' else '')
        if reason == 'begun_anew':
            self.far = {}
        if reason in ('begun_anew', 'distrusted'):   # nothing is between states before and after
            self.history.clear()
        if reason:
            return _OUTCOMES.get(reason, reason)
        if is_any(fast := np.abs(estimate.qd) > self._fastest):
            self._beyond |= {
                k: f'position of {self.names[k]!r}: it changes by {estimate.qd[k]:.3g} rad/s, '
                   f'{FAR_TOO_FAST:g} times its limit or more: is it in degrees?'
                for k in np.flatnonzero(fast).tolist()}
        if self._beyond:   # and not in this message alone, which may be an outlier
            self.far |= {k: text for k, text in self._beyond.items() if k in self._beyond_before}
        lag = stamp - estimate.stamp
        self.lag = lag if lag >= self.lag else self.lag - round(LAG_DECAY * (self.lag - lag))
        self.velocities.add(stamp, qd, estimate, self.estimator)
        self._messages += 1
        if self.velocities.rejected and self._messages % VELOCITIES_JUDGED == 0:
            self.far |= {k: f'velocity of {self.names[k]!r}: {text}'
                         for k, text in self.velocities.positions_in_degrees.items()}
        self.history.add(Known(estimate, self._measured_at(estimate.stamp)))
        return ''

    def restart(self, gap: bool = False) -> None:
        """Use no sample before the next one; after a gap, what was learned stays."""
        for each in (self.estimator, self._check):
            if each is not None:
                each.pause() if gap else each.reset()
        self.history.clear()
        self._efforts.clear()
        self.far = {}
        self.lag = 0
        self.outcome = 'warming_up'

    def is_far(self, stamp: int) -> bool:
        """Return whether a stamp [ns] is a gap or a clock jump from the newest sample."""
        return self.newest == 0 or self.steps.is_jump(stamp - self.newest)

    def reaches(self, stamp: int, newest: int, max_skew: int) -> bool:
        """Return whether the state can be carried to a stamp of a group with a `newest` one."""
        most = max_skew or max(round(MOST_CARRIED_PERIODS * self.steps.period), LEAST_CARRIED_NS)
        self.skew = newest - self.newest
        self.skewed = self.skewed + 1 if self.skew > most else 0
        return self.history.reaches(stamp, most)

    def _far_positions(self, q: Array) -> dict[int, str]:
        """Return the positions that are far beyond the limits of their joints, by joint."""
        beyond = (q < self._plausible[0]) | (q > self._plausible[1])
        return {k: f'position of {self.names[k]!r}: it is {q[k]:.4g} rad, more than 2 pi beyond '
                   'its limits {:.4g} to {:.4g} rad: is it in degrees?'.format(*self._limits[k])
                for k in np.flatnonzero(beyond).tolist()} if is_any(beyond) else {}

    def implausible(self) -> Iterable[str]:
        """Return what looks like degrees: an arm in degrees also passes zero."""
        return (self.far or self._beyond).values()

    def warnings(self, newest: int) -> Iterator[str]:
        """Yield what is not credible or too old at the newest stamp of all joints [ns]."""
        rejected = self.velocities.warnings if self.velocities.rejected else {}
        yield from dict.fromkeys((*self.implausible(), *(
            f'velocity of {self.names[k]!r}: {text}' for k, text in rejected.items())))
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


# groups in a message, with the entries of their joints, -1 where missing; None for all
Parts = list[tuple[Group, 'Indices | None']]


class Groups:
    """
    The groups of a robot's joints, and the state of all joints at the stamps of one group.

    They are the largest sets of which each message has all or none. A message with a part of a
    group divides it, and its joints start again; but where the estimator takes a part, one or two
    such messages are bridged.

    If groups are too late to be carried, or a message of the leading group is lost, the next
    message of another one has the output. If an estimator has a lag, it is the first message by
    which all estimates have reached a stamp of the leading group.

    `max_gap` and `max_skew` are as in `Stream`, but in [ns]. Samples before the newest message
    must not be used for some joints if it `restarted`; stamps may be older if it `jumped_back`.
    """

    def __init__(self, joints: ModelJoints, make_estimator: Callable[[int], EstimatorBase],
                 events: Counter[str], max_gap: int, max_skew: int) -> None:
        self._model, self._make_estimator = joints, make_estimator
        self._events, self._max_skew = events, max_skew
        self.all: list[Group] = []   # replaced as a whole when it changes
        count = len(joints.names)
        self._replace([Group(np.arange(count, dtype=np.intp), joints, make_estimator(count),
                             Steps(max_gap), several=False, newest=0)])
        self._leader = self._at = self.all[0]   # `_at`: whose message may have an output
        self._last_output, self._missed = 0, False
        self.restarted = self.jumped_back = False

    def _replace(self, groups: list[Group]) -> None:
        self.all = groups
        # for each joint of the model, its place among the joints of all groups
        self._order = np.argsort(np.concatenate([group.joints for group in groups]))
        self._parts: dict[NameLayout, Parts] = {}

    def _received(self, layout: NameLayout) -> Parts:
        parts = self._parts.get(layout)
        if parts is None:
            self._divide(layout.joints)
            parts = []
            for group in self.all:
                entries = np.minimum(np.searchsorted(layout.joints, group.joints),
                                     len(layout.joints) - 1)
                entries[layout.joints[entries] != group.joints] = -1
                if (entries >= 0).any():
                    whole = np.array_equal(layout.joints, group.joints)
                    parts.append((group, None if whole else entries))
            if any(group.incomplete for group, _ in parts):
                return parts
            if len(self._parts) >= MAX_LAYOUTS:
                self._parts.clear()
            self._parts[layout] = parts
        for group, _ in parts:
            group.incomplete = 0
        return parts

    def _divide(self, joints: Indices) -> None:
        """Divide the groups of which a message has a part, unless that is bridged."""
        groups: list[Group] = []
        for group in self.all:
            inside = np.isin(group.joints, joints)
            if inside.all() or not inside.any():
                groups.append(group)
                continue
            group.incomplete += 1
            if group.newest and group.estimator.PARTIAL and group.incomplete <= MOST_INCOMPLETE:
                groups.append(group)
            else:
                groups += [Group(group.joints[some], self._model,
                                 self._make_estimator(int(some.sum())), group.steps.copy(),
                                 several=True, newest=group.newest) for some in (inside, ~inside)]
        if len(groups) > len(self.all):
            self._replace(groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self.all)

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
        for group in self:
            group.restart()

    def add(self, stamp: int, message: Message) -> str:
        """Add a message; return its outcome, empty if its stamp is one for an output."""
        layout, q, qd, effort = message
        self.restarted = self.jumped_back = False
        parts = self._received(layout)
        outcomes = [group.add(stamp, *(
            values if entries is None else np.where(entries < 0, nan, values[entries])
            for values in (q, qd, effort))) for group, entries in parts]
        received = [group for group, _ in parts]
        for event in {group.event for group in received if group.event}:
            self.restarted |= event != 'relayed'
            if event == 'jump_back':
                self.jumped_back = True
                self._last_output, self._missed = 0, False
            if event != 'restart':
                self._events[event] += 1
        if any(group.rejected for group in received):
            self._events['position_rejected'] += 1
        if any(group.velocities.rejected for group in received):
            self._events['velocity_rejected'] += 1
        if len(self.all) == 1:
            self._at = received[0]
            return outcomes[0]
        used = [group for group, outcome in zip(received, outcomes) if outcome not in _NOT_USED]
        if not used:
            return outcomes[0]
        for group in used:
            self._lead(group)
        due = [group for group in used if self._is_due(group)]
        if not due or self.absent:
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
        groups, at = self.all, self._at
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
            estimate, measured = group.history.at(stamp)
            rows.append((estimate.q, estimate.qd, estimate.qdd, estimate.std, measured,
                         estimate.qd if estimate.prompt_qd is None else estimate.prompt_qd))
        q, qd, qdd, std, measured, prompt_qd = (np.concatenate(row)[self._order]
                                                for row in zip(*rows))
        return Known(Estimate(stamp, q, qd, qdd, std, PUBLISHED, prompt_qd), measured)
