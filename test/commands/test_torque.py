"""urdf2dyn torque: the numbers that it prints and writes are those of Pinocchio."""

import json
import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import yaml
from test_cli import run

from support.paths import ROOT
from support.recordings.bags import joint_state, joint_trajectory, write_bag, write_csv
from support.robot_files import robot_path
from urdf2dyn_ros import RecordingError, SmoothTrajectory, open_recording, read_urdf
from urdf2dyn_ros.recordings.plan import doubts
from urdf2dyn_ros.recordings.table import read_table
from urdf2dyn_ros.robot.parameters import load_yaml

UR5, PANDA = robot_path('ur5_joint_limited_robot'), robot_path('panda')
RX90 = ROOT / 'urdf' / 'rx90.urdf'
JOINTS = tuple(pin.buildModelFromUrdf(str(UR5)).names[1:])
PAYLOAD = ('--payload-mass', 2, '--payload-link', 'tool0', '--payload-com', 0, 0, 0.1)


@pytest.fixture(autouse=True)
def _no_picture(request: pytest.FixtureRequest) -> None:
    """Draw it in one test: it takes twenty times as long as the efforts."""
    if request.node.name != 'test_a_recording_is_differentiated_without_losing_its_ends':
        request.getfixturevalue('undrawn')


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


def test_a_recording_is_differentiated_without_losing_its_ends(tmp_path: Path, motion) -> None:
    time, (q, qd, qdd) = motion
    path = write_csv(tmp_path / 'plan.csv', ['time', *(f'q_{name}' for name in JOINTS)],
                     np.column_stack((time, q)).tolist())
    output = tmp_path / 'out.csv'
    done = run('torque', UR5, '--trajectory', path, '--recording', '--json', *PAYLOAD,
               '-o', output)
    table = json.loads(done.stdout)
    assert table['taken_as'] == f'a recording of {len(time)} samples, smoothed'
    expected = np.array([efforts(*state, payload=True) for state in zip(q, qd, qdd)])
    written, _ = read_table(output)
    found = np.column_stack([written.columns[f'effort_{name}'] for name in JOINTS])
    assert written.time == pytest.approx(time)
    assert (np.abs(found - expected) <= 4e-3 * np.abs(expected).max(axis=0)).all()
    assert (np.abs(found - expected)[20:-20] <= 1e-5 * np.abs(expected).max(axis=0)).all()
    for k, row in enumerate(table['joints']):
        numbers = [row[name] for name in ('largest', 'rms', 'driving', 'braking')]
        rms = np.sqrt(np.mean(expected[:-1, k]**2 + expected[1:, k]**2) / 2.0)
        power = expected[:, k] * qd[:, k]
        largest = np.abs(expected[:, k]).max()
        assert np.abs(numbers) == pytest.approx(
            [largest, rms, power.max(), -power.min()], rel=4e-3)
    assert output.with_suffix('.png').read_bytes().startswith(b'\x89PNG')
    assert run('torque', UR5, '--trajectory', path, '-o', output).returncode == 1   # exists


def test_a_recording_may_have_gaps_wraps_and_repeated_stamps(tmp_path: Path, motion) -> None:
    """As it is identified by: nothing is computed in the gap, and its time is none of the RMS."""
    time, (q, qd, qdd) = motion
    q = q - q.mean(axis=0) + 3.0
    wrapped = (q + np.pi) % (2.0 * np.pi) - np.pi
    kept = np.flatnonzero((time < 3.5) | (time > 4.5))
    rows = np.sort(np.append(kept, kept[::50]))
    later = np.where(time > 4.0, 90.0, 0.0)
    path = write_csv(tmp_path / 'plan.csv', ['time', *(f'q_{name}' for name in JOINTS)],
                     np.column_stack((time + later, wrapped))[rows].tolist())
    output = tmp_path / 'out.csv'
    done = run('torque', UR5, '--trajectory', path, '--recording', '--json', '-o', output)
    table = json.loads(done.stdout)
    assert table['taken_as'].endswith('samples, smoothed in 2 parts between gaps')
    expected = np.array([efforts(*state) for state in zip(q, qd, qdd)])
    written, _ = read_table(output)
    found = np.column_stack([written.columns[f'effort_{name}'] for name in JOINTS])
    assert written.time == pytest.approx((time + later)[kept])
    assert (np.abs(found - expected[kept]) <= 1e-2 * np.abs(expected).max(axis=0)).all()
    rms = np.sqrt(np.mean(expected[kept]**2, axis=0))
    assert [row['rms'] for row in table['joints']] == pytest.approx(rms, rel=5e-3)
    path = write_csv(tmp_path / 'all.csv', ['time', *(
        f'{what}_{name}' for what in ('q', 'qd', 'qdd') for name in JOINTS)],
        np.column_stack((time + later, q, qd, qdd))[kept].tolist())
    table = json.loads(run('torque', UR5, '--trajectory', path, '--recording', '--json',
                           '-o', tmp_path / 'all_out.csv').stdout)
    assert table['taken_as'].endswith('samples, with accelerations')
    assert [row['rms'] for row in table['joints']] == pytest.approx(rms, rel=5e-3)


@pytest.mark.slow
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
        written, _ = read_table(tmp_path / 'out.csv')
        rows = np.searchsorted(written.time, time - 1e-6)
        assert len(written.time) == (8 if words else 71)
        found = np.column_stack([written.columns[f'effort_{name}'][rows] for name in JOINTS])
        assert found == pytest.approx(np.array([efforts(*state) for state in zip(*parts)]),
                                      rel=1e-8, abs=1e-8)
    points = [{**point, 'accelerations': []} for point in points]
    path.write_text(json.dumps({'joint_names': JOINTS, 'points': points}))
    done = run('torque', UR5, '--trajectory', path, '--recording', folder=tmp_path)
    assert '8 samples' in done.stderr and '--accelerations zero' in done.stderr
    path.write_text('joint_names: [a, b]\npoints:\n'
                    '- {positions: [1, 2], time_from_start: {sec: 0}}\n'
                    '- {positions: [1], time_from_start: {sec: 1}}')
    done = run('torque', UR5, '--trajectory', path, folder=tmp_path)
    assert 'point 2: 1 positions of 2 joints; a trajectory has joint_names' in done.stderr
    assert [*tmp_path.glob('*_torque*')] == []


def test_a_payload_in_millimetres_is_doubted(tmp_path: Path) -> None:
    """Of the options, and of a file."""
    file = tmp_path / 'p.yaml'
    file.write_text('/**: {ros__parameters: {payload: {mass: 2, link: tool0, com: [0, 0, 100]}}}')
    for words in (['--payload-mass', 2, '--payload-com', 0, 0, 100, '--payload-link', 'tool0'],
                  ['--parameters', file]):
        assert 'is payload.com in millimetres?' in run('torque', UR5, *words).stderr


def test_several_plans_are_no_motion(tmp_path: Path) -> None:
    """In a bag or a file."""
    points = [(k * 10**9, [0.5 * k] * 6, (), (), ()) for k in range(2)]
    bag = write_bag(tmp_path / 'bag', 'mcap', {'/plan': [
        joint_trajectory(second * 10**9, JOINTS, points) for second in (1, 9)]})
    file = tmp_path / 'plans.yaml'
    file.write_text('---\n'.join(
        f'joint_names: {[*JOINTS]}\npoints:\n' + ''.join(
            f'- {{positions: {[0.1 * time] * 6}, time_from_start: {time}}}\n' for time in times)
        for times in ((0, 1), (5, 6))))
    for path in (bag, file):
        done = run('torque', UR5, '--trajectory', path, folder=tmp_path)
        assert '2 trajectories, of 2, 2 ... points, and a plan is one' in done.stderr
    first, _, _ = file.read_text().partition('---')
    file.write_text(first.replace('time_from_start: 0', 'time_from_start: 1'))
    done = run('torque', UR5, '--trajectory', file, folder=tmp_path)
    assert 'point 2 is not later than the one before' in done.stderr


@pytest.mark.parametrize(('words', 'expected'), [
    (['--hold', 'elbow_joint'], '--hold is of a trajectory: add --trajectory FILE'),
    (['--rate', 100], '--rate is of a trajectory: add --trajectory FILE'),
    (['--q', 1, 2], '2 values without a name, but 6 joints: give one for each, in the order sho'),
    (['--q', 'elbow=1'], 'did you mean "elbow_joint"?'),
    (['--qd', 'elbow_joint=1', 'elbow_joint=2'], 'the joint is named twice'),
    (['--q', 'elbow_joint=x'], '"x", for joint "elbow_joint", is not a number'),
    (['--payload-mass', 2], 'carries it? Add --payload-link with one of ee_link, tool0'),
    (['--pause', 0], '--pause is of a trajectory'),
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


def test_numbers_of_yaml_1_1_that_nobody_means_are_texts() -> None:
    """There 010 is 8, and 1:30 is 90."""
    [values] = load_yaml('[010, 1:30, 1:30.5, 10, 0, 0.5, -00.5, 1e3]')
    assert values == ['010', '1:30', '1:30.5', 10, 0, 0.5, -0.5, '1e3']


CASE = """joint_names: [joint1, joint2, joint3, joint4, joint5, joint6]
points:
- {positions: [0.0, 0.5, -0.4, 0.0, 0.3, 0.0], velocities: [0, 0, 0, 0, 0, 0],
   accelerations: [0, 0, 0, 0, 0, 0], time_from_start: {sec: 0, nanosec: 0}}
- {positions: [1.6, 1.3, 0.2, -1.0, 0.8, 1.2], velocities: [0, 0, 0, 0, 0, 0],
   accelerations: [0, 0, 0, 0, 0, 0], time_from_start: {sec: 1, nanosec: 500000000}}
"""


def figures(path: Path, *words: object, urdf: Path = RX90) -> dict:
    done = run('torque', urdf, '--trajectory', path, '--json', '-o', path.with_name('o.csv'),
               '--overwrite', *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in found['joints'][0]:
        found[name] = [row[name] for row in found['joints']]
    return {**found, 'said': done.stderr}


def test_two_points_at_rest_need_the_efforts_of_the_quintic_between_them(tmp_path: Path) -> None:
    path = tmp_path / 'plan.json'
    path.write_text(json.dumps(yaml.safe_load(CASE)))
    found = figures(path, '--pause', 3)
    assert found['taken_as'] == '2 points, joined by quintics'
    assert np.abs(found['largest']) == pytest.approx(
        [19.976, 151.859, 45.598, 0.462, 0.317, 0.0146], rel=2e-3)
    assert found['fastest'] == pytest.approx([2.0, 1.0, 0.75, 1.25, 0.625, 1.5], rel=1e-3)
    assert np.maximum(found['driving'], -np.array(found['braking']))[:3] == pytest.approx(
        [19.1, 103.8, 25.8], rel=2e-3)
    written, _ = read_table(tmp_path / 'o.csv')
    assert len(written.time) == 1501
    for joint, driving, braking in zip(range(1, 7), found['driving'], found['braking']):
        power = (written.columns[f'effort_joint{joint}']
                 * written.columns[f'qd_joint{joint}'])
        assert written.columns[f'power_joint{joint}'] == pytest.approx(power, abs=1e-5)
        assert (driving, braking) == (pytest.approx(power.max()), pytest.approx(power.min()))
    limits = [joint.limits.velocity for joint in read_urdf(RX90).joints if joint.type != 'fixed']
    assert found['velocity_share'] == pytest.approx(np.array(found['fastest']) / limits)
    model = pin.buildModelFromUrdf(str(RX90))
    rest = pin.rnea(model, model.createData(), np.array([1.6, 1.3, 0.2, -1.0, 0.8, 1.2]),
                    np.zeros(6), np.zeros(6))
    assert np.square(found['rms_cycle']) == pytest.approx(
        (1.5 * np.square(found['rms']) + 3.0 * np.square(rest)) / 4.5, abs=1e-9)
    path.write_text('time,q_joint1,qd_joint1\n0,0,0\n2,1,\n')
    words = [f'--hold=joint{k}' for k in range(2, 7)]
    assert ('velocities are not used, as only 1 of 2 points have those of all joints'
            in figures(path.rename(tmp_path / 'plan.csv'), *words)['said'])
    plans = [path.with_name(f'{start}.csv') for start in (0, 7)]   # it may begin at any time
    for start, each in zip((0, 7), plans):
        each.write_text(f'time,q_joint1\n{start},0\n{start + 2},1\n')
    assert figures(plans[0], *words)['largest'] == figures(plans[1], *words)['largest']
    path.write_text(CASE.replace('1.6', '9.6'))
    assert 'joint1: the velocity 12 rad/s at 0.750 s is beyond its limit' in figures(path)['said']
    # in a thousandth of the time: the peaks are between points of less than a millisecond
    path.write_text(CASE.replace('sec: 1, nanosec: 500000000', 'sec: 0, nanosec: 1500000'))
    assert abs(figures(path)['largest'][0]) == pytest.approx(19.976e6, rel=5e-3)
    path.write_text(CASE.replace('{sec: 1, nanosec: 500000000}', '1500000000'))
    with pytest.raises(AssertionError, match='47 years: if it is in nanoseconds'):
        figures(path)


def test_columns_with_the_names_of_joints_are_their_positions(tmp_path: Path) -> None:
    path = tmp_path / 'plan.csv'
    names = [f'joint{k}' for k in range(1, 7)]
    write_csv(path, ['time', *(f'q_{name}' for name in names)], [[0.0] * 7, [2.0, *[0.5] * 6]])
    expected = figures(path)
    text = path.read_text().replace('q_', '')
    path.write_text(text)
    found = figures(path)
    assert 'no column says to be a position, and those with the names of joints are' in (
        found['said'])
    assert 'other names' not in found['said']
    assert found['largest'] == expected['largest']
    path.write_text(text.replace('0.5', '28.64788975654116').replace('joint3', 'joint3_deg')
                    .replace('joint1,', 'joint1 [deg],').replace('joint2', 'joint2 (deg)')
                    .replace('joint4', 'joint4_deg').replace('joint5', 'joint5_deg')
                    .replace('joint6', 'joint6_deg'))
    found = figures(path)
    assert 'positions in degrees' in found['said']
    assert found['largest'] == pytest.approx(expected['largest'])
    path.write_text(text.replace('joint', 'waist_'))
    done = run('torque', RX90, '--trajectory', path)
    assert done.returncode == 1 and 'no column q_<joint>' in done.stderr


def test_a_joint_of_another_name_is_renamed_before_it_is_held(tmp_path: Path) -> None:
    path = tmp_path / 'plan.csv'
    path.write_text('time,q_joint1,q_joint2,q_joint4,q_joint5,q_joint6,q_elbow\n'
                    '0,0,0,0,0,0,0\n2,1,0,0,0,0,0.5\n')
    said = run('torque', RX90, '--trajectory', path).stderr
    assert 'not in it: joint3;' in said and 'add --rename elbow=joint3' in said
    assert '--hold' not in said
    said = figures(path, '--hold', 'joint3')['said']
    assert 'held: joint3; not joints of the robot: elbow; if they are the same' in said
    assert 'are not used' not in said
    assert 'not joints' not in figures(path, '--rename', 'elbow=joint3')['said']


@pytest.mark.parametrize(('point', 'expected'), [
    ('positions: [1], time_from_start: {sec: 1.5}', 1.5),
    ('positions: [1], time_from_start: {secs: 1, nsecs: 500000000}', 1.5),
    ('positions: [1], time_from_start: 1.5', 1.5),
    ('positions: [1], time_from_start: {sec: 1, nsec: 5}', 'has sec, nsec, and not sec and nan'),
    ('positions: [1], time_from_start: {}', 'has nothing, and not sec and nanosec'),
    ('positions: [1], velocity: [0], time_from_start: 1',
     "'velocity' is no part of a point; there are \"positions\", \"velocities\"")])
def test_what_a_point_has_beside_its_parts_is_refused(point: str, expected: float | str,
                                                      tmp_path: Path) -> None:
    path = tmp_path / 'plan.yaml'
    for encoding in ('utf-8', 'utf-16', 'latin-1'):
        path.write_text(f'# 90°\njoint_names: [a]\npoints:\n- {{{point}}}\n', encoding=encoding)
        if isinstance(expected, str):
            with pytest.raises(RecordingError, match=re.escape(expected)):
                list(open_recording(path))
        else:
            [record] = open_recording(path)
            assert (record.stamp, *record.position) == (expected * 1e9, 1.0)


def test_what_is_doubted_of_the_points_of_a_plan() -> None:
    points = np.zeros((3, 3, 1))
    points[1:] = np.nan
    assert [*doubts(np.array([0.0, 1.0, 2.0]), points, ['a'])] == []
    assert [*doubts(1500.0 * np.arange(3), points, ['a'])] == [
        'its points are 1500 s apart, as times are in seconds: are they in another unit?']
    points[2] = 0.0
    assert [*doubts(np.array([0.0, 1.0, 2.0]), points, ['a'])] == [
        'accelerations are not used, as there are no velocities beside them']


@pytest.mark.parametrize('names', ['joint1, joint2, joint2, joint4, joint5, joint6',
                                   'joint1, joint2, joint2, joint3, joint4, joint5, joint6'])
def test_a_joint_that_is_named_twice_is_no_missing_one(names: str, tmp_path: Path) -> None:
    path, zeros = tmp_path / 'plan.yaml', [0.0] * len(names.split())
    path.write_text(f'joint_names: [{names}]\npoints:\n' + ''.join(
        f'- {{positions: {zeros}, time_from_start: {time}}}\n' for time in range(3)))
    done = run('torque', RX90, '--trajectory', path, '-o', tmp_path / 'o.csv')
    assert done.returncode == 1 and (
        "it names the joint 'joint2' twice, with a position for each: correct its names, or "
        'delete one of the two') in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(('known', 'text', 'least'), [
    (1, 'joined by a quintic spline, at rest at both ends', 0.97), (2, 'joined by cubics', 0.9),
    (3, 'joined by quintics', 0.999)])
def test_the_peaks_between_sparse_points_are_found(known: int, text: str, least: float,
                                                   tmp_path: Path) -> None:
    """A motion from rest to rest at 10 Hz, against the same one at 1 kHz by Pinocchio."""
    trajectory = SmoothTrajectory(['revolute'] * 6, [j.limits for j in read_urdf(UR5).joints
                                                     if j.name in JOINTS], 4.0)
    model = pin.buildModelFromUrdf(str(UR5))
    data = model.createData()
    dense = np.array([pin.rnea(model, data, *trajectory(t)) for t in np.arange(0.0, 4.0, 0.001)])
    time = np.arange(0.0, 4.05, 0.1)
    points = np.array([trajectory(t) for t in time]).transpose(1, 0, 2)
    path = write_csv(tmp_path / 'plan.csv', ['time', *(
        f'{what}_{name}' for what in ('q', 'qd', 'qdd')[:known] for name in JOINTS)],
        np.column_stack((time, *points[:known])).tolist())
    found = figures(path, urdf=UR5)
    assert text in found['taken_as'] and '41 points' in found['taken_as']
    largest = np.abs(dense).max(axis=0)
    assert (least * largest < np.abs(found['largest'])).all()
    assert np.abs(found['largest'])[:3] == pytest.approx(largest[:3], rel=0.06)
    assert len(read_table(tmp_path / 'o.csv')[0].time) == (4001 if known != 2 else 4040)


@pytest.mark.slow
def test_bags_of_trajectories_are_plans_and_those_of_joint_states_recordings(
        tmp_path: Path) -> None:
    names = [f'joint{k}' for k in range(1, 7)]
    rest, end = np.zeros(6), [1.6, 1.3, 0.2, -1.0, 0.8, 1.2]
    begin = [0.0, 0.5, -0.4, 0.0, 0.3, 0.0]
    plan = write_bag(tmp_path / 'plan', 'mcap', {'/plan': [joint_trajectory(10**9, names, [
        (0, begin, rest, rest, ()), (1_500_000_000, end, rest, rest, ())])]})
    found = figures(plan)
    assert found['taken_as'] == '2 points, joined by quintics'
    assert abs(found['largest'][1]) == pytest.approx(151.859, rel=1e-3)
    time = np.arange(0.0, 2.0, 0.01)
    states = [joint_state(round(1e9 * (1.0 + t)), names, 0.3 * np.sin(3.0 * t) * np.ones(6))
              for t in time]
    recording = write_bag(tmp_path / 'states', 'mcap', {'/joint_states': states})
    assert figures(recording)['taken_as'] == 'a recording of 200 samples, smoothed'


@pytest.mark.slow
def test_a_spline_that_overshoots_a_limit_is_named_with_its_instant(tmp_path: Path) -> None:
    names = [f'q_joint{k}' for k in range(1, 7)]
    rows = [[t, q, 0.0, 0.0, 0.0, 0.0, 0.0] for t, q in ((0, 0), (1, 2.75), (2, 2.75), (3, 0))]
    found = figures(write_csv(tmp_path / 'x.csv', ['time', *names], rows))
    assert 'joint1: the position 3.888' in found['said'] and 'at 1.500 s' in found['said']
    noise = np.random.default_rng(0).normal(size=(200, 6)) * 1e-4
    rows = np.column_stack((0.01 * np.arange(200), noise)).tolist()
    measured = write_csv(tmp_path / 'm.csv', ['time', *names], rows)
    assert 'look measured: most of their second differences are noise' in figures(measured)['said']
    assert 'look measured' not in figures(measured, '--recording')['said']


@pytest.mark.slow
def test_a_long_plan_has_a_table_that_can_be_opened(tmp_path: Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours of it in larger steps, and a table of some of its rows, with the largest efforts."""
    monkeypatch.setattr('urdf2dyn_ros.recordings.plan._MOST_INSTANTS', 20_000)
    monkeypatch.setattr('urdf2dyn_ros.commands.torque._MOST_ROWS', 1000)
    rows = [[3e3 * k, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0 * (k % 2)] for k in range(3)]
    long = figures(write_csv(tmp_path / 'l.csv', ['time', *(f'q_joint{k}' for k in range(1, 7))],
                             rows))
    assert 'every 300 ms' in long['taken_as']
    written, _ = read_table(tmp_path / 'o.csv')
    assert 900 < len(written.time) <= 1000
    for name, largest in zip(long['joint'], long['largest']):
        assert np.abs(written.columns[f'effort_{name}']).max() == pytest.approx(abs(largest))


def test_motors_are_known_where_gears_are(tmp_path: Path) -> None:
    path, urdf = tmp_path / 'plan.yaml', tmp_path / 'rx90.urdf'
    path.write_text(CASE)
    urdf.write_text(RX90.read_text().replace('</robot>', """
      <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
      <joint name="joint2"/><actuator name="m"><mechanicalReduction>-50</mechanicalReduction>
      </actuator></transmission></robot>"""))
    rows = figures(path, urdf=urdf)['joints']
    assert ['motor' in row for row in rows] == [False, True, False, False, False, False]
    assert rows[1]['motor'] == {
        'gear_ratio': -50.0, 'torque': pytest.approx(151.86 / 50, rel=1e-3),
        'rms': pytest.approx(rows[1]['rms'] / 50), 'speed': pytest.approx(50.0, rel=1e-3),
        'power': pytest.approx(103.8, rel=1e-3), 'rotor': False}
    done = run('torque', urdf, '--trajectory', path, '-o', tmp_path / 'x.csv')
    assert 'nor the unknown inertia of rotors: joint2:' in done.stdout
    assert '477.5 rpm' in done.stdout


def test_values_in_commas_and_forgotten_degrees() -> None:
    rows = {words: json.loads(run('torque', RX90, '--json', '--q', *words).stdout)['joints']
            for words in (('0', '-1', '0.5', '0', '0', '0'), ('0,-1,0.5,0,0,0',),
                          ('[0,', '-1,', '0.5,', '0,', '0,', '0]'), ('[0, -1, 0.5, 0, 0, 0]',))}
    assert len({str(each) for each in rows.values()}) == 1
    assert [row['q'] for row in rows['0,-1,0.5,0,0,0',]] == [0, -1, 0.5, 0, 0, 0]
    rows = json.loads(run('torque', RX90, '--json', '--q', 'joint2=-1,joint3=0.5').stdout)
    assert [row['q'] for row in rows['joints']] == [0, -1, 0.5, 0, 0, 0]
    done = run('torque', RX90, '--q', '0,-60,90,0,0,0')
    assert 'joint2 -60 rad, joint3 90 rad: more than a turn; are these degrees?' in done.stderr
    assert 'are these' not in run('torque', RX90, '--q', '0,-60,90,0,0,0', '--degrees').stderr
    assert '--lock and --start are in rad' in run(
        'torque', RX90, '--lock', 'joint1=1', '--q', '-60,90,0,0,0', '--degrees').stderr


def test_a_payload_is_carried_by_the_only_tip() -> None:
    done = run('torque', RX90, '--payload-mass', 2, '--json')
    assert 'note: the payload is carried by' in done.stderr
    link = done.stderr.split('carried by ')[1].split(',')[0]
    assert done.stdout == run('torque', RX90, '--payload-mass', 2, '--payload-link', link,
                              '--json').stdout
