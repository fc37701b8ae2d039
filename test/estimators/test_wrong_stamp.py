"""One stamp in a hundred is wrong by three tenths of a period, and the samples are not."""

from functools import partial

import numpy as np
import pytest

from support.streams.estimator_runs import KINDS, said, without_velocity
from support.streams.known_motions import START, Recording, errors, estimated, truth
from urdf2dyn_ros.estimators import make_estimator
from urdf2dyn_ros.estimators.wrong_stamp import stamp_is_wrong

RATE, WRONG = 200.0, 0.3
MAKE = {**KINDS, 'kalman on numpy': partial(make_estimator, 'kalman')}


def sampled(wrong: float, late: bool = False) -> Recording:
    """Return samples with encoder noise of 1e-6 rad; a few stamps, or samples, are late."""
    random = np.random.default_rng(4)
    stamps = START + np.arange(round(7.2 * RATE)) * round(1e9 / RATE)
    off = np.where(random.uniform(size=len(stamps)) < 0.01, round(wrong * 1e9 / RATE), 0)
    q, qd, _ = truth(stamps + off if late else stamps)
    noise = random.normal(size=q.shape)
    return Recording(stamps + off, q + 1e-6 * noise, qd + 1e-3 * random.normal(size=q.shape))


def smooth_error(kind: str, run: Recording) -> float:
    """Return the mean error of the two motions without steps of the jerk [%]."""
    return float(errors(*estimated(MAKE[kind](4), run))[[0, 3]].mean())


@pytest.mark.fault(56)
@pytest.mark.parametrize('kind', MAKE)
@pytest.mark.parametrize('velocities', [True, False])
def test_a_wrong_stamp_is_no_motion(kind: str, velocities: bool) -> None:
    """If wrong stamps were not recognised, 1.5 to 1800 times the error without them."""
    clean, wrong = (run if velocities else without_velocity(run)
                    for run in (sampled(0.0), sampled(WRONG)))
    ratio = smooth_error(kind, wrong) / smooth_error(kind, clean)
    assert said(f'{kind}, {velocities}: times', ratio, 1.2) < 1.2


def test_samples_that_are_taken_late_are_used() -> None:
    ratio = smooth_error('kalman', sampled(WRONG, late=True)) / smooth_error(
        'kalman', sampled(0.0))
    assert said('samples late, times', ratio, 1.1) < 1.1


def test_what_is_a_wrong_stamp() -> None:
    """The innovations of all joints together follow the velocities, beyond their variance."""
    velocities, variances = np.array([1.0, -0.5]), np.array([1e-8, 1e-8])
    late = 1.5e-3 * velocities   # at the stamp, farther positions are predicted
    judge = partial(stamp_is_wrong, period=0.005, gate=25.0, velocities=velocities,
                    variances=variances)
    assert judge(0.0065, innovations=late)
    assert judge(0.0115, innovations=late)           # a message before it was lost
    assert judge(0.0065, innovations=np.array([1.5e-3, np.nan]))
    assert not judge(0.0065, innovations=0.0 * late)   # the sample was taken late
    assert not judge(0.0035, innovations=late)         # the other way
    assert not judge(0.005, innovations=late)
    assert not judge(0.0065, innovations=late, variances=np.array([1e-4, 1e-4]))
    assert not judge(0.0065, innovations=late, period=0.0)
