"""The motions of the simulated robots: within limits, consistent, from rest to rest."""

import numpy as np
import pytest
import yaml

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot.model import Joint, Limits
from urdf2dyn_ros.simulation.trajectories import FileTrajectory, SmoothTrajectory

TYPES = ('revolute', 'continuous', 'prismatic', 'revolute', 'prismatic', 'revolute', 'revolute')
LIMITS = (Limits(-3.0, 3.0, velocity=2.0), Limits(-0.01, 0.01, velocity=0.5),
          Limits(-0.05, 0.02, velocity=1.0), Limits(-3.1, -0.1, velocity=0.0), Limits(),
          Limits(lower=1.0), Limits(upper=-1.0))
# largest amplitudes and velocities: 80 % and 60 % of a limit, or those without one
MOST = np.array([(0.8, 1.2), (0.8, 0.3), (0.028, 0.3), (0.8, 1.5), (0.15, 0.3), (0.8, 1.5),
                 (0.8, 1.5)]).T


def sampled(trajectory, times):
    return (np.array(part) for part in zip(*(trajectory(t) for t in times), strict=True))


@pytest.mark.parametrize('duration', [0.5, 6.0, 300.0])
def test_position_and_velocity_stay_within_limits(duration):
    times = np.linspace(-1.0, duration + 1.0, 5001)
    trajectory = SmoothTrajectory(TYPES, LIMITS, duration)
    q, qd, _ = sampled(trajectory, times)
    for joint, (kind, limits) in enumerate(zip(TYPES, LIMITS, strict=True)):
        if kind != 'continuous':
            assert limits.lower is None or q[:, joint].min() > limits.lower
            assert limits.upper is None or q[:, joint].max() < limits.upper
    used = np.abs([q - trajectory.centre, qd]).max(axis=1) / MOST
    assert used.max() < 1.0 + 1e-9
    assert duration < 300.0 or used.max(axis=0).min() > 0.5


@pytest.mark.parametrize('t', [-1.0, 0.0, 12.0, 13.0])
def test_it_is_at_rest_before_and_after(t):
    trajectory = SmoothTrajectory(TYPES, LIMITS, 12.0)
    q, qd, qdd = trajectory(t)
    np.testing.assert_allclose(q, trajectory.centre, atol=1e-15)
    np.testing.assert_allclose([qd, qdd], 0.0, atol=1e-15)


def test_velocity_and_acceleration_are_the_derivatives():
    trajectory = SmoothTrajectory(TYPES, LIMITS, 8.0)
    times, h = np.linspace(-0.1003, 8.1, 997), 1e-5
    q_before, qd_before, _ = sampled(trajectory, times - h)
    q_after, qd_after, _ = sampled(trajectory, times + h)
    _, qd, qdd = sampled(trajectory, times)
    np.testing.assert_allclose((q_after - q_before) / (2 * h), qd, atol=1e-8)
    np.testing.assert_allclose((qd_after - qd_before) / (2 * h), qdd, atol=1e-8)


def test_acceleration_has_no_steps():
    times = np.linspace(-0.5, 8.5, 9001)
    _, _, qdd = sampled(SmoothTrajectory(TYPES, LIMITS, 8.0), times)
    assert np.abs(np.diff(qdd, axis=0)).max() < 1e-3 * 60.0


JOINTS = tuple(Joint(name, kind, 'a', 'b') for name, kind in (
    ('first', 'revolute'), ('second', 'prismatic'), ('third', 'continuous')))
RANGES = (Limits(-2.0, 2.0, velocity=5.0), Limits(-0.1, 0.4), Limits(-1.0, 1.0))
START = np.array([0.1, 0.2, 0.3])


@pytest.fixture
def via(tmp_path):
    """Return the motion of a file: names, and of each point its time and vectors."""
    def made(names, points):
        file = tmp_path / 'plan.yaml'
        file.write_text(yaml.safe_dump({'joint_names': names, 'points': [
            {'time_from_start': time, **{name: [*vector] for name, vector in zip(
                ('positions', 'velocities', 'accelerations'), vectors) if vector}}
            for time, *vectors in points]}))
        return FileTrajectory(str(file), JOINTS, RANGES, START)

    return made


NAMES = ['third', 'first', 'second']


def given(derivatives):
    """Return points with so many derivatives, and all three of each point, in NAMES' order."""
    rows = [(1.0, [[4.0, 1.0, 0.3], [-2.0, 0.3, 0.1], [0.5, 1.0, 0.0]]),
            (1.7, [[4.5, -0.5, 0.2], [0.0] * 3, [0.0] * 3])]
    return [(time, *values[:derivatives + 1]) for time, values in rows], rows


@pytest.mark.parametrize('derivatives', [0, 1, 2])
def test_points_are_passed_with_what_they_give(derivatives, via):
    points, rows = given(derivatives)
    trajectory = via(NAMES, points)
    assert trajectory.duration == 1.7
    for time, values in [(0.0, [START[[2, 0, 1]], [0.0] * 3, [0.0] * 3]), rows[0],
                         (1.7 - 1e-9, rows[1][1])]:
        found = trajectory(time)
        for part, expected in list(zip(found, values, strict=True))[:derivatives + 1]:
            np.testing.assert_allclose(part[[2, 0, 1]], expected, atol=1e-6)
    np.testing.assert_array_equal(trajectory(1.7), [[-0.5, 0.2, 4.5], [0.0] * 3, [0.0] * 3])
    np.testing.assert_array_equal(trajectory(1.7), trajectory(99.0))
    np.testing.assert_array_equal(trajectory(-1.0), trajectory(0.0))
    times, h = np.linspace(0.01, 1.69, 97), 1e-6
    q_before, qd_before, _ = sampled(trajectory, times - h)
    q_after, qd_after, _ = sampled(trajectory, times + h)
    _, qd, qdd = sampled(trajectory, times)
    np.testing.assert_allclose((q_after - q_before) / (2 * h), qd, atol=1e-5)
    away = np.abs(times - 1.0) > 0.01   # a cubic's acceleration may jump there
    np.testing.assert_allclose(((qd_after - qd_before) / (2 * h))[away], qdd[away], atol=1e-4)


def test_positions_alone_are_passed_smoothly_from_rest_to_rest(via):
    trajectory = via(NAMES, [(0.5 * (k + 1), [0.0, 0.0, 0.1 + 0.1 * float(np.sin(k))])
                             for k in range(6)])
    assert trajectory(0.0)[1][1] == pytest.approx(0.0)
    assert trajectory(3.0 - 1e-9)[1][1] == pytest.approx(0.0, abs=1e-6)
    _, _, qdd = sampled(trajectory, np.linspace(1e-6, 3.0 - 1e-6, 3001))
    assert np.abs(np.diff(qdd[:, 1])).max() < 0.03
    assert np.abs(qdd[[0, -1], 1]) == pytest.approx([0.0, 0.0], abs=1e-4)


def test_a_first_point_at_time_zero_is_where_the_robot_is(via):
    with_it = via(NAMES, [(0.0, [9.0] * 3), (1.0, [1.0, 1.0, 0.1])])
    without = via(NAMES, [(1.0, [1.0, 1.0, 0.1])])
    np.testing.assert_array_equal(with_it(0.4), without(0.4))


ZEROS = [0.0, 0.0, 0.0]


@pytest.mark.parametrize(('names', 'points', 'words'), [
    (['first', 'elbow'], [(1.0, [0.0, 0.0])], ['"elbow"', '"first", "second", "third"']),
    (['first', 'first', 'third'], [(1.0, ZEROS)], ['each once']),
    (NAMES, [(1.0, [1.7e308, 0.1, 0.2], ZEROS)], ["'third'", 'finite positions']),
    (NAMES, [(1.0, [])], ['positions at each point']),
    (NAMES, [(1.0, ZEROS, ZEROS), (2.0, ZEROS)], ['at all points or at none']),
    (NAMES, [(1.0, ZEROS, [], ZEROS)], ['only with velocities']),
    (NAMES, [(1.0, ZEROS), (1.0, ZEROS)], ['at 1 s must be after', 'at 1 s']),
    (NAMES, [(-1.0, ZEROS)], ['at -1 s must be after', 'at 0 s']),
    (NAMES, [(0.0, ZEROS)], ['at 0 s must be after']),
    (NAMES, [(1.0, [0.0, np.nan, 0.0])], ['finite']),
    (NAMES, [(1.0, [0.0, 2.1, 0.0])], ["'first'", '2.1', '-2.0 and 2.0']),
    (NAMES, [(0.1, [0.3, 1.9, 0.2])], ["'first'", 'limit is 5', 'more time']),
    (NAMES, [(1.0, [0.3, 0.1, 0.39], [0.0, 0.0, 9.0])], ["'second'", '-0.1 and 0.4']),
])
def test_a_trajectory_that_cannot_be_followed_is_refused(names, points, words, via):
    with pytest.raises(SimulationError) as caught:
        via(names, points)
    for word in words:
        assert word in str(caught.value)
