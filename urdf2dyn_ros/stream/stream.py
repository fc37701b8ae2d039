"""One robot's joint states in, its efforts out, whatever comes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.estimate import Accelerated, Estimator, Learning
from urdf2dyn_ros.joint_states.position_check import PositionCheck
from urdf2dyn_ros.joint_states.samples import Sample, Samples, is_finite
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.stamps import MAX_STAMP
from urdf2dyn_ros.stream.answers import Answers, Given
from urdf2dyn_ros.stream.output import Output

# Every message that is received has exactly one of these outcomes.
OUTCOMES = {
    'used': 'efforts were computed',
    'warming_up': 'taken, but the estimator has too few samples yet',
    'same_instant': 'taken, but the estimate is for no later an instant than the one before',
    'overtaken': 'taken, but newer ones wait and the newest is answered',
    'incomplete': 'kept until the other joints have arrived',
    'skewed': 'kept, but the joints are too far apart in time',
    'empty': 'no names',
    'malformed': 'names that are no texts, or not one position for each name',
    'duplicate_names': 'a name appears twice',
    'other_joints': 'no joint of the model among the names',
    'position_not_finite': 'NaN or infinite position of a joint of the model',
    'no_stamp': 'stamp zero or out of range, and use_receive_time is false',
    'duplicate_stamp': 'no later than the message before',
    'out_of_order': 'earlier than the message before, but not by a jump',
    'two_sources': 'positions go to and fro from message to message, as from two publishers of '
                   'the same joints',
    'no_base': 'the motion of the base at that instant is not known',
    'no_wrench': 'an external wrench is missing, too old or unusable, and wrench.policy is stop',
    'not_finite': 'acceleration or effort NaN or infinite; the estimator starts afresh',
}
# These are counted beside the outcome.
EVENTS = {
    'received': 'messages; the sum of all outcomes, and of those that wait for base data',
    'gap': 'steps forward over max_gap and five median periods; the estimator starts afresh, with '
           'what it knew of the sensors',
    'jump_back': 'steps back over max_gap and five median periods; everything starts afresh',
    'overruns': 'messages that a full queue or the network lost before they were received',
    'velocity_ignored': 'velocities not one for each name',
    'effort_ignored': 'efforts not one for each name',
    'velocity_doubted': 'samples with a velocity left out that contradicts the positions',
    'accelerations': 'messages with accelerations for the estimator external',
    'accelerations_ignored': 'of these, without a stamp, with a joint missing or not finite, or '
                             'for another estimator',
}

# More than the longest lag of an estimator in samples.
MAX_EFFORTS = 2048


class Stream:
    """
    From the fields of messages to efforts, for one model and one estimator.

    No output is better than a wrong one: nothing is computed across a gap, from positions that are
    not finite or from too few samples, and nothing that is not finite comes out. Every message is
    counted by what became of it.

    Parameters
    ----------
    joint_names : sequence of str, (n,)
        In the model's order.
    continuous : sequence of bool, (n,)
        Which joints turn without end; only their positions are unwrapped.
    inverse_dynamics : callable
        (q, qd, qdd, *given) -> effort, each (n,), or a tuple of effort and the wrench (6,) on the
        root; its result is kept, so it must be new arrays.
    estimator : Estimator
        Belongs to this stream from now on.
    clock : callable
        Returns the present time [ns].
    limits : ndarray, (n, 2), optional
        Lower and upper positions [rad]; infinite for joints that have none or are measured in m.
    given : callable
        Returns what `inverse_dynamics` takes beside the motion, as it is at an estimate; if
        that is not known, a key of ``OUTCOMES``; None if it is not known yet: see `resume`.
    counters : Counter, optional
        Those of the stream that this one replaces, to be counted on.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Attributes
    ----------
    counters : Counter
        By the names in ``OUTCOMES`` and ``EVENTS``; they only ever grow.

    Raises
    ------
    ParameterError
        For an unknown parameter or a value that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('max_gap', 0.1, 'Steps between stamps up to this long, or up to five median '
                  'periods, are no gap and no jump.', unit='s', minimum=0.0, maximum=3600.0),
        Parameter('max_skew', 0.0, 'How far apart in time the joints of one sample may be that '
                  'arrive in several messages; 0 for 1.5 median periods.', unit='s',
                  minimum=0.0, maximum=3600.0),
        Parameter('use_receive_time', False, 'Take the time of arrival for messages without a '
                  'stamp, which are dropped otherwise.'),
    )

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool],
                 inverse_dynamics: Callable[..., Array | tuple[Array, Array]],
                 estimator: Estimator, *, clock: Callable[[], int],
                 limits: Array | None = None,
                 given: Given = lambda estimate: (),
                 counters: Counter[str] | None = None, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.counters: Counter[str] = Counter() if counters is None else counters
        self._samples = Samples(joint_names, continuous, self.counters,
                                max_gap=round(values['max_gap'] * 1e9),
                                max_skew=round(values['max_skew'] * 1e9))
        self._names = tuple(joint_names)
        self._positions = PositionCheck(limits if limits is not None else np.tile(
            (-np.inf, np.inf), (len(self._names), 1)))
        self._velocities = VelocityCheck(len(self._names))
        self._answers = Answers(inverse_dynamics, given, self.counters)
        self._estimator = estimator
        self._clock = clock
        self._use_receive_time: bool = values['use_receive_time']
        self._not_measured = np.full(len(self._names), np.nan)
        self._efforts: deque[tuple[int, Array]] = deque(maxlen=MAX_EFFORTS)
        self._last_output = 0
        self._restart()

    @property
    def unknown_joints(self) -> tuple[str, ...]:
        """Names in messages that are no joints of the model, the first few."""
        return self._samples.unknown

    @property
    def missing_joints(self) -> tuple[str, ...]:
        """Names of the joints that were never heard of, or not lately."""
        return self._samples.missing

    @property
    def newest(self) -> int | None:
        """Newest stamp that was taken [ns]; None before the first message."""
        return self._samples.newest or None

    @property
    def age(self) -> int | None:
        """The present time less the newest stamp [ns]; None before the first message."""
        newest = self.newest
        return None if newest is None else self._clock() - newest

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is doubtful about the positions and velocities of which joints."""
        return tuple(f'{what} of {self._names[joint]!r}: {text}'
                     for what, check in (('position', self._positions),
                                         ('velocity', self._velocities))
                     for joint, text in check.doubts.items())

    def accelerate(self, stamp: int, names: Sequence[str], accelerations: Sequence[float]) -> None:
        """
        Take accelerations from elsewhere, which the estimator ``external`` uses.

        Parameters
        ----------
        stamp : int
            [ns].
        names : sequence of str
            All joints of the model, in any order, with others among them.
        accelerations : sequence of float
            [rad/s^2 or m/s^2], one for each name.

        """
        self.counters['accelerations'] += 1
        values = dict(zip(names, accelerations)) if len(names) == len(accelerations) else {}
        qdd = np.array([values.get(name, np.nan) for name in self._names], dtype=np.float64)
        if not (isinstance(self._estimator, Accelerated) and 0 < stamp <= MAX_STAMP
                and is_finite(qdd) and self._estimator.accelerate(stamp, qdd)):
            self.counters['accelerations_ignored'] += 1

    def receive(self, stamp: int, names: Sequence[str], position: Sequence[float],
                velocity: Sequence[float], effort: Sequence[float],
                answer: bool = True) -> Output | None:
        """
        Take the fields of one message; return the efforts if it gives rise to any.

        Parameters
        ----------
        stamp : int
            [ns]; 0 for none.
        names : sequence of str
            In any order, with others among them.
        position, velocity, effort : sequence of float
            [rad or m], [rad/s or m/s], [N m or N], one for each name; the last two may be empty
            or NaN where they are not measured.
        answer : bool
            False for a message behind which newer ones wait: it is taken, no efforts computed.

        """
        # Absurd numbers are judged by their results; numpy need not warn of them on the way.
        with np.errstate(all='ignore'):
            result = self._process(stamp, names, position, velocity, effort, answer)
        self.counters['received'] += 1
        return self._counted(result)

    def resume(self) -> Iterator[Output]:
        """Give the efforts of messages that waited for `given`, as far as that is known by now."""
        for result in self._answers.resume():
            if result == 'not_finite':
                self._restart()
            output = self._counted(result)
            if output is not None:
                yield output

    def _counted(self, result: Output | str | None) -> Output | None:
        if isinstance(result, str):
            self.counters[result] += 1
            return None
        if result is not None:
            self.counters['used'] += 1
        return result

    def _process(self, stamp: int, names: Sequence[str], position: Sequence[float],
                 velocity: Sequence[float], effort: Sequence[float],
                 answer: bool) -> Output | str | None:
        if stamp == 0 and self._use_receive_time:
            stamp = self._clock()
        if not 0 < stamp <= MAX_STAMP:
            return 'no_stamp'
        sample = self._samples.take(stamp, names, position, velocity, effort)
        if isinstance(sample, str):
            return sample
        if sample.restart:
            self._restart(sample.gap)
        if not self._positions.update(sample.stamp, sample.q, sample.qd):
            self._restart()
            return 'two_sources'
        self._efforts.append((sample.stamp, sample.effort))
        return self._compute(sample, answer)

    def _compute(self, sample: Sample, answer: bool) -> Output | str | None:
        qd = self._velocities.update(sample.stamp, sample.q, sample.qd)
        if self._velocities.ignoring:
            self.counters['velocity_doubted'] += 1
        estimate = self._estimator.update(sample.stamp, sample.q, qd)
        if not estimate.valid:
            return 'warming_up'
        if estimate.stamp <= self._last_output:
            return 'same_instant'
        if not answer:
            return 'overtaken'
        result = self._answers.answer(estimate, self._measured(estimate.stamp))
        if result == 'not_finite':
            self._restart()
        elif not isinstance(result, str):
            self._last_output = estimate.stamp
        return result

    def _restart(self, gap: bool = False) -> None:
        self._answers.give_up()
        if gap and isinstance(self._estimator, Learning):
            self._estimator.forget_motion()
        else:
            self._estimator.reset()
        self._positions.restart()
        self._velocities.restart()
        self._efforts.clear()
        self._last_output = 0

    def _measured(self, instant: int) -> Array:
        while self._efforts and self._efforts[0][0] < instant:
            self._efforts.popleft()
        if self._efforts and self._efforts[0][0] == instant:
            return self._efforts[0][1]
        return self._not_measured
