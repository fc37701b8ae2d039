"""Tables and sentences of a report: for a terminal, and as a page of HTML that fetches nothing."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.drawing.html_page import (
    html_list,
    html_page,
    html_png,
    html_table,
    html_text,
)
from urdf2dyn_ros.text_table import aligned

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
