"""The compilers: every program is compiled by all available ones, and the fastest counts."""

import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from racing.contestant import ExcludedError

CC = ('gcc', 'clang')
CXX = ('g++', 'clang++')
FLAGS = ('-O3', '-march=native', '-DNDEBUG')
SHARED = ('-fPIC', '-shared')
# hidden symbols: Python's Pinocchio, in the same process, has the same templates with
# another layout of its matrices
SHARED_CXX = (*SHARED, '-std=c++17', '-fvisibility=hidden')
OWN = {'g++': ('-fno-gnu-unique',)}
"""Flags of one compiler alone; clang++ has no unique symbols."""


def builds(compilers: Sequence[str], arguments: Sequence[str | Path], sources: Iterable[Path],
           folder: Path, name: str) -> list[Path]:
    """Return the output of every compiler; the first one's ExcludedError if all fail."""
    sources = list(sources)
    found, errors = [], []
    for compiler in compilers:
        try:
            found.append(build([compiler, *OWN.get(compiler, ()), *arguments], sources, folder,
                               name))
        except ExcludedError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    return found


def build(command: Sequence[str | Path], sources: Iterable[Path], folder: Path, name: str) -> Path:
    """
    Compile, unless the same command has compiled the same sources, and return the result.

    Parameters
    ----------
    command : sequence
        Compiler, flags and the files to compile.
    sources : iterable of Path
        All files that the result depends on.
    folder : Path
    name : str
        Of the result; compiler and what it was made from become part of it.

    Raises
    ------
    ExcludedError
        With the compiler's first error.

    """
    words = [str(word) for word in command]
    text = [version(words[0]), *words, *(path.read_text() for path in sources)]
    digest = hashlib.sha256('\0'.join(text).encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / f'{name}-{words[0]}-{digest}'
    if not result.exists():
        part = result.with_suffix(f'.{os.getpid()}')   # others may be at it as well
        print(f'    {words[0]} compiles {name} ...', file=sys.stderr)
        try:
            done = subprocess.run([*words, '-o', part], text=True, stderr=subprocess.PIPE,
                                  timeout=400)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ExcludedError(f'it cannot be compiled here: {error}') from None
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if 'error' in line]
            raise ExcludedError(f'it cannot be compiled here: {(errors or ["killed"])[0].strip()}')
        part.replace(result)
    return result


@functools.cache
def version(compiler: str) -> str:
    """Return the first line of a compiler's version."""
    try:
        return subprocess.run([compiler, '--version'], text=True, capture_output=True,
                              check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        raise ExcludedError(f'there is no compiler {compiler}') from None
