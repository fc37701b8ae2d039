"""One thread for the linear algebra of small matrices, for which several wait for each other."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_SUFFIXES = ('', '64_', '_64')
_PREFIXES = ('openblas', 'scipy_openblas')


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let every loaded OpenBLAS use one thread; without one nothing changes."""
    changed: list[tuple[Callable[[int], Any], int]] = []
    try:
        for library in _loaded():
            for get, put in _functions(library):
                changed.append((put, int(get())))
                put(1)
        yield
    finally:
        for put, count in changed:
            put(count)


def _loaded() -> list[Any]:
    """Return the OpenBLAS libraries of this process, on Linux."""
    libraries: dict[str, Any] = {}
    with suppress(OSError):
        for line in Path('/proc/self/maps').read_text().splitlines():
            path = line[line.find('/'):] if '/' in line else ''
            if 'openblas' in Path(path).name and path not in libraries:
                with suppress(OSError):
                    libraries[path] = ctypes.CDLL(path)
    return list(libraries.values())


def _functions(library: Any) -> Iterator[tuple[Callable[[], Any], Callable[[int], Any]]]:
    """Yield the functions that return and set the number of threads, under any of their names."""
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            with suppress(AttributeError):
                yield (getattr(library, f'{prefix}_get_num_threads{suffix}'),
                       getattr(library, f'{prefix}_set_num_threads{suffix}'))
