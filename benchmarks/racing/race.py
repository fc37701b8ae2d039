"""All contestants on one robot: made ready, compared with each other, timed in turns."""

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from cases import Case
from contestants import PYTHON_BASE

from racing.contestant import Contestant, ExcludedError, Ready
from racing.timing import nanoseconds
from urdf2dyn_ros import InverseDynamics

TOLERANCE = 1e-9
"""Largest relative difference of efforts; a contestant above it is not timed."""


def tolerance_of_accelerations(case: Case) -> float:
    """Return the relative difference that rounding makes of M qdd = tau: by the condition of M."""
    M = InverseDynamics(case.model).mass_matrix(case.states[0])
    return max(TOLERANCE, float(np.finfo(float).eps * np.linalg.cond(M).max()))


def race(case: Case, contestants: Iterable[Contestant], rounds: int, quick: bool = False,
         tolerance: float = TOLERANCE) -> dict[str, Any]:
    """Return times [ns], differences and excluded contestants."""
    ready, left_out = prepared(case, contestants, quick)
    differences = compared(ready)
    for name, difference in differences.items():
        if not difference <= tolerance:   # NaN is no agreement
            left_out[name] = f'its efforts differ by {difference:.1e}'
            del ready[name]
    print('    timing ...', file=sys.stderr)
    return {'joints': len(case.joint_names), 'ns': nanoseconds(ready, rounds),
            'compiler': {name: one.library.name.rsplit('-', 2)[1] for name, one in ready.items()
                         if one.library is not None},
            'difference': {name: differences[name] for name in ready},
            'left_out': left_out}


def prepared(case: Case, contestants: Iterable[Contestant],
             quick: bool) -> tuple[dict[str, Ready], dict[str, str]]:
    """Return the prepared contestants, and the others with their reasons."""
    ready: dict[str, Ready] = {}
    left_out: dict[str, str] = {}
    for one in contestants:
        if quick and one.slow:
            left_out[one.name] = 'it takes a minute to compile; not with --quick'
            continue
        try:
            ready[one.name] = one.prepare(case)
        except ExcludedError as reason:
            left_out[one.name] = str(reason)
        except ImportError as error:
            left_out[one.name] = f'it is not installed: {error}'
        except Exception as error:
            if one.ours:
                raise
            # any error of a peer that does not support this robot
            left_out[one.name] = f'it does not support this robot: {str(error).splitlines()[0]}'
    return ready, left_out


def compared(ready: dict[str, Ready]) -> dict[str, float]:
    """Return the largest differences of the contestants' efforts from those of a peer."""
    efforts = {name: one.efforts() for name, one in ready.items()}
    reference = efforts.get(PYTHON_BASE, next(iter(efforts.values())))
    largest = np.abs(reference).max()
    return {name: float(np.abs(found - reference).max() / largest)
            for name, found in efforts.items()}
