"""What the files of the package import."""

import ast
from collections.abc import Iterator
from pathlib import Path


def imported_names(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}: relative import'
            yield from (f'{node.module}.{alias.name}' for alias in node.names)
