"""
Hooks of mkdocs: pages that are generated, and links that lead out of docs/.

README is the first page. The tables of parameters, the options of the
command line and the list of classes are generated from the package. A linked file outside docs/
is copied to the site; a linked folder becomes plain text.

"""

import importlib
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LINK = re.compile(r'\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)')
PAGES_OF_ROOT = {'README.md': 'index.md', 'CONTRIBUTING.md': 'reference/contributing.md',
                 'QUALITY_DECLARATION.md': 'reference/quality.md',
                 'SECURITY.md': 'reference/security.md'}
FILES = 'files'
"""Folder of the site for files from outside docs/."""

GRAVITY, UPRIGHT = (0.0, 0.0, -9.81), {'humanoid_3p33r': (0.0, -9.81, 0.0)}
"""Gravity [m/s^2] of robots that ship, and of those in whose frames y is up."""

ACTING = ('InverseDynamics', 'read_urdf', 'read_dh', 'export_model',
          'observer.momentum_observer.MomentumObserver', 'observer.contact.ContactDetector')
DATA = ('RobotModel', 'Target', 'LinkFrames', 'Loads', 'Friction', 'Rotor', 'Spring')
ERRORS = ('Urdf2DynError', 'Problem', 'UrdfError', 'SourceError', 'StateError', 'ExportError',
          'ParameterError', 'SimulationError', 'ComparisonError', 'DrawingError',
          'MissingLibraryError', 'CompilerError', 'WorkersError', 'IdentificationError',
          'RecordingError')
"""Public classes and functions: what acts, what is passed to it, what it raises."""

PYTHON_API = '\n\n'.join([
    '# Classes and functions', *(f'::: urdf2dyn_ros.{name}' for name in ACTING),
    *(f'::: urdf2dyn_ros.{name}\n    options:\n      members: false' for name in (*DATA, *ERRORS)),
    ''])


TABLE = re.compile('<table>.*?</table>', re.DOTALL)
CELL = re.compile('<td[^>]*>(.*?)</td>', re.DOTALL)
"""Tables of a page of the site that have no class, and their cells."""


def linked(text: str, source: str) -> str:
    """Return a page of the repository with its links as they are in the site."""
    here = Path(source).parent
    page = PAGES_OF_ROOT.get(source, source.removeprefix('docs/'))

    def replaced(found: re.Match[str]) -> str:
        label, target, anchor = found.groups(default='')
        path = posixpath.normpath(here / target)
        if (ROOT / path).is_dir():
            return label
        goal = posixpath.relpath(site_path(path), posixpath.dirname(page))
        return f'[{label}]({goal}{anchor})'

    # Markdown in tables of HTML is rendered where they say so
    return re.sub(r'<(table|tr|td|th)>', r'<\1 markdown="1">', LINK.sub(replaced, text))


def site_path(path: str) -> str:
    """Return where a file of the repository stands in the site; other pages are plain text."""
    if path.startswith('docs/'):
        return path.removeprefix('docs/')
    return PAGES_OF_ROOT.get(path) or f'{FILES}/{path}' + '.txt' * path.endswith('.md')


def of_root(name: str) -> str:
    """Return a page that stands in the root of the repository."""
    return linked((ROOT / name).read_text(), name)


def linked_files() -> Iterator[str]:
    """Yield the files outside docs/ that a page links to."""
    sources = [*PAGES_OF_ROOT, *(f'docs/{path.relative_to(ROOT / "docs")}'
                                 for path in (ROOT / 'docs').rglob('*.md'))]
    for source in sources:
        for _, target, _ in LINK.findall((ROOT / source).read_text()):
            path = posixpath.normpath(Path(source).parent / target)
            if path not in PAGES_OF_ROOT and (ROOT / path).is_file() and (
                    not path.startswith('docs/')):
                yield path


def options() -> str:
    """Return the help of every command."""
    os.environ['COLUMNS'] = '90'
    command_line = importlib.import_module('urdf2dyn_ros.commands.command_line')
    text = ['# Options of the command line', 'What `urdf2dyn COMMAND --help` prints.']
    for name in command_line.COMMANDS:
        text.append(f'## {name}\n\n```text\n'
                    f'{command_line.command_parser(name).format_help()}```')
    return '\n\n'.join(text) + '\n'


def parameters() -> str:
    """Return the tables of the parameters of each node."""
    nodes = 'urdf2dyn_ros.nodes'
    inverse_dynamics = importlib.import_module(f'{nodes}.inverse_dynamics.parameters')
    tables = {'inverse_dynamics': inverse_dynamics.NODE_PARAMETERS}
    for family in inverse_dynamics.NODE_FAMILIES:
        title = f'inverse_dynamics, {family.prefix}.&lt;{family.thing}&gt;'
        tables[title] = [row.named(row.name or 'the parameter itself') for row in family.rows]
    tables['effort_comparison'] = importlib.import_module(
        f'{nodes}.effort_comparison.parameters').COMPARISON_PARAMETERS
    tables['joint_simulator'] = importlib.import_module(
        'urdf2dyn_ros.simulators.parameters').SIMULATOR_PARAMETERS
    return '# Parameters of the nodes\n\n' + '\n'.join(
        f'## {name}\n\n{table(rows)}' for name, rows in tables.items())


def table(rows: Sequence[Any]) -> str:
    """Return a table of parameters: name and default, meaning and rule."""
    lines = ['| parameter, default | |', '|---|---|']   # two columns fit a phone
    for row in rows:
        meaning = f'{row.meaning} {row.rule[0].upper()}{row.rule[1:]}.'.replace('|', '\\|')
        name = escape(row.name).replace('.', '.<wbr>').replace('_', '_<wbr>')
        lines.append(f'| <code>{name}</code><br>`{json.dumps(row.default)}` | {meaning} |')
    return '\n'.join(lines) + '\n'


def shipped_robots() -> dict[str, Callable[[], str]]:
    """Return the page of each robot of urdf/ by its path in the site, upright where y is up."""
    read_urdf = importlib.import_module('urdf2dyn_ros').read_urdf
    robot_page = importlib.import_module('urdf2dyn_ros.page.robot_page').robot_page
    return {f'robots/{path.stem}.html': partial(
        lambda path: robot_page(read_urdf(path), UPRIGHT.get(path.stem, GRAVITY)), path)
        for path in sorted((ROOT / 'urdf').glob('*.urdf'))}


def robots() -> str:
    """Return the list of the robots' pages."""
    return '# Robots to move\n\nEach page computes with the exported JavaScript of the robot: ' \
        '[how to write one](../robot_page.md).\n\n' + ''.join(
            f'- [{Path(page).stem}]({Path(page).name})\n' for page in shipped_robots())


GENERATED: dict[str, Callable[[], str]] = {
    **{page: partial(of_root, name) for name, page in PAGES_OF_ROOT.items()},
    'reference/parameters.md': parameters, 'reference/options.md': options,
    'reference/python_api.md': lambda: PYTHON_API, 'robots/index.md': robots}
"""The text of each generated page by its path below docs/."""


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages and the linked files."""
    from mkdocs.structure.files import File

    for page, text in GENERATED.items():
        files.append(File.generated(config, page, content=text()))
    for page, make in shipped_robots().items():
        files.append(File.generated(config, page, content=make()))
    for path in {*linked_files()}:
        files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Change the links of pages that stand in docs/."""
    source = page.file.src_uri
    return markdown if source in GENERATED else linked(markdown, f'docs/{source}')


def on_page_content(html: str, **_: Any) -> str:
    """Change the tables of a page so that a phone shows them."""
    return TABLE.sub(lambda found: narrow(found[0]), html)


def narrow(table: str) -> str:
    """
    Return a table whose names may be broken behind `_`, `.` and `/`.

    It is marked where most cells but the first of each row begin with a number: `data-figures`.

    """
    if '<pre' in table:   # examples, whose lines are not broken
        return table
    rows = [CELL.findall(row) for row in table.split('<tr>')]
    cells = [re.sub(r'<[^>]*>', '', cell).strip() for row in rows for cell in row[1:]]
    numbers = sum(bool(re.match(r'[-+(~<>]*\d', cell)) or len(cell) < 3 for cell in cells)
    marked = re.sub('<code>([^<]*)</code>', lambda found: '<code>' + re.sub(
        r'(?<=\w)([_./])(?=\w)', r'\1<wbr>', found[1]) + '</code>', table)
    mark = ' data-figures' * (2 * numbers > len(cells))
    return marked.replace('<table>', f'<table{mark}>')
