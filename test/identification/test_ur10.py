"""The recording of a real UR10, and parts of it: what is left over, and what is not said."""

from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from support.paths import UR10
from support.robot_files import EXAMPLES
from urdf2dyn_ros import IdentificationError, IdentificationSettings, InverseDynamics, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.identification.checks import check_recording
from urdf2dyn_ros.identification.from_summaries import identify_summaries as fitted
from urdf2dyn_ros.identification.identify import read_summaries, source_of
from urdf2dyn_ros.identification.robot import pseudo_inertia, robot_of
from urdf2dyn_ros.identification.summary import summarised
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.pieces import RecordedNames, pieces_of, read_segments

pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not UR10.exists(), reason='the recording of a UR10 is not here')]

URDF = str(EXAMPLES / 'ur_description' / 'urdf' / 'ur10_robot.urdf')

GOAL = np.array([0.83, 1.32, 0.85, 0.35, 0.37, 2.2])
"""Residuals of held-out blocks [N m]; 0.28 at the fourth joint needs a negative rotor."""


def test_held_out_residuals_of_a_ur10() -> None:
    """Five blocks with gaps of 0.5 s; bodies possible, friction and rotors not negative."""
    model = read_urdf(Path(URDF))
    robot = robot_of(InverseDynamics(model))
    names = RecordedNames(robot.joints, robot.dynamics.continuous, robot.dynamics.units)
    segments, names = read_segments(open_recording(UR10), names)
    pieces = pieces_of(segments, names, UR10)
    used = check_recording(robot, pieces).used
    with threadpool_limits(1, user_api='blas'):
        summary = summarised(robot, 'ur10', pieces, used)
        found = fitted(robot, [summary])
    # filtered by its driver, and late
    assert 1.6 < summary.cutoff < 2.2
    assert 0.004 < summary.delay < 0.012
    urdf, friction, identified = found.held_out.every
    assert (identified <= GOAL).all(), identified
    assert (identified < friction).all() and (friction < urdf).all()
    assert (np.linalg.eigvalsh(pseudo_inertia(found.fit.bodies)) > 0.0).all()
    viscous, coulomb, _, armature, load, quadratic, *further = found.fit.joints.T
    assert not np.any(further)   # none of Stribeck's, and none that differs between directions
    for values in (viscous, coulomb, armature, load, viscous + quadratic * found.terms.top_speed):
        assert (values >= 0.0).all()


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
    robot, notes = robot_of(InverseDynamics(model)), list[str]()
    source = source_of(robot, IdentificationSettings(hold=hold, cutoff=1.9, delay=0.008))
    for summary in read_summaries(robot, paths, source, notes, {}, lambda fraction: None):
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
