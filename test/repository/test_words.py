"""The parts of docs/glossary.md that a machine can check: words, and names with two homes."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / 'urdf2dyn_ros'

FORBIDDEN = re.compile(
    r'^(Of |Tells? )|\b(told|tells?|heard|hears?|at hand|leaves? out|hand(s|ed)? out|'
    r'to be had|had from|whoever|somebody|anybody|everybody|beside|anew|afresh|'
    r'doubtful|told apart)\b')
"""The column "not" of the glossary, where a word has no other use in this package."""

CONTRACTS = {'RULES', 'add', 'main', 'run', 'write'}
"""Names that modules of one family must share."""

MOST_SHARED_NAMES = 20
"""Names with several homes, those of the contracts among them."""


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob('*.py'))


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield docstrings and other texts of several words, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ' ' in node.value:
            yield node.lineno, node.value.strip()


@pytest.mark.parametrize('path', sources(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_docstrings_and_messages_have_no_word_that_the_glossary_replaces(path: Path) -> None:
    wrong = [f'line {line}: {found.group().strip()!r} in {text[:80]!r}'
             for line, text in texts(ast.parse(path.read_text()))
             if (found := FORBIDDEN.search(text))]
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
