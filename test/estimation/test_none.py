"""No acceleration: zero, whatever happens."""

import numpy as np
import pytest

from support.streams.estimator_runs import estimates_of, short, without_velocity
from urdf2dyn_ros.estimation.estimators import make_estimator


def test_accelerations_are_zero_and_everything_else_is_what_was_measured():
    samples = short(count=50)
    for estimate, (stamp, q, qd) in zip(estimates_of(make_estimator('none', 4), samples), samples):
        assert estimate.valid and estimate.stamp == stamp
        assert np.array_equal(estimate.q, q) and np.array_equal(estimate.qd, qd)
        assert not estimate.qdd.any() and np.isnan(estimate.std).all()


@pytest.mark.fault(23)
def test_missing_velocities_are_slopes_of_positions():
    samples = short(count=50)
    estimates = estimates_of(make_estimator('none', 4), without_velocity(samples))
    assert not estimates[0].valid
    for estimate, qd in zip(estimates[1:], samples.qd[1:]):
        assert estimate.valid
        assert np.allclose(estimate.qd, qd, atol=0.02)
