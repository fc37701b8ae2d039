"""Recordings as CSV: a header with the names of columns, and a row for every instant."""

import math
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from pathlib import Path

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.csv_rows import CsvRow, bad_cell, cell_numbers, column_list, csv_rows
from urdf2dyn_ros.recordings.recording import NOT_RECORDED, Record, Recording
from urdf2dyn_ros.recordings.time_unit import CHECKED_ROWS, check_time_unit
from urdf2dyn_ros.stamps import MAX_STAMP, SECOND_NS

_TIME = 'time'
_PREFIXES = {'position': ('q_', 'position_'), 'velocity': ('qd_', 'velocity_'),
             'effort': ('effort_',), 'acceleration': ('qdd_', 'acceleration_')}
"""Prefixes of a column's name, before that of the joint."""

_RULE = ("a table needs a column 'time' [s], and for every joint q_<joint>; where they are "
         'measured, qd_<joint>, qdd_<joint> and effort_<joint>')
_TIME_WORDS = {'t', 'sec', 'secs', 'seconds', 'stamp', 'timestamp', 'time'}
"""Names by which other programs call the time, in lower case and without signs and units."""

_MISSING = -1
_LONGEST_TIME = MAX_STAMP // SECOND_NS
_LARGEST_TIME = 10**20
"""Largest time that is credible in any unit."""


class CsvRecording(Recording):
    """A table without topics; an empty cell or NaN was not measured. Errors name the cell."""

    def __init__(self, path: Path, topic: str | None = None) -> None:
        super().__init__(path)
        if topic:
            raise RecordingError(path, f'a table has no topics: omit --topic {topic}')
        rows = self._rows()
        columns = _Columns(next(rows)[1], self)   # a wrong header is an error at once
        self._check_time_unit(columns, rows)
        rows.close()

    def _check_time_unit(self, columns: '_Columns', rows: Iterator[tuple[int, list[str]]]) -> None:
        """Raise a RecordingError if the times of the first rows are not in seconds."""
        times, records = [], []
        with suppress(RecordingError):   # a defect is reported behind the rows before it
            for _, row in islice(rows, CHECKED_ROWS):
                with suppress(ValueError, ArithmeticError, IndexError):
                    time, values = columns.entries([*row, ''])
                    if abs(time) < _LARGEST_TIME:
                        times.append(time)
                        records.append(values)
        if records:
            positions, velocities, _, accelerations = columns.quantities(np.array(records))
            if not velocities.size:
                velocities = np.full_like(positions, np.nan)
            check_time_unit(self.path, times, positions, velocities, accelerations.size > 0)

    def _records(self) -> Iterator[Record]:
        rows = self._rows()
        _, header = next(rows)
        columns, far = _Columns(header, self), ''
        for line, row in rows:
            row.append('')   # for missing columns
            try:
                record = columns.record(row)
            except (ValueError, ArithmeticError):
                raise self.defect(bad_cell(line, header, row, columns.used, columns.is_good)
                                  ) from None
            if record is not None:
                yield record
                continue
            cell = row[columns.used[0]]
            far = far or (f'rows whose time is beyond +-2^63 ns are dropped, the first is line '
                          f'{line}: {cell[:40]!r}; is it in seconds?')
            self.remark(far)

    def _rows(self) -> Generator[CsvRow, None, None]:
        return csv_rows(self.path, self.defect, self.remark,
                        lambda read: self._report(min(read / self.size, 1.0 - 1e-9)))


class _Columns:
    """
    The meaning of columns; RecordingError if names are missing or ambiguous.

    `used` are the columns that are read, first that of the time.
    """

    def __init__(self, names: Sequence[str], recording: CsvRecording) -> None:
        self.joints = tuple(dict.fromkeys(
            name[len(prefix):] for name in names for prefix in _PREFIXES['position']
            if name.startswith(prefix) and name != prefix))
        if _TIME not in names or not self.joints:
            raise recording.defect(_missing_columns(names, bool(self.joints)))
        self.used = [names.index(_TIME)]
        self._read, self._slices = [*self.used], {}
        for what, prefixes in _PREFIXES.items():
            chosen = []
            for joint in self.joints:
                columns = [prefix + joint for prefix in prefixes if prefix + joint in names]
                if len(columns) > 1:
                    raise recording.defect(
                        f'columns with the same meaning: {column_list(columns)}')
                chosen.append(names.index(columns[0]) if columns else _MISSING)
            present = [column for column in chosen if column != _MISSING]
            self.used += present
            if present:
                self._slices[what] = slice(len(self._read), len(self._read) + len(chosen))
                self._read += chosen
        ignored = [name for column, name in enumerate(names) if column not in self.used]
        if ignored:
            recording.remark(f'columns that are not read: {column_list(ignored)}')

    def record(self, row: Sequence[str]) -> Record | None:
        """
        Return a row as a record; None if its time is beyond the range of a stamp.

        ValueError or ArithmeticError is raised if a cell is not a number.
        """
        time, values = self.entries(row)
        if time.is_finite() and not -_LONGEST_TIME <= time <= _LONGEST_TIME:
            return None   # before it is an integer, which may have a million digits
        stamp = round(time * SECOND_NS)
        if np.isinf(values).any():
            raise ValueError
        return Record(stamp, self.joints, *self.quantities(values))

    def entries(self, row: Sequence[str]) -> tuple[Decimal, Array]:
        """Return the time of a row as it is written [s], and all of its numbers."""
        cells = [row[column] for column in self._read]
        # a float of seconds since 1970 does not resolve nanoseconds
        return Decimal(cells[0]), np.array(cell_numbers(cells))

    def quantities(self, values: Array) -> list[Array]:
        """Return each quantity of some rows (..., c): (..., n), or (0,) if not recorded."""
        return [values[..., self._slices[what]] if what in self._slices else NOT_RECORDED
                for what in _PREFIXES]

    def is_good(self, column: int, value: float) -> bool:
        """Return whether a cell of this column may have a value."""
        return not (math.isinf(value) or (column == self.used[0] and math.isnan(value)))


def _missing_columns(names: Sequence[str], joints: bool) -> str:
    """Return what a table lacks, the rule, and a remedy."""
    if len(names) == 1:
        return (f'line 1 is one column, {column_list(names)}: columns are separated by commas, '
                f'semicolons or tabs, and {_RULE}')
    missing = [] if _TIME in names else [f'no column {_TIME!r}']
    missing += [] if joints else ['no column q_<joint>']
    alike = [name for name in names
             if re.sub(r'\[.*|\(.*|[^a-z]', '', name.lower()) in _TIME_WORDS]
    remedy = (f'; rename {alike[0]!r} to {_TIME!r}, if it is in seconds'
              if alike and _TIME not in names else '')
    return (f'{" and ".join(missing)}: {_RULE}{remedy}; the columns are: {column_list(names)}')
