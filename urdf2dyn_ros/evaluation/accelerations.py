"""Where the accelerations of a recording come from when all of it is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from urdf2dyn_ros.recordings import Record
from urdf2dyn_ros.stream.assembly import STREAM_PARAMETERS

RECORDED = 'external'
DEFAULT = 'polynomial'

OFFLINE: dict[str, dict[str, Any]] = {
    'polynomial': {'order': 4, 'window': 0.08, 'align': 'centre'},
    'kalman_fixed_lag': {'lag': 0.1},
    'finite_difference': {'align': 'centre', 'cutoff': 0.0},
}
"""What differs from the defaults of the node, which has to answer at once."""

MEANINGS = {
    'polynomial': 'offline smoothing: a polynomial around every sample (80 ms, at least 7 '
                  'samples), velocities of degree 4, positions of degree 5',
    'kalman': 'a Kalman filter that knows the past alone',
    'kalman_fixed_lag': 'offline smoothing: a Kalman filter that knows 100 ms of what comes after',
    'finite_difference': 'differences of the neighbours in time, not smoothed',
    'none': 'taken for zero',
    RECORDED: 'as recorded',
}


def parameters(estimator: str) -> dict[str, Any]:
    """Return a stream's parameters at their defaults, with an estimator that may look ahead."""
    return {row.name: row.default for row in STREAM_PARAMETERS} | {
        'estimator': estimator,
        **{f'{estimator}.{name}': value for name, value in OFFLINE.get(estimator, {}).items()}}


def recorded(joints: Sequence[str], heads: Iterable[Record]) -> bool:
    """Tell whether the accelerations of all joints are in one of the records."""
    for record in heads:
        if len(record.acceleration) == len(record.names):
            values = dict(zip(record.names, record.acceleration))
            if all(np.isfinite(values.get(joint, np.nan)) for joint in joints):
                return True
    return False
