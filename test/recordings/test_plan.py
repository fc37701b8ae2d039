"""The motion between points of a plan, the instants it is computed at, and what is doubted."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from urdf2dyn_ros.recordings.plan import Plan, doubts, instants

TIME = np.array([0.0, 0.4, 0.5, 1.2, 2.0, 2.3])
NAMES = ('shoulder', 'slide')


def states(curves, time):
    return np.array([[curve.deriv(k)(time) if k else curve(time) for curve in curves]
                     for k in range(3)]).transpose(0, 2, 1)


@pytest.mark.parametrize(('known', 'degree'), [(3, 5), (2, 3)])
def test_a_polynomial_through_points_is_met_between_them(known, degree):
    rng = np.random.default_rng(3)
    curves = [Polynomial(rng.normal(size=degree + 1)) for _ in NAMES]
    points = states(curves, TIME)
    points[known:] = np.nan
    plan = Plan(TIME, points)
    between = np.linspace(0.0, 2.3, 50)
    np.testing.assert_allclose(plan(between), states(curves, between), rtol=1e-9, atol=1e-9)
    assert (plan.end, plan.jumps) == (2.3, known == 2)
    assert plan.text == {3: 'quintics', 2: 'cubics'}[known]


def test_positions_alone_are_joined_from_rest_to_rest_without_jumps():
    points = np.full((3, len(TIME), 2), np.nan)
    points[0] = np.column_stack((np.sin(TIME), TIME**2))
    points[1, 0] = 0.3   # velocities of one point do not count
    plan = Plan(TIME, points)
    np.testing.assert_allclose(plan(TIME)[0], points[0], atol=1e-12)
    np.testing.assert_allclose(plan(np.array([0.0, 2.3]))[1:], 0.0, atol=1e-10)
    before, after = plan(TIME[1:-1] - 1e-9), plan(TIME[1:-1] + 1e-9)
    np.testing.assert_allclose(before, after, atol=1e-5)
    assert plan.text.startswith('a quintic spline, at rest at both ends') and not plan.jumps


@pytest.mark.parametrize(('stamps', 'jumps', 'count', 'longest', 'some'), [
    ([0, 3_000_000, 100_500_000], False, 102, 1_000_000, [0, 1_000_000, 2_000_000, 3_000_000]),
    ([0, 3_000_000, 100_500_000], True, 103, 1_000_000, [2_999_999, 3_000_000]),
    ([7, 10_000_007], False, 51, 200_000, [7, 200_007, 10_000_007]),
    ([0, 40_000_000_000], False, 20_001, 2_000_000, [2_000_000])])
def test_instants_are_a_millisecond_apart_or_as_many_as_serve(
        stamps, jumps, count, longest, some, monkeypatch):
    monkeypatch.setattr('urdf2dyn_ros.recordings.plan._MOST_INSTANTS', 20_000)
    found = instants(np.array(stamps), jumps)
    assert (len(found), found[0], found[-1]) == (count, stamps[0], stamps[-1])
    assert np.isin([*some, *stamps], found).all()
    assert np.diff(found).max() == longest and np.diff(found).min() > 0


def doubted(time, *curves, velocities=1.0, noise=0.0):
    q, qd, qdd = states(curves, time)
    q += noise * np.where(np.arange(len(time)) % 2, 1.0, -1.0)[:, None]
    return [*doubts(time, np.array([q, velocities * qd, qdd]), NAMES)]


SWING = Polynomial([0.0, 0.0, 3.0, -2.0]), Polynomial([1.0, 0.5, -0.7, 0.2])


@pytest.mark.parametrize('turns', [1, -1, 2])
def test_wrapped_positions_are_named(turns: int) -> None:
    """Also beside velocities, which contradict only that step; a turn among others is meant."""
    time = 0.02 * np.arange(50)
    q = np.stack((time, np.sin(time)), axis=1)
    points = np.array([q, np.stack((np.ones(50), np.cos(time)), axis=1), np.nan * q])
    assert [*doubts(time, points, NAMES)] == []
    points[0, 20:, 0] -= 2.0 * np.pi * turns
    for said in (points, np.array([points[0], *np.full((2, 50, 2), np.nan)])):
        [found] = doubts(time, said, NAMES)
        assert found.startswith(f'{NAMES[0]} moves by {0.02 - 2.0 * np.pi * turns:.3g} rad betw')
        assert 'between 0.380 and 0.400 s' in found and found.endswith('by numpy.unwrap')
    whole = np.array([np.outer([0.0, 6.3, 12.6], [1.0, 0.2]), *np.full((2, 3, 2), np.nan)])
    assert [*doubts(np.arange(3.0), whole, NAMES)] == []


@pytest.mark.parametrize(('count', 'factor', 'words'), [
    (50, 1.0, ''), (50, 1.2, 'positions, which change 0.833 times as fast; the motion'),
    (50, 1.05, ''), (5, 1.5, ''), (5, 3.2, 'positions, which change 0.313 times as fast'),
    (5, 0.3, 'positions, which change 3.33 times as fast'),
    (50, np.degrees(1.0), 'which change 0.0175 times as fast (is one of them in degrees?); the'),
    (50, np.array([1.0, -1.0]), 'of slide contradict its positions, which change -1 times')])
def test_velocities_with_a_factor_contradict_positions(count, factor, words):
    time = np.linspace(0.0, 1.0, count)
    found = doubted(time, *SWING, velocities=factor)
    assert len(found) == (3 - np.size(factor)) * bool(words)
    assert not words or (words in found[-1] and 'correct one of them' in found[-1])


@pytest.mark.parametrize(('factors', 'words'), [
    ((1.0, 1.0), ''), ((1.0, np.degrees(1.0)), 'accelerations of slide contradict its velocities'),
    ((1.0, -1.0), 'velocities, which change -1 times'), ((2.0, 1.0), 'contradict its positions')])
def test_coarse_points_are_compared_as_curves(factors, words):
    """Four in a period: trapezoids of these velocities have 0.8 of the motion."""
    time = np.arange(0.0, 10.0, 0.5)
    wave = np.sin(np.outer(time, [np.pi, 0.8 * np.pi]) + 0.3)
    rates = np.pi * np.cos(np.outer(time, [np.pi, 0.8 * np.pi]) + 0.3) * [1.0, 0.8]
    curvatures = -np.square([np.pi, 0.8 * np.pi]) * wave
    found = [*doubts(time, np.array([wave, factors[0] * rates, factors[1] * curvatures]), NAMES)]
    assert len(found) == 2 * bool(words) and words in ''.join(found)


@pytest.mark.parametrize(('step', 'count', 'noise', 'measured'), [
    (0.01, 12, 1e-4, True), (0.01, 11, 1e-4, False), (0.06, 40, 1e-4, False),
    (0.01, 40, 1e-7, False)])
def test_noise_of_many_close_points_looks_measured(step, count, noise, measured):
    found = doubted(step * np.arange(count), *SWING, noise=noise)
    assert any('its positions look measured' in each for each in found) == measured


def test_a_stop_that_velocities_do_not_tell_of_is_doubted_with_its_place():
    time = 0.01 * np.arange(40)
    q, qd, qdd = states(SWING, time)
    q[21:, 1] += 0.02
    *_, found = doubts(time, np.array([q, qd, qdd]), NAMES)
    assert 'slide moves by 0.0224 between 0.200 and 0.210 s, and its velocities say 0.002' in found
    assert 'it accelerates by 1.2e+03/s^2' in found
    qd[3, 0] = np.nan
    assert next(doubts(time, np.array([q, qd, qdd]), NAMES)) == (
        'velocities are not used, as only 39 of 40 points have those of all joints')
