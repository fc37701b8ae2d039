"""The motion of the demonstration: within limits, smooth, from rest to rest."""

from __future__ import annotations

import numpy as np
import pytest

from urdf2dyn_ros.robot_model import Limits
from urdf2dyn_ros.trajectory import SmoothTrajectory

TYPES = ('revolute', 'continuous', 'prismatic', 'revolute', 'prismatic', 'revolute', 'revolute')
LIMITS = (Limits(-3.0, 3.0, velocity=2.0), Limits(velocity=0.5), Limits(-0.05, 0.02, velocity=0.1),
          Limits(-3.1, -0.1, velocity=0.0), Limits(), Limits(lower=1.0), Limits(upper=-1.0))


def sampled(trajectory, times):
    return (np.array(part) for part in zip(*(trajectory(t) for t in times), strict=True))


@pytest.mark.parametrize('duration', [0.5, 6.0, 20.0, 300.0])
def test_position_and_velocity_stay_within_limits(duration):
    times = np.linspace(-1.0, duration + 1.0, 20_001)
    q, qd, _ = sampled(SmoothTrajectory(TYPES, LIMITS, duration), times)
    for joint, (kind, limits) in enumerate(zip(TYPES, LIMITS, strict=True)):
        if kind != 'continuous':
            assert limits.lower is None or q[:, joint].min() > limits.lower
            assert limits.upper is None or q[:, joint].max() < limits.upper
        if limits.velocity:
            assert np.abs(qd[:, joint]).max() < limits.velocity
        assert np.abs(qd[:, joint]).max() < 1.6


@pytest.mark.parametrize('t', [-1.0, 0.0, 12.0, 13.0])
def test_it_is_at_rest_before_and_after(t):
    trajectory = SmoothTrajectory(TYPES, LIMITS, 12.0)
    q, qd, qdd = trajectory(t)
    np.testing.assert_allclose(q, trajectory.centre, atol=1e-15)
    np.testing.assert_allclose([qd, qdd], 0.0, atol=1e-15)


def test_velocity_and_acceleration_are_the_derivatives():
    trajectory = SmoothTrajectory(TYPES, LIMITS, 8.0)
    times, h = np.linspace(-0.1, 8.1, 997), 1e-5
    q_before, qd_before, _ = sampled(trajectory, times - h)
    q_after, qd_after, _ = sampled(trajectory, times + h)
    _, qd, qdd = sampled(trajectory, times)
    np.testing.assert_allclose((q_after - q_before) / (2 * h), qd, atol=1e-8)
    np.testing.assert_allclose((qd_after - qd_before) / (2 * h), qdd, atol=1e-8)


def test_acceleration_has_no_steps():
    times = np.linspace(-0.5, 8.5, 90_001)
    _, _, qdd = sampled(SmoothTrajectory(TYPES, LIMITS, 8.0), times)
    assert np.abs(np.diff(qdd, axis=0)).max() < 1e-4 * 40.0


def test_every_joint_moves_noticeably_and_in_a_way_of_its_own():
    times = np.linspace(0.0, 20.0, 2001)
    q, _, _ = sampled(SmoothTrajectory(('revolute',) * 36, (Limits(),) * 36, 20.0), times)
    assert np.ptp(q, axis=0).min() > 0.2
    correlation = np.corrcoef(q.T) - np.eye(36)
    assert np.abs(correlation).max() < 0.999


def test_it_depends_on_its_arguments_only():
    first, second = (SmoothTrajectory(TYPES, LIMITS, 8.0)(3.3) for _ in range(2))
    np.testing.assert_array_equal(first, second)
