"""Angular accelerations from a gyroscope: as good as the joints', which have encoders as well."""

from functools import cache

import estimator_runs
import numpy as np
import pytest

from support.streams import known_motions
from urdf2dyn_ros.estimation.moving_base import Rates
from urdf2dyn_ros.robot.parameters import check_all
from urdf2dyn_ros.robot.spatial import geometric_mean

GYRO = 0.005   # rad/s, one deviation
# RMSE of the angular acceleration over its RMS, geometric mean of four motions [%], and lag [ms].
GATES = {100.0: (8.2, 2.0), 200.0: (7.5, 2.0), 400.0: (6.6, 1.5), 1000.0: (5.5, 1.0)}
WITH_A_LAG = {100.0: 2.5, 400.0: 1.6}   # the same, also with a fifth of the noise
EXACT = {100.0: 0.5, 200.0: 0.12, 400.0: 0.04}   # without noise, smooth motions [%]

SMOOTH = [0, 1, 3]  # the motions without steps of acceleration


def make_rates(**parameters: float) -> Rates:
    return Rates(4, **check_all(Rates.PARAMETERS, parameters))


class Gyroscope:
    """The filter in the shape of an estimator of joints, so that the same is measured."""

    def __init__(self, **parameters) -> None:
        self._rates = make_rates(**parameters)

    def update(self, stamp, q, qd):
        estimate = self._rates.update(stamp, qd)
        return estimate._replace(qdd=estimate.qd)


@cache
def recording(rate: float, noise: float = GYRO) -> known_motions.Recording:
    return known_motions.record(known_motions.Profile(rate, 0, noise))


@cache
def found(rate: float):
    return estimator_runs.estimated(Gyroscope(), recording(rate))


def clean(rate: float) -> float:
    """Return the geometric mean of the errors of the default [%]."""
    return geometric_mean(estimator_runs.errors(*found(rate)))


def said(what: str, figure: float, most: float) -> float:
    print(f'\n{what}: {figure:.3g} of {most:.3g}')
    return figure


@pytest.mark.parametrize('rate', GATES)
def test_a_noisy_gyroscope_meets_its_gate(rate):
    figure = clean(rate)
    assert said(f'gyroscope {rate:g} Hz [%]', figure, GATES[rate][0]) <= GATES[rate][0]


@pytest.mark.parametrize('rate', GATES)
def test_the_lag_is_small(rate):
    stamps, qdd = found(rate)
    inner = slice(len(stamps) // 10, -len(stamps) // 50)
    stamps, qdd = stamps[inner], qdd[inner]
    shifts = np.arange(-5.0, 5.0, 0.25)
    correlation = [[np.corrcoef(true, seen)[0, 1] for true, seen in zip(
        known_motions.truth(stamps + round(shift * 1e6))[2].T[SMOOTH], qdd.T[SMOOTH], strict=True)]
        for shift in shifts]
    lag = -shifts[np.argmax(correlation, axis=0)]
    print(f'\nlag at {rate:g} Hz [ms]: {lag}')
    assert (np.abs(lag) <= GATES[rate][1]).all()


@pytest.mark.parametrize('rate', EXACT)
def test_an_exact_gyroscope_is_nearly_exact(rate):
    """A simulator's; a jump of the acceleration cannot be known at once."""
    stamps, qdd = estimator_runs.estimated(Gyroscope(), recording(rate, 0.0))
    figure = geometric_mean(estimator_runs.errors(stamps, qdd)[SMOOTH])
    assert said(f'exact gyroscope {rate:g} Hz [%]', figure, EXACT[rate]) <= EXACT[rate]


@pytest.mark.parametrize('rate', WITH_A_LAG)
def test_a_lag_makes_it_several_times_better(rate):
    figure = geometric_mean([
        estimator_runs.error(Gyroscope(lag=0.02), recording(rate, noise))
        for noise in (GYRO, 0.2 * GYRO)])
    assert said(f'gyroscope, 20 ms late, {rate:g} Hz [%]', figure, WITH_A_LAG[rate]) <= (
        WITH_A_LAG[rate])


@pytest.mark.parametrize('rate', [200.0, 400.0])
def test_outliers_do_little_harm(rate):
    whole, rng = recording(rate), np.random.default_rng(1)
    wrong = rng.uniform(size=whole.qd.shape) < 0.01
    samples = known_motions.Recording(whole.stamps, whole.q, whole.qd + 30.0 * wrong)
    ratio = estimator_runs.error(Gyroscope(), samples) / clean(rate)
    assert said(f'1 % outliers, {rate:g} Hz [times clean]', ratio, 1.3) <= 1.3


@pytest.mark.parametrize('rate', [200.0, 400.0])
def test_an_impact_is_believed_after_a_few_samples(rate):
    """There is no encoder that contradicts a step of the velocity."""
    whole = recording(rate)
    hit = 3.0 * (whole.stamps >= whole.stamps[round(2.0 * rate)])
    rates = make_rates()
    estimates = [rates.update(stamp, qd + step) for (stamp, _, qd), step in zip(whole, hit)]
    after = estimates[round(2.0 * rate):][:60]
    first = next(k for k in range(20) if all(each.valid for each in after[k:]))
    assert first <= 10
    for k, estimate in enumerate(after[first:], round(2.0 * rate) + first):
        true = known_motions.truth(whole.stamps[k:k + 1])[1][0]
        assert estimate.q == pytest.approx(true + 3.0, abs=0.05)
