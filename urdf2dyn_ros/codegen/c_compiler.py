"""The system's C compiler and a cache of its libraries on disk, for any C text."""

import hashlib
import logging
import os
import platform
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from urdf2dyn_ros.errors import CompilerError

NATIVE = '-march=native'
_SHARED = ('-std=gnu99', '-shared', '-fPIC', '-fvisibility=hidden', '-w', '-pipe')
# options of fast mathematics: a library linked with one makes subnormal numbers zero in the whole
# process
_FAST_MATH_OPTIONS = ('-ffast-math', '-Ofast', '-funsafe-math-optimizations')

_LONGEST_RUN = 1200.0   # s; a chain of 1000 joints takes half a minute
_REMEDY = ("install a C compiler (Debian, Ubuntu: apt install gcc), name one in the environment "
           "variable CC, or use the back end 'python'")


@dataclass(frozen=True)
class Compiler:
    """An available compiler: program and first options; its identity has its version as well."""

    command: tuple[str, ...]
    identity: str

    def build(self, text: str, options: Sequence[str], libraries: Sequence[str], target: Path,
              ) -> None:
        """
        Compile a C text to a shared library in a directory of its own.

        A CompilerError has the last lines of a compiler that fails.
        """
        folder = target.parent
        source = folder / 'source.c'
        source.write_text(text, encoding='utf-8')
        arguments = [*_SHARED, *options, '-o', str(target), str(source), *libraries]
        failure = self._run(arguments, folder)
        if failure is not None and NATIVE in options:   # not every target has it
            arguments.remove(NATIVE)
            failure = self._run(arguments, folder)
        if failure is not None or not target.is_file():
            last = '\n'.join((failure or 'it wrote no library').strip().splitlines()[-8:])
            raise CompilerError(f'the C compiler {shlex.join(self.command)!r} failed; its '
                                f'last lines:\n{last}\nTo do: {_REMEDY}')

    def _run(self, arguments: Sequence[str], folder: Path) -> str | None:
        try:
            done = subprocess.run(
                [*self.command, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                timeout=_LONGEST_RUN, env={**os.environ, 'LC_ALL': 'C', 'TMPDIR': str(folder)})
        except subprocess.TimeoutExpired:
            return f'it did not end within {_LONGEST_RUN:g} s'
        except OSError as error:
            return str(error)
        output = done.stdout.decode('utf-8', 'replace')
        return (output or f'exit status {done.returncode}') if done.returncode else None


def find_compiler() -> Compiler:
    """Return the compiler in CC, or the first of cc, gcc, clang; else a CompilerError."""
    asked = os.environ.get('CC', '').strip()
    try:
        named = [shlex.split(asked)] if asked else [['cc'], ['gcc'], ['clang']]
    except ValueError as error:
        raise CompilerError(f'CC is {asked!r}, which is no command line ({error}). '
                            f'To do: {_REMEDY}') from None
    for words in named:
        path = shutil.which(words[0])
        if path is not None:
            path = os.path.abspath(path)   # it runs in another directory
            status = os.stat(path)
            command = (path, *(word for word in words[1:] if word not in _FAST_MATH_OPTIONS))
            return Compiler(command, _identity(command, status.st_mtime_ns, status.st_size))
    what = f'no C compiler {asked!r} (from CC)' if asked else 'no C compiler: no cc, gcc or clang'
    raise CompilerError(f'{what} in PATH. To do: {_REMEDY}')


@lru_cache(maxsize=8)
def _identity(command: tuple[str, ...], modified: int, size: int) -> str:
    try:
        done = subprocess.run([*command, '--version'], stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=60.0)
        output = done.stdout.decode('utf-8', 'replace')
    except (OSError, subprocess.TimeoutExpired) as error:
        output = str(error)
    return '\n'.join([*command, str(modified), str(size), output])


@lru_cache(maxsize=1)
def machine() -> str:
    """Return the processor, since machines with a common home directory may differ in it."""
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8', errors='replace').splitlines()
    except OSError:
        lines = []
    kinds = ('vendor_id', 'cpu family', 'model', 'stepping', 'flags', 'Features', 'CPU')
    return '\n'.join([platform.system(), platform.machine(), platform.processor(),
                      *sorted({line for line in lines if line.startswith(kinds)})])


# ---- The cache
#
# An entry ends with a checksum of itself and its name, which the loader of libraries ignores: a
# truncated or altered entry is detected before it is loaded, and built again. Loading a truncated
# library would end the process with a signal.

_LOG = logging.getLogger(__name__)
_warned: set[Path] = set()
Library = TypeVar('Library')

# the one that is used where the user's folder fails; it is removed when the process ends
private_folders: list[tempfile.TemporaryDirectory[str]] = []


def key_of(*parts: str) -> str:
    """Return the name of an entry that depends on these texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode('utf-8', 'surrogateescape')
        digest.update(len(data).to_bytes(8, 'little') + data)
    return digest.hexdigest()


def cached(key: str, build: Callable[[Path], None], load: Callable[[Path], Library]) -> Library:
    """
    Load the entry of a key from `key_of`, and build it first if it is missing or damaged.

    A CompilerError is raised if it cannot be built, or no directory can keep it.
    """
    errors = []
    for place in (_user_folder, _private_folder):
        try:
            path = place() / f'{key}.so'
            if not is_whole(path, key):
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
