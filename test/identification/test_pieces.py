"""Recordings as motions on a grid: samples that repeat, at rest and while the robot moves."""

import re
from pathlib import Path

import numpy as np
import pytest

from support.recordings.bags import write_csv
from support.scara_recordings import NAMES
from urdf2dyn_ros import RecordingError
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.pieces import Piece, RecordedNames, pieces_of, read_segments
from urdf2dyn_ros.robot.spatial import Array

REST = 0.5   # s


def whole(path: Path, time: Array, q: Array, effort: Array) -> tuple[Piece, list[str]]:
    """Return the only piece and the remarks; q and effort are (k, n), or (k,) of all joints."""
    rows = np.zeros((len(NAMES), len(time)))
    columns = (time, *(rows + q.T), *(rows + effort.T))
    np.savetxt(path, np.column_stack(columns), '%.9g', ',', comments='', header=','.join(
        ['time', *(f'{kind}_{name}' for kind in ('q', 'effort') for name in NAMES)]))
    names = RecordedNames(tuple(NAMES), (False,) * len(NAMES), ('rad',) * len(NAMES))
    recording = open_recording(path)
    segments, names = read_segments(recording, names)
    (piece,) = pieces_of(segments, names, path)
    return piece, recording.remarks


@pytest.mark.parametrize('begin', [1.0, 8.0])
def test_a_joint_whose_position_stays_while_its_velocity_moves_it_is_named(begin: float,
                                                                           tmp_path: Path) -> None:
    time = np.arange(0.0, 10.0, 0.01)
    q, qd = np.sin(time + 1.0), np.cos(time + 1.0)
    columns = [*np.tile(q, (len(NAMES), 1)), *np.tile(qd, (len(NAMES), 1))]
    columns[1] = np.sin(np.minimum(time, begin) + 1.0)
    path = write_csv(tmp_path / 'r.csv', ['time', *(
        f'{kind}_{name}' for kind in ('q', 'qd', 'effort') for name in NAMES)],
        np.column_stack((time, *columns, *columns[len(NAMES):])).tolist())
    names = RecordedNames(tuple(NAMES), (False,) * len(NAMES), ('rad',) * len(NAMES))
    said = f"position of '{NAMES[1]}': it stays at {columns[1][-1]:.4g} rad or m, while its veloc"
    if begin < 3.0:   # too little is left
        with pytest.raises(RecordingError, match=re.escape(said)):
            read_segments(open_recording(path), names)
        return
    recording = open_recording(path)
    segments, _ = read_segments(recording, names)
    assert any(said in remark for remark in recording.remarks)
    assert max(float(each.stamps[-1]) for each in segments) < 1e9 * (begin + 1.5)


@pytest.mark.parametrize('repeats', [1, 4])
def test_an_exact_rest_before_the_motion_is_no_gap(repeats: int, tmp_path: Path) -> None:
    """As a simulator records it: nothing changes for half a second, efforts neither."""
    time = np.arange(0.0, 3.0, 0.004)
    w = 2.0 * np.pi
    since = np.maximum(time[::repeats].repeat(repeats)[:len(time)] - REST, 0.0)
    q = 0.1 * (w * since - np.sin(w * since))
    piece, _ = whole(tmp_path / 'rest.csv', time, q, 10.0 + q)
    true = 0.1 * w * w * np.sin(w * np.maximum(piece.time - REST, 0.0))
    wrong = np.abs(piece.qdd - true[:, None]).max()
    print(f'{repeats} times: {wrong:.3g} rad/s^2 of {true.max():.3g}')
    assert wrong < (0.02 if repeats == 1 else 0.15)


def test_messages_that_are_received_twice_leave_the_motion_as_it_is(tmp_path: Path) -> None:
    """The second one some microseconds later, with the same positions and new efforts."""
    time = np.repeat(np.arange(0.0, 3.0, 0.01), 2)
    q, effort = np.sin(3.0 * time), 10.0 + np.random.default_rng(0).normal(size=len(time))
    time[1::2] += 3e-6
    piece, _ = whole(tmp_path / 'twice.csv', time, q, effort)
    inner = (piece.time > 0.3) & (piece.time < 2.7)
    assert np.abs(piece.qdd + 9.0 * piece.q)[inner].max() < 0.1


def test_messages_that_are_lost_and_repeated_are_no_rests(tmp_path: Path) -> None:
    """A third of them at 30 Hz, up to five in a row: the robot moves on meanwhile."""
    time, rng = np.arange(0.0, 60.0, 1.0 / 30.0), np.random.default_rng(2)
    phases = np.arange(len(NAMES))
    q = np.sin(2.0 * time[:, None] + phases)
    source = np.maximum.accumulate(np.where(rng.random(len(time)) < 1.0 / 3.0, 0,
                                            np.arange(len(time))))
    piece, _ = whole(tmp_path / 'lost.csv', time, q[source], 10.0 + q[source])
    inner = (piece.time > 1.0) & (piece.time < 59.0)
    assert np.abs(piece.qdd + 4.0 * piece.q)[inner].max() < 0.1


@pytest.mark.fault(38)
def test_a_slip_of_the_publishers_clock_is_a_short_motion(tmp_path: Path) -> None:
    """Positions jump by 8 ms of their motion; away from that nothing is wrong."""
    time, speeds = 0.00803 * np.arange(1500), np.array([0.9, 1.7, 2.3, 1.3])
    taken = 0.008 * np.floor(time / 0.008 + 1e-9)
    q = np.sin(taken[:, None] * speeds)
    piece, _ = whole(tmp_path / 'slips.csv', time, q, 10.0 + q)
    slips = time[1:][np.diff(taken) > 0.012]
    assert len(slips) == 5
    wrong = np.abs(piece.qdd + speeds ** 2 * piece.q) / speeds ** 2
    away = np.abs(piece.time[:, None] - slips).min(axis=1) > 0.5
    away[:40] = away[-40:] = False
    print(wrong[away].max(), wrong[40:-40].max())
    assert away.mean() > 0.4 and wrong[away].max() < 0.02
    assert wrong[40:-40].max() < 0.4


@pytest.mark.parametrize('catching_up', [1.0, 0.08])
def test_a_driver_that_stalls_is_left_out_and_named(catching_up: float, tmp_path: Path) -> None:
    """For 0.1 s the last message is sent again, then the newest, or one on its way to it."""
    time = np.arange(0.0, 30.0, 0.01)
    true = np.sin(2.0 * time[:, None] + np.arange(len(NAMES)))
    q = true.copy()
    for row in range(300, 2900, 400):
        q[row:row + 10] = q[row - 1]
        q[row + 10] = q[row - 1] + catching_up * (true[row + 10] - q[row - 1])
    piece, (remark,) = whole(tmp_path / 'r.csv', time, q, 10.0 + q)
    inner = (piece.time > 0.5) & (piece.time < 29.5)
    wrong = np.abs(piece.qdd + 4.0 * piece.q)[inner].max()
    print(wrong)
    assert wrong < 0.04
    assert f'{70 if catching_up == 1.0 else 77} of 3000 records repeat the one before' in remark
