"""A CSV file with a column of time, as numbers."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.recordings.csv_rows import Defect, bad_cell, cell_numbers, column_list, csv_rows

_BAGS = ('.mcap', '.db3', '.bag')
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
    def defect(text: str) -> DrawingError:
        return DrawingError(f'{path}: {text}')

    if path.is_dir() or path.suffix.lower() in _BAGS:
        raise defect('a directory or bag is no table; of a bag, urdf2dyn evaluate writes '
                     'efforts.csv')
    rows = csv_rows(path, defect)
    _, names = next(rows)
    if _TIME not in names:
        raise defect(f'line 1: no column is called {_TIME!r}, but {column_list(names)}; the time '
                     'must be in seconds')
    if len(names) == 1:
        raise defect(f'line 1: there is no column besides {_TIME!r} to draw')
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
    table = np.frombuffer(values).reshape(-1, len(names))
    columns = {name: table[:, number] for number, name in enumerate(names)}
    _check_time(defect, columns[_TIME], lines)
    return Table(columns.pop(_TIME), columns)


def _check_time(defect: Defect, time: Array, lines: array[int]) -> None:
    unknown = np.flatnonzero(~np.isfinite(time))
    if len(unknown):
        raise defect(f'line {lines[unknown[0]]}, column {_TIME!r}: there is no time; delete the '
                     'line')
    large = np.flatnonzero(np.abs(time) > _LATEST_TIME)
    if len(large):
        raise defect(f'line {lines[large[0]]}, column {_TIME!r}: {time[large[0]]:.6g} s is beyond '
                     'the year 2260; write the time in seconds')
    back = np.flatnonzero(np.diff(time) < 0.0)
    if len(back):
        first, second = time[back[0]], time[back[0] + 1]
        raise defect(f'line {lines[back[0] + 1]}, column {_TIME!r}: the time goes back from '
                     f'{first:.15g} to {second:.15g} s; sort the lines, or keep one recording of '
                     'several')
