"""The report of a comparison as one page of HTML that fetches nothing."""

import math
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from urdf2dyn_ros.comparison.figures import JointComparison, Span
from urdf2dyn_ros.comparison.figures_text import FIGURE_COLUMNS, FigureColumn, figure_texts, notes
from urdf2dyn_ros.comparison.joint_picture import friction_picture, joint_picture
from urdf2dyn_ros.origin import NO_ORIGIN, Origin
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.system.atomic_file import atomic_file

_MOST_DECIMALS = 5
"""Decimals of a number with its uncertainty; smaller ones have an exponent."""

_SAFE_LETTERS = " =:/'(){};,.-_?!@*+&[]|~"
"""Letters of an SVG that stay as they are in an address."""

_STYLE = """
:root { color-scheme: light dark; --paper: #fffffe; --ink: #1c1c1c; --soft: #595959;
        --line: #d0d0d0; --warn: #9a3400; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e8e8e8; --soft: #a9afb6; --line: #3c4249; --warn: #f0a070; }
}
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
       margin: 0 auto; max-width: 88rem; padding: 1.5rem 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
h1, h2, td, th, li { overflow-wrap: anywhere; }
p, li { max-width: 60rem; } .soft, caption, dt { color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .8rem; }
caption { text-align: left; padding: .3rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .4rem; text-align: right;
         white-space: nowrap; }
tbody th { min-width: 7rem; max-width: 14rem; white-space: normal; font-weight: 600; }
tbody th, thead th:first-child, td.fault { text-align: left; }
.fault { color: var(--warn); white-space: normal; }
thead th { vertical-align: bottom; white-space: normal; overflow-wrap: normal; }
img { width: 100%; height: auto; display: block; }
.column { max-width: 44rem; background: #fff; }
.pair { display: flex; flex-wrap: wrap; } .pair img { flex: 48 1 20rem; min-width: 0; }
.pair img + img { flex: 38 1 16rem; } .noise { color: var(--soft); opacity: .6; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .9rem; }
dd { margin: 0; }
@media print { section { break-inside: avoid; } }
"""


class PagePicture(NamedTuple):
    """A PNG in the page, its heading, and what it shows."""

    title: str
    words: str
    data: bytes


def write_page(joints: Sequence[JointComparison], path: Path, title: str,
               about: Sequence[str] = (), origin: Origin = NO_ORIGIN,
               pictures: Sequence[PagePicture] = ()) -> None:
    """Write table and pictures as one file of HTML; `about` are paragraphs under the title."""
    drawn = [joint for joint in joints if len(joint.stamps)]
    start = min((int(joint.stamps[0]) for joint in drawn), default=0)
    if any(joint.total.unaligned.samples > 1.1 * len(joint.stamps) for joint in drawn):
        about = [*about, 'Figures cover everything since the beginning, pictures the newest '
                 'samples.']
    hints = [text for joint in joints for text in notes(joint.joint, joint.total)]
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # without it, browsers request an icon
        f'<link rel="icon" href="data:,">\n<title>{_text(title)}</title>',
        f'<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{_text(title)}</h1>',
        f'<p>Efforts of the recording: {origin.efforts}.</p>' if origin.facts else '',
        *(f'<p>{_text(paragraph)}</p>' for paragraph in about),
        _table(joints, origin),
        *(['<h2>Notes</h2>\n<ul>', *(f'<li>{_text(hint)}</li>' for hint in hints), '</ul>']
          if hints else []),
        *map(_picture, pictures),
        *(_section(joint, start, origin) for joint in drawn),
        '<h2>Meaning of the columns</h2>\n<dl>',
        *(f'<dt>{_text(column.head)}</dt><dd>{_text(column.meaning)}</dd>'
          for column in FIGURE_COLUMNS),
        '</dl>', *(['<h2>Origin</h2>\n<ul>', *(f'<li>{_text(line)}</li>' for line in origin.lines),
                     '</ul>'] if origin.facts else []),
        '</main>\n</body>\n</html>']
    with atomic_file(path) as part:
        part.write_text('\n'.join(parts) + '\n', encoding='utf-8')


def _table(joints: Sequence[JointComparison], origin: Origin) -> str:
    heads = ('joint', 'unit', 'samples', *(column.head for column in FIGURE_COLUMNS))
    rows = []
    for joint in joints:
        cells = [f'<th scope="row">{_text(joint.joint)}</th>', f'<td>{_text(joint.unit)}</td>',
                 f'<td>{joint.figures.samples}</td>']
        if joint.fault:
            cells.append(f'<td class="fault" colspan="{len(FIGURE_COLUMNS)}">not credible: '
                         f'{_text(joint.fault)}</td>')
        else:
            cells += [_cell(column, text, joint.total) for column, text in zip(
                FIGURE_COLUMNS, figure_texts(joint.total))]
        rows.append(f'<tr>{"".join(cells)}</tr>')
    head = ''.join(f'<th scope="col">{_text(text)}</th>' for text in heads)
    return ('<div class="wide" role="region" aria-label="Figures by joint" tabindex="0">\n<table>'
            f'<caption>{origin.efforts.capitalize()} minus computed effort, since the beginning; '
            'efforts and their differences in the unit of the joint; ± is one standard deviation, '
            'at least; grey: no larger than two of them</caption>\n'
            f'<thead><tr>{head}</tr></thead>\n'
            f'<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table>\n</div>')


def _cell(column: FigureColumn, text: str, span: Span) -> str:
    """Return a number with its uncertainty, if that is known; grey if it may be noise."""
    error = math.nan if column.error is None else column.error(span)
    if math.isnan(error):
        return f'<td>{_text(text)}</td>'
    value = column.value(span)
    decimals = 1 - math.floor(math.log10(error)) if error else 3
    forms = 2 * [f'.{decimals}f'] if 0 <= decimals <= _MOST_DECIMALS else ['.3g', '.2g']
    noise = ' class="noise"' if abs(value) <= 2.0 * error else ''
    return f'<td{noise}>{value:{forms[0]}} ± {error:{forms[1]}}</td>'


def _picture(picture: PagePicture) -> str:
    data = b64encode(picture.data).decode()
    return (f'<section>\n<h2>{_text(picture.title)}</h2>\n<img class="column" '
            f'alt="{_text(picture.words)}" src="data:image/png;base64,{data}">\n</section>')


def _section(joint: JointComparison, start: int, origin: Origin) -> str:
    seconds = [(int(joint.stamps[end]) - start) * 1e-9 for end in (0, -1)]
    figures = (f'not credible, {joint.fault}' if joint.fault
               else f'RMSE {joint.figures.rmse:.4g} {joint.unit}, largest difference '
               f'{joint.figures.max_error:.4g} {joint.unit}')
    pictures = (
        (joint_picture(joint, start, origin.efforts),
         f'Joint {joint.joint} from {seconds[0]:.1f} to {seconds[1]:.1f} s: {origin.efforts} and '
         f'computed effort, and their difference. {figures}.'),
        (friction_picture(joint), f'Joint {joint.joint}: the difference over the velocity.'))
    images = '\n'.join(
        f'<img alt="{_text(words)}" src="data:image/svg+xml,{quote(picture, safe=_SAFE_LETTERS)}">'
        for picture, words in pictures)
    fault = f'<p class="fault">not credible: {_text(joint.fault)}</p>\n' if joint.fault else ''
    return (f'<section>\n<h2>{_text(joint.joint)}</h2>\n{fault}'
            f'<div class="pair">\n{images}\n</div>\n</section>')


def _text(text: str) -> str:
    """Return a text as HTML; a joint's name may contain any character."""
    return escape(printable(text))
