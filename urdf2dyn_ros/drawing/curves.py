"""The columns of a table over time: one small picture each, by joint and by quantity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.picture import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    add_axes,
    add_name,
    drawn_name,
    empty_figure,
    save,
    style_axes,
    thinned,
)
from urdf2dyn_ros.drawing.table import Table

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
