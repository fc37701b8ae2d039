"""Decimal commas of a table, as spreadsheets of many countries write them: 1,5 for 1.5."""

import re
from collections.abc import Sequence

from urdf2dyn_ros.quoting import escaped

_NUMBER = re.compile(r'\s*[+-]?(?:\d+[.,]\d*|[.,]\d+)(?:[eE][+-]?\d+)?\s*').fullmatch
_LONGEST_CELL = 60


class DecimalCommas:
    """
    Reads the decimal commas of a table whose columns are separated by something else.

    A table has either commas or points: with both, a comma may separate thousands. After a point a
    comma stays as it is, which is no number; a point after commas is an error.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._point = False
        self.first = ''
        """The first cell with a decimal comma, and its place; empty if there is none."""

    def read(self, line: int, row: list[str]) -> list[str]:
        """Return a row with decimal points; ValueError if it has points and others have commas."""
        for column, cell in enumerate(row):
            if '.' in cell and not self._point and _NUMBER(cell):
                if self.first:
                    raise ValueError(f'{self._place(line, column, cell)} has a decimal point, but '
                                     f'{self.first} a decimal comma; write one of them throughout')
                self._point = True
            elif ',' in cell and not self._point and _NUMBER(cell):
                self.first = self.first or self._place(line, column, cell)
                row[column] = cell.replace(',', '.')
        return row

    def _place(self, line: int, column: int, cell: str) -> str:
        return (f'line {line}, column {escaped(repr(self._names[column]), _LONGEST_CELL)}: '
                f'{escaped(repr(cell), _LONGEST_CELL)}')
