"""The parts of docs/glossary.md that a test can check: words, and names with two homes."""

import ast
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / 'urdf2dyn_ros'

WORDS = (
    'told', 'tell', 'tells', 'telling', 'heard', 'hear', 'hears', 'had', 'who', 'whom', 'whoever',
    'nobody', 'no one', 'somebody', 'someone', 'anybody', 'everybody', 'given', 'at hand',
    'leave out', 'leaves out', 'left out', 'leaving out', 'hand out', 'hands out', 'handed out',
    'hand over', 'hands over', 'handed over', 'ask for', 'asks for', 'asked for', 'beside', 'anew',
    'afresh', 'doubtful')
"""The column "not" of the glossary, where a word has no other use in this repository."""

FORBIDDEN = re.compile(
    r'\b({})\b'.format('|'.join(WORDS).replace(' ', r'\s+').replace(
        'had', r'had(?!(\s+not)?\s+(been|\w+ed)\b)')), re.IGNORECASE)
"""Any of the words; "had been" and "had started" are grammar."""

NOT_READ = {'docs/glossary.md', 'test/repository/test_words.py'}
"""Files in which the words are mentioned."""

FOLDERS = ('.', 'urdf2dyn_ros', 'benchmarks', 'config', 'docs', 'examples', 'launch', 'test',
           'urdf')
DATA = ('golden', 'corpus')
SUFFIXES = ('.py', '.md', '.rst', '.yaml', '.xml', '.c', '.h', '.cpp', '.rs', '.mjs', '.m')

CONTRACTS = {'RULES', 'add', 'main', 'run', 'write'}
"""Names that modules of one family must share."""

MOST_SHARED_NAMES = 15
"""Names with several homes, those of the contracts among them."""


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob('*.py'))


def files(folder: str) -> list[Path]:
    """Return the sources and documents of a folder that people write; '.': of the root alone."""
    paths = (ROOT.iterdir() if folder == '.' else (ROOT / folder).rglob('*'))
    return [path for path in paths if (path.suffix in SUFFIXES or path.name == 'Makefile')
            and not {*DATA} & {*path.parts} and str(path.relative_to(ROOT)) not in NOT_READ]


@cache   # two tests read the package
def texts(path: Path) -> tuple[tuple[int, str], ...]:
    """Return a document's lines; of Python comments, docstrings and texts of several words."""
    return tuple(_texts(path))


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    if path.suffix != '.py' or path.parent.name == 'drivers':   # which are templates
        yield from enumerate(path.read_text().splitlines(), 1)
        return
    source = path.read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ' ' in node.value:
            yield node.lineno, node.value.strip()
    if any(FORBIDDEN.search(line, line.index('#')) for line in source.splitlines() if '#' in line):
        with path.open('rb') as file:   # which takes long
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0], token.string


@pytest.mark.parametrize('folder', FOLDERS)
def test_no_text_has_a_word_that_the_glossary_replaces(folder: str) -> None:
    paths = files(folder)
    assert paths
    wrong = [f'{path.relative_to(ROOT)}:{line}: {found.group()!r} in {text[:80]!r}'
             for path in paths for line, text in texts(path) if (found := FORBIDDEN.search(text))]
    assert wrong == []


@pytest.mark.parametrize('word', WORDS)
def test_each_of_the_words_is_found(word: str, tmp_path: Path) -> None:
    """In a docstring, in a comment and in a document, at the beginning of a line as well."""
    for name, text in (('a.py', f'"""The node {word} it."""'), ('b.py', f'x = 1   # {word} x'),
                       ('c.md', f'The node\n{word.capitalize()} it')):
        (tmp_path / name).write_text(text)
        assert any(FORBIDDEN.search(line) for _, line in texts(tmp_path / name))
    assert not FORBIDDEN.search(f'x{word}x')


def test_no_docstring_begins_with_of() -> None:
    wrong = [f'{path.relative_to(ROOT)}:{line}: {text[:80]!r}' for path in sources()
             for line, text in texts(path) if text.startswith('Of ')]
    assert wrong == []


def public_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines at its top level, without underscore."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            continue
        yield from (name for name in names if not name.startswith('_'))


def test_a_public_name_has_one_home() -> None:
    """But for the names of contracts, and a few more."""
    homes = defaultdict(list)
    for path in sources():
        for name in public_names(ast.parse(path.read_text())):
            homes[name].append(str(path.relative_to(PACKAGE)))
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert len(shared) <= MOST_SHARED_NAMES, shared
    assert shared.keys() >= CONTRACTS
