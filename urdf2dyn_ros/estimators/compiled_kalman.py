"""The Kalman filter with its step as machine code, made by the system's C compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.compiled.cache import cached, key_of
from urdf2dyn_ros.compiled.compiler import NATIVE, Compiler, find_compiler, machine
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import FEWEST, Kalman

Array = NDArray[np.float64]
OPTIONS = ('-O3', '-fno-fast-math', '-fno-finite-math-only', '-fno-math-errno', NATIVE)
REJECTING, UNCERTAIN = 1, 2   # what a step answers, as in kalman.c
UNKNOWN = -1                  # no answer: a joint has begun afresh since


class _Filter(ctypes.Structure):
    """The structure of kalman.c."""

    _fields_ = (('joints', ctypes.c_long),
                *((name, ctypes.c_void_p) for name in ('state', 'rejected', 'measured',
                                                       'variance', 'found')),
                *((name, ctypes.c_double) for name in ('density', 'gate', 'acceleration_step',
                                                       'max_variance')))


class CompiledKalman(Kalman):
    """
    The same filter: one call of C for each sample instead of many of numpy.

    Raises
    ------
    CompilerError
        If there is no C compiler, it fails, or no directory to keep its work.

    """

    def __init__(self, joints: int, **parameters: Any) -> None:
        self._run = _compiled(find_compiler())
        super().__init__(joints, **parameters)

    def reset(self) -> None:
        """Forget every sample."""
        super().reset()
        self._measured, self._variance = (np.zeros((2, self._joints)) for _ in range(2))
        self._copied: Array | None = None
        self._found: Array = np.zeros((4, self._joints))
        self._struct = _Filter(self._joints, *(array.ctypes.data for array in (
            self._z, self._rejected, self._measured, self._variance, self._found)),
            self._density, self._gate, self._step, self._max_variance)
        self._address = ctypes.addressof(self._struct)

    def _begin(self, joints: NDArray[np.bool_], measured: Array) -> None:
        super()._begin(joints, measured)
        self._flags = UNKNOWN

    def _advance(self, stamp: int, measured: Array) -> None:
        self._measured[:] = measured
        variance = self._variances()
        if variance is not self._copied:
            self._variance[:] = self._copied = variance
        self._flags = self._run(self._address, (stamp - self._last) * 1e-9, self._noise.stamps)
        self._rejecting = bool(self._flags & REJECTING)

    def _estimate(self, stamp: int) -> Estimate:
        if self._flags == UNKNOWN:
            return super()._estimate(stamp)
        position, velocity, acceleration, deviation = self._found.copy()
        return Estimate(stamp, position, velocity, acceleration, deviation,
                        valid=self._count >= FEWEST and not self._flags & UNCERTAIN)


@lru_cache(maxsize=4)
def _compiled(compiler: Compiler) -> Callable[[int, float, float], int]:
    text = files('urdf2dyn_ros.compiled').joinpath('kalman.c').read_text(encoding='utf-8')

    def build(target: Path) -> None:
        compiler.build(text, OPTIONS, ['-lm'], target)

    def load(path: Path) -> Callable[[int, float, float], int]:
        # PyDLL: to let another thread have the interpreter would take longer than the step
        function = ctypes.PyDLL(str(path)).urdf2dyn_kalman
        function.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double]
        return function

    return cached(key_of('kalman', text, ' '.join(OPTIONS), compiler.identity, machine()), build,
                  load)
