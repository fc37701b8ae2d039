"""The directory of a command's results."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.system.atomic_file import writing_to


def add_output(parser: argparse.ArgumentParser, default: str, content: str) -> None:
    """Add the directory of the results, and whether to replace what is there."""
    shown = 'the current one' if default == '.' else default
    parser.add_argument('-o', '--output', type=Path, default=Path(default), metavar='DIR',
                        help=f'directory of {content} (default: {shown})')
    add_overwrite(parser)


def add_overwrite(parser: argparse.ArgumentParser) -> None:
    """Add whether to replace what is there."""
    parser.add_argument('--overwrite', action='store_true', help='replace existing files')


def print_remarks(remarks: Iterable[object], kind: str = 'warning') -> None:
    """Print a line for each remark on standard error."""
    for remark in remarks:
        print(f'{kind}: {remark}', file=sys.stderr)


def check_free(paths: Iterable[Path], overwrite: bool, other: str) -> None:
    """Raise an ExportError for a file that exists, unless `overwrite`; --output names `other`."""
    existing = [path for path in paths if not overwrite and path.exists()]
    if existing:
        raise ExportError(f'{existing[0]} exists, which may be your work: choose another '
                          f'{other} with --output, or add --overwrite')


@contextmanager
def results(path: Path, names: Iterable[str], overwrite: bool,
            other: str = 'directory') -> Iterator[Path]:
    """
    Create a directory if necessary, and check before the work that it is writable.

    If one of the files exists, an ExportError is raised unless `overwrite`; `other` is what
    --output names. Directories that were created here and are still empty at the end, after an
    error or Ctrl-C, are removed.
    """
    missing: list[Path] = []
    try:
        check_free([path / name for name in names], overwrite, other)
        _prepare(path, missing)
        yield path
    finally:
        for folder in missing:
            with suppress(OSError):   # not empty
                folder.rmdir()


def _prepare(path: Path, missing: list[Path]) -> None:
    """Create what is missing, to which the directories are added."""
    with writing_to(path):
        missing += [each for each in (path, *path.parents) if not each.exists()]
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)   # a/.. exists once a does
        with TemporaryFile(dir=path):
            pass
