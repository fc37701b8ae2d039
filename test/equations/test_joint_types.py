"""Joints of several coordinates, mimic joints, branches, and very many joints."""

import itertools
import sys
from dataclasses import replace

import numpy as np
import pytest

from support import oracles
from support.random_trees import RPY, XYZ, between, random_inertia
from urdf2dyn_ros import InverseDynamics, UrdfError, read_urdf
from urdf2dyn_ros.robot.model import Inertial, Joint, Link, Mimic, RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.robot.writer import clean_urdf

AXES: dict[str, Triple] = {'x': (1.0, 0.0, 0.0), 'y': (0.0, 1.0, 0.0), 'z': (0.0, 0.0, 1.0)}


def written_out(model: RobotModel, parts: list[tuple[str, str, Triple]]) -> RobotModel:
    """Return the same arm, the joint 'free' spelled out as joints of one freedom."""
    links, joints = list(model.links), []
    for joint in model.joints:
        if joint.name != 'free':
            joints.append(joint)
            continue
        between = [f'between{k}' for k in range(1, len(parts))]
        links += [Link(name) for name in between]
        ends = itertools.pairwise([joint.parent, *between, joint.child])
        for k, ((parent, child), (name, type, axis)) in enumerate(zip(ends, parts)):
            joints.append(Joint(name, type, parent, child, axis=axis) if k else
                          Joint(name, type, parent, child, joint.xyz, joint.rpy, axis))
    return replace(model, links=tuple(links), joints=tuple(joints))


def check_decomposed(model: RobotModel, parts: list[tuple[str, str, Triple]]) -> None:
    """Compare names, order and efforts with the same robot written out, read by Pinocchio."""
    names = ('first', *(name for name, _, _ in parts), 'last')
    assert InverseDynamics(model).joint_names == names
    oracle = oracles.Pinocchio(clean_urdf(written_out(model, parts)))
    for seed in range(5):
        state = oracles.random_state(names, seed)
        assert oracles.difference(oracles.efforts_of(model, state), oracle.efforts(state)) < 4e-15


@pytest.mark.fault(15)
@pytest.mark.parametrize(('normal', 'across'), [('z', 'xy'), ('x', 'yz'), ('y', 'zx')])
def test_a_planar_joint_is_two_slides_in_its_plane_and_a_turn(normal: str, across: str) -> None:
    check_decomposed(between('planar', AXES[normal]), [
        ('free/x', 'prismatic', AXES[across[0]]), ('free/y', 'prismatic', AXES[across[1]]),
        ('free/theta', 'continuous', AXES[normal])])


def test_the_slides_of_an_oblique_planar_joint_are_right_handed_with_its_normal() -> None:
    normal = (2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0)
    model = between('planar', normal)
    at_zero = dict.fromkeys(make_multibody(model).joint_names, (0.0, 0.0, 0.0))
    start = oracles.motion_of(model, at_zero)['position_free']
    x, y = (np.subtract(oracles.motion_of(model, {**at_zero, name: (1.0, 0.0, 0.0)})[
        'position_free'], start) for name in ('free/x', 'free/y'))
    # seen in the frame of the joint: 'first' is at zero, so its rotation in the root is RPY
    (cr, cp, cy), (sr, sp, sy) = np.cos(RPY), np.sin(RPY)
    R = (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
         @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
         @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]))
    frame = np.array([R.T @ x, R.T @ y, normal])
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0, rel=0.0, abs=1e-15)
    check_decomposed(model, [('free/x', 'prismatic', tuple(frame[0].tolist())),
                             ('free/y', 'prismatic', tuple(frame[1].tolist())),
                             ('free/theta', 'continuous', normal)])


@pytest.mark.fault(15)
def test_a_floating_joint_is_three_slides_and_three_turns() -> None:
    check_decomposed(between('floating'), [
        *((f'free/trans_{x}', 'prismatic', axis) for x, axis in AXES.items()),
        *((f'free/rot_{x}', 'revolute', axis) for x, axis in AXES.items())])


@pytest.mark.fault(15)
def test_a_floating_root_is_fixed_to_the_world_with_a_warning() -> None:
    free = replace(between('fixed'), joints=tuple(
        replace(joint, type='floating') if joint.name == 'first' else joint
        for joint in between('fixed').joints))
    model = read_urdf(clean_urdf(free, fill_limits=True))
    assert [problem.code for problem in model.warnings] == ['floating-root']
    fixed = replace(free, joints=tuple(
        replace(joint, type='fixed') if joint.type == 'floating' else joint
        for joint in free.joints))
    state = oracles.random_state(['last'])
    assert oracles.efforts_of(model, state) == oracles.efforts_of(fixed, state)
    expected = oracles.Pinocchio(clean_urdf(fixed)).efforts(state)
    assert oracles.difference(oracles.efforts_of(model, state), expected) < 1e-15


@pytest.mark.fault(15)
def test_unknown_types_of_a_model_made_by_hand_are_not_taken_for_fixed() -> None:
    with pytest.raises(UrdfError, match='ball'):
        InverseDynamics(between('ball'))


def hand(*followers: tuple[str, str, Mimic], driver: str = 'revolute') -> RobotModel:
    """Return a palm whose fingers follow: links in a chain behind 'lead', and a free thumb."""
    links = [Link('palm'), Link('lead_link', random_inertia(1)), Link('thumb', random_inertia(9))]
    joints = [Joint('lead', driver, 'palm', 'lead_link', (0.0, 0.1, 0.0), RPY),
              Joint('oppose', 'revolute', 'palm', 'thumb', XYZ)]
    parent = 'lead_link'
    for k, (name, type, mimic) in enumerate(followers):
        links.append(Link(f'{name}_link', random_inertia(k + 2)))
        axis = tuple(AXES.values())[k % 3]
        joints.append(Joint(name, type, parent, f'{name}_link', XYZ, RPY, axis, mimic))
        parent = f'{name}_link'
    return RobotModel('hand', tuple(links), tuple(joints), 'palm')


HANDS = {
    'multiplier and offset': hand(('a', 'revolute', Mimic('lead', -1.7, 0.3))),
    'several followers': hand(('a', 'continuous', Mimic('lead', 0.5)),
                              ('b', 'revolute', Mimic('lead', 1.0, -0.4))),
    'chain of followers': hand(('a', 'revolute', Mimic('b', 2.0, 0.1)),
                               ('b', 'revolute', Mimic('c', -0.5, 0.2)),
                               ('c', 'revolute', Mimic('lead', 3.0, -0.3))),
    'slide that follows a turn': hand(('a', 'prismatic', Mimic('lead', 0.04, 0.01))),
    'turn that follows a slide': hand(('a', 'continuous', Mimic('lead', 12.0)),
                                      driver='prismatic'),
    'driver behind its follower': hand(('a', 'revolute', Mimic('b', 0.8, 0.1)),
                                       ('b', 'revolute', Mimic('oppose', 1.2))),
}


@pytest.mark.fault(16)
@pytest.mark.parametrize('model', HANDS.values(), ids=HANDS)
@pytest.mark.parametrize('oracle', [oracles.Pinocchio, oracles.MuJoCo])
def test_the_effort_of_a_follower_is_reflected_to_its_driver(model, oracle):
    """The oracles see independent joints; support/oracles.py moves them and sums their efforts."""
    independent = {'lead', 'oppose'}
    assert set(InverseDynamics(model).joint_names) == independent
    expected = oracle(clean_urdf(model))
    for seed in range(5):
        state = oracles.random_state(independent, seed)
        ours = oracles.efforts_of(model, state)
        assert oracles.difference(ours, expected.efforts(state)) < 3e-14


@pytest.mark.parametrize('model', HANDS.values(), ids=HANDS)
def test_followers_move_as_their_drivers_say(model: RobotModel) -> None:
    state = oracles.random_state(['lead', 'oppose'])
    found = oracles.motion_of(model, state)
    expected = oracles.Pinocchio(clean_urdf(model)).motion(state)
    assert oracles.difference(found, expected) < 4e-15


def test_units_and_continuity_belong_to_the_type_of_a_joint() -> None:
    types = ('revolute', 'continuous', 'prismatic')
    model = RobotModel('types', (Link('base'), *(Link(type) for type in types)), tuple(
        Joint(f'a {type} joint', type, 'base', type) for type in types), 'base')
    dynamics = InverseDynamics(model)
    assert dynamics.units == ('rad', 'rad', 'm')
    assert dynamics.effort_units == ('N m', 'N m', 'N')
    assert dynamics.continuous == (False, True, False)
    assert set(types) == oracles.MOVING == oracles.TURNING | {'prismatic'}


def many(parents: list[str], lengths: float) -> RobotModel:
    """Return links with axes x, y, z, x .. on these parents."""
    axes = tuple(AXES.values())
    inertia = Inertial(0.5, (0.03, 0.02, 0.01), (0.0,) * 3, (2e-3, 0.0, 0.0, 2e-3, 0.0, 2e-3))
    return RobotModel(
        'many', (Link('base'), *(Link(f'link{k}', inertia) for k in range(len(parents)))),
        tuple(Joint(f'joint{k}', 'revolute', parent, f'link{k}', (lengths, 0.0, 0.0),
                    axis=axes[k % 3]) for k, parent in enumerate(parents)), 'base')


@pytest.mark.slow
@pytest.mark.fault(17)
def test_a_chain_of_a_thousand_links_loads_and_agrees_with_mujoco() -> None:
    assert sys.getrecursionlimit() <= 1000
    model = many(['base', *(f'link{k}' for k in range(999))], 0.01)
    text = clean_urdf(model)
    dynamics = InverseDynamics(read_urdf(text))
    state = {name: (q, qd / 30.0, qdd / 30.0)
             for name, (q, qd, qdd) in oracles.random_state(dynamics.joint_names).items()}
    columns = oracles.columns(dynamics.joint_names, state)
    found = dict(zip(dynamics.joint_names, dynamics(*columns)))
    assert len(found) == 1000
    assert oracles.difference(found, oracles.MuJoCo(text).efforts(state)) < 1.5e-14


def test_joints_are_numbered_limb_by_limb_in_the_order_of_the_file() -> None:
    tree = {'waist': 'world', 'left': 'waist', 'right': 'waist', 'slide': 'left',
            'finger': 'slide', 'thumb': 'slide', 'head': 'waist', 'wrist': 'right'}
    model = RobotModel('human', tuple(map(Link, ('world', *tree))), tuple(
        Joint(child, 'revolute', parent, child) for child, parent in tree.items()), 'world')
    assert InverseDynamics(model).joint_names == (
        'waist', 'left', 'slide', 'finger', 'thumb', 'right', 'wrist', 'head')
