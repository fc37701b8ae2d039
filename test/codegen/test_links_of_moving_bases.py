"""Jacobian and motion of links of a robot whose base moves: Pinocchio's free flyer, and costs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support import language_tools
from support.free_flyer import FreeFlyer
from support.oracles import columns, random_state
from support.random_trees import examples, random_inertia, trees
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, LinkFrames, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.functions.function import FRAME_AXES
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.writer import clean_urdf

PEERS = {'ur5_robot': ('tool0', 'base'), 'talos_reduced': ('gripper_right_base_link',),
         'anymal': ('RH_FOOT', 'imu_link'), 'double_pendulum_continuous': ('link2',)}

COSTS = {
    ('ur5_robot', 'tool0'): ((34, 16), (81, 41), (117, 108), (132, 112)),
    ('panda', 'panda_hand'): ((91, 45), (130, 65), (189, 156), (182, 141)),
    ('talos_reduced', 'gripper_left_base_link'): (
        (149, 77), (177, 92), (256, 212), (242, 188)),
}
"""Robot and link to multiplications and additions, at most, of each of CHOICES."""

CHOICES = [(function, axes) for function in ('jacobian', 'frame_motion') for axes in FRAME_AXES]


def program_of(model: RobotModel, function: str, link: str, axes: str,
               style: str = 'fast') -> Program:
    return generate(multibody(model), name='robot', style=style,
                    functions=function, loads=Loads('moving'), frames=LinkFrames((link,), axes))


def check(model: RobotModel, text: str | bytes, links: Sequence[str], backend: str) -> None:
    """Compare with a free flyer, and J with the twist."""
    dynamics, peer = InverseDynamics(model, backend=backend, base='moving'), FreeFlyer(text)
    names = dynamics.joint_names
    state = columns(names, random_state(names, 3))
    base = np.random.default_rng(4).normal(size=(2, 6)) * ((2.0,), (5.0,))
    for link in links:
        for axes in FRAME_AXES:
            J = dynamics.jacobian(state[0], link, axes)
            twist, acceleration = dynamics.frame_motion(*state, link, axes, *base)
            expected = peer.link(names, state, *base, link, axes)
            for found, name in ((J, 'J'), (twist, 'twist'), (acceleration, 'acceleration')):
                np.testing.assert_allclose(found, expected[name], rtol=1e-10, atol=1e-10,
                                           err_msg=f'{name} of {link}')
            np.testing.assert_allclose(J @ [*base[0], *state[1]], twist, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize('name', PEERS)
def test_real_robots_are_pinocchios_free_flyers(name: str) -> None:
    text = robot_path(name).read_bytes()
    check(read_urdf(text), text, PEERS[name], 'python')


@examples(8)
@given(trees(most=8, nearly=True))
def test_random_trees_are_pinocchios_free_flyers(model: RobotModel) -> None:
    check(model, clean_urdf(model), [model.links[-1].name], 'python')


@pytest.mark.parametrize(('name', 'link'), COSTS)
def test_they_cost_no_more_than_they_did(name: str, link: str) -> None:
    model = read_urdf(robot_path(name).read_bytes())
    for (function, axes), most in zip(CHOICES, COSTS[name, link]):
        cost = program_of(model, function, link, axes).functions[0].operations
        assert (cost.multiplications, cost.additions) <= most
        assert cost.additions <= most[1]


@pytest.mark.parametrize(('function', 'style'), [('jacobian', 'fast'),
                                                 ('frame_motion', 'readable')])
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_the_files_of_every_language_pass_their_own_test(
        tool: str, function: str, style: str, tmp_path: Path) -> None:
    """Of several columns more than joints, and inputs that no other function has."""
    axes = 'link' if function == 'jacobian' else 'root'
    program = program_of(read_urdf((OWN / 'scara.urdf').read_bytes()), function, 'link3', axes,
                         style)
    language_tools.check_self_test(tool, language_tools.files_of(tool, program), tmp_path)


def test_a_floating_root_has_six_columns() -> None:
    """Its J times the base's twist and qd is the twist, compiled, for many states."""
    links = (Link('world'), *(Link(name, random_inertia(k)) for k, name in enumerate('abc')))
    model = RobotModel('flyer', links, (
        Joint('flies', 'floating', 'world', 'a'),
        Joint('turns', 'revolute', 'a', 'b', (1.0, 2.0, 3.0), axis=(0.0, 0.0, 1.0)),
        Joint('slides', 'prismatic', 'b', 'c', (0.3, 0.0, 0.1), axis=(1.0, 0.0, 0.0))), 'world')
    dynamics = InverseDynamics(model)
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, 7, 2))
    base = rng.normal(size=(2, 7, 6))
    J = dynamics.jacobian(q)
    twist, acceleration = dynamics.frame_motion(q, qd, qdd, None, 'root', *base)
    assert (J.shape, twist.shape) == ((7, 6, 8), (7, 6))
    np.testing.assert_allclose(np.einsum('nij,nj->ni', J, np.hstack([base[0], qd])), twist)
    one = dynamics.frame_motion(q[3], qd[3], qdd[3], base_twist=base[0][3],
                                base_acceleration=base[1][3])[1]
    np.testing.assert_allclose(acceleration[3], one, atol=1e-13)
    # a root that stands still: the motion relative to it
    fixed = InverseDynamics(model, base='fixed')
    for still, expected in zip(dynamics.frame_motion(q, qd, qdd),
                               fixed.frame_motion(q, qd, qdd)):
        np.testing.assert_allclose(still, expected, atol=1e-13)
    with pytest.raises(StateError, match=r"base_twist.*set base 'moving'"):
        fixed.frame_motion(q, qd, qdd, base_twist=base[0])


def test_a_rigid_body_that_moves_has_a_jacobian_of_six_columns() -> None:
    model = RobotModel('rock', (Link('base'), Link('stone')), (
        Joint('fixed', 'fixed', 'base', 'stone', (1.0, 2.0, 3.0)),), 'base')
    J = InverseDynamics(model, base='moving').jacobian([])
    assert J.tolist() == [[1.0, 0.0, 0.0, 0.0, 3.0, -2.0], [0.0, 1.0, 0.0, -3.0, 0.0, 1.0],
                          [0.0, 0.0, 1.0, 2.0, -1.0, 0.0], *np.eye(6)[3:].tolist()]


def test_the_readable_text_says_what_the_columns_of_the_base_are() -> None:
    model = read_urdf((OWN / 'scara.urdf').read_bytes())
    text, = export_model(model, functions='jacobian', loads=Loads('moving'),
                         frames=LinkFrames(axes='link')).values()
    assert "# Jbx = R' (ex x p)" in text
    assert 'poses are relative to the root, which moves' in text
    assert 'J, 6 x 10: linear velocity of the origin of the link' in text
    assert max(map(len, text.splitlines())) <= 99
