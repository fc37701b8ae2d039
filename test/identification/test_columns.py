"""Columns of the efforts, and inertias of bodies and links, by other means."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from support.robot_files import EXAMPLES, OWN
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    COULOMB,
    JOINT_COLUMNS,
    VISCOUS,
    Columns,
    joint_columns,
    link_inertias,
    parameters_of,
    prior_of,
    pseudo_inertia,
    robot_of,
)
from urdf2dyn_ros.identification.rollouts import TIMES, simulate
from urdf2dyn_ros.identification.rows import RowSource, late_signs, score, without_friction
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.pieces import Piece
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.reader import read_urdf

ROBOTS = ('ur_description/urdf/ur10_robot.urdf', 'panda_description/urdf/panda.urdf',
          'tiago_description/robots/tiago_no_hand.urdf')


@pytest.mark.parametrize('name', ROBOTS)
def test_links_of_changed_bodies_have_the_efforts_of_these(name) -> None:
    """And every one of them is possible, in URDF's own terms."""
    model = read_urdf((EXAMPLES / name).read_text())
    system = make_multibody(model)
    prior, rng = prior_of(system), np.random.default_rng(1)
    turned = [L @ (np.eye(4) + 0.1 * np.tril(rng.normal(size=(4, 4)))) for L in prior.factors]
    changed = parameters_of(np.array([each @ each.T for each in turned]))
    links = {}
    for body, before, after in zip(system.bodies, prior.nominal, changed):
        links |= link_inertias(body.attached, before, after)
    new = replace(model, links=tuple(replace(link, inertia=links.get(link.name, link.inertia))
                                     for link in model.links))
    dynamics = InverseDynamics(new)
    columns = Columns(system, dynamics, dynamics.gravity_vector)
    motion = np.random.default_rng(0).normal(size=(3, 60, len(dynamics.joint_names)))
    found = np.stack([part @ changed[bodies].ravel()
                      for part, bodies in zip(columns(*motion), columns.bodies)], axis=1)
    np.testing.assert_allclose(found, dynamics(*motion), atol=1e-8)


def test_impossible_and_massless_bodies_are_made_possible_and_reported() -> None:
    text = """<robot name="r"><link name="base"/>
      <joint name="one" type="continuous"><parent link="base"/><child link="a"/></joint>
      <link name="a"><inertial><mass value="2"/>
        <inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="two" type="continuous"><parent link="a"/><child link="b"/></joint>
      <link name="b"/></robot>"""
    prior = prior_of(make_multibody(read_urdf(text)))
    impossible, massless = prior.remarks
    assert "joint 'one'" in impossible and 'impossible' in impossible
    assert "joint 'two'" in massless and '0.02 kg' in massless
    assert (np.linalg.eigvalsh(pseudo_inertia(prior.parameters)) > 0.0).all()


def test_of_friction_of_any_kind_nothing_is_left() -> None:
    """Also where directions differ or signs follow late; rotors, which are none, stay."""
    time = np.arange(0.0, 9.0, 0.02)
    q, qd, qdd, other = np.sin(time), np.cos(time), -np.sin(time), np.cos(3.0 * time**1.5)
    signs = late_signs(q[:, None], np.array([0.1]))[:, 0]
    assert np.abs(signs).max() <= 1.0 and (np.abs(signs[140]) > 0.9).all()
    own = joint_columns(qd, qdd, other, 0.1)
    effort = own @ [2.0, 5.0, -1.0, 0.0, 0.3, 1.0, 0.4, *np.zeros(own.shape[1] - 7)] + (
        3.0 * qd**2 + signs @ [1.0, 2.0, 3.0])
    left = without_friction(np.column_stack((own, effort)), signs)
    assert np.abs(left[:, -1]).max() < 1e-9 < np.abs(left[:, ARMATURE]).max()
    assert not left[:, ARMATURE + 1:-1].any()


def test_rows_say_which_joints_move_and_the_score_is_of_those_that_count() -> None:
    dynamics, time = InverseDynamics(OWN / 'robot_2r.urdf'), np.arange(0.0, 8.0, 0.01)
    sine = np.sin(time)[:, None] * [4.0, 0.0], np.cos(time)[:, None] * [4.0, 0.0]
    q, qd, qdd = *sine, -sine[0]
    prior = prior_of(make_multibody(dynamics.model))
    rows = RowSource([Piece(time, 100.0, q, qd, qdd, dynamics(q, qd, qdd))], Columns(
        make_multibody(dynamics.model), dynamics, dynamics.gravity_vector), prior.parameters,
        np.ones(2)).rows(10.0, 0.0)
    assert (rows.moves == (np.abs(rows.qd) > 0.03 * np.abs(qd).max(axis=0))).mean() > 0.995
    assert 0.9 < rows.moves[:, 0].mean() < 1.0 and not rows.moves[:, 1].any()
    assert score(np.array([8.0, 5.0, 18.0]), np.array([2, 0, 2])) == pytest.approx(np.sqrt(6.0))
    assert score(np.ones(2), np.zeros(2)) == 0.0


@pytest.mark.parametrize('used', [(True, True), (False, True)])
def test_efforts_of_a_motion_with_friction_and_a_rotor_move_the_robot_along_it(used) -> None:
    dynamics, rates = InverseDynamics(OWN / 'robot_2r.urdf'), np.array([2.0, 3.0])
    angle = rates * np.add.outer([0.0, 1.0], TIMES)[:, :, None] + np.array([0.3, 0.0])
    q, qd, qdd = np.sin(angle), rates * np.cos(angle), -rates**2 * np.sin(angle)
    effort = dynamics(*(part.reshape(-1, 2) for part in (q, qd, qdd))).reshape(q.shape)
    effort += [3.0, 20.0] * qd + [4.0, 10.0] * np.tanh(qd / 0.1) + [5.0, 2.0] * qdd
    robot, joints = robot_of(dynamics), np.zeros((2, len(JOINT_COLUMNS)))
    robot = replace(robot, sign_widths=np.full(2, 0.1))
    joints[:, [VISCOUS, COULOMB, ARMATURE]] = [[3.0, 4.0, 5.0], [20.0, 10.0, 2.0]]
    fit = SimpleNamespace(bodies=robot.prior.nominal, joints=joints)
    found = simulate(robot, fit, np.array(used), q, qd, effort)
    assert found[:, used] == pytest.approx(q[:, -1, used], abs=0.01)
    assert np.abs(q[:, -1] - q[:, 0]).min() > 0.2
