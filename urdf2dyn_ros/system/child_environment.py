"""The environment in which a child process imports the same package as its parent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

IMPORT_ROOT = Path(__file__).resolve().parents[2]
"""The directory that contains the package."""


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of this process, with `more` and the package on the import path."""
    paths = [str(IMPORT_ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(paths), **(more or {})}
