"""Serialized messages decoded to records: by rosbags, or like the last one of the same layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from urdf2dyn_ros.joint_states.serialized import Fields, SerializedJointStates
from urdf2dyn_ros.recordings.messages import MESSAGES
from urdf2dyn_ros.recordings.recording import Record

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
