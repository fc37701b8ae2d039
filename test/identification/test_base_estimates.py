"""Base parameters of identified robots: their values, and honest 95 % intervals."""

import numpy as np
import pytest

from support.robot_files import OWN
from support.scara_recordings import MODEL, ROBOT, motion
from urdf2dyn_ros.identification.fit.base_estimates import base_estimates
from urdf2dyn_ros.identification.fit.deviations import deviations
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS, top_speeds
from urdf2dyn_ros.identification.fit.pooled_fit import FitTerms, fitted, pooled
from urdf2dyn_ros.identification.preparation import RecordedNames, RecordedSegment, pieces_of
from urdf2dyn_ros.identification.robot import robot_of
from urdf2dyn_ros.identification.summary import summarised
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.urdf import read_urdf


@pytest.mark.parametrize('name', ['scara.urdf', 'rx90.urdf', 'robot_2r.urdf'])
def test_base_parameters_of_bodies_are_those_of_links(name: str) -> None:
    model = read_urdf((OWN / name).read_text())
    dynamics = InverseDynamics(model)
    robot = robot_of(model, dynamics)
    base = base_estimates(robot, robot.prior.nominal, np.zeros(2 * (robot.prior.nominal.size,)))
    expected = dynamics.base_parameters
    assert base.names == expected.names and base.units == expected.units
    size = np.abs(expected.values).max()
    np.testing.assert_allclose(base.urdf, expected.values, rtol=1e-9, atol=1e-9 * size)
    np.testing.assert_allclose(base.identified, expected.values, rtol=1e-9, atol=1e-9 * size)


def test_95_percent_intervals_of_base_parameters_have_95_percent_of_the_true_values() -> None:
    """From 90 to 99 %, in eight recordings of a robot that is not as its URDF says."""
    robot = robot_of(MODEL, InverseDynamics(MODEL))
    names, used = RecordedNames(robot.joints, robot.dynamics.continuous), np.ones(4)
    truth, errors = ROBOT.base_parameters.values, []
    for seed in range(8):
        rng = np.random.default_rng(seed + 40)
        time, q, qd, qdd = motion(8.0, seed)
        effort = ROBOT(q, qd, qdd)
        effort += 0.03 * effort.std(axis=0) * rng.normal(size=effort.shape)
        segment = RecordedSegment((1e9 * time).astype(np.int64) + 1,
                                  q + 1e-5 * rng.normal(size=q.shape), effort)
        pieces = pieces_of([segment], names, 'simulated')
        summary = summarised(robot, 'simulated', pieces, used, (10.0, 0.0))
        terms = FitTerms(np.ones((4, len(JOINT_COLUMNS)), dtype=bool),
                         top_speeds(robot.speed_limits, summary.fastest))
        result = fitted(robot, pooled(summary.weighted), terms, 10.0)
        base = base_estimates(robot, result.fit.bodies,
                              deviations(result, summary.correlation).covariance)
        errors.append((base.identified - truth) / base.deviations)
    share = float((np.abs(errors) < 1.96).mean())
    assert 0.9 <= share <= 0.99, share
