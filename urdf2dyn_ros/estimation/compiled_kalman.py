"""
The estimator with its work at each message in C, see kalman.c.

The library is that of the installation; where there is none, or it is of another version of
kalman.c, the compiler cache makes one. C works in the memory of the numpy objects, which begin
alone: until the usual step is known, and again when the first velocities come.
"""

import ctypes
import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.codegen.c_compiler import cached, find_compiler, key_of
from urdf2dyn_ros.estimation import bank, hindsight, kalman
from urdf2dyn_ros.estimation.bank import Bank
from urdf2dyn_ros.estimation.hindsight import SPACING, Lag
from urdf2dyn_ros.estimation.kalman import Estimate, KalmanFilters, Verdict
from urdf2dyn_ros.robot.spatial import Array

LIBRARY = 'libestimator.so'   # built by setup.py
OPTIONS = ('-O3', '-fno-fast-math', '-ffp-contract=off', '-fno-math-errno', '-fno-trapping-math')
"""Options of the compiler: the last two make vectors of more loops, and change no result."""

_VERDICTS = tuple(Verdict)   # by their numbers
_INTEGER, _NUMBER, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
_BANK = ('order', 'slot', 'w', 'snap', 'jerk', 'variances', 'steady', 'x', 'P', 'past', 'cross',
         'residuals')
_HINDSIGHT = ('filters', 'rows', 'next', 'delays', 'prior', 'mixture_errors', 'missed',
              'size', 'declared', 'variance', 'variance_ratio', 'times', 'began', 'errors',
              'weights', 'shares', 'accelerations', 'mixed', 'references', 'work', 'velocities')
_ESTIMATOR = ('usual', 'counts', 'trust', 'velocity_trust', 'alternation', 'quantum',
              'unconfirmed', 'sampled', 'last', 'shifts', 'prompt', 'measured', 'estimate',
              'deviations', 'oldest')


def _fields(names: str, kind: type) -> list[tuple[str, type]]:
    return [(name, kind) for name in names.split()]


class _Bank(ctypes.Structure):
    _fields_ = [*_fields('joints filters each first first_of_velocities end end_of_velocities '
                         'rows oldest kept derivative', _INTEGER), ('unit', _NUMBER),
                *_fields(' '.join(_BANK), _POINTER)]


class _Hindsight(ctypes.Structure):
    _fields_ = [*_fields('count judges number', _INTEGER),
                *_fields(' '.join(_HINDSIGHT), _POINTER)]


class _Estimator(ctypes.Structure):
    _fields_ = [('bank', _Bank), ('hindsight', _Hindsight),
                *_fields('velocities bridged duplicate begun', _INTEGER), ('outliers', _POINTER),
                *_fields('step time good stalled began', _NUMBER),
                *_fields(' '.join(_ESTIMATOR), _POINTER)]


@lru_cache(maxsize=1)
def library() -> ctypes.PyDLL:
    """
    Return the functions of kalman.c.

    A CompilerError where the installation has none, and there is no C compiler or it fails.
    """
    folder = files('urdf2dyn_ros.estimation')
    text = folder.joinpath('kalman.c').read_text(encoding='utf-8')
    version = hashlib.sha256(text.encode()).hexdigest()

    def load(path: Path) -> ctypes.PyDLL:
        # PyDLL: releasing the interpreter would take longer than an update
        library = ctypes.PyDLL(str(path))
        made_of = ctypes.c_char_p.in_dll(library, 'urdf2dyn_version').value
        if made_of != version.encode():
            raise OSError(f'{path} is of another version of kalman.c')
        library.urdf2dyn_update.argtypes = (_POINTER, _NUMBER)
        library.urdf2dyn_settle.argtypes = library.urdf2dyn_keep.argtypes = (_POINTER,)
        names = ctypes.c_char_p.in_dll(library, 'urdf2dyn_constants').value
        assert names is not None
        values = [next(float(getattr(module, name)) for module in (bank, hindsight, kalman)
                       if hasattr(module, name)) for name in names.decode().split()]
        library.urdf2dyn_set_constants((_NUMBER * len(values))(*values))
        return library

    installed = folder.joinpath(LIBRARY)
    if isinstance(installed, Path):
        try:
            return load(installed)
        except (OSError, AttributeError, ValueError):   # there is none, or another version
            pass
    compiler = find_compiler()
    options = (*OPTIONS, f'-DVERSION="{version}"')
    return cached(key_of('estimator', text, ' '.join(options), compiler.identity),
                  lambda target: compiler.build(text, options, ['-lm'], target), load)


class CompiledFilters(KalmanFilters):
    """The same estimator, by one call of C for each sample; a CompilerError as of `library`."""

    def __init__(self, joints: int, lag: float = 0.0, derivative: int = 2) -> None:
        self._library = library()
        super().__init__(joints, lag, derivative)

    def _update(self, stamp: int, time: float, q: Array, qd: Array) -> Estimate:
        if self._bank is not None:
            self._measured[0] = q
            self._measured[1] = qd
            code = self._library.urdf2dyn_update(self._address, time)
            if code >= 0:
                verdict = _VERDICTS[code]
                if self._clock.irregular:
                    self._clock.motion = self._estimate[:3].copy()
                if self._lag is not None:
                    self._time = self._struct.time
                    if self._struct.begun:
                        self._lag.begin(self._time)
                        self._struct.begun = 0
                    self._lag.began = self._struct.began
                    return self._lagged(stamp, time, verdict)
                q, qd, qdd, std, prompt = self._estimate.copy()
                return Estimate(stamp, q, qd, qdd, std, verdict, prompt)
            self._bridged, self._duplicate = self._struct.bridged, bool(self._struct.duplicate)
        estimate = super()._update(stamp, time, q, qd)
        if self._bank is not None:
            self._hand_over(self._bank)
        return estimate

    def pause(self) -> None:
        super().pause()
        if self._bank is not None:
            self._struct.time = self._time

    def _hand_over(self, bank: Bank) -> None:
        """Let C work in the arrays of the objects from here."""
        filters, joints = bank.x.shape[1:]
        rows, kept = int(self._lag_time / SPACING) + 3, len(bank.past)
        self._measured, self._estimate = np.zeros((2, joints)), np.zeros((5, joints))
        others: dict[str, Any] = {
            'variances': np.array(bank._variances), 'work': np.zeros((2, filters + 1, joints)),
            'past': np.zeros((rows, 3, joints, filters)), 'residuals': np.zeros((joints, filters)),
            'cross': np.zeros((rows, 1 + joints, 3, 4, filters)),
            'oldest': np.zeros((3, filters, joints))}
        others['past'][:kept] = bank.past.transpose(0, 1, 3, 2)
        others['cross'][:kept] = bank._cross
        if self._lag is not None:
            self._lag = CompiledLag(self._lag, self)
        self._kept: list[Array] = []

        def pointers(of: object, names: tuple[str, ...]) -> list[int]:
            arrays = [np.asarray(others[name] if name in others else
                                 getattr(of, name if hasattr(of, name) else f'_{name}'))
                      for name in names]
            assert all(array.flags.c_contiguous for array in arrays)
            self._kept.extend(arrays)
            return [array.ctypes.data for array in arrays]

        hindsight = self._hindsight
        self._struct = _Estimator(
            _Bank(joints, filters, bank.each, 0, filters - int(bank.by_velocity.sum()),
                  int(bank.by_position.sum()), filters, rows, 0, kept, bank.derivative, bank._unit,
                  *pointers(bank, _BANK)),
            _Hindsight(len(hindsight.errors), hindsight._judges, hindsight._number,
                       *pointers(hindsight, _HINDSIGHT)),
            self._velocities, self._bridged, self._duplicate, 0, *pointers(self, ('outliers',)),
            self._step, self._time, self._good, self._stalled, self._time,
            *pointers(self, _ESTIMATOR))
        self._address = ctypes.addressof(self._struct)


class CompiledLag(Lag):
    """Estimates of a fixed lag, whose states and weights are those of C."""

    def __init__(self, lag: Lag, estimator: CompiledFilters) -> None:
        self.__dict__.update(lag.__dict__)
        self._estimator = estimator

    def _keep(self) -> None:
        self._estimator._library.urdf2dyn_keep(self._estimator._address)

    def _settle(self) -> Array:
        self._estimator._library.urdf2dyn_settle(self._estimator._address)
        return self._estimator._estimate[:3].copy()
