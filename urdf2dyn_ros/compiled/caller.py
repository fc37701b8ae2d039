"""A compiled function as a Python callable that returns None for whatever is unusual."""

import ctypes
import logging
import sys
import sysconfig
import weakref
from _ctypes import dlclose
from collections.abc import Callable
from functools import lru_cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.resources import files
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.c_compiler.cache import cached, key_of
from urdf2dyn_ros.c_compiler.compiler import NATIVE, Compiler, find_compiler, machine
from urdf2dyn_ros.compiled.source import Source
from urdf2dyn_ros.errors import CompilerError

Caller: TypeAlias = Callable[..., 'Array | None']
"""
Takes the inputs of a function, by position: all of one row, or all of N rows, each of its own
size; float64, C-contiguous.

Returns a new array, (m,) or (n, n), or (N, m) or (N, n, n); None if the arguments are anything
else, or a number in them or in the result is not finite.
"""

_LOG = logging.getLogger(__name__)
_OPTIONS = ('-fno-fast-math', '-fno-unsafe-math-optimizations', '-fno-associative-math',
            '-fno-finite-math-only',   # whatever CC says: sums are meant as they are written
            '-ffp-contract=fast', '-fno-math-errno', '-fno-trapping-math',
            '-fno-strict-aliasing', NATIVE)
_LEVELS = ((150, '-O3'), (10000, '-O2'), (sys.maxsize, '-O0'))
"""The optimisation by number of statements; -O1 takes longer than -O2 for such text."""


def compiled(source: Source, threads: int = 1) -> Caller:
    """
    Compile a function, or find it compiled, and return it as a callable.

    The result does not depend on the number of threads, at most so many for a batch, 1 to 64.
    A CompilerError is raised without a compiler, if it fails, or without a directory to keep its
    work.
    """
    compiler = find_compiler()
    level = next(level for most, level in _LEVELS if source.statements <= most)
    options = (level, *_OPTIONS)

    def build(target: Path) -> None:
        compiler.build(source.text, options, ['-lm', '-lpthread'], target)

    key = key_of('robot', source.text, ' '.join(options), compiler.identity, machine())
    library = cached(key, build, _robot_library)
    one, many = (ctypes.cast(function, ctypes.c_void_p).value
                 for function in (library.urdf2dyn_one, library.urdf2dyn_many))
    made = extension(compiler)
    if made is None:
        return _ctypes_caller(source, library, threads)
    caller: Caller = made.Caller(one, many, source.inputs, source.result, threads, library)
    return caller


def _robot_library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    # ctypes itself unloads nothing, and the parameters of a node may change often
    weakref.finalize(library, dlclose, library._handle).atexit = False
    pointers = ctypes.POINTER(ctypes.c_void_p)
    library.urdf2dyn_one.argtypes = [pointers, ctypes.c_void_p]
    library.urdf2dyn_many.argtypes = [pointers, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_long]
    return library


@lru_cache(maxsize=4)
def extension(compiler: Compiler) -> ModuleType | None:
    """Return the module with the type Caller, the same for all robots; None without Python.h."""
    folders = [*dict.fromkeys(sysconfig.get_paths()[name] for name in ('include', 'platinclude')),
               np.get_include()]
    if not any((Path(folder) / 'Python.h').is_file() for folder in folders):
        _LOG.info('no Python.h in %s: calls of compiled code take some microseconds longer; '
                  'Debian, Ubuntu: apt install python3-dev', folders[0])
        return None
    text = files('urdf2dyn_ros.compiled').joinpath('caller.c').read_text(encoding='utf-8')
    options = ('-O2', *(f'-I{folder}' for folder in folders))

    def build(target: Path) -> None:
        compiler.build(text, options, [], target)

    key = key_of('caller', text, ' '.join(options), compiler.identity, sys.version, np.__version__,
                 str(sysconfig.get_config_var('SOABI')))
    try:
        return cached(key, build, _module)
    except CompilerError as error:
        _LOG.info('calls of compiled code take some microseconds longer: %s', error)
        return None


def _module(path: Path) -> ModuleType:
    loader = ExtensionFileLoader('urdf2dyn_caller', str(path))
    module = module_from_spec(ModuleSpec(loader.name, loader, origin=str(path)))
    loader.exec_module(module)
    module.Caller   # noqa: B018 - an AttributeError now rather than later
    return module


def _ctypes_caller(source: Source, library: ctypes.CDLL, threads: int) -> Caller:
    """Return the same without the extension module."""
    sizes = source.inputs
    pointers = ctypes.c_void_p * len(sizes)

    def call(*states: Any) -> Array | None:
        if len(states) != len(sizes) or not all(
                type(state) is np.ndarray and state.dtype == np.float64
                and state.dtype.isnative and state.flags.c_contiguous and state.flags.aligned
                and state.ndim in (1, 2) and state.shape[-1] == size
                and state.shape[:-1] == states[0].shape[:-1]
                for state, size in zip(states, sizes)):
            return None
        result = np.empty(states[0].shape[:-1] + source.result)
        arguments = pointers(*(state.ctypes.data for state in states))
        if result.ndim == len(source.result):
            spoiled = library.urdf2dyn_one(arguments, result.ctypes.data)
        else:
            spoiled = len(result) and library.urdf2dyn_many(
                arguments, result.ctypes.data, len(result), threads)
        return None if spoiled else result

    return call
