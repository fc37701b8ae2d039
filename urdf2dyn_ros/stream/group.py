"""Joints that are received together: their checks, their estimator and their last estimates."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import (
    Accelerated,
    Carrying,
    Estimate,
    Estimator,
    Learning,
    Selective,
)
from urdf2dyn_ros.estimators.wrong_stamp import SHORTEST_SLIP
from urdf2dyn_ros.joint_states.layouts import Indices
from urdf2dyn_ros.joint_states.messages import unwrap
from urdf2dyn_ros.joint_states.position_check import PositionCheck
from urdf2dyn_ros.joint_states.repeated_joints import RepeatedJoints
from urdf2dyn_ros.joint_states.repeated_positions import RepeatedPositions
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.stream.history import History, Known
from urdf2dyn_ros.stream.replay import Replay

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
