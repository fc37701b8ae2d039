"""Files that are there completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
"""What a file system without hard links answers, FAT for one."""


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """
    Give the path of a temporary file beside `path`, which takes its place when all went well.

    The ending of the name is kept, as it often says the format.

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


def create_files(texts: Mapping[Path, bytes], replace: bool = False) -> None:
    """
    Write several files of one directory: all of them, or none.

    Everything is on the disk under other names before the first name is taken, so that neither
    a full disk nor the end of the process leaves a part of a file. Symbolic links are not
    followed.

    Parameters
    ----------
    texts : mapping
    replace : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    OSError
        FileExistsError where `replace` is false and somebody else's file has a name, at whatever
        moment it came.

    """
    parts: dict[Path, Path] = {}
    olds: dict[Path, Path] = {}
    placed: list[Path] = []
    try:
        for path, text in texts.items():
            parts[path] = part = _unused(path)
            with part.open('xb') as file:
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
    """Return a name beside `path`; opening it with x fails if somebody has it after all."""
    return path.with_name(f'.{secrets.token_hex(8)}{path.suffix}')


def _keep(path: Path, olds: dict[Path, Path]) -> None:
    """Give the file that has a name a second one, or a copy, to be had back."""
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
    """Give a file its name, which must be free: a rename would replace what has it."""
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        path.open('xb').close()
        part.replace(path)
