"""The wrench on a link: a push with noisy sensors, singular postures, and what is not known."""

from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from support.robot_files import OWN, robot_path
from support.streams import pushed_robot
from support.streams.pushed_robot import TOOL
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.observer import MomentumObserver, WrenchEstimate
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.text import Level

EFFORT_NOISE = 0.005 * np.array([87.0] * 4 + [12.0] * 3)
"""Half a percent of the largest efforts of the motors [N m]."""

SETTLED = 1050
"""50 ms after the push begins [ms]."""

AWAY = np.array([0.3, -0.8, 1.9, 0.4, 0.9, 0.2])
"""A posture of the RX-90 away from singular ones; the wrist is straight where joint 5 is at 0."""


@cache
def arm() -> InverseDynamics:
    model = read_urdf(pushed_robot.panda())
    names = InverseDynamics(model).joint_names
    return InverseDynamics(model, loads=Loads(terms=dict(zip(names, pushed_robot.terms(False)))))


@cache
def rx90() -> InverseDynamics:
    return InverseDynamics(read_urdf(OWN / 'rx90.urdf'), backend='python')


@pytest.mark.parametrize('force', [(0.0, 20.0, 0.0), (0.0, 0.0, -20.0)])
def test_a_push_of_20_newtons_is_a_force_within_5_percent_and_3_degrees(force: Any) -> None:
    """After 50 ms, by encoders of 17 bits and noisy velocities and efforts, four times in five."""
    motion = pushed_robot.pushed(force, duration=1.1, rubs=False).chosen(slice(300, None))
    off = []
    for seed in range(5):
        noisy = pushed_robot.measured(motion, 17, 1e-3, EFFORT_NOISE, seed)
        estimator, observer = make_estimator('kalman', 7), MomentumObserver(arm())
        estimate, wrenches = WrenchEstimate(arm(), link=TOOL), {}
        for k, (stamp, q, qd, effort) in enumerate(zip(noisy.stamps.tolist(), noisy.q, noisy.qd,
                                                       noisy.effort), start=300):
            state = estimator.update(stamp, q, qd)
            external = (observer.update(stamp, state.q, state.prompt_qd, effort) if state.valid
                        else None)
            if external is not None:
                wrenches[k] = estimate.update(state.q, external)
        R, _ = arm().forward_kinematics(motion.q[SETTLED - 300], TOOL)
        found = R @ wrenches[SETTLED][:3]
        size = np.linalg.norm(found)
        off.append((abs(size / 20.0 - 1.0) / 0.05,
                    np.degrees(np.arccos(found @ force / (20.0 * size))) / 3.0))
        later = np.array([wrenches[k] for k in range(SETTLED, 1100)])
        assert np.abs(np.linalg.norm(later[:, :3], axis=1) - 20.0).max() < 0.1 * 20.0
        assert np.abs(later[:, 3:]).max() < 1.0
        assert np.abs([wrenches[k] for k in range(900, 1000)]).max() < 3.0
        assert estimate.take_report().level == Level.OK
    worst = np.sort(np.max(off, axis=1))
    assert worst[-2] < 1.0 and worst[-1] < 1.5


def test_forces_and_moments_are_about_the_origin_and_in_the_axes_of_a_lumped_link() -> None:
    """By Pinocchio's Jacobian in the axes of the link; damping removes what it should."""
    model = pin.buildModelFromXML(pushed_robot.panda())
    frame, rng = model.getFrameId(TOOL), np.random.default_rng(3)
    for damping in (1e-6, 0.02):
        estimate = WrenchEstimate(arm(), link=TOOL, damping=damping)
        for q in pushed_robot.desired(rng.uniform(0.0, 5.0, 5))[0]:
            J, F = pin.computeFrameJacobian(model, model.createData(), q, frame,
                                            pin.LOCAL), rng.normal(size=6)
            expected = np.linalg.solve(J @ J.T + damping**2 * np.eye(6), J @ J.T @ F)
            np.testing.assert_allclose(estimate.update(q, J.T @ F), expected, atol=1e-6)
            assert damping > 0.01 or np.abs(expected - F).max() < 1e-6


@pytest.mark.fault(54)
def test_near_a_singular_posture_it_is_nan_and_the_status_has_the_figures() -> None:
    """On both sides of the limit; and for positions that are too large."""
    estimate, efforts = WrenchEstimate(rx90(), link='link6'), np.ones(6)
    assert estimate.take_report().level == Level.STALE
    assert np.isfinite(estimate.update(AWAY, efforts)).all()
    assert estimate.take_report().level == Level.OK
    for bend in np.geomspace(1e-9, 1.0, 30).tolist():
        q = AWAY.copy()
        q[4] = bend
        s = np.linalg.svd(rx90().jacobian(q, link='link6'), compute_uv=False)
        assert np.isnan(estimate.update(q, efforts)).tolist() == [bool(s[-1] < 0.03)] * 6
    report = estimate.take_report()
    assert report.level == Level.WARN and 'near a singular one' in report.message
    assert 0 < int(report.values['number of wrenches that are NaN']) < 30
    assert np.isnan(estimate.update(np.full(6, np.inf), efforts)).all()


@pytest.mark.fault(54)
def test_without_the_effort_of_a_joint_that_moves_the_link_it_is_nan() -> None:
    """Efforts of other joints do not matter: those of the fingers."""
    robot = InverseDynamics(read_urdf(robot_path('panda')), backend='python')
    assert len(robot.joint_names) > 7
    estimate = WrenchEstimate(robot, link=TOOL)
    q = np.append(pushed_robot.desired(0.0)[0], [0.01] * (len(robot.joint_names) - 7))
    external = np.ones(len(q))
    external[7:] = np.nan
    assert np.isfinite(estimate.update(q, external)).all()
    external[2] = np.nan
    assert np.isnan(estimate.update(q, external)).all()
    report = estimate.take_report()
    assert report.level == Level.WARN and '1 of 2' in report.message
    assert 'not known at "panda_joint3"' in report.message


def test_links_without_a_wrench_are_rejected_with_the_choices() -> None:
    for link, said in (('tool', 'no link "tool"; .*joints move are: "link6"$'),
                       ('link5', '5 joints move link "link5", .*are: "link6"$'),
                       ('base', '0 joints move|no link')):
        with pytest.raises(ParameterError, match=said):
            WrenchEstimate(rx90(), link=link)
    with pytest.raises(ParameterError, match='damping'):
        WrenchEstimate(rx90(), link='link6', damping=0.0)
    with pytest.raises(ParameterError, match='base is fixed'):
        WrenchEstimate(InverseDynamics(read_urdf(OWN / 'rx90.urdf'), base='moving',
                                       backend='python'), link='link6')
    planar = InverseDynamics(read_urdf(OWN / 'robot_2r.urdf'), backend='python')
    with pytest.raises(ParameterError, match='has no link that at least 6 joints move'):
        WrenchEstimate(planar, link=planar.model.links[-1].name)
