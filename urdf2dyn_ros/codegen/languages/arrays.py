"""
Python for libraries of arrays: CasADi, JAX and PyTorch, of one state or of many.

The equations are those of Python; inputs are taken apart into their entries, and results put
together again, by three functions at the top of a file.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, ClassVar

from urdf2dyn_ros.codegen.languages.language import Around
from urdf2dyn_ros.codegen.languages.python import Python
from urdf2dyn_ros.codegen.program import Program, Result
from urdf2dyn_ros.errors import ExportError, MissingLibraryError


class Arrays(Python):
    """Python with arrays of a library for lists; it says what takes them apart and makes them."""

    NO_CHOICE = 'its numbers have the precision of the arrays it is called with'
    ENTRIES = 'entries({name})'
    VECTOR, MATRIX = Around('vector(q, [', '])'), Around('matrix(q, [', '])')
    LIBRARY: ClassVar[str]   # module with the functions of numbers
    HELPERS: ClassVar[str]

    def __init__(self, program: Program) -> None:
        if any(function.name == 'closure' for function in program.functions):
            raise ExportError(f'functions of {self.LIBRARY} do not close loops whose joints are '
                              'not linear in each other: choose python, c, cpp, rust, javascript '
                              'or matlab')
        super().__init__(replace(program, dynamic_model=None))

    @classmethod
    def load(cls, program: Program) -> dict[str, Any]:
        """Return what a file defines, by name; a MissingLibraryError without the library."""
        library = cls.LIBRARY.partition('.')[0]
        if find_spec(library) is None:
            raise MissingLibraryError(f'{library} is not installed: pip install {library}')
        namespace: dict[str, Any] = {'__name__': f'{program.name}_dynamics'}
        exec('\n'.join(cls(program).definitions()), namespace)
        return namespace

    def derived(self, used: set[str] | None = None, indent: str = '', form: str = '',
                ) -> Iterator[str]:
        """Yield what follows from the parameters, with plain numbers, then the helpers."""
        if self.derives_in_functions:
            yield f'from math import {", ".join(sorted(self._called_by_constants() - {"abs"}))}'
        yield from super().derived(used, indent, form)
        called = ', '.join(name for name in self.called(self.program.functions) if name != 'abs')
        yield from ['', f'from {self.LIBRARY} import {called}   # noqa: E402, F811',
                    *self.HELPERS.splitlines()]

    def imports(self) -> Iterator[str]:
        """Yield nothing: functions are imported behind the constants, which are plain numbers."""
        yield from ()

    def as_lists(self, result: Result, value: str) -> str:
        return f'{value}.tolist()'


class Casadi(Arrays):
    """Columns of SX, MX or DM."""

    FILE, TEST = '{name}_casadi.py', 'python3 {name}_casadi.py'
    LIBRARY = 'casadi'
    HELPERS = '''\
from casadi import blockcat, vertcat, vertsplit   # noqa: E402


def entries(x):
    """Return the entries of a column (n, 1), or of a list."""
    return vertsplit(x)


def vector(q, entries):
    """Return a column."""
    return vertcat(*entries)


def matrix(q, rows):
    """Return a matrix."""
    return blockcat(rows)'''

    def as_lists(self, result: Result, value: str) -> str:
        return f'{value}.full(){"" if result.is_matrix else ".ravel()"}.tolist()'


_MATRIX = '''


def matrix(q, rows):
    """Return rows of entries as (..., n, m)."""
    whole = vector(q, [entry for row in rows for entry in row])
    return whole.reshape(*whole.shape[:-1], len(rows), len(rows[0]) if rows else 0)'''


class Jax(Arrays):
    """Arrays (..., n), of their own precision."""

    FILE, TEST = '{name}_jax.py', 'python3 {name}_jax.py'
    LIBRARY = 'jax.numpy'
    HELPERS = '''\
from jax.numpy import asarray, broadcast_arrays, moveaxis, stack, zeros   # noqa: E402


def entries(x):
    """Return the entries of (..., n), each (...)."""
    return moveaxis(asarray(x), -1, 0)


def vector(q, entries):
    """Return entries as (..., n), for as many states as there are."""
    q = asarray(q)
    *entries, _ = broadcast_arrays(*entries, zeros(q.shape[:-1]))
    return stack(entries, -1) if entries else q''' + _MATRIX

    def blocks(self) -> dict[str, Iterable[str]]:
        return {**super().blocks(), 'start': [
            '    from jax import config', "    config.update('jax_enable_x64', True)"]}


class Torch(Arrays):
    """Tensors (..., n), of their own precision and on their own device."""

    FILE, TEST = '{name}_torch.py', 'python3 {name}_torch.py'
    LIBRARY = 'torch'
    HELPERS = '''\
from torch import as_tensor, broadcast_tensors, float64, is_tensor, stack   # noqa: E402


def _tensor(x):
    return x if is_tensor(x) else as_tensor(x, dtype=float64)


def entries(x):
    """Return the entries of (..., n), each (...)."""
    return _tensor(x).unbind(-1)


def vector(q, entries):
    """Return entries as (..., n), for as many states as there are."""
    q = _tensor(q)
    *entries, _ = broadcast_tensors(
        *(x if is_tensor(x) else q.new_tensor(x) for x in entries), q.new_zeros(q.shape[:-1]))
    return stack(entries, -1) if entries else q''' + _MATRIX
