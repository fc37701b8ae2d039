"""`urdf2dyn evaluate`: recordings whose efforts are known, a real robot's, and broken ones."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from bags import START, text, write_bag
from evaluations import (
    JOINTS,
    KINDS,
    SCARA,
    Samples,
    db3,
    mcap,
    motion,
    no_pictures,
    renamed,
    states,
    table,
    trajectory,
)

from urdf2dyn_ros.cli import main
from urdf2dyn_ros.commands import evaluate as command
from urdf2dyn_ros.evaluation import evaluation
from urdf2dyn_ros.recordings import open_recording

WRITTEN = {'efforts.csv', 'efforts_bag', 'efforts.json'}
REPORT = WRITTEN | {'efforts.png', 'efforts.html'}
ZERO = np.zeros(4)


class Done(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """The columns of the table; the times as they are written."""
        with (self.folder / 'efforts.csv').open(newline='') as file:
            header, *rows = csv.reader(file)
        columns = dict(zip(header, zip(*rows)))
        return {name: np.array(cells) if name == 'time' else np.array(
            [float(cell or 'nan') for cell in cells]) for name, cells in columns.items()}

    @property
    def stamps(self) -> np.ndarray:
        """The times of the table [ns]."""
        return np.array([int(time.replace('.', '')) for time in self.rows['time']])

    def side(self, name: str, joints: tuple[str, ...] = JOINTS) -> np.ndarray:
        """Return a side of the table, (k, n)."""
        rows = self.rows
        return np.column_stack([rows[f'{name}_{joint}'] for joint in joints])

    def figures(self) -> list[dict]:
        """Return the joints of the report."""
        return json.loads((self.folder / 'efforts.json').read_text())['joints']


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs the command, and takes what it says; pictures take seconds."""
    def run(recording: Path, *words: object, urdf: Path = SCARA, drawn: bool = False) -> Done:
        if not drawn:
            monkeypatch.setattr(command, 'write_figures', no_pictures)
        folder = tmp_path / 'results'
        code = main(['evaluate', str(recording), '--urdf', str(urdf), '-o', str(folder),
                     *map(str, words)])
        out, err = capsys.readouterr()
        assert 'Traceback' not in err
        # on a busy computer it takes long enough for progress to be shown
        lines = [line for line in err.splitlines() if not line.startswith('evaluating: ')]
        return Done(code, out, '\n'.join(lines), folder)

    return run


def nrmse(found: np.ndarray, true: np.ndarray) -> float:
    return float((np.sqrt(((found - true)**2).mean(axis=0)) / np.ptp(true, axis=0)).max())


def true_efforts(done: Done, samples: Samples) -> np.ndarray:
    """Return Pinocchio's efforts at the instants of the table."""
    rows = np.searchsorted(samples.stamps, done.stamps)
    assert (samples.stamps[rows] == done.stamps).all()
    return samples.effort[rows]


def with_dynamics(folder: Path, damping: float, friction: float) -> Path:
    """Return the SCARA with friction in all of its joints."""
    path = folder / 'friction.urdf'
    path.write_text(SCARA.read_text().replace(
        '</joint>', f'<dynamics damping="{damping}" friction="{friction}"/></joint>'))
    return path


@pytest.mark.parametrize('kind', KINDS)
def test_the_efforts_of_a_recording_are_those_of_its_motion(evaluate, tmp_path: Path,
                                                            kind: str) -> None:
    """Offline smoothing finds them from positions and velocities; table, bag and report agree."""
    samples = motion()
    drawn = kind == 'db3'
    done = evaluate(KINDS[kind](tmp_path, samples.reversed()), drawn=drawn)
    assert (done.code, done.err) == (0, '')
    files = REPORT if drawn else WRITTEN
    assert {path.name for path in done.folder.iterdir()} == files
    true = true_efforts(done, samples)
    # half of the window of 80 ms at either end
    assert len(true) == 300 - 20
    assert nrmse(done.side('computed'), true) < 2e-3
    np.testing.assert_allclose(done.side('measured'), true, rtol=1e-8)
    np.testing.assert_allclose(done.side('residual'),
                               done.side('measured') - done.side('computed'), atol=1e-6)

    bag = open_recording(done.folder / 'efforts_bag')
    records = list(bag)
    assert bag.topic == '/inverse_dynamics/efforts' and bag.joint_names == JOINTS
    assert [record.stamp for record in records] == done.stamps.tolist()
    np.testing.assert_allclose([record.effort for record in records], done.side('computed'),
                               rtol=1e-8)
    ending = 'db3' if kind in ('db3', 'directory') else 'mcap'
    assert (done.folder / 'efforts_bag' / f'efforts_bag.{ending}').exists()

    for joint, row in zip(JOINTS, done.figures()):
        assert row['joint'] == joint and row['nrmse'] < 2e-3
        assert joint in done.out
    for words in ('300 records', 'polynomial, offline smoothing', 'net, what moves the links',
                  'efforts computed: 280 of 300', '1.116 s from', '2023-11-14 22:13:20 UTC',
                  'warming_up 20 (', str(done.folder / 'efforts.csv'),
                  str(done.folder / 'efforts_bag')):
        assert words in done.out
    if drawn:
        page = (done.folder / 'efforts.html').read_text()
        assert '<table' in page and 'polynomial, offline smoothing' in page
        assert (done.folder / 'efforts.png').read_bytes().startswith(b'\x89PNG')


def test_accelerations_that_are_recorded_are_used_as_they_are(evaluate, tmp_path: Path) -> None:
    """Then every record has its effort, exactly; a table's time may begin at zero, or below."""
    for start, first in ((0, '0.000000000'), (-1_500_000_000, '-1.500000000')):
        samples = motion(100, start=0)
        path = table(tmp_path, samples, accelerations=True)
        if start:
            lines = path.read_text().replace('\n0.', '\n-1.').splitlines()
            lines[1:] = [f'{k * 0.004 - 1.5:.3f},{line.partition(",")[2]}'
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
    assert 'accelerations: kalman_fixed_lag, offline smoothing' in done.out


def test_a_trajectory_is_compared_at_its_points(evaluate, tmp_path: Path) -> None:
    """With the accelerations it has, however far apart the points are."""
    samples = motion(60, rate=5)
    done = evaluate(trajectory(tmp_path, samples.reversed()))
    assert done.code == 0
    assert 'topic /plan' in done.out
    np.testing.assert_allclose(done.side('computed'), samples.effort, atol=1e-7)
    np.testing.assert_allclose(done.side('measured'), samples.effort, atol=1e-7)


def test_friction_is_found_and_taken_into_account(evaluate, tmp_path: Path) -> None:
    """What a URDF does not say is fitted; what it says belongs to commanded efforts."""
    samples = motion(600)
    friction = 1.5 * samples.qd + 4.0 * np.sign(samples.qd)
    path = mcap(tmp_path, samples.but(effort=samples.effort + friction))
    done = evaluate(path)
    for row in done.figures():
        assert row['friction']['viscous']['value'] == pytest.approx(1.5, rel=0.02)
        assert row['friction']['coulomb']['value'] == pytest.approx(4.0, rel=0.02)
    urdf = with_dynamics(tmp_path, 1.5, 4.0)
    done = evaluate(path, '--effort-semantics', 'commanded', urdf=urdf)
    assert 'commanded, what the actuators were told' in done.out
    # but for the instants at which the velocity changes its sign
    assert np.quantile(np.abs(done.side('residual')), 0.95) < 0.02
    assert all(row['nrmse'] < 0.05 for row in done.figures())
    # the bag has what the node would publish
    effort = np.array([record.effort for record in open_recording(done.folder / 'efforts_bag')])
    assert nrmse(effort, true_efforts(done, samples)) < 2e-3


def test_currents_and_efforts_beyond_gravity_are_made_comparable(evaluate, tmp_path: Path) -> None:
    """By gains, one or one a joint, and by the effort against gravity."""
    samples = motion()
    gains = np.array([2.0, 3.0, 4.0, 5.0])
    path = mcap(tmp_path, samples.but(effort=samples.effort / gains))
    done = evaluate(path, '--effort-semantics', 'current', '--gains', *gains)
    assert nrmse(done.side('measured'), true_efforts(done, samples)) < 1e-6
    assert max(row['nrmse'] for row in done.figures()) < 2e-3
    for words, said in ((['--effort-semantics', 'current'], 'a current needs one for all joints'),
                        (['--effort-semantics', 'current', '--gains', 1, 2], '2 given'),
                        (['--gains', 1], 'belong to --effort-semantics current')):
        failed = evaluate(path, *words)
        assert failed.code == 1 and said in failed.err

    # the vertical joint bears 3 kg and the tool: its mean effort is that against gravity
    weight = np.array([0.0, 0.0, 0.0, samples.effort[:, 3].mean()])
    rest = motion(100).but(q=np.tile([0.1, -0.3, 0.5, -0.1], (100, 1)), qd=np.zeros((100, 4)),
                           effort=np.zeros((100, 4)))
    (tmp_path / 'still').mkdir()
    done = evaluate(mcap(tmp_path / 'still', rest), '--effort-semantics', 'gravity_compensated')
    np.testing.assert_allclose(done.side('residual'), 0.0, atol=1e-6)
    assert done.side('measured')[0] == pytest.approx(weight, abs=0.1 * abs(weight[3]))


def test_joints_of_another_name_are_renamed(evaluate, tmp_path: Path) -> None:
    """By as many rules as it takes."""
    samples = renamed(motion(100), ('arm/joint1', 'arm/joint2', 'arm/joint3', 'lift'))
    done = evaluate(mcap(tmp_path, samples), '--rename', r'arm/(joint\d)=\1',
                    '--rename', 'lift=joint4')
    assert (done.code, done.err) == (0, '')
    assert nrmse(done.side('measured'), true_efforts(done, motion(100))) < 1e-8


@pytest.mark.parametrize(('names', 'rules', 'words'), [
    (('a1', 'a2', 'a3', 'a4'), [], ['no joint of it is one of the robot', 'recorded: a1, a2, a3',
                                    'robot: joint1, joint2', "--rename 'fer_joint"]),
    (('joint1', 'joint2', 'a3', 'a4'), [], ['not in it: joint3, joint4;', 'recorded: joint1',
                                            '--rename', 'URDF']),
    (('joint1', 'joint2', 'joint3', 'a4'), [r'(joint)\d=\1'], ["makes 'joint' of both 'joint1'"]),
    (JOINTS, ['joint'], ["--rename 'joint'", 'PATTERN=REPLACEMENT']),
    (JOINTS, ['(=x'], ["--rename '(=x'"]),
    (JOINTS, [r'j(\d)=\2'], ['invalid group reference']),
    (JOINTS, [r'j(\d)=\g<no>'], ['no']),
])
def test_names_that_do_not_match_are_told_with_a_remedy(evaluate, tmp_path: Path, names, rules,
                                                        words) -> None:
    """Of both sides; nothing is written."""
    path = mcap(tmp_path, renamed(motion(30), names))
    done = evaluate(path, *(word for rule in rules for word in ('--rename', rule)))
    assert done.code == 1 and done.out == ''
    for word in words:
        assert word in done.err
    assert not (done.folder.exists() and any(done.folder.iterdir()))


def test_joints_may_come_in_several_messages_with_others_among_them(evaluate,
                                                                    tmp_path: Path) -> None:
    """A gripper that the robot does not have is told."""
    whole = states(motion(100).but(
        q=np.column_stack([motion(100).q, np.ones(100)]), qd=None, effort=None,
        names=(*JOINTS, 'finger')))
    parts = []
    for message in whole:
        for some in (slice(0, 2), slice(2, 5)):
            part = type(message)(message.header, message.name[some], message.position[some],
                                 message.velocity, message.effort)
            parts.append(part)
    done = evaluate(write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': parts}))
    assert done.code == 0
    assert 'recorded joints that the robot does not have: finger' in done.out
    assert 'incomplete 100 (' in done.out
    assert nrmse(done.side('computed'), true_efforts(done, motion(100))) < 0.01


def test_without_measured_efforts_the_computed_ones_are_written(evaluate, tmp_path: Path) -> None:
    """And a report of an evaluation before that is not left beside them."""
    evaluate(mcap(tmp_path, motion(100)))
    (tmp_path / 'second').mkdir()
    done = evaluate(mcap(tmp_path / 'second', motion(100).but(effort=None)))
    assert done.code == 0
    assert 'nothing to compare' in done.out
    assert {path.name for path in done.folder.iterdir()} == {'efforts.csv', 'efforts_bag'}
    assert np.isnan(done.side('measured')).all() and np.isnan(done.side('residual')).all()
    assert nrmse(done.side('computed'), true_efforts(done, motion(100))) < 0.01


@pytest.mark.parametrize('kind', ['db3', 'mcap', 'csv'])
def test_of_a_truncated_recording_what_was_read_is_evaluated(evaluate, tmp_path: Path,
                                                             kind: str) -> None:
    """All results are there, then comes an error that says how far it got."""
    path = KINDS[kind](tmp_path, motion())
    os.truncate(path, round(path.stat().st_size * 0.7))
    done = evaluate(path)
    assert done.code == 1
    count = len(done.rows['time']) + 20
    assert 100 < count < 300
    assert f'after {count} records, {(count - 1) * 0.004:.3f} s' in done.err
    assert {path.name for path in done.folder.iterdir()} == WRITTEN
    assert f'{count} records' in done.out
    assert nrmse(done.side('computed'), true_efforts(done, motion())) < 2e-3
    assert len(list(open_recording(done.folder / 'efforts_bag'))) == count - 20


def test_what_cannot_be_evaluated_at_all_is_told(evaluate, tmp_path: Path) -> None:
    """Empty, of another kind, of another type, too short; in a process of its own, too."""
    (tmp_path / 'empty.db3').write_bytes(b'')
    (tmp_path / 'text.mcap').write_bytes(b'time,q_a\n0,1\n')
    wrong = write_bag(tmp_path / 'wrong', 'mcap', {'/chatter': [text('x')] * 3})
    for path, words in ((tmp_path / 'empty.db3', 'an empty file'),
                        (tmp_path / 'text.mcap', 'no MCAP file'),
                        (wrong, '/chatter (std_msgs/msg/String, 3 messages)'),
                        (tmp_path / 'none.db3', 'no such file'),
                        (mcap(tmp_path, motion(10)), 'no effort could be computed')):
        done = evaluate(path)
        assert done.code == 1 and words in done.err
    assert 'warming_up 10 (' in done.out
    (tmp_path / 'more').mkdir()
    (tmp_path / 'rock.urdf').write_text('<robot name="rock"><link name="a"/></robot>')
    rock = evaluate(mcap(tmp_path / 'more', motion(10)), urdf=tmp_path / 'rock.urdf')
    assert rock.code == 1 and "robot 'rock' has no joint that moves" in rock.err
    run = subprocess.run(
        [sys.executable, '-m', 'urdf2dyn_ros.cli', 'evaluate', str(tmp_path / 'empty.db3'),
         '--urdf', str(SCARA)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 1 and run.stderr.startswith('error: ')
    assert 'Traceback' not in run.stderr


def test_nothing_is_written_over_what_is_not_ours(evaluate, tmp_path: Path) -> None:
    """A second evaluation replaces the first, but neither the recording nor foreign files."""
    path = mcap(tmp_path, motion(100))
    first = evaluate(path)
    before = first.stamps
    second = evaluate(path, '--estimator', 'finite_difference')
    assert second.code == 0 and len(second.stamps) == 98 > len(before)
    assert 'differences of the neighbours' in second.out
    assert len(list(open_recording(second.folder / 'efforts_bag'))) == 98

    again = evaluate(second.folder / 'efforts_bag')
    assert again.code == 1 and 'would replace the recording' in again.err
    (second.folder / 'efforts_bag' / 'mine.txt').write_text('mine')
    kept = evaluate(path)
    assert kept.code == 1 and 'something else is there: mine.txt' in kept.err
    assert (second.folder / 'efforts_bag' / 'mine.txt').read_text() == 'mine'
    assert not [path for path in second.folder.iterdir() if path.name.startswith('.')]


def test_without_the_library_of_bags_a_table_is_evaluated_all_the_same(
        evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no bag then, and that is said."""
    monkeypatch.setattr(evaluation, 'find_spec', lambda name: None)
    done = evaluate(table(tmp_path, motion(100)))
    assert done.code == 0
    assert {path.name for path in done.folder.iterdir()} == {'efforts.csv', 'efforts.json'}
    assert 'warning: no bag is written, as the Python library rosbags' in done.err


def test_gaps_clocks_and_units_are_told(evaluate, tmp_path: Path) -> None:
    """What was left out and what is doubtful, in words."""
    samples = motion()
    stamps = samples.stamps.copy()
    stamps[150:] += 500_000_000
    path = db3(tmp_path, samples.but(stamps=stamps, qd=np.degrees(samples.qd)))
    done = evaluate(path)
    assert done.code == 0
    assert 'gap 1 (' in done.out
    assert "velocity of 'joint1': the position changes 0.0175 times as fast" in done.out
    assert 'in degrees?' in done.out
    stamps[150:] -= 2_000_000_000
    (tmp_path / 'back').mkdir()
    done = evaluate(db3(tmp_path / 'back', samples.but(stamps=stamps)))
    assert 'jump_back 1 (' in done.out and 'the time was set back' in done.out
    assert len(done.rows['time']) == 300 - 40


def test_hostile_names_come_through_the_table(evaluate, tmp_path: Path) -> None:
    """Commas, quotes and spaces in a joint's name, on both sides."""
    names = ('j,1', 'j"2"', "j' 3", 'j=4%s')
    quoted = ('j,1', 'j&quot;2&quot;', "j' 3", 'j=4%s')
    urdf = tmp_path / 'hostile.urdf'
    words = SCARA.read_text()
    for old, new in zip(JOINTS, quoted):
        words = words.replace(f'name="{old}"', f'name="{new}"')
    urdf.write_text(words)
    done = evaluate(table(tmp_path, renamed(motion(100), names)), urdf=urdf)
    assert done.code == 0
    assert list(done.rows) == ['time', *(f'{kind}_{name}' for name in names
                                         for kind in ('measured', 'computed', 'residual'))]
    assert nrmse(done.side('computed', names), true_efforts(done, motion(100))) < 0.01
    assert open_recording(done.folder / 'efforts_bag').topic == '/inverse_dynamics/efforts'


def test_times_that_are_no_seconds_are_told(evaluate, tmp_path: Path) -> None:
    """Milliseconds since 1970 would be a date that no message can bear."""
    path = table(tmp_path, motion(100, start=START // 1000 * 1000).but(
        stamps=(START // 10**6 + np.arange(100) * 4) * 10**9))
    done = evaluate(path)
    assert done.code == 1
    assert 'no_stamp 100 (' in done.out and 'beyond 2038' in done.err
    lines = path.read_text().splitlines()
    for first in ('-1e25', '1e25'):
        path.write_text('\n'.join([lines[0], f'{first},{lines[1].partition(",")[2]}',
                                   *(f'{k * 0.004},{line.partition(",")[2]}'
                                     for k, line in enumerate(lines[2:]))]))
        assert evaluate(path).code == int(first.startswith('-'))
