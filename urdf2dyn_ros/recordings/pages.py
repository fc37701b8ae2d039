"""What reports are made of: pages of HTML, tables, and how pictures are drawn."""

import math
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


# ---- Tables and sentences of a report, for a terminal and as a page

# a number with its standard deviation
_UNCERTAIN = re.compile(r'(-?[\d.]+(?:e[-+]?\d+)?) \+- ([\d.]+(?:e[-+]?\d+)?)')


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
    def cell(text: str) -> str:   # grey for a number of no more than two standard deviations
        number = _UNCERTAIN.fullmatch(text)
        noise = number and abs(float(number[1])) <= 2.0 * float(number[2])
        return f'<td class="noise">{html_text(text)}</td>' if noise else (
            f'<td>{html_text(text)}</td>')

    sections = ['\n'.join([
        f'<h2>{html_text(table.title)}</h2>',
        *(f'<p>{html_text(text)}</p>' for text in table.text),
        html_table(table.title, table.heads,
                   ([first, *map(cell, cells)] for first, *cells in table.rows))])
        for table in tables]
    images = '\n'.join(html_png(*picture) for picture in pictures)
    return html_page(title, [
        sections[0], f'<div class="pictures">\n{images}\n</div>' if images else '',
        *sections[1:], html_list('What does not fit, and why', remarks or ['Nothing was found.']),
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
            write(figure, part, format=ending[1:], metadata=metadata, **options)
    except OSError as error:
        raise DrawingError(f'cannot write to {str(path)!r}: {error.strerror or error}') from None


def write(figure: Any, file: Any, **options: Any) -> None:
    """Write a figure without warnings of letters that the font lacks; they are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        figure.savefig(file, dpi=_DPI, **options)


def png_bytes(figure: Any) -> bytes:
    buffer = BytesIO()
    write(figure, buffer, format='png')
    return buffer.getvalue()


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


_PREFIXES = {0: '', 3: 'm', 6: 'µ', 9: 'n'}   # by the power of ten that they divide by
_PLAIN = 0.01   # values from which on no prefix is needed


def label_values(axes: Any, label: str, unit: str, values: Array) -> None:
    """
    Label the vertical axis of values (N,), in thousandths and so on of the unit if small.

    Units that the values may have are separated by ` | `.
    """
    largest = float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))
    power = 0
    if 0.0 < largest < _PLAIN:
        power = min(3 * math.ceil(-math.log10(largest) / 3.0), max(_PREFIXES))
        axes.yaxis.set_major_formatter(lambda value, _: (
            f'{round(value * 10.0 ** power, 9) + 0.0:g}'.replace('-', '\N{MINUS SIGN}')))
    units = ' | '.join(_PREFIXES[power] + each for each in unit.split(' | '))
    axes.set_ylabel(f'{label}[{units}]')


# ---- Columns of a table over time: one small picture each, by joint and by quantity

_QUANTITIES = {   # prefixes of names of columns, before _<joint>: label of the axis, colour
    'q': ('position\n[rad | m]', BLUE),
    'qd': ('velocity\n[rad/s | m/s]', GREEN),
    'qdd': ('acceleration\n[rad/s² | m/s²]', ORANGE),
    'effort': ('effort\n[N m | N]', VERMILION),
    'measured': ('measured\n[N m | N]', SKY),
    'computed': ('computed\n[N m | N]', VERMILION),
    'residual': ('residual\n[N m | N]', PURPLE),
    'power': ('power\n[W]', GREEN),
    'external': ('external\n[N m | N]', BLUE),
    '': ('', BLACK),   # of any other column
}
MOST_AXES, _MOST_IN_ROW, _MOST_POINTS = 96, 4, 2000
# all in [in]: width of a joint's place, of a single one; height of an axis, of one or two alone
_CELL, _ALONE, _AXIS, _TALL = 3.1, 6.8, 1.12, 2.2
# space around the axes of a row, labels included, and for the title
_LEFT, _RIGHT, _ABOVE, _BELOW, _HEAD = 0.95, 0.12, 0.34, 0.48, 0.45
# space for the numbers left of an axis, and for the power of ten above it
_INNER, _BETWEEN = 0.5, 0.18


def _curves_figure(table: Table, title: str) -> tuple[Any, str]:
    """Return a figure of every column of a table, and which are omitted, or an empty text."""
    columns: dict[tuple[str, str], Array] = {}   # by quantity and joint
    for name, values in table.columns.items():
        quantity, _, joint = name.partition('_')
        known = quantity and quantity in _QUANTITIES
        columns[(quantity, joint) if known else ('', name)] = values
    used = {quantity for quantity, _ in columns if quantity}
    quantities = [name for name in _QUANTITIES if name in used]
    joints = [*dict.fromkeys(joint for quantity, joint in columns if quantity)]
    joints = joints[:MOST_AXES // max(1, len(quantities))]
    others = [joint for quantity, joint in columns if not quantity]
    others = others[:MOST_AXES - len(joints) * len(quantities)]
    omitted = len(columns) - len(others) - sum(
        (name, joint) in columns for joint in joints for name in quantities)
    note = (f'{omitted} of {len(columns)} columns are omitted, the last ones: choose with --only'
            if omitted else '')
    rows = [*((row, quantities) for row in _rows(joints)), *((row, ['']) for row in _rows(others))]
    return _curves(table.time - table.time[0], rows, columns,
                   title + (f' ({note})' if note else '')), note


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


def _rows(joints: Sequence[str]) -> list[Sequence[str]]:
    """Divide joints into rows of about the same length."""
    length = math.ceil(len(joints) / max(1, math.ceil(len(joints) / _MOST_IN_ROW)))
    return [joints[first:first + length] for first in range(0, len(joints), max(1, length))]


def _curves(time: Array, rows: Sequence[tuple[Sequence[str], Sequence[str]]],
            columns: dict[tuple[str, str], Array], title: str) -> Any:
    """Return a figure of rows of joints, each with the same quantities from top to bottom."""
    longest = max(len(joints) for joints, _ in rows)
    cell = _CELL if longest > 1 else _ALONE
    axis = _TALL if sum(len(joints) * len(levels) for joints, levels in rows) <= 2 else _AXIS
    width = _LEFT - _INNER + cell * longest + _RIGHT
    floor = _HEAD + sum(_ABOVE + axis * len(levels) + _BELOW for _, levels in rows)
    figure = empty_figure(width, floor)
    figure.text(0.5, 1.0 - 0.16 / floor, drawn_name(title, int(9 * width)), ha='center', va='top',
                fontsize='large', parse_math=False)
    floor -= _HEAD
    for joints, levels in rows:
        for place, joint in enumerate(joints):
            for level, quantity in enumerate(levels):
                axes = add_axes(figure, _LEFT + cell * place,
                                floor - _ABOVE - axis * (level + 1) + _BETWEEN,
                                cell - _INNER - _RIGHT, axis - _BETWEEN)
                label, colour = _QUANTITIES[quantity]
                _curve(axes, time, columns.get((quantity, joint)), colour)
                axes.set_ylabel('' if place else label, fontsize='small')
                axes.tick_params(labelbottom=level == len(levels) - 1)
                if level == 0:
                    add_name(axes, drawn_name(joint, int(11 * (cell - _INNER))))
            axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
        floor -= _ABOVE + axis * len(levels) + _BELOW
    return figure


def _curve(axes: Any, time: Array, values: Array | None, colour: str) -> None:
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


# ---- Bars with a text each

_MOST_BARS = 150


def draw_bars(names: Sequence[str], values: Sequence[float], texts: Sequence[str], path: Path,
              title: str, about: str) -> str:
    """Draw a bar for each name, NaN as none; return which are omitted, or an empty text."""
    note = (f'{len(names) - _MOST_BARS} of {len(names)} joints are omitted, the last ones'
            if len(names) > _MOST_BARS else '')
    names, values, texts = names[:_MOST_BARS], values[:_MOST_BARS], texts[:_MOST_BARS]
    figure = empty_figure(7.0, 1.1 + 0.26 * len(names))
    axes = add_axes(figure, 0.1, 0.25, 3.0, 0.26 * len(names))
    bars = axes.barh(range(len(names)), np.nan_to_num(values), 0.6, color=BLUE)
    axes.bar_label(bars, [drawn_name(text, 90) for text in texts], padding=5, fontsize=9,
                   parse_math=False)
    axes.set_yticks(range(len(names)), [drawn_name(name, 40) for name in names], fontsize=9,
                    parse_math=False)
    axes.invert_yaxis()
    axes.set_xticks([])
    for side in ('top', 'right', 'bottom'):
        axes.spines[side].set_visible(False)
    axes.set_title(about + (f'; {note}' if note else ''), fontsize=9, color=GREY, loc='left',
                   parse_math=False)
    axes.annotate(drawn_name(title, 60), (0.0, 1.0), (0.0, 24.0), 'axes fraction',
                  'offset points', fontsize=12, parse_math=False)
    save(figure, path, title, bbox_inches='tight')
    return note
