"""What pictures share: axes at places in inches, title and legend, style, and samples to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.picture import COMPUTED, MEASURED, RESIDUAL, drawn_name


def inch_axes(figure: Any, width: float, height: float) -> Any:
    """Set a figure's size [in]; return axes in inches from its upper left corner."""
    figure.set_size_inches(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.axis('off')
    return axes


def write_text(axes: Any, x: float, y: float, text: str, colour: str, size: float,
               bold: bool = False) -> None:
    """Write a text that begins at x, centred at y; a name may contain a $, which is no formula."""
    axes.text(x, y, text, color=colour, size=size, weight='bold' if bold else 'normal',
              va='center_baseline', parse_math=False)


def add_axes(figure: Any, left: float, bottom: float, width: float, height: float) -> Any:
    """Return new axes at a place [in] from the figure's lower left corner."""
    wide, high = figure.get_size_inches()
    return figure.add_axes((left / wide, bottom / high, width / wide, height / high))


def add_head(figure: Any, title: str, most: int, handles: Sequence[Any],
             legend: float = 0.55) -> None:
    """Write a title of at most so many letters; the legend's middle is `legend` below the top."""
    height = figure.get_figheight()
    figure.text(0.5, 1.0 - 0.12 / height, drawn_name(title, most), ha='center', va='top',
                fontsize='large', parse_math=False)
    figure.legend(handles=handles, loc='center', bbox_to_anchor=(0.5, 1.0 - legend / height),
                  ncol=len(handles), frameon=False)


def add_name(axes: Any, text: str) -> None:
    """Write the name of a joint above its axes."""
    axes.set_title(text, fontsize='medium', loc='left', parse_math=False)


def style_axes(axes: Any, inset: float) -> None:
    """Set small numbers, a grid, and the label `inset` [in] left of the axes."""
    axes.ticklabel_format(axis='y', scilimits=(-2, 4), useOffset=False)
    axes.yaxis.get_offset_text().set_fontsize('small')
    axes.tick_params(labelsize='small')
    axes.yaxis.set_label_coords(
        -inset / (axes.get_position().width * axes.figure.get_figwidth()), 0.5)
    axes.grid(color='#DDDDDD', linewidth=0.5)


def draw_pair(upper: Any, lower: Any, time: Any, curves: Any, labels: Sequence[str],
              widths: Sequence[float]) -> list[Any]:
    """Draw two curves on the upper axes and their difference on the lower; return the lines."""
    looks = ((upper, MEASURED, '-'), (upper, COMPUTED, (0, (5, 3))), (lower, RESIDUAL, '-'))
    lines = [axes.plot(time, values, color=colour, linestyle=style, linewidth=width,
                       label=label)[0]
             for (axes, colour, style), values, label, width in zip(
                 looks, curves, labels, widths, strict=True)]
    lower.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    upper.tick_params(labelbottom=False)
    lower.locator_params(axis='y', nbins=3)
    return lines


def thinned(lines: Array, segments: int) -> NDArray[np.int64]:
    """
    Return which samples of lines (n, k) to draw so that no peak is lost.

    Of each segment these are the lowest and the highest finite value of every line; the first and
    the last sample are always drawn.

    """
    count = lines.shape[1]
    if count <= 2 * segments:
        return np.arange(count, dtype=np.int64)
    size = -(-count // segments)
    padded = np.full((len(lines), segments * size), np.nan)
    padded[:, :count] = np.where(np.isfinite(lines), lines, np.nan)
    parts = padded.reshape(len(lines), segments, size)
    starts = size * np.arange(segments)
    lowest = starts + np.where(np.isnan(parts), np.inf, parts).argmin(axis=2)
    highest = starts + np.where(np.isnan(parts), -np.inf, parts).argmax(axis=2)
    kept = np.unique(np.concatenate(([0, count - 1], lowest.ravel(), highest.ravel())))
    return np.asarray(kept[kept < count], dtype=np.int64)
