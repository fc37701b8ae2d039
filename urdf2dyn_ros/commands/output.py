"""The directory that a command writes to."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from urdf2dyn_ros.errors import ExportError


def writable_directory(path: Path) -> Path:
    """Return a directory that files can be written to, made if need be: told before the work."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise ExportError(f'cannot write to {path}: {error.strerror}') from None
