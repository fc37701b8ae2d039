"""Recordings of real robots, and their accelerations by `benchmarks/real_accelerations.py`."""

import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from support.paths import RECORDINGS, ROOT

sys.path.insert(0, str(ROOT / 'benchmarks'))
import real_accelerations as real


def real_motion(name: str) -> Any:
    """Return the motion of a recording; skip the test where it is not stored."""
    if not (RECORDINGS / name).exists():
        pytest.skip(f'the recording {name} is not part of the repository')
    return real.load(RECORDINGS / name)


def referenced(name: str, cutoff: float) -> tuple[Any, Any, Any]:
    """Return a motion, its reference with a cutoff [Hz], and which samples are judged."""
    motion = real_motion(name)
    return motion, real.reference(motion, cutoff), real.judged(motion)


def published(motion: Any, period: float, wake_up: float = 0.0) -> tuple[Any, Any]:
    """
    Return what a publisher with a period [s] of its own sends, and which samples these are.

    It sends the newest sample of a motion, and wakes up late by a normal deviate [s].
    """
    stamps = np.arange(motion.stamps[0] + round(0.3e9 * period), motion.stamps[-1],
                       round(1e9 * period))
    late = np.abs(np.random.default_rng(0).normal(size=len(stamps))) * wake_up * 1e9
    newest = np.searchsorted(motion.stamps, stamps + late.astype(np.int64), side='right') - 1
    return motion._replace(stamps=stamps, q=motion.q[newest], qd=motion.qd[newest]), newest


@cache
def estimated(name: str, kind: str, velocity: bool) -> Any:
    """Return what `real_accelerations.estimated` does of a recording, with the defaults."""
    return real.estimated(real_motion(name), kind, {}, velocity)


def real_ids(rows: Any) -> list[str]:
    """Return names of tests by rows that begin with a recording."""
    return [row[0][:5] for row in rows]
