"""The command excite: a motion at rest at both ends, within all limits, and what it is worth."""

import re
import signal
from pathlib import Path

import numpy as np
import pytest
import yaml

from support.robot_files import OWN
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.simulation.simulator import find_gears
from urdf2dyn_ros.simulation.trajectories import FileTrajectory

SCARA, TWO = OWN / 'scara.urdf', OWN / 'robot_2r.urdf'
MODEL = read_urdf(SCARA.read_text())
ROBOT = InverseDynamics(MODEL)
FRACTION, DURATION = 0.4, 12.0
LIMITS = 'joint1: {velocity: 1.0, effort: 200}\njoint2: {velocity: 2, effort: 100}\n'
WEAK = ('joint1: {lower: -0.1, upper: 0.1, velocity: 1, effort: 1}\n'
        'joint2: {lower: -0.1, upper: 0.1, velocity: 1, effort: 100}\n')


def excited(robot: Path, *words: object) -> int:
    return main(['excite', str(robot), *map(str, words)])


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a result; `printed` has the output."""
    place = tmp_path_factory.mktemp('excite')
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr('builtins.print', lambda *words, **_: lines.extend(map(str, words)))
        assert excited(SCARA, '-o', place / 't.csv', '--duration', DURATION, '--fraction',
                       FRACTION) == 0
    (place / 'printed').write_text('\n'.join(lines))
    return place


def table(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, positions and velocities as a command reads them."""
    records = list(open_recording(path))
    assert records[0].names == ROBOT.joint_names
    return (1e-9 * np.array([each.stamp for each in records]),
            *(np.array([getattr(each, name) for each in records])
              for name in ('position', 'velocity')))


def test_the_motion_is_at_rest_at_both_ends(folder: Path) -> None:
    time, q, qd = table(folder / 't.csv')
    assert (time[0], time[-1]) == (0.0, DURATION)
    assert (folder / 't.png').read_bytes().startswith(b'\x89PNG')
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-8)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-8)
    # without acceleration: the velocity grows with the square of time
    assert (np.abs(qd[1]) < 0.03 * np.abs(qd[:100]).max(axis=0)).all()
    np.testing.assert_allclose(np.gradient(q, time, axis=0)[1:-1], qd[1:-1],
                               atol=2e-3 * np.abs(qd).max())


def test_it_keeps_and_uses_its_share_of_the_limits(folder: Path) -> None:
    time, q, qd = table(folder / 't.csv')
    lower, upper, velocity, effort = np.array(
        [(each.lower, each.upper, each.velocity, each.effort) for each in ROBOT.limits]).T
    used = np.array([
        np.abs(q - (lower + upper) / 2.0).max(axis=0) / (FRACTION * (upper - lower) / 2.0),
        np.abs(qd).max(axis=0) / (FRACTION * velocity),
        np.abs(ROBOT(q, qd, np.gradient(qd, time, axis=0))).max(axis=0) / (FRACTION * effort)])
    assert used.max() < 1.001   # of differences
    assert (used.max(axis=0) > 0.98).all()


@pytest.mark.slow
def test_it_keeps_accelerations_and_jerks_of_urdf_1_2(tmp_path: Path) -> None:
    """From the points of the trajectory, by the polynomials of degree 5 of a controller."""
    path = tmp_path / 'robot.urdf'
    path.write_text(SCARA.read_text().replace(
        '<limit ', '<limit acceleration="2" deceleration="1.5" jerk="2.5" '))
    assert excited(path, '-o', tmp_path / 't.csv', '--duration', DURATION, '--fraction',
                   FRACTION) == 0
    points = yaml.safe_load((tmp_path / 't.yaml').read_text())['points']
    time = np.array([each['time_from_start']['sec'] + 1e-9 * each['time_from_start']['nanosec']
                     for each in points])
    qdd = np.array([each['accelerations'] for each in points])
    largest = np.abs(qdd).max(axis=0) / (FRACTION * 1.5)
    jerk = np.abs(np.gradient(qdd, time, axis=0)).max(axis=0) / (FRACTION * 2.5)
    assert max(largest.max(), jerk.max()) < 1.001
    assert (np.maximum(largest, jerk)[:3] > 0.95).all()   # positions bound the last one
    start = np.array(points[0]['positions'])
    lower, upper = np.array([(each.lower, each.upper) for each in ROBOT.limits]).T
    way, t = np.maximum(upper - start, start - lower), time[0]
    assert (10.0 / 3.0**0.5 * way < 1.5 * t**2).all() and (60.0 * way < 2.5 * t**3).all()


def test_the_trajectory_starts_anywhere_and_is_the_same_motion(folder: Path) -> None:
    """By the points of the simulated controller, which checks the URDF's limits."""
    message = yaml.safe_load((folder / 't.yaml').read_text())
    first = message['points'][0]['time_from_start']
    begin = first['sec'] + 1e-9 * first['nanosec']
    found = find_gears(MODEL)
    upper = np.array([joint.limits.upper for joint in found.drivers])
    path = FileTrajectory(str(folder / 't.yaml'), found.drivers, found.limits, upper)
    time, q, qd = table(folder / 't.csv')
    names = [joint.name for joint in found.drivers]
    order = [names.index(name) for name in ROBOT.joint_names]
    states = np.array([path(begin + t)[:2] for t in time[:-1]])[:, :, order]
    np.testing.assert_allclose(states[:, 0], q[:-1], atol=1e-5)
    np.testing.assert_allclose(states[:, 1], qd[:-1], atol=1e-4)


def test_it_says_more_of_the_base_parameters_than_random_motions(folder: Path) -> None:
    printed = (folder / 'printed').read_text()
    best, other = map(float, re.search(
        r'information: (\S+); .* random motions: (\S+)\n', printed).groups())
    assert best > other + 10.0
    assert 'collisions with itself' in printed


def test_files_are_kept_and_replaced_with_overwrite_alone(folder, tmp_path, capsys):
    limits, before = tmp_path / 'limits.yaml', tmp_path / 't.yaml'
    limits.write_text(LIMITS)
    before.write_text('mine')
    words = ('-o', tmp_path / 't.csv', '--limits', limits, '--duration', 4)
    assert excited(TWO, *words) == 1
    error = capsys.readouterr().err
    assert 't.yaml exists' in error and 'choose another file with --output' in error
    assert before.read_text() == 'mine'
    assert excited(TWO, *words, '--overwrite') == 0
    assert {path.name for path in tmp_path.iterdir()} == {'limits.yaml', 't.csv', 't.yaml',
                                                          't.png'}
    assert before.read_text() != 'mine'


@pytest.mark.parametrize(('limits', 'options', 'words'), [
    ('', (), ("joint 'joint1' has no limit velocity, effort", 'joint2', '--limits')),
    ('joint1: {speed: 1}', (), ("joint 'joint1': speed",)),
    (LIMITS.replace('}', ', jerk: 0.001}'), (), ("joint 'joint1' moves by", 'jerk')),
    (LIMITS.replace('}', ', acceleration: 0}'), (), ('no motion has a limit of acc',)),
    ('joint3: {velocity: 1}', (), ("no joint 'joint3'", 'joint1, joint2')),
    ('joint1: [1', (), ('is no YAML: line 1, column 11: while parsing',)),
    ('joint1: 2026-13-01', (), ('is no YAML: month must be in 1..12',)),
    (f'joint1: {{effort: {"9" * 5000}}}', (), ('is no YAML: Exceeds the limit',)),
    (f'joint1: {{effort: {"9" * 400}}}', (), ("joint 'joint1': effort", 'up to 1e+30')),
    (WEAK, ('--gravity', 0, -9.81, 0), ("joint 'joint1': at rest, gravity needs", '--fraction')),
    (LIMITS, ('--fraction', 2), ('fraction 2: must be between',)),
    (LIMITS, ('--duration', 0), ('duration 0: must be between',)),
    (LIMITS, ('-o', 't.txt'), ('must end in .csv',))])
def test_what_cannot_be_found_is_an_error_without_files(limits, options, words, tmp_path, capsys):
    path = tmp_path / 'limits.yaml'
    path.write_text(limits)
    option = ('--limits', path) if limits else ()
    assert excited(TWO, '-o', tmp_path / 'out' / 't.csv', *option, *options) == 1
    errors = capsys.readouterr().err
    assert all(word in errors for word in words)
    assert [each.name for each in tmp_path.iterdir()] == ['limits.yaml']


def test_limits_beyond_those_of_the_urdf_are_named(tmp_path, capsys):
    path = tmp_path / 'limits.yaml'
    path.write_text('joint1: {lower: -200, upper: 2, velocity: 99}')
    assert excited(OWN / 'rx90.urdf', '-o', tmp_path / 't.csv', '--limits', path,
                   '--duration', 2, '--fraction', 2) == 1
    said = capsys.readouterr().err
    assert 'joint "joint1" is beyond that of the URDF, -2.79253: is it in degrees?' in said
    assert 'velocity 99 of joint "joint1" is beyond' in said and 'upper' not in said


@pytest.mark.parametrize(('text', 'words'), [
    ('<robot name="box"><link name="a"/></robot>', "robot 'box' has no joint that moves"),
    (re.sub('lower="[^"]*" upper="[^"]*"', 'lower="0.3" upper="0.3"', SCARA.read_text(), count=1),
     "joint 'joint1' has no range: lower 0.3, upper 0.3"),
    (SCARA.read_text().replace('</robot>', f'<force link="{MODEL.links[-1].name}" force="1 0 0"/>'
                               '</robot>'), 'tags <force>')])
def test_robots_without_an_answer_are_refused(text, words, tmp_path, capsys):
    path = tmp_path / 'robot.urdf'
    path.write_text(text)
    assert excited(path, '-o', tmp_path / 't.csv') == 1
    assert words in capsys.readouterr().err


@pytest.mark.usefixtures('ctrl_c')
def test_interrupted_it_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('urdf2dyn_ros.commands.excite.excite',
                        lambda *_: signal.raise_signal(signal.SIGINT))
    assert excited(SCARA, '-o', tmp_path / 'out' / 't.csv') == 130
    assert list(tmp_path.iterdir()) == []
