"""Groups of joints that are received together, and the state of all joints at one instant."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.hold import ModelJoints
from urdf2dyn_ros.estimators.estimate import (
    Accelerated,
    Carrying,
    Estimate,
    Estimator,
    Learning,
    Selective,
)
from urdf2dyn_ros.estimators.wrong_stamp import SHORTEST_SLIP
from urdf2dyn_ros.joint_states.layouts import MAX_LAYOUTS, Indices, NameLayout
from urdf2dyn_ros.joint_states.messages import Message, unwrap
from urdf2dyn_ros.joint_states.position_check import PositionCheck
from urdf2dyn_ros.joint_states.repeated_joints import RepeatedJoints
from urdf2dyn_ros.joint_states.repeated_positions import RUNS_WITHIN_NS, RepeatedPositions
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed

# ---- Accelerations after the newest, extrapolated by the order that has predicted best so far

ERROR_GAIN = 0.05
"""Part by which the mean squared errors follow a new one, after the first ones."""

MOST_NEW = 64
"""Accelerations from which is learned where one is extrapolated: the errors are those of the last
20."""

_UNKNOWN_ERROR = 1e300
"""Mean squared error before the first one."""


class Extrapolation:
    """
    Extrapolates the accelerations of joints (k,): constant, linear or quadratic in time.

    Each new acceleration shows how well the three would have predicted it from those before. The
    one with the least mean squared error is used, joint by joint: the quadratic one for smooth
    motion, the constant one for noise. This error is also how uncertain it is.

    The polynomials are those of Newton through the last accelerations, with divided differences;
    the error of one is the next divided difference times the distances to the stamps of its own.
    """

    def __init__(self, joints: int) -> None:
        self._zero = np.zeros(joints)
        self._squares = np.full((3, joints), _UNKNOWN_ERROR)
        self._squares[0] = 0.0
        self._predictions = [0, 0, 0]
        # stamps [ns] and accelerations; most motions are never extrapolated
        self._new: deque[tuple[int, Array]] = deque(maxlen=MOST_NEW)
        self.restart()

    def restart(self) -> None:
        """Forget the accelerations, but not the errors."""
        self._new.clear()
        self._count, self._stamp, self._step = 0, 0, 0.0
        self._qdd = self._slope = self._curvature = self._zero

    def add(self, stamp: int, qdd: Array) -> None:
        """Add the accelerations (k,) of a stamp [ns], which is newer than those before."""
        if len(self._new) == MOST_NEW:
            self._count = 0   # the oldest is dropped: the next is not the one after the last
        self._new.append((stamp, qdd))

    def _extend(self, stamp: int, qdd: Array) -> None:
        """Extend the polynomials by an acceleration, and learn from it."""
        h = (stamp - self._stamp) * 1e-9
        if self._count:
            span = h + self._step
            slope = (qdd - self._qdd) / h
            curvature = (slope - self._slope) / span if self._count > 1 else self._zero
            self._learn(np.array((slope * h, curvature * (h * span),
                                  (curvature - self._curvature) * (h * span))))
            self._step, self._slope, self._curvature = h, slope, curvature
        self._count += 1
        self._stamp, self._qdd = stamp, qdd

    def _learn(self, errors: Array) -> None:
        """Add the errors of the three, (3, k), as far as there were enough accelerations."""
        squares = errors * errors
        if not isfinite(squares.sum()):
            return
        known = min(self._count, 3)
        if known == 3 and self._predictions[2] * ERROR_GAIN > 1.0:
            self._squares *= 1.0 - ERROR_GAIN
            self._squares += ERROR_GAIN * squares
            return
        for order in range(known):
            self._predictions[order] += 1
            gain = max(1.0 / self._predictions[order], ERROR_GAIN)
            self._squares[order] = (1.0 - gain) * self._squares[order] + gain * squares[order]

    def at(self, h: float) -> tuple[Array, Array, Array]:
        """Return jerk and snap, and the squared error of the acceleration a time h [s] later."""
        while self._new:
            self._extend(*self._new.popleft())
        order = self._squares.argmin(axis=0)
        quadratic = self._curvature * (order == 2)
        share = h / self._step if self._step else 1.0
        return (self._slope * (order > 0) + self._step * quadratic, 2.0 * quadratic,
                self._squares.min(axis=0) * share**2)


# ---- The last estimates of some joints, and their state at a stamp before, between or after these

MOST_ESTIMATES = 1024
"""Estimates that are kept: more than the longest lag of an estimator in samples."""


class Known(NamedTuple):
    """A valid estimate, and the measured efforts (k,) of its stamp [N m or N] or NaN."""

    estimate: Estimate
    measured: Array


class History:
    """
    Estimates of some joints (k,), from which their state is carried to another stamp.

    Between two estimates the acceleration is linear; after the newest it is extrapolated, and its
    standard deviation grows.
    """

    def __init__(self, joints: int) -> None:
        self.newest: Known | None = None
        # whether estimates are kept for stamps between them; else only the newest is
        self.all_kept = False
        self._past: deque[Known] = deque(maxlen=MOST_ESTIMATES)
        self._extrapolation = Extrapolation(joints)

    def clear(self) -> None:
        """Forget the estimates, but not how well they were extrapolated."""
        self.newest = None
        self._past.clear()
        self._extrapolation.restart()

    def add(self, known: Known) -> None:
        """Add an estimate, if it is newer."""
        estimate, newest = known.estimate, self.newest
        if newest is not None and estimate.stamp <= newest.estimate.stamp:
            return
        self.newest, self._last = known, estimate
        self._extrapolation.add(estimate.stamp, estimate.qdd)
        self._keep(known)

    def _keep(self, known: Known) -> None:
        if not self.all_kept:
            self._past.clear()
        self._past.append(known)

    def predict(self, stamp: int, measured: Array) -> bool:
        """
        Add the state at a later stamp [ns] without a sample, from the last estimate.

        Returns False if no estimate is kept from which to carry it.
        """
        if not self._past:
            return False
        jerk, snap, error = self._extrapolation.at((stamp - self._last.stamp) * 1e-9)
        self.newest = Known(_extrapolated(self._last, stamp, jerk, snap, error), measured)
        self._keep(self.newest)
        return True

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
        base, measured = past[0]
        h = (stamp - base.stamp) * 1e-9
        if h == 0.0:
            return Known(base, measured)
        jerk, snap, error = self._extrapolation.at(h)
        if len(past) > 1:
            other = past[1].estimate
            jerk = (other.qdd - base.qdd) / ((other.stamp - base.stamp) * 1e-9)
            snap, error = 0.0 * snap, error * (h < 0.0)
        return Known(_extrapolated(base, stamp, jerk, snap, error), measured)


def _extrapolated(base: Estimate, stamp: int, jerk: Array, snap: Array, error: Array) -> Estimate:
    """Return the state at a stamp [ns], with an acceleration that is quadratic in time."""
    _, q, qd, qdd, std, _ = base
    h = (stamp - base.stamp) * 1e-9
    return Estimate(
        stamp, q + h * (qd + h / 2.0 * (qdd + h / 3.0 * (jerk + h / 4.0 * snap))),
        qd + h * (qdd + h / 2.0 * (jerk + h / 3.0 * snap)),
        qdd + h * (jerk + h / 2.0 * snap), np.sqrt(std * std + error), valid=True)


# ---- The newest samples of some joints, for an estimator that has to begin again with them

MOST_REPLAYED = 256
"""Samples that are kept: more than accelerations of noisy joints take to become certain."""


class Replay:
    """
    Samples that a driver may have repeated before this was known.

    An estimator that took them for measurements begins again with those that were, so that it
    need not wait for new ones.
    """

    def __init__(self) -> None:
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=MOST_REPLAYED)

    def clear(self) -> None:
        """Forget the samples."""
        self._samples.clear()

    def add(self, stamp: int, q: Array, qd: Array) -> None:
        """Add a sample as an estimator receives it; the arrays are kept."""
        self._samples.append((stamp, q, qd))

    def into(self, estimator: Estimator, messages: RepeatedPositions,
             joints: RepeatedJoints) -> None:
        """Give an estimator without samples those that were measured, by what is known now."""
        while self._samples and self._samples[-1][0] - self._samples[0][0] > RUNS_WITHIN_NS:
            self._samples.popleft()   # it is not known which of these were repeated
        if not self._samples:
            return
        stamps, positions, velocities = map(np.array, zip(*self._samples))
        repeated = joints.among(positions) & np.isnan(velocities)
        for sample, new, missing in zip(self._samples, messages.measured(stamps, positions),
                                        repeated):
            if not new:
                if isinstance(estimator, Selective):
                    estimator.clock.repeat()
                if isinstance(estimator, Carrying):
                    estimator.carry(sample[0])
            elif isinstance(estimator, Selective) and missing.any():
                estimator.update_some(*sample, missing)
            else:   # as the first one is
                estimator.update(*sample)


# ---- Joints that are received together: their checks, their estimator and their last estimates

MAX_EFFORTS = 2048
"""Measured efforts that are kept: more than the longest lag of an estimator in samples."""

LAG_DECAY = 0.01
"""Part by which the lag of an estimator follows one that is shorter."""

MOST_CARRIED_PERIODS = 2.5
"""Periods over which joints are carried: one lost message and jitter."""

LEAST_CARRIED_NS = 5_000_000
"""Time over which joints are carried, whatever their rate [ns]."""


class Joints(NamedTuple):
    """Joints of a group (k,): indices in the model, those that are continuous, limits (k, 2)."""

    indices: Indices
    continuous: Indices
    limits: Array


class Group:
    """The samples of joints that are received together, at their own stamps."""

    def __init__(self, joints: Joints, estimator: Estimator, steps: Steps,
                 newest: int = 0) -> None:
        self.joints, self._continuous = joints.indices, joints.continuous
        self.estimator, self.steps = estimator, steps
        self.positions = PositionCheck(joints.limits)
        self.velocities = VelocityCheck(len(self.joints))
        self.repeats = RepeatedPositions(
            len(self.joints), SHORTEST_SLIP if isinstance(estimator, Selective) else np.inf)
        self.repeated_joints = RepeatedJoints(len(self.joints))
        self._differentiates = not isinstance(estimator, Accelerated)
        self._selective = estimator if isinstance(estimator, Selective) else None
        self._carrying = estimator if isinstance(estimator, Carrying) else None
        self.history, self._replay = History(len(self.joints)), Replay()
        self.newest = newest   # stamp [ns]; 0 before the first sample
        self.event = ''        # gap, jump_back or restart if the newest sample was one
        self._known = False    # whether there is an estimate at the newest measurement
        # by how many [ns]
        self.lag = 0           # the newest estimate was older than the newest sample, at most
        self.spread = 0        # newest stamps of other groups were older when this one was new
        self.skew = 0          # the newest sample was older than that of the last output's group
        self.skewed = 0        # messages of others in a row at which it was too old to be carried
        self.better = 0        # messages in a row at which this group would be a better leader
        self.message: object = None   # groups of the newest message
        self.repeated = 0             # how often there were the same before
        self._not_measured = np.full(len(self.joints), np.nan)
        self._efforts: deque[tuple[int, Array]] = deque(maxlen=MAX_EFFORTS)
        self._forget()

    def _forget(self) -> None:
        self._q = np.full(len(self.joints), np.nan)
        self._sampled = False
        self._started = False   # whether the newest sample is the first one

    def add(self, stamp: int, q: Array, qd: Array, effort: Array) -> str:
        """
        Add a sample, which is kept; return the outcome, empty if there is an estimate of it.

        Stamp [ns], q, qd and effort (k,) as in `Message`.
        """
        self.event = ''
        fault = self._check_order(stamp)
        if fault:
            return fault
        crowded = self._differentiates and self._sampled and self.steps.is_crowded(
            stamp - self.newest)
        if self._continuous.size:
            unwrap(q, self._continuous, self._q[self._continuous])
        self._q = q
        if self._sampled and self.steps.is_jump(stamp - self.newest):
            self.event = 'gap'
        self.newest = stamp
        if self.event or not self._sampled:
            self.restart(self.event == 'gap')
            self.event = self.event or 'restart'
        self._sampled = True
        if not self.positions.update(stamp, q, qd):
            self.restart()
            self.event = self.event or 'restart'
            return 'two_sources'
        self._efforts.append((stamp, effort))
        if crowded:
            if self._started:   # after a gap, with a sample that was late
                self._reset(True)
            return self._carry(stamp)
        self._started = bool(self.event)
        received, qd = qd, self.velocities.update(stamp, q, qd)
        if self._differentiates and self.repeats.update(stamp, q, qd, received):
            if self._selective is not None:
                self._selective.clock.repeat()
            return self._carry(stamp)
        estimate = self._estimate(stamp, q, qd)
        if not self.repeated_joints.known:
            self._replay.add(stamp, q, qd)
        return self._keep(stamp, estimate)

    def _carry(self, stamp: int) -> str:
        """Carry the joints to a stamp without measurements; return the outcome as `add`."""
        if self._carrying is not None:   # an estimator with a lag itself
            return self._keep(stamp, self._carrying.carry(stamp))
        known = self._known and self.history.newest is not None and self.history.predict(
            stamp, self._measured_at(stamp))
        return '' if known else 'warming_up'

    def _keep(self, stamp: int, estimate: Estimate) -> str:
        """Keep the estimate after a message; return the outcome as `add`."""
        self._known = estimate.valid
        if not estimate.valid:
            return 'warming_up'
        if estimate.stamp != stamp or self.lag:
            lag = stamp - estimate.stamp
            self.lag = lag if lag >= self.lag else self.lag - round(LAG_DECAY * (self.lag - lag))
        self.history.add(Known(estimate, self._measured_at(estimate.stamp)))
        return ''

    def _estimate(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Return the estimate after a sample of which single positions may be repeated."""
        repeated = None
        if self._selective is not None:
            repeated = self.repeated_joints.update(stamp, q, qd)
        if (self.repeats.found or self.repeated_joints.found) and isinstance(
                self.estimator, Learning):   # from repeated ones
            self._reset()
            self._replay.into(self.estimator, self.repeats, self.repeated_joints)
            self.event = self.event or 'restart'
        if self._selective is None or repeated is None:
            return self.estimator.update(stamp, q, qd)
        return self._selective.update_some(stamp, q, qd, repeated)

    def _check_order(self, stamp: int) -> str:
        """Return the outcome of a stamp that does not advance; forget all at a jump back."""
        fault = self.steps.add(self.newest, stamp)
        if stamp < self.newest and not fault:
            self.steps.clear()
            self._forget()
            self.event = 'jump_back'
        return fault

    def restart(self, gap: bool = False) -> None:
        """Use no sample before the next one; after a gap, the learned noise stays."""
        self._reset(gap)
        self.positions.restart()
        self.velocities.restart()
        self.repeats.restart()
        self.repeated_joints.restart()
        self._efforts.clear()
        self._replay.clear()

    def _reset(self, gap: bool = False) -> None:
        """Reset the estimator; after a gap, it keeps the learned noise."""
        if gap and isinstance(self.estimator, Learning):
            self.estimator.forget_motion()
        else:
            self.estimator.reset()
        self.history.clear()
        self.lag = 0

    def successor(self, joints: Joints, estimator: Estimator) -> Group:
        """Return a group of other joints without samples that continues the stamps."""
        return Group(joints, estimator, deepcopy(self.steps), self.newest)

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
        return efforts[0][1] if efforts and efforts[0][0] == stamp else self._not_measured


# ---- Figures and warnings about the joints of a group, for the status of a node

SKEWED_TO_WARN = 20
"""Messages in a row at which joints are too far away before that is reported."""


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
    for what, of_joints in (('position', group.positions.warnings),
                            ('velocity', group.velocities.warnings)):
        for joint, text in of_joints.items():
            yield f'{what} of {joint_names[group.joints[joint]]!r}: {text}'
    if group.newest and group.is_far(newest):
        yield (f'joint states of {listed(group.names(joint_names))}: their stamps are '
               f'{(newest - group.newest) * 1e-9:.3g} s older than those of other joints, over '
               'stream.max_gap and five of their periods: there are no efforts')
    elif group.skewed >= SKEWED_TO_WARN:
        yield (f'joint states of {listed(group.names(joint_names))}: their stamps are '
               f'{(newest - group.newest) * 1e-6:.3g} ms older than those of other joints, '
               'more than they can be carried (stream.max_skew): efforts are late or '
               'missing; are messages delayed, are the clocks synchronised?')


# ---- Which group's messages have outputs

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


# ---- Which joints of a robot are received together

MESSAGES_TO_JOIN = 100
"""Messages in a row with all joints of several groups after which these become one; doubled each
time, so that a message with fewer joints now and then does not divide them again and again."""

Parts = list[tuple[Group, Indices | None]]
"""Groups in a message, with the entries of their joints; None for all entries."""


class Partition:
    """
    The groups of a robot's joints: the largest sets of which each message has all or none.

    A message with a part of a group divides it, and only its joints start again.
    """

    def __init__(self, joints: ModelJoints, make_estimator: Callable[[int], Estimator],
                 max_gap: int) -> None:
        self._model = joints
        self._make_estimator = make_estimator
        self._messages_to_join = MESSAGES_TO_JOIN
        everything = np.arange(len(joints.names), dtype=np.intp)
        self.groups: list[Group] = []   # replaced as a whole when it changes
        self._known: dict[bytes, Parts] = {}
        self._layout: NameLayout | None = None
        self._parts: Parts = []
        self._replace([Group(self._joints(everything), make_estimator(len(everything)),
                             Steps(max_gap))])

    def parts(self, layout: NameLayout) -> Parts:
        """Return the groups that are received in a message."""
        if layout is not self._layout:
            self._parts = self._find(layout.joints)
            self._layout = layout
        return self._parts

    def _find(self, joints: Indices) -> Parts:
        key = joints.tobytes()
        if key not in self._known:
            self._divide(joints)
            if len(self._known) >= MAX_LAYOUTS:
                self._known.clear()
            inside = [group for group in self.groups if group.joints[0] in joints]
            self._known[key] = [(group, None if len(inside) == 1 else np.searchsorted(
                joints, group.joints)) for group in inside]
        return self._known[key]

    def _divide(self, joints: Indices) -> None:
        """Divide the groups of which only a part is among some joints."""
        groups: list[Group] = []
        for group in self.groups:
            inside = np.isin(group.joints, joints)
            groups += [group] if inside.all() or not inside.any() else [
                self._new(group, group.joints[chosen]) for chosen in (inside, ~inside)]
        if len(groups) > len(self.groups):
            self._replace(groups)

    def join(self, parts: Parts) -> None:
        """Make one group of those in a message if they have been received together for long."""
        for group, _ in parts:
            group.repeated = group.repeated + 1 if group.message is parts else 0
            group.message = parts
        received = [group for group, _ in parts]
        if len(received) > 1 and all(
                group.repeated >= self._messages_to_join for group in received):
            self._messages_to_join *= 2
            joints = np.sort(np.concatenate([group.joints for group in received]))
            self._replace([*(group for group in self.groups if group not in received),
                           self._new(received[0], joints)])

    def _new(self, like: Group, joints: Indices) -> Group:
        return like.successor(self._joints(joints), self._make_estimator(len(joints)))

    def _joints(self, joints: Indices) -> Joints:
        return Joints(joints, np.flatnonzero(self._model.continuous[joints]),
                      self._model.limits[joints])

    def _replace(self, groups: Iterable[Group]) -> None:
        self.groups = list(groups)
        # for each joint of the model, its place among the joints of all groups
        self.order = np.argsort(np.concatenate([group.joints for group in self.groups]))
        for group in self.groups:
            group.history.all_kept = len(self.groups) > 1
        self._known.clear()
        self._layout = None


# ---- Groups of joints that are received together, and the state of all joints at one instant

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
