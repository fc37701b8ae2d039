"""
A real UR10's recording: efforts of the URDF's rigid bodies against what the robot measured.

What is left over, mostly friction and the true inertias, is known from an independent evaluation
(the figures below are that evaluation's, with a centred quadratic Savitzky-Golay filter over 21
samples); the stream with the estimator of the same kind must leave the same.

"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from robots import EXAMPLES

from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimators import make_estimator
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.stream import Output, Stream

BAG = (Path(__file__).parents[2] / 'shared' / 'data' / 'ur10_exciting_trajectory'
       / 'ur10_exciting_trajectory.db3')
MEASURED = (21.9, 68.2, 33.3, 6.1, 4.1, 5.7)
RESIDUAL = (21.5, 22.2, 16.7, 6.1, 4.1, 5.7)
HALF_A_DIGIT = 0.05

pytestmark = pytest.mark.skipif(
    not BAG.exists(), reason='the recording of a UR10 is not part of this repository; it comes '
    'from the public repository unisa-acg/inverse-dynamics-solver')


@pytest.fixture(scope='module')
def outputs() -> list[Output]:
    """Return what the stream makes of the recording."""
    urdf = EXAMPLES / 'ur_description' / 'urdf' / 'ur10_robot.urdf'
    dynamics = InverseDynamics(read_urdf(urdf.read_bytes()))
    estimator = make_estimator('polynomial', len(dynamics.joint_names), window=0.16, order=2,
                               align='centre')
    stream = Stream(dynamics.joint_names, dynamics.continuous, dynamics, estimator,
                    clock=lambda: 0)
    results = []
    for record in open_recording(BAG):
        results.append(stream.receive(*record[:5]))
    return [result for result in results if result is not None]


def test_the_validation_trajectory_is_read() -> None:
    """One message with every point of it; its accelerations are those of its velocities."""
    recording = open_recording(BAG.with_name('validation_trajectory.db3'))
    points = list(recording)
    assert (len(points), len(recording.joint_names)) == (3441, 6)
    assert np.diff([point.stamp for point in points]) == pytest.approx(8_000_000, abs=2)
    qd, qdd, tau = (np.array([getattr(point, what) for point in points])
                    for what in ('velocity', 'acceleration', 'effort'))
    slope = (qd[2:] - qd[:-2]) / 0.016
    assert np.median(np.abs(slope - qdd[1:-1])) < 0.05 * np.sqrt(np.mean(qdd ** 2))
    assert (np.ptp(tau, axis=0) > 1.0).all()


def test_no_sample_is_lost_but_those_at_the_ends(outputs: list[Output]) -> None:
    """21 samples make one window; from then on every message gives an output."""
    assert len(outputs) == 3441 - 21


def test_measured_efforts_are_those_of_the_recording(outputs: list[Output]) -> None:
    """Joints are mapped by name: the driver sends elbow first, the model the shoulder."""
    measured = np.array([output.measured for output in outputs])
    assert np.sqrt((measured**2).mean(axis=0)) == pytest.approx(MEASURED, rel=0.02,
                                                                abs=HALF_A_DIGIT)


def test_residuals_are_those_of_the_independent_evaluation(outputs: list[Output]) -> None:
    """Within 2 % per joint, beside the rounding of the printed figures."""
    residual = np.array([output.measured - output.effort for output in outputs])
    for found, expected in zip(np.sqrt((residual**2).mean(axis=0)), RESIDUAL):
        assert abs(found - expected) <= 0.02 * expected + HALF_A_DIGIT
