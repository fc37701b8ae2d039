"""urdf2dyn torque: the numbers that it prints and writes are those of Pinocchio."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import trapezoid
from test_cli import run

from support.recordings.bags import write_csv
from support.robot_files import robot_path
from urdf2dyn_ros import SmoothTrajectory, read_urdf
from urdf2dyn_ros.recordings.table import read_table

UR5, PANDA = robot_path('ur5_joint_limited_robot'), robot_path('panda')
JOINTS = tuple(pin.buildModelFromUrdf(str(UR5)).names[1:])
PAYLOAD = ('--payload-mass', 2, '--payload-link', 'tool0', '--payload-com', 0, 0, 0.1)


def efforts(q, qd, qdd, payload: bool = False):
    model = pin.buildModelFromUrdf(str(UR5))
    if payload:
        frame = model.frames[model.getFrameId('tool0')]
        model.appendBodyToJoint(frame.parentJoint, pin.Inertia(
            2.0, np.array([0.0, 0.0, 0.1]), np.zeros((3, 3))), frame.placement)
    return pin.rnea(model, model.createData(), *map(np.asarray, (q, qd, qdd)))


def printed(*words: object) -> dict[str, list[str]]:
    """Return the cells of each joint in the table that a command prints."""
    done = run('torque', *words)
    assert done.returncode == 0, done.stderr
    return {cells[0]: cells[1:] for line in done.stdout.splitlines()
            if (cells := line.split()) and cells[0] in JOINTS}


def test_the_gravity_torque_at_a_pose_is_one_line() -> None:
    """In the order of the joints, in degrees, or by name; with the share of the limit."""
    pose = (0, -60, 90, 20, 45, 10)
    expected = efforts(np.radians(pose), np.zeros(6), np.zeros(6))
    limits = [limit.effort for limit in (joint.limits for joint in read_urdf(UR5).joints
                                         if joint.name in JOINTS)]
    for words in (pose, [f'{name}={x}' for name, x in zip(JOINTS, pose) if x]):
        table = printed(UR5, '--q', *words, '--degrees')
        assert [row[:2] for row in table.values()] == [[str(x), 'deg'] for x in pose]
        assert [float(row[2]) for row in table.values()] == pytest.approx(expected, rel=1e-5)
        assert [float(row[5]) for row in table.values()] == pytest.approx(
            100 * np.abs(expected) / limits, abs=0.051)


def test_a_state_with_a_payload_and_what_its_efforts_are_the_sum_of() -> None:
    """-1e-1 is a number."""
    state = [[0.1, -1.0, 0.5, 0.2, 0.4, 0.3], [-1e-1, 0.5, 1.0, 0.2, 0.3, 0.1], [1, 2, 3, 4, 5, 6]]
    words = [UR5, *PAYLOAD, '--terms', '--qd', '-1e-1', *state[1][1:], '--qdd', *state[2],
             '--q', *state[0]]
    rows = [*printed(*words).values()]
    found, *terms = ([float(row[k]) for row in rows] for k in (6, 11, 12, 13))
    assert found == pytest.approx(efforts(*state, payload=True), rel=1e-5, abs=1e-5)
    assert np.sum(terms, axis=0) == pytest.approx(found, rel=1e-4)


def test_without_a_state_it_is_gravity_at_zero_and_limits_that_exclude_zero_are_named() -> None:
    done = run('torque', PANDA)
    assert 'joint4: the position 0 rad is outside of its limits, -3.072 to -0.0698' in done.stderr
    assert '19.2 %' in done.stdout and done.returncode == 0


@pytest.fixture(scope='module')
def motion():
    """Return times [s] and a smooth motion, which is cut where it is fast, (3, k, n)."""
    trajectory = SmoothTrajectory(['revolute'] * 6, [j.limits for j in read_urdf(UR5).joints
                                                     if j.name in JOINTS], 10.0)
    time = np.arange(2.1, 7.3, 0.01)
    return time, np.array([trajectory(t) for t in time]).transpose(1, 0, 2)


def test_a_trajectory_is_differentiated_without_losing_its_ends(tmp_path: Path, motion) -> None:
    time, (q, qd, qdd) = motion
    path = write_csv(tmp_path / 'plan.csv', ['time', *(f'q_{name}' for name in JOINTS)],
                     np.column_stack((time, q)).tolist())
    output = tmp_path / 'out.csv'
    table = printed(UR5, '--trajectory', path, *PAYLOAD, '-o', output)
    expected = np.array([efforts(*state, payload=True) for state in zip(q, qd, qdd)])
    written = read_table(output)
    found = np.column_stack([written.columns[f'effort_{name}'] for name in JOINTS])
    assert written.time == pytest.approx(time)
    assert (np.abs(found - expected) <= 4e-3 * np.abs(expected).max(axis=0)).all()
    assert (np.abs(found - expected)[20:-20] <= 1e-5 * np.abs(expected).max(axis=0)).all()
    for k, row in enumerate(table.values()):
        numbers = [float(row[i]) for i in (0, 7, 12, 14)]
        rms = np.sqrt(trapezoid(expected[:, k]**2, time) / (time[-1] - time[0]))
        power = expected[:, k] * qd[:, k]
        largest = np.abs(expected[:, k]).max()
        assert np.abs(numbers) == pytest.approx(
            [largest, rms, power.max(), -power.min()], rel=4e-3)
    assert output.with_suffix('.png').read_bytes().startswith(b'\x89PNG')
    assert run('torque', UR5, '--trajectory', path, '-o', output).returncode == 1   # exists


def test_a_trajectory_of_moveit_is_used_as_it_is_or_as_poses(tmp_path: Path, motion) -> None:
    """A trajectory_msgs/JointTrajectory in another message, of fewer points than a curve takes."""
    time, states = motion
    time, states = time[:8], states[:, :8]
    points = [{'positions': q.tolist(), 'velocities': qd.tolist(), 'accelerations': qdd.tolist(),
               'time_from_start': {'sec': int(t), 'nanosec': round(t % 1 * 1e9)}}
              for t, q, qd, qdd in zip(time, *states)]
    path = tmp_path / 'plan.yaml'
    path.write_text(json.dumps([{'joint_trajectory': {'joint_names': JOINTS, 'points': points}}]))
    for words, parts in (((), states), (('--accelerations', 'zero'), [*states[:2],
                                                                      0.0 * states[2]])):
        printed(UR5, '--trajectory', path, *words, '-o', tmp_path / 'out.csv', '--overwrite')
        columns = read_table(tmp_path / 'out.csv').columns
        found = np.column_stack([columns[f'effort_{name}'] for name in JOINTS])
        assert found == pytest.approx(np.array([efforts(*state) for state in zip(*parts)]),
                                      rel=1e-8, abs=1e-8)
    done = run('torque', UR5, '--trajectory', path, '--accelerations', 'differentiated',
               folder=tmp_path)
    assert '8 points' in done.stderr and '--accelerations zero' in done.stderr
    path.write_text('joint_names: [a, b]\npoints:\n- positions: [1]\n  time_from_start: {sec: 0}')
    done = run('torque', UR5, '--trajectory', path, folder=tmp_path)
    assert 'point 1: 1 positions of 2 joints; a trajectory has joint_names' in done.stderr
    assert [*tmp_path.glob('*_torque*')] == []


@pytest.mark.parametrize(('words', 'expected'), [
    (['--q', 1, 2], '2 values without a name, but 6 joints: give one for each, in the order sho'),
    (['--q', 'elbow=1'], 'did you mean "elbow_joint"?'),
    (['--qd', 'elbow_joint=1', 'elbow_joint=2'], 'the joint is named twice'),
    (['--q', 'elbow_joint=x'], '"x", for joint "elbow_joint", is not a number'),
    (['--payload-mass', 2], 'which link carries it? Add --payload-link'),
    (['--payload-link', 'tool0'], 'require --payload-mass'),
    (['--payload-mass', 2, '--payload-link', 'tool'], "no link 'tool' for a payload; the links"),
    (['--payload-mass', -2, '--payload-link', 'tool0'], '--payload-mass = -2.0: must be a number'),
    (['-o', 'x.csv'], 'add --trajectory FILE'),
    (['--trajectory', 'x.csv', '--q', 1], '--q is of a state, and --trajectory has its own'),
])
def test_errors_name_what_where_rule_and_remedy(words: list, expected: str) -> None:
    done = run('torque', UR5, *words)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith('error: ') and expected in done.stderr


@pytest.mark.parametrize('words', [('torque', UR5, '--trajectory'), ('excite', UR5, '--limits'),
                                   ('torque', UR5, '--parameters')])
def test_aliases_that_would_become_a_billion_values_are_refused_at_once(tmp_path: Path,
                                                                        words) -> None:
    lines = ['a0: &a0 [1]', *(f'a{k}: &a{k} [{", ".join([f"*a{k - 1}"] * 9)}]'
                              for k in range(1, 12))]
    path = tmp_path / 'many.yaml'
    path.write_text('\n'.join(lines))
    done = run(*words, path, folder=tmp_path)
    assert done.returncode == 1
    assert 'line 1, column 5: an alias repeats this value; anchors' in done.stderr
