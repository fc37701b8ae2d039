"""Motions of simulated robots: a smooth one within their limits, and those of files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.bag import TrajectoryFile
from urdf2dyn_ros.recordings.joint_names import check_units
from urdf2dyn_ros.recordings.plan import Plan
from urdf2dyn_ros.recordings.recording import ANGULAR
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.model import Joint, Limits
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, listed

State: TypeAlias = tuple[Array, Array, Array]
"""q, qd, qdd (n,) [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2]."""

# ---- Two sines for every joint, faded in and out, within the limits

_POSITION_SHARE, _VELOCITY_SHARE = 0.8, 0.6   # largest share of a limit that a motion uses
# largest amplitude and velocity
_LARGEST_LENGTHS, _LARGEST_ANGLES = (0.15, 0.3), (0.8, 1.5)   # [m], [m/s]; [rad], [rad/s]
_GOLDEN = 0.6180339887498949   # multiples modulo 1 never repeat: own frequencies of each joint
_WEIGHTS = np.array([0.6, 0.4])   # of the slow and of the fast sine
_LOWEST, _HIGHEST = np.array([0.15, 0.40]), np.array([0.33, 0.74])   # their frequencies [Hz]


class SmoothTrajectory:
    """
    Every joint swings about its centre by q = centre + amplitude w(t) (0.6 sin a t + 0.4 sin b t).

    The fade w rises from 0 to 1 and falls again, with three continuous derivatives. The motion is
    at rest at `centre` (n,) before 0 and after the duration [s]. Joints are revolute, continuous
    or prismatic; the same arguments give the same motion.
    """

    def __init__(self, types: Sequence[str], limits: Sequence[Limits], duration: float) -> None:
        self.duration = duration
        rows = [_room(*pair) for pair in zip(types, limits, strict=True)]
        self.centre, amplitude, velocity = np.array(rows).reshape(-1, 3).T
        self._fade = min(2.0, duration / 3.0)
        number = np.arange(1, len(self.centre) + 1)[:, None]
        share = np.mod(number * np.array([_GOLDEN, _GOLDEN**2]), 1.0)
        self._w = 2.0 * np.pi * (_LOWEST + (_HIGHEST - _LOWEST) * share)
        # |d/dt (w s)| <= |dw/dt| |s| + |w| |ds/dt|, with the steepest fade in its middle.
        fastest = 35.0 / 16.0 / self._fade + self._w @ _WEIGHTS
        self._amplitude = np.minimum(amplitude, velocity / fastest)

    def __call__(self, t: float) -> State:
        if not 0.0 < t < self.duration:
            return self.centre, 0.0 * self.centre, 0.0 * self.centre
        w, wd, wdd = self._window(t)
        phase = self._w * t
        s = np.sin(phase) @ _WEIGHTS
        sd = (self._w * np.cos(phase)) @ _WEIGHTS
        sdd = -(self._w**2 * np.sin(phase)) @ _WEIGHTS
        A = self._amplitude
        return (self.centre + A * w * s,
                A * (wd * s + w * sd),
                A * (wdd * s + 2.0 * wd * sd + w * sdd))

    def _window(self, t: float) -> tuple[float, float, float]:
        left = self.duration - t
        sign = 1.0 if t < left else -1.0
        x = min(min(t, left) / self._fade, 1.0)
        return ((35.0 - 84.0 * x + 70.0 * x**2 - 20.0 * x**3) * x**4,
                140.0 * (x * (1.0 - x))**3 / self._fade * sign,
                420.0 * (x * (1.0 - x))**2 * (1.0 - 2.0 * x) / self._fade**2)


def _room(kind: str, limits: Limits) -> tuple[float, float, float]:
    """
    Return centre, amplitude [rad or m] and velocity [rad/s or m/s] that limits leave a motion.

    The centre is the position closest to zero with the amplitude to both sides, which is at most
    80 % of the way to the limits; the velocity is at most 60 % of its limit, where 0 is none.
    """
    amplitude, velocity = _LARGEST_ANGLES if JOINTS[kind].turns else _LARGEST_LENGTHS
    # a limit on the position of a continuous joint is not used
    lower, upper = (limits.lower, limits.upper) if JOINTS[kind].bounded else (None, None)
    if lower is not None and upper is not None:
        amplitude = min(amplitude, _POSITION_SHARE * abs(upper - lower) / 2.0)
    swing = amplitude / _POSITION_SHARE
    centre = 0.0
    if lower is not None:
        centre = max(centre, lower + swing)
    if upper is not None:
        centre = min(centre, upper - swing)
    if limits.velocity:
        velocity = min(velocity, _VELOCITY_SHARE * limits.velocity)
    return centre, amplitude, velocity


# ---- A motion that a file has: a table, or a trajectory_msgs/JointTrajectory as YAML

_CHECKED = 20   # instants between two points at which the limits are checked
_TOLERANCE = 1e-6   # share of a limit by which rounding may exceed it


class FileTrajectory:
    """
    The motion of a file, from rest, for all n joints of a robot; between points it is a `Plan`.

    The file is a table with time [s], q_<joint>, and if known qd_<joint> and qdd_<joint>, which
    begins at its first row; or a JointTrajectory (.yaml, .yml), which begins at `centre` (n,) [rad
    or m]: its first point at time 0 is ignored if another one follows. A SimulationError for a
    file that has not the joints of the robot, or a motion beyond a limit of position or velocity;
    a RecordingError for a damaged file.
    """

    def __init__(self, path: str, joints: Sequence[Joint], limits: Sequence[Limits],
                 centre: Array) -> None:
        recording = open_recording(Path(path).expanduser())
        if not (recording.plan or recording.in_order):
            raise SimulationError(f'trajectory file {path!r}: joint states, but a table or a '
                                  'JointTrajectory is needed')
        units = {joint.name: JOINTS[joint.type].unit for joint in joints}
        of_joints = recording.records_of(units.__contains__, ANGULAR)
        check_units(recording, lambda names: names, units)
        records = list(of_joints)
        recording.check_single()
        names = [*records[0].names]
        if sorted(names) != sorted(units):
            raise SimulationError(f'{path}: trajectory of {listed(names) or "no joint"}: its '
                                  f'joints must be {listed([*units])}, each once')
        order, unknown = [names.index(name) for name in units], np.full(len(names), np.nan)
        points = np.array([[np.asarray(values)[order] if len(values) else unknown for values in (
            each.position, each.velocity, each.acceleration)] for each in records]).swapaxes(0, 1)
        known = np.isfinite(points)
        given, every = known.any(axis=(1, 2)), known.all(axis=(1, 2))
        if not every[0] or (given != every).any() or given[2] > given[1]:
            raise SimulationError(f'{path}: every number in it must be finite: positions at each '
                                  'point, and velocities and accelerations at all points or at '
                                  'none (accelerations only with velocities)')
        stamps = np.array([each.stamp for each in records])
        if isinstance(recording, TrajectoryFile):
            if stamps[0] or len(stamps) < 2:
                stamps = np.append(0, stamps)
                points = np.concatenate((points[:, :1], points), axis=1)
            points[0, 0] = centre
        elif len(records) < 2:
            raise SimulationError(f'{path}: 1 row, at least 2 are needed')
        points[1:, 0] = 0.0
        time = (stamps - stamps[0]) / SECOND_NS
        for k in np.flatnonzero(np.diff(time) <= 0.0):
            raise SimulationError(f'{path}: a point at {time[k + 1]:g} s must be after the one '
                                  f'before, at {time[k]:g} s')
        self.duration, self._last = float(time[-1]), points[0, -1]
        with np.errstate(over='ignore', invalid='ignore'):   # an error of its own, below
            self._plan = Plan(time, points)
        share = np.linspace(0.0, 1.0, _CHECKED)
        q, qd, _ = self._plan((time[:-1, None] + np.outer(np.diff(time), share)).ravel())
        for joint, limit, *motion in zip(joints, limits, q.T, qd.T, strict=True):
            fault = _beyond(joint, limit, *motion)
            if fault:
                raise SimulationError(f'{path}: joint {joint.name!r} would {fault}')

    def __call__(self, t: float) -> State:
        if t >= self.duration:
            return self._last, 0.0 * self._last, 0.0 * self._last
        q, qd, qdd = self._plan(max(t, 0.0))
        return q, qd, qdd


def _beyond(joint: Joint, limits: Limits, q: Array, qd: Array) -> str:
    """Return what positions and velocities do that a joint cannot, an empty text if it can."""
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):   # no limit would be exceeded
        return ('not have finite positions and velocities; its numbers are too large, or its '
                'times too near')
    beyond = _TOLERANCE * max(1.0, float(np.abs(q).max()))
    if JOINTS[joint.type].bounded and (
            (limits.lower is not None and q.min() < limits.lower - beyond)
            or (limits.upper is not None and q.max() > limits.upper + beyond)):
        return (f'be between {q.min():g} and {q.max():g}, its limits are {limits.lower} and '
                f'{limits.upper}')
    fastest = float(np.abs(qd).max())
    if limits.velocity and fastest > (1.0 + _TOLERANCE) * limits.velocity:
        return f'move at {fastest:g}, its limit is {limits.velocity:g}; give it more time'
    return ''
