"""Rows of CSV files and the numbers in their cells, for recordings and for pictures alike."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.quoting import escaped, first_names

_LONGEST_LINE = 1_000_000
_LONGEST_CELL = 60
_MOST_NAMES = 40
_SEPARATORS = {',': 'commas', ';': 'semicolons', '\t': 'tabs'}
_DECIMAL_COMMAS = 'decimal commas: save with points'
_PLAIN_NUMBER = re.compile(r'[0-9eE+.naNAif -]*').fullmatch
"""float() also accepts 1_0 and digits of other scripts, which are mistakes here."""

Defect = Callable[[str], Urdf2DynError]
CsvRow = tuple[int, list[str]]


def csv_rows(path: Path, defect: Defect, remark: Callable[[str], None] = lambda text: None,
             progress: Callable[[int], None] = lambda characters: None,
             ) -> Generator[CsvRow, None, None]:
    """
    Yield number and cells of every line that is not empty, first the names of the columns.

    These differ, and every row has as many cells. The file is in UTF-8, its columns are separated
    by commas, semicolons or tabs, its numbers have decimal points.
    `defect` returns the error of a text, which names the line; `remark` is called with what a user
    should know of a file without defect, `progress` with the number of characters that have been
    read.
    """
    try:
        with path.open(encoding='utf-8-sig', newline='') as file:
            separator = _separator(file, defect)
            if separator != ',':
                remark(f'columns are separated by {_SEPARATORS[separator]}')
            reader = csv.reader(_lines(file, defect, progress), delimiter=separator,
                                skipinitialspace=True, strict=True)
            names = [name.strip() for name in next(reader)]
            _check_names(names, defect)
            yield reader.line_num, names
            for row in reader:
                if not row:
                    continue
                if len(row) != len(names):
                    raise defect(_cell_count(reader.line_num, row, names, separator))
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise defect(f'not UTF-8 ({error.reason}): not a table, or in another encoding; save it '
                     'as UTF-8') from None
    except csv.Error as error:
        raise defect(f'line {reader.line_num}: {error}') from None
    except OSError as error:
        raise defect(f'cannot be read: {error.strerror}') from None


def cell_numbers(cells: Sequence[str]) -> list[float]:
    """Return the numbers of cells, NaN for an empty one; ValueError if one is not a number."""
    if not _PLAIN_NUMBER(''.join(cells)):
        raise ValueError
    return [float(cell or 'nan') for cell in cells]


def bad_cell(line: int, names: Sequence[str], row: Sequence[str], columns: Sequence[int],
             is_good: Callable[[int, float], bool] = lambda column, value: True) -> str:
    """Return the line, column and text of the first cell that is not a number, or not good."""
    for column in columns:
        try:
            if is_good(column, cell_numbers(row[column:column + 1])[0]):
                continue
        except ValueError:
            pass
        cell = row[column]
        comma = f'; {_DECIMAL_COMMAS}' if ',' in cell else ''
        return (f'line {line}, column {names[column]!r}: {escaped(repr(cell), _LONGEST_CELL)} is '
                f'not a number{comma}')
    return f'line {line}: not all cells are numbers'


def column_list(names: Sequence[str]) -> str:
    return first_names([escaped(repr(name), _LONGEST_CELL) for name in names], _MOST_NAMES)


def _separator(file: TextIO, defect: Defect) -> str:
    """Return what separates the names of the columns in the first line."""
    first = file.readline(_LONGEST_LINE)
    if not first.strip():
        raise defect(f'{"line 1: no names of columns" if first else "an empty file"}; '
                     'the first line must name the columns, one of them time')
    file.seek(0)
    return max(_SEPARATORS, key=first.count)


def _lines(file: TextIO, defect: Defect, progress: Callable[[int], None]) -> Iterator[str]:
    read = 0
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE or '\0' in line:
            raise defect('not a table: a line has no end, or there are bytes that are not text')
        read += len(line)
        progress(read)
        yield line


def _cell_count(line: int, row: Sequence[str], names: Sequence[str], separator: str) -> str:
    """Return that a row has not as many cells as there are columns, and why that may be."""
    count = f'line {line}: {counted(len(row), "cell")}, but {counted(len(names), "column")}'
    if len(row) < len(names):
        return f'{count}; is the file truncated there?'
    return f'{count}; {_DECIMAL_COMMAS}' if separator == ',' else count


def _check_names(names: Sequence[str], defect: Defect) -> None:
    if len(names) > 1 and all(map(_PLAIN_NUMBER, names)) and any(map(str.strip, names)):
        raise defect('line 1: numbers, where the names of the columns should be: add a line with '
                     'them, as time,q_<joint>,...')
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise defect(f'line 1: duplicate columns: {column_list(twice)}; rename them')
