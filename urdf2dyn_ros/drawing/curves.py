"""The columns of a table over time: one small picture each, by joint and by quantity."""

from __future__ import annotations

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
    empty_figure,
    save,
    shown,
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
"""Beginning of a column's name, before ``_<joint>``: what is written beside the axis, colour."""

_MOST_AXES, _MOST_PER_STRIP, _MOST_POINTS = 96, 4, 2000

_CELL, _ALONE, _AXIS = 3.1, 6.8, 1.12
"""Width of a joint's place, of one that is alone, height of an axis [in]."""

_TALL = 2.2
"""Height of the axes if there are no more than _FEW_AXES [in]."""

_FEW_AXES = 2

_LEFT, _RIGHT, _ABOVE, _BELOW, _HEAD = 0.95, 0.12, 0.34, 0.48, 0.45
"""Around the axes of a strip, the leftmost with their labels, and for the title [in]."""

_INNER, _BETWEEN = 0.5, 0.18
"""For the numbers left of an axis, and for the power of ten above it [in]."""


@dataclass(frozen=True)
class _Strip:
    """Joints side by side, each with the same quantities above each other."""

    joints: tuple[str, ...]
    quantities: tuple[str, ...]


def draw_curves(table: Table, path: Path, title: str) -> str:
    """
    Draw every column of a table into a file; its ending says the format.

    Returns
    -------
    str
        What was left out, empty if nothing was.

    Raises
    ------
    DrawingError
        If the file cannot be written, or matplotlib is not installed.

    """
    parts = {column: _parts(column) for column in table.columns}
    named = {joint: column for column, (quantity, joint) in parts.items() if not quantity}
    of_joints = [part for part in parts.values() if part[0]]
    quantities = tuple(name for name in _QUANTITIES if any(name == part[0] for part in of_joints))
    joints = tuple(dict.fromkeys(joint for _, joint in of_joints))
    fitting = joints[:_MOST_AXES // max(1, len(quantities))]
    others = tuple(named)[:_MOST_AXES - len(fitting) * len(quantities)]
    strips = [*_strips(fitting, quantities), *_strips(others, ('',))]
    columns = {part: column for column, part in parts.items()}
    drawn = sum((name, joint) in columns for joint in fitting for name in quantities)
    left_out = len(parts) - drawn - len(others)
    note = (f'{left_out} of {len(parts)} columns are left out, the last ones: choose with --only'
            if left_out else '')
    figure = _figure(table, strips, columns, title + (f' ({note})' if note else ''))
    save(figure, path, title)
    return note


def _parts(column: str) -> tuple[str, str]:
    """Return quantity and joint of a column; without a quantity, the column's name."""
    quantity, _, joint = column.partition('_')
    return (quantity, joint) if quantity in _QUANTITIES else ('', column)


def _strips(joints: tuple[str, ...], quantities: tuple[str, ...]) -> list[_Strip]:
    """Return joints in strips that are about equally long."""
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
    figure.text(0.5, 1.0 - 0.16 / height, shown(title, int(9 * width)), ha='center', va='top',
                fontsize='large', parse_math=False)
    time = table.time - table.time[0]
    floor = height - _HEAD
    for strip, needed in zip(strips, heights):
        for place, joint in enumerate(strip.joints):
            for level, quantity in enumerate(strip.quantities):
                left = _LEFT + cell * place
                bottom = floor - _ABOVE - axis * (level + 1) + _BETWEEN
                axes = figure.add_axes((left / width, bottom / height,
                                        (cell - _INNER - _RIGHT) / width,
                                        (axis - _BETWEEN) / height))
                column = columns.get((quantity, joint))
                _draw(axes, time, None if column is None else table.columns[column], quantity)
                if place == 0:
                    axes.set_ylabel(_QUANTITIES[quantity][0] if quantity else '',
                                    fontsize='small')
                    axes.yaxis.set_label_coords(-0.52 / (cell - _INNER - _RIGHT), 0.5)
                if level == 0:
                    axes.set_title(shown(joint, int(11 * (cell - _INNER))), fontsize='medium',
                                   loc='left', parse_math=False)
                last = level == len(strip.quantities) - 1
                axes.tick_params(labelbottom=last)
                if last:
                    axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
        floor -= needed
    return figure


def _draw(axes: Any, time: Array, values: Array | None, quantity: str) -> None:
    colour = _QUANTITIES[quantity][1] if quantity else BLACK
    axes.tick_params(labelsize='small')
    axes.set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1.0)
    if values is None or not np.isfinite(values).any():
        axes.text(0.5, 0.5, 'no values', transform=axes.transAxes, ha='center', va='center',
                  fontsize='small', color=BLACK)
        axes.set_yticks([])
        return
    alone = np.isfinite(values).sum() == 1   # a line of one point is not seen
    axes.plot(*thinned(time, values), color=colour, linewidth=0.9, marker='o' if alone else '')
    axes.locator_params(axis='y', nbins=4)
    axes.ticklabel_format(axis='y', scilimits=(-2, 4), useOffset=False)
    axes.yaxis.get_offset_text().set_fontsize('small')
    axes.grid(color='#DDDDDD', linewidth=0.5)


def thinned(time: Array, values: Array, most: int = _MOST_POINTS) -> tuple[Array, Array]:
    """
    Return what is to be drawn of a curve: of every stretch its smallest and its largest value.

    A peak of a single sample is drawn, then, however long the recording.

    """
    size = math.ceil(2 * len(values) / most)
    if size <= 2:
        return time, np.where(np.isfinite(values), values, np.nan)
    count = len(values) // size
    kept = np.arange(count)[:, None] * size
    stretches = np.where(np.isfinite(values), values, np.nan)[:count * size].reshape(count, size)
    extremes = np.stack((np.argmin(np.where(np.isnan(stretches), np.inf, stretches), axis=1),
                         np.argmax(np.where(np.isnan(stretches), -np.inf, stretches), axis=1)), 1)
    places = np.concatenate(((kept + np.sort(extremes, axis=1)).ravel(),
                             np.arange(count * size, len(values))))
    return time[places], np.where(np.isfinite(values), values, np.nan)[places]
