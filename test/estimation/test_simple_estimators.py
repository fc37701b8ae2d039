"""The polynomial, finite differences and no acceleration; with -s the errors are printed."""

from functools import cache, partial

import numpy as np
import pytest
from estimator_runs import (
    beginning,
    error,
    estimated,
    estimates_of,
    recording,
    said,
    short,
    with_loss,
    without_velocity,
)

from support.streams.known_motions import START, Recording, truth
from urdf2dyn_ros.estimation.estimators import make_estimator

polynomial = partial(make_estimator, 'polynomial')
both_ends = pytest.mark.parametrize('align', ['end', 'centre'])
without = pytest.mark.parametrize('missing', [False, True])

# RMSE of qdd over RMS(qdd), geometric mean of four motions [%]: the most that is allowed
POLYNOMIAL_LIMITS = {
    ('A', 'end'): 5.3, ('A', 'centre'): 1.8, ('B', 'end'): 5.6, ('B', 'centre'): 2.0,
    ('C', 'end'): 6.7, ('C', 'centre'): 2.7, ('D', 'end'): 3.9, ('D', 'centre'): 1.3,
    ('E', 'end'): 3.3, ('E', 'centre'): 1.1, ('F', 'end'): 11.0, ('F', 'centre'): 3.5}
# measured elsewhere on the same motions with other noise [%]
DIFFERENCE_FIGURES = {'A': 21.5, 'E': 0.87}


@cache
def clean_error(profile: str, align: str) -> float:
    return error(polynomial(4, align=align), beginning(profile))


@pytest.mark.parametrize(('profile', 'align'), POLYNOMIAL_LIMITS)
def test_polynomial_keeps_its_limits(profile, align):
    most = POLYNOMIAL_LIMITS[profile, align]
    assert said(f'polynomial {align} {profile} [%]', clean_error(profile, align), most) <= most
    if profile in ('D', 'E'):   # good encoders
        figure = error(polynomial(4, align=align), without_velocity(beginning(profile)))
        assert said(f'polynomial of positions {align} {profile} [%]', figure, most) <= most


@pytest.mark.parametrize(('name', 'parameters', 'lag', 'tolerance'), [
    ('polynomial', {'align': 'end'}, 0.0, 1.0), ('polynomial', {'align': 'centre'}, 0.0, 0.1),
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


# ---- The polynomial


@pytest.mark.parametrize(('rate', 'waits', 'lag'), [
    (1000.0, 30, 15), (500.0, 15, 14), (125.0, 4, 16), (10.0, 4, 200)])
def test_polynomial_waits_for_a_full_window_of_at_least_five_samples(rate, waits, lag):
    """Its middle is half of it late."""
    samples = short(rate, 60)
    valid = [estimate.valid for estimate in estimates_of(polynomial(4), samples)]
    assert valid == [False] * waits + [True] * (60 - waits)
    last = estimates_of(polynomial(4, align='centre'), samples)[-1]
    assert samples.stamps[-1] - last.stamp == lag * 1_000_000


@pytest.mark.parametrize('order', [1, 2, 3, 4])
@both_ends
@without
def test_polynomial_is_exact_on_polynomials_of_its_order(order, align, missing):
    stamps = with_loss(recording('A')).stamps[:80]
    t = (stamps - START)[:, np.newaxis] * 1e-9
    qd = 1.0 + 5.0 * (t / 0.05)**order
    q = 1.0 + t + 5.0 * 0.05 / (order + 1) * (t / 0.05)**(order + 1)
    samples = Recording(stamps, q, np.full_like(qd, np.nan) if missing else qd)
    estimates = estimates_of(polynomial(1, order=order, align=align), samples)
    for estimate in [each for each in estimates if each.valid]:
        instant = (estimate.stamp - START) * 1e-9 / 0.05
        assert estimate.qdd == pytest.approx(5.0 * order / 0.05 * instant**(order - 1),
                                             rel=1e-5, abs=1e-3)
        assert estimate.qd == pytest.approx(1.0 + 5.0 * instant**order, rel=1e-5, abs=1e-5)
    assert estimates[-1].valid


@both_ends
@without
def test_polynomial_knows_its_standard_deviation(align, missing):
    noise = np.random.default_rng(4).normal(size=(2000, 4)) * [1e-3, 1e-2, 1e-1, 1.0]
    samples = Recording(START + np.arange(2000) * 1_000_000, noise,
                        np.full_like(noise, np.nan) if missing else noise)
    estimates = estimates_of(polynomial(4, align=align), samples)[30:]
    actual, declared = (np.sqrt(np.mean([np.square(getattr(estimate, what))
                                         for estimate in estimates], axis=0))
                        for what in ('qdd', 'std'))
    assert declared == pytest.approx(actual, rel=0.25)


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
