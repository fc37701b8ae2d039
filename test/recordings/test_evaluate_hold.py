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


def test_a_held_joint_that_is_recorded_is_as_recorded_with_a_warning(evaluate, tmp_path):
    samples = scara.motion(100)
    done = evaluate(scara.mcap(tmp_path, samples), '--hold', 'joint4')
    assert done.code == 0 and 'held by the parameter hold, but published' in done.err
    assert nrmse(done.side('computed'), true_efforts(done, samples)) < 1e-4
