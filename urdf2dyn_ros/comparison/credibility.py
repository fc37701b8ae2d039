"""Whether a measured effort is a measurement at all, or a field that somebody left unfilled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.comparison.series import Array

FEWEST = 50
"""Samples without which a figure would be chance."""

FROZEN_TIME = 1_000_000_000
"""A measurement repeats itself bit for bit for no longer than this [ns], if the effort varies."""

FROZEN_SHARE = 0.05
"""How much of its range the computed effort must vary in that time for it to count."""


def doubt(stamps: NDArray[np.int64], measured: Array, computed: Array) -> str:
    """
    Return why measured efforts (k,) are not credible; an empty text if they are.

    Simulators and drivers that do not measure effort publish zeros, or the value that happened to
    be there when they stopped measuring; a figure made of either looks like a result and is none.

    """
    if len(measured) < FEWEST:
        return f'{len(measured)} samples, at least {FEWEST} are needed'
    if not measured.any():
        return 'the measured effort is zero throughout'
    if np.ptp(measured) == 0.0:
        return f'the measured effort is frozen at {measured[0]:.6g}'
    frozen = _frozen(stamps, measured, computed)
    if frozen:
        return f'the measured effort is frozen for {frozen:.1f} s while the computed one varies'
    return ''


def _frozen(stamps: NDArray[np.int64], measured: Array, computed: Array) -> float:
    """Return the time [s] of the longest repetition during which the computed effort varies."""
    changes = np.flatnonzero(np.diff(measured)) + 1
    starts = np.concatenate(([0], changes))
    ends = np.concatenate((changes, [len(measured)]))
    times = stamps[ends - 1] - stamps[starts]
    enough = FROZEN_SHARE * np.ptp(computed)
    varied = [int(times[run]) for run in np.flatnonzero(times > FROZEN_TIME)
              if np.ptp(computed[starts[run]:ends[run]]) > enough]
    return max(varied, default=0) * 1e-9
