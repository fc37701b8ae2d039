"""Bytes of messages in, records out: by the library rosbags, the like of the last directly."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from urdf2dyn_ros.recordings.messages import MESSAGES, SECOND
from urdf2dyn_ros.recordings.recording import Record, Vector

Decoder = Callable[[bytes, int], Iterator[Record]]

JOINT_STATE = 'sensor_msgs/msg/JointState'
LITTLE_ENDIAN = b'\0\1'
STAMPED = 12
"""Where the stamp ends, which is all that changes before the positions."""

_stamp = struct.Struct('<iI').unpack_from


def decoder(kind: str) -> Decoder:
    """
    Return a function of a serialized message and its time of recording [ns].

    The definitions of these types are those of every ROS 2: that a bag has none does not matter.

    """
    store = types()
    records = MESSAGES[kind]

    def decode(data: bytes, recorded: int) -> Iterator[Record]:
        return records(store.deserialize_cdr(data, kind), recorded)

    return JointStates(decode) if kind == JOINT_STATE else decode


@cache
def types() -> Any:
    """Return the library's types, which take a quarter of a second to make."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE)


class JointStates:
    """
    Decodes joint states ten times faster, as long as they are like the last one.

    A driver sends the same names in every message, so that the numbers are at the same places.
    Where they are is computed from CDR's rules of alignment, and believed only if the numbers
    found there are those that the library has found.

    Parameters
    ----------
    decode : callable
        Does it for any message.

    """

    def __init__(self, decode: Decoder) -> None:
        self._decode = decode
        self._length = 0
        self._parts: list[tuple[int, bytes]] = []     # what does not change, and where
        self._arrays: list[tuple[int, int]] = []      # number and place of the numbers
        self._names: Any = ()

    def __call__(self, data: bytes, recorded: int) -> Iterator[Record]:
        """Yield the message's record."""
        if len(data) == self._length and all(
                data[start:start + len(part)] == part for start, part in self._parts):
            second, nanosecond = _stamp(data, 4)
            yield Record(second * SECOND + nanosecond or recorded, self._names,
                         *(np.frombuffer(data, '<f8', *array) for array in self._arrays))
            return
        for record in self._decode(data, recorded):
            self._length = 0
            if data[:2] == LITTLE_ENDIAN:
                self._learn(data, record)
            yield record

    def _learn(self, data: bytes, record: Record) -> None:
        place = _text_end(data, STAMPED)       # frame_id
        place = _aligned(place, 4) + 4         # number of names
        for _ in record.names:
            place = _text_end(data, place)
        parts, arrays = [], []
        start = STAMPED
        for values in record[2:5]:
            place = _aligned(place, 4) + 4
            parts.append((start, bytes(data[start:place])))
            if len(values):
                place = _aligned(place, 8)
            arrays.append((len(values), place))
            place = start = place + 8 * len(values)
        if place <= len(data) and all(
                _same(np.frombuffer(data, '<f8', *array), values)
                for array, values in zip(arrays, record[2:5])):
            self._length, self._parts, self._arrays = len(data), parts, arrays
            self._names = tuple(record.names)


def _text_end(data: bytes, place: int) -> int:
    place = _aligned(place, 4)
    return place + 4 + int(struct.unpack_from('<I', data, place)[0])


def _aligned(place: int, size: int) -> int:
    """Return the next place of a number of so many bytes; CDR counts from behind four bytes."""
    return place + (4 - place) % size


def _same(found: Vector, values: Vector) -> bool:
    return found.tobytes() == values.tobytes()
