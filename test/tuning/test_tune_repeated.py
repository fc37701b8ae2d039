"""Samples that a driver repeats are no measurements: `urdf2dyn tune` excludes them as the node."""

import re
from pathlib import Path

import numpy as np

from support.paths import ROOT
from support.recordings.bags import write_csv
from support.recordings.tuned import silent
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.tuning.motion import RecordedMotion, read_motion
from urdf2dyn_ros.tuning.noise import noise
from urdf2dyn_ros.tuning.report import report
from urdf2dyn_ros.tuning.suggestion import suggest

STEP = 2.0 * np.pi / 2 ** 17
"""Resolution of the encoders [rad]."""

TABLE = np.loadtxt(ROOT / 'examples' / 'rx90.csv', delimiter=',', skiprows=1)
AGAIN = np.arange(len(TABLE)) % 4 == 3


def recorded(path: Path, time: np.ndarray, q: np.ndarray) -> RecordedMotion:
    """Return the motion of a table without velocities."""
    columns = ['time', *(f'q_joint{k + 1}' for k in range(q.shape[1]))]
    return read_motion(open_recording(write_csv(path, columns, np.column_stack([time, q]))))


def test_velocities_of_joints_at_rest_are_not_judged(tmp_path: Path) -> None:
    """Their noise matches no positions; and one that matches at no lag has no figures."""
    rng, time, n = np.random.default_rng(3), TABLE[:, 0], len(TABLE)
    rest, q = 1e-6 * rng.normal(size=n), TABLE[:, 1:3]
    qd = np.column_stack([TABLE[:, 7], rng.normal(size=n).cumsum(), 1e-6 * rng.normal(size=n)])
    names = ('moves', 'other', 'rests')
    motion = read_motion(open_recording(write_csv(
        tmp_path / 'rest.csv', ['time', *(f'q_{name}' for name in names),
                                *(f'qd_{name}' for name in names)],
        np.column_stack([time, q, rest, qd]))))
    text = report(motion, suggest(motion, 'kalman', silent))
    assert 'excluded, as they do not move: rests' in text
    assert 'velocity of rests' not in text
    assert 'velocity of moves' not in text
    assert re.search('velocity of other (is not used|does not match the positions)', text)


def test_a_repeated_sample_has_no_effect(tmp_path: Path) -> None:
    """Every fourth sample repeats the one before: nearly as if it were not in the recording."""
    time, q = TABLE[:, 0], STEP * np.round(TABLE[:, 1:7] / STEP)
    repeated = recorded(tmp_path / 'repeated.csv', time, q[np.arange(len(q)) - AGAIN])
    without = recorded(tmp_path / 'without.csv', time[~AGAIN], q[~AGAIN])
    assert without.repeated == 0
    assert 0 <= repeated.repeated - AGAIN.sum() < 5   # the arm begins at rest
    found, expected = (suggest(motion, 'kalman', silent) for motion in (repeated, without))
    np.testing.assert_allclose(found.noise[0], expected.noise[0], rtol=0.1)
    assert (found.noise[0] < 0.5 * STEP).all()
    assert found.best['snap_density'] == expected.best['snap_density']
    assert found.parameters == expected.parameters == {}
    np.testing.assert_allclose(found.untuned, expected.untuned, rtol=0.1)
    assert f'repeated: {repeated.repeated} samples (25' in report(repeated, found)
    assert 'repeated:' not in report(without, expected)


def test_repeated_positions_of_single_joints_have_no_effect(tmp_path: Path) -> None:
    """Every fourth of each joint, in its turn."""
    time, q = TABLE[:, 0], STEP * np.round(TABLE[:, 1:7] / STEP)
    rows = np.arange(len(q))[:, None] + np.zeros(6, dtype=int)
    late = q[rows - ((rows + np.arange(6)) % 4 == 3), np.arange(6)]
    repeated, without = (recorded(tmp_path / 'some.csv', time, each) for each in (late, q))
    moves = slice(100, -100)
    wrong = np.abs(repeated.q - without.q)[moves].max(axis=0)
    assert (wrong < 2.5 * STEP).all()
    assert (np.abs(late - q)[moves].max(axis=0) > 100.0 * STEP).all()
    assert (noise(repeated)[0] < 1.5 * noise(without)[0]).all()
