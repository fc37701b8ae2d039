"""A page of HTML that fetches nothing, for light and dark, and the tables of a report."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from urdf2dyn_ros.text import aligned, printable

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
    sections = ['\n'.join([
        f'<h2>{html_text(table.title)}</h2>',
        *(f'<p>{html_text(text)}</p>' for text in table.text),
        html_table(table.title, table.heads,
                   ([first, *map(_cell, cells)] for first, *cells in table.rows))])
        for table in tables]
    images = '\n'.join(html_png(*picture) for picture in pictures)
    return html_page(title, [
        sections[0], f'<div class="pictures">\n{images}\n</div>' if images else '',
        *sections[1:], html_list('What does not fit, and why', remarks or ['Nothing was found.']),
        html_list('Origin', about)])


def _cell(text: str) -> str:
    """Return a cell; grey for a number that is no larger than two standard deviations."""
    number = _UNCERTAIN.fullmatch(text)
    noise = number and abs(float(number[1])) <= 2.0 * float(number[2])
    attribute = ' class="noise"' if noise else ''
    return f'<td{attribute}>{html_text(text)}</td>'
