"""Recordings for the estimators and what they make of them: helpers of their tests."""

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from support.streams.known_motions import (
    DURATION,
    ENDING,
    PROFILES,
    SETTLING,
    START,
    Array,
    Recording,
    record,
    truth,
)
from urdf2dyn_ros.estimation.estimators import ESTIMATORS, Estimator, make_estimator
from urdf2dyn_ros.estimation.kalman import Estimate

EVERY_ESTIMATOR = [
    (name, {'align': align} if align else {}) for name, kind in ESTIMATORS.items()
    if name not in ('none', 'external')   # they estimate nothing
    for align in next((row.choices for row in kind.PARAMETERS if row.name == 'align'), ('',))]
"""The estimators in the table, with each choice of where the output lies in the window."""

KINDS = {'kalman': partial(make_estimator, 'kalman'),
         'kalman_fixed_lag': partial(make_estimator, 'kalman_fixed_lag')}
"""In C, as the node has it; test_compiled_kalman holds the one on numpy to it."""


@cache
def recording(profile: str, jitter: float = 0.0) -> Recording:
    return record(PROFILES[profile], jitter=jitter)


@cache
def beginning(profile: str, jitter: float = 0.0) -> Recording:
    """Return the first 7.2 s, three periods and more of all motions but one of Fourier's."""
    whole = recording(profile, jitter)
    return whole.chosen(whole.stamps < START + 7_200_000_000)


@cache
def clean(kind: str, profile: str) -> float:
    """Return the error of a filter where nothing is wrong [%]."""
    return error(KINDS[kind](4), beginning(profile))


def said(what: str, figure: float, most: float) -> float:
    """Print a figure and its limit, to be seen with -s."""
    print(f'\n{what}: {figure:.3f} of {most}')
    return figure


def with_loss(whole: Recording) -> Recording:
    """Return a recording without 5 % of the samples."""
    return whole.chosen(np.random.default_rng(3).uniform(size=len(whole.stamps)) >= 0.05)


def without_velocity(whole: Recording) -> Recording:
    return Recording(whole.stamps, whole.q, np.full_like(whole.qd, np.nan))


def estimates_of(estimator, samples: Recording) -> list[Estimate]:
    return [estimator.update(*sample) for sample in samples]


def short(rate: float = 1000.0, count: int = 200) -> Recording:
    """Return the first samples of the four motions, exact, at any rate."""
    stamps = START + np.arange(count) * round(1e9 / rate)
    q, qd, _ = truth(stamps)
    return Recording(stamps, q, qd)


def estimated(estimator: Estimator, recording: Recording) -> tuple[NDArray[np.int64], Array]:
    """Return the instants and the accelerations (k, n) of all valid estimates."""
    estimates = [estimator.update(*sample) for sample in recording]
    valid = [estimate for estimate in estimates if estimate.valid]
    stamps = np.array([estimate.stamp for estimate in valid], dtype=np.int64)
    return stamps, np.array([estimate.qdd for estimate in valid])


def errors(stamps: NDArray[np.int64], qdd: Array) -> Array:
    """Return RMSE(qdd) / RMS(qdd) of each motion [%], at the instants declared."""
    t = (stamps - START) * 1e-9
    counted = (t >= SETTLING) & (t <= DURATION - ENDING)
    _, _, true = truth(stamps[counted])
    rms = np.sqrt(np.mean(true**2, axis=0))
    return 100.0 * np.sqrt(np.mean((qdd[counted] - true)**2, axis=0)) / rms


def error(estimator: Estimator, recording: Recording) -> float:
    """Return the geometric mean over the motions of their errors [%]."""
    return float(np.exp(np.mean(np.log(errors(*estimated(estimator, recording))))))
