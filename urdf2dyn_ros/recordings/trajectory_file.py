"""Trajectories as YAML: a trajectory_msgs/JointTrajectory, also inside of another message."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.recording import Record, Recording
from urdf2dyn_ros.robot.parameters import yaml_fault
from urdf2dyn_ros.text import SECOND_NS

_LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)   # ten times faster, with libyaml
_RULE = ('a trajectory has joint_names and points, each with positions and time_from_start, as '
         'trajectory_msgs/JointTrajectory')
_QUANTITIES = ('positions', 'velocities', 'effort', 'accelerations')


class TrajectoryFile(Recording):
    """The points of the trajectories in a file, as ``ros2 topic echo`` or MoveIt write them."""

    remedy = _RULE

    def __init__(self, path: Path, topic: str | None = None, columns: Sequence[str] = ()) -> None:
        super().__init__(path)
        if topic or columns:
            raise RecordingError(path, 'a YAML file has no topics and no columns: omit --topic '
                                 'and --columns')

    def _records(self) -> Iterator[Record]:
        try:
            with self.path.open(encoding='utf-8-sig') as file:
                found = [*_trajectories(list(yaml.load_all(file, _LOADER)))]
        except OSError as error:
            raise self.defect(f'cannot be read: {error.strerror}') from None
        except yaml.YAMLError as error:
            raise self.defect(f'no YAML: {yaml_fault(error)}') from None
        if not found:
            raise self.defect(f'no trajectory in it: {_RULE}')
        for trajectory in found:
            names = tuple(map(str, trajectory['joint_names']))
            for number, point in enumerate(trajectory['points'], start=1):
                try:
                    yield Record(_nanoseconds(point['time_from_start']), names, *(
                        _vector(point, name, len(names)) for name in _QUANTITIES))
                except (KeyError, TypeError, ValueError) as error:
                    fault = f'no {error}' if isinstance(error, KeyError) else str(error)
                    raise self.defect(f'point {number}: {fault}; {_RULE}') from None


def _trajectories(data: Any) -> Iterator[Mapping[str, Any]]:
    """Yield what looks like a trajectory, at any depth."""
    if isinstance(data, Mapping) and isinstance(data.get('points'), list) and data.get(
            'joint_names'):
        yield data
    elif isinstance(data, (Mapping, list)):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from _trajectories(each)


def _nanoseconds(time: Any) -> int:
    """Return a duration of ROS 2 or ROS 1, or a number of seconds [ns]."""
    if not isinstance(time, Mapping):
        return round(float(time) * SECOND_NS)
    second, rest = (int(time[new] if new in time else time.get(old, 0))
                    for new, old in (('sec', 'secs'), ('nanosec', 'nsecs')))
    return second * SECOND_NS + rest


def _vector(point: Mapping[str, Any], name: str, joints: int) -> np.typing.NDArray[np.float64]:
    values = np.array(point.get(name) or [], dtype=float)   # YAML takes 1e-3 for a text
    if len(values) not in (0, joints):
        raise ValueError(f'{len(values)} {name} of {joints} joints')
    return values
