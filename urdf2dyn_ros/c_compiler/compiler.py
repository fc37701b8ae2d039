"""The system's C compiler: its command, its options, and its errors."""

import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from urdf2dyn_ros.errors import CompilerError

NATIVE = '-march=native'
_SHARED = ('-std=gnu99', '-shared', '-fPIC', '-fvisibility=hidden', '-w', '-pipe')
_FAST_MATH_OPTIONS = ('-ffast-math', '-Ofast', '-funsafe-math-optimizations')
"""Options of fast mathematics: a library linked with one makes subnormal numbers zero in the whole
process."""

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
        Compile a C text to a shared library.

        Options stand before the source file on the command line, libraries after it. The target is
        in a directory of its own, which also gets intermediate files; an OSError if it cannot be
        written. A CompilerError has the last lines of a compiler that fails.
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
            # as much as a library needs: a full disk raises an OSError of its own
            with (folder / 'probe').open('wb') as file:
                file.write(bytes(1 << 18))
                file.flush()
                os.fsync(file.fileno())
            last = '\n'.join((failure or 'it wrote no library').strip().splitlines()[-8:])
            raise CompilerError(f'the C compiler {shlex.join(self.command)!r} failed; its '
                                f'last lines:\n{last}\nTo do: {_REMEDY}')

    def _run(self, arguments: Sequence[str], folder: Path) -> str | None:
        """Return None, or the output of the compiler if it failed."""
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
    known = [platform.system(), platform.machine(), platform.processor()]
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8', errors='replace').splitlines()
    except OSError:
        lines = []
    kinds = ('vendor_id', 'cpu family', 'model', 'model name', 'stepping', 'flags', 'Features',
             'CPU implementer', 'CPU part')
    known += sorted({line for line in lines if line.split(':')[0].strip() in kinds})
    return '\n'.join(known)
