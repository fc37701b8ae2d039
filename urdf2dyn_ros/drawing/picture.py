"""What pictures share: an empty one, names, axes at places in inches, style, and the file."""

import warnings
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.system.atomic_file import atomic_file

FORMATS = ('.svg', '.png')
"""Endings of files that a picture can be written to."""

BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = (
    '#0072B2', '#E69F00', '#009E73', '#D55E00', '#56B4E9', '#CC79A7')
"""Colours of Okabe and Ito, which the colour-blind can distinguish too."""

BLACK, GREY, LIGHT = '#202020', '#6E6E6E', '#C8C8C8'
"""Distinguished by lightness alone."""

MEASURED, COMPUTED, RESIDUAL = SKY, VERMILION, '#404040'
"""Colours of curves, which differ in lightness too."""

DPI = 110


def empty_figure(width: float, height: float) -> Any:
    """Return a figure of a size [in] that needs no screen; DrawingError without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise DrawingError(f'drawing needs matplotlib, which cannot be imported ({error}); '
                           "install it with: pip install 'urdf2dyn_ros[plots]'") from None
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def text_width(figure: Any, text: str, size: float) -> float:
    """Return how wide a text is [in], in a font of a size [pt]."""
    from matplotlib.font_manager import FontProperties
    font = FontProperties(size=size)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')   # letters that the font lacks are drawn as boxes
        width: float = figure.canvas.get_renderer().get_text_width_height_descent(
            text, font, ismath=False)[0]
    return width / DPI


def drawn_name(text: str, most: int) -> str:
    """
    Return a name without control characters, in at most so many letters.

    A longer name loses its middle, as names differ at their ends.
    """
    safe = printable(text)
    tail = most // 3
    return safe if len(safe) <= most else f'{safe[:most - tail - 1]}…{safe[-tail:]}'


def checked_path(path: str | Path, formats: Sequence[str] = FORMATS) -> Path:
    """Return the path of a picture; DrawingError if its ending is none of the formats."""
    path = Path(path)
    if path.suffix.lower() not in formats:
        raise DrawingError(f'{str(path)!r} does not end in {" or ".join(formats)}: the ending '
                           'selects the format')
    return path


def save(figure: Any, path: Path, title: str) -> None:
    """Write a picture to a file as a whole; DrawingError with the system's reason if it fails."""
    import matplotlib
    ending = path.suffix.lower()
    metadata = {'Title': drawn_name(title, 200), **({'Date': None} if ending == '.svg' else {})}
    try:
        # without a salt, the identifiers in an SVG are random
        with matplotlib.rc_context({'svg.hashsalt': 'urdf2dyn'}), atomic_file(path) as part:
            write(figure, part, format=ending[1:], metadata=metadata)
    except OSError as error:
        raise DrawingError(f'cannot write to {str(path)!r}: {error.strerror or error}') from None


def write(figure: Any, file: Any, **options: Any) -> None:
    """Write a figure without warnings of letters that the font lacks; they are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        figure.savefig(file, dpi=DPI, **options)


def png_bytes(figure: Any) -> bytes:
    buffer = BytesIO()
    write(figure, buffer, format='png')
    return buffer.getvalue()


def inch_axes(figure: Any, width: float, height: float) -> Any:
    """Set a figure's size [in]; return axes in inches from its upper left corner."""
    figure.set_size_inches(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.axis('off')
    return axes


def write_text(axes: Any, x: float, y: float, text: str, colour: str, size: float) -> None:
    """Write a text that begins at x, centred at y; a name may contain a $, which is no formula."""
    axes.text(x, y, text, color=colour, size=size, va='center_baseline',
              parse_math=False)


def add_axes(figure: Any, left: float, bottom: float, width: float, height: float) -> Any:
    """Return new axes at a place [in] from the figure's lower left corner."""
    wide, high = figure.get_size_inches()
    return figure.add_axes((left / wide, bottom / high, width / wide, height / high))


def panels(count: int, columns: int, cell: tuple[float, float], head: float,
           sides: tuple[float, float], levels: Sequence[tuple[float, float]],
           ) -> tuple[Any, list[list[Any]]]:
    """
    Return a figure, and the axes of each of its places, in rows.

    All lengths in [in]: width and height of a place, and the height above all of them; the axes'
    distance from the sides of the place; bottom and height of each of its axes.
    """
    (wide, high), (left, right), rows = cell, sides, -(-count // columns)
    figure = empty_figure(wide * columns, high * rows + head)
    return figure, [[
        add_axes(figure, wide * (number % columns) + left,
                 high * (rows - 1 - number // columns) + bottom, wide - left - right, height)
        for bottom, height in levels] for number in range(count)]


def add_head(figure: Any, title: str, most: int, handles: Sequence[Any],
             legend: float = 0.55, size: str = 'medium', rows: int = 1) -> None:
    """Write a title of at most so many letters; the legend's middle is `legend` below the top."""
    height = figure.get_figheight()
    figure.text(0.5, 1.0 - 0.12 / height, drawn_name(title, most), ha='center', va='top',
                fontsize='large', parse_math=False)
    figure.legend(handles=handles, loc='center', bbox_to_anchor=(0.5, 1.0 - legend / height),
                  ncol=-(-len(handles) // rows), frameon=False, fontsize=size)


def add_name(axes: Any, text: str) -> None:
    """Write the name of a joint above its axes."""
    axes.set_title(text, fontsize='medium', loc='left', parse_math=False)


def style_axes(axes: Any, inset: float) -> None:
    """Set small numbers, a grid, and the label `inset` [in] left of the axes."""
    axes.ticklabel_format(axis='y', scilimits=(-3, 4), useOffset=False)
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
