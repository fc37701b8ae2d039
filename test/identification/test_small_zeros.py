"""Zeros and gravity that are some degrees off, stamps and positions; Pinocchio simulates."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.robot_files import EXAMPLES
from support.streams.known_motions import sums_of_sines
from urdf2dyn_ros.identification.checks import check_recording, small_errors
from urdf2dyn_ros.identification.robot import robot_of
from urdf2dyn_ros.identification.summary import summarised
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.pieces import Piece
from urdf2dyn_ros.robot.reader import read_urdf

RATE = 50.0
URDF = EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf'
TIME = np.arange(0.0, 12.0, 1.0 / RATE)
GRAVITY = np.array([0.0, 0.0, -9.81])
RANDOM = np.random.default_rng(3)
W, PHASE = 2.0 * np.pi * RANDOM.uniform(0.1, 0.6, (4, 6)), RANDOM.uniform(0.0, 6.28, (4, 6))
MASSES = np.exp(RANDOM.normal(0.0, 0.3, 6))
NOISE = RANDOM.normal(size=(len(TIME), 6))


def arm(gravity=GRAVITY):
    """Return a UR5 whose masses are not those of its URDF."""
    oracle = pin.buildModelFromUrdf(str(URDF))
    for inertia, factor in zip(oracle.inertias[1:], MASSES.tolist()):
        inertia.mass *= factor
    oracle.gravity.linear = gravity
    return oracle


def efforts(oracle, q, qd, qdd, noise=0.02):
    data = oracle.createData()
    effort = np.array([pin.rnea(oracle, data, *row) for row in zip(q, qd, qdd)])
    return effort + effort.std(axis=0) * (0.1 * np.tanh(qd / 0.02) + noise * NOISE)


def motion(time=TIME):
    return sums_of_sines(time, W, PHASE, 0.5)


def note(q, qd, qdd, effort) -> str:
    """Return the note about zeros, gravity, stamps or positions."""
    model = read_urdf(Path(URDF))
    robot = robot_of(InverseDynamics(model, backend='python'))
    piece = Piece(TIME[:len(q)], RATE, q, qd, qdd, effort)
    summary = summarised(robot, 'r', [piece], np.ones(6, dtype=bool), (10.0, 0.0))
    return small_errors(robot, piece, summary, np.ones(6, dtype=bool))


@pytest.mark.parametrize(('joint', 'degrees', 'noise'), [
    pytest.param(1, -6.0, 0.02, marks=pytest.mark.slow), (2, 8.0, 0.02), (2, 0.0, 0.02),
    (2, -3.0, 0.005), pytest.param(2, 0.0, 0.005, marks=pytest.mark.slow)])
def test_a_zero_that_is_some_degrees_wrong_is_noted(joint: int, degrees: float,
                                                    noise: float) -> None:
    """
    The masses are those of another robot; axes of other joints are parallel to its axis.

    Smaller ones are seen where less is left of the efforts.
    """
    q, qd, qdd = motion()
    effort = efforts(arm(), q, qd, qdd, noise)
    q[:, joint] += np.radians(degrees)
    found = note(q, qd, qdd, effort)
    assert bool(found) == bool(degrees)
    if found:
        name = InverseDynamics(read_urdf(Path(URDF)), backend='python').joint_names[joint]
        assert found.startswith(f'the zero of {name} is not that of the URDF')
        angle = float(found.partition(' rad (')[2].partition(' deg)')[0])
        assert angle == pytest.approx(-degrees, abs=2.0)


@pytest.mark.parametrize(('pace', 'scale', 'words'), [
    (1.12, 1.0, 'the stamps look 1.1'), (2.0**0.5, 1.0, 'the stamps look 1.4'),
    (1.0, 1.12, 'the positions of shoulder_lift_joint look 1.')])
def test_stamps_and_positions_some_percent_too_large_are_noted(pace, scale, words):
    q, qd, qdd = motion()
    effort = efforts(arm(), q, qd, qdd)
    factors = np.array([1.0, scale, 1.0, 1.0, 1.0, 1.0])
    found = note(q * factors, qd * factors / pace, qdd * factors / pace**2, effort)
    assert found.startswith(words)


def test_half_of_gravity_that_a_driver_compensates_is_noted() -> None:
    """The masses are those of another robot, and no other masses explain it."""
    q, qd, qdd = motion()
    found = note(q, qd, qdd, efforts(arm(gravity=0.5 * GRAVITY), q, qd, qdd))
    assert found.count(' times as large, as where a driver compensates a part of it?') == 1
    factor = float(found.partition('or is gravity ')[2].partition(' times')[0])
    assert factor == pytest.approx(0.5, abs=0.06)


@pytest.mark.slow
def test_a_motion_of_some_seconds_is_too_short_for_a_zero() -> None:
    q, qd, qdd = motion()
    effort = efforts(arm(), q, qd, qdd)
    q[:, 2] += np.radians(8.0)
    assert note(*(each[:round(6.0 * RATE)] for each in (q, qd, qdd, effort))) == ''


@pytest.mark.slow
def test_static_friction_that_looks_like_another_zero_is_none() -> None:
    """The robot rests a third of the time, with efforts of an elbow that is 8 degrees further."""
    turns, part = np.divmod(TIME, 3.0)
    x = np.minimum(part / 2.0, 1.0)
    way, speed, change = (3.0 * x**2 - 2.0 * x**3, 3.0 * x * (1.0 - x),
                          np.where(x < 1.0, 1.5 - 3.0 * x, 0.0))
    q, qd, qdd = motion(2.0 * (turns + way))
    qd, qdd = (2.0 * speed[:, None] * qd,
               4.0 * speed[:, None]**2 * qdd + 2.0 * change[:, None] * qd)
    rests = x == 1.0
    effort = efforts(arm(), q, qd, qdd)
    effort[rests] = efforts(arm(), q + np.radians(8.0) * np.eye(6)[2], qd, qdd)[rests]
    assert note(q, qd, qdd, effort) == ''


def test_a_robot_that_is_mounted_some_degrees_off_is_noted() -> None:
    tilted = 9.81 * np.array([np.sin(np.radians(6.0)), 0.0, -np.cos(np.radians(6.0))])
    q, qd, qdd = motion()
    found = note(q, qd, qdd, efforts(arm(gravity=tilted), q, qd, qdd))
    words = found.partition('--gravity ')[2].partition(';')[0].split()
    assert np.array(words, dtype=float) == pytest.approx(tilted, abs=0.2)


def test_reversed_columns_are_named_though_joints_differ_in_size() -> None:
    """Efforts of the wrist are a hundredth of those of the shoulder; the masses are others."""
    q, qd, qdd = motion()
    effort = efforts(arm(), q, qd, qdd, 0.1)
    model = read_urdf(Path(URDF))
    robot = robot_of(InverseDynamics(model, backend='python'))
    piece = Piece(TIME, RATE, *(each[:, ::-1] for each in (q, qd, qdd, effort)))
    fault = check_recording(robot, [piece]).fault
    assert 'look like those of the URDF in another order' in fault
    assert f'if what is recorded as {", ".join(robot.joints[::-1])} is what' in fault
