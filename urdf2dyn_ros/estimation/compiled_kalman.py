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
_NUMBER, _POINTER = ctypes.c_double, ctypes.c_void_p
_SCALARS = {'int64_t': ctypes.c_int64, 'double': _NUMBER}
_ARRAYS = {'int64_t *': np.int64, 'double *': np.float64, 'void *': np.float64,
           'Boolean *': np.bool_}


def _structure(name: str, **values: Any) -> Any:
    """
    Return a structure of kalman.c, which names its fields, of values by these names.

    It points into the memory of arrays, which live as long as it does.
    """
    declared = ctypes.c_char_p.in_dll(library(), f'urdf2dyn_{name}').value
    assert declared is not None
    types = {field: kind for kind, _, field in (
        line.rpartition(' ') for line in declared.decode().splitlines())}
    assert types.keys() == values.keys(), types.keys() ^ values.keys()
    arrays = {field: np.asarray(values[field]) for field, kind in types.items() if kind in _ARRAYS}
    for field, array in arrays.items():
        assert array.flags.c_contiguous and array.dtype == _ARRAYS[types[field]], field
        values[field] = array.ctypes.data
    kind = type(name, (ctypes.Structure,), {'_fields_': [
        (field, _SCALARS.get(kind) or (_POINTER if kind in _ARRAYS else type(values[field])))
        for field, kind in types.items()]})
    result = kind(**values)
    result.memory = arrays, values   # with structures inside, which are copied
    return result


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
        constants = {**vars(bank), **vars(hindsight), **vars(kalman)}
        values = [float(constants[name]) for name in names.decode().split()]
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
                    self._lag.began = self._struct.lag_began
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
        rows, kept, hindsight = int(self._lag_time / SPACING) + 3, len(bank.past), self._hindsight
        self._measured, self._estimate = np.zeros((2, joints)), np.zeros((5, joints))
        past = np.zeros((rows, 3, joints, filters))
        past[:kept] = bank.past.transpose(0, 1, 3, 2)
        cross = np.zeros((rows, 1 + joints, 3, 4, filters))
        cross[:kept] = bank._cross
        if self._lag is not None:
            self._lag = CompiledLag(self._lag, self)
        self._struct = _structure(
            'KalmanFilters', velocities=self._velocities, bridged=self._bridged,
            duplicate=self._duplicate, begun=0, outliers=self._outliers, step=self._step,
            time=self._time, good=self._good, stalled=self._stalled, lag_began=self._time,
            usual=self._usual, counts=self._counts, trust=self.trust,
            velocity_trust=self.velocity_trust, alternation=self._alternation,
            quantum=self._quantum, unconfirmed=self._unconfirmed, sampled=self._sampled,
            last=self._last, shifts=self._shifts, prompt=self._prompt, measured=self._measured,
            estimate=self._estimate, deviations=self._deviations,
            oldest=np.zeros((3, filters, joints)),
            bank=_structure(
                'Bank', joints=joints, filters=filters, each=bank.each, derivative=bank.derivative,
                first=[0, filters - int(bank.by_velocity.sum())],
                end=[int(bank.by_position.sum()), filters], rows=rows, oldest=0, kept=kept,
                unit=bank._unit, order=bank.order, slot=bank.slot, w=bank.w, snap=bank._snap,
                jerk=bank._jerk, variances=bank._variances, steady=bank._steady, x=bank.x,
                P=bank.P, past=past, cross=cross, residuals=np.zeros((joints, filters))),
            hindsight=_structure(
                'Hindsight', count=len(hindsight.errors), judges=hindsight._judges,
                number=hindsight._number, filters=hindsight._filters, rows=hindsight.rows,
                next=hindsight._next, delays=hindsight._delays, prior=hindsight._prior,
                mixture_errors=hindsight.mixture_errors, missed=hindsight._missed,
                size=hindsight.size, declared=hindsight.declared, variance=hindsight.variance,
                variance_ratio=hindsight.variance_ratio, times=hindsight._times,
                began=hindsight._began, errors=hindsight.errors, weights=hindsight.weights,
                shares=hindsight.shares, accelerations=hindsight._accelerations,
                mixed=hindsight._mixed, references=hindsight._references,
                velocities=hindsight._velocities, work=np.zeros((2, filters + 1, joints))))
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
