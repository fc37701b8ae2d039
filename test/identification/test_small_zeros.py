"""A zero that is some degrees wrong is noted; Pinocchio simulates."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.robot_files import EXAMPLES
from support.streams.sums_of_sines import sums_of_sines
from urdf2dyn_ros.identification.mistakes.small_zeros import small_zeros
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import robot_of
from urdf2dyn_ros.identification.summary import summarised
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.urdf import read_urdf

RATE = 50.0
URDF = EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf'


@pytest.mark.parametrize(('joint', 'degrees'), [(1, -6.0), (2, 8.0), (2, 0.0)])
def test_a_zero_that_is_some_degrees_wrong_is_noted(joint: int, degrees: float) -> None:
    """The masses are those of another robot; axes of other joints are parallel to its axis."""
    model = read_urdf(Path(URDF))
    robot = robot_of(model, InverseDynamics(model, backend='python'))
    rng = np.random.default_rng(3)
    time = np.arange(0.0, 12.0, 1.0 / RATE)
    w, phase = 2.0 * np.pi * rng.uniform(0.1, 0.6, (4, 6)), rng.uniform(0.0, 6.28, (4, 6))
    q, qd, qdd = sums_of_sines(time, w, phase, 0.5)
    oracle = pin.buildModelFromUrdf(str(URDF))
    for inertia in oracle.inertias[1:]:
        inertia.mass *= float(np.exp(rng.normal(0.0, 0.3)))
    data = oracle.createData()
    effort = np.array([pin.rnea(oracle, data, *row) for row in zip(q, qd, qdd)])
    effort += effort.std(axis=0) * (0.1 * np.tanh(qd / 0.02) + 0.02 * rng.normal(size=q.shape))
    q[:, joint] += np.radians(degrees)
    pieces = [Piece(time, RATE, q, qd, qdd, effort)]
    note = small_zeros(robot, pieces, summarised(robot, 'r', pieces, np.ones(6), (10.0, 0.0)),
                       np.ones(6, dtype=bool))
    print(note)
    assert bool(note) == bool(degrees)
    if note:
        words = note.partition(f'{robot.joints[joint]} (')[2].partition(' deg)')[0]
        assert float(words) == pytest.approx(-degrees, abs=2.0)
