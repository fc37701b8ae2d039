"""Recordings and other tables as CSV or Parquet: named columns, and a row for every instant."""

from __future__ import annotations

import csv
import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from importlib import import_module
from itertools import chain, compress, islice, pairwise, takewhile
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from urdf2dyn_ros.errors import DrawingError, ParameterError, RecordingError, Urdf2DynError
from urdf2dyn_ros.recordings.recording import NOT_RECORDED, Record, Recording, one_line
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import MAX_STAMP, SECOND_NS, counted, escaped, first_names

# ---- Rows of CSV files and the numbers in their cells, for recordings and for pictures alike

_LONGEST_LINE, _LONGEST_CELL, _MOST_NAMES = 1_000_000, 60, 40
_SEPARATORS = {',': 'commas', ';': 'semicolons', '\t': 'tabs'}
_DECIMAL_COMMAS = 'decimal commas: save with points'
# float() also accepts 1_0 and digits of other scripts, which are mistakes here
_PLAIN_NUMBER = re.compile(r'[0-9eE+.naNAif -]*').fullmatch

Defect = Callable[[str], Urdf2DynError]
CsvRow = tuple[int, list[str]]


def csv_rows(path: Path, defect: Defect, remark: Callable[[str], None] = lambda text: None,
             progress: Callable[[int], None] = lambda characters: None,
             ) -> Generator[CsvRow, None, None]:
    """
    Yield number and cells of every line that is not empty, first the names of the columns.

    These differ, and every row has as many cells. The file is in UTF-8, its columns are separated
    by commas, semicolons or tabs, its numbers have decimal points. What ``ros2 topic echo --csv``
    and ``rostopic echo -p`` write gets the columns of a recording. `defect` returns the error of
    a text, `remark` is called with what a user should know, `progress` with the characters so
    far.
    """
    try:
        with path.open(encoding='utf-8-sig', newline='') as file:
            first = file.readline(_LONGEST_LINE)
            if not first.strip():
                raise defect(f'{"line 1: no names of columns" if first else "an empty file"}; '
                             'the first line must name the columns, one of them time')
            file.seek(0)
            separator = max(_SEPARATORS, key=first.count)
            if separator != ',':
                remark(f'columns are separated by {_SEPARATORS[separator]}')
            reader = csv.reader(_lines(file, defect, progress), delimiter=separator,
                                skipinitialspace=True, strict=True)
            first_row = next(reader)
            names = [name.strip() for name in first_row]
            rows: Iterable[list[str]] = reader
            named: list[int] = []   # cells with the names of joints, the same in each row
            echoed = _echoed_columns(first_row)
            if echoed:
                named = [*range(3, len(first_row) - len(echoed) + 1)]
                names, rows = echoed, chain([first_row], reader)
            elif '%time' in names:
                named = [k for k, name in enumerate(names) if name.startswith('field.name')]
                first_row = next(reader, names)
                names, rows = _printed_columns(names, first_row), chain([first_row], reader)
            first_line = reader.line_num
            if len(names) > 1 and all(map(_PLAIN_NUMBER, names)) and any(names):
                raise defect('line 1: numbers, where the names of the columns should be: add a '
                             'line with them, as time,q_<joint>,...')
            twice = sorted(name for name, count in Counter(names).items() if count > 1)
            if twice:
                raise defect(f'line 1: duplicate columns: {column_list(twice)}; rename them')
            yield reader.line_num, names
            for row in rows:
                if not row:
                    continue
                if named and [row[k:k + 1] for k in named] != [first_row[k:k + 1] for k in named]:
                    raise defect(f'line {reader.line_num}: other joints than in line {first_line}')
                if echoed:
                    row = [f'{row[0]}.{row[1]:0>9}', *row[named[-1] + 1:]]
                if len(row) != len(names):
                    why = ('; is the file truncated there?' if len(row) < len(names) else
                           f'; {_DECIMAL_COMMAS}' if separator == ',' else '')
                    raise defect(f'line {reader.line_num}: {counted(len(row), "cell")}, but '
                                 f'{counted(len(names), "column")}{why}')
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise defect(f'not UTF-8 ({error.reason}): not a table, or in another encoding; save it '
                     'as UTF-8') from None
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
        'time', *(prefix + name for prefix in ('q_', 'qd_', 'effort_')[:kinds] for name in names)]


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
        comma = f'; {_DECIMAL_COMMAS}' if ',' in cell else ''
        return (f'line {line}, column {names[column]!r}: {escaped(repr(cell), _LONGEST_CELL)} is '
                f'not a number{comma}')
    return f'line {line}: not all cells are numbers'


def column_list(names: Sequence[str]) -> str:
    return first_names([escaped(repr(name), _LONGEST_CELL) for name in names], _MOST_NAMES)


def _lines(file: TextIO, defect: Defect, progress: Callable[[int], None]) -> Iterator[str]:
    read = 0
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE or '\0' in line:
            raise defect('not a table: a line has no end, or there are bytes that are not text')
        read += len(line)
        progress(read)
        yield line


# ---- What columns are: by patterns of a user, our own names, or what is common

QUANTITIES = ('position', 'velocity', 'effort', 'acceleration')
TIME = 'time'
# our own prefixes of a column's name, before that of the joint
_OWN = {'position': 'q|position', 'velocity': 'qd|velocity', 'effort': 'effort',
        'acceleration': 'qdd|acceleration'}
_COMMON = {
    'position': r'q|pos|positions?|angles?|observation\.state',
    'velocity': 'qd|dq|vel|velocity|velocities',
    'effort': 'eff|efforts?|tau|torques?',
    'acceleration': 'qdd|ddq|acc|accelerations?'}
_FORMS = (r'(?:observation\.)?(?:{0})[_./ ](?P<joint>.+?)',       # q_<joint>
          r'(?:.*[._/])?(?:{0})_?\[?(?P<joint>\d+)\]?',            # q1, actual_q_0, position[0]
          '(?:.*/)?(?P<joint>[^/]+)[_./ ](?:{0})')    # <joint>_pos, /joint_states/<joint>/position
_UNIT = r'(?:\s+[\[(][^\d].*[\])])?'   # behind a name, as q1 [rad]
_COMMON_TIME = re.compile(r'_*(?:t|time|(?:.*[./])?(?:time)?stamp|secs?|seconds?)'
                          r'[_ ]*[\[(]?(?P<unit>s|sec|ms|us|ns)?[\])]?', re.IGNORECASE)
_SECONDS = {'ms': Decimal('1e-3'), 'us': Decimal('1e-6'), 'ns': Decimal('1e-9')}
_PATTERN_RULE = (
    f'QUANTITY=NAME, with a quantity of time, {", ".join(QUANTITIES)}, and in the name '
    "{joint}, or {n} for a number: 'position={joint}_pos', 'effort=tau{n}', 'time=stamp'")


class ColumnNames(NamedTuple):
    """What columns are; the time is empty, and a quantity without joints, where there is none."""

    time: str
    unit: Decimal   # of the time [s]
    joints: dict[str, dict[str, list[str]]]   # columns by quantity and joint
    remarks: list[str]


def column_names(names: Sequence[str], patterns: Sequence[str]) -> ColumnNames:
    """Return what columns are; a ParameterError for a pattern that is none, or has no column."""
    chosen: dict[str, str] = {}
    for word in patterns:
        quantity, sign, pattern = word.partition('=')
        placed = '{joint}' in pattern or '{n}' in pattern
        if quantity not in (TIME, *QUANTITIES) or not sign or placed == (quantity == TIME):
            raise ParameterError(f'--columns {word!r} is not {_PATTERN_RULE}')
        chosen[quantity] = re.escape(pattern).replace(r'\{joint\}', '(?P<joint>.+)').replace(
            r'\{n\}', r'(?P<joint>\d+)')
    joints = {}
    for quantity in QUANTITIES:
        tried = [[chosen[quantity]]] if quantity in chosen else [
            [_FORMS[0].format(_OWN[quantity]) + _UNIT],
            [f'(?i:{form.format(_COMMON[quantity])}){_UNIT}' for form in _FORMS]]
        joints[quantity] = next(filter(None, (_matches(names, forms) for forms in tried)), {})
        if quantity in chosen and not joints[quantity]:
            raise ParameterError(f'--columns: no column is like the pattern of {quantity}; they '
                                 f'are {", ".join(names[:40])}')
    time = next((name for name in names if re.fullmatch(chosen.get(TIME, TIME), name)), '')
    if not time and TIME not in chosen:
        time = next(filter(_COMMON_TIME.fullmatch, names), '')
    match = _COMMON_TIME.fullmatch(time)
    unit = (match['unit'] or '').lower() if match else ''
    remarks = [*filter(None, (_number_joints(joints, quantity) for quantity in QUANTITIES[1:]))]
    return ColumnNames(time, _SECONDS.get(unit, Decimal(1)), joints, remarks)


def _number_joints(joints: dict[str, dict[str, list[str]]], quantity: str) -> str:
    """Give columns with numbers, such as tau1, to the joints of the positions; return a remark."""
    position, other = (sorted(names, key=int) if all(map(str.isdecimal, names)) else [*names]
                       for names in (joints['position'], joints[quantity]))
    numbers = sum(all(map(str.isdecimal, names)) for names in (position, other))
    if numbers != 1 or len(position) != len(other):
        return ''
    columns = [joints[quantity][name] for name in other]
    joints[quantity] = dict(zip(position, columns))
    pairs = ', '.join(f'{column[0]} = {joint}' for joint, column in zip(position, columns))
    return (f'the columns of {quantity} are taken in the order of those of position: {pairs}; if '
            'that is wrong, rename them')


def _matches(names: Sequence[str], forms: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns by joint that have one of some forms."""
    joints: dict[str, list[str]] = {}
    for name in names:
        match = next(filter(None, (re.fullmatch(form, name) for form in forms)), None)
        if match:
            joints.setdefault(match['joint'], []).append(name)
    return joints


# ---- Recordings as CSV: a header with the names of columns, and a row for every instant

_RULE = ("a table needs a column 'time' [s], and for every joint q_<joint>; where they are "
         "measured, qd_<joint>, qdd_<joint> and effort_<joint>; other names: --columns "
         "'position={joint}_pos' 'effort=tau{n}' 'time=stamp'")
_MISSING = -1
_LONGEST_TIME = MAX_STAMP // SECOND_NS
_LARGEST_TIME = 10**20   # that is credible in any unit

_CHECKED_ROWS, _FEWEST_STEPS = 101, 10   # first rows, by which the unit of the time is judged
_LONGEST_STEP = 1.0   # median from which on times need recorded velocities, accelerations [s]
_SLOW_MOTION = 0.1   # motion by positions over that by velocities, up to which they contradict
_UNITS = {'milliseconds': 3, 'microseconds': 6, 'nanoseconds': 9}   # powers of ten in a second


class CsvRecording(Recording):
    """A table without topics; an empty cell or NaN was not measured. Errors name the cell."""

    in_order = True

    def __init__(self, path: Path, topic: str | None = None, columns: Sequence[str] = ()) -> None:
        super().__init__(path)
        if topic:
            raise RecordingError(path, f'a table has no topics: omit --topic {topic}')
        rows = self._rows()
        self._read_header(next(rows)[1], columns)   # a wrong header is an error at once
        self._check_time_unit(rows)
        rows.close()

    def _read_header(self, names: Sequence[str], patterns: Sequence[str]) -> None:
        """Find the columns; RecordingError if names are missing or ambiguous."""
        time, self._unit, columns, remarks = column_names(names, patterns)
        self._joints = tuple(columns['position'])
        if len(names) == 1:
            raise self.defect(f'line 1 is one column, {column_list(names)}: columns are '
                              f'separated by commas, semicolons or tabs, and {_RULE}')
        missing = [f'no column {TIME!r}'] * (not time) + ['no column q_<joint>'] * (
            not self._joints)
        if missing:
            raise self.defect(f'{" and ".join(missing)}: {_RULE}; the columns are: '
                              f'{column_list(names)}')
        # which cells are read, first that of the time; for each quantity one of each joint
        self._cells, self._slices = [names.index(time)], {}
        for what, by_joint in columns.items():
            several = next((by_joint[joint] for joint in self._joints
                            if len(by_joint.get(joint, ())) > 1), None)
            if several:
                raise self.defect(
                    f'columns with the same meaning: {column_list(several)}; choose, as by '
                    f"--columns '{what}=...{{joint}}...'")
            chosen = [names.index(by_joint[joint][0]) if joint in by_joint else _MISSING
                      for joint in self._joints]
            if {*chosen} != {_MISSING}:
                self._slices[what] = slice(len(self._cells), len(self._cells) + len(chosen))
                self._cells += chosen
        for remark in remarks:
            self.remark(remark)
        ignored = [name for column, name in enumerate(names) if column not in self._cells]
        if ignored:
            self.remark(f'columns that are not read: {column_list(ignored)}')

    def _check_time_unit(self, rows: Iterator[CsvRow]) -> None:
        """
        Raise a RecordingError if the times of the first rows are not in seconds.

        Positions differentiated over steps of a second or more are no motion of a robot. Single
        states, with velocities and accelerations, may be as far apart, unless their positions
        differ by far less than these velocities say.
        """
        times, states = [], []
        with suppress(RecordingError):   # a defect is reported behind the rows before it
            for _, row in islice(rows, _CHECKED_ROWS):
                with suppress(ValueError, ArithmeticError, IndexError):
                    time, values = self._entries(row)
                    if abs(time) < _LARGEST_TIME:
                        times.append(time)
                        states.append(values)
        steps = sorted(after - before for before, after in pairwise(times) if after > before)
        if len(times) > _FEWEST_STEPS and not steps:
            raise RecordingError(
                self.path, f"column 'time': the first {len(times)} rows have the time {times[0]}: "
                'was it written with too few digits? Write it with all of its decimals')
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
        unit, power = next(((unit, power) for unit, power in _UNITS.items()
                            if step < _LONGEST_STEP * 10.0 ** power), ('another unit', 0))
        raise RecordingError(
            self.path, f"column 'time': it rises by {step:g} from row to row (median of "
            f'the first {len(times)}), but its unit is the second, and efforts need many samples '
            f'a second; if it is in {unit}, '
            + (f'divide it by 1e{power}' if power else 'write seconds'))

    def _records(self) -> Iterator[Record]:
        rows, far = self._rows(), ''
        _, names = next(rows)
        used = [column for column in self._cells if column != _MISSING]

        def is_good(column: int, value: float) -> bool:
            return not (math.isinf(value) or (column == used[0] and math.isnan(value)))

        for line, row in rows:
            try:
                time, values = self._entries(row)
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
            yield Record(stamp, self._joints, *self._quantities(values))

    def _entries(self, row: Sequence[str]) -> tuple[Decimal, Array]:
        """Return the time of a row as it is written [s], and the numbers of all cells (c,)."""
        cells = ['' if column == _MISSING else row[column] for column in self._cells]
        # a float of seconds since 1970 does not resolve nanoseconds
        time = Decimal(cells[0])
        return time if self._unit == 1 else time * self._unit, np.array(cell_numbers(cells))

    def _quantities(self, values: Array) -> list[Array]:
        """Return each quantity of some rows (..., c): (..., n), or (0,) if not recorded."""
        return [values[..., self._slices[what]] if what in self._slices else NOT_RECORDED
                for what in QUANTITIES]

    def _rows(self) -> Generator[CsvRow, None, None]:
        return csv_rows(self.path, self.defect, self.remark,
                        lambda read: self._report(min(read / self.size, 1.0 - 1e-9)))


class ParquetRecording(CsvRecording):
    """A table of pandas; a list, as LeRobot's observation.state, is a column for each entry."""

    def _rows(self) -> Generator[CsvRow, None, None]:
        try:
            pandas = import_module('pandas')
            table = pandas.read_parquet(self.path)
        except ImportError:
            raise RecordingError(self.path, 'reading it needs two Python libraries: pip install '
                                 'pandas pyarrow') from None
        except Exception as error:   # many types on damaged bytes
            raise self.defect(f'no Parquet table ({one_line(error)}): {self.remedy}') from None
        columns: dict[str, list[str]] = {}
        for name, values in (table.reset_index() if table.index.name else table).items():
            cells = values.tolist()
            if values.dtype.kind == 'M':
                dates = pandas.to_datetime(values, utc=True).astype('datetime64[ns, UTC]')
                columns[str(name)] = [f'{date}e-9' for date in dates.astype('int64')]
            elif cells and isinstance(cells[0], np.ndarray):
                entries = np.stack(cells).T.tolist()
                columns |= zip(self._entry_names(str(name), len(entries)),
                               ([*map(str, entry)] for entry in entries))
            else:
                columns[str(name)] = [*map(str, cells)]
        yield 1, [*columns]
        yield from ((line, [*row]) for line, row in enumerate(zip(*columns.values()), start=2))

    def _entry_names(self, name: str, count: int) -> list[str]:
        """Return columns for the entries of a list, with the names in LeRobot's meta/info.json."""
        for folder in self.path.absolute().parents[:3]:
            with suppress(OSError, ValueError, LookupError, TypeError):
                info = json.loads((folder / 'meta' / 'info.json').read_text())
                names = info['features'][name]['names']   # a list, or {'motors': [...]}
                [names] = names.values() if isinstance(names, dict) else [names]
                if len(names) == count:
                    return [f'{name}.{str(joint).removesuffix(".pos")}' for joint in names]
        return [f'{name}[{k}]' for k in range(count)]


# ---- Any table with a column of time, as numbers

_LATEST_TIME = 9.2e9   # that nanoseconds in 64 bits can express [s]; later ones are no seconds


class Table(NamedTuple):
    """Numbers of a file: a time [s] that never decreases, and the other columns, (k,) each."""

    time: Array
    columns: dict[str, Array]


def read_table(path: Path, patterns: Sequence[str] = ()) -> Table:
    """
    Read a file with names in line 1, one of them that of the time; DrawingError names the cell.

    The patterns are those of the option ``--columns``, of which that of the time counts here.
    """
    def defect(text: str) -> DrawingError:
        return DrawingError(f'{path}: {text}')

    rows = csv_rows(path, defect)
    _, names = next(rows)
    named = column_names(names, patterns)
    if not named.time:
        raise defect(f'line 1: no column is called {TIME!r}, but {column_list(names)}; if one of '
                     "them is a time, say so by --columns 'time=NAME'")
    if len(names) == 1:
        raise defect(f'line 1: there is no column besides {named.time!r} to draw')
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
    columns = dict(zip(names, np.frombuffer(values).reshape(-1, len(names)).T))
    time = columns.pop(named.time) * float(named.unit)
    for wrong, message in (
            (~np.isfinite(time), 'there is no time; delete the line'),
            (np.abs(time) > _LATEST_TIME, 'beyond the year 2260; write the time in seconds'),
            (np.diff(time, prepend=time[0]) < 0.0,
             'the time goes back; sort the lines, or keep one recording of several')):
        if wrong.any():
            first = int(wrong.argmax())
            raise defect(f'line {lines[first]}, column {named.time!r}, {time[first]:.15g} s: '
                         f'{message}')
    return Table(time, columns)


def keep_columns(path: Path, kept: Sequence[bool]) -> None:
    """Write a table again with its time, and those of the columns behind it that are kept."""
    with (atomic_file(path) as part, path.open(encoding='utf-8', newline='') as old,
          part.open('w', encoding='utf-8', newline='') as new):
        csv.writer(new, lineterminator='\n').writerows(
            compress(row, (True, *kept)) for row in csv.reader(old))
