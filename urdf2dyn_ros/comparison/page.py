"""The report of a comparison as one page of HTML that fetches nothing."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from urdf2dyn_ros.comparison.figures import JointComparison, Span
from urdf2dyn_ros.comparison.figures_text import FIGURE_COLUMNS, FigureColumn, figure_texts, notes
from urdf2dyn_ros.comparison.joint_picture import friction_picture, joint_picture
from urdf2dyn_ros.drawing.html_page import (
    html_list,
    html_page,
    html_png,
    html_table,
    html_text,
)
from urdf2dyn_ros.origin import NO_ORIGIN, Origin
from urdf2dyn_ros.system.atomic_file import create_files

_MOST_DECIMALS = 5
"""Decimals of a number with its uncertainty; smaller ones have an exponent."""

_SAFE_LETTERS = " =:/'(){};,.-_?!@*+&[]|~"
"""Letters of an SVG that stay as they are in an address."""


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
    parts = [
        f'<p>Efforts of the recording: {origin.efforts}.</p>' if origin.facts else '',
        *(f'<p>{html_text(paragraph)}</p>' for paragraph in about),
        _table(joints, origin),
        html_list('Notes', notes(joints)),
        *(f'<section>\n<h2>{html_text(picture.title)}</h2>\n'
          f'{html_png(picture.data, picture.words)}\n</section>' for picture in pictures),
        *(_section(joint, start, origin) for joint in drawn),
        '<h2>Meaning of the columns</h2>\n<dl>',
        *(f'<dt>{html_text(column.head)}</dt><dd>{html_text(column.meaning)}</dd>'
          for column in FIGURE_COLUMNS),
        '</dl>', html_list('Origin', origin.lines if origin.facts else [])]
    create_files({path: html_page(title, parts).encode()}, replace=True)


def _table(joints: Sequence[JointComparison], origin: Origin) -> str:
    rows = []
    for joint in joints:
        cells = [f'<td>{html_text(joint.unit)}</td>', f'<td>{joint.figures.samples}</td>']
        if joint.fault:
            cells.append(f'<td class="fault" colspan="{len(FIGURE_COLUMNS)}">not credible: '
                         f'{html_text(joint.fault)}</td>')
        else:
            cells += [_cell(column, text, joint.total) for column, text in zip(
                FIGURE_COLUMNS, figure_texts(joint.total))]
        rows.append([joint.joint, *cells])
    return html_table(
        'Figures by joint', ('joint', 'unit', 'samples', *(each.head for each in FIGURE_COLUMNS)),
        rows, f'{origin.efforts.capitalize()} minus computed effort, since the beginning; efforts '
        'and their differences in the unit of the joint; ± is one standard deviation, at least; '
        'grey: no larger than two of them')


def _cell(column: FigureColumn, text: str, span: Span) -> str:
    """Return a number with its uncertainty, if that is known; grey if it may be noise."""
    error = math.nan if column.error is None else column.error(span)
    if math.isnan(error):
        return f'<td>{html_text(text)}</td>'
    value = column.value(span)
    decimals = 1 - math.floor(math.log10(error)) if error else 3
    forms = 2 * [f'.{decimals}f'] if 0 <= decimals <= _MOST_DECIMALS else ['.3g', '.2g']
    noise = ' class="noise"' if abs(value) <= 2.0 * error else ''
    return f'<td{noise}>{value:{forms[0]}} ± {error:{forms[1]}}</td>'


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
        f'<img alt="{html_text(words)}" '
        f'src="data:image/svg+xml,{quote(picture, safe=_SAFE_LETTERS)}">'
        for picture, words in pictures)
    fault = f'<p class="fault">not credible: {html_text(joint.fault)}</p>\n' if joint.fault else ''
    return (f'<section>\n<h2>{html_text(joint.joint)}</h2>\n{fault}'
            f'<div class="pair">\n{images}\n</div>\n</section>')
