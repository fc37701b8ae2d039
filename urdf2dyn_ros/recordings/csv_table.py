"""Recordings as CSV: a header with the names of columns, and a row for every instant."""

import csv
import math
import re
from collections.abc import Generator, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TextIO

import numpy as np

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.quoting import first_names
from urdf2dyn_ros.recordings.recording import NOT_RECORDED, Record, Recording
from urdf2dyn_ros.stamps import MAX_STAMP, SECOND_NS

_TIME = 'time'
_PREFIXES = {'position': ('q_', 'position_'), 'velocity': ('qd_', 'velocity_'),
              'effort': ('effort_',), 'acceleration': ('qdd_', 'acceleration_')}
"""Prefixes of a column's name, before that of the joint."""

_RULE = ("a column 'time' [s], and of every joint q_<joint>, and if you have them qd_<joint>, "
        'qdd_<joint> and effort_<joint>')
_LONGEST_LINE = 1_000_000
_MOST_NAMES = 40
_MISSING = -1
_LONGEST_TIME = MAX_STAMP // SECOND_NS
_SEPARATORS = {',': 'commas', ';': 'semicolons', '\t': 'tabs'}
_PLAIN = re.compile(r'[0-9eE+.naNA -]*').fullmatch
"""float() also accepts 1_0, infinity and digits of other scripts, which are mistakes here."""


class CsvRecording(Recording):
    """A table without topics; an empty cell or NaN was not measured. Errors name the cell."""

    def __init__(self, path: Path, topic: str | None = None) -> None:
        super().__init__(path)
        if topic:
            raise RecordingError(path, f'a table has no topics: omit --topic {topic}')
        rows = self._rows()
        _Columns(next(rows)[1], self)   # a wrong header is an error at once
        rows.close()

    def _records(self) -> Iterator[Record]:
        rows = self._rows()
        _, header = next(rows)
        columns = _Columns(header, self)
        width, far = len(header), ''
        for line, row in rows:
            if len(row) != width:
                raise self.defect(f'line {line}: {len(row)} cells, but {width} columns; is the '
                                  'file truncated there?')
            row.append('')   # for missing columns
            try:
                record = columns.record(row)
            except (ValueError, ArithmeticError):
                raise self._bad(row, header, columns.used, line) from None
            if record is not None:
                yield record
                continue
            cell = row[columns.used[0]]
            far = far or (f'rows whose time is beyond +-2^63 ns are dropped, the first is line '
                          f'{line}: {cell[:40]!r}; is it in seconds?')
            self.remark(far)

    def _rows(self) -> Generator[tuple[int, list[str]], None, None]:
        """Yield number and cells of every line that is not empty, the header first."""
        try:
            with self.path.open(encoding='utf-8-sig', newline='') as file:
                first = file.readline(_LONGEST_LINE)
                if not first.strip():
                    raise self.defect('an empty file' if not first else 'line 1: no header')
                separator = max(_SEPARATORS, key=first.count)
                if separator != ',':
                    self.remark(f'columns are separated by {_SEPARATORS[separator]}')
                file.seek(0)
                reader = csv.reader(self._lines(file), delimiter=separator,
                                    skipinitialspace=True, strict=True)
                for row in reader:
                    if row:
                        yield reader.line_num, row
        except UnicodeDecodeError as error:
            raise self.defect(f'not UTF-8 ({error.reason}): not a table, or in another '
                              'encoding; save it as UTF-8') from None
        except csv.Error as error:
            raise self.defect(f'line {reader.line_num}: {error}') from None
        except OSError as error:
            raise self.defect(f'cannot be read: {error.strerror}') from None

    def _lines(self, file: TextIO) -> Iterator[str]:
        read = 0
        while line := file.readline(_LONGEST_LINE):
            if len(line) == _LONGEST_LINE or '\0' in line:
                raise self.defect('not a table: a line has no end, or there are bytes that are '
                                  'not text')
            read += len(line)
            self._report(min(read / self.size, 1.0 - 1e-9))
            yield line

    def _bad(self, row: Sequence[str], header: Sequence[str], used: Sequence[int],
             line: int) -> RecordingError:
        """Return an error with the cell."""
        for column in used:
            cell = row[column]
            if (column == used[0] and not cell) or not _is_number(cell, column == used[0]):
                comma = ' (with a decimal comma? write a point)' if ',' in cell else ''
                return self.defect(f'line {line}, column {header[column].strip()!r}: {cell!r} is '
                                   f'not a number{comma}')
        return self.defect(f'line {line}: not all cells are numbers')


class _Columns:
    """
    The meaning of columns; RecordingError if names are missing or ambiguous.

    `used` are the columns that are read, first that of the time.

    """

    def __init__(self, header: Sequence[str], recording: CsvRecording) -> None:
        names = [name.strip() for name in header]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise recording.defect(f'duplicate columns: {_listed(twice)}')
        self.joints = tuple(dict.fromkeys(
            name[len(prefix):] for name in names for prefix in _PREFIXES['position']
            if name.startswith(prefix) and name != prefix))
        if _TIME not in names or not self.joints:
            raise recording.defect(f'{_RULE} are needed; the columns are: {_listed(names)}')
        self.used = [names.index(_TIME)]
        self._chosen: dict[str, list[int]] = {}
        for what, prefixes in _PREFIXES.items():
            self._chosen[what] = []
            for joint in self.joints:
                columns = [prefix + joint for prefix in prefixes if prefix + joint in names]
                if len(columns) > 1:
                    raise recording.defect(f'columns with the same meaning: {_listed(columns)}')
                self._chosen[what].append(names.index(columns[0]) if columns else _MISSING)
            present = [column for column in self._chosen[what] if column != _MISSING]
            self.used += present
            if not present:
                self._chosen[what] = []
        ignored = [name for column, name in enumerate(names) if column not in self.used]
        if ignored:
            recording.remark(f'columns that are not read: {_listed(ignored)}')

    def record(self, row: Sequence[str]) -> Record | None:
        """
        Return a row as a record; None if its time is beyond the range of a stamp.

        ValueError or ArithmeticError is raised if a cell is not a number.

        """
        if not _PLAIN(''.join([row[column] for column in self.used])):
            raise ValueError
        # a float of seconds since 1970 does not resolve nanoseconds
        time = Decimal(row[self.used[0]])
        if not time.is_nan() and not -_LONGEST_TIME <= time <= _LONGEST_TIME:
            return None   # before it is an integer, which may have a million digits
        stamp = round(time * SECOND_NS)
        values = [np.array([float(row[column] or 'nan') for column in chosen]) if chosen
                  else NOT_RECORDED for chosen in self._chosen.values()]
        if any(np.isinf(entries).any() for entries in values):
            raise ValueError
        return Record(stamp, self.joints, *values)


def _is_number(cell: str, finite: bool) -> bool:
    try:
        value = float(cell or 'nan')
    except ValueError:
        return False
    return bool(_PLAIN(cell)) and not math.isinf(value) and not (finite and math.isnan(value))


def _listed(names: Sequence[str]) -> str:
    return first_names(list(map(repr, names)), _MOST_NAMES)
