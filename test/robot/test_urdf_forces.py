"""Constant wrenches on links, by the tag <force>."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from support.descriptions import VALID, codes
from support.oracles import Pinocchio, difference, efforts_of, random_state
from support.robot_files import robot_path
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.robot.model import ExternalForce
from urdf2dyn_ros.robot.writer import clean_urdf

FORCES = ('<force link="hand" xyz="0 0 -.5" rpy="0 1.5 0" force="1 2\t3" torque="-4 5e-1 6"/>'
          '<force link="arm" torque="0 0 1"/><force link="hand" force="0 0 0"/>')


def with_forces(text: str, forces: str = FORCES) -> str:
    return text.replace('</robot>', forces + '</robot>')


def test_every_value_arrives_in_the_order_of_the_file() -> None:
    assert read_urdf(with_forces(VALID)).forces == (
        ExternalForce('hand', (1.0, 2.0, 3.0), (-4.0, 0.5, 6.0), (0.0, 0.0, -0.5),
                      (0.0, 1.5, 0.0)),
        ExternalForce('arm', torque=(0.0, 0.0, 1.0)), ExternalForce('hand'))
    assert read_urdf(VALID).forces == ()


def test_a_force_may_stand_before_its_link_and_have_attributes_of_others() -> None:
    text = VALID.replace('<link name="base"/>', '<force link="hand" force="1 0 0" colour="red"/>'
                         '<link name="base"/>')
    assert codes(text) == ['unknown-attribute']
    assert read_urdf(text).forces == (ExternalForce('hand', (1.0, 0.0, 0.0)),)


def test_only_children_of_the_robot_are_forces() -> None:
    text = VALID.replace('<inertial>', '<force link="nowhere" force="x"/><inertial>', 1)
    (problem,) = read_urdf(text).warnings
    assert 'move it into <robot>' in problem.message and read_urdf(text).forces == ()


def test_a_force_written_is_the_force_read(capfd: pytest.CaptureFixture[str]) -> None:
    model = read_urdf(with_forces(VALID))
    assert read_urdf(clean_urdf(model)) == model
    assert capfd.readouterr() == ('', '')


def test_all_that_is_wrong_with_a_force_is_said_at_once() -> None:
    wrong = '<force link="hnad" xyz="1" rpy="a b c"/><force link="${tool}" force="1 0 0"/>'
    assert sorted(codes(with_forces(VALID, wrong))) == [
        'force-missing', 'link-unknown', 'link-unknown', 'number', 'number', 'xacro-unresolved']


@pytest.mark.parametrize('name', ['humanoid_3p33r', 'panda', 'ur5_gripper'])
def test_forces_take_their_part_of_the_efforts(name: str) -> None:
    """Two on every link: tau = RNE - sum of J' F, by Pinocchio."""
    model, rng = read_urdf(robot_path(name).read_bytes()), np.random.default_rng(3)
    forces = tuple(ExternalForce(link.name, *(tuple(row) for row in rng.normal(size=(4, 3))))
                   for link in (*model.links, *model.links))
    pushed = read_urdf(clean_urdf(replace(model, forces=forces)))
    assert pushed.forces == forces
    state = random_state(InverseDynamics(model).joint_names)
    oracle = Pinocchio(robot_path(name).read_bytes())
    expected = oracle.efforts(state)
    for each in forces:
        R = pin.rpy.rpyToMatrix(*each.rpy)
        force = R @ each.force
        wrench = np.array([*force, *(R @ each.torque + np.cross(each.xyz, force))])
        for joint, effort in zip(state, oracle.pressed(state, each.link, wrench)):
            expected[joint] -= effort
    assert difference(efforts_of(pushed, state), expected) < 1.5e-15
    assert difference(efforts_of(model, state), expected) > 1e-3
