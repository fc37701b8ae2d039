"""Messages converted to records: a type of message is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from urdf2dyn_ros.recordings.recording import Record
from urdf2dyn_ros.stamps import SECOND_NS

LATEST_STAMP = 2**31 * SECOND_NS
"""The first stamp that a message of ROS cannot contain [ns]."""

TOO_LATE = ('times beyond 2038, which a message cannot contain, are dropped: are they in '
            'seconds?')


def joint_state(message: Any, recorded: int) -> Iterator[Record]:
    """Yield the record of a JointState; without a stamp its time is `recorded` [ns]."""
    yield Record(_stamp(message) or recorded, message.name, message.position, message.velocity,
                 message.effort)


def joint_trajectory(message: Any, recorded: int) -> Iterator[Record]:
    """Yield a record for every point of a JointTrajectory."""
    start = _stamp(message) or recorded
    for point in message.points:
        after = point.time_from_start
        yield Record(start + after.sec * SECOND_NS + after.nanosec, message.joint_names,
                     point.positions, point.velocities, point.effort, point.accelerations)


MESSAGES: dict[str, Callable[[Any, int], Iterator[Record]]] = {
    'sensor_msgs/msg/JointState': joint_state,
    'trajectory_msgs/msg/JointTrajectory': joint_trajectory,
}
"""Functions by type, in the order in which a topic is searched."""


def _stamp(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec) * SECOND_NS + int(stamp.nanosec)
