"""Check of a table's first rows: whether its times are in seconds."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError

CHECKED_ROWS = 101

_FEWEST_STEPS = 10

_LONGEST_STEP = 1.0
"""Median step from which on times are not credible without recorded accelerations [s]."""

_SLOW_MOTION = 0.1
"""Motion by the positions per motion by the velocities, up to which the two contradict."""

_UNITS_PER_SECOND = {'milliseconds': Decimal(10) ** 3, 'microseconds': Decimal(10) ** 6,
                     'nanoseconds': Decimal(10) ** 9}


def check_time_unit(path: Path, times: Sequence[Decimal], positions: Array, velocities: Array,
                    accelerated: bool) -> None:
    """
    Raise a RecordingError if times cannot be seconds.

    Positions differentiated over steps of a second or more are no motion of a robot. A table with
    accelerations needs no derivatives: it may consist of single states, which contradict the time
    only where they have velocities and move more slowly by far. The times (k,) are those of the
    first rows, as they are written; positions and velocities (k, n) in [rad or m], [rad/s or m/s]
    are NaN where not measured.
    """
    steps = sorted(after - before for before, after in pairwise(times) if after > before)
    if len(steps) < _FEWEST_STEPS or steps[len(steps) // 2] < _LONGEST_STEP:
        return
    step = steps[len(steps) // 2]
    if accelerated and not _contradicts(times, positions, velocities):
        return
    unit, factor = next(((unit, factor) for unit, factor in _UNITS_PER_SECOND.items()
                         if step / factor < _LONGEST_STEP), ('another unit', None))
    remedy = 'write seconds' if factor is None else f'divide it by 1e{factor.adjusted()}'
    raise RecordingError(
        path, f"column 'time': it rises by {float(step):g} from row to row (median of the first "
        f'{len(times)}), but its unit is the second, and efforts need many samples a second; if '
        f'it is in {unit}, {remedy}')


def _contradicts(times: Sequence[Decimal], positions: Array, velocities: Array) -> bool:
    """Return whether positions change far less than velocities over the steps require."""
    steps = np.array([float(after - before) for before, after in pairwise(times)])
    distances = np.abs(np.diff(positions, axis=0))
    expected = np.abs(0.5 * (velocities[1:] + velocities[:-1]) * steps[:, None])
    return bool(np.nansum(distances) < _SLOW_MOTION * np.nansum(expected + 0.0 * distances))
