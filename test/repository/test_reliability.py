"""docs/reliability.md and the tests agree: a test for each line, a line for each mark."""

import re

from support.paths import ROOT, TEST

TABLE = (ROOT / 'docs' / 'reliability.md').read_text()


def promised() -> dict[int, set[str]]:
    """Return the names of test files by the number of the line."""
    rows = re.findall(r'^\| (\d+) \|.*\| ([\w, ]+) \|$', TABLE, re.MULTILINE)
    return {int(number): set(files.split(', ')) for number, files in rows}


def held() -> dict[int, set[str]]:
    """Return the names of test files with a mark by its number."""
    found: dict[int, set[str]] = {}
    for path in TEST.rglob('test_*.py'):
        for numbers in re.findall(r'mark\.fault\(([\d, ]+)\)', path.read_text()):
            for number in numbers.split(','):
                found.setdefault(int(number), set()).add(path.stem)
    corpus = (TEST / 'robot' / 'test_urdf_corpus.py').read_text()
    for number in re.findall(r"^    \((\d+), '", corpus, re.MULTILINE):
        found.setdefault(int(number), set()).add('test_urdf_corpus')
    return found


def test_every_line_has_its_tests() -> None:
    table, marks = promised(), held()
    assert set(table) == set(range(1, 59))
    for number, files in table.items():
        assert files <= marks[number], f'line {number}: {files - marks[number]} has no such mark'


def test_every_mark_has_its_line() -> None:
    assert set(held()) <= set(promised())
