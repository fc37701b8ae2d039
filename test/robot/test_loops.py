"""Closed loops in robot descriptions: their notations, linear relations, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.mechanisms import Builder, mechanism
from urdf2dyn_ros import InverseDynamics, RobotModel, UrdfError, read_urdf
from urdf2dyn_ros.robot.cut_tree import _rotation
from urdf2dyn_ros.robot.writer import clean_urdf

BARS = """<robot name="parallelogram" xmlns:drake="drake">
  <link name="base"/>
  {links}
  <joint name="crank_joint" type="continuous"{crank}><parent link="base"/><child link="crank"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="coupler_joint" type="continuous"{others}><origin xyz="0 0 0.4"/>
    <parent link="crank"/><child link="coupler"/><axis xyz="0 1 0"/></joint>
  <joint name="rocker_joint" type="continuous"{others}><origin xyz="0.5 0 0"/>
    <parent link="base"/><child link="rocker"/><axis xyz="0 1 0"/></joint>
  {loop}
</robot>"""
LINKS = ''.join(
    f'<link name="{name}"><inertial><origin xyz="{x} 0 {z}"/><mass value="{mass}"/><inertia '
    'ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>\n'
    for name, x, z, mass in (('crank', 0, 0.2, 1), ('coupler', 0.25, 0, 4), ('rocker', 0, 0.2, 1)))
ENDS = 'link="coupler" xyz="0.5 0 0" rpy="0 0 0"', 'link="rocker" xyz="0 0 0.4"'
NOTATIONS = {
    'isaac': f'<loop_joint name="close" type="revolute"><link1 {ENDS[0]}/><link2 {ENDS[1]}/>'
             '<axis xyz="0 1 0"/></loop_joint>',
    'isaac, as its page is written': f'<loop_joint name="close" type="spherical"><link1 {ENDS[0]}'
                                     f'/><link1 {ENDS[1]}/></loop_joint>',
    'urdf+': '<loop name="close" type="continuous"><predecessor link="coupler"><origin '
             'xyz="0.5 0 0"/></predecessor><successor link="rocker"><origin xyz="0 0 0.4"/>'
             '</successor><axis xyz="0 1 0"/></loop>',
    'urdfdom': '<constraint name="close" type="revolute"><parent link="coupler"/><parent_origin '
               'xyz="0.5 0 0"/><parent_axis xyz="0 1 0"/><child link="rocker"/><child_origin '
               'xyz="0 0 0.4"/><child_axis xyz="0 -1 0"/></constraint>',
    'gazebo': '<gazebo><joint name="close" type="revolute"><parent>coupler</parent><child>rocker'
              '</child><pose>0 0 0.4 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>',
    'drake': '<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/>'
             '<drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_AP '
             'value="0.5 0 0"/><drake:ball_constraint_p_BQ value="0 0 0.4"/>'
             '</drake:ball_constraint>',
    'distance': f'<loop_joint name="close" type="distance" length="0.4"><link1 {ENDS[0]}/>'
                '<link2 link="base" xyz="0.5 0 0"/></loop_joint>',
}


def bars(loop: str, driven: str = ' independent="true"', others: str = '') -> str:
    return BARS.format(links=LINKS, loop=loop, crank=driven, others=others)


def codes(error: UrdfError) -> set[str]:
    return {problem.code for problem in error.problems if problem.refused}


@pytest.mark.parametrize('notation', [name for name in NOTATIONS if name != 'distance'])
def test_every_notation_of_a_loop_is_the_same_robot(notation: str) -> None:
    """By virtual work: the passive joints of a parallelogram transmit no effort."""
    model = read_urdf(bars(NOTATIONS[notation]))
    assert not [problem for problem in model.warnings if 'loop' in problem.code]
    dynamics = InverseDynamics(model, backend='python')
    assert dynamics.joint_names == ('crank_joint',)
    assert dynamics([0.6]) == pytest.approx([-11.07828533], rel=1e-8)
    passive = {joint.name: joint.mimic.multiplier for joint in model.joints if joint.mimic}
    assert passive == {'coupler_joint': -1.0, 'rocker_joint': 1.0}


def test_a_file_that_must_not_change_is_closed_by_options() -> None:
    ends = ''.join(f'<link name="{link}_pin"/><joint name="{link}_pin" type="fixed"><origin '
                   f'xyz="{xyz}"/><parent link="{link}"/><child link="{link}_pin"/></joint>'
                   for link, xyz in (('coupler', '0.5 0 0'), ('rocker', '0 0 0.4')))
    text = bars(ends, driven='')
    for kind in ('', ':', ':revolute', ':spherical', ':revolute:0 1 0'):
        model = read_urdf(text, loops=[f'coupler_pin=rocker_pin{kind}'], actuated=['crank_joint'])
        assert InverseDynamics(model, backend='python')([0.6]) == pytest.approx([-11.07828533])
    open_tree = InverseDynamics(read_urdf(text), backend='python')
    assert open_tree.n == 3


def test_a_coupling_of_urdf_plus_is_a_gear() -> None:
    coupling = ('<coupling name="belt"><predecessor link="crank"/><successor link="rocker"/>'
                '<ratio value="-2"/></coupling>')
    model = read_urdf(bars(coupling), actuated=['crank_joint', 'coupler_joint'])
    rocker = next(joint for joint in model.joints if joint.name == 'rocker_joint')
    assert rocker.mimic is not None and rocker.mimic.joint == 'crank_joint'
    assert rocker.mimic.multiplier == pytest.approx(-2.0, abs=1e-12) and not rocker.also


def open_tree(model: RobotModel) -> InverseDynamics:
    return InverseDynamics(replace(
        model, loops=(), closed_loops=None, joints=tuple(
            replace(joint, mimic=None, also=()) for joint in model.joints)), backend='python')


def followed(model: RobotModel, names: tuple[str, ...], driven: tuple[str, ...]) -> np.ndarray:
    """Return G of qd = G qd_actuated, of a tree without mimic joints of its own."""
    G = np.zeros((len(names), len(driven)))
    for i, name in enumerate(names):
        joint = next(joint for joint in model.joints if joint.name == name)
        if joint.mimic is None:
            G[i, driven.index(name)] = 1.0
        else:
            for mimic in (joint.mimic, *joint.also):
                G[i, driven.index(mimic.joint)] += mimic.multiplier
    return G


def test_the_passive_joints_of_a_palletizer_follow_two_motors() -> None:
    """Its efforts are G' of the open tree; it costs less, and no base parameter is left over."""
    model = read_urdf(mechanism('palletizer'))
    dynamics, tree = InverseDynamics(model, backend='python'), open_tree(model)
    assert set(dynamics.joint_names) == {'j1', 'j2', 'j3', 'j4'}
    G = followed(model, tree.joint_names, dynamics.joint_names)
    assert np.array_equal(np.abs(G).max(axis=1), np.ones(10))
    states = np.random.default_rng(0).normal(size=(20, 3, 4))
    for q, qd, qdd in states:
        expected = G.T @ tree(G @ q, G @ qd, G @ qdd)
        found = dynamics(q, qd, qdd)
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
        assert dynamics.forward_dynamics(q, qd, found) == pytest.approx(qdd, rel=1e-9, abs=1e-9)
        assert dynamics.regressor(q, qd, qdd) @ dynamics.base_parameters.values == pytest.approx(
            found, rel=1e-9, abs=1e-9)
    assert len(dynamics.base_parameters.names) == 25
    assert len(tree.base_parameters.names) == 64
    assert dynamics.operations.trigonometric < tree.operations.trigonometric


@pytest.mark.parametrize(('loop', 'code', 'said'), [
    (NOTATIONS['isaac'].replace('"coupler"', '"couple"'), 'loop-notation', '"coupler"'),
    (NOTATIONS['isaac'].replace('"rocker"', '"coupler"'), 'loop-notation', 'both ends'),
    (NOTATIONS['isaac'].replace('<axis xyz="0 1 0"/>', ''), 'loop-notation', 'axis'),
    (NOTATIONS['isaac'].replace('revolute', 'glue'), 'loop-notation', 'types are'),
    (NOTATIONS['isaac'].replace('0.5 0 0', '0.5 0 x'), 'loop-notation', 'not a number'),
    (NOTATIONS['isaac'].replace('0.5 0 0', '2.5 0 0'), 'loop-open', '"close"'),
    (NOTATIONS['isaac'].replace('link="rocker"', 'link="crank"').replace('coupler', 'rocker')
     .replace('0 0 0.4', '0 0 9'), 'loop-open', 'm are left'),
])
def test_what_is_wrong_with_a_loop_is_said(loop: str, code: str, said: str) -> None:
    with pytest.raises(UrdfError) as refused:
        read_urdf(bars(loop))
    assert code in codes(refused.value)
    assert said in str(refused.value)


@pytest.mark.parametrize(('actuated', 'code', 'said'), [
    ([], 'too-few-actuators', ('mobility 1', '"rocker_joint"', 'actuated=')),
    (['crank_joint', 'rocker_joint'], 'too-many-actuators',
     ('mobility 1', 'leave out 1 of', '"rocker_joint"')),
    (['cranc_joint'], 'joint-unknown', ('"crank_joint"',)),
])
def test_the_number_of_motors_is_the_mobility(actuated: list[str], code: str,
                                              said: tuple[str, ...]) -> None:
    with pytest.raises(UrdfError) as refused:
        read_urdf(bars(NOTATIONS['isaac'], driven=''), actuated=actuated)
    assert codes(refused.value) == {code}
    assert [words for words in said if words not in str(refused.value)] == []


def test_a_second_parent_is_answered_with_the_loop_to_write() -> None:
    second = ('<joint name="pin" type="revolute"><origin xyz="0.5 0 0"/><parent link="coupler"/>'
              '<child link="rocker"/><axis xyz="0 1 0"/></joint>')
    with pytest.raises(UrdfError, match='<loop_joint name="pin"') as refused:
        read_urdf(bars(second))
    assert codes(refused.value) == {'two-parents'}


@pytest.mark.parametrize('text', [bars(NOTATIONS['gazebo']), mechanism('palletizer')])
def test_a_model_with_loops_is_written_and_read_again(text: str) -> None:
    model = read_urdf(text)
    again = read_urdf(clean_urdf(model))
    assert again.closed_loops == model.closed_loops
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, len(model.closed_loops.actuated)))
    assert InverseDynamics(again, backend='python')(q, qd, qdd) == pytest.approx(
        InverseDynamics(model, backend='python')(q, qd, qdd), rel=1e-12)


def test_welded_frames_coincide_and_are_not_half_a_turn_off() -> None:
    """A five-bar whose weld is exactly half a turn off where all joints are at zero."""
    b = Builder('welded')
    tip, links = (0.15, 0.0, 0.5), []
    for side, x, elbow in (('left', 0.0, -0.12), ('right', 0.3, 0.45)):
        arm = b.joint(side, 'base', (x, 0.0, 0.0), motor=True, reach=(elbow, 0.0, 0.25))
        links.append(b.joint(f'{side}_elbow', arm, (elbow, 0.0, 0.25), reach=tip))
    b.loop('weld', links[0], b.joint('pin', links[1], tip, mass=0.3), tip, 'fixed')
    exact = 'rpy="0 0 0"/><link2'
    assert exact in b.text
    model = read_urdf(b.text.replace(exact, f'rpy="0 {math.pi} 0"/><link2'))
    assert model.closed_loops is not None
    for start in (model.closed_loops.start, model.closed_loops.other):
        q = dict(start)
        turn = q['right'] + q['right_elbow'] + q['pin'] - q['left'] - q['left_elbow']
        assert math.cos(turn) == pytest.approx(-1.0, abs=1e-12)


@pytest.mark.parametrize('size', [0.0, 9e-4, 1.1e-3, 0.5, 2.0, 3.1])
def test_rates_of_rotation_vectors_are_those_of_differences(size: float) -> None:
    vector, step = size * np.array([0.6, 0.0, -0.8]), 1e-6
    R = Rotation.from_rotvec(vector)
    (found,), (rates,) = _rotation(R.as_matrix()[None])
    assert found == pytest.approx(vector, abs=2e-10)   # as a sine when small
    ahead, behind = (_rotation((Rotation.from_rotvec(sign * step * np.eye(3)) * R).as_matrix())[0]
                     for sign in (1.0, -1.0))
    np.testing.assert_allclose(rates, (ahead - behind).T / (2.0 * step), atol=5e-7)
