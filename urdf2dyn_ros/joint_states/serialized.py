"""Serialized joint states, read and written without creating message objects."""

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS

_LITTLE_ENDIAN = b'\0\1'
_STAMP_BEGIN, _STAMP_END = 4, 12

_stamp = struct.Struct('<iI')
_number = np.dtype('<f8')


class Fields(NamedTuple):
    """Fields of a JointState; the lengths are not checked."""

    stamp: int   # [ns]
    names: Any
    position: Any   # [rad or m]
    velocity: Any   # [rad/s or m/s]
    effort: Any   # [N m or N]


class SerializedJointStates:
    """
    Reads joint states ten times faster than a library, as long as their layout stays the same.

    A driver sends the same names in every message, so that the numbers are at the same places.
    These follow from CDR's rules of alignment; they are used only if the numbers there equal those
    that the library decodes with `decode`.
    """

    def __init__(self, decode: Callable[[bytes], Fields]) -> None:
        self._decode = decode
        self._length = 0
        self._mask = self._same = 0                   # bits that do not change, and their values
        self._arrays: list[tuple[int, int]] = []      # how many numbers, and where
        self._names: tuple[str, ...] = ()

    def read(self, data: bytes) -> Fields:
        """Return the fields of a message."""
        if (len(data) == self._length
                and int.from_bytes(data, 'little') & self._mask == self._same):
            second, nanosecond = _stamp.unpack_from(data, _STAMP_BEGIN)
            return Fields(second * SECOND_NS + nanosecond, self._names,
                          *[np.frombuffer(data, _number, *array) for array in self._arrays])
        fields = self._decode(data)
        self._length = 0
        if fields.names is not None and data[:2] == _LITTLE_ENDIAN:
            self._learn(data, fields, tuple(fields.names))
        return fields

    def _learn(self, data: bytes, fields: Fields, names: tuple[str, ...]) -> None:
        fixed, places, end = _layout(data, len(names), [len(values) for values in fields[2:]])
        arrays = [(len(values), place) for values, place in zip(fields[2:], places)]
        if end <= len(data) and all(
                data[place:place + 8 * count] == np.array(values, _number).tobytes()
                for (count, place), values in zip(arrays, fields[2:])):
            mask = bytearray(len(data))
            for span in fixed:
                mask[span] = b'\xff' * (span.stop - span.start)
            self._mask = int.from_bytes(mask, 'little')
            self._same = int.from_bytes(data, 'little') & self._mask
            self._length, self._arrays, self._names = len(data), arrays, names


class JointStateTemplate:
    """
    Writes joint states of the same n joints into a message that a library has written.

    These bytes have n names and three times n numbers.
    """

    def __init__(self, data: bytes, joints: int) -> None:
        self._data = bytearray(data)
        self._q, self._qd, self._effort = (
            np.frombuffer(self._data, _number, joints, place)
            for place in _layout(data, joints, [joints] * 3)[1])

    def filled(self, stamp: int, q: Array, qd: Array, effort: Array) -> bytes:
        """Return a serialized message with a stamp [ns] and three arrays (n,), as in `Fields`."""
        _stamp.pack_into(self._data, _STAMP_BEGIN, *divmod(stamp, SECOND_NS))
        self._q[:], self._qd[:], self._effort[:] = q, qd, effort
        return bytes(self._data)


def _layout(data: bytes, names: int,
            lengths: Sequence[int]) -> tuple[list[slice], list[int], int]:
    """Return what does not change (strings, counts; not padding), places of numbers, the end."""
    fixed, places, place = [slice(0, _STAMP_BEGIN)], [], _STAMP_END

    def keep(is_text: bool) -> None:
        nonlocal place
        begin = _aligned(place, 4)
        length = struct.unpack_from('<I', data, begin)[0] if is_text else 0
        place = begin + 4 + int(length)
        fixed.append(slice(begin, place))

    for is_text in (True, False, *[True] * names):   # frame_id, number of names, names
        keep(is_text)
    for length in lengths:
        keep(False)
        if length:
            place = _aligned(place, 8)
        places.append(place)
        place += 8 * length
    return fixed, places, place


def _aligned(place: int, size: int) -> int:
    """Return the next place of a number of so many bytes; CDR counts after a header of four."""
    return place + (4 - place) % size
