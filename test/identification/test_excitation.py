"""The information of a motion and its slopes, and Fourier series that begin and end at rest."""

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros.identification.excitation import (
    Information,
    instants,
    period_of,
    rest_functions,
    restrict_limits,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.reader import read_urdf

MODEL = read_urdf(OWN / 'robot_2r.urdf')
DYNAMICS = InverseDynamics(MODEL)
CHANGES = {'joint1': {'lower': -0.5, 'upper': 1.5, 'velocity': 2.0, 'effort': 40.0, 'jerk': 90.0,
                      'acceleration': 30.0, 'deceleration': 20.0},
           'joint2': {'lower': -2.0, 'upper': -1.0, 'velocity': 3.0, 'effort': 8.0}}
FRICTION = np.array([[0.7, 0.3], [0.2, 0.4]])   # viscous, Coulomb of each joint


def limits(fraction=0.5):
    return restrict_limits(MODEL, DYNAMICS, fraction, CHANGES)


def test_limits_are_a_share_about_the_middle_of_the_range():
    found = limits(0.5)
    assert found.middle == pytest.approx([0.5, -1.5])
    assert found.derivatives == pytest.approx(np.array([
        [0.5, 0.25], [1.0, 1.5], [10.0, np.inf], [45.0, np.inf]]))
    assert (found.effort.tolist(), found.rated.tolist()) == ([20.0, 4.0], [40.0, 8.0])


def test_the_information_of_a_motion_is_that_of_its_rows_and_slopes_are_differences():
    information = Information(DYNAMICS, FRICTION, limits())
    motion = np.random.default_rng(1).normal(size=(3, 7, 2)) * np.array([0.4, 0.8, 3.0])[:, None,
                                                                                         None]
    q, qd, qdd = motion
    sign = np.tanh(qd / (0.05 * np.array([1.0, 1.5])))
    friction = np.array([[0.7, 0.2], [0.3, 0.4]])
    efforts = DYNAMICS(q, qd, qdd) + friction[0] * qd + friction[1] * sign
    np.testing.assert_allclose(information.efforts(motion), efforts, atol=1e-12)
    base = DYNAMICS.regressor(q, qd, qdd)
    rows = np.zeros((7, 2, base.shape[2] + 6))
    rows[:, :, :-6] = base
    for joint in range(2):
        for place, values in ((-6, qd), (-4, sign), (-2, np.ones_like(qd))):
            rows[:, joint, place + joint] = values[:, joint]
    rows /= 0.01 * np.array([40.0, 8.0])[:, None]
    whole = np.einsum('tnp,tnk->pk', rows, rows) / 7.0
    assert information.log_det(motion) == pytest.approx(np.linalg.slogdet(whole)[1], rel=1e-6)
    information.set_scale(motion)
    assert information.log_det(motion) == pytest.approx(np.linalg.slogdet(whole)[1], rel=1e-6)
    bound = 0.5 * np.abs(efforts).max(axis=0)
    cost, slopes = information.slopes(motion, bound, 1e3)
    excess = np.maximum(np.abs(efforts) / bound - 1.0, 0.0)
    without, _ = information.slopes(motion, bound, 0.0)
    assert cost - without == pytest.approx(1e3 * np.square(excess).sum() / 7.0, rel=1e-9)
    for place in ((0, 2, 1), (1, 3, 0), (2, 6, 1), (1, 0, 1)):
        ahead, behind = motion.copy(), motion.copy()
        ahead[place] += 1e-5
        behind[place] -= 1e-5
        difference = (information.slopes(ahead, bound, 1e3)[0]
                      - information.slopes(behind, bound, 1e3)[0]) / 2e-5
        assert slopes[place] == pytest.approx(difference, rel=1e-4, abs=1e-3)


def test_fourier_series_are_at_rest_at_both_ends_and_have_their_derivatives():
    times, h = np.linspace(0.0, 8.0, 41), 1e-5
    q, qd, qdd, jerk = rest_functions(times, 8.0)
    assert q.shape == (41, 9) and (q[:, 0] == 1.0).all()
    np.testing.assert_allclose([qd[[0, -1]], qdd[[0, -1]]], 0.0, atol=1e-9)
    ahead, behind = rest_functions(times + h, 8.0), rest_functions(times - h, 8.0)
    for function, slope in zip(range(3), (qd, qdd, jerk)):
        np.testing.assert_allclose((ahead[function] - behind[function]) / (2.0 * h), slope,
                                   atol=1e-6)
    assert np.linalg.matrix_rank(q) == 9
    shares = np.abs(np.fft.rfft(q[:-1, 1:], axis=0)).max(axis=1)
    assert (shares[1:6] > 1.0).all() and shares[6:].max() < 1e-9


@pytest.mark.parametrize(('duration', 'period'), [(4.0, 4.0), (20.0, 10.0), (33.0, 11.0)])
def test_a_duration_is_a_whole_number_of_periods(duration, period):
    assert period_of(duration) == pytest.approx(period)
    assert instants(duration, 2.0) == pytest.approx(np.arange(0.0, duration + 0.1, 0.5))
