"""Efforts of another gravity, sign or joint, by Pinocchio as the oracle; and pendulums."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.paths import ROOT
from support.robot_files import EXAMPLES
from support.streams.known_motions import sums_of_sines
from urdf2dyn_ros.identification.checks import check_recording, fitted_error
from urdf2dyn_ros.identification.fit import pooled
from urdf2dyn_ros.identification.gains import Gains, approximated
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.rows import RowSource, block_pools
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.mistakes import Change, no_change, turned
from urdf2dyn_ros.recordings.pieces import Piece, RecordedNames, pieces_of, read_segments
from urdf2dyn_ros.robot.reader import read_urdf

RATE = 25.0
FITS, ABSENT = 'the efforts fit a gravity of about', 'the efforts are without gravity'
URDF = EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf'


def motion() -> tuple[np.ndarray, ...]:
    """Return times, and positions to accelerations of sums of sines."""
    rng = np.random.default_rng(3)
    time = np.arange(0.0, 12.0, 1.0 / RATE)
    w, phase = 2.0 * np.pi * rng.uniform(0.1, 0.6, (4, 6)), rng.uniform(0.0, 6.28, (4, 6))
    return time, *sums_of_sines(time, w, phase, 0.5)


@pytest.fixture(scope='module')
def robot() -> Robot:
    model = read_urdf(Path(URDF))
    return robot_of(InverseDynamics(model, backend='python'))


def swapped(joints: int, one: int, other: int) -> np.ndarray:
    """Return the matrix that interchanges two joints."""
    result = np.eye(joints)
    result[[one, other]] = result[[other, one]]
    return result


SLOW = pytest.mark.slow
NONE = no_change(6)
TURNED = turned(6, 1)
GAINS = np.array([12.0, -9.0, 11.0, 5.0, -4.0, 6.0])
"""Two motors turn the other way."""

KNOWN, FREE = Gains(GAINS, np.zeros(6, dtype=bool)), Gains(np.ones(6), np.ones(6, dtype=bool))


def fault(robot: Robot, gravity: tuple[float, ...] = (0.0, 0.0, -9.81),
          change: Change = NONE, gains: Gains | None = None) -> str:
    """
    Return the fault of efforts with other masses, friction and gravity.

    The change is that which corrects the recording; with gains it has currents.

    """
    oracle = pin.buildModelFromUrdf(str(URDF))
    oracle.gravity.linear = np.array(gravity)
    rng = np.random.default_rng(8)
    for inertia in oracle.inertias[1:]:
        inertia.mass *= float(np.exp(rng.normal(0.0, 0.3)))
    data = oracle.createData()
    time, *motions = motion()
    effort = np.array([pin.rnea(oracle, data, *row) for row in zip(*motions)])
    effort += 0.1 * effort.std(axis=0) * np.tanh(motions[1] / 0.02)
    effort += 0.05 * rng.normal(size=effort.shape)
    motions[0] = motions[0] - change.shifts   # signs and interchanges are their own inverses
    pace = change.pace
    q, qd, qdd = change._replace(shifts=np.zeros(6), pace=1.0 / pace).motion(*motions)
    effort = change.effort(effort)
    if gains is not None:
        effort = effort / GAINS
    piece = Piece(pace * time, RATE / pace, q, qd, qdd, effort)
    return check_recording(robot, [piece], gains).fault


@pytest.mark.parametrize(('gravity', 'begin', 'gains'), [
    ((0.0, 0.0, -9.81), '', None), ((0.0, 0.0, 9.81), FITS, None), ((0.0, 0.0, 0.0), ABSENT, None),
    *(pytest.param(*each, marks=SLOW) for each in (
        ((9.81, 0.0, 0.0), FITS, FREE), ((6.0, 0.0, -7.8), FITS, None),
        ((2.54, 0.0, -9.48), FITS, None), ((0.0, 0.0, 9.81), FITS, FREE)))])
def test_another_gravity_is_reported_with_its_direction(gravity, begin, gains, robot):
    text = fault(robot, gravity, gains=gains)
    assert text.startswith(begin) and bool(text) == bool(begin)
    if begin == FITS:   # the remedy can be typed
        words = text.partition('--gravity ')[2].partition(';')[0].split()
        size = np.linalg.norm(gravity) * np.linalg.norm([float(word) for word in words])
        assert np.dot([float(word) for word in words], gravity) > np.cos(np.radians(10.0)) * size


def test_a_piece_that_another_pace_makes_too_short_is_not_judged(robot: Robot) -> None:
    piece = Piece(*(part[:125] for part in motion()[:1]), RATE,
                  *(part[:125] for part in (*motion()[1:], motion()[3])))
    assert np.isinf(fitted_error(robot, piece, np.ones(6, dtype=bool), np.zeros(6, dtype=bool),
                                 NONE._replace(pace=10.0))).all()


@SLOW
@pytest.mark.parametrize(('share', 'order', 'found'), [
    (1.0, 1, True), (0.9, 1, True), (0.5, 1, False), (0.0, -1, False)])
def test_columns_in_another_order_are_not_without_gravity(share, order, found, tmp_path):
    path = tmp_path / 'worn.csv'
    subprocess.run([sys.executable, ROOT / 'examples' / 'worn_rx90.py',
                    ROOT / 'examples' / 'rx90.csv', path], check=True)
    dynamics = InverseDynamics(ROOT / 'urdf' / 'rx90.urdf', backend='python')
    names = RecordedNames(dynamics.joint_names, dynamics.continuous, dynamics.units)
    segments, names = read_segments(open_recording(path), names)
    pieces = [piece._replace(effort=piece.effort - share * dynamics.gravity(piece.q))
              for piece in pieces_of(segments, names, path)]
    change = NONE._replace(positions=np.eye(6)[::order], efforts=np.eye(6)[::order])
    text = check_recording(robot_of(dynamics),
                           [change.piece(piece) for piece in pieces]).fault
    assert text.startswith(ABSENT) == found


def zero(joint: int, degrees: float) -> Change:
    """Return a change of the zero of a joint."""
    return NONE._replace(shifts=np.radians(degrees) * np.eye(6)[joint])


@pytest.mark.parametrize(('change', 'gains', 'words'), [
    (zero(2, 90.0), None, 'the zero of elbow_joint is not that of the URDF: the efforts fit its '
     'geometry if about 1.57 rad (90 deg) is added'),
    pytest.param(zero(1, -90.0), FREE, 'about -1.57 rad (-90 deg) is added', marks=SLOW),
    pytest.param(zero(1, 20.0), None, 'the zero of shoulder_lift_joint is not that of the URDF',
                 marks=SLOW),
    (NONE._replace(efforts=swapped(6, 1, 2)), FREE,
     'the efforts of shoulder_lift_joint and elbow_joint look interchanged'),
    pytest.param(NONE._replace(positions=swapped(6, 1, 2)), None,
                 'the positions of shoulder_lift_joint and elbow_joint look interchanged',
                 marks=SLOW),
    (NONE._replace(efforts=swapped(6, 0, 2), positions=swapped(6, 0, 2)), None,
     '--rename elbow_joint=shoulder_pan_joint --rename shoulder_pan_joint=elbow_joint'),
    pytest.param(NONE._replace(efforts=np.eye(6)[::-1], positions=np.eye(6)[::-1]), None,
                 'if what is recorded as wrist_3_joint, wrist_2_joint, wrist_1_joint, '
                 'elbow_joint, shoulder_lift_joint, shoulder_pan_joint is what moves', marks=SLOW),
    pytest.param(NONE._replace(efforts=np.roll(np.eye(6), 1, 0),
                               positions=np.roll(np.eye(6), 1, 0)), None, '--rename '
                 'shoulder_lift_joint=shoulder_pan_joint --rename elbow_joint=shoulder_lift_joint',
                 marks=SLOW),
    pytest.param(NONE._replace(efforts=np.eye(6)[[2, 0, 1, 3, 4, 5]],
                               positions=np.eye(6)[[2, 0, 1, 3, 4, 5]]), None,
                 'if what is recorded as shoulder_lift_joint, elbow_joint, shoulder_pan_joint is '
                 'what moves shoulder_pan_joint, shoulder_lift_joint, elbow_joint; correct the '
                 'names, or add --rename', marks=SLOW),
    (NONE._replace(pace=2.0), None, 'the stamps look 2 times as far apart as they are'),
    pytest.param(NONE._replace(pace=0.5), FREE, 'the stamps look 0.5', marks=SLOW),
    pytest.param(NONE._replace(positions=TURNED), None,
                 'the positions of shoulder_lift_joint have the wrong sign', marks=SLOW),
    (NONE._replace(positions=TURNED, efforts=TURNED), KNOWN,
     'shoulder_lift_joint turns the other way than in the URDF'),
    pytest.param(NONE._replace(efforts=TURNED), KNOWN, 'the efforts of shoulder_lift_joint have '
                 'the wrong sign: there they are minus what the URDF needs, and they push where '
                 'friction brakes; change the sign of its gain', marks=SLOW),
    (NONE._replace(efforts=TURNED @ turned(6, 3)), None,
     '--gains 1 shoulder_lift_joint=-1; the efforts of wrist_1_joint have the wrong sign')])
def test_mistakes_of_joints_are_named_with_the_remedy(change, gains, words, robot):
    """The masses are those of another robot, and no joint but those that are wrong is named."""
    text = fault(robot, change=change, gains=gains)
    assert words in text
    wrong = np.flatnonzero((change.shifts != 0.0) | (np.diag(change.efforts) < 1.0)
                           | (np.diag(change.positions) < 1.0))
    assert {robot.joints[joint] for joint in wrong} == {
        joint for joint in robot.joints if joint in text}


def test_joints_without_recorded_efforts_are_no_others_in_another_order(robot: Robot) -> None:
    """Reversed, the arm's efforts would be those of the wrist: nothing, which needs no model."""
    time, *motions = motion()
    effort = robot.dynamics(*motions)
    effort += 0.2 * effort.std(axis=0) * np.random.default_rng(4).normal(size=effort.shape)
    effort[:, 3:] = np.nan
    assert check_recording(robot, [Piece(time, RATE, *motions, effort)]).fault == ''


@pytest.mark.parametrize(('factor', 'gains', 'noted'), [
    (1.0, None, False), (1000.0, None, True), (100.0, KNOWN, True), (1000.0, FREE, False)])
def test_a_joint_in_other_units_is_noted_by_its_limit_where_friction_is_most_of_its_effort(
        factor: float, gains: Gains | None, noted: bool, robot: Robot) -> None:
    time, *motions = motion()
    effort = robot.dynamics(*motions) + 3.0 * np.tanh(motions[1] / 0.02) + 2.0 * motions[1]
    effort += 0.05 * np.random.default_rng(4).normal(size=effort.shape)
    effort[:, 3] *= factor
    if gains is not None:
        effort /= GAINS
    found = check_recording(robot, [Piece(time, RATE, *motions, effort)], gains)
    assert found.fault == ''
    assert ['are they in another unit, as N mm?' in text and text.startswith(
        'the measured efforts of wrist_1_joint (up to ') for text in found.contradictions] == (
            [True] * noted)


def test_noise_is_not_an_effort_without_gravity(robot: Robot) -> None:
    """That nothing explains it is said of what is held out."""
    time, *motions = motion()
    noise = np.random.default_rng(0).normal(size=motions[0].shape)
    assert check_recording(robot, [Piece(time, RATE, *motions, noise)]).fault == ''


@pytest.mark.parametrize('gains', [pytest.param(KNOWN, marks=SLOW), FREE])
def test_currents_of_mirrored_motors_are_no_fault(gains: Gains, robot: Robot) -> None:
    assert fault(robot, gains=gains) == ''


def test_the_sign_of_a_free_gain_is_that_with_which_friction_brakes(robot: Robot) -> None:
    """Although the URDF has all centres of mass far on the other side of their joints."""
    time, *motions = motion()
    effort = robot.dynamics(*motions)
    effort += 0.4 * effort.std(axis=0) * np.tanh(motions[1] / 0.02)
    parameters = robot.prior.parameters * [1, -5, -5, -5, 1, 1, 1, 1, 1, 1]
    wrong = replace(robot, prior=robot.prior._replace(parameters=parameters))
    rows = RowSource([Piece(time, RATE, *motions, effort / GAINS)], robot.columns, parameters,
                     robot.sign_widths).rows(10.0, 0.0)
    found = approximated(wrong, pooled(block_pools(rows, np.ones(6, dtype=bool))), FREE)
    assert (np.sign(found.values) == np.sign(GAINS)).all()


PENDULUM = """<robot name="pendulum"><link name="stand"/>
<link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="pivot" type="revolute"><parent link="stand"/><child link="bob"/><axis xyz="0 1 0"/>
<limit lower="-3.14" upper="3.14" effort="9" velocity="20"/></joint></robot>"""


def swing(urdf: str, size: float, w: float) -> tuple[Robot, list[np.ndarray]]:
    """Return a pendulum, and positions to accelerations of a sine (1000, 1)."""
    model, time = read_urdf(urdf), np.arange(0.0, 10.0, 0.01)
    return robot_of(InverseDynamics(model)), [size * each[:, None] for each in (
        np.sin(w * time), w * np.cos(w * time), -w * w * np.sin(w * time))]


def test_a_free_swing_is_not_without_gravity() -> None:
    """Gravity accelerates it, and the efforts are friction; the URDF's inertia is another one."""
    pendulum, (q, qd, qdd) = swing(PENDULUM.replace('"0.01"', '"0.1"'), 0.6,
                                   np.sqrt(9.81 * 0.5 / 0.26))
    effort = 0.2 * np.tanh(qd / 0.02) + 0.1 * qd
    effort += 0.02 * np.random.default_rng(0).normal(size=effort.shape)
    piece = Piece(0.01 * np.arange(len(q)), 100.0, q, qd, qdd, effort)
    assert check_recording(pendulum, [piece]).fault == ''


@pytest.mark.parametrize(('unit', 'fault'), [
    (1.0, ''), (180.0 / np.pi, 'pivot is at up to 1800, but its limits in the URDF are 3.14 rad')])
def test_turns_are_no_degrees(unit: float, fault: str) -> None:
    """Of a swing over five turns, and back."""
    pendulum, motions = swing(PENDULUM, 10.0 * np.pi, 0.2 * np.pi)
    effort = pendulum.dynamics(*motions) + 0.1 * np.tanh(motions[1] / 0.02)
    effort += 0.05 * np.random.default_rng(0).normal(size=effort.shape)
    piece = Piece(0.01 * np.arange(1000), 100.0, *(unit * each for each in motions), effort)
    found = check_recording(pendulum, [piece]).fault
    assert found.startswith(fault) and bool(found) == bool(fault)
