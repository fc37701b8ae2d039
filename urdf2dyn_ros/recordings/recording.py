"""The contract of every recording: records in the order of the file, in constant memory."""

import codecs
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.columns import QUANTITIES, IsJoint, Unit, reading_text
from urdf2dyn_ros.robot.spatial import Array

ProgressCallback = Callable[[float], None]

NOT_RECORDED: Array = np.zeros(0)   # values of a quantity that was not recorded
ANGULAR = ('position', 'velocity', 'acceleration')   # quantities that may be in degrees
_DEGREE = np.pi / 180.0   # [rad]
_LONGEST_HEAD = 1_000_000   # bytes of a first line that are looked at
_PROGRESS_STEP = 0.01   # fraction after which progress is reported again


class Record(NamedTuple):
    """
    The values of k joints at one instant; empty if not recorded, NaN if not measured.

    As in a message, the lengths are not checked.
    """

    stamp: int   # [ns]
    names: Sequence[str]
    position: Array   # [rad or m]
    velocity: Array   # [rad/s or m/s]
    effort: Array   # [N m or N]
    acceleration: Array = NOT_RECORDED   # [rad/s^2 or m/s^2]


class Recording(ABC):
    """
    A file, or a directory of them, that can be iterated over any number of times.

    No file is open between iterations, and nothing is ever written.

    Raises
    ------
    RecordingError
        By the constructor or during an iteration: a missing, wrong, empty or damaged file. The
        records before a defect are yielded first.

    """

    topic = ''   # that is read, where there are topics
    plan = False   # whether it is a motion that is wanted, by points, not one that was measured
    degrees = False   # whether angles whose unit it does not state are in degrees
    reading = ''   # the units that it states, in words
    apart = ''   # why it is no motion that was measured, or not in this unit of time
    in_order = False   # whether the order of the joints is that of a person, as in a table
    remedy = 'copy it again from where it was recorded'   # if it is damaged

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.size = sum(each.stat().st_size for each in (
                path.iterdir() if path.is_dir() else [path]) if each.is_file())
        except OSError as error:
            raise RecordingError(path, f'cannot be read: {error.strerror}') from None
        self.progress: ProgressCallback | None = None   # of the fraction that has been read
        self.joint_names: tuple[str, ...] = ()   # those of the first record
        self.remarks: list[str] = []   # peculiarities of the recording
        # that it states, by quantity and joint
        self.units: dict[str, dict[str, Unit | None]] = {}
        self.error: RecordingError | None = None   # the defect at which `records_of` ended
        self.plans: list[int] = []   # number of points of each trajectory that was read
        self._begin()

    def check_single(self) -> None:
        """Raise a RecordingError for several plans, whose points together are no motion."""
        if len(self.plans) > 1 and max(self.plans) > 1:
            raise RecordingError(
                self.path, f'{len(self.plans)} trajectories, of {self.plans[0]}, '
                f'{self.plans[1]} ... points, and a plan is one: keep one of them, as YAML: '
                'ros2 topic echo --once TOPIC > plan.yaml')

    def check_measured(self) -> None:
        """Raise a RecordingError for rows that are too far apart for a measured motion."""
        if self.apart:
            raise RecordingError(self.path, self.apart)

    def records_of(self, is_joint: IsJoint, used: Sequence[str] = QUANTITIES,
                   until_defect: bool = False) -> Iterator[Record]:
        """
        Return the records for a robot with these joints; `units` and `reading` are of it at once.

        Angles without a unit are as recorded: see `in_radians`. A RecordingError if a unit of a
        quantity that is used is unknown. Behind one record at least, a defect may be kept.
        """
        self._choose(is_joint, used)
        self.error = None
        return self._until_defect() if until_defect else self._counted()

    def _choose(self, is_joint: IsJoint, used: Sequence[str] = QUANTITIES) -> None:
        """Choose what the records have, by the joints and the quantities that are used."""
        self.reading = reading_text({}, self.degrees)

    def in_radians(self, record: Record, units: Sequence[str]) -> Record:
        """Return a record without degrees, from the SI units of its joints."""
        if not self.degrees:
            return record
        changed: dict[str, Any] = {}
        for what in ANGULAR:
            values, stated = np.asarray(getattr(record, what)), self.units.get(what, {})
            if len(values) == len(record.names):
                changed[what] = values * [
                    _DEGREE if unit == 'rad' and stated.get(name) is None else 1.0
                    for name, unit in zip(record.names, units)]
        return record._replace(**changed)

    def _begin(self) -> None:
        self.count = 0   # records so far
        self._first = self._last = 0
        self._reported = 0.0

    @abstractmethod
    def _records(self) -> Iterator[Record]:
        """Yield all records; any exception means a defect."""

    def __iter__(self) -> Iterator[Record]:
        """Yield the records for a robot of which nothing is known: every joint turns."""
        self._choose(lambda name: False)
        for record in self._counted():
            yield self.in_radians(record, ['rad'] * len(record.names))

    def _counted(self) -> Iterator[Record]:
        self._begin()
        try:
            for record in self._records():
                if self.count == 0:
                    self.joint_names = tuple(record.names)
                    self._first = self._last = record.stamp
                elif record.stamp > self._last:
                    self._last = record.stamp
                elif record.stamp < self._first:   # of a clock that was set back
                    self._first = record.stamp
                self.count += 1
                yield record
        except RecordingError:
            raise
        # libraries raise many types on damaged bytes
        except Exception as error:
            raise self.defect(f'damaged ({one_line(error)}): {self.remedy}') from error
        if self.count == 0:
            raise self.defect('it contains no records')
        self._report(1.0)

    def _until_defect(self) -> Iterator[Record]:
        try:
            yield from self._counted()
        except RecordingError as error:
            if not self.count:
                raise
            self.error = error

    def defect(self, message: str) -> RecordingError:
        """Return an error that includes how much was read."""
        return RecordingError(self.path, message, self.count, (self._last - self._first) * 1e-9)

    def _report(self, fraction: float) -> None:
        next_step = min(self._reported + _PROGRESS_STEP, 1.0)
        if self.progress is not None and fraction >= next_step > self._reported:
            self._reported = fraction
            self.progress(fraction)

    def remark(self, text: str) -> None:
        """Add a remark once."""
        if text not in self.remarks:
            self.remarks.append(text)


def file_fault(path: Path) -> str:
    """Return why a path is neither a file nor a directory, or an empty text."""
    if not path.exists():
        return 'there is no such file or directory'
    return '' if path.is_file() or path.is_dir() else (
        'a pipe or a device, not a file; it is read several times: write it to a file first')


def text_encoding(path: Path) -> str:
    """Return UTF-16, by its mark, or UTF-8; Latin-1, as of degree signs, if line 1 is not."""
    with path.open('rb') as file:
        head = file.readline(_LONGEST_HEAD)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return 'utf-16'
    try:
        head.decode('utf-8-sig')
    except UnicodeDecodeError:
        return 'latin-1'
    return 'utf-8-sig'


def one_line(error: Exception) -> str:
    """Return the message of an exception in one line, or the name of its class."""
    return ' '.join(str(error).split()).rstrip('.') or type(error).__name__
