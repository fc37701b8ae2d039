"""
How well accelerations are smoothed offline, from 50 Hz to 1 kHz: why evaluate has its default.

    .venv/bin/python benchmarks/offline_estimators.py

RMSE of the acceleration over its RMS [%], geometric mean of the four motions in
test/support/streams/known_motions.py, of encoders with 2^bits steps a turn and velocities with
white noise.

"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / 'test'))
from support.streams.known_motions import (
    DURATION,
    ENDING,
    SETTLING,
    START,
    Profile,
    Recording,
    record,
    truth,
)
from urdf2dyn_ros.estimators import make_estimator
from urdf2dyn_ros.recordings.evaluation import offline_parameters
from urdf2dyn_ros.recordings.smoothing import smoothed
from urdf2dyn_ros.robot.parameters import group

PROFILES = {'50 Hz': Profile(50, 17, 1e-3), '125 Hz': Profile(125, 17, 1e-3),
            '250 Hz': Profile(250, 17, 1e-3), '500 Hz': Profile(500, 17, 1e-3),
            '1 kHz': Profile(1000, 17, 1e-3), '1 kHz, coarse': Profile(1000, 14, 5e-3),
            '1 kHz, exact': Profile(1000, 0, 0.0)}

SPLINE = 'smoothing_spline'


def offline(name: str) -> dict:
    """Return the parameters of an estimator for `urdf2dyn evaluate`."""
    return group(offline_parameters(name), name)


ROWS = {
    SPLINE: ('', {}),
    'polynomial, 80 ms': ('polynomial', offline('polynomial')),
    'polynomial, degree 2, 30 ms': ('polynomial', {'align': 'centre'}),
    'polynomial, degree 2, 160 ms': ('polynomial', {'align': 'centre', 'window': 0.16}),
    'kalman_fixed_lag, offline': ('kalman_fixed_lag', offline('kalman_fixed_lag')),
    'finite_difference, offline': ('finite_difference', offline('finite_difference')),
    'kalman, online': ('kalman', {}),
}


def estimated(name: str, parameters: dict, recording: Recording,
              velocity: bool) -> tuple[list, list]:
    """Return the stamps of estimates and their accelerations."""
    estimator = make_estimator(name, recording.q.shape[1], **parameters)
    stamps, found = [], []
    for stamp, q, qd in recording:
        estimate = estimator.update(stamp, q, qd if velocity else np.full_like(qd, np.nan))
        if estimate.valid:
            stamps.append(estimate.stamp)
            found.append(estimate.qdd)
    return stamps, found


def error(name: str, parameters: dict, profile: Profile, velocity: bool) -> float:
    """Return the error of an estimator [%]."""
    recording = record(profile)
    stamps, found = ((recording.stamps, smoothed(recording.stamps, recording.q).qdd)
                     if not name else estimated(name, parameters, recording, velocity))
    if not len(found):
        return np.nan
    true = truth(np.array(stamps))[2]
    time = (np.array(stamps) - START) * 1e-9
    some = (time >= SETTLING) & (time <= DURATION - ENDING)
    ratio = (((found - true)[some]**2).mean(axis=0) / (true[some]**2).mean(axis=0))**0.5
    return 100.0 * float(np.exp(np.log(ratio).mean()))


def main() -> None:
    """Print two tables."""
    for velocity in (True, False):
        print('positions and velocities' if velocity else 'positions alone')
        print(f'{"":30}' + ''.join(f'{name:>14}' for name in PROFILES))
        for name, (estimator, parameters) in ROWS.items():
            cells = [error(estimator, parameters, profile, velocity)
                     for profile in PROFILES.values()]
            print(f'{name:30}' + ''.join(f'{cell:14.2g}' for cell in cells))


if __name__ == '__main__':
    main()
