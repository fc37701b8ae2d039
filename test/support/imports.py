"""What the files of the package import."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


def imported_names(path: Path) -> tuple[str, ...]:
    """Return the dotted names that a file imports, wherever it does."""
    return _names(path.read_text(), str(path))


@cache   # several tests read the whole package
def _names(text: str, path: str) -> tuple[str, ...]:
    return tuple(_imported(ast.parse(text), path))


def _imported(tree: ast.Module, path: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}: relative import'
            yield from (f'{node.module}.{alias.name}' for alias in node.names)
