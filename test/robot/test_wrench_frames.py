"""Efforts of wrenches in any link's frame, against Pinocchio's Jacobians."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from support.oracles import Pinocchio, columns, random_state, worst
from support.robot_files import robot_path
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Multibody, multibody

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
          sign: str = 'on') -> Array:
    wrenches = ExternalWrenches(system, [link], clock=lambda: 0, sign=sign)
    wrenches.receive(link, 1, frame, wrench[:3], wrench[3:])
    found = wrenches.wrenches_at(1, q)
    assert not isinstance(found, str)
    return found


@pytest.mark.fault(43)
@pytest.mark.parametrize('path', PATHS, ids=lambda path: path.stem)
def test_a_moved_wrench_does_the_same_to_the_joints(path: Path) -> None:
    """At every link, for frames on it, fused with it, elsewhere, and the root."""
    model = read_urdf(path.read_bytes())
    oracle, system = Pinocchio(path.read_bytes()), multibody(model)
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
            assert np.array_equal(moved(system, link, frame, wrench, q, 'by'), -found)


@pytest.mark.fault(43)
def test_the_equations_take_the_wrenches_as_they_are() -> None:
    """Every limb's end is pushed, each by a wrench in a frame of another limb."""
    path = PATHS[0]
    oracle, model = Pinocchio(path.read_bytes()), read_urdf(path.read_bytes())
    links, rng = ['hand_L', 'foot_R', 'head', 'hand_R', 'pelvis'], np.random.default_rng(2)
    dynamics = InverseDynamics(model, loads=Loads(external=links))
    names = dynamics.joint_names
    state = random_state(names, 4)
    q, qd, qdd = columns(names, state)
    wrenches = ExternalWrenches(multibody(model), links, clock=lambda: 0, sign='by')
    expected = InverseDynamics(model)(q, qd, qdd)
    for link, frame in zip(links, (*links[1:], 'world')):
        wrench = 50.0 * rng.normal(size=6)
        wrenches.receive(link, 1, frame, wrench[:3], wrench[3:])
        expected += oracle.pressed(state, link, wrench, frame)
    assert worst(dynamics(q, qd, qdd, wrenches.wrenches_at(1, q)), expected) < 1e-10


@pytest.mark.fault(43)
def test_a_force_at_the_end_of_a_rod_has_the_moment_computed_by_hand() -> None:
    """10 N along x at the end of a rod of 2 m that hangs along -z: 20 N m about the hinge's y."""
    system = multibody(read_urdf(
        '<robot name="r"><link name="base"/><link name="rod"/><link name="tip"/>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>'
        '<axis xyz="0 1 0"/></joint>'
        '<joint name="weld" type="fixed"><parent link="rod"/><child link="tip"/>'
        '<origin xyz="0 0 -2" rpy="0 0 1.5707963267948966"/></joint></robot>'))
    q = np.zeros(1)
    at_tip, along_tip = np.array([10.0, 0, 0, 0, 0, 0]), np.array([0, -10.0, 0, 0, 0, 0])
    # the tip's -y is the rod's x
    assert moved(system, 'rod', 'tip', along_tip, q) == pytest.approx([10, 0, 0, 0, -20, 0])
    assert moved(system, 'tip', 'tip', at_tip, q) == pytest.approx(at_tip)
    # the frame says where: the same force about the root's origin is one at the hinge
    assert moved(system, 'tip', 'base', at_tip, q) == pytest.approx([0, -10, 0, 20, 0, 0])
    assert moved(system, 'rod', 'base', at_tip, q + np.pi / 2) == pytest.approx(
        [0, 0, 10, 0, 0, 0])
