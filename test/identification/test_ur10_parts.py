"""Parts of the recording of a real UR10: what is not true of them is not said."""

from pathlib import Path

import numpy as np
import pytest

from support.paths import UR10
from support.robot_files import EXAMPLES
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.recordings import open_recording

pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not UR10.exists(), reason='the recording of a UR10 is not here')]

URDF = str(EXAMPLES / 'ur_description' / 'urdf' / 'ur10_robot.urdf')


def part(path: Path, first: float, last: float, without: str = '', sign: float = 1.0) -> str:
    """Write the table of a part of the recording, from one share of it to another."""
    records = [*open_recording(UR10)]
    rows = records[int(first * len(records)):int(last * len(records)):5]
    kept = [k for k, name in enumerate(records[0].names) if name != without]
    names = [records[0].names[k] for k in kept]
    head = ['time', *(f'q_{name}' for name in names), *(f'effort_{name}' for name in names)]
    np.savetxt(path, [np.concatenate(([1e-9 * (each.stamp - rows[0].stamp)], each.position[kept],
                                      sign * each.effort[kept])) for each in rows], '%.9g', ',',
               header=','.join(head), comments='')
    return str(path)


def notes_of(capsys: pytest.CaptureFixture[str], tmp_path: Path, code: int, *words: str) -> str:
    """Return what is said of recordings that are read with a known filter."""
    assert main(['identify', *words, '--urdf', URDF, '--merge', str(tmp_path / 'm.npz'),
                 '--cutoff', '1.9', '--delay', '0.008']) == code
    return capsys.readouterr().err


def test_nine_seconds_look_not_elastic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 'elastic' not in notes_of(capsys, tmp_path, 0, part(tmp_path / 'r.csv', 0.0, 1 / 3))


def test_two_seconds_have_no_delay_and_no_unit_of_their_own(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [part(tmp_path / f'{k}.csv', k / 12, (k + 1) / 12) for k in (4, 5, 8)]
    notes = notes_of(capsys, tmp_path, 0, *paths)
    assert 'not used' not in notes and 'than those of the other joints' not in notes


def test_two_seconds_are_too_short_for_a_delay(tmp_path: Path,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    """It was 20 ms, where that of the whole recording is 8."""
    paths = [part(tmp_path / f'{k}.csv', k / 12, (k + 1) / 12) for k in (1, 5)]
    assert main(['identify', *paths, '--urdf', URDF, '-o', str(tmp_path / 'out')]) == 0
    assert 'efforts are late' not in capsys.readouterr().err


def test_a_held_joint_may_be_what_is_wrong(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    path = part(tmp_path / 'r.csv', 0.0, 1 / 3, without='wrist_3_joint', sign=-1.0)
    notes = notes_of(capsys, tmp_path, 3, path, '--hold', 'wrist_3_joint')
    assert 'taken to be at rest: wrist_3_joint at 0; did they move?' in notes
