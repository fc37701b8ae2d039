"""Plots of a table over time, and of a comparison as bars."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.recordings.pictures import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    add_axes,
    add_name,
    drawn_name,
    empty_figure,
    inch_axes,
    save,
    style_axes,
    text_width,
    thinned,
    write_text,
)
from urdf2dyn_ros.recordings.table import Defect, bad_cell, cell_numbers, column_list, csv_rows
from urdf2dyn_ros.robot.spatial import Array

# ---- A CSV file with a column of time, as numbers

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


# ---- The columns of a table over time: one small picture each, by joint and by quantity

_QUANTITIES = {
    'q': ('position\n[rad | m]', BLUE),
    'qd': ('velocity\n[rad/s | m/s]', GREEN),
    'qdd': ('acceleration\n[rad/s² | m/s²]', ORANGE),
    'effort': ('effort\n[N m | N]', VERMILION),
    'measured': ('measured\n[N m | N]', SKY),
    'computed': ('computed\n[N m | N]', VERMILION),
    'residual': ('residual\n[N m | N]', PURPLE),
    'external': ('external\n[N m | N]', BLUE),
}
"""Prefix of a column's name, before ``_<joint>``: label of the axis, colour."""

MOST_AXES, _MOST_PER_STRIP, _MOST_POINTS = 96, 4, 2000

_CELL, _ALONE, _AXIS = 3.1, 6.8, 1.12
"""Width of a joint's place, width of a single one, height of an axis [in]."""

_FEW_AXES, _TALL = 2, 2.2
"""So few axes are this high [in]."""

_LEFT, _RIGHT, _ABOVE, _BELOW, _HEAD = 0.95, 0.12, 0.34, 0.48, 0.45
"""Space around the axes of a strip, labels included, and for the title [in]."""

_INNER, _BETWEEN = 0.5, 0.18
"""Space for the numbers left of an axis, and for the power of ten above it [in]."""


@dataclass(frozen=True)
class _Strip:
    """Joints side by side, each with the same quantities from top to bottom."""

    joints: tuple[str, ...]
    quantities: tuple[str, ...]


def draw_curves(table: Table, path: Path, title: str) -> str:
    """Draw every column of a table; return which columns are omitted, or an empty text."""
    parts = {column: _parts(column) for column in table.columns}
    named = {joint: column for column, (quantity, joint) in parts.items() if not quantity}
    of_joints = [part for part in parts.values() if part[0]]
    quantities = tuple(name for name in _QUANTITIES if any(name == part[0] for part in of_joints))
    joints = tuple(dict.fromkeys(joint for _, joint in of_joints))
    fitting = joints[:MOST_AXES // max(1, len(quantities))]
    others = tuple(named)[:MOST_AXES - len(fitting) * len(quantities)]
    strips = [*_strips(fitting, quantities), *_strips(others, ('',))]
    columns = {part: column for column, part in parts.items()}
    drawn = sum((name, joint) in columns for joint in fitting for name in quantities)
    omitted = len(parts) - drawn - len(others)
    note = (f'{omitted} of {len(parts)} columns are omitted, the last ones: choose with --only'
            if omitted else '')
    figure = _figure(table, strips, columns, title + (f' ({note})' if note else ''))
    save(figure, path, title)
    return note


def _parts(column: str) -> tuple[str, str]:
    """Return quantity and joint of a column, or an empty quantity and the column's name."""
    quantity, _, joint = column.partition('_')
    return (quantity, joint) if quantity in _QUANTITIES else ('', column)


def _strips(joints: tuple[str, ...], quantities: tuple[str, ...]) -> list[_Strip]:
    """Divide joints into strips of about the same length."""
    if not joints:
        return []
    length = math.ceil(len(joints) / math.ceil(len(joints) / _MOST_PER_STRIP))
    return [_Strip(joints[first:first + length], quantities)
            for first in range(0, len(joints), length)]


def _figure(table: Table, strips: Sequence[_Strip], columns: dict[tuple[str, str], str],
            title: str) -> Any:
    longest = max(len(strip.joints) for strip in strips)
    cell = _CELL if longest > 1 else _ALONE
    few = sum(len(strip.joints) * len(strip.quantities) for strip in strips) <= _FEW_AXES
    axis = _TALL if few else _AXIS
    width = _LEFT - _INNER + cell * longest + _RIGHT
    heights = [_ABOVE + axis * len(strip.quantities) + _BELOW for strip in strips]
    height = _HEAD + sum(heights)
    figure = empty_figure(width, height)
    figure.text(0.5, 1.0 - 0.16 / height, drawn_name(title, int(9 * width)), ha='center',
                va='top', fontsize='large', parse_math=False)
    time = table.time - table.time[0]
    floor = height - _HEAD
    for strip, needed in zip(strips, heights):
        for place, joint in enumerate(strip.joints):
            for level, quantity in enumerate(strip.quantities):
                axes = add_axes(figure, _LEFT + cell * place,
                                floor - _ABOVE - axis * (level + 1) + _BETWEEN,
                                cell - _INNER - _RIGHT, axis - _BETWEEN)
                column = columns.get((quantity, joint))
                _draw(axes, time, None if column is None else table.columns[column], quantity)
                if place == 0:
                    axes.set_ylabel(_QUANTITIES[quantity][0] if quantity else '',
                                    fontsize='small')
                if level == 0:
                    add_name(axes, drawn_name(joint, int(11 * (cell - _INNER))))
                last = level == len(strip.quantities) - 1
                axes.tick_params(labelbottom=last)
                if last:
                    axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
        floor -= needed
    return figure


def _draw(axes: Any, time: Array, values: Array | None, quantity: str) -> None:
    colour = _QUANTITIES[quantity][1] if quantity else BLACK
    axes.set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1.0)
    style_axes(axes, inset=0.52)
    if values is None or not np.isfinite(values).any():
        axes.text(0.5, 0.5, 'no values', transform=axes.transAxes, ha='center', va='center',
                  fontsize='small', color=BLACK)
        axes.set_yticks([])
        axes.grid(False)
        return
    single = np.isfinite(values).sum() == 1   # a line of one point is invisible
    rows = thinned(values[None], _MOST_POINTS // 2)
    axes.plot(time[rows], np.where(np.isfinite(values), values, np.nan)[rows], color=colour,
              linewidth=0.9, marker='o' if single else '')
    axes.locator_params(axis='y', nbins=4)


# ---- The report of a comparison as bars: how far computed and measured efforts are apart

_ROW, LONGEST_BAR, _MARGIN, _BARS_HEAD = 0.26, 3.0, 0.25, 0.85
"""Height of a row, longest bar, border, title [in]."""

_SIZE, _TITLE = 9.0, 12.0
"""Sizes of the fonts [pt]."""

_ABOUT = 'NRMSE of the computed efforts: RMSE divided by the range of the measured effort'

_MOST_JOINTS = 150


@dataclass(frozen=True)
class ReportedJoint:
    """Figures of a joint in a report; an effort that is not credible has the reason instead."""

    name: str
    nrmse: float
    text: str
    fault: str


def read_report(path: Path) -> list[ReportedJoint]:
    """Return the joints of a comparison's report in JSON; DrawingError if it is none."""
    try:
        report = json.loads(path.read_text(encoding='utf-8-sig'))
    except OSError as error:
        raise DrawingError(f'cannot read {str(path)!r}: {error.strerror}') from None
    except json.JSONDecodeError as error:
        raise DrawingError(f'{path}, line {error.lineno}, column {error.colno}: not JSON: '
                           f'{error.msg}') from None
    except (UnicodeDecodeError, RecursionError):
        raise DrawingError(f'{path} is not JSON') from None
    rows = report.get('joints') if isinstance(report, dict) else None
    if not isinstance(rows, list) or not rows:
        raise DrawingError(f'{path} is no report of a comparison: it has no list "joints" with '
                           'figures in it')
    return [_joint(path, number, row) for number, row in enumerate(rows)]


def _joint(path: Path, number: int, row: Any) -> ReportedJoint:
    try:
        name, unit, fault = str(row['joint']), str(row['unit']), str(row['not_credible'] or '')
        # null where it is unknown
        nrmse, rmse, largest, r2 = (math.nan if row[key] is None else float(row[key])
                                    for key in ('nrmse', 'rmse', 'max_error', 'r2'))
    except (KeyError, TypeError, ValueError) as error:
        raise DrawingError(f'{path}: joint {number + 1} of the list "joints" lacks a figure: '
                           f'{error}') from None
    if fault:
        return ReportedJoint(name, math.nan, '', fault)
    text = (f'{100.0 * nrmse:.3g} %     RMSE {rmse:.3g}, maximum {largest:.3g} {unit}, '
            f'R² {r2:.4f}')
    return ReportedJoint(name, nrmse, text.replace('nan', 'unknown'), '')


def draw_bars(joints: Sequence[ReportedJoint], path: Path, title: str) -> str:
    """Draw the NRMSE of every joint; return which joints are omitted, or an empty text."""
    note = ('' if len(joints) <= _MOST_JOINTS else
            f'{len(joints) - _MOST_JOINTS} of {len(joints)} joints are omitted, the last ones')
    joints = joints[:_MOST_JOINTS]
    figure = empty_figure(1.0, 1.0)
    names = [drawn_name(joint.name, 40) for joint in joints]
    texts = [drawn_name(joint.text or f'not credible: {joint.fault}', 90) for joint in joints]
    left = _MARGIN + max(text_width(figure, name, _SIZE) for name in names) + 0.15
    errors = [joint.nrmse if math.isfinite(joint.nrmse) and joint.nrmse > 0.0 else 0.0
              for joint in joints]
    bars = [error * LONGEST_BAR / (max(errors) or 1.0) for error in errors]
    about = _ABOUT + (f'; {note}' if note else '')
    title = drawn_name(title, 60)
    right = max(_MARGIN + text_width(figure, title, _TITLE),
                _MARGIN + text_width(figure, about, _SIZE),
                *(left + bar + 0.08 + text_width(figure, text, _SIZE)
                  for bar, text in zip(bars, texts)))
    width = right + _MARGIN
    height = _BARS_HEAD + _ROW * len(joints) + _MARGIN
    axes = inch_axes(figure, width, height)
    heights = [_BARS_HEAD + _ROW * (number + 0.5) for number in range(len(joints))]
    axes.barh(heights, bars, 0.15, left, color=BLUE, linewidth=0)
    axes.plot([left, left], [_BARS_HEAD, height - _MARGIN], color=GREY, linewidth=0.8)
    write_text(axes, _MARGIN, 0.32, title, BLACK, _TITLE)
    write_text(axes, _MARGIN, 0.6, about, GREY, _SIZE)
    for name, text, joint, bar, y in zip(names, texts, joints, bars, heights):
        write_text(axes, left - 0.08 - text_width(figure, name, _SIZE), y, name, BLACK, _SIZE)
        write_text(axes, left + bar + 0.08, y, text, GREY if joint.fault else BLACK, _SIZE)
    save(figure, path, title)
    return note
