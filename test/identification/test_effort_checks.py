"""Efforts of another gravity, or of a wrong sign, by Pinocchio as the oracle."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.robot_files import EXAMPLES
from urdf2dyn_ros.identification.effort_checks import effort_fault
from urdf2dyn_ros.identification.preparation import Piece
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.urdf import read_urdf

RATE = 25.0
FITS, ABSENT = 'the efforts fit a gravity of about', 'the efforts are without gravity'
URDF = EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf'


def motion(robot: Robot) -> tuple[np.ndarray, ...]:
    """Return times, and positions to accelerations of sums of sines."""
    rng = np.random.default_rng(3)
    time = np.arange(0.0, 12.0, 1.0 / RATE)
    q, qd, qdd = np.zeros((3, len(time), len(robot.joints)))
    for joint in range(len(robot.joints)):
        for w in 2.0 * np.pi * rng.uniform(0.1, 0.6, 4):
            phase = rng.uniform(0.0, 6.28)
            q[:, joint] += 0.5 * np.sin(w * time + phase)
            qd[:, joint] += 0.5 * w * np.cos(w * time + phase)
            qdd[:, joint] -= 0.5 * w * w * np.sin(w * time + phase)
    return time, q, qd, qdd


@pytest.fixture(scope='module')
def robot() -> Robot:
    model = read_urdf(Path(URDF))
    return robot_of(model, InverseDynamics(model, backend='python'))


def fault(robot: Robot, gravity: tuple[float, ...], signs: np.ndarray) -> str:
    """Return the fault of efforts with other masses, friction, gravity and signs."""
    oracle = pin.buildModelFromUrdf(str(URDF))
    oracle.gravity.linear = np.array(gravity)
    rng = np.random.default_rng(8)
    for inertia in oracle.inertias[1:]:
        inertia.mass *= float(np.exp(rng.normal(0.0, 0.3)))
    data = oracle.createData()
    time, q, qd, qdd = motion(robot)
    effort = np.array([pin.rnea(oracle, data, *row) for row in zip(q, qd, qdd)])
    effort += 0.1 * effort.std(axis=0) * np.tanh(qd / 0.02) + 0.05 * rng.normal(size=q.shape)
    return effort_fault(robot, [Piece(time, RATE, q, qd, qdd, effort * signs)],
                        np.ones(len(signs)))


@pytest.mark.parametrize(('gravity', 'begin'), [
    ((0.0, 0.0, -9.81), ''), ((0.0, 0.0, 9.81), FITS), ((9.81, 0.0, 0.0), FITS),
    ((6.0, 0.0, -7.8), FITS), ((0.0, 0.0, 0.0), ABSENT)])
def test_another_gravity_is_reported_with_its_direction(gravity: tuple[float, ...], begin: str,
                                                        robot: Robot) -> None:
    text = fault(robot, gravity, np.ones(6))
    assert text.startswith(begin) and bool(text) == bool(begin)
    if begin == FITS:   # the remedy can be typed
        words = text.partition('--gravity ')[2].partition(';')[0].split()
        size = np.linalg.norm(gravity) * np.linalg.norm([float(word) for word in words])
        assert np.dot([float(word) for word in words], gravity) > np.cos(np.radians(10.0)) * size


def test_a_joint_whose_effort_has_the_wrong_sign_is_named(robot: Robot) -> None:
    text = fault(robot, (0.0, 0.0, -9.81), np.array([1.0, -1.0, 1.0, 1.0, 1.0, 1.0]))
    assert 'shoulder_lift_joint have the wrong sign' in text
