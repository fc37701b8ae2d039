"""
A cache of compiled libraries on disk, named by a digest of everything they depend on.

An entry ends with a checksum of itself and its name, which the loader of libraries ignores: a
truncated or altered entry is detected before it is loaded, and built again. Loading a truncated
library would end the process with a signal.
"""

import hashlib
import logging
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from urdf2dyn_ros.errors import CompilerError

_LOG = logging.getLogger(__name__)
_warned: set[Path] = set()
Library = TypeVar('Library')

private_folders: list[tempfile.TemporaryDirectory[str]] = []
"""The one that is used where the user's folder fails; it is removed when the process ends."""


def key_of(*parts: str) -> str:
    """Return the name of an entry that depends on these texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode('utf-8', 'surrogateescape')
        digest.update(len(data).to_bytes(8, 'little') + data)
    return digest.hexdigest()


def cached(key: str, build: Callable[[Path], None], load: Callable[[Path], Library]) -> Library:
    """
    Load an entry, and build it first if it is missing or damaged; `key` is from `key_of`.

    `build` writes the library to a path: CompilerError if that fails, OSError for its directory.
    `load` loads it: OSError, ImportError or AttributeError if it is not a valid library. A
    CompilerError is raised if it cannot be built, or no directory can keep it.
    """
    errors = []
    places = [_user_folder, _private_folder]
    if private_folders and is_whole(Path(private_folders[0].name) / f'{key}.so', key):
        places.reverse()   # the user's folder has failed before
    for place in places:
        try:
            folder = place()
            path = folder / f'{key}.so'
            if is_whole(path, key):
                try:
                    return load(path)
                except (OSError, ImportError, AttributeError) as error:
                    _LOG.info('%s is no library of this package (%s): built again', path, error)
            _store(path, key, build)
            return load(path)
        except (OSError, ImportError, AttributeError) as error:
            errors.append(str(error))
            if place is _user_folder and cache_folder() not in _warned:
                _warned.add(cache_folder())
                _LOG.warning('compiled code is not kept in the cache: %s; a temporary directory '
                             'is used instead', error)
    raise CompilerError(
        f'compiled code cannot be stored or loaded: {"; ".join(errors)}. To do: make '
        "one of these directories writable, with free space and without the option noexec, set "
        'XDG_CACHE_HOME or TMPDIR to such a directory, name a compiler in CC that writes '
        "libraries for this machine, or use the back end 'python'")


def cache_folder() -> Path:
    """Return the directory of the cache, which need not exist."""
    named = os.environ.get('XDG_CACHE_HOME', '')
    base = Path(named) if os.path.isabs(named) else Path(os.path.expanduser('~')) / '.cache'
    return base / 'urdf2dyn_ros'


def _user_folder() -> Path:
    folder = cache_folder()
    if not folder.is_absolute():
        raise OSError(f'{folder}: there is no home directory')
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    # a user that can write there can make this process run any code
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise OSError(f'{folder} is not a directory of the user {os.getuid()}')
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise OSError(f'{folder} can be written by other users: chmod 700 it')
    return folder


def _private_folder() -> Path:
    if not private_folders or not Path(private_folders[0].name).is_dir():
        private_folders[:] = [tempfile.TemporaryDirectory(prefix='urdf2dyn_ros-')]
    return Path(private_folders[0].name)


def is_whole(path: Path, key: str) -> bool:
    """Return whether an entry is complete, unaltered and the user's own."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
            return False   # a symbolic link; a FIFO, from which reading would never end
        data = path.read_bytes()
    except OSError:
        return False
    return len(data) > 32 and data[-32:] == checksum(data[:-32], key)


def checksum(data: bytes, key: str) -> bytes:
    """Return the last 32 bytes of an entry with this library."""
    return hashlib.sha256(key.encode() + data).digest()


def _store(path: Path, key: str, build: Callable[[Path], None]) -> None:
    """Write an entry under another name and rename it, so that it is always complete."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix='new-') as folder:
        made = Path(folder) / 'library.so'
        build(made)
        data = made.read_bytes()
        with made.open('ab') as file:
            file.write(checksum(data, key))
        os.replace(made, path)
