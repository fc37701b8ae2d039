"""Measurements that are rejected in a row although they are right, or in part."""

from __future__ import annotations

import numpy as np
import pytest

from support.streams.estimator_runs import said
from urdf2dyn_ros.estimators import make_compiled, make_estimator

PERIOD, RESOLUTION, NOISE = 0.005, 0.0029, 0.1   # [s], [rad], [rad/s]
SWING, SHAKE = 1.5, 0.006                        # [rad]
FINE = 2.0 * np.pi / 2 ** 14                     # [rad]
CYCLE, SHAKING = 0.8, 0.25                       # of the shakes [s]
MAKE = {'kalman on numpy': (make_estimator, 'kalman'), 'kalman': (make_compiled, 'kalman'),
        'kalman_fixed_lag': (make_compiled, 'kalman_fixed_lag')}


def shaken(t: np.ndarray) -> np.ndarray:
    """Return positions [rad] of a pendulum whose controller shakes it with 30 Hz at times."""
    phase = t % CYCLE
    envelope = np.where(phase < SHAKING, np.sin(np.pi * phase / SHAKING) ** 2, 0.0)
    return SWING * np.sin(np.pi * t) + SHAKE * envelope * np.sin(60.0 * np.pi * t)


def declared(kind: str, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return accelerations and their deviations at the times (k, 2); NaN where there are none."""
    make, name = MAKE[kind]
    estimator = make(name, 1)
    found = {each.stamp: (each.qdd[0], each.std[0]) for each in (
        estimator.update(1_000_000_000 + round(1e9 * time), np.array([q_]), np.array([qd_]))
        for time, q_, qd_ in zip(t, q, qd)) if each.valid}
    return np.array([found.get(1_000_000_000 + round(1e9 * time), (np.nan, np.nan))
                     for time in t])


def estimated(kind: str, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return accelerations at the times (k,); NaN where there is no estimate."""
    return declared(kind, t, q, qd)[:, 0]


@pytest.mark.parametrize('kind', MAKE)
@pytest.mark.parametrize(('velocities', 'most'), [(True, 0.6), (False, 0.25)])
def test_a_motion_that_shakes_is_answered_throughout(kind: str, velocities: bool,
                                                     most: float) -> None:
    """Joints were reset: 1 to 4 % were without estimate, or the swing was up to 220 % wrong."""
    t, d = PERIOD * np.arange(1000), 1e-5
    qd = (shaken(t + d) - shaken(t - d)) / (2.0 * d)
    qd += NOISE * np.random.default_rng(0).normal(size=t.shape) if velocities else np.nan
    found = estimated(kind, t, RESOLUTION * np.round(shaken(t) / RESOLUTION), qd)
    judged = (t > 1.0) & (t < t[-1] - 0.1)
    assert np.isfinite(found[judged]).all()
    swing = -SWING * np.pi ** 2 * np.sin(np.pi * t)
    wrong = np.sqrt(np.square(found - swing)[judged].mean() / np.square(swing)[judged].mean())
    assert said(f'{kind}, velocities: {velocities}', float(wrong), most) < most


@pytest.mark.parametrize('kind', MAKE)
def test_a_velocity_that_is_wrong_for_a_while_resets_no_joint(kind: str) -> None:
    """Positions began again, and no acceleration was published until they were known."""
    t = PERIOD * np.arange(620)
    q, qd, qdd = (SWING * np.pi ** k * f(np.pi * t) for k, f in enumerate(
        (np.sin, np.cos, lambda angle: -np.sin(angle))))
    stuck = (t > 2.4) & (t < 2.45)
    found = estimated(kind, t, np.round(q, 5), np.where(stuck, qd + 2.0, qd))
    wrong = np.abs(found - qdd)[(t > 2.3) & (t < 3.0)].max() / np.abs(qdd).max()
    assert said(f'{kind}: wrong velocities', float(wrong), 0.03) < 0.03


@pytest.mark.parametrize(('kind', 'frequency', 'most'), [
    ('kalman on numpy', 40.0, 4.5), ('kalman', 40.0, 4.5), ('kalman', 60.0, 2.5),
    ('kalman_fixed_lag', 40.0, 2.5), ('kalman_fixed_lag', 60.0, 2.2)])
def test_what_a_motor_shakes_with_hundreds_of_rad_per_second_squared_is_answered(
        kind: str, frequency: float, most: float) -> None:
    """
    Joints were reset: 10 to 40 % were without estimate, and the swing up to 1600 % wrong.

    At the onset of a shake they still are, once, as by a jump of the encoder, which it may be.

    """
    t = 0.5 * PERIOD * np.arange(1600)
    shakes = (t > 1.0) & (t % 1.2 < 0.6)
    q = np.sin(np.pi * t) + np.where(shakes, 0.004 * np.sin(2.0 * np.pi * frequency * t), 0.0)
    found = estimated(kind, t, FINE * np.round(q / FINE), np.full_like(t, np.nan))
    judged = (t > 0.5) & (t < t[-1] - 0.1)
    answered = np.isfinite(found[judged])
    assert said(f'{kind}, {frequency} Hz, share', float(answered.mean()), 0.97) > 0.97
    swing = -np.pi ** 2 * np.sin(np.pi * t)
    judged &= np.isfinite(found)
    wrong = np.sqrt(np.square(found - swing)[judged].mean() / np.square(swing)[judged].mean())
    assert said(f'{kind}, {frequency} Hz', float(wrong), most) < most


@pytest.mark.parametrize(('kind', 'rate', 'jump'), [
    *(('kalman', rate, jump) for rate in (150.0, 200.0, 500.0) for jump in (0.02, 0.1, 0.5)),
    ('kalman on numpy', 150.0, 0.1), ('kalman on numpy', 200.0, 0.02)])
def test_a_jump_of_an_encoder_is_no_motion(kind: str, rate: float, jump: float) -> None:
    """It was one of up to 720 rad/s^2 for 20 samples where the limits followed it."""
    t = np.arange(round(3.0 * rate)) / rate
    q = 0.5 * np.sin(4.4 * t)
    noise = 1e-5 * np.random.default_rng(0).normal(size=t.shape)
    found = estimated(kind, t, q + noise + jump * (t >= 2.0), np.full_like(t, np.nan))
    after = t >= 1.9
    assert np.count_nonzero(np.isnan(found[after])) <= 6
    wrong = np.nanmax(np.abs(found + 4.4 ** 2 * q)[after])
    assert said(f'{kind}, {rate} Hz, {jump} rad [rad/s^2]', float(wrong), 12.0) < 12.0


@pytest.mark.parametrize(('kind', 'rate', 'jump', 'noise'), [
    (kind, *row) for kind in MAKE for row in (
        (100.0, 0.02, 1e-5), (100.0, -0.03, 2e-4), (150.0, 0.02, 2e-4), (1000.0, 0.02, 1e-5))
    if (kind, row[0]) != ('kalman on numpy', 1000.0)])
def test_a_small_jump_of_an_encoder_is_none_either(kind: str, rate: float, jump: float,
                                                   noise: float) -> None:
    """It was followed with 90 to 270 rad/s^2, as soon as the limits were wide enough."""
    t = np.arange(round(2.6 * rate)) / rate
    q = 0.5 * np.sin(4.4 * t + 0.35)
    measured = q + noise * np.random.default_rng(0).normal(size=t.shape) + jump * (t >= 1.999)
    found, deviations = declared(kind, t, measured, np.full_like(t, np.nan)).T
    after = (t >= 1.9) & (t < 2.5)
    assert np.isnan(found[after]).sum() <= 8
    wrong = np.nanmax((np.abs(found + 4.4 ** 2 * q) / np.maximum(deviations, 4.0))[after])
    assert said(f'{kind}, {rate} Hz, {jump} rad [declared deviations]', float(wrong), 3.0) < 3.0


@pytest.mark.parametrize(('kind', 'rate', 'amplitude', 'frequency'), [
    *((kind, 50.0, 0.3, 2.0) for kind in MAKE), ('kalman', 50.0, 0.15, 1.6),
    ('kalman', 100.0, 0.15, 1.6), ('kalman', 150.0, 0.3, 2.0),
    ('kalman_fixed_lag', 100.0, 0.15, 1.6)])
def test_the_steps_of_a_leg_are_answered_at_low_rates(kind: str, rate: float, amplitude: float,
                                                      frequency: float) -> None:
    """Each contact with the ground reset the joint: up to 16 % were without an estimate."""
    t = np.arange(round(5.0 * rate)) / rate
    q = amplitude * np.abs(np.sin(np.pi * frequency * t)) + 0.05 * np.sin(np.pi * t)
    q += 1e-4 * np.random.default_rng(0).normal(size=t.shape)
    found = estimated(kind, t, q, np.full_like(t, np.nan))
    answered = float(np.isfinite(found[(t > 1.0) & (t < t[-1] - 0.1)]).mean())
    assert said(f'{kind}, {rate} Hz, share', answered, 0.99) > 0.99


@pytest.mark.parametrize('kind', MAKE)
@pytest.mark.parametrize('fault', ['outliers', 'repeated'])
def test_what_deviates_ever_further_may_be_no_motion(kind: str, fault: str) -> None:
    """Of one of two joints: two outliers in a row, or a position that is repeated three times."""
    make, name = MAKE[kind]
    t = np.arange(400) / 100.0
    q = 0.5 * np.sin(4.4 * t)
    noise = 1e-5 * np.random.default_rng(0).normal(size=t.shape)
    measured = np.column_stack((q + noise, 0.7 * q - noise))
    if fault == 'outliers':
        measured[210:212, 0] += 0.02, 0.04
    else:
        measured[210:213, 0] = measured[209, 0]
    estimator = make(name, 2)
    found = [(each.stamp * 1e-9 - 1.0, each.qdd[0]) for each in (
        estimator.update(1_000_000_000 + round(1e9 * time), q_, np.full(2, np.nan))
        for time, q_ in zip(t, measured)) if each.valid]
    times, qdd = np.array([each for each in found if 2.0 < each[0] < 2.3]).T
    assert len(times) == 29
    wrong = np.abs(qdd + 4.4 ** 2 * 0.5 * np.sin(4.4 * times)).max()
    assert said(f'{kind}, {fault} [rad/s^2]', float(wrong), 0.5) < 0.5
