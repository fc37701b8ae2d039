"""A table of efforts over time, written row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from urdf2dyn_ros.stamps import SECOND_NS

KINDS = ('measured', 'computed', 'residual')
OBSERVED = (*KINDS, 'external')


def write_head(file: TextIO, joints: Sequence[str], kinds: Sequence[str] = KINDS) -> None:
    """Write the names of the columns: time, and those of every joint."""
    heads = [f'{kind}_{joint}' for joint in joints for kind in kinds]
    file.write(','.join(['time', *map(_quoted, heads)]) + '\n')


def write_rows(file: TextIO, stamps: Iterable[int], rows: Iterable[Sequence[float]]) -> None:
    """Write a line for every stamp [ns]; NaN becomes an empty cell."""
    form = ''
    for stamp, row in zip(stamps, rows):
        form = form or ',%.10g' * len(row) + '\n'
        file.write(seconds(stamp) + (form % tuple(row)).replace('nan', ''))


def seconds(stamp: int) -> str:
    """Return nanoseconds as seconds, all nine digits."""
    second, rest = divmod(abs(stamp), SECOND_NS)
    return f'{"-" if stamp < 0 else ""}{second}.{rest:09d}'


def _quoted(cell: str) -> str:
    """Write a cell as CSV wants it: a joint's name may contain anything."""
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\r\n') else cell
