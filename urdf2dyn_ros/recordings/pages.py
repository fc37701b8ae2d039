"""What reports are made of: pages of HTML, tables, and how pictures are drawn."""

import re
import warnings
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.recordings.table import Table
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import aligned, printable

# ---- A page of HTML that fetches nothing, for light and dark

_STYLE = """
:root { color-scheme: light dark; --paper: #fffffe; --ink: #1c1c1c; --soft: #595959;
        --line: #d0d0d0; --warn: #9a3400; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e8e8e8; --soft: #a9afb6; --line: #3c4249; --warn: #f0a070; }
}
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
       margin: 0 auto; max-width: 88rem; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
p, li { max-width: 60rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .8rem; }
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
.noise { color: var(--soft); opacity: .6; }
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


def html_png(data: bytes, words: str) -> str:
    """Return a picture in PNG, and what it shows in words."""
    return (f'<img alt="{html_text(words)}" class="column" '
            f'src="data:image/png;base64,{b64encode(data).decode()}">')


def html_text(text: str) -> str:
    """Return a text as HTML; a joint's name may contain any character."""
    return escape(printable(text))


# ---- Tables of a report, for a terminal and on a page

# a number with its standard deviation
_UNCERTAIN = re.compile(r'(-?[\d.]+(?:e[-+]?\d+)?) \+- ([\d.]+(?:e[-+]?\d+)?)')


class ReportTable(NamedTuple):
    """
    A title, the heads of columns, rows of texts, and paragraphs before the table.

    On a page, the last text of a row that is shorter than the heads is a fault.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: Sequence[str] = ()


def text_table(table: ReportTable) -> str:
    return '\n'.join(aligned((table.heads, *table.rows)))


def html_table(table: ReportTable) -> str:
    """Return a table with its title; what may be noise, by its standard deviation, is grey."""
    def cell(text: str) -> str:
        number = _UNCERTAIN.fullmatch(text)
        noise = number and abs(float(number[1])) <= 2.0 * float(number[2])
        kind = ' class="noise"' if noise else ''
        return f'<td{kind}>{html_text(text)}</td>'

    def line(row: Sequence[str]) -> str:
        first, *texts = row
        free = len(table.heads) - len(row)
        cells = [*map(cell, texts[:-1] if free else texts)]
        if free:
            cells.append(f'<td class="fault" colspan="{free + 1}">{html_text(texts[-1])}</td>')
        return f'<tr><th scope="row">{html_text(first)}</th>{"".join(cells)}</tr>'

    heads = ''.join(f'<th scope="col">{html_text(text)}</th>' for text in table.heads)
    return '\n'.join([
        f'<h2>{html_text(table.title)}</h2>',
        *(f'<p>{html_text(text)}</p>' for text in table.text),
        f'<div class="wide" role="region" aria-label="{html_text(table.title)}" tabindex="0">',
        f'<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>', *map(line, table.rows),
        '</tbody>\n</table>\n</div>'])


def report_page(title: str, tables: Sequence[ReportTable], remarks: Sequence[str],
                about: Sequence[str], *pictures: tuple[bytes, str]) -> str:
    """Return the page; pictures are PNGs with their words, the remarks what does not fit."""
    images = '\n'.join(html_png(*picture) for picture in pictures)
    first, *others = map(html_table, tables)
    return html_page(title, [
        first, f'<div class="pictures">\n{images}\n</div>' if images else '', *others,
        html_list('What does not fit, and why', remarks or ['Nothing was found.']),
        html_list('Origin', about)])


# ---- What pictures share: an empty one, names, axes at places in inches, style, and the file

FORMATS = ('.svg', '.png')   # endings of files that a picture can be written to
# of Okabe and Ito, which the colour-blind can distinguish too
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = (
    '#0072B2', '#E69F00', '#009E73', '#D55E00', '#56B4E9', '#CC79A7')
BLACK, GREY, LIGHT = '#202020', '#6E6E6E', '#C8C8C8'
MEASURED, COMPUTED, RESIDUAL = SKY, VERMILION, '#404040'   # curves, which differ in lightness too
_DPI = 110


def empty_figure(width: float, height: float) -> Any:
    """Return a figure of a size [in] that needs no screen; DrawingError without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise DrawingError(f'drawing needs matplotlib, which cannot be imported ({error}); '
                           "install it with: pip install 'urdf2dyn_ros[plots]'") from None
    figure = Figure(figsize=(width, height), dpi=_DPI)
    FigureCanvasAgg(figure)
    return figure


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


def save(figure: Any, path: Path, title: str, **options: Any) -> None:
    """Write a picture to a file as a whole; DrawingError with the system's reason if it fails."""
    import matplotlib
    ending = path.suffix.lower()
    metadata = {'Title': drawn_name(title, 200), **({'Date': None} if ending == '.svg' else {})}
    try:
        # without a salt, the identifiers in an SVG are random
        with matplotlib.rc_context({'svg.hashsalt': 'urdf2dyn'}), atomic_file(path) as part:
            _write(figure, part, format=ending[1:], metadata=metadata, **options)
    except OSError as error:
        raise DrawingError(f'cannot write to {str(path)!r}: {error.strerror or error}') from None


def _write(figure: Any, file: Any, **options: Any) -> None:
    """Write a figure without warnings of letters that the font lacks; they are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        figure.savefig(file, dpi=_DPI, **options)


def png_bytes(figure: Any) -> bytes:
    buffer = BytesIO()
    _write(figure, buffer, format='png')
    return buffer.getvalue()


def panels(count: int, columns: int, cell: tuple[float, float], head: float,
           sides: tuple[float, float], levels: Sequence[tuple[float, float]],
           ) -> tuple[Any, list[list[Any]]]:
    """
    Return a figure, and the axes of each of its places, in rows.

    All lengths in [in]: width and height of a place, and the height above all of them; the axes'
    distance from the sides of the place; bottom and height of each of its axes.
    """
    (wide, high), (left, right), rows = cell, sides, -(-count // columns)
    width, total = wide * columns, high * rows + head
    figure = empty_figure(width, total)
    return figure, [[
        figure.add_axes(((wide * (number % columns) + left) / width,
                         (high * (rows - 1 - number // columns) + bottom) / total,
                         (wide - left - right) / width, height / total))
        for bottom, height in levels] for number in range(count)]


def add_head(figure: Any, title: str, most: int, handles: Sequence[Any],
             legend: float = 0.55, size: str = 'medium') -> None:
    """Write a title of at most so many letters; the legend's middle is `legend` below the top."""
    height = figure.get_figheight()
    figure.text(0.5, 1.0 - 0.12 / height, drawn_name(title, most), ha='center', va='top',
                fontsize='large', parse_math=False)
    if handles:
        figure.legend(handles=handles, loc='center', bbox_to_anchor=(0.5, 1.0 - legend / height),
                      ncol=len(handles), frameon=False, fontsize=size)


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


# a step so many times the usual one is a gap; part of the steps that are at most as long, and as
# many from which on this is known
_GAP, _USUAL, _FEWEST_STEPS = 10.0, 0.9, 10


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


def behind_gaps(time: Array) -> NDArray[np.int64]:
    """Return the rows (i,) of times (k,) [s] before which there is a gap."""
    steps = np.diff(time)
    usual = np.quantile(steps, _USUAL) if len(steps) >= _FEWEST_STEPS else np.inf
    return np.flatnonzero(steps > _GAP * usual) + 1


def draw_line(axes: Any, time: Array, values: Array, rows: NDArray[np.int64], **look: Any) -> Any:
    """Draw some samples of a line (k,) over time (k,) [s], which ends and begins at its gaps."""
    places = np.searchsorted(rows, behind_gaps(time))
    x, y = (np.insert(each[rows], places, np.nan) for each in (time, values))
    return axes.plot(x, y, **look)[0]


# ---- Columns of a table over time: a small picture each, by joint and by quantity

_QUANTITIES = {   # prefixes of names of columns, before _<joint>: unit, colour
    'q': ('rad | m', BLUE), 'qd': ('rad/s | m/s', GREEN), 'qdd': ('rad/s² | m/s²', ORANGE),
    'effort': ('N m | N', VERMILION), 'measured': ('N m | N', SKY),
    'computed': ('N m | N', VERMILION), 'residual': ('N m | N', PURPLE), 'power': ('W', GREEN),
    'external': ('N m | N', BLUE)}
MOST_AXES, _MOST_IN_ROW, _MOST_POINTS = 96, 4, 2000
# all in [in]: width of a place, of one alone, height of a place; around and in height of its axes
_PLACE, _ALONE, _TALL = 3.1, 6.8, 1.6
_LEFT, _RIGHT, _BELOW, _AXIS, _HEAD = 0.55, 0.15, 0.35, 0.85, 0.45


def _curves_figure(table: Table, title: str) -> tuple[Any, str]:
    """Return a figure of every column of a table, and which are omitted, or an empty text."""
    joints: dict[str, dict[str, str]] = {}   # columns by joint and quantity
    others: list[str | None] = []
    for name in table.columns:
        quantity, _, joint = name.partition('_')
        if joint and quantity in _QUANTITIES:
            joints.setdefault(joint, {})[quantity] = name
        else:
            others.append(name)
    # as many joints in each row, one below the other their quantities
    count = max(len(joints), len(others), 1)
    wide = -(-count // -(-count // _MOST_IN_ROW))
    names: list[str | None] = []
    for first in range(0, len(joints), wide):
        block = [*joints.values()][first:first + wide]
        for quantity in _QUANTITIES:
            if any(quantity in columns for columns in joints.values()):
                names += [columns.get(quantity) for columns in block]
                names += [None] * (wide - len(block))
    names = (names + others)[:MOST_AXES]
    omitted = len(table.columns) - sum(name is not None for name in names)
    note = (f'{omitted} of {len(table.columns)} columns are omitted, the last ones: choose with '
            '--only' if omitted else '')
    figure, places = panels(len(names), wide, (_PLACE if wide > 1 else _ALONE, _TALL), _HEAD,
                            (_LEFT, _RIGHT), [(_BELOW, _AXIS)])
    add_head(figure, title + (f' ({note})' if note else ''), int(9 * figure.get_figwidth()), [])
    time = table.time - table.time[0]
    for number, (column, [axes]) in enumerate(zip(names, places)):
        if column is None:
            axes.remove()
        else:
            _curve(axes, time, table.columns[column], column)
            if number + wide >= len(names):
                axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    return figure, note


def _curve(axes: Any, time: Array, values: Array, name: str) -> None:
    quantity, _, joint = name.partition('_')
    unit, colour = _QUANTITIES.get(quantity if joint else '', ('', BLACK))
    finite = np.where(np.isfinite(values), values, np.nan)
    rows = thinned(finite[None], _MOST_POINTS // 2)
    single = np.isfinite(finite).sum() == 1   # a line of one point is invisible
    draw_line(axes, time, finite, rows, color=colour, linewidth=0.9, marker='o' if single else '')
    axes.set_xlim(time[0], time[-1] if time[-1] > time[0] else time[0] + 1.0)
    style_axes(axes, inset=0.5)
    axes.locator_params(axis='y', nbins=4)
    unit = f' [{unit}]' if unit else ''
    axes.set_title(drawn_name(name, int(16 * axes.get_position().width
                                        * axes.figure.get_figwidth()) - len(unit)) + unit,
                   fontsize='small', loc='left', parse_math=False)


def draw_curves(table: Table, path: Path, title: str) -> str:
    """Draw every column of a table; return which columns are omitted, or an empty text."""
    figure, note = _curves_figure(table, title)
    save(figure, path, title)
    return note


def motion_picture(time: Array, quantities: Mapping[str, Array], joints: Sequence[str],
                   title: str) -> bytes:
    """Return a PNG of quantities (k, n) of joints by prefixes of names of columns."""
    columns = {f'{name}_{joint}': values[:, number] for name, values in quantities.items()
               for number, joint in enumerate(joints)}
    return png_bytes(_curves_figure(Table(time, columns), title)[0])
