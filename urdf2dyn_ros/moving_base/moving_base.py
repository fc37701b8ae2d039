"""The motion of the root of a robot with a moving base, from a sensor on one of its links."""

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.messages import is_finite
from urdf2dyn_ros.joints.motion import Motion
from urdf2dyn_ros.moving_base.history import HISTORY_LENGTH, SensorHistory
from urdf2dyn_ros.moving_base.message_check import ACCEPTED_BASE_OUTCOMES, MessageCheck
from urdf2dyn_ros.moving_base.mounting import Mounting
from urdf2dyn_ros.moving_base.rates import Rates
from urdf2dyn_ros.moving_base.sensor_state import SensorState
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.outcomes import BASE_ABSENCES, BASE_OUTCOMES
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.parameters.gravity import GRAVITY, GRAVITY_PARAMETER
from urdf2dyn_ros.robot_model import RobotModel


class MovingBase(ABC):
    """
    Common base of the sensors: checks, history, and the transformation to the root.

    No motion is better than a wrong one: there is none before accelerations are known, across a
    gap, nor from stale data. Every message is counted by its outcome, and every stamp without a
    motion by its reason: the `counters`, by the keys of ``BASE_OUTCOMES``, ``BASE_EVENTS`` and
    ``BASE_ABSENCES``, only increase. Each sensor has its own `receive`, which adds the fields of
    one message and returns its outcome, a key of ``BASE_OUTCOMES``: the stamp [ns], `frame`, the
    name of the link that the sensor is on, and the first entries of the `covariances` of two
    measurements, -1 where there is no such measurement.

    The links of the model are the valid frames; `clock` returns the present time [ns]; gravity
    (3,) [m/s^2] is in the world's frame; a `compiled` filter runs in C if that is available; the
    parameters are rows of ``PARAMETERS`` by name.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('timeout', 0.1, 'Largest age of the newest base data relative to the joint '
                  'states, and longest step between base data that is interpolated.', unit='s',
                  minimum=1e-3, maximum=10.0),
        Parameter('max_age', 0.01, 'Largest age of base data from which the motion at newer joint '
                  'states is predicted; joint states that are still newer wait for the next base '
                  'data.', unit='s', minimum=0.0, maximum=10.0),
        *Rates.PARAMETERS,
    )
    CHANNELS: ClassVar[int]
    """Number of measured velocities; their derivatives are estimated."""

    def __init__(self, model: RobotModel, *, clock: Callable[[], int],
                 gravity: tuple[float, float, float] = GRAVITY, compiled: bool = False,
                 counters: Counter[str] | None = None, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.counters: Counter[str] = Counter() if counters is None else counters
        self._gravity: tuple[float, float, float] = GRAVITY_PARAMETER.check(gravity)
        timeout, max_age = (round(values.pop(name) * 1e9) for name in ('timeout', 'max_age'))
        self._rates = Rates(self.CHANNELS, compiled, **values)
        self._clock = clock
        self._system = multibody(model)
        fixed = self._system.world - {model.root}   # a sensor there does not move with the robot
        links = [link for link in self._system.links if link not in fixed]
        self._check = MessageCheck(model.name, links, self.counters)
        self._mounting = Mounting(self._system, model.root)
        # the part of each message that is not filtered
        self._unfiltered: deque[tuple[int, Array]] = deque(maxlen=HISTORY_LENGTH)
        self._history = SensorHistory(timeout, max_age, self.sensor_motion)
        self._rejection = ''

    @property
    def newest(self) -> int | None:
        """Newest stamp [ns]; None before the first message."""
        return self._check.newest or None

    @property
    def age(self) -> int | None:
        """Age of the newest stamp [ns]; None before the first message."""
        return None if self.newest is None else self._clock() - self.newest

    @property
    def warnings(self) -> tuple[str, ...]:
        """Frames with a fault, the first few, and what to do."""
        return self._check.warnings

    def explained(self, absence: str) -> str:
        """Return in a sentence why there was no motion at the last stamp: key `absence`."""
        text = BASE_ABSENCES[absence]
        if absence in ('base_behind', 'base_stale', 'base_forgotten'):
            behind = self._history.behind
            text += f': the newest is {abs(behind) * 1e-9:.3g} s ' + (
                'older' if behind > 0 else 'newer')
        if self._rejection:
            text += f'; the last message was rejected: {BASE_OUTCOMES[self._rejection]}'
        return text

    def motion_at(self, stamp: int, q: ArrayLike, qd: ArrayLike,
                  qdd: ArrayLike) -> Array | str:
        """
        Return the motion of the root's origin, or the key of the reason why it is unknown.

        Between two samples it is linear; after the newest it is the filter's prediction, for up to
        `max_age`. Base data may be received later than the joint states: after ``base_behind``,
        call again when there are more.

        Parameters
        ----------
        stamp : int
            Stamp of an estimate of the joints [ns].
        q, qd, qdd : array_like, (n,)
            Independent joints at that stamp: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].

        Returns
        -------
        ndarray, (9,), or str
            Angular velocity [rad/s], angular acceleration [rad/s^2] and linear acceleration
            minus gravity [m/s^2], in the root frame; or a key of ``BASE_ABSENCES``.

        """
        motion = self._history.at(stamp)
        if not isinstance(motion, str):
            motion = self._of_root(motion, q, qd, qdd)
        if isinstance(motion, str):
            self.counters[motion] += 1
        return motion

    def _of_root(self, sensor: Array, *joints: ArrayLike) -> Array | str:
        w_x, w_y, w_z, wd_x, wd_y, wd_z, a_x, a_y, a_z = sensor.tolist()
        motion = Motion((w_x, w_y, w_z), (wd_x, wd_y, wd_z), (a_x, a_y, a_z))
        root: Array = np.ravel(self._mounting.root_motion(motion, *(
            np.asarray(each, dtype=np.float64).tolist() for each in joints)))
        return root if is_finite(root) else 'base_not_finite'

    def _receive(self, stamp: int, frame: str, covariances: Sequence[float],
                 velocities: Sequence[float], rest: Sequence[float]) -> str:
        """Add one message, velocities (CHANNELS,), angular first; return its outcome."""
        # the results are checked: numpy need not warn of numbers that are too large
        with np.errstate(all='ignore'):
            outcome = self._process(stamp, frame, covariances, np.array(velocities, dtype=float),
                                    np.array(rest, dtype=float))
        self.counters['received'] += 1
        self.counters[outcome] += 1
        self._rejection = '' if outcome in ACCEPTED_BASE_OUTCOMES else outcome
        return outcome

    def _process(self, stamp: int, frame: str, covariances: Sequence[float], velocities: Array,
                 rest: Array) -> str:
        fault = self._check.content_fault(frame, covariances, velocities, rest)
        if fault:
            return fault
        unfiltered = self.unfiltered_part(rest)
        if unfiltered is None:
            return 'no_rotation'
        mounted = self._check.frame
        fault = self._check.stamp_fault(stamp, frame)
        if fault:
            return fault
        if self._check.restart:
            self._restart()
        if frame != mounted:
            self._mounting = Mounting(self._system, frame)
        self._history.announce(stamp)
        return self._compute(stamp, velocities, unfiltered)

    def _compute(self, stamp: int, velocities: Array, unfiltered: Array) -> str:
        self._unfiltered.append((stamp, unfiltered))
        estimate = self._rates.update(stamp, velocities)
        if not estimate.valid:
            return 'warming_up'
        while self._unfiltered[0][0] < estimate.stamp:
            self._unfiltered.popleft()
        state = SensorState(estimate.qd, estimate.qdd, self._rates.jerk, self._unfiltered[0][1])
        motion = self.sensor_motion(state)
        if not is_finite(np.concatenate((motion, state.jerks))):
            self._restart()
            return 'not_finite'
        return 'used' if self._history.append(estimate.stamp, motion, state) else 'same_instant'

    def _restart(self) -> None:
        self._rates.reset()
        self._unfiltered.clear()
        self._history.clear()

    @abstractmethod
    def unfiltered_part(self, rest: Array) -> Array | None:
        """Return the part of a message that is not filtered; None if it is no rotation."""

    @abstractmethod
    def sensor_motion(self, state: SensorState) -> Array:
        """Return angular velocity, angular acceleration and acceleration minus gravity (9,)."""
