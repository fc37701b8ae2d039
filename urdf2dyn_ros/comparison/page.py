"""The report of a comparison as one page of HTML that fetches nothing."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from urdf2dyn_ros.comparison.figures import JointComparison
from urdf2dyn_ros.comparison.figures_text import FIGURE_COLUMNS, figure_texts, notes
from urdf2dyn_ros.comparison.joint_picture import joint_picture
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.system.atomic_file import atomic_file

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
tbody th, thead th:first-child, td.doubt { text-align: left; }
.doubt { color: var(--warn); white-space: normal; }
thead th { vertical-align: bottom; white-space: normal; overflow-wrap: normal; }
img { width: 100%; height: auto; display: block; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .9rem; }
dd { margin: 0; }
@media print { section { break-inside: avoid; } }
"""


def write_page(joints: Sequence[JointComparison], path: Path, title: str,
               about: Sequence[str] = ()) -> None:
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
        *(f'<p>{_text(paragraph)}</p>' for paragraph in about),
        _table(joints),
        *(['<h2>Notes</h2>\n<ul>', *(f'<li>{_text(hint)}</li>' for hint in hints), '</ul>']
          if hints else []),
        *(_section(joint, start) for joint in drawn),
        '<h2>Meaning of the columns</h2>\n<dl>',
        *(f'<dt>{_text(column.head)}</dt><dd>{_text(column.meaning)}</dd>'
          for column in FIGURE_COLUMNS),
        '</dl>\n</main>\n</body>\n</html>']
    with atomic_file(path) as part:
        part.write_text('\n'.join(parts) + '\n', encoding='utf-8')


def _table(joints: Sequence[JointComparison]) -> str:
    heads = ('joint', 'unit', 'samples', *(column.head for column in FIGURE_COLUMNS))
    rows = []
    for joint in joints:
        cells = [f'<th scope="row">{_text(joint.joint)}</th>', f'<td>{_text(joint.unit)}</td>',
                 f'<td>{joint.figures.samples}</td>']
        if joint.doubt:
            cells.append(f'<td class="doubt" colspan="{len(FIGURE_COLUMNS)}">not credible: '
                         f'{_text(joint.doubt)}</td>')
        else:
            cells += [f'<td>{_text(text)}</td>' for text in figure_texts(joint.total)]
        rows.append(f'<tr>{"".join(cells)}</tr>')
    head = ''.join(f'<th scope="col">{_text(text)}</th>' for text in heads)
    return ('<div class="wide" role="region" aria-label="Figures by joint" tabindex="0">\n<table>'
            '<caption>Measured minus computed effort, since the beginning; efforts and their '
            f'differences in the unit of the joint</caption>\n<thead><tr>{head}</tr></thead>\n'
            f'<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table>\n</div>')


def _section(joint: JointComparison, start: int) -> str:
    seconds = [(int(joint.stamps[end]) - start) * 1e-9 for end in (0, -1)]
    figures = (f'not credible, {joint.doubt}' if joint.doubt
               else f'RMSE {joint.figures.rmse:.4g} {joint.unit}, largest difference '
               f'{joint.figures.max_error:.4g} {joint.unit}')
    words = (f'Three plots of joint {joint.joint} from {seconds[0]:.1f} to {seconds[1]:.1f} s: '
             f'measured and computed effort, their difference, and the difference over the '
             f'velocity. {figures}.')
    picture = quote(joint_picture(joint, start), safe=" =:/'(){};,.-_?!@*+&[]|~")
    doubt = f'<p class="doubt">not credible: {_text(joint.doubt)}</p>\n' if joint.doubt else ''
    return (f'<section>\n<h2>{_text(joint.joint)}</h2>\n{doubt}'
            f'<img alt="{_text(words)}" src="data:image/svg+xml,{picture}">\n</section>')


def _text(text: str) -> str:
    """Return a text as HTML; a joint's name may contain any character."""
    return escape(printable(text))
