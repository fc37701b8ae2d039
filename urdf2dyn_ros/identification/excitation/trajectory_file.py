"""A motion that a file has: a table, or a trajectory_msgs/JointTrajectory as YAML."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.parameters.parameter_file import yaml_fault
from urdf2dyn_ros.recordings.csv_table import CsvRecording
from urdf2dyn_ros.robot_model import Joint, Limits
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.trajectories.via_points import Point, ViaPoints

_MOST_POINTS = 100_000

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
                         trajectory.points, _MOST_POINTS)
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
