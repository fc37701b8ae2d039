"""The directory of a command's results."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.system.atomic_file import made_folder, writing_to


def add_output(parser: argparse.ArgumentParser, default: str, content: str,
               replaced: str = 'existing files') -> None:
    """Add the directory of the results, and whether to replace what is there."""
    shown = 'the current one' if default == '.' else default
    parser.add_argument('-o', '--output', type=Path, default=Path(default), metavar='DIR',
                        help=f'directory of {content} (default: {shown})')
    add_overwrite(parser, replaced)


def add_overwrite(parser: argparse.ArgumentParser, replaced: str = 'existing files') -> None:
    """Add whether to replace what is there."""
    parser.add_argument('--overwrite', action='store_true', help=f'replace {replaced}')


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
    Create a directory if necessary, as `made_folder`, and check that it is writable.

    That is before the work. If one of the files exists, an ExportError is raised unless
    `overwrite`; `other` is what --output names.
    """
    check_free([path / name for name in names], overwrite, other)
    with ExitStack() as stack:
        with writing_to(path):
            stack.enter_context(made_folder(path))
            with TemporaryFile(dir=path):
                pass
        yield path
