"""Filters whose jerk decays: no weight at the start, and the better ones where it jumps."""

import numpy as np
import pytest

from support.streams.estimator_runs import beginning, estimates_of, without_velocity
from support.streams.known_motions import (
    ENDING,
    SETTLING,
    START,
    Profile,
    Recording,
    record,
    truth,
)
from urdf2dyn_ros.estimators.bank import ABSENT, MOTION_MODELS, Bank
from urdf2dyn_ros.estimators.compiled.kalman import CompiledKalman
from urdf2dyn_ros.estimators.compiled.kalman_fixed_lag import CompiledKalmanFixedLag
from urdf2dyn_ros.estimators.estimate import make
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag

WHITE_SNAP = tuple(model for model in MOTION_MODELS if not model.decay)
KINDS = (Kalman, CompiledKalman, KalmanFixedLag, CompiledKalmanFixedLag)


def accelerations(kind, samples: Recording, white_snap: bool = False) -> np.ndarray:
    class Kind(kind):
        MOTION_MODELS = WHITE_SNAP if white_snap else kind.MOTION_MODELS

    return np.array([each.qdd for each in estimates_of(make(Kind, 4), samples)])


def of_slow_samples() -> Recording:
    return record(Profile(20.0, 17, 1e-3)).chosen(slice(0, 120))


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize(('samples', 'weightless'), [
    (beginning('C').chosen(slice(0, 250)), 125), (of_slow_samples(), 50)], ids=['125 Hz', '20 Hz'])
def test_the_start_is_that_of_white_snap(kind, samples, weightless):
    """For a second and 50 samples; later the trapezoid is another."""
    found, expected = (accelerations(kind, samples, white) for white in (False, True))
    np.testing.assert_allclose(found[:weightless], expected[:weightless], rtol=1e-6, atol=1e-8)
    assert np.abs(found - expected)[weightless:, 2].max() > 0.1


def test_each_joint_waits_by_itself():
    """For a second and 50 samples since it was started or reset."""
    bank, decays = Bank(MOTION_MODELS, 2), np.array([model.decay > 0.0 for model in MOTION_MODELS])
    second = np.array([False, True])
    bank.restart(~second | second, START, 0)
    assert (bank.absent[decays] == ABSENT).all() and not bank.absent[~decays].any()
    assert bank.next_stamp == START + 500_000_000
    assert bank.admit(bank.next_stamp, 500).all()
    assert not bank.admit(START + 999_999_999, 1000).any() and bank.absent[decays].all()
    bank.admit(START + 1_000_000_000, 1000)
    assert not bank.absent.any()
    bank.restart(second, START + 2_000_000_000, 2000)
    assert bank.admit(START + 4_000_000_000, 2025).tolist() == [False, True]
    assert (bank.absent[decays] == [0.0, ABSENT]).all()
    bank.admit(START + 4_000_000_000, 2050)
    assert not bank.absent.any()


def test_steps_of_the_acceleration_are_estimated_better():
    """Of positions alone, and smooth motions no worse."""
    samples = without_velocity(beginning('C'))
    time, true = (samples.stamps - START) * 1e-9, truth(samples.stamps)[2]
    some = (time >= SETTLING) & (time <= time[-1] - ENDING)
    found, expected = (np.square(
        (accelerations(CompiledKalman, samples, white) - true)[some]).mean(axis=0)
        for white in (False, True))
    print(np.sqrt(found / expected).round(3))
    assert (np.sqrt(found / expected) < [1.02, 1.02, 0.95, 1.02]).all()
