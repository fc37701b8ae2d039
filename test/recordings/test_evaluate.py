"""`urdf2dyn evaluate`: recordings whose efforts are known."""

from pathlib import Path

import numpy as np
import pytest

from support.recordings import scara
from support.recordings.evaluate_command import REPORT, WRITTEN, nrmse, true_efforts, with_dynamics
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.robot.reader import read_urdf


@pytest.mark.parametrize('kind', scara.KINDS)
def test_the_efforts_of_a_recording_are_those_of_its_motion(evaluate, tmp_path, kind):
    """Offline smoothing finds them from positions and velocities; table, bag and report agree."""
    samples = scara.motion()
    drawn = kind == 'db3'
    done = evaluate(scara.KINDS[kind](tmp_path, samples.reversed()), drawn=drawn)
    assert (done.code, done.err) == (0, '')
    files = REPORT if drawn else WRITTEN
    assert {path.name for path in done.folder.iterdir()} == files
    true = true_efforts(done, samples)
    # half of the window of 80 ms at either end
    assert len(true) == 300 - 20
    assert nrmse(done.side('computed'), true) < 1.5e-5
    np.testing.assert_allclose(done.side('measured'), true, rtol=1e-8)
    np.testing.assert_allclose(done.side('residual'),
                               done.side('measured') - done.side('computed'), atol=1e-6)

    bag = open_recording(done.folder / 'efforts_bag')
    records = list(bag)
    assert bag.topic == '/inverse_dynamics/efforts' and bag.joint_names == scara.JOINTS
    assert [record.stamp for record in records] == done.stamps.tolist()
    np.testing.assert_allclose([record.effort for record in records], done.side('computed'),
                               rtol=1e-8)
    assert (done.folder / 'efforts_bag' / 'efforts_bag.mcap').exists()

    for joint, row in zip(scara.JOINTS, done.figures()):
        assert row['joint'] == joint and row['nrmse'] < 1.5e-5
        assert joint in done.out
    for words in ('300 records', 'smoothing_spline, offline', 'net, what moves the links',
                  'efforts computed: 280 of 300', '1.116 s from', '2023-11-14 22:13:20 UTC',
                  'warming_up 20 (', str(done.folder / 'efforts.csv'),
                  str(done.folder / 'efforts_bag')):
        assert words in done.out
    if drawn:
        page = (done.folder / 'efforts.html').read_text()
        assert '<table' in page and 'smoothing_spline, offline smoothing' in page
        assert (done.folder / 'efforts.png').read_bytes().startswith(b'\x89PNG')


def test_accelerations_that_are_recorded_are_used_as_they_are(evaluate, tmp_path: Path) -> None:
    """Then every record has its effort, exactly; a table's time may begin at zero, or below."""
    for start, first in ((0, '0.000000000'), (-1_500_000_000, '-1.500000000'),
                         (-9_223_372_036_000_000_000, '-9223372036.000000000')):
        samples = scara.motion(100, start=0)
        path = scara.table(tmp_path, samples, accelerations=True)
        if start:
            lines = path.read_text().replace('\n0.', '\n-1.').splitlines()
            lines[1:] = [f'{k * 0.004 + start * 1e-9:.3f},{line.partition(",")[2]}'
                         for k, line in enumerate(lines[1:])]
            path.write_text('\n'.join(lines))
        done = evaluate(path)
        assert (done.code, done.err) == (0, '')
        assert 'accelerations: external, as recorded' in done.out
        assert done.rows['time'][0] == first
        assert [float(time) for time in done.rows['time']] == pytest.approx(
            (samples.stamps + start) * 1e-9)
        np.testing.assert_allclose(done.side('computed'), samples.effort, atol=1e-7)
        assert len(list(open_recording(done.folder / 'efforts_bag'))) == 100
    done = evaluate(path, '--estimator', 'kalman_fixed_lag')
    assert 'accelerations: kalman_fixed_lag, as the node estimates them' in done.out


def test_the_first_row_and_a_single_one_have_efforts(evaluate, tmp_path: Path) -> None:
    """Where accelerations are recorded or taken as zero; a velocity leads to the next row."""
    samples = scara.motion(100)
    path = scara.table(tmp_path, samples.but(qd=None), accelerations=True)
    done = evaluate(path)
    assert 'efforts computed: 100 of 100 records' in done.out and 'warming_up' not in done.out
    np.testing.assert_allclose(done.side('computed')[0], samples.effort[0], atol=0.05)
    path.write_text('\n'.join(path.read_text().splitlines()[:2]))
    done = evaluate(path, '--estimator', 'none')
    assert 'velocities of a single record are taken as zero' in done.err
    still = InverseDynamics(read_urdf(scara.SCARA.read_text()))
    np.testing.assert_allclose(done.side('computed'), still(samples.q[:1], 0.0 * samples.q[:1],
                                                            0.0 * samples.q[:1]), rtol=1e-6)
    done = evaluate(path, '--estimator', 'smoothing_spline')
    assert done.code == 1 and '--estimator none takes them as zero' in done.out


def test_turns_of_joints_with_limits_are_no_jumps(evaluate, tmp_path: Path) -> None:
    """Some drivers report angles from 0 to 2 pi, and with noise cross that border many times."""
    samples = scara.motion(600)
    q = samples.q + 1e-5 * np.random.default_rng(0).normal(size=samples.q.shape)
    q[:, :3] %= 2.0 * np.pi
    assert (np.abs(np.diff(q, axis=0)).max(axis=0)[:3] > 6.0).all()
    path = scara.table(tmp_path, samples.but(q=q, qd=None))
    for estimator, largest in (('smoothing_spline', 0.01), ('kalman', 0.1)):
        done = evaluate(path, '--estimator', estimator, '--overwrite')
        assert (done.code, done.err) == (0, '')
        assert nrmse(done.side('computed'), true_efforts(done, samples)) < largest


def test_a_trajectory_is_compared_at_its_points(evaluate, tmp_path: Path) -> None:
    """With its own accelerations, however far apart the points are."""
    samples = scara.motion(60, rate=5)
    done = evaluate(scara.trajectory(tmp_path, samples.reversed()))
    assert done.code == 0
    assert 'topic /plan' in done.out
    np.testing.assert_allclose(done.side('computed'), samples.effort, atol=1e-7)
    np.testing.assert_allclose(done.side('measured'), samples.effort, atol=1e-7)


def test_friction_is_found_and_taken_into_account(evaluate, tmp_path: Path) -> None:
    """Friction that a URDF lacks is fitted; friction that it has belongs to commanded efforts."""
    samples = scara.motion(600)
    friction = 1.5 * samples.qd + 4.0 * np.sign(samples.qd)
    path = scara.mcap(tmp_path, samples.but(effort=samples.effort + friction))
    done = evaluate(path)
    for row in done.figures():
        assert row['friction']['viscous']['value'] == pytest.approx(1.5, rel=1e-5)
        assert row['friction']['coulomb']['value'] == pytest.approx(4.0, rel=0.02)
    urdf = with_dynamics(tmp_path, 1.5, 4.0)
    done = evaluate(path, '--effort-semantics', 'commanded', urdf=urdf)
    assert 'commanded, commands of the actuators' in done.out
    # but for the instants at which the velocity changes its sign
    assert np.quantile(np.abs(done.side('residual')), 0.95) < 1e-4
    assert all(row['nrmse'] < 0.05 for row in done.figures())
    # the bag has what the node would publish
    effort = np.array([record.effort for record in open_recording(done.folder / 'efforts_bag')])
    assert nrmse(effort, true_efforts(done, samples)) < 1.5e-5


def test_currents_and_efforts_beyond_gravity_are_made_comparable(evaluate, tmp_path: Path) -> None:
    """By gains, one or one a joint, and by the effort against gravity."""
    samples = scara.motion()
    gains = np.array([2.0, 3.0, 4.0, 5.0])
    path = scara.mcap(tmp_path, samples.but(effort=samples.effort / gains))
    done = evaluate(path, '--effort-semantics', 'current', '--gains', *gains)
    assert nrmse(done.side('measured'), true_efforts(done, samples)) < 1e-9
    assert max(row['nrmse'] for row in done.figures()) < 1.5e-5
    for words, said in ((['--effort-semantics', 'current'], 'currents require one gain for all'),
                        (['--effort-semantics', 'current', '--gains', 1, 2],
                         '--gains: there are 2 without a name'),
                        (['--effort-semantics', 'current', '--gains', 0], 'other than zero'),
                        (['--effort-semantics', 'current', '--gains', 'free'],
                         'urdf2dyn identify --effort-semantics current --gains free fits'),
                        (['--gains', 1], '--gains require --effort-semantics current')):
        failed = evaluate(path, *words)
        assert failed.code == 1 and said in failed.err

    # the vertical joint bears 3 kg and the tool: its mean effort is that against gravity
    weight = np.array([0.0, 0.0, 0.0, samples.effort[:, 3].mean()])
    rest = scara.motion(100).but(q=np.tile([0.1, -0.3, 0.5, -0.1], (100, 1)),
                                 qd=np.zeros((100, 4)), effort=np.zeros((100, 4)))
    (tmp_path / 'still').mkdir()
    recording = scara.mcap(tmp_path / 'still', rest)
    done = evaluate(recording, '--effort-semantics', 'gravity_compensated')
    np.testing.assert_allclose(done.side('residual'), 0.0, atol=1e-6)
    assert done.side('measured')[0] == pytest.approx(weight, abs=0.1 * abs(weight[3]))


def test_joints_of_another_name_are_renamed(evaluate, tmp_path: Path) -> None:
    """By one rule or several."""
    samples = scara.renamed(scara.motion(100), ('arm/joint1', 'arm/joint2', 'arm/joint3', 'lift'))
    done = evaluate(scara.mcap(tmp_path, samples), '--rename', r'arm/(joint\d)=\1',
                    '--rename', 'lift=joint4')
    assert (done.code, done.err) == (0, '')
    assert nrmse(done.side('measured'), true_efforts(done, scara.motion(100))) < 3e-9


@pytest.mark.parametrize(('names', 'rules', 'words'), [
    (('waist', 'elbow', 'wrist', 'lift'), [],   # whose order in a message may be any
     ['none of its joints is a joint of the robot', 'recorded: waist, elbow, wrist',
      'robot: joint1, joint2', '--rename waist=JOINT, and so for each other']),
    (('joint1', 'joint2', 'a3', 'a4'), [], ['not in it: joint3, joint4;', 'recorded: joint1',
                                            'add --rename a3=joint3 --rename a4=joint4']),
    (('joint1', 'joint2', 'joint3', 'a4'), [r'(joint)\d=\1'], ["makes 'joint' of both 'joint1'"]),
    (scara.JOINTS, ['joint'], ["--rename 'joint'", 'PATTERN=REPLACEMENT']),
    (scara.JOINTS, ['(=x'], ["--rename '(=x'"]),
    (scara.JOINTS, [r'j(\d)=\2'], ['invalid group reference']),
    (scara.JOINTS, [r'j(\d)=\g<no>'], ['no']),
])
def test_names_that_do_not_match_are_reported_with_a_remedy(evaluate, tmp_path: Path, names, rules,
                                                            words) -> None:
    """Of both sides; nothing is written."""
    path = scara.mcap(tmp_path, scara.renamed(scara.motion(30), names))
    done = evaluate(path, *(word for rule in rules for word in ('--rename', rule)))
    assert done.code == 1 and done.out == ''
    for word in words:
        assert word in done.err
    assert not (done.folder.exists() and any(done.folder.iterdir()))


def test_without_measured_efforts_the_computed_ones_are_written(evaluate, tmp_path: Path) -> None:
    """And the report of an earlier evaluation is removed."""
    evaluate(scara.mcap(tmp_path, scara.motion(100)))
    (tmp_path / 'second').mkdir()
    done = evaluate(scara.mcap(tmp_path / 'second', scara.motion(100).but(effort=None)))
    assert done.code == 0
    assert 'nothing is compared' in done.out
    assert {path.name for path in done.folder.iterdir()} == {'efforts.csv', 'efforts_bag'}
    assert [*done.rows] == ['time', *(f'computed_{name}' for name in scara.JOINTS)]
    assert nrmse(done.side('computed'), true_efforts(done, scara.motion(100))) < 4e-5


# ---- Joints of the robot that are not recorded, which were at rest

@pytest.mark.parametrize('words', [['joint4=-0.05', 'joint3'], ['joint4=-0.05', 'auto']])
def test_joints_that_are_not_recorded_are_held_at_rest(evaluate, tmp_path: Path, words) -> None:
    samples = scara.motion(100)
    two = samples.but(q=samples.q[:, :2], qd=samples.qd[:, :2], effort=samples.effort[:, :2],
                      names=scara.JOINTS[:2])
    done = evaluate(scara.mcap(tmp_path, two), *(word for joint in words
                                                 for word in ('--hold', joint)))
    assert (done.code, done.err) == (0, '')
    assert 'held at rest: joint4 at -0.05, joint3 at 0' in done.out
    assert 'joint3 N m 0 not credible: no measured effort' in ' '.join(done.out.split())
    dynamics = InverseDynamics(read_urdf(scara.SCARA.read_text()))
    rows = np.searchsorted(samples.stamps, done.stamps)
    q, qd, qdd = (part[rows].copy() for part in (samples.q, samples.qd, samples.qdd))
    q[:, 2:], qd[:, 2:], qdd[:, 2:] = [0.0, -0.05], 0.0, 0.0
    np.testing.assert_allclose(done.side('computed'), dynamics(q, qd, qdd), atol=1e-3)


def test_a_held_joint_that_is_recorded_is_as_recorded_with_a_warning(evaluate, tmp_path):
    samples = scara.motion(100)
    done = evaluate(scara.mcap(tmp_path, samples), '--hold', 'joint4')
    assert done.code == 0 and 'held by the parameter hold, but published' in done.err
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1e-4
