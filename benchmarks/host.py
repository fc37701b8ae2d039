"""The computer, compilers and packages of a run."""

import contextlib
import os
import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from racing.compilers import CC, FLAGS
from racing.compilers import version as compiler_version
from racing.contestant import ExcludedError

PACKAGES = ('numpy', 'pin', 'casadi', 'cmeel-eigen', 'dynibo')


def host() -> dict[str, str]:
    """Return processor, compilers and versions; no date, no name of the computer."""
    found = {'processor': f'{_processor()}, {os.cpu_count()} cores',
             'python': platform.python_version(),
             'compilers': '; '.join(_compilers()) or 'none',
             'flags': ' '.join(FLAGS)}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = 'not installed'
    return found


def _compilers() -> Iterator[str]:
    for compiler in CC:
        with contextlib.suppress(ExcludedError):
            yield compiler_version(compiler)


def _processor() -> str:
    try:
        text = Path('/proc/cpuinfo').read_text()
    except OSError:
        text = ''
    name = re.search(r'model name\s*: (.*)', text)
    return name.group(1) if name else platform.processor()
