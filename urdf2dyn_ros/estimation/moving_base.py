"""
The motion of the root of a robot with a moving base, from a sensor on one of its links.

Each message is checked, its velocities and their derivatives are estimated by the filters of the
joints (`Rates`), and the motion of the sensor is kept by stamp (`SensorHistory`). At the stamp of
the joints, it is transformed to the root (`Mounting`).
"""

import math
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.equations.links import REFERENCE, link_frame, next_frame
from urdf2dyn_ros.estimation.estimators import BANDWIDTH, fastest_kalman
from urdf2dyn_ros.estimation.kalman import Estimate, Verdict
from urdf2dyn_ros.estimation.messages import Steps, is_finite
from urdf2dyn_ros.estimation.outcomes import (
    BASE_ABSENCES,
    BASE_OUTCOMES,
    Absence,
    Count,
    Event,
    Outcome,
)
from urdf2dyn_ros.robot.joints import Motion
from urdf2dyn_ros.robot.loads import GRAVITY, GRAVITY_PARAMETER
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import Multibody, make_multibody
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import Array, Vector, cross
from urdf2dyn_ros.text import is_stamp, listed, quote

HISTORY_LENGTH = 1024   # samples that are kept: a second at 1 kHz
LONGEST_PREDICTION = 20_000_000   # ns, or a period where that is longer; then it is constant
MOST_WARNINGS = 5   # frames that are reported
WARNING_MESSAGES = 1000   # good messages after which a warning ends
LARGEST_RATE = 1e6   # rad/s, m/s or m/s^2, velocity or acceleration that is credible
NOT_MEASURED = -1.0   # first entry of a covariance without measurement (sensor_msgs/Imu)
QUATERNION_TOLERANCE = 1e-2   # of its length, which is 1
SCALE = 1e-2   # of velocities as the filters see them: none is near a turn
# of messages without a fault
ACCEPTED_BASE_OUTCOMES = (Outcome.USED, Outcome.WARMING_UP, Outcome.SAME_INSTANT)


class SensorState(NamedTuple):
    """Filtered velocities with their derivatives, and the part that is not filtered."""

    velocities: Array   # (k,), angular first [rad/s or m/s]
    accelerations: Array   # (k,), their derivatives
    jerks: Array   # (k,), the second ones
    unfiltered: Array   # (3,), specific force or gravity [m/s^2], in the sensor's axes

    def after(self, h: float) -> 'SensorState':
        """
        Return the state h [s] later, with constant jerks.

        What is not filtered is constant in the axes of the world: in those of the sensor, which
        rotate by the angle a, it is u - a x u + a x (a x u) / 2.
        """
        velocities, accelerations, jerks, unfiltered = self
        angle = h * (velocities + h / 2.0 * (accelerations + h / 3.0 * jerks))
        a_x, a_y, a_z = angle[:3].tolist()
        u_x, u_y, u_z = unfiltered.tolist()
        first = cross((a_x, a_y, a_z), (u_x, u_y, u_z))
        second = cross((a_x, a_y, a_z), first)
        return SensorState(velocities + h * (accelerations + h / 2.0 * jerks),
                           accelerations + h * jerks, jerks,
                           unfiltered - np.array(first) + 0.5 * np.array(second))


class SensorHistory:
    """
    Samples by stamp: linear between two of them, predicted for a short time after the newest.

    The newest sample is used up to an age of `max_age` [ns]; beyond `timeout` [ns] it is stale,
    and a step is not interpolated. `motion` returns the values of a state, which predicts them.
    `behind` is the age of the newest sample at the last stamp of `at` [ns].
    """

    def __init__(self, timeout: int, max_age: int,
                 motion: Callable[[SensorState], Array]) -> None:
        self._timeout, self._max_age, self._motion = timeout, max_age, motion
        self.samples: deque[tuple[int, Array]] = deque(maxlen=HISTORY_LENGTH)
        self._state: SensorState   # of the last sample
        self.behind = 0

    def append(self, stamp: int, values: Array, state: SensorState) -> bool:
        """Add values (k,) of a stamp [ns]; return False if it is no newer than the last."""
        if self.samples and stamp <= self.samples[-1][0]:
            return False
        self.samples.append((stamp, values))
        self._state = state
        return True

    def at(self, stamp: int, newest: int) -> Array | Absence:
        """
        Return the values (k,) at a stamp [ns], or why there are none.

        The `newest` message [ns], 0 for none, is a sample or will become one.
        """
        if not newest:
            return Absence.BASE_MISSING
        after, later = self.samples[-1] if self.samples else (newest, None)
        self.behind = stamp - after
        if self.behind > self._timeout:
            return Absence.BASE_STALE
        if later is None:
            return Absence.BASE_WARMING_UP
        if self.behind > self._max_age:
            return Absence.BASE_BEHIND
        if self.behind >= 0:
            if not self.behind:
                return later
            period = after - self.samples[max(len(self.samples) - 2, 0)][0]
            ahead = min(self.behind, max(period, LONGEST_PREDICTION))
            return self._motion(self._state.after(ahead * 1e-9))
        for before, earlier in reversed(self.samples):
            if before <= stamp:
                if after - before > self._timeout:
                    return Absence.BASE_GAP
                return earlier + (stamp - before) / (after - before) * (later - earlier)
            after, later = before, earlier
        return Absence.BASE_FORGOTTEN


class Mounting:
    """A link that a sensor is mounted on."""

    def __init__(self, system: Multibody, link: str) -> None:
        number, self._link = system.links[link]
        self._bodies = [system.bodies[i] for i in system.chain(number)]

    def root_motion(self, motion: Motion, q: Sequence[float], qd: Sequence[float],
                    qdd: Sequence[float]) -> Motion:
        """
        Return the motion of the root's origin in the root frame, from that of the link.

        With w, wd, a of the link in root axes, and its motion relative to the root (rel):
        w0 = w - w_rel,  wd0 = wd - wd_rel - w0 x w_rel,
        a0 = a - a_rel - 2 w0 x v_rel - wd0 x p - w0 x (w0 x p).

        Angular velocity [rad/s], its derivative [rad/s^2] and the acceleration of the origin minus
        gravity [m/s^2] of the link are in its own axes; the joints (n,) are independent.
        """
        frame = REFERENCE
        for body in self._bodies:
            frame = next_frame(frame, body, body.at(q, qd, qdd))
        R, p, v, a, w, wd = link_frame(frame, self._link)
        w0 = R @ motion.w - w
        wd0 = R @ motion.wd - (wd + cross(w0, w))
        coriolis = 2.0 * cross(w0, v)
        lever = cross(wd0, p) + cross(w0, cross(w0, p))
        return Motion(w0, wd0, R @ motion.a - (a + (coriolis + lever)))


class Rates:
    """
    Derivatives of velocities (k,), by the estimator of joints with velocities as its positions.

    A step of a velocity, as by an impact, is to it another zero of a sensor: it is believed when
    the third sample confirms it.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        BANDWIDTH,
        Parameter('lag', 0.0, 'How much older the motion of the base is than the newest base '
                  "data; a lag reduces noise. No more than that of the joints' estimator.",
                  unit='s', minimum=0.0, maximum=0.5),
    )

    def __init__(self, channels: int, *, lag: float, bandwidth: float) -> None:
        # filters are weighted by how well they know the first derivative
        self._filter = fastest_kalman()(channels, lag=lag, bandwidth=bandwidth, derivative=1)
        self._none = np.full(channels, np.nan)
        self.reset, self.pause = self._filter.reset, self._filter.pause

    def update(self, stamp: int, velocities: Array) -> Estimate:
        """Add a sample (k,) of a stamp [ns]; q, qd and qdd are velocities and derivatives."""
        estimate = self._filter.update(stamp, SCALE * velocities, self._none)
        q, qd, qdd = (each / SCALE for each in (estimate.q, estimate.qd, estimate.qdd))
        return estimate._replace(q=q, qd=qd, qdd=qdd)


class MovingBase(ABC):
    """
    Common base of the sensors: checks, history, and the transformation to the root.

    No motion is better than a wrong one: there is none before accelerations are known, across a
    gap, nor from stale data. Every message is counted by its outcome, and every stamp without a
    motion by its reason: the `counters`, by the keys of ``BASE_OUTCOMES``, ``BASE_EVENTS`` and
    ``BASE_ABSENCES``, only increase. Each sensor has its own `receive`, which adds the fields of
    one message and returns its outcome: the stamp [ns], `frame`, the name of the link that the
    sensor is on, and the first entries of the `covariances` of two measurements, -1 where there is
    no such measurement.

    `clock` returns the present time [ns]; gravity (3,) [m/s^2] is in the world's frame.
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
    MEASURES_GRAVITY: ClassVar[bool] = False   # the others need that of the model
    CHANNELS: ClassVar[int]   # measured velocities, whose derivatives are estimated

    def __init__(self, model: RobotModel, *, clock: Callable[[], int],
                 gravity: tuple[float, float, float] = GRAVITY,
                 counters: Counter[str] | None = None, **parameters: Any) -> None:
        self._values = values = check_all(self.PARAMETERS, parameters)
        self.counters: Counter[str] = Counter() if counters is None else counters
        self._gravity = Vector(*GRAVITY_PARAMETER.check(gravity))
        timeout, max_age = (round(values[name] * 1e9) for name in ('timeout', 'max_age'))
        self._rates = Rates(self.CHANNELS, **{
            row.name: values[row.name] for row in Rates.PARAMETERS})
        self._clock = clock
        self._system = make_multibody(model)
        self._robot, fixed = model.name, self._system.world - {model.root}
        # those that move with the robot
        self._links = [link for link in self._system.links if link not in fixed]
        self._mounting = Mounting(self._system, model.root)
        self._steps = Steps()
        self._newest, self._frame = 0, ''   # of the last usable message, [ns]
        self._accepted = 0   # usable messages
        # sentences about frames, each with the number of messages that were usable before
        self._warnings: dict[str, tuple[str, int]] = {}
        # the part of each message that is not filtered
        self._unfiltered: deque[tuple[int, Array]] = deque(maxlen=HISTORY_LENGTH)
        self._history = SensorHistory(timeout, max_age, self.sensor_motion)
        self._rejection: Outcome | None = None   # of the last message

    def proceed(self, before: 'MovingBase') -> None:
        """Go on with the messages of the same sensor before; else begin anew."""
        if (type(before) is type(self) and before._values == self._values
                and before._frame in self._links
                and (self.MEASURES_GRAVITY or before._gravity == self._gravity)):
            self._rates, self._steps, self._history = (
                before._rates, before._steps, before._history)
            self._newest, self._frame = before._newest, before._frame
            self._unfiltered, self._accepted = before._unfiltered, before._accepted
            self._mounting = Mounting(self._system, self._frame)

    @property
    def newest(self) -> int | None:
        """Newest stamp [ns]; None before the first message."""
        return self._newest or None

    @property
    def age(self) -> int | None:
        """Age of the newest stamp [ns]; None before the first message."""
        return self._clock() - self._newest if self._newest else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Frames with a fault, the first few, and what to do."""
        return tuple(text for text, before in self._warnings.values()
                     if self._accepted - before < WARNING_MESSAGES)

    def explained(self, absence: Absence) -> str:
        """Return in a sentence why there was no motion at the last stamp."""
        text = BASE_ABSENCES[absence]
        if absence in (Absence.BASE_BEHIND, Absence.BASE_STALE, Absence.BASE_FORGOTTEN):
            behind = self._history.behind
            text += f': the newest is {abs(behind) * 1e-9:.3g} s ' + (
                'older' if behind > 0 else 'newer')
        if self._rejection is not None:
            text += f'; the last message was rejected: {BASE_OUTCOMES[self._rejection]}'
        return text

    def motion_at(self, stamp: int, q: ArrayLike, qd: ArrayLike,
                  qdd: ArrayLike) -> Array | Absence:
        """
        Return the motion of the root's origin, or why it is unknown.

        Between two samples it is linear; after the newest it is the filter's prediction, for up to
        `max_age`. Base data may be received later than the joint states: after BASE_BEHIND, call
        again when there are more.

        Parameters
        ----------
        stamp : int
            Stamp of an estimate of the joints [ns].
        q, qd, qdd : array_like, (n,)
            Independent joints at that stamp: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].

        Returns
        -------
        ndarray, (9,), or Absence
            Angular velocity [rad/s], angular acceleration [rad/s^2] and linear acceleration
            minus gravity [m/s^2], in the root frame; or why there are none.

        """
        motion = self._history.at(stamp, self._newest)
        if not isinstance(motion, Absence):
            w, wd, a = (Vector(*each) for each in motion.reshape(3, 3).tolist())
            root: Array = np.ravel(self._mounting.root_motion(
                Motion(w, wd, a),
                *(np.asarray(each, dtype=np.float64).tolist() for each in (q, qd, qdd))))
            motion = root if is_finite(root) else Absence.BASE_NOT_FINITE
        if isinstance(motion, Absence):
            self.counters[motion] += 1
        return motion

    def _receive(self, stamp: int, frame: str, covariances: Sequence[float],
                 velocities: Sequence[float], rest: Sequence[float]) -> Outcome:
        """Add one message, velocities (CHANNELS,), angular first; return its outcome."""
        # the results are checked: numpy need not warn of numbers that are too large
        with np.errstate(all='ignore'):
            outcome = self._process(stamp, frame, covariances, np.array(velocities, dtype=float),
                                    np.array(rest, dtype=float))
        self.counters[Count.RECEIVED] += 1
        self.counters[outcome] += 1
        self._rejection = None if outcome in ACCEPTED_BASE_OUTCOMES else outcome
        return outcome

    def _process(self, stamp: int, frame: str, covariances: Sequence[float], velocities: Array,
                 rest: Array) -> Outcome:
        unfiltered = self.unfiltered_part(rest)
        fault = self._fault(stamp, frame, covariances, velocities, rest)
        if fault or unfiltered is None:
            return fault or Outcome.NO_ROTATION
        refused, event = self._steps.add(self._newest, stamp)
        if refused:
            return refused
        if event:
            self.counters[event] += 1
            self._restart(learned=event is Event.GAP)
        if frame != self._frame:
            if self._frame:
                self.counters[Count.FRAME_CHANGED] += 1
                self._warn(frame, f'came after that of {quote(self._frame)}: only one sensor may '
                           'publish on this topic')
                self._restart()
            self._mounting = Mounting(self._system, frame)
        self._newest, self._frame = stamp, frame
        self._accepted += 1
        self._unfiltered.append((stamp, unfiltered))
        estimate = self._rates.update(stamp, velocities)
        if not estimate.valid:
            contradictory = estimate.verdict in (Verdict.CONTRADICTORY, Verdict.DISTRUSTED)
            return (Outcome.CONTRADICTORY if contradictory and self._history.samples
                    else Outcome.WARMING_UP)
        while self._unfiltered[0][0] < estimate.stamp:
            self._unfiltered.popleft()
        state = SensorState(estimate.q, estimate.qd, estimate.qdd, self._unfiltered[0][1])
        motion = self.sensor_motion(state)
        if not is_finite(np.concatenate((motion, state.jerks))):
            self._restart()
            return Outcome.NOT_FINITE
        newer = self._history.append(estimate.stamp, motion, state)
        return Outcome.USED if newer else Outcome.SAME_INSTANT

    def _fault(self, stamp: int, frame: str, covariances: Sequence[float],
               *values: Array) -> Outcome | None:
        """Return the outcome of a message that is faulty in itself; None if it is not."""
        if frame not in self._links:
            self._warn(frame, f'is rejected, which is no link of {quote(self._robot)}; the links '
                       f'are {listed(self._links)}: set the frame_id of the sensor to the link '
                       'it is mounted on, or add that link to the URDF')
            return Outcome.UNKNOWN_FRAME
        if any(entry == NOT_MEASURED for entry in covariances):
            return Outcome.NOT_MEASURED
        if not all((np.abs(each) < LARGEST_RATE).all() for each in values):   # or NaN
            return Outcome.NOT_FINITE
        return None if is_stamp(stamp) else Outcome.NO_STAMP

    def _warn(self, frame: str, text: str) -> None:
        self._warnings = {name: warning for name, warning in self._warnings.items()
                          if self._accepted - warning[1] < WARNING_MESSAGES}
        if frame in self._warnings or len(self._warnings) < MOST_WARNINGS:
            self._warnings[frame] = (f'base data with frame_id {quote(frame)} {text}',
                                     self._accepted)

    def _restart(self, learned: bool = False) -> None:
        """Forget every sample, and what the filters have learned or not."""
        if learned:
            self._rates.pause()
        else:
            self._rates.reset()
        self._unfiltered.clear()
        self._history.samples.clear()

    @abstractmethod
    def unfiltered_part(self, rest: Array) -> Array | None:
        """Return the part of a message that is not filtered; None if it is no rotation."""

    @abstractmethod
    def sensor_motion(self, state: SensorState) -> Array:
        """Return angular velocity, angular acceleration and acceleration minus gravity (9,)."""


class Imu(MovingBase):
    """Angular velocity and specific force of sensor_msgs/Imu; its orientation is not used."""

    MEASURES_GRAVITY = True
    CHANNELS = 3

    def receive(self, stamp: int, frame: str, angular_velocity: Sequence[float],
                linear_acceleration: Sequence[float],
                covariances: Sequence[float] = (0.0, 0.0)) -> Outcome:
        """
        Add the fields of one message as `MovingBase` describes them.

        Angular velocity [rad/s] and linear acceleration [m/s^2], (3,) each, are in the frame of
        the sensor; the latter is that of its origin minus gravity: 9.81 upwards at rest. The
        covariances are those of both.
        """
        return self._receive(stamp, frame, covariances, angular_velocity, linear_acceleration)

    def unfiltered_part(self, rest: Array) -> Array:
        return rest

    def sensor_motion(self, state: SensorState) -> Array:
        return np.concatenate((state.velocities, state.accelerations, state.unfiltered))


class Odometry(MovingBase):
    """
    Orientation and twist of nav_msgs/Odometry; its position is not used.

    Both accelerations are derivatives of the twist: that of the origin is vd + w x v, because the
    axes of the twist rotate. The orientation rotates gravity into the link's frame; a heading that
    drifts or jumps has no effect as long as gravity is vertical.
    """

    CHANNELS = 6

    def receive(self, stamp: int, frame: str, orientation: Sequence[float],
                linear: Sequence[float], angular: Sequence[float],
                covariances: Sequence[float] = (0.0, 0.0)) -> Outcome:
        """
        Add the fields of one message as `MovingBase` describes them.

        `frame` is its child_frame_id, the orientation the quaternion x, y, z, w (4,) of that link
        in the world's frame, header.frame_id; velocity of its origin [m/s] and angular velocity
        [rad/s], (3,) each, are relative to the world, in its own axes. The covariances are those
        of pose and twist.
        """
        return self._receive(stamp, frame, covariances, (*angular, *linear), orientation)

    def unfiltered_part(self, rest: Array) -> Array | None:
        """Return gravity in the link's frame [m/s^2]."""
        length = math.hypot(*rest)
        if abs(length - 1.0) > QUATERNION_TOLERANCE:
            return None
        x, y, z, s = (rest / length).tolist()
        # by the conjugate quaternion, into the link's frame
        twice = cross(2.0 * self._gravity, (x, y, z))
        return np.array(self._gravity + (s * twice + cross(twice, (x, y, z))))

    def sensor_motion(self, state: SensorState) -> Array:
        w_x, w_y, w_z, *v = state.velocities.tolist()
        coriolis = cross((w_x, w_y, w_z), (v[0], v[1], v[2]))
        acceleration = state.accelerations[3:] + coriolis - state.unfiltered
        return np.concatenate((state.velocities[:3], state.accelerations[:3], acceleration))


# by the name of the sensor; a robot whose base is fixed needs none
BASE_SENSORS: dict[str, type[MovingBase]] = {'imu': Imu, 'odometry': Odometry}

BASE_PARAMETER = Parameter(
    'base', 'auto', 'Whether the root of the robot moves, and how that is measured: imu (the '
    'topic imu, of a sensor on any link) or odometry (the topic odometry, of any link); auto: imu '
    'if the root has a floating joint, else fixed.', choices=('auto', 'fixed', *BASE_SENSORS))
