"""A motion through points, as in trajectory_msgs/JointTrajectory, also from a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.recordings.table import CsvRecording
from urdf2dyn_ros.robot.model import Joint, Limits
from urdf2dyn_ros.robot.parameters import yaml_fault
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.simulation.trajectories import Trajectory
from urdf2dyn_ros.text import SECOND_NS, counted, listed

# ---- A motion through points, as in trajectory_msgs/JointTrajectory

_LATEST = 2.0**31
"""A time [s] that a trajectory_msgs/JointTrajectory cannot have: its seconds are 32 bits."""

_INSTANTS = 20
"""Instants between two points at which the limits are checked."""

_MOST_POINTS = 10_000
"""Most points of a trajectory, unless another number is set."""

_TOLERANCE = 1e-6
"""Share of a limit by which rounding may exceed it."""


class Point(NamedTuple):
    """
    Positions (k,) of the named joints at a time since the start of the trajectory [s].

    Velocities and accelerations are (k,), or empty if they are not known.
    """

    time: float
    positions: Sequence[float]
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()


class ViaPoints(Trajectory):
    """
    A motion from a state (q, qd, qdd) through points, in the order of their times, to rest.

    With velocities the position between points is a polynomial of degree 3, with accelerations
    too one of degree 5, and without both a cubic spline that ends at rest. Joints that are not
    named keep their position; a first point at time 0 is ignored if another one follows.

    Unknown joints, points of the wrong size, times that do not increase, and motions that exceed
    a limit of position or velocity raise a SimulationError.
    """

    def __init__(self, joints: Sequence[Joint], limits: Sequence[Limits],
                 present: tuple[Array, Array, Array], names: Sequence[str],
                 points: Sequence[Point], most_points: int = _MOST_POINTS) -> None:
        # scipy needs half a second: a motion of another kind does not import it
        from scipy.interpolate import BPoly, CubicSpline
        joint_names = [joint.name for joint in joints]
        if len(points) > 1 and points[0].time == 0.0:
            points = points[1:]
        _check(joint_names, names, points, most_points)
        self.centre = np.array(present[0])
        self._columns = [joint_names.index(name) for name in names]
        times = np.array([0.0, *(point.time for point in points)])
        self.duration = float(times[-1])
        start = [part[self._columns] for part in present]
        known = 1 + bool(len(points[0].velocities)) + bool(len(points[0].accelerations))
        rows = [start[:known], *(point[1:1 + known] for point in points)]
        values = np.array(rows, dtype=float)   # (points, known, k)
        if not (np.isfinite(values).all() and np.isfinite(times).all()):
            raise SimulationError('trajectory: every number in it must be finite')
        if self.duration >= _LATEST:
            raise SimulationError(f'trajectory: its last time is {self.duration:g} s; a message '
                                  f'has times below {_LATEST:g} s, are they in seconds?')
        with np.errstate(over='ignore', invalid='ignore'):   # an error of its own, below
            if known == 1:
                ends = (1, start[1]), (1, np.zeros(len(names)))
                self._q = CubicSpline(times, values[:, 0], bc_type=ends)
            else:
                self._q = BPoly.from_derivatives(times, list(values))
            self._qd, self._qdd = self._q.derivative(), self._q.derivative(2)
        self._last = values[-1, 0]
        share = np.linspace(0.0, 1.0, _INSTANTS)
        at = (times[:-1, None] + np.outer(np.diff(times), share)).ravel()
        for number, q, qd in zip(self._columns, self._q(at).T, self._qd(at).T, strict=True):
            _check_limit(joints[number], limits[number], q, qd)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        q, qd, qdd = self.centre.copy(), 0.0 * self.centre, 0.0 * self.centre
        if t < self.duration:
            t = max(t, 0.0)
            q[self._columns] = self._q(t)
            qd[self._columns], qdd[self._columns] = self._qd(t), self._qdd(t)
        else:
            q[self._columns] = self._last
        return q, qd, qdd


def _check(known: Sequence[str], names: Sequence[str], points: Sequence[Point],
           most_points: int) -> None:
    """Reject names and sizes that cannot be interpolated."""
    unknown = [name for name in names if name not in known]
    if unknown or len(set(names)) < len(names) or not names:
        raise SimulationError(f'trajectory of {listed(names) or "no joint"}: its joints must be '
                              f'some of {listed(known)}, each once')
    if not 0 < len(points) <= most_points:
        raise SimulationError(f'trajectory: it has {len(points)} points, 1 to '
                              f'{most_points} are allowed')
    first = points[0]
    before = 0.0
    for number, point in enumerate(points):
        size, *others = map(len, point[1:])
        allowed = [[0, 0], [len(names), 0], [len(names)] * 2]
        if size != len(names) or others not in allowed or others != [*map(len, first[2:])]:
            raise SimulationError(
                f'trajectory, point {number}: {len(names)} positions are needed, and as many '
                'velocities and accelerations or none, the same at all points (accelerations '
                'only with velocities)')
        if not point.time > before:
            raise SimulationError(f'trajectory, point {number}: its time {point.time:g} s must be '
                                  f'after {before:g} s')
        before = point.time


def _check_limit(joint: Joint, limits: Limits, q: Array, qd: Array) -> None:
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):   # no limit would be exceeded
        raise SimulationError(f'trajectory: joint {joint.name!r} would not have finite positions '
                              'and velocities; its numbers are too large, or its times too near')
    beyond = _TOLERANCE * max(1.0, float(np.abs(q).max()))
    if joint.type != 'continuous' and (
            (limits.lower is not None and q.min() < limits.lower - beyond)
            or (limits.upper is not None and q.max() > limits.upper + beyond)):
        raise SimulationError(f'trajectory: joint {joint.name!r} would be between {q.min():g} and '
                              f'{q.max():g}, its limits are {limits.lower} and {limits.upper}')
    fastest = float(np.abs(qd).max())
    if limits.velocity and fastest > (1.0 + _TOLERANCE) * limits.velocity:
        raise SimulationError(f'trajectory: joint {joint.name!r} would move at {fastest:g}, its '
                              f'limit is {limits.velocity:g}; give it more time')


# ---- A motion that a file has: a table, or a trajectory_msgs/JointTrajectory as YAML

_MOST_OF_FILE = 100_000

_RULE = ('a trajectory_msgs/JointTrajectory is needed: joint_names, and points with positions and '
         'time_from_start: {sec: 0, nanosec: 0}, as urdf2dyn excite writes it')


class TrajectoryPoints(NamedTuple):
    """Names of k joints, points of these, and whether the first point is the start."""

    names: Sequence[str]
    points: Sequence[Point]
    begins: bool


def trajectory_from_file(path: str, joints: Sequence[Joint], limits: Sequence[Limits],
                         centre: Array) -> ViaPoints:
    """
    Return the motion of a file, for all n joints of a robot.

    The file is a table (.csv) with time [s], q_<joint>, and if known qd_<joint> and qdd_<joint>,
    which begins at its first row; or a JointTrajectory (.yaml, .yml), which begins at `centre`
    (n,) [rad or m]. A SimulationError for a file that has not the joints of the robot, or a motion
    beyond a limit; a RecordingError for a damaged table.
    """
    file = Path(path).expanduser()
    if file.suffix.lower() not in TRAJECTORY_FILES:
        raise SimulationError(f'trajectory file {path!r}: must end in '
                              f'{", ".join(TRAJECTORY_FILES)}')
    trajectory = TRAJECTORY_FILES[file.suffix.lower()](file)
    known = [joint.name for joint in joints]
    missing = [name for name in known if name not in trajectory.names]
    if missing:
        raise SimulationError(f'{path}: the joints {", ".join(map(repr, missing))} of the robot '
                              'are missing; the file has '
                              f'{", ".join(map(repr, trajectory.names)) or "none"}')
    start = np.array(centre)
    if trajectory.begins:
        if len(trajectory.points) < 2:
            raise SimulationError(f'{path}: {counted(len(trajectory.points), "row")}, at least 2 '
                                  'are needed')
        first = dict(zip(trajectory.names, trajectory.points[0].positions))
        start = np.array([first[name] for name in known])
    try:
        return ViaPoints(joints, limits, (start, 0.0 * start, 0.0 * start), trajectory.names,
                         trajectory.points, _MOST_OF_FILE)
    except SimulationError as error:
        raise SimulationError(f'{path}: {error}') from None


def _table(path: Path) -> TrajectoryPoints:
    records = list(CsvRecording(path))
    first = records[0]
    points = [Point((each.stamp - first.stamp) / SECOND_NS, *(row.tolist() for row in (
        each.position, each.velocity, each.acceleration))) for each in records]
    return TrajectoryPoints(tuple(first.names), points, True)


def _message(path: Path) -> TrajectoryPoints:
    try:
        content = yaml.safe_load(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise SimulationError(f'cannot read {path}: {error.strerror}') from None
    except (yaml.YAMLError, ValueError) as error:   # an integer of 5000 digits, no UTF-8
        raise SimulationError(f'{path} is no YAML: {yaml_fault(error)}') from None
    try:
        names = [str(name) for name in content['joint_names']]
        points = [_point(each) for each in content['points']]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise SimulationError(f'{path}: {_RULE}') from None
    return TrajectoryPoints(names, points, False)


def _point(entry: Mapping[str, Any]) -> Point:
    time = entry['time_from_start']
    rows = [[float(value) for value in entry.get(name) or ()]
            for name in ('positions', 'velocities', 'accelerations')]
    return Point(float(time['sec']) + 1e-9 * float(time.get('nanosec', 0)), *rows)


TRAJECTORY_FILES: dict[str, Callable[[Path], TrajectoryPoints]] = {
    '.csv': _table, '.yaml': _message, '.yml': _message}
"""Readers by the suffix of a file."""
