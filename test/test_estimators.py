"""Estimators against motions of known acceleration; with -s the figures are printed."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from signals import (
    PROFILES,
    START,
    Recording,
    error,
    errors,
    estimated,
    record,
    truth,
)

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimators import ESTIMATORS, make_estimator
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.finite_difference import LowPass
from urdf2dyn_ros.estimators.polynomial import MAX_SAMPLES, Polynomial

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

EVERY_ALIGNMENT = [(name, align) for name in ESTIMATORS for align in ('end', 'centre')]
SMOOTH = [0, 1, 3]  # the motions without steps of acceleration


@cache
def recording(profile: str, jitter: float = 0.0) -> Recording:
    return record(PROFILES[profile], jitter=jitter)


@cache
def clean_error(profile: str, align: str) -> float:
    return error(Polynomial(4, align=align), recording(profile))


def with_loss(whole: Recording) -> Recording:
    """Leave out 5 % of the samples."""
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


# Accuracy


@pytest.mark.parametrize(('profile', 'align'), POLYNOMIAL_GATES)
def test_polynomial_meets_its_gate(profile, align):
    figure = clean_error(profile, align)
    print(f'\npolynomial {align} {profile}: {figure:.2f} % of {POLYNOMIAL_GATES[profile, align]}')
    assert figure <= POLYNOMIAL_GATES[profile, align]


@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('profile', ['D', 'E'])
def test_polynomial_of_positions_only_meets_the_gate_with_good_encoders(profile, align):
    figure = error(Polynomial(4, align=align), without_velocity(recording(profile)))
    print(f'\npolynomial of positions {align} {profile}: {figure:.2f} %')
    assert figure <= POLYNOMIAL_GATES[profile, align]


@pytest.mark.parametrize(('profile', 'cutoff'), DIFFERENCE_FIGURES)
def test_finite_difference_has_the_error_of_its_kind(profile, cutoff):
    figure = error(make_estimator('finite_difference', 4, cutoff=cutoff), recording(profile))
    expected = DIFFERENCE_FIGURES[profile, cutoff]
    print(f'\nfinite difference, {cutoff:g} Hz, {profile}: {figure:.2f} %, known: {expected}')
    assert figure == pytest.approx(expected, rel=0.15)


def test_centred_difference_of_an_exact_simulation_is_nearly_exact():
    centred = make_estimator('finite_difference', 4, align='centre', cutoff=0.0)
    figure = error(centred, recording('E'))
    print(f'\nfinite difference, centred, E: {figure:.3f} %')
    assert figure <= 0.1


@pytest.mark.parametrize('missing', [False, True])
def test_centred_difference_is_exact_on_a_parabola_with_unequal_steps(missing):
    instants = np.cumsum([0.0, 0.001, 0.004, 0.0005, 0.002, 0.003])
    stamps = START + np.rint(instants * 1e9).astype(np.int64)
    t = (stamps - START)[:, np.newaxis] * 1e-9
    # The second difference of positions is exact to one order less than that of velocities.
    jerk = 0.0 if missing else 11.0
    qd = 2.0 + 3.0 * t + jerk * t**2 / 2.0
    q = 1.0 + 2.0 * t + 1.5 * t**2 + jerk * t**3 / 6.0
    samples = Recording(stamps, q, np.full_like(qd, np.nan) if missing else qd)
    estimator = make_estimator('finite_difference', 1, align='centre', cutoff=0.0)
    for row, estimate in enumerate(estimates_of(estimator, samples)[2:], start=1):
        assert estimate.stamp == stamps[row]
        assert estimate.q == q[row]
        assert estimate.qd == pytest.approx(qd[row], abs=1e-9)
        assert estimate.qdd == pytest.approx(3.0 + jerk * t[row], abs=1e-6)


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_positions_and_velocities_are_those_of_the_declared_instant(name, align):
    for estimate in estimates_of(make_estimator(name, 4, align=align), short(count=2100))[100::97]:
        q, qd, _ = truth(np.array([estimate.stamp]))
        assert estimate.q == pytest.approx(q[0], abs=1e-12)
        assert estimate.qd == pytest.approx(qd[0], abs=0.02)


# Time


@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('profile', ['A', 'B', 'C'])
def test_lost_samples_do_no_harm_row_38(profile, align):
    clean = clean_error(profile, align)
    lossy = error(Polynomial(4, align=align), with_loss(recording(profile)))
    print(f'\n5 % loss, {align} {profile}: {lossy / clean:.2f} times the clean error')
    assert lossy <= 1.2 * clean


@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('profile', ['A', 'B', 'C'])
def test_jitter_of_the_sampling_does_no_harm_row_38(profile, align):
    clean = clean_error(profile, align)
    jittery = error(Polynomial(4, align=align), recording(profile, jitter=0.3))
    print(f'\njitter 30 %, {align} {profile}: {jittery / clean:.2f} times the clean error')
    assert jittery <= 1.2 * clean


class NominalPeriod:
    """The mistake to be found: a polynomial that believes in a constant period."""

    def __init__(self, align: str) -> None:
        self._inner = Polynomial(4, align=align)
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
    figure = error(NominalPeriod(align), with_loss(recording('A')))
    clean = clean_error('A', align)
    print(f'\nnominal period, 5 % loss, {align}: {figure / clean:.1f} times the clean error')
    assert error(NominalPeriod(align), recording('A')) == pytest.approx(clean)
    assert figure > 1.2 * clean


LAGS = [  # what is not declared by the stamp [ms]
    ('polynomial', {'align': 'end'}, 0.0, 1.0),
    ('polynomial', {'align': 'centre'}, 0.0, 0.1),
    ('finite_difference', {'align': 'end', 'cutoff': 0.0}, 0.5, 0.1),
    ('finite_difference', {'align': 'centre', 'cutoff': 0.0}, 0.0, 0.1),
    ('finite_difference', {'align': 'end', 'cutoff': 20.0}, 11.75, 1.0),
]


@pytest.mark.parametrize(('name', 'parameters', 'lag', 'tolerance'), LAGS)
def test_the_declared_lag_is_the_true_one(name, parameters, lag, tolerance):
    stamps, qdd = estimated(make_estimator(name, 4, **parameters), recording('E'))
    stamps, qdd = stamps[1000:-200], qdd[1000:-200]
    shifts = np.arange(-20.0, 5.0, 0.1)
    correlation = [[np.corrcoef(true, seen)[0, 1] for true, seen in zip(
        truth(stamps + round(shift * 1e6))[2].T[SMOOTH], qdd.T[SMOOTH], strict=True)]
        for shift in shifts]
    found = -shifts[np.argmax(correlation, axis=0)]
    print(f'\nlag of {name} {parameters} beyond its stamp [ms]: {found.round(1)}')
    assert found == pytest.approx(lag, abs=tolerance)


@pytest.mark.parametrize('irregular', [False, True])
def test_the_low_pass_is_a_butterworth_filter_at_any_sampling(irregular):
    random = np.random.default_rng(1)
    steps = random.uniform(0.0, 0.002, size=4000) if irregular else np.full(4000, 0.001)
    w = 2.0 * np.pi * 5.0 * np.array([0.1, 1.0, 3.0])
    low_pass = LowPass(5.0)
    t, seen, expected = 0.0, [], []
    for step in steps:
        t += step
        seen.append(low_pass.update(step, np.sin(w * t)))
        s = 1j * w / (2.0 * np.pi * 5.0)
        expected.append(np.imag(np.exp(1j * w * t) / (s * s + np.sqrt(2.0) * s + 1.0)))
    assert np.array(seen)[1500:] == pytest.approx(np.array(expected)[1500:], abs=0.005)


def test_the_low_pass_starts_in_a_steady_state():
    low_pass = LowPass(20.0)
    for step in (0.001, 0.1, 0.003):
        assert low_pass.update(step, np.array([3.0, -7.0])) == pytest.approx([3.0, -7.0])


@pytest.mark.parametrize('align', ['end', 'centre'])
def test_polynomial_follows_a_change_of_rate_row_38(align):
    fast, slow = np.arange(500) * 1_000_000, 499_000_000 + np.arange(1, 100) * 20_000_000
    stamps = START + np.concatenate((fast, slow, slow[-1] + 1_000_000 + fast))
    q, qd, qdd = truth(stamps)
    estimator = Polynomial(4, align=align)
    estimates = estimates_of(estimator, Recording(stamps, q, qd))
    for change in (500, 599):  # five samples after the change nothing is left of it
        for estimate in estimates[change + 40:change + 60]:
            row = int(np.searchsorted(stamps, estimate.stamp))
            assert estimate.qdd[0] == pytest.approx(qdd[row, 0], abs=0.3)
    times = [estimate.stamp for estimate in estimates[500:599]]
    assert stamps[598] - times[-1] <= 40_000_000


@pytest.mark.parametrize('jitter', [0.0, 0.3])
def test_centred_polynomial_moves_on_with_every_sample(jitter):
    stamps, _ = estimated(Polynomial(4, align='centre'), recording('B', jitter=jitter))
    assert (np.diff(stamps) > 0).all()
    assert np.isin(stamps, recording('B', jitter=jitter).stamps).all()


def test_centred_polynomial_never_goes_back_when_samples_are_lost():
    stamps, _ = estimated(Polynomial(4, align='centre'), with_loss(recording('A')))
    assert (np.diff(stamps) >= 0).all()
    assert np.mean(np.diff(stamps) == 0) < 0.03


# The contract, of every estimator in the table


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_joints_without_velocity_do_not_touch_the_others_row_23(name, align):
    whole = recording('D').chosen(np.arange(len(recording('D').stamps)) < 400)
    mixed = Recording(whole.stamps, whole.q, whole.qd.copy())
    mixed.qd[:, [0, 2]] = np.nan
    runs = [estimated(make_estimator(name, 4, align=align), samples)[1]
            for samples in (mixed, without_velocity(whole), whole)]
    assert np.isfinite(runs[0]).all()
    assert runs[0][:, [0, 2]] == pytest.approx(runs[1][:, [0, 2]], rel=1e-9, abs=1e-9)
    assert runs[0][:, [1, 3]] == pytest.approx(runs[2][:, [1, 3]], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_velocities_may_come_and_go_row_23(name, align):
    whole = recording('E').chosen(np.arange(len(recording('E').stamps)) < 2000)
    torn = Recording(whole.stamps, whole.q, whole.qd.copy())
    torn.qd[np.random.default_rng(5).uniform(size=torn.qd.shape) < 0.02] = np.nan
    stamps, qdd = estimated(make_estimator(name, 4, align=align), torn)
    assert len(stamps) > 1900
    assert np.isfinite(qdd).all()
    assert errors(stamps, qdd)[0] < 15.0


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_after_a_reset_nothing_is_left_of_before_row_32(name, align):
    used = make_estimator(name, 4, align=align)
    estimates_of(used, recording('F').chosen(np.arange(len(recording('F').stamps)) < 3000))
    used.reset()
    later = short()
    for before, fresh in zip(estimates_of(used, later),
                             estimates_of(make_estimator(name, 4, align=align), later),
                             strict=True):
        assert (before.stamp, before.valid) == (fresh.stamp, fresh.valid)
        assert np.array_equal(before.qdd, fresh.qdd, equal_nan=True)


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_a_glitch_is_forgotten_row_35(name, align):
    samples = short(count=1000)
    samples.qd[300] += 1000.0
    estimates = estimates_of(make_estimator(name, 4, align=align), samples)
    clean = estimates_of(make_estimator(name, 4, align=align), short(count=1000))
    assert estimates[-1].qdd == pytest.approx(clean[-1].qdd, abs=1e-6)


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_an_estimate_does_not_change_when_samples_follow(name, align):
    estimator = make_estimator(name, 4, align=align)
    q, qd = np.zeros(4), np.zeros(4)
    estimates = []
    for stamp, position, velocity in short(count=3 * MAX_SAMPLES):
        q[:], qd[:] = position, velocity  # the caller's arrays, used again
        estimate = estimator.update(stamp, q, qd)
        if estimate.valid:
            estimates.append((estimate, estimate.q.copy(), estimate.qd.copy()))
    for estimate, position, velocity in estimates:
        assert np.array_equal(estimate.q, position)
        assert np.array_equal(estimate.qd, velocity)


@pytest.mark.parametrize(('name', 'align'), EVERY_ALIGNMENT)
def test_only_differences_of_stamps_matter(name, align):
    early, late = short(), short()
    late = Recording(late.stamps - START + 5, late.q, late.qd)
    for one, other in zip(estimates_of(make_estimator(name, 4, align=align), early),
                          estimates_of(make_estimator(name, 4, align=align), late), strict=True):
        assert np.array_equal(one.qdd, other.qdd, equal_nan=True)


@pytest.mark.parametrize('name', ESTIMATORS)
def test_stamps_next_to_each_other_raise_nothing_row_38(name):
    random = np.random.default_rng(2)
    estimator = make_estimator(name, 3)
    stamp = START
    for _ in range(500):
        stamp += int(random.choice([1, 1, 1, 30, 90_000_000]))
        estimator.update(stamp, random.normal(size=3), random.normal(size=3))


# Warming up and the window


@pytest.mark.parametrize(('rate', 'invalid'), [(1000.0, 30), (500.0, 15), (125.0, 4), (10.0, 4)])
def test_polynomial_waits_for_a_full_window_of_at_least_five_samples(rate, invalid):
    valid = [estimate.valid for estimate in estimates_of(Polynomial(4), short(rate, 60))]
    assert valid == [False] * invalid + [True] * (60 - invalid)


@pytest.mark.parametrize(('rate', 'lag'), [(1000.0, 15), (500.0, 14), (125.0, 16), (10.0, 200)])
def test_centred_polynomial_declares_half_its_window(rate, lag):
    samples = short(rate, 60)
    last = estimates_of(Polynomial(4, align='centre'), samples)[-1]
    assert samples.stamps[-1] - last.stamp == lag * 1_000_000


def test_polynomial_holds_no_more_samples_than_it_may():
    samples = short(rate=5000.0, count=6000)
    centred = Polynomial(4, window=1.0, align='centre')
    last = estimates_of(centred, samples)[-1]
    assert last.valid
    assert samples.stamps[-1] - last.stamp == MAX_SAMPLES // 2 * 200_000


@pytest.mark.parametrize('order', [1, 2, 3, 4])
@pytest.mark.parametrize('align', ['end', 'centre'])
@pytest.mark.parametrize('missing', [False, True])
def test_polynomial_is_exact_on_polynomials_of_its_order(order, align, missing):
    whole = with_loss(recording('A'))
    t = (whole.stamps - START)[:80, np.newaxis] * 1e-9
    qd = 1.0 + 5.0 * (t / 0.05)**order
    q = 1.0 + t + 5.0 * 0.05 / (order + 1) * (t / 0.05)**(order + 1)
    samples = Recording(whole.stamps[:80], q, np.full_like(qd, np.nan) if missing else qd)
    estimator = Polynomial(1, order=order, align=align)
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
    estimates = estimates_of(Polynomial(4, align=align), Recording(stamps, noise, velocity))[30:]
    actual = np.sqrt(np.mean([estimate.qdd**2 for estimate in estimates], axis=0))
    declared = np.sqrt(np.mean([estimate.std**2 for estimate in estimates], axis=0))
    assert declared == pytest.approx(actual, rel=0.25)


# The table


def test_an_unknown_estimator_is_refused_with_the_names_of_the_known():
    with pytest.raises(ParameterError, match='finite_difference, polynomial'):
        make_estimator('levant', 2)


@pytest.mark.parametrize('name', ESTIMATORS)
def test_an_unknown_parameter_is_refused_with_the_names_of_the_known(name):
    with pytest.raises(ParameterError, match='align'):
        make_estimator(name, 2, algin='end')


@pytest.mark.parametrize(('name', 'parameters'), [
    ('finite_difference', {'cutoff': -1.0}), ('finite_difference', {'cutoff': float('nan')}),
    ('finite_difference', {'align': 'middle'}), ('polynomial', {'window': 0.0}),
    ('polynomial', {'order': 0}), ('polynomial', {'order': 2.5}), ('polynomial', {'align': ''}),
])
def test_a_parameter_out_of_range_is_refused(name, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        make_estimator(name, 2, **parameters)
