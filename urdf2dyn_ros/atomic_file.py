"""A file that is there completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """
    Give the path of a temporary file beside `path`, which takes its place when all went well.

    The ending of the name is kept, as it often says the format.

    """
    number, name = tempfile.mkstemp(prefix='.', suffix=path.suffix, dir=path.parent)
    os.close(number)
    part = Path(name)
    try:
        yield part
        with part.open('rb') as file:
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_mask())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _mask() -> int:
    """Return the user's mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
