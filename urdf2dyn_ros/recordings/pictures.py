"""Pictures and pages of HTML for light and dark, and the tables of a report."""

import math
import re
import warnings
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import aligned, printable

# ---- What pictures share: an empty one, names, axes at places in inches, style, and the file

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


# ---- Axes of small values: a unit with a prefix in the place of powers of ten above the axis

_PREFIXES = {0: '', 3: 'm', 6: 'µ', 9: 'n'}
"""By the power of ten that they divide by."""

_PLAIN = 0.01
"""Values from which on no prefix is needed."""


def label_values(axes: Any, label: str, unit: str, values: Array) -> None:
    """
    Label the vertical axis of values (N,), in thousandths and so on of the unit if small.

    Units that the values may have are separated by ` | `.
    """
    largest = float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))
    power = 0
    if 0.0 < largest < _PLAIN:
        power = min(3 * math.ceil(-math.log10(largest) / 3.0), max(_PREFIXES))
        axes.yaxis.set_major_formatter(lambda value, _: _number(value * 10.0 ** power))
    units = ' | '.join(_PREFIXES[power] + each for each in unit.split(' | '))
    axes.set_ylabel(f'{label}[{units}]')


def _number(value: float) -> str:
    return f'{round(value, 9) + 0.0:g}'.replace('-', '\N{MINUS SIGN}')


# ---- A page of HTML that fetches nothing, for light and dark: head, style, tables, pictures

_STYLE = """
:root { color-scheme: light dark; --paper: #fffffe; --ink: #1c1c1c; --soft: #595959;
        --line: #d0d0d0; --warn: #9a3400; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e8e8e8; --soft: #a9afb6; --line: #3c4249; --warn: #f0a070; }
}
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
       margin: 0 auto; max-width: 88rem; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
p, li { max-width: 60rem; } .soft, caption, dt { color: var(--soft); }
.wide { overflow-x: auto; container-type: inline-size; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .8rem; }
caption { text-align: left; padding: .3rem 0; }
caption span { display: block; max-width: min(60rem, 100cqw); position: sticky; left: 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .4rem; text-align: right;
         white-space: nowrap; }
tbody th { min-width: 7rem; max-width: 14rem; white-space: normal; font-weight: 600; }
tbody th, thead th:first-child, td.fault { text-align: left; }
tbody th, thead th:first-child { position: sticky; left: 0; background: var(--paper); }
@media (max-width: 40rem) {
  th, td { padding: .25rem .3rem; } tbody th { min-width: 4.5rem; max-width: 7.5rem; }
}
.fault { color: var(--warn); white-space: normal; }
thead th { vertical-align: bottom; white-space: normal; overflow-wrap: normal; }
img { width: 100%; height: auto; display: block; }
.column { max-width: 44rem; background: #fff; }
.pictures { display: flex; flex-wrap: wrap; gap: .5rem; }
.pictures img { flex: 1 1 20rem; min-width: 0; width: auto; max-width: min(50rem, 100%); }
.pair { display: flex; flex-wrap: wrap; } .pair img { flex: 48 1 20rem; min-width: 0; }
.pair img + img { flex: 38 1 16rem; } .noise { color: var(--soft); opacity: .6; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .9rem; }
dd { margin: 0; }
@media print { section { break-inside: avoid; } }
"""


def html_page(title: str, parts: Iterable[str]) -> str:
    return '\n'.join([
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # without it, browsers request an icon
        f'<link rel="icon" href="data:,">\n<title>{html_text(title)}</title>',
        f'<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{html_text(title)}</h1>',
        *parts, '</main>\n</body>\n</html>\n'])


def html_list(title: str, lines: Sequence[str]) -> str:
    """Return texts as a list under a heading, nothing if there are none."""
    items = '\n'.join(f'<li>{html_text(line)}</li>' for line in lines)
    return f'<h2>{html_text(title)}</h2>\n<ul>\n{items}\n</ul>' if items else ''


def html_table(label: str, heads: Sequence[str], rows: Iterable[Sequence[str]],
               caption: str = '') -> str:
    """Return a table of a label; rows are a text, their head, and then HTML of the cells."""
    head = ''.join(f'<th scope="col">{html_text(text)}</th>' for text in heads)
    body = '\n'.join(f'<tr><th scope="row">{html_text(first)}</th>{"".join(cells)}</tr>'
                     for first, *cells in rows)
    return (f'<div class="wide" role="region" aria-label="{html_text(label)}" tabindex="0">\n'
            f'<table>{caption and f"<caption><span>{caption}</span></caption>"}\n'
            f'<thead><tr>{head}</tr>'
            f'</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>')


def html_png(data: bytes, words: str) -> str:
    """Return a picture in PNG, and what it shows in words."""
    return (f'<img alt="{html_text(words)}" class="column" '
            f'src="data:image/png;base64,{b64encode(data).decode()}">')


def html_text(text: str) -> str:
    """Return a text as HTML; a joint's name may contain any character."""
    return escape(printable(text))


# ---- Tables and sentences of a report: for a terminal, and as a page of HTML that fetches nothing

_UNCERTAIN = re.compile(r'(-?[\d.]+(?:e[-+]?\d+)?) \+- ([\d.]+(?:e[-+]?\d+)?)')
"""A number with its standard deviation."""


class ReportTable(NamedTuple):
    """A title, the heads of columns, rows of texts, and paragraphs before the table."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: Sequence[str] = ()


def text_table(table: ReportTable) -> str:
    return '\n'.join(aligned((table.heads, *table.rows)))


def report_page(title: str, tables: Sequence[ReportTable], remarks: Sequence[str],
                about: Sequence[str], *pictures: tuple[bytes, str]) -> str:
    """Return the page; pictures are PNGs with their words, the remarks what does not fit."""
    first, *others = tables
    images = '\n'.join(html_png(*picture) for picture in pictures)
    return html_page(title, [
        _section(first), f'<div class="pictures">\n{images}\n</div>' if images else '',
        *map(_section, others),
        html_list('What does not fit, and why', remarks or ['Nothing was found.']),
        html_list('Origin', about)])


def _section(table: ReportTable) -> str:
    rows = ([first, *map(_cell, cells)] for first, *cells in table.rows)
    paragraphs = ''.join(f'<p>{html_text(text)}</p>\n' for text in table.text)
    return (f'<h2>{html_text(table.title)}</h2>\n{paragraphs}'
            f'{html_table(table.title, table.heads, rows)}')


def _cell(text: str) -> str:
    """Return a cell; grey for a number that is no larger than two standard deviations."""
    number = _UNCERTAIN.fullmatch(text)
    noise = number and abs(float(number[1])) <= 2.0 * float(number[2])
    attribute = ' class="noise"' if noise else ''
    return f'<td{attribute}>{html_text(text)}</td>'
