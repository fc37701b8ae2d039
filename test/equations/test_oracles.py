"""Efforts and motions against Pinocchio and MuJoCo; angles read as quarter turns."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support.descriptions import VALID
from support.oracles import MuJoCo, Pinocchio, columns, difference, motion_of, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import EXAMPLES, OWN, TREES, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.codegen.information import rounded_angles
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.rotations import quarter_turns
from urdf2dyn_ros.robot.writer import clean_urdf

PRINTED = 1e-10
"""For robots whose angles are printed with few decimals; quarter turns are exact here: 4e-11."""

ROUNDING = 3e-14
"""
For random trees, of the largest part of a wrench that a joint transmits: 1.5e-14.

An effort is the part along the axis, and rounded as the others are, which may be 1000 times it.

"""

STATES = range(4)

REFUSED = ('alex_psyonic_hands.urdf', 'ur3.urdf')   # mimics joints that are not there; empty

TURNED_AWAY = (
    'allegro_left_hand', 'allegro_right_hand', 'anymal', 'anymal-kinova', 'b1', 'b1-z1',
    'finger_edu', 'go1', 'human', 'humanoid_3p33r', 'hyq_no_sensors', 'icub', 'icub_reduced',
    'pr2', 'romeo', 'romeo_laas_small', 'romeo_small', 'tiago', 'tiago_dual', 'tiago_no_hand')
"""Robots MuJoCo does not compile: massless moving links, or an inertia that no body can have."""

MISREAD = ('bolt',)   # MuJoCo forgets the inertia of feet that have no mass

PATHS = [path for path in (*TREES, *sorted(EXAMPLES.rglob('*.urdf')))
         if path.name not in REFUSED]
BOTH = [path for path in PATHS if path.stem not in (*TURNED_AWAY, *MISREAD)]


FEW = ('robot_2r', 'rx90', 'scara', 'humanoid_3p33r', 'ur5_robot', 'panda', 'tiago_pro', 'solo12',
       'g1_29dof_with_hand_rev_1_0')


def check_efforts(dynamics: InverseDynamics, tolerance: float,
                  *oracles: Pinocchio | MuJoCo) -> None:
    names = dynamics.joint_names
    for seed in STATES:
        state = random_state(names, seed)
        found = dict(zip(names, dynamics(*columns(names, state))))
        for oracle in oracles:
            assert difference(found, oracle.efforts(state)) < tolerance


@cache
def real(path: Path) -> InverseDynamics:
    return InverseDynamics(read_urdf(path.read_bytes()), base='fixed')


@pytest.mark.parametrize('path', mostly_slow(PATHS, *FEW))
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    """Pinocchio reads the file itself, not our model of it."""
    check_efforts(real(path), PRINTED, Pinocchio(path.read_bytes()))


@pytest.mark.parametrize('path', mostly_slow(BOTH, *FEW))
def test_mujoco_agrees_on_real_robots(path: Path) -> None:
    """On a text without meshes, which it would look for."""
    check_efforts(real(path), PRINTED, MuJoCo(clean_urdf(real(path).model)))


@pytest.mark.parametrize('name', ['rx90', 'panda', 'ur5_robot'])
def test_both_agree_under_any_gravity(name: str) -> None:
    gravity, text = (1.0, -9.0, 2.0), robot_path(name).read_bytes()
    model = read_urdf(text)
    check_efforts(InverseDynamics(model, gravity, base='fixed'), PRINTED,
                  Pinocchio(text, gravity), MuJoCo(clean_urdf(model), gravity))


def check_rounding(model: RobotModel, *others: MuJoCo) -> None:
    dynamics, pinocchio = InverseDynamics(model, base='fixed'), Pinocchio(clean_urdf(model))
    names = dynamics.joint_names
    for seed in STATES:
        state = random_state(names, seed)
        found = dynamics(*columns(names, state))
        for oracle in (pinocchio, *others):
            efforts = oracle.efforts(state)
            errors = [found[k] - efforts[name] for k, name in enumerate(names)]
            assert np.abs(errors).max(initial=0.0) <= ROUNDING * pinocchio.largest_wrench()


@examples(100)
@given(trees())
def test_both_agree_on_random_trees(model: RobotModel) -> None:
    check_rounding(model, MuJoCo(clean_urdf(model)))


@examples(60)
@given(trees(massless=True))
def test_pinocchio_agrees_on_random_trees_with_massless_links(model: RobotModel) -> None:
    check_rounding(model)


@pytest.mark.parametrize('axis', range(3))
@pytest.mark.parametrize('tilt', [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-11, 1e-12])
def test_an_axis_tilted_a_little_is_not_taken_for_a_straight_one(tilt: float, axis: int) -> None:
    """Gravity along the axis: the effort is proportional to the tilt."""
    across = (axis + 1) % 3
    direction, gravity = [0.0] * 3, [0.0] * 3
    direction[axis], direction[across], gravity[axis] = np.cos(tilt), np.sin(tilt), -9.81
    vector = ' '.join(map(repr, map(float, direction)))
    com = ' '.join('1' if k == (axis + 2) % 3 else '0' for k in range(3))
    dynamics = InverseDynamics(read_urdf(
        '<robot name="r"><link name="a"/><link name="b"><inertial>'
        f'<origin xyz="{com}"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
        f'<joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        f'<axis xyz="{vector}"/></joint></robot>'), tuple(gravity))
    # com = e2, g = -9.81 e0, axis . (com x -m g) = sin(tilt) e1 . (e2 x e0) 2 9.81
    assert dynamics([0.0], [0.0], [0.0])[0] == pytest.approx(
        2 * 9.81 * np.sin(tilt), rel=3e-16 / tilt, abs=0.0)


# ---- Positions, motions and transmitted wrenches of joints and links in the root frame

KINDS = ('position', 'velocity', 'acceleration', 'orientation', 'angular_velocity', 'forces',
         'torques')


def check(model: RobotModel, oracle: Pinocchio, seed: int = 0, tolerance: float = 8e-15) -> None:
    """Compare all vectors by name, each relative to the largest of its kind."""
    state = random_state(make_multibody(model).joint_names, seed)
    found, expected = motion_of(model, state), oracle.motion(state)
    assert set(found) == set(expected)
    for kind in KINDS:
        keys = [key for key in expected if key.startswith(f'{kind}_')]
        assert worst([found[key] for key in keys], [expected[key] for key in keys]) < tolerance


@pytest.mark.slow
@examples(60)
@given(trees(massless=True))
def test_random_trees_move_as_pinocchio_says(model: RobotModel) -> None:
    """To a unit of the last digit of a part: weight and its reaction cancel in a moment."""
    check(model, Pinocchio(clean_urdf(model)), tolerance=1.2e-14)


def test_a_link_named_as_another_joint_is_distinguished() -> None:
    model = read_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><link name="elbow"/>'
        '<joint name="elbow" type="prismatic"><parent link="a"/><child link="b"/>'
        '<origin xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>'
        '<joint name="tool" type="fixed"><parent link="b"/><child link="elbow"/>'
        '<origin xyz="0 1 0"/></joint></robot>')
    found = motion_of(model, {'elbow': (0.5, 2.0, 3.0)})
    assert found['position_elbow'] == [1.5, 0.0, 0.0]
    assert found['position_elbow (link)'] == [1.5, 1.0, 0.0] == found['position_tool']
    assert found['velocity_elbow'] == [2.0, 0.0, 0.0] == found['velocity_elbow (link)']


# ---- The planar two-link arm

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())
GRAVITY = (0.0, -9.81, 0.0)


def test_the_sample_drawn_by_hand_gives_the_same_efforts() -> None:
    efforts = InverseDynamics(MODEL, GRAVITY)([0.3, -0.7], [1.1, 0.4], [-0.5, 2.0])
    assert efforts == pytest.approx([184.56039003414693, 56.05879680384301], rel=1e-15, abs=0.0)


# ---- Angles that are read as quarter turns: printed multiples of pi / 2 alone, and all reported

@pytest.mark.parametrize(('angle', 'turns'), [
    (1.5707963268, 1), (-1.5707963268, -1), (1.57079632679, 1),
    (3.14159265359, 2), (4.71238898038, 3), (math.pi / 2, 1), (-3 * math.pi, -6), (0.0, 0),
    (1.2246e-16, 0),
    (1.5707963269, None), (1.570796327, None), (1.5708, None), (1.57079632681, None),
    (1.570796326785, None), (1e-11, None), (1e-14, None), (1.5707963267948, 1),
    (1.5707963267943, None)])
def test_an_angle_is_a_quarter_turn_if_its_decimals_explain_it(angle, turns):
    assert quarter_turns(angle) == turns


HINGE = """<robot name="r"><link name="a"/><link name="b"><inertial>
  <origin xyz="1 0 0" rpy="{}"/><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<origin rpy="{}"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize('roll', [1e-11, 3e-13, -1e-14])
def test_a_small_angle_is_not_rounded(roll: float) -> None:
    """Gravity along the axis: the effort m g x sin(roll) is proportional to it."""
    dynamics = InverseDynamics(read_urdf(HINGE.format('0 0 0', f'{roll} 0 0')))
    assert dynamics([0.0], [0.0], [0.0])[0] == pytest.approx(9.81 * roll, rel=1e-15, abs=0)
    # by the products of inertia as well: J_yz = (J_zz - J_yy) sin cos
    bent = InverseDynamics(read_urdf(HINGE.format(f'{roll} 0 0', '0 0 0')), base='moving')
    _, wrench = bent([0.0], [0.0], [1.0], np.zeros(9))
    assert wrench[4] == pytest.approx(-roll, rel=1e-15, abs=0)


def test_what_is_rounded_is_reported() -> None:
    """With element, angle and error."""
    model = read_urdf(HINGE.format('0 1.57079632679 0', '3.141592653589793 0 -1.5707963268'))
    assert list(rounded_angles(model)) == [
        'joint "j" <origin>: yaw -1.5707963268 rad is read as -90 deg, 5.1e-12 rad from it',
        'link "b" <inertial><origin>: pitch 1.57079632679 rad is read as 90 deg, 4.9e-12 rad '
        'from it']
    assert not list(rounded_angles(read_urdf(VALID)))


def test_second_order_of_coarse_quarter_turns_is_rounded_and_reported() -> None:
    """1.5708 is 4e-6 rad from 90 deg, which stays; the square of that is read as 0."""
    model = read_urdf(HINGE.format('0 0 0', '3.14159 0 1.5708'))
    assert list(rounded_angles(model)) == [
        '2 angles of joints are quarter turns printed with few decimals, the first is 3.14159 '
        'rad: they are read as they are, but entries of rotation matrices within 2e-11 of 0 and 1 '
        'are read as 0 and 1']
    effort = InverseDynamics(model)([0.0], [0.0], [0.0])[0]
    in_first_order = 9.81 * (math.pi - 3.14159)
    assert abs(effort) == pytest.approx(in_first_order, rel=1e-10, abs=0)
