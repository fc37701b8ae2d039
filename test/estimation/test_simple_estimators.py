"""Finite differences and no acceleration; with -s the errors are printed."""

import numpy as np
import pytest
from estimator_runs import beginning, error, estimated, estimates_of, recording, said, short

from support.streams.known_motions import START, Recording, truth
from urdf2dyn_ros.estimation.estimators import make_estimator

without = pytest.mark.parametrize('missing', [False, True])

# measured elsewhere on the same motions with other noise [%]
DIFFERENCE_FIGURES = {'A': 21.5, 'E': 0.87}


@pytest.mark.parametrize(('name', 'parameters', 'lag', 'tolerance'), [
    ('finite_difference', {'align': 'end'}, 0.5, 0.1),
    ('finite_difference', {'align': 'centre'}, 0.0, 0.1)])
def test_the_declared_lag_is_the_true_one(name, parameters, lag, tolerance):
    """But for that of the newest difference [ms]."""
    stamps, qdd = estimated(make_estimator(name, 4, **parameters), recording('E'))
    smooth = [0, 1, 3]   # the motions without steps of acceleration
    stamps, qdd = stamps[1000:-200:20], qdd[1000:-200:20, smooth]
    shifts = np.arange(-20.0, 5.0, 0.1)
    correlation = [[np.corrcoef(true, seen)[0, 1] for true, seen in zip(
        truth(stamps + round(shift * 1e6))[2][:, smooth].T, qdd.T)] for shift in shifts]
    assert -shifts[np.argmax(correlation, axis=0)] == pytest.approx(lag, abs=tolerance)


# ---- Finite differences


@pytest.mark.parametrize('profile', DIFFERENCE_FIGURES)
def test_finite_difference_has_the_error_of_its_kind(profile):
    figure, expected = error(make_estimator('finite_difference', 4), beginning(profile)), (
        DIFFERENCE_FIGURES[profile])
    assert said(f'finite difference, {profile} [%]', figure, expected) == pytest.approx(
        expected, rel=0.15)


def test_centred_difference_of_an_exact_simulation_is_nearly_exact():
    centred = make_estimator('finite_difference', 4, align='centre')
    assert error(centred, beginning('E')) <= 0.06


@without
def test_centred_difference_is_exact_on_a_parabola_with_unequal_steps(missing):
    instants = np.cumsum([0.0, 0.001, 0.004, 0.0005, 0.002, 0.003])
    stamps = START + np.rint(instants * 1e9).astype(np.int64)
    t = (stamps - START)[:, np.newaxis] * 1e-9
    # the second difference of positions is exact to one order less than that of velocities
    jerk = 0.0 if missing else 11.0
    qd = 2.0 + 3.0 * t + jerk * t**2 / 2.0
    q = 1.0 + 2.0 * t + 1.5 * t**2 + jerk * t**3 / 6.0
    samples = Recording(stamps, q, np.full_like(qd, np.nan) if missing else qd)
    estimator = make_estimator('finite_difference', 1, align='centre')
    for row, estimate in enumerate(estimates_of(estimator, samples)[2:], start=1):
        assert estimate.stamp == stamps[row]
        assert estimate.q == q[row]
        assert estimate.qd == pytest.approx(qd[row], abs=1e-9)
        assert estimate.qdd == pytest.approx(3.0 + jerk * t[row], abs=1e-6)


# ---- No acceleration


def test_without_accelerations_everything_else_is_what_was_measured():
    samples = short(count=50)
    for estimate, (stamp, q, qd) in zip(estimates_of(make_estimator('none', 4), samples), samples):
        assert estimate.valid and estimate.stamp == stamp
        assert np.array_equal(estimate.q, q) and np.array_equal(estimate.qd, qd)
        assert not estimate.qdd.any() and np.isnan(estimate.std).all()
