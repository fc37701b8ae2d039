"""What is true of the polynomial alone: its window, exactness and standard deviation."""

from functools import partial

import numpy as np
import pytest

from support.streams.estimator_runs import estimates_of, recording, short, with_loss
from support.streams.known_motions import START, Recording, estimated, truth
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.simple_estimators import LONGEST_WINDOW

polynomial = partial(make_estimator, 'polynomial')


@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.fault(38)
def test_polynomial_follows_a_change_of_rate(align):
    fast, slow = np.arange(500) * 1_000_000, 499_000_000 + np.arange(1, 100) * 20_000_000
    stamps = START + np.concatenate((fast, slow, slow[-1] + 1_000_000 + fast))
    q, qd, qdd = truth(stamps)
    estimator = polynomial(4, align=align)
    estimates = estimates_of(estimator, Recording(stamps, q, qd))
    for change in (500, 599):  # five samples after the change nothing is left of it
        for estimate in estimates[change + 40:change + 60]:
            row = int(np.searchsorted(stamps, estimate.stamp))
            assert estimate.qdd[0] == pytest.approx(qdd[row, 0], abs=0.3)
    times = [estimate.stamp for estimate in estimates[500:599]]
    assert stamps[598] - times[-1] <= 40_000_000


@pytest.mark.parametrize('jitter', [0.0, 0.3 / 3**0.5])
def test_centred_polynomial_moves_on_with_every_sample(jitter):
    """Also with jitter of up to 0.3 periods either way; more may change the window."""
    stamps, _ = estimated(polynomial(4, align='centre'), recording('B', jitter=jitter))
    assert (np.diff(stamps) > 0).all()
    assert np.isin(stamps, recording('B', jitter=jitter).stamps).all()


def test_centred_polynomial_never_goes_back_when_samples_are_lost():
    stamps, _ = estimated(polynomial(4, align='centre'), with_loss(recording('A')))
    assert (np.diff(stamps) >= 0).all()
    assert np.mean(np.diff(stamps) == 0) < 0.03


# Warming up and the window


@pytest.mark.parametrize(('rate', 'invalid'), [(1000.0, 30), (500.0, 15), (125.0, 4), (10.0, 4)])
def test_polynomial_waits_for_a_full_window_of_at_least_five_samples(rate, invalid):
    valid = [estimate.valid for estimate in estimates_of(polynomial(4), short(rate, 60))]
    assert valid == [False] * invalid + [True] * (60 - invalid)


@pytest.mark.parametrize(('rate', 'lag'), [(1000.0, 15), (500.0, 14), (125.0, 16), (10.0, 200)])
def test_centred_polynomial_declares_half_its_window(rate, lag):
    samples = short(rate, 60)
    last = estimates_of(polynomial(4, align='centre'), samples)[-1]
    assert samples.stamps[-1] - last.stamp == lag * 1_000_000


def test_polynomial_holds_no_more_samples_than_it_may():
    samples = short(rate=5000.0, count=6000)
    centred = polynomial(4, window=1.0, align='centre')
    last = estimates_of(centred, samples)[-1]
    assert last.valid
    assert samples.stamps[-1] - last.stamp == LONGEST_WINDOW // 2 * 200_000


@pytest.mark.parametrize('order', [1, 2, 3, 4])
@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('missing', [False, True])
def test_polynomial_is_exact_on_polynomials_of_its_order(order, align, missing):
    whole = with_loss(recording('A'))
    t = (whole.stamps - START)[:80, np.newaxis] * 1e-9
    qd = 1.0 + 5.0 * (t / 0.05)**order
    q = 1.0 + t + 5.0 * 0.05 / (order + 1) * (t / 0.05)**(order + 1)
    samples = Recording(whole.stamps[:80], q, np.full_like(qd, np.nan) if missing else qd)
    estimator = polynomial(1, order=order, align=align)
    for estimate in [estimate for estimate in estimates_of(estimator, samples) if estimate.valid]:
        instant = (estimate.stamp - START) * 1e-9 / 0.05
        exact = 5.0 * order / 0.05 * instant**(order - 1)
        assert estimate.qdd == pytest.approx(exact, rel=1e-5, abs=1e-3)
        assert estimate.qd == pytest.approx(1.0 + 5.0 * instant**order, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('missing', [False, True])
def test_polynomial_knows_its_standard_deviation(align, missing):
    random = np.random.default_rng(4)
    stamps = START + np.arange(2000) * 1_000_000
    noise = random.normal(size=(2000, 4)) * [1e-3, 1e-2, 1e-1, 1.0]
    velocity = np.full_like(noise, np.nan) if missing else noise
    estimates = estimates_of(polynomial(4, align=align), Recording(stamps, noise, velocity))[30:]
    actual = np.sqrt(np.mean([estimate.qdd**2 for estimate in estimates], axis=0))
    declared = np.sqrt(np.mean([estimate.std**2 for estimate in estimates], axis=0))
    assert declared == pytest.approx(actual, rel=0.25)
