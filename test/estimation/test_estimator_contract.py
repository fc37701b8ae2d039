"""The contract of every estimator in the table, and the table."""

import numpy as np
import pytest
from estimator_runs import (
    EVERY_ESTIMATOR,
    errors,
    estimated,
    estimates_of,
    recording,
    short,
    without_velocity,
)

from support.streams.known_motions import START, Recording, truth
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.estimators import ESTIMATORS, make_estimator

every_estimator = pytest.mark.parametrize(('name', 'parameters'), EVERY_ESTIMATOR)


def beginning(profile: str, count: int) -> Recording:
    return recording(profile).chosen(np.arange(len(recording(profile).stamps)) < count)


@every_estimator
def test_positions_and_velocities_are_those_of_the_declared_instant(name, parameters):
    most = {'kalman': 2e-4, 'kalman_fixed_lag': 1e-4}.get(name, 1e-12)
    # a filter follows a step of the acceleration with a delay
    of_velocity = np.array([0.006, 0.006, 0.1 if name == 'kalman' else 0.006, 0.006])
    estimates = [estimate for estimate in estimates_of(
        make_estimator(name, 4, **parameters), short(count=2100))[300::97] if estimate.valid]
    assert len(estimates) > 15
    for estimate in estimates:
        q, qd, _ = truth(np.array([estimate.stamp]))
        assert estimate.q == pytest.approx(q[0], abs=most)
        assert (np.abs(estimate.qd - qd[0]) < of_velocity).all()


@every_estimator
@pytest.mark.fault(23)
def test_joints_without_velocity_do_not_touch_the_others(name, parameters):
    whole = beginning('D', 400)
    mixed = Recording(whole.stamps, whole.q, whole.qd.copy())
    mixed.qd[:, [0, 2]] = np.nan
    runs = [estimated(make_estimator(name, 4, **parameters), samples)
            for samples in (mixed, without_velocity(whole), whole)]
    fewest = min(len(stamps) for stamps, _ in runs)   # warming up takes its time
    assert fewest > 200
    assert len({stamps[-1] for stamps, _ in runs}) == 1
    both, positions, velocities = (qdd[-fewest:] for _, qdd in runs)
    assert np.isfinite(both).all()
    assert both[:, [0, 2]] == pytest.approx(positions[:, [0, 2]], rel=1e-9, abs=1e-9)
    assert both[:, [1, 3]] == pytest.approx(velocities[:, [1, 3]], rel=1e-9, abs=1e-9)


@every_estimator
@pytest.mark.fault(23)
def test_velocities_may_come_and_go(name, parameters):
    whole = beginning('E', 2000)
    torn = Recording(whole.stamps, whole.q, whole.qd.copy())
    torn.qd[np.random.default_rng(5).uniform(size=torn.qd.shape) < 0.02] = np.nan
    stamps, qdd = estimated(make_estimator(name, 4, **parameters), torn)
    assert len(stamps) > 1800
    clean = errors(*estimated(make_estimator(name, 4, **parameters), whole))[0]
    # the newest second difference is half a step later than that of velocities
    more = 1.15 if (name, parameters) == ('finite_difference', {'align': 'end'}) else 1.1
    # of exact motions, a hundredth of a per cent is nothing
    assert errors(stamps, qdd)[0] < max(more * clean, 0.02)


@every_estimator
@pytest.mark.fault(32)
def test_after_a_reset_nothing_is_left_of_before(name, parameters):
    used = make_estimator(name, 4, **parameters)
    estimates_of(used, beginning('F', 1000))
    used.reset()
    for before, fresh in zip(estimates_of(used, short()), estimates_of(
            make_estimator(name, 4, **parameters), short()), strict=True):
        assert (before.stamp, before.valid) == (fresh.stamp, fresh.valid)
        assert np.array_equal(before.qdd, fresh.qdd, equal_nan=True)


@every_estimator
@pytest.mark.fault(35)
def test_a_glitch_is_forgotten(name, parameters):
    samples = short(count=1000)
    samples.qd[300] += 1000.0
    estimates, clean = (estimates_of(make_estimator(name, 4, **parameters), each)
                        for each in (samples, short(count=1000)))
    assert estimates[-1].qdd == pytest.approx(clean[-1].qdd, abs=1e-3)
    if name.startswith('kalman'):   # and never felt
        for estimate, expected in zip(estimates[300:], clean[300:]):
            assert estimate.valid
            assert estimate.qdd == pytest.approx(expected.qdd, abs=0.5)


@every_estimator
def test_an_estimate_does_not_change_when_samples_follow(name, parameters):
    estimator = make_estimator(name, 4, **parameters)
    q, qd = np.zeros(4), np.zeros(4)
    estimates = []
    for stamp, position, velocity in short(count=3000):
        q[:], qd[:] = position, velocity   # the caller's arrays, used again
        estimate = estimator.update(stamp, q, qd)
        if estimate.valid:
            estimates.append((estimate, *(each.copy() for each in estimate[1:5])))
    for estimate, *kept in estimates:
        for value, before in zip(estimate[1:5], kept):
            assert np.array_equal(value, before, equal_nan=True)


@pytest.mark.parametrize('name', ESTIMATORS)
@pytest.mark.fault(38)
def test_stamps_next_to_each_other_raise_nothing(name):
    random = np.random.default_rng(2)
    estimator = make_estimator(name, 3)
    stamp = START
    known = 0
    for _ in range(500):
        stamp += int(random.choice([1, 1, 1, 30, 90_000_000]))
        estimate = estimator.update(stamp, random.normal(size=3), random.normal(size=3))
        assert estimate.stamp <= stamp
        if estimate.valid:
            assert np.isfinite(estimate[1:4]).all()
            known += 1
    if name.startswith('kalman'):   # they find that this is no motion
        assert known < 50
    else:   # the external one received nothing
        assert known == 0 if name == 'external' else known > 400


def test_an_unknown_estimator_is_refused_with_the_names_of_the_known():
    with pytest.raises(ParameterError, match=', '.join(ESTIMATORS)):
        make_estimator('levant', 2)


@pytest.mark.parametrize('name', ESTIMATORS)
def test_an_unknown_parameter_is_refused_with_the_names_of_the_known(name):
    with pytest.raises(ParameterError, match='algin') as refused:
        make_estimator(name, 2, algin='end')
    assert all(row.name in str(refused.value) for row in ESTIMATORS[name].PARAMETERS)


@pytest.mark.parametrize(('name', 'parameters'), [
    ('finite_difference', {'align': 'middle'}), ('finite_difference', {'align': ''}),
    ('kalman', {'bandwidth': float('nan')}),
    ('kalman', {'bandwidth': -1.0}), ('kalman_fixed_lag', {'lag': 1.0}),
])
def test_a_parameter_out_of_range_is_refused(name, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        make_estimator(name, 2, **parameters)
