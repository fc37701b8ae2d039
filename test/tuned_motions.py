"""Motions of known acceleration to tune on: helpers of the tests of tuning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from signals import DURATION, ENDING, NAMES, PROFILES, SETTLING, START, Recording, record, truth

from urdf2dyn_ros.estimators import make_estimator
from urdf2dyn_ros.tuning.motion import Motion
from urdf2dyn_ros.tuning.reference import estimated

UR10 = (Path(__file__).parents[2] / 'shared' / 'data' / 'ur10_exciting_trajectory'
        / 'ur10_exciting_trajectory.db3')

def silent(done: float) -> None:
    """Show no progress."""


def scaled(scale: float, samples: int = 1500) -> Recording:
    """Return the four motions so many times as large, with encoders and noise to match."""
    whole = record(PROFILES['C'])
    return Recording(whole.stamps[:samples], scale * whole.q[:samples],
                     scale * whole.qd[:samples])


def motion_of(samples: Recording, names: tuple[str, ...] = NAMES) -> Motion:
    starts = np.arange(len(samples.stamps)) == 0
    return Motion(Path('made'), names, samples.stamps, samples.q.copy(), samples.qd.copy(), starts,
                  samples.stamps)


def error(estimator: str, motion: Motion, scale: float, **parameters: float) -> float:
    """Return RMSE(qdd) / RMS(qdd), geometric mean of the motions, against the truth."""
    found = estimated(make_estimator(estimator, 4, **parameters), motion, silent).qdd
    true = scale * truth(motion.stamps)[2]
    time = (motion.stamps - START) * 1e-9
    counted = (time >= SETTLING) & (time <= DURATION - ENDING)
    rmse = np.sqrt(np.nanmean((found - true)[counted] ** 2, axis=0))
    return float(np.exp(np.mean(np.log(rmse / np.sqrt(np.mean(true[counted] ** 2, axis=0))))))
