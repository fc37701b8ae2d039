"""The C functions of the estimators, compiled at the first use and cached."""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.codegen.c_compiler import NATIVE, Compiler, cached, key_of, machine
from urdf2dyn_ros.estimators import (
    bandwidth,
    bank,
    gate,
    hindsight,
    kalman_fixed_lag,
    mismatch,
    onset,
    sensor_noise,
    usable,
    wrong_stamp,
)
from urdf2dyn_ros.joint_states import clock_slips

# a loop with a choice between two results becomes one of vectors where neither may trap
_OPTIONS = ('-O3', '-fno-fast-math', '-fno-finite-math-only', '-fno-math-errno',
            '-fno-trapping-math', NATIVE)
_SOURCES = ('clock_slips.c', 'constant_jerk.c', 'onset.c', 'bandwidth.c', 'hindsight.c',
            'kalman.c', 'shown.c', 'kalman_fixed_lag.c', 'sensor_noise.c')
_MACROS = {
    **{name: getattr(clock_slips, name) for name in (
        'MOST_USUAL', 'FOLLOWING_GAIN', 'SIGNIFICANT')},
    **{name: getattr(sensor_noise, name) for name in (
        'WINDOW', 'NOISE_MEMORY', 'SPEED_SPREAD', 'CHANGE_SPREAD', 'SMALL_SAMPLE',
        'CLIPPING_MULTIPLE', 'INITIAL_SHARE', 'LEAST_LEARNED_PART')},
    **{name: getattr(mismatch, name) for name in (
        'MEDIAN_WINDOWS', 'FEWEST_MISMATCHES', 'MISMATCH_GATE', 'CHI_SQUARED_MEDIAN')},
    **{name: getattr(bandwidth, name) for name in (
        'PREDICTION_MEMORY', 'STORED_EVERY', 'STORED_STATES', 'VELOCITY_MISSING',
        'LEAST_VARIANCE', 'VELOCITY_HORIZONS', 'FEWEST_PERIODS', 'SLOW_PERIOD', 'HORIZON_GATE',
        'JERK_CLIPPING', 'SHARED', 'FEWEST_COMPARED')},
    **{name: getattr(onset, name) for name in (
        'DEVIATION_MEMORY', 'ONSET_MEMORY', 'ONSET_GATE', 'INNOVATION_SHOWS', 'NOISE_GATE',
        'SINGLE_SAMPLE')},
    **{name: getattr(hindsight, name) for name in (
        'ROW_SPACING', 'DIFFERENCE_ROWS', 'ERROR_MEMORY', 'ERROR_ROWS', 'SCALE_MEMORY',
        'SCALE_ROWS', 'MOST_OF_DECLARED', 'DIFFERENCE_NOISE', 'SHORTEST_SPAN',
        'MOST_SHORT_ROWS', 'MOST_SCALE', 'LEAST_OF_NOISE', 'CURVATURE_NOISE')},
    'ABSENT': bank.ABSENT,
    'COMPARED_ROWS': hindsight.COMPARED_ROWS,
    **{name: getattr(gate, name) for name in (
        'MOST_REJECTED', 'REJECTED_VARIANCE', 'SAME_JUMP', 'SMALL_JUMP', 'GROWING',
        'LEAST_GROWTH', 'MOST_GROWTH', 'USUAL_GAIN', 'MOST_OF_LIMIT', 'MULTIPLE_OF_USUAL')},
    **{name: getattr(wrong_stamp, name) for name in (
        'NEW', 'AFTER_SAME', 'CARRIED', 'SAMPLE_SHIFT', 'LARGE_SHIFT', 'LEAST_SAMPLE_SHIFT',
        'FOLLOWED_PART', 'SHORTEST_SLIP', 'SLIP_SPREAD', 'LEAST_CAUGHT_UP')},
    'SHORT_PERIOD': usable.SHORT_PERIOD,
    'SMOOTHED_NOISE': kalman_fixed_lag.SMOOTHED_NOISE,
    'HORIZON_COUNT': len(bandwidth.HORIZONS),
    **{f'HORIZON_{k}': horizon for k, horizon in enumerate(bandwidth.HORIZONS)},
    **{f'{name}_{of}': float(value) for name in ('INITIAL_NOISE', 'LEAST_VARIANCES')
       for of, value in zip(('POSITION', 'VELOCITY'), np.ravel(getattr(sensor_noise, name)))},
}


class MachineCode(NamedTuple):
    """Functions of the C files in this folder."""

    step: Callable[[int, int, float, float, float, float, int], int]
    smooth: Callable[[int, int, int, int], int]
    learn: Callable[[int, int, int, int, float], None]
    follow_clock: Callable[[int, float, int], int]
    width: int   # columns in a block of what a smoother stores


@lru_cache(maxsize=4)
def machine_code(compiler: Compiler) -> MachineCode:
    """
    Return the functions, compiled if they are not in the cache.

    A CompilerError if there is no C compiler or it fails, or no directory for its output.
    """
    texts = [files('urdf2dyn_ros.estimators.compiled').joinpath(name).read_text(encoding='utf-8')
             for name in _SOURCES]
    text = '\n'.join((*(f'#define {name} {value!r}' for name, value in _MACROS.items()),
                      *texts))

    def build(target: Path) -> None:
        compiler.build(text, _OPTIONS, ['-lm'], target)

    def load(path: Path) -> MachineCode:
        # PyDLL: releasing the interpreter would take longer than a step
        library = ctypes.PyDLL(str(path))
        step, smooth = library.urdf2dyn_kalman, library.urdf2dyn_smooth
        learn, follow_clock = library.urdf2dyn_learn, library.urdf2dyn_follow_clock
        step.argtypes = [ctypes.c_void_p, ctypes.c_longlong, *4 * [ctypes.c_double],
                         ctypes.c_int]
        learn.argtypes = [*4 * [ctypes.c_void_p], ctypes.c_double]
        smooth.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long,
                           ctypes.c_longlong]
        follow_clock.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_long]
        learn.restype = None
        return MachineCode(step, smooth, learn, follow_clock,
                           ctypes.c_long.in_dll(library, 'urdf2dyn_width').value)

    return cached(key_of('estimators', text, ' '.join(_OPTIONS), compiler.identity, machine()),
                  build, load)
