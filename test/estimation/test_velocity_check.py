"""Velocities that do not belong to the positions are found, and right ones are left alone."""

import re
from dataclasses import replace

import numpy as np
import pytest

from support.streams.known_motions import PROFILES, START, Recording, record, truth, with_outliers
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck

RATES = {'A': 1000.0, 'F': 1000.0, 'C': 125.0, 'E': 1000.0, '250 Hz': 250.0, '50 Hz': 50.0}


def recorded(name: str) -> Recording:
    profile = PROFILES.get(name, PROFILES['A'])
    return record(replace(profile, rate=RATES[name]))


def late(whole: Recording, lag: float) -> np.ndarray:
    noise = whole.qd - truth(whole.stamps)[1]
    return truth(whole.stamps - round(lag * 1e9))[1] + noise


def differences(whole: Recording) -> np.ndarray:
    steps = np.diff(whole.stamps)[:, None] * 1e-9
    return np.vstack((whole.qd[:1], np.diff(whole.q, axis=0) / steps))


def frozen(whole: Recording) -> np.ndarray:
    return np.where(np.arange(len(whole.qd))[:, None] < len(whole.qd) // 12, whole.qd, 0.3)


FAULTS = {
    'zero': (lambda whole: 0.0 * whole.qd, 'zero throughout', 0.3),
    'late by 1.5 ms': (lambda whole: late(whole, 0.0015), r'1\.[456]\d? ms late', 12.0),
    'late by 5 ms': (lambda whole: late(whole, 0.005), r'(4\.[89]\d*|5(\.[01]\d?)?) ms late', 1.5),
    'early by 4 ms': (lambda whole: late(whole, -0.004), r'(3\.[89]\d*|4(\.[01]\d)?) ms early',
                      1.5),
    'degrees': (lambda whole: np.degrees(whole.qd), 'velocities in degrees', 1.0),
    'half': (lambda whole: 0.5 * whole.qd, r'(1\.99|2|2\.0\d) times as fast', 1.0),
    'the wrong way': (lambda whole: -whole.qd, r'-(1|0\.99\d|1\.0\d) times as fast', 1.0),
    'off': (lambda whole: whole.qd + 0.03, r'0\.0[23]\d* too large', 1.5),
    'frozen': (frozen, '', 12.0),
}


def run(whole: Recording, qd: np.ndarray) -> tuple[VelocityCheck, np.ndarray]:
    check = VelocityCheck(4)
    return check, np.array([check.update(*sample)
                            for sample in Recording(whole.stamps, whole.q, qd)])


@pytest.mark.parametrize('name', RATES)
def test_right_velocities_are_used(name):
    whole = recorded(name)
    check, used = run(whole, whole.qd)
    assert check.warnings == {}
    compared = 5 + round(0.9 * RATES[name])   # the minimum jerk begins with a rest
    assert np.array_equal(used[compared:], whole.qd[compared:])
    for joint in check.joints:
        assert joint.used
        assert abs(joint.lag) < 1e-3
        assert joint.scale == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize('name', RATES)
def test_noise_at_rest_and_slow_motion_are_no_faults(name):
    whole = recorded(name)
    noise = whole.qd - truth(whole.stamps)[1]
    slow = truth(whole.stamps[0] + (whole.stamps - whole.stamps[0]) // 20)
    step = 2.0 * np.pi / 2**17
    for q, qd in ((np.tile(whole.q[0], (len(noise), 1)), noise),
                  (np.round(slow[0] / step) * step, slow[1] / 20.0 + noise)):
        check, _ = run(Recording(whole.stamps, q, qd), qd)
        assert check.warnings == {}
        assert not check.dropping


@pytest.mark.parametrize('name', RATES)
@pytest.mark.parametrize('fault', FAULTS)
@pytest.mark.fault(37)
def test_a_wrong_velocity_is_found_and_dropped(name, fault):
    wrong, text, soon = FAULTS[fault]
    whole = recorded(name)
    if name != 'A':   # which goes on to the end
        whole = whole.chosen(whole.stamps < START + round(1e9 * (soon + 2.0)))
    check, used = run(whole, wrong(whole))
    assert set(check.warnings) == {0, 1, 2, 3}
    for warning in check.warnings.values():
        assert re.search(text, warning)
    seen = ~np.isnan(used)
    times = (whole.stamps - whole.stamps[0]) * 1e-9
    assert not seen[times > soon].any()


@pytest.mark.fault(36)
def test_positions_in_degrees_are_found():
    whole = recorded('A')
    check, _ = run(Recording(whole.stamps, np.degrees(whole.q), whole.qd), whole.qd)
    assert all('positions in degrees' in warning for warning in check.warnings.values())
    assert len(check.warnings) == 4


def test_backward_differences_are_half_a_period_late():
    fast, slow = recorded('A'), recorded('C')
    assert run(fast, differences(fast))[0].warnings == {}   # half a millisecond is tolerated
    warnings = run(slow, differences(slow))[0].warnings
    assert set(warnings) == {0, 1, 2, 3}
    for warning in warnings.values():
        assert re.fullmatch(r'it is (3\.9\d|4(\.0\d)?) ms late', warning)


@pytest.mark.fault(35)
def test_outliers_do_not_condemn_a_velocity():
    whole = with_outliers(recorded('A'))
    check, _ = run(whole, whole.qd)
    assert check.warnings == {}


def test_a_velocity_that_is_right_again_is_used_again():
    whole = recorded('A')
    qd = np.where(whole.stamps[:, None] < whole.stamps[2000], 0.0, whole.qd)
    check, used = run(whole, qd)
    assert np.isnan(used[300:2000]).all()
    assert check.warnings == {}
    assert np.array_equal(used[8000:], qd[8000:])


def test_joints_do_not_touch_each_other():
    whole = recorded('A')
    qd = whole.qd.copy()
    qd[:, 2] = late(whole, 0.006)[:, 2]
    qd[:, 0] = np.nan
    check, used = run(whole, qd)
    assert list(check.warnings) == [2]
    assert np.array_equal(used[5:, [1, 3]], qd[5:, [1, 3]])


def test_absurd_samples_are_forgotten():
    whole = recorded('C')
    q, qd = whole.q.copy(), whole.qd.copy()
    q[100], qd[100] = 1e300, 1e300
    qd[700:] = late(whole, 0.006)[700:]
    with np.errstate(all='ignore'):
        check, _ = run(Recording(whole.stamps, q, qd), qd)
    assert set(check.warnings) == {0, 1, 2, 3}


def one_joint(rate: float, q: np.ndarray, qd: np.ndarray) -> tuple[VelocityCheck, np.ndarray]:
    """Run samples (k,) of one joint; return for which of them its velocity was dropped."""
    check, stamps = VelocityCheck(1), 10**9 + np.round(np.arange(len(q)) * 1e9 / rate)
    used = [check.update(int(stamps[k]), q[k:k + 1], qd[k:k + 1]) for k in range(len(q))]
    return check, np.isnan(used)[:, 0]


@pytest.mark.parametrize('rate', [30.0, 50.0])
def test_impacts_do_not_condemn_a_velocity(rate):
    """Every second something moves against a stop and back, at any time between samples."""
    random = np.random.default_rng(0)
    fine = np.arange(0.0, 60.0, 1e-4)
    v = np.zeros_like(fine)
    for second, length in enumerate(random.uniform(0.6, 0.9, 60)):
        moving = (fine >= second) & (fine < second + length)
        v[moving] = (-1.0) ** second * 5.0 * np.minimum(fine[moving] - second, 0.3)
    times = np.arange(1.0, 59.0, 1.0 / rate)
    check, left_out = one_joint(rate, np.interp(times, fine, np.cumsum(v) * 1e-4),
                                np.interp(times, fine, v))
    assert check.warnings == {}
    assert not left_out[times > 8.0].any()


@pytest.mark.parametrize('rate', [50.0, 200.0])
def test_coarse_encoders_do_not_condemn_a_velocity(rate):
    """The steps of a servo: 0.09 degrees and 0.23 turns a minute; slow enough for few of them."""
    step, speed = 2.0 * np.pi / 4096.0, 0.229 * 2.0 * np.pi / 60.0
    times = np.arange(0.0, 40.0, 1.0 / rate)
    omega = 2.0 * np.pi * 0.05
    q, qd = 0.1 * np.sin(omega * times), 0.1 * omega * np.cos(omega * times)
    check, _ = one_joint(rate, np.round(q / step) * step, np.round(qd / speed) * speed)
    assert not check.dropping
    assert check.warnings == {}
    at_rest = step * np.random.default_rng(1).integers(2, size=2000)
    assert one_joint(rate, at_rest, np.zeros(2000))[0].warnings == {}


@pytest.mark.parametrize('rate', [10.0, 30.0])
def test_a_slow_stream_has_its_velocity_back_too(rate):
    times = np.arange(0.0, 80.0, 1.0 / rate)
    q, qd = 0.5 * np.sin(2.0 * times), np.cos(2.0 * times)
    qd += 0.01 * np.random.default_rng(2).normal(size=len(times))
    check, left_out = one_joint(rate, q, np.where(times < 15.0, 2.0 * qd, qd))
    assert left_out[(times > 6.0) & (times < 15.0)].all()
    assert not left_out[times > 75.0].any()
    assert check.warnings == {}
