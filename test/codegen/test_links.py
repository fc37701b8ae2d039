"""Pose, Jacobian and motion of links, also where the base moves: Pinocchio, and what they cost."""

from collections.abc import Iterable, Sequence
from typing import Any

import language_tools
import numpy as np
import pytest
from hypothesis import given

from support.oracles import Pinocchio, columns, random_state
from support.random_trees import examples, random_inertia, trees
from support.robot_files import OWN, robot_path
from support.streams.flying_robot import FreeFlyer
from urdf2dyn_ros import InverseDynamics, LinkFrames, RobotModel, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.codegen.generator import STYLES, generate
from urdf2dyn_ros.codegen.languages import python
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.codegen.signature import FRAME_AXES
from urdf2dyn_ros.errors import ExportError, StateError
from urdf2dyn_ros.export import export_description
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link, Mimic
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.writer import clean_urdf

# base, robot and link to multiplications and additions, at most, of each of CHOICES
COSTS = {
    ('fixed', 'ur5_robot', 'tool0'): ((36, 21), (34, 15), (45, 22), (84, 63), (90, 66)),
    ('fixed', 'panda', 'panda_hand'): ((68, 37), (91, 44), (94, 46), (156, 113), (145, 105)),
    ('fixed', 'talos_reduced', 'gripper_left_base_link'): (
        (94, 52), (149, 76), (141, 73), (223, 169), (204, 149)),
    ('moving', 'ur5_robot', 'tool0'): ((34, 16), (81, 41), (117, 108), (132, 112)),
    ('moving', 'panda', 'panda_hand'): ((91, 45), (130, 65), (189, 156), (182, 141)),
    ('moving', 'talos_reduced', 'gripper_left_base_link'): (
        (149, 77), (177, 92), (256, 212), (242, 188)),
}

CHOICES = (('forward_kinematics', 'root'), ('jacobian', 'root'), ('jacobian', 'link'),
           ('frame_motion', 'root'), ('frame_motion', 'link'))

PEERS = {
    'ur5_robot': ('tool0', 'base', 'forearm_link'),
    'panda': ('panda_hand_tcp', 'panda_rightfinger', 'panda_link4'),
    'talos_reduced': ('gripper_right_base_link', 'left_sole_link', 'head_2_link'),
    'icub_reduced': ('l_hand', 'r_sole', 'chest'),
    'kinova': ('j2s6s200_end_effector', 'j2s6s200_link_finger_tip_1', 'j2s6s200_link_3'),
    'tiago': ('hand_thumb_flex_2_link', 'xtion_optical_frame', 'wheel_left_link'),
    'double_pendulum_continuous': ('link2',),
    'anymal': ('RH_FOOT', 'LF_hip_fixed', 'imu_link'),
}


def program_of(model: RobotModel, function: str, links: Sequence[str] = (), axes: str = 'root',
               style: str = 'fast', base: str = 'auto') -> Program:
    return generate(make_multibody(model), name='robot', style=style, functions=function,
                    loads=Loads(base), frames=LinkFrames(tuple(links), axes))


def called(program: Program, *state: Any) -> list[Any]:
    """Return the results of a program's only function, by running its Python text."""
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(python.definitions(program), namespace)
    function, = program.functions
    found = namespace[function.name](*state[:len(function.inputs)])
    return list(found) if len(function.results) > 1 else [found]


def of_links(model: RobotModel, links: Sequence[str], axes: str, state: Any,
             ) -> list[dict[str, Any]]:
    """Return R, p, J, twist and acceleration of each link."""
    found: list[dict[str, Any]] = [{} for _ in links]
    for function in dict(CHOICES):
        program = program_of(model, function, links,
                             'root' if function == 'forward_kinematics' else axes)
        names = program.functions[0].result_names
        for name, value in zip(names, called(program, *state)):
            name, _, k = name.partition('_')
            found[int(k or 1) - 1][name] = value
    return found


@pytest.mark.parametrize('name', PEERS)
def test_poses_jacobians_and_motions_are_those_of_pinocchio(name: str) -> None:
    """In both axes, for links of every kind: lumped, on branches, behind mimic joints."""
    text = robot_path(name).read_bytes()
    check_peer(read_urdf(text), PEERS[name], Pinocchio(text))


def check_peer(model: RobotModel, links: Sequence[str], peer: Pinocchio) -> None:
    names = make_multibody(model).joint_names
    state = random_state(names, 5)
    for axes in FRAME_AXES:
        found = of_links(model, links, axes, columns(names, state).tolist())
        for link, results in zip(links, found):
            for result, expected in peer.link(state, link, axes).items():
                np.testing.assert_allclose(np.ravel(results[result]), np.ravel(expected),
                                           rtol=1e-10, atol=1e-10, err_msg=f'{result} of {link}')


@pytest.mark.parametrize(('base', 'name', 'link'), COSTS)
def test_they_cost_no_more_than_they_did(base: str, name: str, link: str) -> None:
    model, most = read_urdf(robot_path(name).read_bytes()), COSTS[base, name, link]
    for (function, axes), (multiplications, additions) in zip(CHOICES[-len(most):], most):
        cost = program_of(model, function, [link], axes, base=base).functions[0].operations
        assert cost.multiplications <= multiplications and cost.additions <= additions


def check_styles(model: RobotModel, links: Iterable[str]) -> None:
    """Compare both styles with the recursion of frames, and the Jacobian with the twist."""
    for function, axes in CHOICES:
        for style in STYLES:
            program = program_of(model, function, [*links], axes, style)
            for reference in program.references[:2]:
                results = program.functions[0].results
                found = called(program, *(reference.arguments[x] for x in ('q', 'qd', 'qdd')))
                for result, value in zip(results, found):
                    if result.is_matrix:
                        value = np.reshape(value, result.shape) @ np.array(
                            reference.arguments[result.quantity.times])
                    expected = reference.expected[function][result.name]
                    np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-10)


@examples(8)
@given(trees(most=10, nearly=True))
def test_links_of_random_trees_are_those_of_pinocchio(model: RobotModel) -> None:
    if make_multibody(model).joint_names:
        check_peer(model, [model.links[-1].name], Pinocchio(clean_urdf(model)))


def test_a_planar_joint_and_mimic_joints_in_a_row() -> None:
    """Columns of a mimic joint are added with its multiplier, also about parallel axes."""
    links = (Link('base'), *(Link(f'link{k}', random_inertia(k)) for k in range(6)))
    z, x = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    check_styles(RobotModel('row', links, (
        Joint('free', 'planar', 'base', 'link0', (0.3, -0.2, 0.5), (0.4, -0.7, 1.1), x),
        Joint('first', 'revolute', 'link0', 'link1', (0.1, 0.2, 0.3), axis=z),
        Joint('second', 'revolute', 'link1', 'link2', (0.4, 0.1, 0.0), (3.141592653589793, 0, 0),
              z, Mimic('first', -2.0, 0.3)),
        Joint('slide', 'prismatic', 'link2', 'link3', (0.2, 0.0, 0.1), axis=z,
              mimic=Mimic('first', 0.5, -0.1)),
        Joint('third', 'continuous', 'link3', 'link4', (0.0, 0.3, 0.0), axis=x),
        Joint('hand', 'fixed', 'link4', 'link5', (0.1, 0.0, 0.2), (0.3, 0.2, 0.1))), 'base'),
        ['link5', 'link2'])


@pytest.mark.slow
@pytest.mark.parametrize(('function', 'style', 'base'), [
    ('forward_kinematics', 'fast', 'fixed'), ('jacobian', 'readable', 'fixed'),
    ('jacobian', 'fast', 'moving'), ('frame_motion', 'readable', 'moving')])
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_the_files_of_every_language_pass_their_own_test(tool, function, style, base, tmp_path):
    """Of several links, each with results of its own: matrices that are not square."""
    axes, links = 'link' if function == 'jacobian' else 'root', ['link4', 'link2']
    program = program_of(read_urdf((OWN / 'scara.urdf').read_bytes()), function,
                         links if base == 'fixed' else ['link3'], axes, style, base)
    language_tools.check_self_test(tool, language_tools.files_of(tool, program), tmp_path)


@pytest.mark.parametrize(('function', 'links', 'axes', 'words'), [
    ('jacobian', ['nosuch'], 'root', "there is no link 'nosuch'; the links are: panda_link0"),
    ('jacobian', [], 'root', 'link=, --link, export.link.: the robot has several tips, '
     'panda_hand_tcp, panda_leftfinger, panda_rightfinger'),
    ('jacobian', ['panda_hand'] * 2, 'root', 'a link is named twice: panda_hand'),
    ('jacobian', ['panda_hand'], 'tool', "unknown axes 'tool'; they are: root, link"),
    ('forward_kinematics', ['panda_hand'], 'link',
     'does not depend on a choice of axes: remove axes, or choose one of jacobian, frame_motion'),
    ('gravity', ['panda_hand'], 'root', 'choose one of forward_kinematics, jacobian, frame_mo'),
])
def test_a_choice_that_cannot_be_is_refused_with_what_there_is(function, links, axes, words):
    model = read_urdf(robot_path('panda').read_bytes())
    with pytest.raises(ExportError, match=words.replace('(', r'\(')):
        program_of(model, function, links, axes)


def test_a_robot_without_joints_has_poses_but_no_jacobian() -> None:
    model = RobotModel('rock', (Link('base'), Link('stone')), (
        Joint('fixed', 'fixed', 'base', 'stone', (1.0, 2.0, 3.0)),), 'base')
    assert InverseDynamics(model).forward_kinematics([])[1].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ExportError, match='has no movable joint'):
        InverseDynamics(model).jacobian([])


def test_where_the_world_is_relative_to_a_floating_root_is_not_known() -> None:
    links = (Link('world'), Link('drone', random_inertia(0)), Link('arm'))
    model = RobotModel('drone', links, (
        Joint('flies', 'floating', 'world', 'drone'),
        Joint('turns', 'revolute', 'drone', 'arm', (1.0, 2.0, 3.0), axis=(0.0, 0.0, 1.0))),
        'world')
    dynamics = InverseDynamics(model, backend='python')
    assert dynamics.forward_kinematics([0.0])[1].tolist() == [1.0, 2.0, 3.0]
    assert dynamics.jacobian([0.0], 'drone').tolist() == np.eye(6, 7).tolist()
    with pytest.raises(ExportError, match="'world' is the world, in which the robot floats"):
        dynamics.forward_kinematics([0.0], 'world')


def test_the_command_line_and_the_node_choose_links(tmp_path, capsys):
    """The process in which the node exports has the same text as the command."""
    urdf = OWN / 'rx90.urdf'
    assert main(['export', str(urdf), '--function', 'jacobian', '--link', 'link4', 'link6',
                 '--axes', 'link', '--name', 'arm', '-o', str(tmp_path)]) == 0
    defaults = {row.name: row.default for row in NODE_PARAMETERS}
    exported = export_description(urdf.read_text(), defaults, 'python', 'readable', 'arm',
                                  (0.0, 0.0, -9.81), 'jacobian', ('link4', 'link6'), 'link')
    assert exported == {'arm_dynamics.py': (tmp_path / 'arm_dynamics.py').read_text()}
    assert 'return J_1, J_2' in exported['arm_dynamics.py']
    capsys.readouterr()
    assert main(['info', str(urdf), '--model', 'jacobian', '--link', 'link4']) == 0
    printed = capsys.readouterr().out
    assert 'jacobian: J (6 x 6), linear velocity of the origin' in printed
    assert "\nLink 'link4'.\nVectors are in the axes of the root" in printed
    assert main(['info', str(OWN / 'humanoid_3p33r.urdf'), '--model', 'jacobian']) == 1
    assert 'several tips, head, hand_L, hand_R, foot_L, foot_R' in capsys.readouterr().err


def check_flyer(model: RobotModel, text: str | bytes, links: Sequence[str]) -> None:
    """Compare with a free flyer, and J with the twist."""
    dynamics, peer = InverseDynamics(model, backend='python', base='moving'), FreeFlyer(text)
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


@examples(8)
@given(trees(most=8, nearly=True))
def test_random_trees_are_pinocchios_free_flyers(model: RobotModel) -> None:
    check_flyer(model, clean_urdf(model), [model.links[-1].name])


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
