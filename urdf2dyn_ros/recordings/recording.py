"""The contract of every recording: records in the order of the file, in constant memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError

ProgressCallback = Callable[[float], None]

NOT_RECORDED: Array = np.zeros(0)
"""Of a quantity that was not recorded."""

_STEP = 0.01
"""How often progress is told: whenever this fraction more has been read."""


class Record(NamedTuple):
    """
    What was recorded of some joints at one instant.

    Attributes
    ----------
    stamp : int
        [ns].
    names : sequence of str
        Of k joints.
    position, velocity, effort, acceleration : ndarray, (k,) or (0,)
        [rad or m], [rad/s or m/s], [N m or N], [rad/s^2 or m/s^2]; empty where not recorded, NaN
        where not measured. As in a message, nothing makes sure of the lengths.

    """

    stamp: int
    names: Sequence[str]
    position: Array
    velocity: Array
    effort: Array
    acceleration: Array = NOT_RECORDED


class Recording(ABC):
    """
    A file, or a directory of them, that can be iterated over any number of times.

    Nothing is kept open between two iterations, and nothing is ever written beside the recording.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    path : Path
    topic : str
        The topic that is read; empty where there are none.
    size : int
        Of all files [bytes].
    progress : callable or None
        Called with the fraction that has been read, if anything is known of it.
    count : int
        Records given so far.
    joint_names : tuple of str
        Those of the first record.
    remarks : list of str
        Peculiarities of the recording.
    error : RecordingError or None
        The defect at which `until_defect` ended.

    Raises
    ------
    RecordingError
        When it is made or iterated over: no such file, of another kind, empty, or damaged. The
        records before the defect have been given by then.

    """

    topic = ''

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = _size(path)
        self.progress: ProgressCallback | None = None
        self.joint_names: tuple[str, ...] = ()
        self.remarks: list[str] = []
        self.error: RecordingError | None = None
        self._begin()

    def _begin(self) -> None:
        self.count = 0
        self._first = self._last = 0
        self._told = 0.0

    @abstractmethod
    def _records(self) -> Iterator[Record]:
        """Yield all records; any exception means a defect."""

    def __iter__(self) -> Iterator[Record]:
        self._begin()
        try:
            for record in self._records():
                if self.count == 0:
                    self.joint_names = tuple(record.names)
                    self._first = record.stamp
                self._last = record.stamp
                self.count += 1
                yield record
        except RecordingError:
            raise
        # whatever a library raises on bytes that are not what they should be
        except Exception as error:
            raise self.defect(f'damaged ({said(error)}); copy it anew from where it was recorded, '
                              'or go on with what has been read') from error
        if self.count == 0:
            raise self.defect('there are no records in it')
        self._tell(1.0)

    def until_defect(self) -> Iterator[Record]:
        """Yield the records up to the end or a defect, which is kept; at least one record."""
        self.error = None
        try:
            yield from self
        except RecordingError as error:
            if not self.count:
                raise
            self.error = error

    def defect(self, message: str) -> RecordingError:
        """Return an error that says how far reading got."""
        return RecordingError(self.path, message, self.count, (self._last - self._first) * 1e-9)

    def _tell(self, fraction: float) -> None:
        if self.progress is not None and fraction >= min(self._told + _STEP, 1.0) > self._told:
            self._told = fraction
            self.progress(fraction)

    def remark(self, text: str) -> None:
        """Add what is odd, unless it has been said."""
        if text not in self.remarks:
            self.remarks.append(text)


def said(error: Exception) -> str:
    """Return what an exception says, in one line, or its name if it says nothing."""
    return ' '.join(str(error).split()).rstrip('.') or type(error).__name__


def _size(path: Path) -> int:
    try:
        if path.is_dir():
            return sum(entry.stat().st_size for entry in path.iterdir() if entry.is_file())
        return path.stat().st_size
    except OSError as error:
        raise RecordingError(path, f'cannot be read: {error.strerror}') from None
