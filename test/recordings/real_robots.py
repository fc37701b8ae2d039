"""Recordings of real robots, and their accelerations by `benchmarks/real_accelerations.py`."""

import sys
from functools import cache
from typing import Any

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


@cache
def estimated(name: str, kind: str, velocity: bool) -> Any:
    """Return what `real_accelerations.estimated` does of a recording, with the defaults."""
    return real.estimated(real_motion(name), kind, {}, velocity)


def real_ids(rows: Any) -> list[str]:
    """Return names of tests by rows that begin with a recording."""
    return [row[0][:5] for row in rows]
