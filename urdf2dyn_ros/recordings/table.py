"""Recordings and other tables: named columns, and a row for every instant."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import chain, compress, count, islice, pairwise, takewhile, zip_longest
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from urdf2dyn_ros.errors import DrawingError, ParameterError, RecordingError
from urdf2dyn_ros.recordings.arrays import KINDS, Defect, Remark, rows_of_columns
from urdf2dyn_ros.recordings.columns import (
    ONLY_JOINT,
    QUANTITIES,
    TIME,
    IsJoint,
    TableColumn,
    Unit,
    are_units,
    bare_positions,
    column_list,
    columns_of_joints,
    find_columns,
    known_unit,
    reading_text,
    split_unit,
)
from urdf2dyn_ros.recordings.recording import (
    NOT_RECORDED,
    Record,
    Recording,
    file_fault,
    text_encoding,
)
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import MAX_STAMP, SECOND_NS, counted, escaped

# ---- Rows of tables and the numbers in their cells, for recordings and for pictures alike

_LONGEST_LINE, _LONGEST_CELL = 1_000_000, 60
_SEPARATORS = {',': 'commas', ';': 'semicolons', '\t': 'tabs'}
_DECIMAL_COMMAS = 'decimal commas: save with points, or with semicolons between columns'
_REMEDIES = tuple((re.compile(form), text) for form, text in (   # for what is not a number
    (r"\d'\d|\d([.,])\d{3}(\1|[.,]\d)", 'save without separators of thousands'),
    (',', _DECIMAL_COMMAS), (r'\d[:T]\d', 'write times in seconds'),
    (r'^\W*(N\W?A\w*|[Nn]ull|NULL|[Nn]one|-+)\W*$',
     'leave cells empty where nothing was measured')))
# float() also accepts 1_0 and digits of other scripts, which are mistakes here
_DECIMAL = re.compile(r'\s*[+-]?\d*([.,])\d*(?:[eE][+-]?\d+)?\s*').fullmatch
_PLAIN_NUMBER = re.compile(r'[0-9eE+.naNAif -]*').fullmatch
_HEAD_LINES = 50   # in which the names of columns are looked for
_NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan', re.IGNORECASE).fullmatch
# parts of a stamp as ROS has it: the same before them, and seconds or nanoseconds
_SECONDS = re.compile(r'(?i)(.*?)sec(?:ond)?s?')
_NANOSECONDS = re.compile(r'(?i)(.*?)(?:n|nano)_?sec(?:ond)?s?')

TableRow = tuple[int, list[str]]


def table_rows(path: Path, defect: Defect, remark: Remark = lambda text: None,
               progress: Callable[[int], None] = lambda characters: None,
               ) -> Generator[TableRow, None, None]:
    """Yield number and cells of every row, first the names, of a file whose bytes say its kind."""
    if fault := file_fault(path):
        raise defect(fault)
    try:
        with path.open('rb') as file:
            begin = file.read(8)
    except OSError as error:
        raise defect(f'cannot be read: {error.strerror}') from None
    columns = next((read for magic, read in KINDS if begin.startswith(magic)), None)
    yield from _with_whole_stamps(
        rows_of_columns(columns(path, defect, remark)) if columns else
        csv_rows(path, defect, remark, progress), defect)


def _with_whole_stamps(rows: Iterator[TableRow], defect: Defect) -> Iterator[TableRow]:
    """Yield rows in which the nanoseconds of a ROS stamp are in the column of its seconds."""
    line, names = next(rows)
    nanoseconds = {match[1]: k for k, name in enumerate(names)
                   if (match := _NANOSECONDS.fullmatch(name))}
    first, second = next(((k, nanoseconds[match[1]]) for k, name in enumerate(names) if (
        match := _SECONDS.fullmatch(name)) and match[1] in nanoseconds), (0, 0))
    if first == second:   # no such pair
        yield line, names
        yield from rows
        return
    for number, row in chain([(line, names)], rows):
        with suppress(ArithmeticError):   # of cells that are no numbers, as of the names
            whole, rest = Decimal(row[first]), Decimal(row[second])
            if not 0 <= rest <= SECOND_NS or abs(whole % 1) > 0:
                raise defect(f'line {number}: {names[first]!r} is {row[first]} and '
                             f'{names[second]!r} {row[second]}, but a stamp has whole seconds, '
                             'and nanoseconds below 1e9 beside them: if each is the whole time, '
                             'delete one of the two columns')
            row[first] = f'{whole + rest.scaleb(-9):f}'
        yield number, row[:second] + row[second + 1:]


def csv_rows(path: Path, defect: Defect, remark: Remark, progress: Callable[[int], None],
             ) -> Generator[TableRow, None, None]:
    """
    Yield number and cells of every line that is not empty, first the names of the columns.

    These differ, and every row has as many cells; a title above them, comments, and a row of units
    below them are allowed. Columns are separated by commas, semicolons, tabs or spaces. What
    ``ros2 topic echo --csv`` and ``rostopic echo -p`` write gets the columns of a recording.
    `defect` returns the error of a text, `remark` is called with what a user should know,
    `progress` with the characters so far.
    """
    try:
        encoding = text_encoding(path)
        if encoding == 'latin-1':
            remark('its head is not UTF-8, and is read as Latin-1')
        with path.open(encoding=encoding, newline='') as file:
            lines = [file.readline(_LONGEST_LINE) for _ in range(_HEAD_LINES)]
            head, units = _line_of_names(lines)
            first = lines[head]
            if not first.strip():
                raise defect(f'{"line 1: no names of columns" if lines[0] else "an empty file"}; '
                             'the first line must name the columns, one of them time')
            if any(line.strip('# \r\n') for line in lines[:head]):
                remark(f'the names of the columns are in line {head + 1}')
            file.seek(0)
            separator = max(_SEPARATORS, key=first.count)
            if separator not in first:
                separator = ' '   # as of numpy.savetxt
            if separator != ',':
                remark(f'columns are separated by {_SEPARATORS.get(separator, "spaces")}')
            reader = csv.reader(_lines(file, head, defect, progress), delimiter=separator,
                                skipinitialspace=True, strict=True)
            first_row = next(filter(None, reader))
            printed = '%time' in first_row and any(name.startswith('field') for name in first_row)
            if first_row[0].startswith(('#', '%')) and not printed:   # a comment
                first_row = [first_row[0].lstrip('#% '), *first_row[1:]]
                first_row = first_row[1 if not first_row[0] else 0:]
            names = [name.strip() for name in first_row]
            rows: Iterable[list[str]] = reader
            named: list[int] = []   # cells with the names of joints, the same in each row
            echoed = _echoed_columns(first_row)
            if echoed:
                named = [*range(3, len(first_row) - len(echoed) + 2)]
                names, rows = echoed, chain([first_row], reader)
            elif printed:
                named = [k for k, name in enumerate(names) if name.startswith('field.name')]
                first_row = next(reader, names)
                names, rows = _printed_columns(names, first_row), chain([first_row], reader)
            first_line = reader.line_num
            if len(names) > 1 and all(map(_PLAIN_NUMBER, names)) and any(names):
                raise defect(f'line {head + 1}: numbers, where the names of the columns should '
                             'be: add a line with them, as time,q_<joint>,...')
            if units:
                [cells] = csv.reader(lines[units:units + 1], delimiter=separator,
                                     skipinitialspace=True)
                names = [f'{name} [{unit}]' if unit and not split_unit(name)[1] else name
                         for name, unit in zip_longest(names, (
                             cell.strip(' []()-') for cell in cells), fillvalue='')]
            twice = sorted(name for name, count in Counter(names).items() if count > 1)
            if twice:
                raise defect(f'line {head + 1}: duplicate columns: {column_list(twice)}; rename '
                             'them')
            yield reader.line_num, names
            decimal = '.' if separator == ',' else ''
            for row in rows:
                if not row or (units and reader.line_num == units + 1):
                    continue
                if decimal != '.':   # commas, or not known yet
                    marks = {match[1] for match in map(_DECIMAL, row) if match}
                    if not decimal and marks == {','}:
                        remark('numbers have decimal commas')
                    elif decimal and '.' in marks:
                        raise defect(f'line {reader.line_num}: decimal points, but commas above')
                    decimal = decimal or max(marks, default='')
                    if decimal == ',':
                        row = [cell.replace(',', '.') for cell in row]
                if named and [row[k:k + 1] for k in named] != [first_row[k:k + 1] for k in named]:
                    raise defect(f'line {reader.line_num}: other joints than in line {first_line}')
                if echoed:
                    row = [*row[:2], *row[named[-1] + 1:]]
                if len(row) != len(names):
                    why = ('; is the file truncated there?' if len(row) < len(names) else
                           f'; {_DECIMAL_COMMAS}' if separator == ',' else '')
                    raise defect(f'line {reader.line_num}: {counted(len(row), "cell")}, but '
                                 f'{counted(len(names), "column")}{why}')
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise defect(f'not {error.encoding.upper()} ({error.reason}): not a table, or in another '
                     'encoding; save it as UTF-8') from None
    except csv.Error as error:
        raise defect(f'line {reader.line_num}: {error}') from None
    except OSError as error:
        raise defect(f'cannot be read: {error.strerror}') from None


def _echoed_columns(cells: Sequence[str]) -> list[str]:
    """Return the columns after the names in a row of ``ros2 topic echo --csv``, which has none."""
    def is_number(cell: str) -> bool:
        with suppress(ValueError):
            return bool(cell_numbers([cell]))
        return False

    if len(cells) < 5 or not (cells[0] + cells[1]).isdigit():
        return []
    names = list(takewhile(lambda cell: not is_number(cell), cells[3:]))
    kinds, left = divmod(len(cells) - 3 - len(names), len(names) or 1)
    return [] if left or not names or not 1 <= kinds <= 3 else [
        'sec', 'nanosec', *(prefix + name for prefix in ('q_', 'qd_', 'effort_')[:kinds]
                            for name in names)]


def _printed_columns(names: Sequence[str], cells: Sequence[str]) -> list[str]:
    """Return the columns of ``rostopic echo -p``, whose rows have the names of the joints."""
    row = dict(zip(names, cells))
    stamp = 'field.header.stamp' if 'field.header.stamp' in names else '%time'

    def column(name: str) -> str:
        match = re.fullmatch(r'field\.(position|velocity|effort)(\d+)', name)
        joint = row.get(f'field.name{match[2]}') if match else None
        return 'time [ns]' if name == stamp else f'{match[1]}_{joint}' if match and joint else name

    return [*map(column, names)]


def cell_numbers(cells: Sequence[str]) -> list[float]:
    """Return the numbers of cells, NaN for an empty one; ValueError if one is not a number."""
    if not _PLAIN_NUMBER(''.join(cells)):
        raise ValueError
    return [float(cell or 'nan') for cell in cells]


def bad_cell(line: int, names: Sequence[str], row: Sequence[str], columns: Sequence[int],
             is_good: Callable[[int, float], bool] = lambda column, value: True) -> str:
    """Return the line, column and text of the first cell that is not a number, or not good."""
    for column in columns:
        with suppress(ValueError):
            if is_good(column, cell_numbers(row[column:column + 1])[0]):
                continue
        cell = row[column]
        remedy = next((f'; {text}' for form, text in _REMEDIES if form.search(cell)), '')
        return (f'line {line}, column {names[column]!r}: {escaped(repr(cell), _LONGEST_CELL)} is '
                f'not a number{remedy}')
    return f'line {line}: not all cells are numbers'


def _line_of_names(lines: Sequence[str]) -> tuple[int, int]:
    """
    Return the indices of the line with the names of columns, and of that of their units, or 0.

    It is the fullest one before the first row of numbers and its units; line 1 where there is no
    such row. A comment counts where there is nothing else, as in what numpy.savetxt writes.
    """
    def is_row(line: str) -> bool:
        words = [*filter(None, re.split(r'[,;|\s"]+', line))]
        return 2 * sum(map(bool, map(_NUMBER, words))) > len(words)

    above = [k for k, line in enumerate(takewhile(lambda line: not is_row(line), lines))
             if line.strip()]
    first = next(filter(is_row, lines), '')
    if not first or sum(lines[k].count('"') for k in above) % 2:
        return 0, 0
    separator = next((mark for mark in ';\t,' if mark in first), None)
    cells = {k: [*filter(str.strip, lines[k].split(separator))] for k in (
        [k for k in above if not lines[k].startswith('#')] or above or [0])}
    last = max(cells)
    units = last if len(cells) > 1 and are_units(cells[last]) else 0
    if units:
        del cells[last]
    return max(cells, key=lambda k: (len(cells[k]), k)), units


def _lines(file: TextIO, head: int, defect: Defect, progress: Callable[[int], None],
           ) -> Iterator[str]:
    """Yield lines, an empty one for each above the head and for each comment below."""
    read = 0
    for number in count():
        if not (line := file.readline(_LONGEST_LINE)):
            return
        if len(line) == _LONGEST_LINE or '\0' in line:
            raise defect('not a table: a line has no end, or there are bytes that are not text')
        read += len(line)
        progress(read)
        yield '\n' if number < head or (number > head and line.startswith('#')) else line


# ---- Recordings as tables: names of columns, and a row for every instant

_RULE = ("a table needs a column 'time' [s], and for every joint q_<joint>; where they are "
         "measured, qd_<joint>, qdd_<joint> and effort_<joint>; other names: --columns "
         "'position={joint}_pos' 'effort=tau{n} [mN m]' 'time=stamp'; without a time: --rate HZ")
_MISSING = -1
_LONGEST_TIME = MAX_STAMP // SECOND_NS
_LARGEST_TIME = 10**20   # that is credible in any unit

_CHECKED_ROWS, _FEWEST_STEPS = 101, 10   # first rows, by which the unit of the time is judged
_LONGEST_STEP = 1.0   # median from which on times need recorded velocities, accelerations [s]
_SLOW_MOTION = 0.1   # motion by positions over that by velocities, up to which they contradict
_UNITS = {'ms': 3, 'us': 6, 'ns': 9}   # powers of ten in a second


class TableRecording(Recording):
    """
    A table without topics; an empty cell or NaN was not measured. Errors name the cell.

    Values are in SI units, those of columns that state another one are converted. Without a time,
    the rows are so many a second as `rate` says [Hz].
    """

    in_order = True

    def __init__(self, path: Path, topic: str | None = None, columns: Sequence[str] = (),
                 rate: float | None = None) -> None:
        super().__init__(path)
        if topic:
            raise RecordingError(path, f'a table has no topics: omit --topic {topic}')
        self._patterns, self._rate = columns, checked_rate(rate)
        self._no_time = False   # whether a column of times has none, and the rate counts
        rows = self._rows()
        self._head, self._names = next(rows)
        self._of_rows = [*self.remarks]   # how rows were read
        self._read_header()   # a wrong header is an error at once
        self._check_time(rows)
        rows.close()

    def _choose(self, is_joint: IsJoint, used: Sequence[str] = QUANTITIES) -> None:
        """Tell units from names by the joints of a robot; RecordingError if one is unknown."""
        self.remarks[:] = self._of_rows
        self.units.clear()
        self._read_header(is_joint)
        for what in used:
            for joint, column in self._columns.get(what, {}).items():
                try:
                    self.units.setdefault(what, {})[joint] = known_unit(what, column)
                except ValueError as error:
                    raise self.defect(f'line {self._head}: {error}') from None
        self._factors = np.array([1.0, *(
            float(unit.factor) if (unit := self.units.get(what, {}).get(joint)) else 1.0
            for what in self._slices for joint in self._joints)])
        check_degrees(self.degrees, self.units, self.defect)
        self.reading = reading_text({TIME: {'': self._time_unit}, **self.units}, self.degrees)

    def _read_header(self, is_joint: IsJoint | None = None) -> None:
        """
        Find the columns; RecordingError if names are missing or ambiguous.

        Without positions these wait for the joints, whose names alone are positions.
        """
        names = self._names
        known, taken = is_joint or (lambda name: False), ''
        found = find_columns(names, self._patterns, known)
        possible: list[str] = []
        if not found.joints['position']:
            possible = bare_positions(names, found)
            if is_joint and (joints := columns_of_joints(names, is_joint)):
                found.joints['position'], taken = joints, 'those with the names of joints'
            elif len(possible) == 1 and ONLY_JOINT.match(possible[0]):
                found = find_columns(names, [*self._patterns, f'position={possible[0]}'], known)
                taken = repr(possible[0])
        if taken:
            found.remarks.append(f'no column says to be a position, and {taken} are taken as '
                                 "those; if they are not, name others: --columns 'position=...'")
        time, columns, desired, remarks = found
        self._joints = tuple(columns['position'])
        if len(names) == 1 and not self._rate:
            raise self.defect(f'line {self._head} is one column, {column_list(names)}: columns '
                              f'are separated by commas, semicolons, tabs or spaces, and {_RULE}'
                              '; bags end in .db3, .mcap or .bag, trajectories in .yaml')
        missing = []
        if not time.name and not self._rate:
            missing.append(f'no column {TIME!r}')
        if not self._joints:
            missing.append('no column q_<joint>' + (
                '; if they are the positions, say so: --columns ' + ' or '.join(
                    f"'position={pattern}'" for pattern in possible) if possible else ''))
        if missing and (is_joint or self._joints):
            raise self.defect('; '.join((
                f'{" and ".join(missing)}: {_RULE}', f'the columns are: {column_list(names)}',
                *self._of_rows)))
        try:
            self._time_unit = known_unit(TIME, time)
        except ValueError as error:
            raise self.defect(f'line {self._head}: {error}') from None
        self._unit = self._time_unit.factor if self._time_unit else Decimal(1)
        # which cells are read, first that of the time; for each quantity one of each joint
        self._cells = [names.index(time.name) if time.name and not self._no_time else _MISSING]
        self._slices: dict[str, slice] = {}
        self._columns: dict[str, dict[str, TableColumn]] = {}
        for what, by_joint in columns.items():
            joint, several = next(((joint, by_joint[joint]) for joint in self._joints
                                   if len(by_joint.get(joint, ())) > 1), ('', []))
            if several:
                twice = column_list([each.name for each in several])
                raise self.defect(f'columns with the same meaning: {twice}; choose one: '
                                  '--columns ' + ' or '.join(f"'{what}={pattern}'" for pattern in (
                                      '{joint}'.join(each.name.rsplit(joint, 1))
                                      for each in several)))
            mine = {joint: by_joint[joint][0] for joint in self._joints if joint in by_joint}
            if mine:
                self._columns[what] = mine
                self._slices[what] = slice(len(self._cells), len(self._cells) + len(self._joints))
                self._cells += [names.index(mine[joint].name) if joint in mine else _MISSING
                                for joint in self._joints]
        for remark in remarks:
            self.remark(remark)
        ignored = [name for column, name in enumerate(names)
                   if column not in self._cells and name not in desired]
        if ignored:
            self.remark(f'columns that are not read: {column_list(ignored)}')

    def _check_time(self, rows: Iterator[TableRow]) -> None:
        """
        Raise a RecordingError if there are no times in the first rows; note if these are `apart`.

        Positions differentiated over steps of a second or more are no motion of a robot. Single
        states, with velocities and accelerations, may be as far apart, unless their positions
        differ by far less than these velocities say, and so may the points of a plan.
        """
        if self._cells[0] == _MISSING:
            return
        times, states, name = list[Decimal](), [], self._names[self._cells[0]]
        with suppress(RecordingError):   # a defect is reported behind the rows before it
            for _, row in islice(rows, _CHECKED_ROWS):
                with suppress(ValueError, ArithmeticError, IndexError):
                    time, values = self._entries(row, 0)
                    if abs(time) < _LARGEST_TIME:
                        times.append(time)
                        states.append(values)
        steps = sorted(after - before for before, after in pairwise(times) if after > before)
        falls = sum(after < before for before, after in pairwise(times))
        check_rate(self._rate, name, bool(steps), self.defect)
        if self._rate:
            self._no_time = True
            self._read_header()
            return
        if len(times) > _FEWEST_STEPS and 3 * falls > len(times):
            raise RecordingError(self.path, f'column {name!r} falls from row to row: sort the '
                                 'rows by their time')
        if len(times) > _FEWEST_STEPS and not steps:
            raise RecordingError(
                self.path, f'column {name!r}: the first {len(times)} rows have the time '
                f'{times[0]}: was it written with too few digits? Write it with all of its '
                'decimals, or, if the steps are equal, add --rate HZ')
        step = float(steps[len(steps) // 2]) if len(steps) >= _FEWEST_STEPS else 0.0
        if step < _LONGEST_STEP:
            return
        if {'velocity', 'acceleration'} <= self._slices.keys():
            q, qd, *_ = self._quantities(np.array(states))
            durations = np.diff(np.array(times, dtype=float))[:, None]
            expected = np.abs(0.5 * (qd[1:] + qd[:-1]) * durations)
            moved = np.abs(np.diff(q, axis=0)) + 0.0 * expected   # NaN where either is unknown
            if np.nansum(moved) >= _SLOW_MOTION * np.nansum(expected + 0.0 * moved):
                return
        said = self._time_unit
        unit = next((unit for unit, power in _UNITS.items()
                     if step < _LONGEST_STEP * 10.0 ** power), 'UNIT')
        stated = f'its name says {said.text}' if said else 'its unit is the second'
        self.apart = (
            f'column {name!r}: it rises by {step:g} s from row to row (median of the first '
            f'{len(times)}), as {stated}, and efforts need many samples a second; if it is '
            + (f'in another unit, correct its name, as {TIME} [ms]' if said else
               f"in {unit}, add --columns '{TIME}={name} [{unit}]'"))

    def _records(self) -> Iterator[Record]:
        rows, far = self._rows(), ''
        _, names = next(rows)
        used = [column for column in self._cells if column != _MISSING]
        time_cell = self._cells[0]

        def is_good(column: int, value: float) -> bool:
            return not (math.isinf(value) or (column == time_cell and math.isnan(value)))

        for number, (line, row) in enumerate(rows):
            try:
                time, values = self._entries(row, number)
                # before it is an integer, which may have a million digits
                if time.is_finite() and not -_LONGEST_TIME <= time <= _LONGEST_TIME:
                    far = far or ('rows whose time is beyond +-2^63 ns are dropped, the first is '
                                  f'line {line}: {row[used[0]][:40]!r}; is it in seconds?')
                    self.remark(far)
                    continue
                stamp = round(time * SECOND_NS)
                if np.isinf(values).any():
                    raise ValueError
            except (ValueError, ArithmeticError):
                raise self.defect(bad_cell(line, names, row, used, is_good)) from None
            yield Record(stamp, self._joints, *self._quantities(values * self._factors))

    def _entries(self, row: Sequence[str], number: int) -> tuple[Decimal, Array]:
        """Return the time of a row as it is written [s], and the numbers of all cells (c,)."""
        cells = ['' if column == _MISSING else row[column] for column in self._cells]
        if self._cells[0] == _MISSING:
            return Decimal(number) / Decimal(self._rate), np.array(cell_numbers(cells))
        # a float of seconds since 1970 does not resolve nanoseconds
        time = Decimal(cells[0])
        return time if self._unit == 1 else time * self._unit, np.array(cell_numbers(cells))

    def _quantities(self, values: Array) -> list[Array]:
        """Return each quantity of some rows (..., c): (..., n), or (0,) if not recorded."""
        return [values[..., self._slices[what]] if what in self._slices else NOT_RECORDED
                for what in QUANTITIES]

    def _rows(self) -> Generator[TableRow, None, None]:
        return table_rows(self.path, self.defect, self.remark,
                          lambda read: self._report(min(read / self.size, 1.0 - 1e-9)))


# ---- Any table with a column of time, as numbers

# our own names of columns, before that of the joint
PREFIXES = {'position': 'q', 'velocity': 'qd', 'acceleration': 'qdd', 'effort': 'effort'}
_LATEST_TIME = 9.2e9   # that nanoseconds in 64 bits can express [s]; later ones are no seconds


class Table(NamedTuple):
    """Numbers of a file: a time [s] that never decreases, and the other columns, (k,) each."""

    time: Array
    columns: dict[str, Array]


def read_table(path: Path, patterns: Sequence[str] = (), degrees: bool = False,
               rate: float | None = None) -> tuple[Table, list[str]]:
    """
    Return a file with names in line 1, one of them that of the time, in SI units, and remarks.

    The columns of joints get our own names, as q_<joint>. The patterns are those of the option
    ``--columns``; angles without a unit may be in degrees; a file without a time has a `rate`
    [Hz]. A DrawingError names the cell.
    """
    def defect(text: str) -> DrawingError:
        return DrawingError(f'{path}: {text}')

    remarks: list[str] = []
    rate = checked_rate(rate)
    rows = table_rows(path, defect, remarks.append)
    head, names = next(rows)
    named = find_columns(names, patterns)
    if not named.time.name and not rate:
        raise defect(f'line {head}: no column is called {TIME!r}, but {column_list(names)}; if '
                     "one of them is a time, say so by --columns 'time=NAME', or add --rate HZ")
    if len(names) == 1 and not rate:
        raise defect(f'line {head}: there is no column besides {named.time.name!r} to draw')
    units: dict[str, dict[str, Unit | None]] = {}
    ours, factors = dict[str, str](), dict[str, float]()
    try:
        units[TIME] = {'': (unit := known_unit(TIME, named.time))}
        factors[named.time.name] = float(unit.factor) if unit else 1.0
        for what, by_joint in named.joints.items():
            units[what] = {}
            for joint, [column, *_] in by_joint.items():
                units[what][joint] = unit = known_unit(what, column)
                ours[column.name] = f'{PREFIXES[what]}_{joint}'
                factors[column.name] = float(unit.factor) if unit else (
                    math.radians(1.0) if degrees and what != 'effort' else 1.0)
    except ValueError as error:
        raise defect(f'line {head}: {error}') from None
    check_degrees(degrees, units, defect)
    values = array('d')
    lines = array('q')
    for line, row in rows:
        try:
            values.extend(cell_numbers(row))
        except ValueError:
            raise defect(bad_cell(line, names, row, range(len(row)))) from None
        lines.append(line)
    if not lines:
        raise defect('there are names of columns, but no values below them')
    columns = {name: factors.get(name, 1.0) * values for name, values in zip(
        names, np.frombuffer(values).reshape(-1, len(names)).T)}
    time = columns.pop(named.time.name) if named.time.name else np.empty(0)
    if rate:
        rises = bool((np.diff(time[:_CHECKED_ROWS]) > 0.0).any())
        check_rate(rate, named.time.name, rises, defect)
        time = np.arange(len(lines)) / rate
    for wrong, message in (
            (~np.isfinite(time), 'there is no time; delete the line'),
            (np.abs(time) > _LATEST_TIME, 'beyond the year 2260; write the time in seconds'),
            (np.diff(time, prepend=time[0]) < 0.0,
             'the time goes back; sort the lines, or keep one recording of several')):
        if wrong.any():
            first = int(wrong.argmax())
            raise defect(f'line {lines[first]}, column {named.time.name!r}, {time[first]:.15g} '
                         f's: {message}')
    remarks += [*named.remarks, *filter(None, [reading_text(units, degrees)])]
    return Table(time, {ours.get(name, name): each for name, each in columns.items()}), remarks


def checked_rate(rate: float | None) -> float:
    """Return the rate [Hz] of rows without a time, 0 for none."""
    if rate is not None and not 0.0 < rate < math.inf:
        raise ParameterError(f'--rate {rate:g}: must be a number of rows a second above 0')
    return rate or 0.0


def check_rate(rate: float, name: str, rises: bool, defect: Defect) -> None:
    """Raise the error of a rate [Hz], or 0, for a table whose column of times rises."""
    if rate and rises:
        raise defect(f'--rate {rate:g} is of tables without a time, but the column {name!r} is '
                     'one: omit --rate, or rename the column')


def check_degrees(degrees: bool, units: Mapping[str, Mapping[str, Unit | None]],
                  defect: Defect) -> None:
    """Raise the error of a contradiction of --degrees to the units of columns."""
    for what, by_joint in units.items():
        for joint, unit in by_joint.items():
            if degrees and unit and unit.text.startswith('rad'):
                raise defect(f'--degrees, but the {what} of {joint} is in {unit.text}, as its '
                             'column says: omit --degrees, or correct the head')


def keep_columns(path: Path, kept: Sequence[bool]) -> None:
    """Write a table again with its time, and those of the columns behind it that are kept."""
    with (atomic_file(path) as part, path.open(encoding='utf-8', newline='') as old,
          part.open('w', encoding='utf-8', newline='') as new):
        csv.writer(new, lineterminator='\n').writerows(
            compress(row, (True, *kept)) for row in csv.reader(old))
