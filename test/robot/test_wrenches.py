"""Wrenches, constant forces and payloads on links: J'F of Pinocchio and MuJoCo, and by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from numpy.typing import NDArray

from support.acting_loads import terms
from support.descriptions import VALID, codes
from support.oracles import Pinocchio, columns, difference, efforts_of, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import robot_path
from urdf2dyn_ros import InverseDynamics, Loads, RobotModel, read_urdf
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.robot.model import ExternalForce, Inertial, Joint, Link
from urdf2dyn_ros.robot.multibody import Multibody, make_multibody
from urdf2dyn_ros.robot.writer import clean_urdf

WRENCH = np.array([7.0, -3.0, 11.0, 0.5, 2.0, -1.5])
PAYLOAD = (1.5, (0.1, -0.2, 0.3), (0.05, 0.01, -0.02, 0.06, 0.005, 0.04))
ENTRIES = [PAYLOAD[0], *PAYLOAD[1], *PAYLOAD[2]]


def felt(model: RobotModel, link: str, state: Any) -> np.ndarray:
    """Return what the joints no longer have to supply because of the wrench."""
    dynamics = InverseDynamics(model, loads=Loads('fixed', external=[link]))
    return dynamics(*state, np.zeros(6)) - dynamics(*state, WRENCH)


@examples(15)
@given(trees())
def test_a_wrench_on_any_link_of_random_trees_is_felt_as_pinocchio_says(model: RobotModel) -> None:
    system = make_multibody(model)
    names = system.joint_names
    state = random_state(names)
    links = list(system.links)
    for link in (links[0], links[-1], links[len(links) // 2]):
        expected = Pinocchio(clean_urdf(model)).pressed(state, link, WRENCH)
        found = felt(model, link, columns(names, state))
        assert np.abs(found - expected).max(initial=0.0) < 1e-10


def with_payload(model: RobotModel, link: str) -> RobotModel:
    mass, com, tensor = PAYLOAD
    return replace(
        model, links=(*model.links, Link('cargo', Inertial(mass, com, (0.0, 0.0, 0.0), tensor))),
        joints=(*model.joints, Joint('strap', 'fixed', link, 'cargo')))


@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('name', [
    'rx90', 'scara', *(pytest.param(name, marks=pytest.mark.slow)
                       for name in ('humanoid_3p33r', 'panda'))])
def test_a_payload_is_the_same_mass_in_the_urdf(name: str, base: str) -> None:
    model = read_urdf(robot_path(name).read_bytes())
    system = make_multibody(model)
    names, links = system.joint_names, list(system.links)
    q, qd, qdd = columns(names, random_state(names))
    given = [np.array([0.3, -0.7, 0.2, 1.0, 2.0, -3.0, 4.0, 5.0, 9.0])] * (base == 'moving')
    bare = InverseDynamics(model, loads=Loads(base, terms(model)))
    for link in {links[0], links[1], links[-1], links[len(links) // 2]}:
        loaded = InverseDynamics(model, loads=Loads(base, terms(model), payload=link))
        whole = InverseDynamics(with_payload(model, link), loads=Loads(base, terms(model)))
        assert loaded.joint_names == whole.joint_names

        def flat(found: Any) -> np.ndarray:
            return np.concatenate(found) if base == 'moving' else found

        assert worst(flat(loaded(q, qd, qdd, *given, ENTRIES)),
                     flat(whole(q, qd, qdd, *given))) < 1e-11
        assert worst(flat(loaded.gravity(q, *given, ENTRIES)),
                     flat(whole.gravity(q, *given))) < 1e-11
        assert worst(loaded.mass_matrix(q, ENTRIES).ravel(), whole.mass_matrix(q).ravel()) < 1e-11
        nothing = flat(loaded(q, qd, qdd, *given, np.zeros(10)))
        assert worst(nothing, flat(bare(q, qd, qdd, *given))) < 1e-11


# ---- Efforts of wrenches in any link's frame, against Pinocchio's Jacobians

Array = NDArray[np.float64]

TOLERANCE = 1e-12
"""Of the largest effort; robots whose angles are printed to full length."""

PATHS = [*map(robot_path, (
    'humanoid_3p33r', 'g1_29dof_with_hand_rev_1_0', 'panda', 'ur5_gripper'))]


def fused(system: Multibody, link: str) -> list[str]:
    """Return the other links of a link's body."""
    groups = [system.root, *(body.attached for body in system.bodies)]
    names = [[attached.link.name for attached in group] for group in groups]
    return [name for group in names if link in group for name in group if name != link]


def moved(system: Multibody, link: str, frame: str, wrench: Array, q: Array,
          sign: str = 'on_link') -> Array:
    wrenches = ExternalWrenches(system, [link], clock=lambda: 0, sign=sign)
    wrenches.receive(link, 1, frame, wrench[:3], wrench[3:])
    found = wrenches.wrenches_at(1, q)
    assert not isinstance(found, str)
    return found


@pytest.mark.slow
@pytest.mark.fault(43)
@pytest.mark.parametrize('path', PATHS, ids=lambda path: path.stem)
def test_a_moved_wrench_does_the_same_to_the_joints(path: Path) -> None:
    """At every link, for frames on it, fused with it, elsewhere, and the root."""
    model = read_urdf(path.read_bytes())
    oracle, system = Pinocchio(path.read_bytes()), make_multibody(model)
    state = random_state(system.joint_names)
    q = np.array([state[name][0] for name in system.joint_names])
    rng, root, links = np.random.default_rng(1), model.root, [link.name for link in model.links]
    assert any(fused(system, link) for link in links)
    for number, link in enumerate(links):
        elsewhere = links[(number + len(links) // 2) % len(links)]
        for frame in (link, *fused(system, link)[:2], elsewhere, root, 'world'):
            wrench = rng.normal(size=6) * 50.0
            expected = oracle.pressed(state, link, wrench, root if frame == 'world' else frame)
            found = moved(system, link, frame, wrench, q)
            assert worst(oracle.pressed(state, link, found), expected) < TOLERANCE, (link, frame)
            assert np.array_equal(moved(system, link, frame, wrench, q, 'by_link'), -found)


# ---- Constant wrenches on links, by the tag <force>

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
