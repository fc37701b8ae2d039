"""Parts of the recording of a real UR10: what is not true of them is not said."""

from pathlib import Path

import numpy as np
import pytest

from support.paths import UR10
from support.robot_files import EXAMPLES
from urdf2dyn_ros import IdentificationError, IdentificationSettings, InverseDynamics, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.identification.identify import read_summaries, source_of
from urdf2dyn_ros.identification.robot import robot_of
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


def notes_of(*paths: str, hold: tuple[str, ...] = ()) -> str:
    """Return what is said of recordings that are read with a known filter."""
    model = read_urdf(Path(URDF))
    robot, notes = robot_of(model, InverseDynamics(model)), list[str]()
    source = source_of(robot, IdentificationSettings(hold=hold, cutoff=1.9, delay=0.008))
    for summary in read_summaries(robot, paths, source, notes, lambda fraction: None):
        notes += summary.contradictions
    return '\n'.join(notes)


def test_of_nine_seconds_nothing_is_said(tmp_path: Path) -> None:
    assert notes_of(part(tmp_path / 'r.csv', 0.0, 1 / 3)) == ''


def test_two_seconds_have_no_delay_and_no_unit_of_their_own(tmp_path: Path) -> None:
    notes = notes_of(*(part(tmp_path / f'{k}.csv', k / 12, (k + 1) / 12) for k in (4, 5, 8)))
    assert 'not used' not in notes and 'than those of the other joints' not in notes


def test_two_seconds_are_too_short_for_a_delay(tmp_path, capsys):
    """It was 20 ms, where that of the whole recording is 8."""
    paths = [part(tmp_path / f'{k}.csv', k / 12, (k + 1) / 12) for k in (1, 5)]
    assert main(['identify', *paths, '--urdf', URDF, '-o', str(tmp_path / 'out')]) == 0
    assert 'efforts are late' not in capsys.readouterr().err


def test_a_held_joint_may_be_what_is_wrong(tmp_path: Path) -> None:
    path = part(tmp_path / 'r.csv', 0.0, 1 / 3, without='wrist_3_joint', sign=-1.0)
    with pytest.raises(IdentificationError,
                       match='taken to be at rest: wrist_3_joint at 0; did they move'):
        notes_of(path, hold=('wrist_3_joint',))
