"""The command identify with defects in one recording: it rejects some, and others cost nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.scara_recordings import MODEL, NAMES, identified, recording
from urdf2dyn_ros.robot.reader import read_urdf


def noise(q, effort):
    return q, np.random.default_rng(5).normal(size=effort.shape)


def spikes(q, effort):
    effort[::50] = 1e5
    return q, effort


def noise_about_a_mean(q, effort):
    return q, 100.0 + noise(q, effort)[1]


def jump(size):
    """Return a change by which the second joint jumps in the middle."""
    def change(q, effort):
        q[len(q) // 2:, 1] += size
        return q, effort
    return change


@pytest.mark.parametrize(('words', 'options'), [
    (f'the position of {NAMES[1]} jumps by 2 rad', {'change': jump(2.0)}),
    ('no joint moves', {'moving': ()}),
    ('at least 2 s', {'seconds': 1.5}),
    ('its times rise at 0 of ', {'unit': 0.0}),
    ('if it is in milliseconds, divide it by 1e3', {'unit': 1e3}),
    ('zero throughout', {'change': lambda q, effort: (q, 0.0 * effort)}),
    ('frozen', {'change': lambda q, effort: (q, 0.0 * effort + 3.0)}),
    ('the measured effort has spikes of up to 1e+05, where 95 % are below', {'change': spikes}),
    ('wrong sign', {'change': lambda q, effort: (q, -effort)}),
    ('other units', {'change': lambda q, effort: (q, 1000.0 * effort)}),
    ('in degrees', {'change': lambda q, effort: (np.degrees(q), effort)}),
    ('does not explain the efforts', {'change': noise}),
    ('does not explain the efforts', {'change': noise_about_a_mean})])
def test_what_cannot_work_is_refused_without_a_file(words: str, options: dict, tmp_path: Path,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', **{'seconds': 6.0, **options})
    assert identified(path, '-o', tmp_path / 'out') == 3
    error = capsys.readouterr().err
    assert words in error
    assert not (tmp_path / 'out').exists()


def test_one_joint_that_moves_is_identified_alone(tmp_path: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', moving=(1,))
    assert identified(path, '-o', tmp_path / 'out') == 0
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    assert list(figures['joints']) == [NAMES[1]]
    for name, entries in figures['bodies'].items():
        same = all(abs(entry['identified'] - entry['urdf']) < 1e-3 for entry in entries.values())
        assert same or name == NAMES[1]
    assert 'at rest: not identified' in capsys.readouterr().err
    robot = read_urdf((tmp_path / 'out' / 'identified.urdf').read_text())
    changed = [a.name for a, b in zip(MODEL.joints, robot.joints) if a.damping != b.damping]
    assert changed == [NAMES[1]]


def late(q, effort):
    """Return efforts that are late by 0.1 s; the first are those of the end."""
    return q[6:], effort[:-6]


def test_joints_that_are_held_automatically_are_named(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under a misspelt name, a joint of the arm would be at rest without a word."""
    path = Path(recording(tmp_path / 'r.csv', seconds=6.0))
    path.write_text(path.read_text().replace(f'_{NAMES[-1]}', '_misspelt'))
    assert identified(path, '--hold', 'auto', '-o', tmp_path / 'out') == 0
    assert f'taken to be at rest: {NAMES[-1]} at 0' in capsys.readouterr().err


def of_another_clock(q, effort):
    """Return efforts that are late by 0.5 s, at 60 Hz."""
    return q[30:], effort[:-30]


def test_efforts_of_another_clock_are_named_and_a_delay_that_is_given_counts(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They look like efforts of the wrong sign, or of nothing."""
    path = recording(tmp_path / 'r.csv', change=of_another_clock)
    assert identified(path, '-o', tmp_path / 'out') == 3
    assert ('the efforts are about 0.5 s later than the motion that needs them'
            in (error := capsys.readouterr().err))
    assert error.rstrip().endswith('add --delay 0.5')
    assert identified(path, '--delay', '0.5', '-o', tmp_path / 'out') == 0
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    for joint in NAMES:
        assert figures['joints'][joint]['held_out']['r2']['identified'] > 0.99


@pytest.mark.parametrize('samples', [5, -5])
def test_efforts_of_one_joint_that_are_late_or_early_are_named(
        samples: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By 80 ms, which left a fifth of its efforts, and the bodies wrong."""
    def late_joint(q, effort):
        effort[:, 1] = np.roll(effort[:, 1], samples)
        return q[5:-5], effort[5:-5]

    path = recording(tmp_path / 'r.csv', change=late_joint)
    assert identified(path, '-o', tmp_path / 'out') == 0
    late = 'later' if samples > 0 else 'earlier'
    assert (f'the efforts of {NAMES[1]} are about 0.08 s {late} than those of the other joints'
            in capsys.readouterr().err)


def with_hole(q, effort):
    """Return efforts of which 1.5 s are missing at the second joint."""
    effort[200:290, 1] = np.nan
    return q, effort


@pytest.mark.parametrize(('change', 'note'), [
    (late, 'efforts are late by 100 ms'),
    (jump(2.0 * np.pi), f'the position of {NAMES[1]} jumps by 6.28 rad'),
    (with_hole, 'measured efforts are missing for up to 1.52 s')])
def test_late_and_missing_efforts_cost_no_accuracy(change: Callable[..., Any], note: str,
                                                   tmp_path: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', change=change)
    assert identified(path, '-o', tmp_path / 'out') == 0
    assert note in capsys.readouterr().err
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    for joint in NAMES:
        assert figures['joints'][joint]['held_out']['r2']['identified'] > 0.99


def test_a_joint_that_is_not_explained_is_no_yes(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    """The last joint has the effort of something else."""
    path = recording(tmp_path / 'r.csv', seconds=6.0, change=lambda q, effort: (
        q, np.column_stack((effort[:, :-1], noise(q, effort)[1][:, -1]))))
    assert identified(path, '-o', tmp_path / 'out') == 0
    out = capsys.readouterr().out
    assert f'Not at {NAMES[-1]} (R2 below 0.5). In all: its residual is ' in out
    assert 'measured effort below 10 Hz minus the computed one below ' in out


def contact(q, effort):
    """Push from 4 to 5.5 s, felt by the first two joints."""
    effort[240:330, :2] += effort[:, :2].std(axis=0)
    return q, effort


def test_a_contact_is_named_with_its_time(tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'touched.csv', seconds=16.0, change=contact)
    identified(path, '-o', tmp_path / 'out')
    (note,) = [line for line in capsys.readouterr().err.splitlines() if 'touch' in line]
    assert f'the efforts of {NAMES[0]}, {NAMES[1]} do not fit' in note
    first, last = (float(word) for word in note.split('from ')[1].split(' s ')[0].split(' to '))
    assert abs(first - 4.0) <= 0.5
    assert abs(last - 5.5) <= 0.5
