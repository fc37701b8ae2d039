"""Tables and sentences of a report: for a terminal, and as a page of HTML that fetches nothing."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.text_table import aligned

_NOISE = ' class="noise"'

_UNCERTAIN = re.compile(r'(-?[\d.]+(?:e[-+]?\d+)?) \+- ([\d.]+(?:e[-+]?\d+)?)')
"""A number with its standard deviation."""

_STYLE = """
:root { color-scheme: light dark; --paper: #fffffe; --ink: #1c1c1c; --line: #d0d0d0; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16191d; --ink: #e8e8e8; --line: #3c4249; }
}
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
       margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
h1, h2, li { overflow-wrap: anywhere; } td { white-space: nowrap; } p, li { max-width: 60rem; }
.wide { overflow-x: auto; } .noise { opacity: .55; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .85rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: right; }
tbody th, thead th:first-child { text-align: left; }
.pictures { display: flex; flex-wrap: wrap; gap: .5rem; }
img { flex: 1 1 20rem; min-width: 0; max-width: min(50rem, 100%); height: auto; background: #fff; }
"""


class ReportTable(NamedTuple):
    """A title, the heads of columns, rows of texts, and paragraphs before the table."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: Sequence[str] = ()


def text_table(table: ReportTable) -> str:
    """Return a table for a terminal."""
    return '\n'.join(aligned((table.heads, *table.rows)))


def report_page(title: str, tables: Sequence[ReportTable], remarks: Sequence[str],
                about: Sequence[str], *pictures: tuple[bytes, str]) -> str:
    """Return the page; pictures are PNGs with their words, the remarks what does not fit."""
    first, *others = tables
    images = [f'<img alt="{_text(words)}" '
              f'src="data:image/png;base64,{b64encode(data).decode()}">'
              for data, words in pictures]
    remarks = remarks or ['Nothing that was found.']
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<link rel="icon" href="data:,">\n<title>{_text(title)}</title>',
        f'<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{_text(title)}</h1>',
        _section(first),
        *(['<div class="pictures">', *images, '</div>'] if images else []),
        *map(_section, others),
        '<h2>What does not fit, and why</h2>\n<ul>',
        *(f'<li>{_text(remark)}</li>' for remark in remarks), '</ul>',
        '<h2>Origin</h2>\n<ul>', *(f'<li>{_text(line)}</li>' for line in about), '</ul>',
        '</main>\n</body>\n</html>']
    return '\n'.join(parts) + '\n'


def _section(table: ReportTable) -> str:
    head = ''.join(f'<th scope="col">{_text(text)}</th>' for text in table.heads)
    rows = '\n'.join(
        f'<tr><th scope="row">{_text(row[0])}</th>'
        + ''.join(map(_cell, row[1:])) + '</tr>' for row in table.rows)
    paragraphs = ''.join(f'<p>{_text(text)}</p>\n' for text in table.text)
    return (f'<h2>{_text(table.title)}</h2>\n{paragraphs}<div class="wide" role="region" '
            f'aria-label="{_text(table.title)}" tabindex="0">\n<table>\n<thead><tr>{head}</tr>'
            f'</thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>')


def _cell(text: str) -> str:
    """Return a cell; grey for a number that is no larger than two standard deviations."""
    number = _UNCERTAIN.fullmatch(text)
    noise = number and abs(float(number[1])) <= 2.0 * float(number[2])
    return f'<td{_NOISE}>{_text(text)}</td>' if noise else f'<td>{_text(text)}</td>'


def _text(text: str) -> str:
    return escape(printable(text))
