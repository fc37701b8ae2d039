"""The directory of a command's results."""

from pathlib import Path
from tempfile import TemporaryFile

from urdf2dyn_ros.errors import ExportError


def writable_directory(path: Path) -> Path:
    """Create a directory if necessary, and check before the work that it is writable."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise ExportError(f'cannot write to {path}: {error.strerror}') from None
