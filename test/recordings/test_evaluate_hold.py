"""`urdf2dyn evaluate` of recordings without some joints of the robot, which were at rest."""

from pathlib import Path

import numpy as np
import pytest

from support.recordings import scara
from support.recordings.evaluate_command import nrmse, true_efforts
from urdf2dyn_ros import InverseDynamics, read_urdf


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


def test_a_held_joint_that_is_recorded_is_as_recorded_with_a_warning(evaluate,
                                                                     tmp_path: Path) -> None:
    samples = scara.motion(100)
    done = evaluate(scara.mcap(tmp_path, samples), '--hold', 'joint4')
    assert done.code == 0 and 'held by the parameter hold, but published' in done.err
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1e-4


def _with_jaw(folder: Path, multiplier: str) -> Path:
    """Return the SCARA with a joint more, whose position is that of joint4 times `multiplier`."""
    urdf = folder / 'jaw.urdf'
    urdf.write_text(scara.SCARA.read_text().replace('</robot>', f"""
      <link name="jaw"/>
      <joint name="jaw_joint" type="prismatic"><parent link="link4"/><child link="jaw"/>
        <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/>
        <mimic joint="joint4" multiplier="{multiplier}" offset="0.1"/></joint></robot>"""))
    return urdf


def test_the_driver_of_a_mimic_joint_that_alone_is_recorded_is_computed(
        evaluate, tmp_path: Path) -> None:
    """As of a gripper whose driver publishes another finger than the URDF's first one."""
    urdf = _with_jaw(tmp_path, '-2')
    samples = scara.motion()
    q, qd = samples.q * [1, 1, 1, -2] + [0, 0, 0, 0.1], samples.qd * [1, 1, 1, -2]
    done = evaluate(scara.mcap(tmp_path, scara.renamed(
        samples.but(q=q, qd=qd), (*scara.JOINTS[:3], 'jaw_joint'))), urdf=urdf)
    assert done.code == 0
    assert ('joint4 is not recorded, but jaw_joint, which mimics it: its position is computed '
            'from that as (q - 0.1) / -2; its effort is unknown') in done.err
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1e-3
    assert not {'measured_joint4', 'residual_joint4'} & {*done.rows}
    assert np.isfinite(done.side('measured', scara.JOINTS[:3])).all()


def test_a_mimic_joint_that_never_moves_shows_nothing_of_its_driver(
        evaluate, tmp_path: Path) -> None:
    recording = scara.mcap(tmp_path, scara.renamed(scara.motion(30), (
        *scara.JOINTS[:3], 'jaw_joint')))
    done = evaluate(recording, urdf=_with_jaw(tmp_path, '0'))
    assert done.code == 1
    assert 'joints of the robot that are not in it: joint4' in ' '.join(done.err.split())
