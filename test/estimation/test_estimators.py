"""Estimators against motions of known acceleration; with -s the figures are printed."""

from functools import cache, partial

import numpy as np
import pytest

from support.streams import estimator_runs
from support.streams.known_motions import START, error, estimated, truth
from urdf2dyn_ros.estimation.estimator import Estimate
from urdf2dyn_ros.estimation.estimators import make_estimator

polynomial = partial(make_estimator, 'polynomial')

# RMSE of qdd over RMS(qdd), geometric mean of four motions [%]: the most that is allowed.
POLYNOMIAL_GATES = {
    ('A', 'end'): 5.3, ('A', 'centre'): 1.8,
    ('B', 'end'): 5.6, ('B', 'centre'): 2.0,
    ('C', 'end'): 6.7, ('C', 'centre'): 2.7,
    ('D', 'end'): 3.9, ('D', 'centre'): 1.3,
    ('E', 'end'): 3.3, ('E', 'centre'): 1.1,
    ('F', 'end'): 11.0, ('F', 'centre'): 3.5,
}
# Measured elsewhere on the same motions with other noise [%].
DIFFERENCE_FIGURES = {('A', 0.0): 21.5, ('A', 20.0): 13.3, ('E', 0.0): 0.87, ('E', 20.0): 13.3}

SMOOTH = [0, 1, 3]  # the motions without steps of acceleration


@cache
def clean_error(profile: str, align: str) -> float:
    return error(polynomial(4, align=align), estimator_runs.beginning(profile))


# Accuracy


@pytest.mark.parametrize(('profile', 'align'), POLYNOMIAL_GATES)
def test_polynomial_meets_its_gate(profile, align):
    figure = clean_error(profile, align)
    print(f'\npolynomial {align} {profile}: {figure:.2f} % of {POLYNOMIAL_GATES[profile, align]}')
    assert figure <= POLYNOMIAL_GATES[profile, align]


@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('profile', ['D', 'E'])
def test_polynomial_of_positions_only_meets_the_gate_with_good_encoders(profile, align):
    samples = estimator_runs.without_velocity(estimator_runs.beginning(profile))
    figure = error(polynomial(4, align=align), samples)
    print(f'\npolynomial of positions {align} {profile}: {figure:.2f} %')
    assert figure <= POLYNOMIAL_GATES[profile, align]


@pytest.mark.parametrize(('profile', 'cutoff'), DIFFERENCE_FIGURES)
def test_finite_difference_has_the_error_of_its_kind(profile, cutoff):
    figure = error(make_estimator('finite_difference', 4, cutoff=cutoff),
                   estimator_runs.beginning(profile))
    expected = DIFFERENCE_FIGURES[profile, cutoff]
    print(f'\nfinite difference, {cutoff:g} Hz, {profile}: {figure:.2f} %, known: {expected}')
    assert figure == pytest.approx(expected, rel=0.15)


def test_centred_difference_of_an_exact_simulation_is_nearly_exact():
    centred = make_estimator('finite_difference', 4, align='centre', cutoff=0.0)
    figure = error(centred, estimator_runs.beginning('E'))
    print(f'\nfinite difference, centred, E: {figure:.3f} %')
    assert figure <= 0.06


@pytest.mark.parametrize(('name', 'parameters'), estimator_runs.EVERY_ESTIMATOR)
def test_positions_and_velocities_are_those_of_the_declared_instant(name, parameters):
    estimator = make_estimator(name, 4, **parameters)
    most = {'kalman': 2e-4, 'kalman_fixed_lag': 1.5e-6}.get(name, 1e-12)
    samples = estimator_runs.short(count=2100)
    for estimate in estimator_runs.estimates_of(estimator, samples)[100::97]:
        q, qd, _ = truth(np.array([estimate.stamp]))
        assert estimate.q == pytest.approx(q[0], abs=most)
        assert estimate.qd == pytest.approx(qd[0], abs=0.006)


# Time


EVERY_GATED = {'polynomial end': partial(polynomial, 4, align='end'),
               'polynomial centre': partial(polynomial, 4, align='centre'),
               **{name: partial(kind, 4) for name, kind in estimator_runs.KINDS.items()}}
"""Name to what makes one."""


@pytest.mark.parametrize('changed', ['5 % loss', 'jitter 30 %'])
@pytest.mark.parametrize('name', EVERY_GATED)
@pytest.mark.parametrize('profile', ['A', 'B', 'C'])
@pytest.mark.fault(38)
def test_loss_and_jitter_of_the_sampling_do_no_harm(profile, name, changed):
    make = EVERY_GATED[name]
    samples = (estimator_runs.with_loss(estimator_runs.beginning(profile)) if 'loss' in changed
               else estimator_runs.beginning(profile, jitter=0.3))
    ratio = error(make(), samples) / clean_by_name(name, profile)
    assert estimator_runs.said(f'{changed}, {name} {profile} [times clean]', ratio, 1.2) <= 1.2


@cache
def clean_by_name(name: str, profile: str) -> float:
    return error(EVERY_GATED[name](), estimator_runs.beginning(profile))


class NominalPeriod:
    """The mistake to be found: a polynomial that believes in a constant period."""

    def __init__(self, align: str) -> None:
        self._inner = polynomial(4, align=align)
        self._real: list[int] = []

    def update(self, stamp, q, qd):
        nominal = START + len(self._real) * 1_000_000
        self._real.append(stamp)
        guess = self._inner.update(nominal, q, qd)
        real = self._real[(guess.stamp - START) // 1_000_000]
        return Estimate(real, guess.q, guess.qd, guess.qdd, guess.std, guess.valid)

    def reset(self):
        self._inner.reset()


@pytest.mark.parametrize('align', ['end', 'centre'])
def test_a_nominal_period_fails_the_gate_that_real_stamps_pass(align):
    figure = error(NominalPeriod(align), estimator_runs.with_loss(estimator_runs.beginning('A')))
    clean = clean_error('A', align)
    print(f'\nnominal period, 5 % loss, {align}: {figure / clean:.1f} times the clean error')
    assert error(NominalPeriod(align), estimator_runs.beginning('A')) == pytest.approx(clean)
    assert figure > 2.0 * clean


LAGS = [  # what is not declared by the stamp [ms]
    ('polynomial', {'align': 'end'}, 0.0, 1.0),
    ('polynomial', {'align': 'centre'}, 0.0, 0.1),
    ('finite_difference', {'align': 'end', 'cutoff': 0.0}, 0.5, 0.1),
    ('finite_difference', {'align': 'centre', 'cutoff': 0.0}, 0.0, 0.1),
    ('finite_difference', {'align': 'end', 'cutoff': 20.0}, 11.75, 1.0),
]


@pytest.mark.parametrize(('name', 'parameters', 'lag', 'tolerance'), LAGS)
def test_the_declared_lag_is_the_true_one(name, parameters, lag, tolerance):
    stamps, qdd = estimated(make_estimator(name, 4, **parameters), estimator_runs.recording('E'))
    stamps, qdd = stamps[1000:-200:20], qdd[1000:-200:20]
    shifts = np.arange(-20.0, 5.0, 0.1)
    correlation = [[np.corrcoef(true, seen)[0, 1] for true, seen in zip(
        truth(stamps + round(shift * 1e6))[2].T[SMOOTH], qdd.T[SMOOTH], strict=True)]
        for shift in shifts]
    found = -shifts[np.argmax(correlation, axis=0)]
    print(f'\nlag of {name} {parameters} beyond its stamp [ms]: {found.round(1)}')
    assert found == pytest.approx(lag, abs=tolerance)
