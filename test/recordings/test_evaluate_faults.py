"""`urdf2dyn evaluate` on recordings that are broken, odd or hostile."""

import os
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.recordings.bags import START
from support.recordings.evaluate_command import WRITTEN, nrmse, true_efforts
from support.recordings.scara import SCARA, db3, mcap, motion, table
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.recordings import evaluation, open_recording


def test_of_a_truncated_recording_what_was_read_is_evaluated(evaluate, tmp_path: Path) -> None:
    """All results are there, then comes an error that says how far it got."""
    path = table(tmp_path, motion())
    os.truncate(path, round(path.stat().st_size * 0.7))
    done = evaluate(path)
    assert done.code == 1
    count = len(done.rows['time']) + 20
    assert 100 < count < 300
    assert f'after {count} records, {(count - 1) * 0.004:.3f} s' in done.err
    assert {path.name for path in done.folder.iterdir()} == WRITTEN
    assert f'{count} records' in done.out
    assert nrmse(done.side('computed'), true_efforts(done, motion())) < 1.5e-5
    assert len(list(open_recording(done.folder / 'efforts_bag'))) == count - 20


def test_a_position_that_is_frozen_while_the_effort_moves_is_named(evaluate,
                                                                   tmp_path: Path) -> None:
    samples = motion()
    q = np.where(np.arange(4) == 3, samples.q[0], samples.q)
    words = 'the position of joint4 hardly changes, although the effort changes'
    for change, named in ((samples.but(q=q, qd=None), True), (samples.but(qd=None), False)):
        assert (words in evaluate(table(tmp_path, change)).err) == named


@pytest.mark.parametrize('share', [0.3, 0.5, 0.7])
def test_a_position_that_freezes_midway_is_the_cause(share: float, tmp_path: Path) -> None:
    """And no interchange of columns, which would explain a part of it."""
    rows = [line.split(',') for line in (ROOT / 'examples/rx90.csv').read_text().splitlines()]
    kept = [k for k, name in enumerate(rows[0]) if not name.startswith('qd_')]
    stop = int(share * len(rows))
    for row in rows[stop:]:
        row[1] = rows[stop][1]
    path = tmp_path / 'x.csv'
    path.write_text('\n'.join(','.join(row[k] for k in kept) for row in rows))
    dynamics = InverseDynamics(ROOT / 'urdf' / 'rx90.urdf')
    found = evaluation.evaluate(path, dynamics).remarks[0]
    since = float(rows[stop][0])
    assert 'cause would explain all joints: the position of joint1 (' in found
    assert float(found.partition('joint1 (')[2].split()[0]) == pytest.approx(since, abs=0.5)
    # without accelerations nothing is explained, and no cause is named
    alone = evaluation.evaluate(path, dynamics, evaluation.EvaluationSettings('none'))
    assert not any('cause' in remark for remark in alone.remarks)


def test_what_cannot_be_evaluated_at_all_is_reported(evaluate, tmp_path: Path) -> None:
    (tmp_path / 'text.mcap').write_bytes(b'time,q_a\n0,1\n')
    (tmp_path / 'rock.urdf').write_text('<robot name="rock"><link name="a"/></robot>')
    short = mcap(tmp_path, motion(10))
    for path, urdf, words in (
            (tmp_path / 'text.mcap', SCARA, 'not in the format MCAP'),
            (short, tmp_path / 'rock.urdf', "robot 'rock' has no joint that moves"),
            (short, SCARA, 'no effort could be computed')):
        done = evaluate(path, urdf=urdf)
        assert done.code == 1 and words in done.err
    assert 'warming_up 10 (' in done.out


def test_nothing_is_written_over_what_is_not_ours(evaluate, tmp_path: Path) -> None:
    """A second evaluation replaces the first, but neither the recording nor foreign files."""
    path = mcap(tmp_path, motion(100))
    first = evaluate(path)
    before = first.stamps
    second = evaluate(path, '--estimator', 'finite_difference')
    assert second.code == 0 and len(second.stamps) == 98 > len(before)
    assert 'finite_difference, as the node estimates them' in second.out
    assert len(list(open_recording(second.folder / 'efforts_bag'))) == 98

    again = evaluate(second.folder / 'efforts_bag')
    assert again.code == 1 and 'would replace the recording' in again.err
    (second.folder / 'efforts_bag' / 'mine.txt').write_text('mine')
    kept = evaluate(path)
    assert kept.code == 1 and 'it has other contents: mine.txt' in kept.err
    assert (second.folder / 'efforts_bag' / 'mine.txt').read_text() == 'mine'
    assert not [path for path in second.folder.iterdir() if path.name.startswith('.')]


def test_without_the_library_of_bags_a_table_is_evaluated_all_the_same(
        evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No bag is written then, and that is reported."""
    monkeypatch.setattr(evaluation, 'find_spec', lambda name: None)
    done = evaluate(table(tmp_path, motion(100)))
    assert done.code == 0
    assert {path.name for path in done.folder.iterdir()} == {'efforts.csv', 'efforts.json'}
    assert 'warning: no bag is written: the Python library rosbags' in done.err


@pytest.mark.fault(36, 37)
def test_gaps_clocks_and_units_are_reported(evaluate, tmp_path: Path) -> None:
    """What was dropped and what is not credible, in words."""
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
    assert 'jump_back 1 (' in done.out and 'time went back' in done.out
    assert 'records, from ' in done.out   # no negative duration
    assert len(done.rows['time']) == 300 - 40


@pytest.mark.parametrize(('unit', 'name'), [(10**3, 'ms'), (10**6, 'us'), (10**9, 'ns')])
@pytest.mark.parametrize('accelerations', [False, True])
def test_times_in_other_units_are_reported_before_anything_is_written(
        evaluate, tmp_path: Path, unit: int, name: str, accelerations: bool) -> None:
    """Since 1970 or since the start; with accelerations it is the velocities that contradict."""
    for start in (START, 0):
        path = table(tmp_path, motion(30), accelerations)
        head, *rows = path.read_text().splitlines()
        path.write_text('\n'.join([head, *(f'{(start + k * 4_000_000) * unit // 10**9},'
                                           f'{row.partition(",")[2]}'
                                           for k, row in enumerate(rows))]))
        done = evaluate(path)
        assert done.code == 1 and not done.folder.exists()
        assert (f"column 'time': it rises by {unit * 0.004:g} s from row to row" in done.err
                and f"if it is in {name}, add --columns 'time=time [{name}]'" in done.err)


def test_the_points_of_a_plan_may_be_seconds_apart(tmp_path: Path, capsys) -> None:
    """But not so slow as they are where milliseconds are taken for seconds."""
    for size, code in ((0.5, 0), (0.005, 1)):
        path = tmp_path / 'plan.csv'
        path.write_text('\n'.join(['time,q_joint1,q_joint2', *(
            f'{2 * k},{size * np.sin(k)},{size * np.cos(k)}' for k in range(20))]))
        words = ['torque', str(OWN / 'robot_2r.urdf'), '--trajectory', str(path), '--overwrite',
                 '-o', str(tmp_path / 'x.csv')]
        assert main(words) == code and ('it rises by 2 s' in capsys.readouterr().err) == code
        assert main([*words, '--recording']) == 1
        assert 'it rises by 2 s' in capsys.readouterr().err


def test_single_states_may_be_seconds_apart(tmp_path: Path) -> None:
    """As of an arm that rests at one position after the other, with accelerations of zero."""
    rows = [f'{5 * k},{k},0,0,{9.81 * np.cos(k)}' for k in range(9)]
    path = tmp_path / 'states.csv'
    path.write_text('\n'.join(['time,q_a,qd_a,qdd_a,effort_a', *rows]))
    assert len(list(open_recording(path))) == 9


def test_times_that_no_message_has_are_reported(evaluate, tmp_path: Path) -> None:
    path = table(tmp_path, motion(100, start=3 * 10**18))
    done = evaluate(path)
    assert done.code == 1 and not done.folder.exists()
    assert 'no_stamp 100 (' in done.out and 'use_receive_time' not in done.out
    assert 'beyond 2038' in done.err
    assert 'no effort was computed: nothing is written' in done.out


def test_a_root_that_floats_must_be_said_to_have_stood_still(evaluate, tmp_path: Path) -> None:
    floating = tmp_path / 'floating.urdf'
    floating.write_text(SCARA.read_text(encoding='utf-8').replace('</robot>', (
        '<link name="the_world"/><joint name="float" type="floating"><parent link="the_world"/>'
        '<child link="base"/></joint></robot>')), encoding='utf-8')
    path = table(tmp_path, motion(100))
    refused = evaluate(path, urdf=floating)
    assert refused.code == 1
    assert 'floats' in refused.err and 'add --base fixed' in refused.err
    allowed, fixed = evaluate(path, '--base', 'fixed', urdf=floating), evaluate(path)
    assert allowed.code == fixed.code == 0
    np.testing.assert_allclose(allowed.side('computed'), fixed.side('computed'), rtol=1e-9)


def test_a_position_that_jumps_is_named_and_costs_only_the_samples_around_it(
        evaluate, tmp_path: Path) -> None:
    """Of the first joint, whose position has no effect on efforts: every other one is right."""
    samples = motion()
    q = samples.q.copy()
    q[150:, 0] -= 3.0
    done = evaluate(db3(tmp_path, samples.but(q=q)))
    assert done.code == 0
    assert ('the position of joint1 jumps by -3 rad from one sample to the next, 0.600 s after '
            'the first sample') in done.err
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1e-3
    assert len(done.rows['time']) == 300 - 40


@pytest.mark.parametrize(('name', 'words'), [
    ('mN m', 'one cause would explain all joints: the efforts are 1e+03 times what the URDF '
     'needs: are they in mN m?'),
    ('interchanged', 'one cause would explain all joints: the efforts of joint2 and joint3 look '
     'interchanged'),
    ('late', 'one cause would explain all joints: the efforts are about 200 ms late'),
    ('late, with a gap', 'the efforts are about 400 ms late'), ('right', ''),
    ('counts', 'in counts of an encoder? multiply them by 2 pi over the counts of a turn')])
def test_one_cause_for_all_joints_is_asked_for_first(evaluate, name, words, tmp_path):
    """And nothing is asked of each joint then."""
    head, *rows = (ROOT / 'examples' / 'rx90.csv').read_text().splitlines()
    values = np.loadtxt(rows, delimiter=',')
    efforts = [column for column, text in enumerate(head.split(','))
               if text.startswith('effort')]
    if name == 'mN m':
        values[:, efforts] *= 1000.0
    elif name == 'interchanged':
        values[:, efforts[1:3]] = values[:, efforts[2:0:-1]]
    elif name == 'counts':
        values[:, 1:7] = np.rint(values[:, 1:7] * 2**13 / (2.0 * np.pi))
    elif 'late' in name:
        rows = np.arange(len(values))
        values[:, efforts] = values[np.maximum(rows - (40 if 'gap' in name else 20), 0)][
            :, efforts]
        values = values[~((rows > 520) & (rows < 560))] if 'gap' in name else values
    np.savetxt(tmp_path / 'r.csv', values, '%.9g', ',', header=head, comments='')
    done = evaluate(tmp_path / 'r.csv', urdf=ROOT / 'urdf' / 'rx90.urdf')
    assert done.code == 0 and words in done.err and ('one cause' in done.err) == bool(words)
    assert not words or 'times the computed one' not in done.out + done.err
