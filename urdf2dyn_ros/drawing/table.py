"""A CSV file with a column of time, as numbers."""

from __future__ import annotations

import csv
from array import array
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import DrawingError

_TIME = 'time'

_LATEST_TIME = 9.2e9
"""Largest time that nanoseconds in 64 bits can express [s]; a larger one has another unit."""


@dataclass(frozen=True)
class Table:
    """
    The numbers of a file: a time [s] that never decreases, and all other columns, each (k,).

    These are in the order of the file, with NaN for an empty cell or nan.

    """

    time: Array
    columns: dict[str, Array]


def read_table(path: Path) -> Table:
    """Read a file with names in line 1, one of them ``time``; DrawingError names the cell."""
    try:
        with path.open(encoding='utf-8-sig', newline='') as file:
            lines = csv.reader(file, strict=True, skipinitialspace=True)
            heads = _heads(path, next(lines, []))
            values = array('d')
            numbers = array('q')
            for row in lines:
                if row:   # the last line is often empty
                    values.extend(_row(path, lines.line_num, heads, row))
                    numbers.append(lines.line_num)
    except OSError as error:
        raise DrawingError(f'cannot read {str(path)!r}: {error.strerror}') from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DrawingError(f'{path} is not text in UTF-8 (byte 0x{byte:02x}); save it as CSV'
                           ) from None
    except csv.Error as error:
        raise DrawingError(f'{path}, line {lines.line_num}: not CSV: {error}') from None
    if not numbers:
        raise DrawingError(f'{path}: there are names of columns, but no values below them')
    table = np.frombuffer(values).reshape(-1, len(heads))
    columns = {head: table[:, number] for number, head in enumerate(heads)}
    _check_time(path, columns[_TIME], numbers)
    return Table(columns.pop(_TIME), columns)


def _heads(path: Path, row: list[str]) -> list[str]:
    heads = [head.strip() for head in row]
    if not any(heads):
        raise DrawingError(f'{path} is empty, or its first line is; the names of the columns '
                           'belong there')
    if len(heads) == 1 and (';' in heads[0] or '\t' in heads[0]):
        raise DrawingError(f'{path}, line 1: columns must be separated by commas, not by '
                           'semicolons or tabs')
    if _TIME not in heads:
        some = ', '.join(map(_quoted, heads[:8])) + (', …' if len(heads) > 8 else '')
        raise DrawingError(f'{path}, line 1: no column is called {_TIME!r}, but {some}; the time '
                           'must be in seconds')
    name, count = Counter(heads).most_common(1)[0]
    if count > 1:
        raise DrawingError(f'{path}, line 1: {count} columns are called {_quoted(name)}; '
                           'rename them')
    if len(heads) == 1:
        raise DrawingError(f'{path}, line 1: there is no column besides {_TIME!r} to draw')
    return heads


def _row(path: Path, number: int, heads: list[str], row: list[str]) -> list[float]:
    if len(row) != len(heads):
        raise DrawingError(f'{path}, line {number}: {len(row)} cells, but line 1 names '
                           f'{len(heads)} columns')
    return [_number(path, number, head, cell) for head, cell in zip(heads, row)]


def _number(path: Path, number: int, head: str, cell: str) -> float:
    try:
        if '_' not in cell:   # Python accepts 1_0 as a number
            return float(cell)
    except ValueError:
        if not cell.strip():
            return np.nan
    raise DrawingError(f'{path}, line {number}, column {_quoted(head)}: {_quoted(cell)} is not a '
                       'number')


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + '…')


def _check_time(path: Path, time: Array, numbers: array[int]) -> None:
    unknown = np.flatnonzero(~np.isfinite(time))
    if len(unknown):
        raise DrawingError(f'{path}, line {numbers[unknown[0]]}, column {_TIME!r}: there is no '
                           'time; delete the line')
    large = np.flatnonzero(np.abs(time) > _LATEST_TIME)
    if len(large):
        raise DrawingError(f'{path}, line {numbers[large[0]]}, column {_TIME!r}: '
                           f'{time[large[0]]:.6g} s is beyond the year 2260; write the time in '
                           'seconds')
    back = np.flatnonzero(np.diff(time) < 0.0)
    if len(back):
        first, second = time[back[0]], time[back[0] + 1]
        raise DrawingError(f'{path}, line {numbers[back[0] + 1]}, column {_TIME!r}: the time goes '
                           f'back from {first:.15g} to {second:.15g} s; sort the lines, or keep '
                           'one recording of several')
