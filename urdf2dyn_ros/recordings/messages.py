"""Serialized messages decoded to records: a type of message is a function and a line here."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from urdf2dyn_ros.joint_states.serialized import Fields, SerializedJointStates
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


Decoder = Callable[[bytes, int], Iterator[Record]]

JOINT_STATE = 'sensor_msgs/msg/JointState'


def decoder(kind: str) -> Decoder:
    """
    Return a function of a serialized message and its time of recording [ns].

    The definitions of the types are the same in every ROS 2; those in a bag are not needed.
    """
    store = types()
    records = MESSAGES[kind]

    def decode(data: bytes, recorded: int) -> Iterator[Record]:
        return records(store.deserialize_cdr(data, kind), recorded)

    return _joint_states(store) if kind == JOINT_STATE else decode


@cache
def types() -> Any:
    """Return the types of the library, which takes a quarter of a second."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE)


def _joint_states(store: Any) -> Decoder:
    def decoded(data: bytes) -> Fields:
        record, = MESSAGES[JOINT_STATE](store.deserialize_cdr(data, JOINT_STATE), 0)
        return Fields(*record[:5])

    serialized = SerializedJointStates(decoded)

    def decode(data: bytes, recorded: int) -> Iterator[Record]:
        stamp, *fields = serialized.read(data)
        yield Record(stamp or recorded, *fields)

    return decode
