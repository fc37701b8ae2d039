"""The source of accelerations when the whole recording is available."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from urdf2dyn_ros.recordings import Record
from urdf2dyn_ros.stream.assembly import STREAM_PARAMETERS

RECORDED = 'external'
OFFLINE_DEFAULT = 'smoothing_spline'

_OFFLINE: dict[str, dict[str, Any]] = {
    'polynomial': {'order': 4, 'window': 0.08, 'align': 'centre'},
    'kalman_fixed_lag': {'lag': 0.1},
    'finite_difference': {'align': 'centre', 'cutoff': 0.0},
}
"""Parameters that differ from the defaults of the node, which cannot use later samples."""

ACCELERATION_SOURCES = {
    OFFLINE_DEFAULT: 'offline smoothing: a curve through the positions, with the cutoff of each '
                     'joint that best predicts samples hidden from it',
    'polynomial': 'offline smoothing: a polynomial around every sample (80 ms, at least 7 '
                  'samples), velocities of degree 4, positions of degree 5',
    'kalman': 'a Kalman filter, which uses earlier samples only',
    'kalman_fixed_lag': 'offline smoothing: a Kalman filter that also uses the next 100 ms',
    'finite_difference': 'differences of adjacent samples, not smoothed',
    'none': 'assumed to be zero',
    RECORDED: 'as recorded',
}


def offline_parameters(estimator: str) -> dict[str, Any]:
    """Return the defaults of the stream, with an estimator that may use later samples."""
    return {row.name: row.default for row in STREAM_PARAMETERS} | {
        'estimator': estimator,
        **{f'{estimator}.{name}': value for name, value in _OFFLINE.get(estimator, {}).items()}}


def has_accelerations(joints: Sequence[str], heads: Iterable[Record]) -> bool:
    """Return whether one of the records has the accelerations of all joints."""
    for record in heads:
        if len(record.acceleration) == len(record.names):
            values = dict(zip(record.names, record.acceleration))
            if all(np.isfinite(values.get(joint, np.nan)) for joint in joints):
                return True
    return False
