"""From the joint states of one robot to its efforts, whatever is received."""

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
from urdf2dyn_ros.stamps import is_stamp
from urdf2dyn_ros.stream.effort_queue import EffortQueue, LoadArguments
from urdf2dyn_ros.stream.output import Output

MAX_EFFORTS = 2048
"""Measured efforts that are kept: more than the longest lag of an estimator in samples."""


class Stream:
    """
    From the fields of messages to efforts, for one model and one estimator.

    No output is better than a wrong one: nothing is computed across a gap, from positions that are
    not finite or from too few samples, and every output is finite. Every message is counted by its
    outcome.

    Parameters
    ----------
    joint_names : sequence of str, (n,)
        In the model's order.
    continuous : sequence of bool, (n,)
        Which joints are continuous; only their positions are unwrapped.
    inverse_dynamics : callable
        (q, qd, qdd, *load_arguments) -> effort, each (n,), or a tuple of effort and the wrench
        (6,) on the root, in new arrays. Raises StateError if one of them is not finite.
    estimator : Estimator
        Used by this stream alone.
    clock : callable
        Returns the present time [ns].
    limits : ndarray, (n, 2), optional
        Lower and upper positions [rad]; infinite for joints that have none or are measured in m.
    load_arguments : callable
        Returns the load arguments of `inverse_dynamics` at an estimate; a key of
        ``JOINT_STATE_OUTCOMES`` if they are unknown; None if they are not known yet: see `resume`.
    **parameters
        Rows of ``PARAMETERS`` by name, checked by `check_all`.

    Attributes
    ----------
    counters : Counter
        By the keys of ``JOINT_STATE_OUTCOMES`` and ``JOINT_STATE_EVENTS``; they only increase.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('max_gap', 0.1, 'Longest step between stamps that is neither a gap nor a clock '
                  'jump; nor are steps of up to five median periods.', unit='s', minimum=0.0,
                  maximum=3600.0),
        Parameter('max_skew', 0.0, 'Largest difference of the stamps of joints that form one '
                  'sample but are received in several messages; 0 for 1.5 median periods.',
                  unit='s', minimum=0.0, maximum=3600.0),
        Parameter('use_receive_time', False, 'Use the time of receipt for messages without a '
                  'stamp, which are dropped otherwise.'),
    )

    def __init__(self, joint_names: Sequence[str], continuous: Sequence[bool],
                 inverse_dynamics: Callable[..., Array | tuple[Array, Array]],
                 estimator: Estimator, *, clock: Callable[[], int],
                 limits: Array | None = None,
                 load_arguments: LoadArguments = lambda estimate: (),
                 **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.counters: Counter[str] = Counter()
        self._samples = Samples(joint_names, continuous, self.counters,
                                max_gap=round(values['max_gap'] * 1e9),
                                max_skew=round(values['max_skew'] * 1e9))
        self._names = tuple(joint_names)
        self._positions = PositionCheck(limits if limits is not None else np.tile(
            (-np.inf, np.inf), (len(self._names), 1)))
        self._velocities = VelocityCheck(len(self._names))
        self._efforts = EffortQueue(inverse_dynamics, load_arguments, self.counters)
        self._estimator = estimator
        self._clock = clock
        self._use_receive_time: bool = values['use_receive_time']
        self._not_measured = np.full(len(self._names), np.nan)
        self._measured: deque[tuple[int, Array]] = deque(maxlen=MAX_EFFORTS)
        self._last_output = 0
        self._restart()

    @property
    def unknown_joints(self) -> tuple[str, ...]:
        """Names in messages that are no joints of the model, the first few."""
        return self._samples.unknown

    @property
    def missing_joints(self) -> tuple[str, ...]:
        """Names of the joints that were not received yet, or not recently."""
        return self._samples.missing

    @property
    def newest(self) -> int | None:
        """Newest stamp [ns]; None before the first message."""
        return self._samples.newest or None

    @property
    def age(self) -> int | None:
        """Age of the newest stamp [ns]; None before the first message."""
        newest = self.newest
        return None if newest is None else self._clock() - newest

    @property
    def warnings(self) -> tuple[str, ...]:
        """Positions and velocities that are not credible, and why, in sentences."""
        return tuple(f'{what} of {self._names[joint]!r}: {text}'
                     for what, check in (('position', self._positions),
                                         ('velocity', self._velocities))
                     for joint, text in check.warnings.items())

    def accelerate(self, stamp: int, names: Sequence[str], accelerations: Sequence[float]) -> None:
        """
        Add accelerations for the estimator ``external``.

        Parameters
        ----------
        stamp : int
            [ns].
        names : sequence of str
            All joints of the model, in any order; others are dropped.
        accelerations : sequence of float
            [rad/s^2 or m/s^2], one for each name.

        """
        self.counters['accelerations'] += 1
        values = dict(zip(names, accelerations)) if len(names) == len(accelerations) else {}
        qdd = np.array([values.get(name, np.nan) for name in self._names], dtype=np.float64)
        if not (isinstance(self._estimator, Accelerated) and is_stamp(stamp)
                and is_finite(qdd) and self._estimator.accelerate(stamp, qdd)):
            self.counters['accelerations_ignored'] += 1

    def receive(self, stamp: int, names: Sequence[str], position: Sequence[float],
                velocity: Sequence[float], effort: Sequence[float],
                compute: bool = True) -> Output | None:
        """
        Add the fields of one message; return the output if there is one.

        Parameters
        ----------
        stamp : int
            [ns]; 0 for none.
        names : sequence of str
            In any order; those that are no joints of the model are dropped.
        position, velocity, effort : sequence of float
            [rad or m], [rad/s or m/s], [N m or N], one for each name; the last two may be empty
            or NaN where they are not measured.
        compute : bool
            False to add the sample without computing efforts, because a newer message waits.

        """
        # the results are checked: numpy need not warn of numbers that are too large
        with np.errstate(all='ignore'):
            result = self._process(stamp, names, position, velocity, effort, compute)
        self.counters['received'] += 1
        return self._counted(result)

    def resume(self) -> Iterator[Output]:
        """Yield the outputs of messages whose load arguments are known by now."""
        for result in self._efforts.resume():
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
                 compute: bool) -> Output | str | None:
        if stamp == 0 and self._use_receive_time:
            stamp = self._clock()
        if not is_stamp(stamp):
            return 'no_stamp'
        sample = self._samples.add(stamp, names, position, velocity, effort)
        if isinstance(sample, str):
            return sample
        if sample.restart:
            self._restart(sample.gap)
        if not self._positions.update(sample.stamp, sample.q, sample.qd):
            self._restart()
            return 'two_sources'
        self._measured.append((sample.stamp, sample.effort))
        return self._compute(sample, compute)

    def _compute(self, sample: Sample, compute: bool) -> Output | str | None:
        qd = self._velocities.update(sample.stamp, sample.q, sample.qd)
        if self._velocities.dropping:
            self.counters['velocity_doubted'] += 1
        estimate = self._estimator.update(sample.stamp, sample.q, qd)
        if not estimate.valid:
            return 'warming_up'
        if estimate.stamp <= self._last_output:
            return 'same_instant'
        if not compute:
            return 'overtaken'
        result = self._efforts.add(estimate, self._measured_at(estimate.stamp))
        if result == 'not_finite':
            self._restart()
        elif not isinstance(result, str):
            self._last_output = estimate.stamp
        return result

    def _restart(self, gap: bool = False) -> None:
        self._efforts.clear()
        if gap and isinstance(self._estimator, Learning):
            self._estimator.forget_motion()
        else:
            self._estimator.reset()
        self._positions.restart()
        self._velocities.restart()
        self._measured.clear()
        self._last_output = 0

    def _measured_at(self, stamp: int) -> Array:
        while self._measured and self._measured[0][0] < stamp:
            self._measured.popleft()
        if self._measured and self._measured[0][0] == stamp:
            return self._measured[0][1]
        return self._not_measured
