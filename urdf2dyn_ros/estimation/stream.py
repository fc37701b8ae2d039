"""From the joint states of one robot to its efforts, with a check of every message."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import LoopError, StateError
from urdf2dyn_ros.estimation.estimators import Estimator
from urdf2dyn_ros.estimation.groups import (
    Group,
    GroupFigures,
    Groups,
    MeasuredEstimate,
    PositionShift,
)
from urdf2dyn_ros.estimation.hold import HeldJoints, Hold, ModelJoints
from urdf2dyn_ros.estimation.kalman import Estimate
from urdf2dyn_ros.estimation.messages import Message, MessageReader, Sample, is_finite
from urdf2dyn_ros.estimation.outcomes import Count, Event, Outcome
from urdf2dyn_ros.estimation.passive import PassiveJoints
from urdf2dyn_ros.estimation.velocities import JointVelocity
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import is_stamp

# ---- The output of a stream for one stamp


class Output(NamedTuple):
    """An estimate with its efforts, in the order of the model."""

    # stamp of the sample that was estimated [ns]: the newest, or older by the estimator's lag
    stamp: int
    q: Array   # (n,) [rad or m]
    qd: Array   # (n,) [rad/s or m/s]
    qdd: Array   # (n,) [rad/s^2 or m/s^2]
    effort: Array   # (n,), computed [N m or N]
    measured: Array   # (n,), measured efforts of the same stamp [N m or N]; NaN where not measured
    std: Array   # (n,), standard deviation of qdd; NaN where the estimator does not return it
    load_arguments: tuple[Array, ...] = ()   # arguments of the equations after q, qd and qdd
    # (6,), force [N] and moment [N m] that the world must apply at the origin of the root, in its
    # frame; None where the root is fixed
    wrench: Array | None = None
    prompt_qd: Array | None = None   # as of the `Estimate`
    margin: float = np.nan   # of closed loops to a singular pose: a least sine

    @property
    def observed_qd(self) -> Array:
        """Velocities (n,) for an observer."""
        return self.qd if self.prompt_qd is None else self.prompt_qd


class OutputBatch(NamedTuple):
    """The fields of k outputs: stamps (k,) [ns], and arrays (k, n)."""

    stamps: NDArray[np.int64]
    q: Array
    qd: Array
    qdd: Array
    effort: Array
    measured: Array
    observed_qd: Array

    def chosen(self, rows: slice | NDArray[np.bool_]) -> OutputBatch:
        return OutputBatch._make(values[rows] for values in self)

    @staticmethod
    def of(outputs: Sequence[Output]) -> OutputBatch:
        return OutputBatch(np.array([output.stamp for output in outputs], dtype=np.int64), *(
            np.array([getattr(output, what) for output in outputs])
            for what in OutputBatch._fields[1:]))


# ---- From the joint states of one robot to its efforts, with a check of every message

MOST_WAITING = 2048   # estimates that may wait for base data
# for which the estimator before answers at most: filters begin within 0.3 s, 23 messages or more
HANDOVER_NS = 5_000_000_000
LoadArguments = Callable[[Estimate], 'tuple[Array, ...] | Outcome']   # after qdd


def no_load_arguments(estimate: Estimate) -> tuple[Array, ...]:
    """Return that the equations have no arguments after qdd."""
    return ()


IMPLAUSIBLE = Parameter(
    'implausible', 'stop', 'What happens where a position looks like degrees: more than 2 pi '
    'beyond the limits of its joint, or, without these, 20 times as fast as it may be. stop: no '
    'efforts until the joints begin anew, after a gap or a jump; warn: efforts, and a warning.',
    choices=('stop', 'warn'))


class Stream:
    """
    From messages to efforts, for one model and one estimator.

    No output is better than a wrong one: nothing is computed across a gap, from positions that are
    not finite or from too few samples, and every output is finite. Every message is counted by its
    outcome: the `counters`, by the keys of ``JOINT_STATE_OUTCOMES`` and ``JOINT_STATE_EVENTS``,
    only increase. They may be those of a stream that this one replaces.

    `inverse_dynamics` is called with (q, qd, qdd, *load_arguments) and returns the efforts (n,),
    or a tuple of these and the wrench (6,) on the root, in new arrays; a StateError says that one
    of them is not finite. The clock returns the present time [ns].
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('max_gap', 0.1, 'Longest step between stamps that is neither a gap nor a clock '
                  'jump; nor are steps of up to five median periods, those of the joints '
                  'that are received together.', unit='s', minimum=0.0,
                  maximum=3600.0),
        Parameter('max_skew', 0.0, 'Longest time over which joints of other messages are carried '
                  'to the stamp of an output; 0 for 2.5 of their median periods or 5 ms, '
                  'whichever is longer.', unit='s', minimum=0.0, maximum=3600.0),
        Parameter('max_deviation', 1000.0, 'Largest standard deviation of an acceleration, of '
                  'any joint, with which efforts are computed; 0 for no limit.',
                  unit='rad/s^2 or m/s^2', minimum=0.0, maximum=1e9),
        Parameter('use_receive_time', False, 'Use the time of receipt for messages without a '
                  'stamp, which are dropped otherwise.'),
    )

    def __init__(self, joints: ModelJoints,
                 inverse_dynamics: Callable[..., Array | tuple[Array, Array]],
                 make_estimator: Callable[[int], Estimator], *, clock: Callable[[], int],
                 load_arguments: LoadArguments = no_load_arguments,
                 counters: Counter[str] | None = None, implausible: str = 'stop',
                 passive: PassiveJoints | None = None, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.counters: Counter[str] = Counter() if counters is None else counters
        self._joints, self._passive = joints, passive
        self.estimator: object = None   # its parameters, which another stream may have
        self._make_estimator = make_estimator
        self._max_gap, self._max_skew = (round(values[name] * 1e9)
                                         for name in ('max_gap', 'max_skew'))
        self._max_deviation: float = values['max_deviation'] or np.inf
        self._inverse_dynamics, self._load_arguments = inverse_dynamics, load_arguments
        # estimates, with the measured efforts, whose load arguments are not known yet
        self._waiting: deque[MeasuredEstimate] = deque()
        self._clock = clock
        self._use_receive_time: bool = values['use_receive_time']
        self._stop = implausible == 'stop'
        self._last_output = 0
        # the groups of another estimator, which answers until this one has estimates, and since
        # when [ns]
        self._before: Groups | None = None
        self._since = 0
        self._shifts: dict[str, PositionShift] = {}   # by joint
        self.hold(Hold())

    def hold(self, hold: Hold) -> None:
        """Hold joints from the next message on; all others start without samples."""
        self.held = HeldJoints(self._joints.names, hold)
        self._start()

    def _start(self) -> None:
        self._before = None
        received = self._joints.chosen(self.held.received)
        self._names = received.names
        self._reader = MessageReader(received.names, self.counters)
        self._groups = Groups(received, self._make_estimator, self.counters, self._max_gap,
                              self._max_skew, self._shifts)

    @property
    def _answering(self) -> Groups:
        """The groups of which efforts are computed now."""
        return self._before or self._groups

    @property
    def never_received(self) -> tuple[str, ...]:
        return tuple(name for group in self._answering if not group.newest
                     for name in group.names)

    @property
    def unknown_joints(self) -> tuple[str, ...]:
        """Names in messages that are no joints of the model, the first few."""
        passive = () if self._passive is None else self._passive.names
        return tuple(name for name in self._reader.unknown
                     if name not in self.held.positions and name not in passive)

    @property
    def unmeasured_joints(self) -> tuple[str, ...]:
        """Those of the missing joints that were received without a finite position."""
        return tuple(name for name in self.missing_joints if name in self._reader.unmeasured)

    @property
    def missing_joints(self) -> tuple[str, ...]:
        """Names of the joints that were not received yet, or not recently."""
        absent = {name for group in self._answering.absent for name in group.names}
        return tuple(name for name in self._names if name in absent)

    @property
    def newest(self) -> int | None:
        """Newest stamp [ns]; None before the first message."""
        return self._answering.newest or None

    @property
    def age(self) -> int | None:
        """Age of the newest stamp [ns]; None before the first message."""
        newest = self.newest
        return None if newest is None else self._clock() - newest

    @property
    def groups(self) -> list[GroupFigures]:
        now = self._clock()
        return [GroupFigures(group.names, 1e9 / (group.steps.period or np.nan),
                             (now - group.newest) * 1e-9 if group.newest else None,
                             group.skew * 1e-9) for group in self._answering]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about data that are not credible or not received any more, with the reason."""
        newest = self._answering.newest
        return (*(warning for group in self._answering for warning in group.warnings(newest)),
                *map(str, self._shifts.values()),
                *(() if self._passive is None else self._passive.warnings))

    def acknowledge(self) -> list[PositionShift]:
        """Forget the positions that were shifted, whose warnings stay until then; return them."""
        shifts = list(self._shifts.values())
        self._shifts.clear()
        return shifts

    def proceed(self, before: Stream) -> None:
        """
        Go on with the samples of another stream, if it has the same joints.

        Another estimator begins anew, and that before answers until then. So do all joints if
        others are held now; a joint that is published is not held.
        """
        if not self._joints.equals(before._joints):
            return
        self._shifts, self._last_output = before._shifts, before._last_output
        missing = before.missing_joints
        self.held.proceed(before.held, [name for name in before._names if name not in missing])
        self._start()
        if not np.array_equal(self.held.received, before.held.received):
            return
        self._waiting, self._reader = before._waiting, before._reader
        if self.estimator == before.estimator:
            self._groups.proceed(before._groups)
            self._before, self._since = before._before, before._since
        else:
            self._before, self._groups.events = before._before or before._groups, Counter()

    @property
    def frozen(self) -> tuple[str, ...]:
        """Sentences about positions that stay the same while their velocities move them."""
        return tuple(sentence for group in self._answering
                     for sentence in group.frozen.sentences(group.names))

    @property
    def implausible(self) -> tuple[str, ...]:
        """Those of the warnings for which nothing is computed, unless `IMPLAUSIBLE` is warn."""
        return tuple(sentence for group in self._answering for sentence in group.degrees.sentences)

    @property
    def velocities(self) -> dict[str, JointVelocity]:
        """Recognised properties of the velocity of each joint, by its name."""
        velocities = {name: velocity for group in self._answering
                      for name, velocity in zip(group.names, group.velocities.joints)}
        return {name: velocities[name] for name in self._names}

    def accelerate(self, stamp: int, names: Sequence[str], accelerations: Sequence[float]) -> None:
        """
        Add accelerations for the estimator ``external``, with their stamp [ns].

        The names are all joints of the model, in any order; others are dropped. Each has its
        acceleration [rad/s^2 or m/s^2].
        """
        self.counters[Count.ACCELERATIONS] += 1
        values = dict(zip(names, accelerations)) if len(names) == len(accelerations) else {}
        qdd = np.array([values.get(name, np.nan) for name in self._names], dtype=np.float64)
        used = [is_stamp(stamp) and is_finite(qdd[group.joints])
                and group.estimator.inner.accelerate(stamp, qdd[group.joints])
                for group in (*self._groups, *(self._before or ()))]
        if not any(used):
            self.counters[Count.ACCELERATIONS_IGNORED] += 1

    def receive(self, message: Message, compute: bool = True) -> Output | None:
        """
        Add a message; return the output if there is one.

        Names that are no joints of the model are dropped; each has a position [rad or m].
        Velocities [rad/s or m/s] and efforts [N m or N] may be empty, or NaN where they are not
        measured. Without `compute` the sample is added, but no effort computed, because a newer
        message waits.
        """
        result = self._process(message, compute)
        self.counters[Count.RECEIVED] += 1
        return self._counted(result)

    def resume(self) -> Iterator[Output]:
        """Yield the outputs of messages whose load arguments are known by now."""
        while self._waiting:
            first = self._waiting.popleft()
            with np.errstate(all='ignore'):   # as in `_process`
                result = self._output(first)
            if result is Outcome.WAITING:
                self._waiting.appendleft(first)
                return
            if result is Outcome.NOT_FINITE:
                self._end()
                self._groups.reset()
            output = self._counted(result)
            if output is not None:
                yield output

    def _counted(self, result: Output | Outcome) -> Output | None:
        if isinstance(result, Outcome):
            if result is not Outcome.WAITING:
                self.counters[result] += 1
            return None
        self.counters[Outcome.USED] += 1
        return result

    # the results are checked: numpy need not warn of numbers that are too large
    @np.errstate(all='ignore')
    def _process(self, message: Message, compute: bool) -> Output | Outcome:
        if message.stamp == 0 and self._use_receive_time:
            message = message._replace(stamp=self._clock())
        if not is_stamp(message.stamp):
            return Outcome.NO_STAMP
        sample = self._read(message)
        if self._passive is not None and self._passive.receive(message) and (
                sample is Outcome.OTHER_JOINTS):
            return Outcome.INCOMPLETE
        return sample if isinstance(sample, Outcome) else self._add(
            message.stamp, sample, compute)

    def _add(self, stamp: int, sample: Sample, compute: bool) -> Output | Outcome:
        """Add a sample that is valid by itself."""
        groups = self._groups
        if self._before is None:
            outcome, events, due = groups.add(stamp, sample)
        else:
            self._since = self._since or stamp
            kept = sample._replace(q=sample.q.copy(), qd=sample.qd.copy(),
                                   effort=sample.effort.copy())
            outcome, events, due = groups.add(stamp, kept)
            if groups.ready or not 0 <= stamp - self._since <= HANDOVER_NS:
                self._before, groups.events = None, self.counters
            else:
                groups = self._before
                outcome, events, due = groups.add(stamp, sample)
        if events and events != {Event.RELAYED}:
            self._end()
            if Event.JUMP_BACK in events:
                self._last_output = 0
        if (outcome is Outcome.INCOMPLETE and self.held.automatic
                and self.held.hold_unpublished(stamp, self.never_received)):
            self._end()
            self._start()
        if outcome is not Outcome.ESTIMATED or not due:
            return outcome
        return self._compute(groups, due, compute)

    def _read(self, message: Message) -> Sample | Outcome:
        """Return the sample of a message; joints that it has are no longer held."""
        sample = self._reader.read(message)
        if self.held.positions and (
                sample is Outcome.OTHER_JOINTS or isinstance(sample, Sample)):
            published = self.held.published(message)
            if published:
                self._end()
                self.held.release(published)
                self._start()
                sample = self._reader.read(message)
        return sample

    def _end(self) -> None:
        """Drop the estimates that wait."""
        if self._waiting:
            self.counters[Outcome.NO_BASE] += len(self._waiting)
            self._waiting.clear()

    def _compute(self, groups: Groups, due: Group, compute: bool) -> Output | Outcome:
        carried = groups.carry(due)
        if isinstance(carried, Outcome):
            return carried
        if carried.estimate.stamp <= self._last_output:
            return Outcome.SAME_INSTANT
        if self._stop and any(group.degrees.stops for group in groups):
            return Outcome.IMPLAUSIBLE
        if True in (carried.estimate.std > self._max_deviation).tolist():
            return Outcome.UNCERTAIN
        if not compute:
            return Outcome.OVERTAKEN
        complete = MeasuredEstimate(*self.held.complete(*carried))
        result = self._output(complete)
        if result is Outcome.WAITING:
            if len(self._waiting) == MOST_WAITING:
                self._waiting.popleft()
                self.counters[Outcome.NO_BASE] += 1
            self._waiting.append(complete)
        elif isinstance(result, Outcome):
            self._end()   # the others wait for the same data, in vain
            if result is Outcome.NOT_FINITE:
                groups.reset()
            return result
        self._last_output = complete.estimate.stamp
        return result

    def _output(self, complete: MeasuredEstimate) -> Output | Outcome:
        """Return the output of an estimate and measured efforts of all joints (n,)."""
        estimate, measured = complete
        q, qd, qdd = estimate.q, estimate.qd, estimate.qdd
        loads = self._load_arguments(estimate)
        if isinstance(loads, Outcome):
            return loads if loads is Outcome.WAITING or all(
                map(is_finite, (q, qd, qdd))) else Outcome.NOT_FINITE
        passive = self._passive
        if passive is not None:
            passive.place(q, passive.at(estimate.stamp))
        try:
            result = self._inverse_dynamics(q, qd, qdd, *loads)
        except LoopError as error:
            if passive is not None:
                passive.compare(estimate.stamp, q, False)
            return Outcome(error.status)
        except StateError:   # the estimate, the efforts or the wrench are not finite
            return Outcome.NOT_FINITE
        if passive is not None:
            passive.compare(estimate.stamp, q, True)
        effort, wrench = result if isinstance(result, tuple) else (result, None)
        return Output(estimate.stamp, q, qd, qdd, effort, measured, estimate.std, loads, wrench,
                      estimate.prompt_qd, np.nan if passive is None else passive.margin)
