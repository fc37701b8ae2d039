"""The motion of the root of a robot that nothing holds, from the messages of a sensor on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.samples import is_finite
from urdf2dyn_ros.joints.motion import Motion
from urdf2dyn_ros.moving_base.history import ABSENCES, MAX_SAMPLES, History
from urdf2dyn_ros.moving_base.intake import OUTCOMES, TAKEN, Intake
from urdf2dyn_ros.moving_base.mounting import Mounting
from urdf2dyn_ros.moving_base.rates import Rates
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.parameters.gravity import GRAVITY, GRAVITY_PARAMETER
from urdf2dyn_ros.robot_model import RobotModel


class MovingBase(ABC):
    """
    What every sensor has in common: order, history, and the way from its link to the root.

    No motion is better than a wrong one: none is given before accelerations are known, across a
    gap, nor with data that is too old. Every message is counted by what became of it, and every
    question for a motion that had no answer by its reason.

    Parameters
    ----------
    model : RobotModel
        Its links are the valid frames.
    clock : callable
        Returns the present time [ns].
    gravity : tuple of float, (3,)
        [m/s^2], in the world's frame.
    counters : Counter, optional
        Those of the base that this one replaces, to be counted on.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Attributes
    ----------
    counters : Counter
        By the names in ``OUTCOMES``, ``EVENTS`` and ``ABSENCES``; they only ever grow.

    Raises
    ------
    ParameterError
        For an unknown parameter or a value that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('timeout', 0.1, 'How much older than the joint states the newest base data may '
                  'be; also how far apart two of them may be for what lies between.', unit='s',
                  minimum=1e-3, maximum=10.0),
        Parameter('max_age', 0.01, 'The newest base data stands for joint states that are newer '
                  'by up to so much; those that are still newer wait for the next one, and their '
                  'efforts come with it.', unit='s', minimum=0.0, maximum=10.0),
        *Rates.PARAMETERS,
    )
    CHANNELS: ClassVar[int]
    """Number of velocities, whose derivatives are estimated."""

    def __init__(self, model: RobotModel, *, clock: Callable[[], int],
                 gravity: tuple[float, float, float] = GRAVITY,
                 counters: Counter[str] | None = None, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.counters: Counter[str] = Counter() if counters is None else counters
        self._gravity: tuple[float, float, float] = GRAVITY_PARAMETER.check(gravity)
        timeout, max_age = (round(values.pop(name) * 1e9) for name in ('timeout', 'max_age'))
        self._rates = Rates(self.CHANNELS, **values)
        self._clock = clock
        self._system = multibody(model)
        self._intake = Intake(model.name, dict.fromkeys(self._system.links), self.counters)
        self._mounting = Mounting(self._system, model.root)
        # what goes with the velocities of each instant
        self._beside: deque[tuple[int, Array]] = deque(maxlen=MAX_SAMPLES)
        self._history = History(timeout, max_age)
        self._refusal = ''

    @property
    def newest(self) -> int | None:
        """Newest stamp that was taken [ns]; None before the first message."""
        return self._intake.newest or None

    @property
    def age(self) -> int | None:
        """The present time less the newest stamp [ns]; None before the first message."""
        return None if self.newest is None else self._clock() - self.newest

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is wrong with which frames, each once, the first few."""
        return self._intake.doubts

    def explained(self, absence: str) -> str:
        """Return why the last question had no answer, in a sentence; `absence`: its answer."""
        text = ABSENCES[absence]
        if absence in ('base_behind', 'base_stale', 'base_forgotten'):
            behind = self._history.behind
            text += f': the newest is {abs(behind) * 1e-9:.3g} s ' + (
                'older' if behind > 0 else 'newer')
        if self._refusal:
            text += f'; the last message was refused: {OUTCOMES[self._refusal]}'
        return text

    def motion_at(self, stamp: int, q: ArrayLike, qd: ArrayLike,
                  qdd: ArrayLike) -> Array | str:
        """
        Return the motion of the root's origin, or in one word why it is not known.

        Between two samples it is linear; after the newest it stays, for up to `max_age`. Data
        may come later than the joint states: who gets ``base_behind`` may wait and ask again.

        Parameters
        ----------
        stamp : int
            The instant [ns], that of an estimate of the joints.
        q, qd, qdd : array_like, (n,)
            The independent joints then: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].

        Returns
        -------
        ndarray, (9,), or str
            Angular velocity [rad/s], angular acceleration [rad/s^2] and linear acceleration
            minus gravity [m/s^2], in the root frame; or a key of ``ABSENCES``.

        """
        found = self._history.at(stamp)
        if not isinstance(found, str):
            found = self._of_root(found, q, qd, qdd)
        if isinstance(found, str):
            self.counters[found] += 1
        return found

    def _of_root(self, sensor: Array, q: ArrayLike, qd: ArrayLike,
                 qdd: ArrayLike) -> Array | str:
        w_x, w_y, w_z, wd_x, wd_y, wd_z, a_x, a_y, a_z = sensor.tolist()
        motion = Motion((w_x, w_y, w_z), (wd_x, wd_y, wd_z), (a_x, a_y, a_z))
        joints = (np.asarray(x, dtype=np.float64).tolist() for x in (q, qd, qdd))
        root: Array = np.ravel(self._mounting.root_motion(motion, *joints))
        return root if is_finite(root) else 'base_not_finite'

    def _receive(self, stamp: int, frame: str, covariances: Sequence[float],
                 velocities: Sequence[float], rest: Sequence[float]) -> str:
        """
        Take one message; return its outcome.

        Parameters
        ----------
        stamp : int
            [ns].
        frame : str
            Name of the link that the sensor is on.
        covariances : sequence of float
            First entries.
        velocities : sequence of float, (CHANNELS,)
            Angular first.
        rest : sequence of float
            What `_checked` takes.

        """
        # Absurd numbers are judged by their results; numpy need not warn of them on the way.
        with np.errstate(all='ignore'):
            outcome = self._process(stamp, frame, covariances, np.array(velocities, dtype=float),
                                    np.array(rest, dtype=float))
        self.counters['received'] += 1
        self.counters[outcome] += 1
        self._refusal = '' if outcome in TAKEN else outcome
        return outcome

    def _process(self, stamp: int, frame: str, covariances: Sequence[float], velocities: Array,
                 rest: Array) -> str:
        fault = self._intake.refused(frame, covariances, velocities, rest)
        if fault:
            return fault
        beside = self._checked(rest)
        if beside is None:
            return 'no_rotation'
        mounted = self._intake.frame
        fault = self._intake.take(stamp, frame)
        if fault:
            return fault
        if self._intake.restart:
            self._restart()
        if frame != mounted:
            self._mounting = Mounting(self._system, frame)
        self._history.hear(stamp)
        return self._compute(stamp, velocities, beside)

    def _compute(self, stamp: int, velocities: Array, beside: Array) -> str:
        self._beside.append((stamp, beside))
        estimate = self._rates.update(stamp, velocities)
        if not estimate.valid:
            return 'warming_up'
        while self._beside[0][0] < estimate.stamp:
            self._beside.popleft()
        motion = self._motion(estimate.qd, estimate.qdd, self._beside[0][1])
        if not is_finite(motion):
            self._restart()
            return 'not_finite'
        return 'used' if self._history.append(estimate.stamp, motion) else 'same_instant'

    def _restart(self) -> None:
        self._rates.reset()
        self._beside.clear()
        self._history.clear()

    @abstractmethod
    def _checked(self, rest: Array) -> Array | None:
        """Return what of a message is not filtered, or None if it is no rotation."""

    @abstractmethod
    def _motion(self, velocities: Array, derivatives: Array, beside: Array) -> Array:
        """Return angular velocity, angular acceleration and acceleration minus gravity (9,)."""
