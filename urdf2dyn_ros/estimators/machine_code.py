"""What the estimators have in C, made by the system's C compiler and kept in its cache."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from urdf2dyn_ros.c_compiler.cache import cached, key_of
from urdf2dyn_ros.c_compiler.compiler import NATIVE, Compiler, machine
from urdf2dyn_ros.estimators import mismatch, sensor_noise

OPTIONS = ('-O3', '-fno-fast-math', '-fno-finite-math-only', '-fno-math-errno', NATIVE)
SOURCES = ('kalman.c', 'sensor_noise.c')
CONSTANTS = {
    **{name: getattr(sensor_noise, name) for name in ('WINDOW', 'MEMORY', 'SAME', 'REGULAR',
                                                      'FEW', 'CLIP')},
    **{name: getattr(mismatch, name) for name in ('WINDOWS', 'DOUBT', 'MEDIAN')},
    **{f'{name}_{of}': float(value)
       for name, values in (('PRIOR', sensor_noise.PRIOR), ('FLOOR', sensor_noise.FLOOR[:, 0]))
       for of, value in zip(('POSITION', 'VELOCITY'), values)},
}


class MachineCode(NamedTuple):
    """
    Functions of C.

    Attributes
    ----------
    step : callable
        Of `kalman.c`.
    learn : callable
        Of `sensor_noise.c`.

    """

    step: Callable[[int, float, float], int]
    learn: Callable[[int, int, int, int, float], None]


@lru_cache(maxsize=4)
def machine_code(compiler: Compiler) -> MachineCode:
    """
    Return it, made if it is not in the cache.

    Raises
    ------
    CompilerError
        If the compiler fails, or there is no directory to keep its work.

    """
    texts = [files('urdf2dyn_ros.estimators').joinpath(name).read_text(encoding='utf-8')
             for name in SOURCES]
    text = '\n'.join((*(f'#define {name} {value!r}' for name, value in CONSTANTS.items()),
                      *texts))

    def build(target: Path) -> None:
        compiler.build(text, OPTIONS, ['-lm'], target)

    def load(path: Path) -> MachineCode:
        # PyDLL: to let another thread have the interpreter would take longer than a step
        library = ctypes.PyDLL(str(path))
        step, learn = library.urdf2dyn_kalman, library.urdf2dyn_learn
        step.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double]
        learn.argtypes = [*4 * [ctypes.c_void_p], ctypes.c_double]
        learn.restype = None
        return MachineCode(step, learn)

    return cached(key_of('estimators', text, ' '.join(OPTIONS), compiler.identity, machine()),
                  build, load)
