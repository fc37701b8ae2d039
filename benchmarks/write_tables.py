"""
Write the figures of docs/benchmark.json into the tables of README.md and docs/.

    make bench

Each table is found by its first line.

"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RACES = {'inverse dynamics': 'robots', 'forward dynamics': 'forward_dynamics',
         'derivatives of the efforts': 'derivatives'}
"""A row's title to the part of benchmark.json."""
SHOWN = {'UR5': 'UR5', "Panda's arm": 'Panda', 'Talos, 32 joints': 'Talos, reduced'}
"""A column's title to the robot."""
OURS = 'ours: exported C'
PEERS = {"Pinocchio's C++": 'Pinocchio', 'its CasADi code': 'Pinocchio + CasADi, C'}
PYTHON_PEERS = {'Pinocchio': 'Pinocchio from Python', 'dynibo': 'dynibo from Python'}
FROM_PYTHON = (
    ('inverse dynamics, one call', 'robots', 'one call'),
    ('inverse dynamics, a batch', 'robots', 'batch'),
    ('inverse dynamics, a batch, two threads', 'robots', 'batch, 2 threads'),
    ('forward dynamics, one call', 'forward_dynamics', 'one call'),
    ('forward dynamics, a batch', 'forward_dynamics', 'batch'))
"""Titles of rows, parts of benchmark.json, and how the compiled function is called."""

Figures = dict[str, Any]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of markdown."""
    first = [*head]
    lines = [f'| {" | ".join(cells)} |' for cells in (first, *rows)]
    return '\n'.join([lines[0], '|' + '---|' * len(first), *lines[1:]])


def ratio(ns: dict[str, float], ours: str, peer: str) -> str:
    """Return how many times faster ours is."""
    return f'{float(f"{ns[peer] / ns[ours]:.2g}"):g}'


def ratios(part: Figures, ours: str, peer: str) -> list[str]:
    """Return the same of each robot."""
    return [ratio(robot['ns'], ours, peer) for robot in part.values()]


def tables(found: Figures) -> dict[str, list[str]]:
    """Return the tables of each page."""
    shown = {what: [found[part][robot]['ns'] for robot in SHOWN.values()]
             for what, part in RACES.items()}
    cpp = PEERS["Pinocchio's C++"]
    return {
        'README.md': [],
        'docs/performance.md': [
            table(['called from C', 'than', *found['robots']], (
                [what, than, *ratios(found[part], OURS, peer)]
                for what, part in RACES.items() for than, peer in PEERS.items())),
            table(['called from Python', 'than', *found['robots']], (
                [what, than, *ratios(found[part], f'ours: C, {how}', peer)]
                for what, part, how in FROM_PYTHON for than, peer in PYTHON_PEERS.items()))],
        'docs/functions.md': [table(
            ['exported C [ns] (times faster)', *SHOWN],
            ([what, *(f'{ns[OURS]:.0f} ({ratio(ns, OURS, cpp)})' for ns in robots)]
             for what, robots in shown.items()))],
    }


def sentences(found: Figures) -> dict[str, str]:
    """Return what README states in its text: a pattern to the least and the most of a run."""
    robots = [robot['ns'] for robot in found['robots'].values()]
    faster = [ns[PEERS["Pinocchio's C++"]] / ns[OURS] for ns in robots]
    return {r'\d+ to \d+ times faster': f'{min(faster):.0f} to {max(faster):.0f} times faster'}


def written(text: str, page: str, found: Figures) -> str:
    """Return a page with the figures of a run."""
    for new in tables(found)[page]:
        first = new.partition('\n')[0]
        if text.count(first) != 1:
            raise ValueError(f'{page}: one table must begin with "{first}"')
        before, _, after = text.partition(first)
        text = before + new + re.sub(r'\A(\n\|.*)+', '', after)
    for pattern, sentence in sentences(found).items() if page == 'README.md' else ():
        text = re.sub(pattern, sentence, text)
    return text


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the pages and their texts with the figures of docs/benchmark.json."""
    found = json.loads((ROOT / 'docs' / 'benchmark.json').read_text())
    for page in tables(found):
        path = ROOT / page
        yield path, written(path.read_text(encoding='utf-8'), page, found)


if __name__ == '__main__':
    for path, text in pages():
        path.write_text(text, encoding='utf-8')
        print(f'wrote the figures into {path}', file=sys.stderr)
