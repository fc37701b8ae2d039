"""Files that are written completely or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.system.signals import signals_later

NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""Errors of a file system without hard links, such as FAT."""


@contextmanager
def writing_to(place: object) -> Iterator[None]:
    """Raise an OSError as an ExportError with the place that cannot be written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror
        if isinstance(error, FileExistsError | NotADirectoryError) and os.path.exists(
                str(place)) and not os.path.isdir(str(place)):
            kind = 'file' if os.path.isfile(str(place)) else 'device'
            reason = f'it is a {kind}, and the results need a directory'
        raise ExportError(f'cannot write to {place}: {reason}') from None


@contextmanager
def made_folder(path: Path) -> Iterator[None]:
    """
    Create a directory, with those above it, where there is none.

    Of those that were created here, the ones that are empty at the end are removed, as after an
    error or Ctrl-C.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in missing:
            with suppress(OSError):   # not empty, or not made
                folder.rmdir()


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """
    Yield the path of a temporary file in the same directory, which replaces `path` at the end.

    It has the ending of `path`, which often is that of the format.
    """
    part = _unused(path)
    try:
        part.open('xb').close()
        yield part
        with part.open('rb') as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def create_files(texts: Mapping[Path, bytes | Path], replace: bool = False) -> None:
    """
    Write several files into directories that exist: all of them, or none.

    A text may be a file of the same file system, which then is renamed.

    All texts are written to the disk under other names before the first file is renamed, so that
    neither a full disk nor the end of the process leaves a part of a file. Ctrl-C, and SIGTERM if
    it has a handler, take effect when all of them are there. Symbolic links are not followed. If
    `replace` is false and a file of that name exists, also one that was created meanwhile, a
    FileExistsError is raised.
    """
    with signals_later():
        _create(texts, replace)


def _create(texts: Mapping[Path, bytes | Path], replace: bool) -> None:
    parts: dict[Path, Path] = {}
    olds: dict[Path, Path] = {}
    placed: list[Path] = []
    try:
        for path, text in texts.items():
            parts[path] = part = text if isinstance(text, Path) else _unused(path)
            with part.open('ab' if isinstance(text, Path) else 'xb') as file:
                if not isinstance(text, Path):
                    file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for path, part in parts.items():
            if replace:
                _keep(path, olds)
                part.replace(path)
            else:
                _link(part, path)
            placed.append(path)
    except BaseException:
        for path in placed:
            if path in olds:
                olds[path].replace(path)
            else:
                path.unlink(missing_ok=True)
        raise
    finally:
        for part in (*parts.values(), *olds.values()):
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _unused(path: Path) -> Path:
    """Return an unused name in the directory of `path`, to be opened with x."""
    return path.with_name(f'.{secrets.token_hex(8)}{path.suffix}')


def _keep(path: Path, olds: dict[Path, Path]) -> None:
    """Link or copy an existing file to another name, from which it can be restored."""
    old = _unused(path)
    with suppress(FileNotFoundError):
        try:
            os.link(path, old, follow_symlinks=False)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            text = path.read_bytes()
            olds[path] = old
            old.write_bytes(text)
        olds[path] = old


def _link(part: Path, path: Path) -> None:
    """Give a file its name if no other file has it, where a rename would replace that one."""
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        path.open('xb').close()
        part.replace(path)
