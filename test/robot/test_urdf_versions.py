"""URDF 1.1 and 1.2, and what ROS reads besides, against Pinocchio, which reads with urdfdom."""

import math

import numpy as np
import pinocchio
import pytest

from support.descriptions import VALID, codes
from urdf2dyn_ros import InverseDynamics, UrdfError, read_urdf
from urdf2dyn_ros.identification.result_files import identified_urdf
from urdf2dyn_ros.robot.document import rpy_of
from urdf2dyn_ros.robot.model import Limits
from urdf2dyn_ros.robot.rotations import from_rpy, turn_in_words
from urdf2dyn_ros.robot.writer import clean_urdf

BODY = ('<inertial><origin xyz="0.1 0.02 0.05"/><mass value="2"/><inertia ixx="0.03" ixy="0.001" '
        'ixz="0" iyy="0.04" iyz="0.002" izz="0.05"/></inertial>')
TWO_R = f"""<robot name="r" version="1.1"><link name="base"/>
<link name="a">{BODY}</link><link name="b">{BODY}</link>
<joint name="j1" type="revolute"><origin xyz="0.3 0 0.1"/><parent link="base"/><child link="a"/>
  <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<joint name="j2" type="revolute"><origin xyz="0.3 0 0" quat_xyzw="0.5 0.5 0.5 0.5"/>
  <parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
  <limit lower="-2" upper="2" effort="50" velocity="3"/></joint></robot>"""
STATE = ([0.3, -0.5],) * 3


def of_urdfdom(text: str) -> list[float]:
    model = pinocchio.buildModelFromXML(text)
    values = [np.array(values) for values in STATE]
    return pinocchio.rnea(model, model.createData(), *values).tolist()


def assert_as_urdfdom(text: str) -> None:
    assert InverseDynamics(text, backend='python')(*STATE) == pytest.approx(
        of_urdfdom(text), rel=1e-12)


@pytest.mark.parametrize('quaternion', [
    '0.5 0.5 0.5 0.5', '1 1 1 1', '0.1 -0.7 0.3 0.2', '0 0.7071067811865476 0 0.7071067811865476',
    '0.2 -0.6 0.2 0.6', '0 0 0 -2', '1 0 0 0'])
def test_quaternions(quaternion: str) -> None:
    text = TWO_R.replace('0.5 0.5 0.5 0.5', quaternion)
    assert_as_urdfdom(text)
    assert_as_urdfdom(text.replace('version="1.1"', 'version="1.2"').replace(
        '<origin xyz="0.1 0.02 0.05"', f'<origin xyz="0.1 0.02 0.05" quat_xyzw="{quaternion}"'))


def test_roll_pitch_and_yaw_of_random_quaternions() -> None:
    for quaternion in np.random.default_rng(0).normal(size=(50, 4)):
        x, y, z, w = quaternion / np.linalg.norm(quaternion)
        expected = pinocchio.Quaternion(w, x, y, z).toRotationMatrix()
        assert np.abs(np.array(from_rpy(rpy_of((x, y, z, w)))) - expected).max() < 4e-15
        assert rpy_of((3e200 * x, 3e200 * y, 3e200 * z, 3e200 * w)) == pytest.approx(
            rpy_of((x, y, z, w)))
    assert rpy_of((0.0, 1.0, 0.0, 1.0)) == (0.0, math.pi / 2, 0.0)


@pytest.mark.parametrize(('old', 'new', 'said'), [
    (' version="1.1"', '', 'add version="1.1"'),
    ('xyz="0.3 0 0" ', 'xyz="0.3 0 0" rpy="0 0 0" ', 'delete one of them'),
    ('0.5 0.5 0.5 0.5', '0 0 0 0', 'a zero quaternion is no rotation'),
    ('0.5 0.5 0.5 0.5', '0 0 1', '3 numbers where 4 numbers are required'),
])
def test_quaternions_that_ros_ignores_or_rejects(old: str, new: str, said: str) -> None:
    with pytest.raises(UrdfError, match=said) as caught:
        read_urdf(TWO_R.replace(old, new))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(('rpy', 'words'), [
    ((0.0, 0.0, 0.0), 'no turn'), ((0.5, 0.0, 0.0), 'turn about x by 28.6479 deg'),
    ((0.0, -0.7, 0.0), 'turn about y by -40.107 deg'),
    ((0.0, 0.0, math.pi / 2), 'turn about z by 90 deg'),
    ((0.0, 0.0, -3.0), 'turn about z by -171.887 deg'),
    ((math.pi, 0.0, 0.0), 'turn about x by 180 deg'),
    ((0.0, 0.0, math.pi), 'turn about z by 180 deg'),
    ((math.pi, 0.0, math.pi / 2), 'turn about (1, 1, 0) by 180 deg'),
    # its axis and angle as scipy's Rotation has them
    ((1.0, 1.0, 1.0), 'turn about (0.2934, 1, 0.2934) by 76.3611 deg')])
def test_the_words_for_the_rotation_of_a_joint(rpy, words):
    assert turn_in_words(from_rpy(rpy)) == words


def test_an_identified_robot_has_one_rotation_of_a_link() -> None:
    text = TWO_R.replace('xyz="0.1 0.02 0.05"', 'xyz="0.1 0.02 0.05" quat_xyzw="0 0 1 1"')
    other = read_urdf(text.replace('quat_xyzw="0 0 1 1"', 'rpy="0 0 0.5"'))
    written = identified_urdf(text, other)
    assert written.count('quat_xyzw') == 1 and read_urdf(written) == other


@pytest.mark.parametrize(('old', 'new'), [
    ('velocity="3"/>', 'velocity="3" acceleration="5" deceleration="6" jerk="7"/>'),
    ('<link name="base"/>', '<link name="base"><collision><geometry><capsule radius="0.1" '
     'length="0.3"/></geometry></collision></link>'),
])
def test_what_urdf_1_2_adds_has_no_warning(old: str, new: str) -> None:
    text = TWO_R.replace('"1.1"', '"1.2"').replace(old, new)
    model = read_urdf(text)
    assert model.warnings == () and read_urdf(clean_urdf(model)) == model
    assert model.joints[0].limits == (
        Limits(-2.0, 2.0, 50.0, 3.0, 5.0, 6.0, 7.0) if 'jerk' in new else
        Limits(-2.0, 2.0, 50.0, 3.0))
    assert_as_urdfdom(text)


@pytest.mark.parametrize('axis', ['<axis xzy="0 0 1"/>', '<axis xyz="nan 0 0"/>', '<axis/>'])
def test_the_axis_of_a_fixed_joint_is_not_read(axis: str) -> None:
    text = TWO_R.replace('type="revolute"><origin xyz="0.3 0 0.1"/>', 'type="fixed">').replace(
        '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/>', axis)
    assert codes(text) == []
    assert InverseDynamics(text, backend='python').joint_names == ('j2',)


def test_a_prefix_that_is_not_declared_is_read_in_gazebo_alone() -> None:
    camera = '<sensor:camera name="cam" a:b="1"><x:y/>\n</sensor:camera>'
    text = VALID.replace('</robot>', f'<gazebo reference="arm">\n{camera}</gazebo></robot>')
    assert codes(text) == []
    assert codes(text + '<joint name="dropped"/></robot>') == ['xml']
    assert codes(text.replace('x:y', 'xacro:y')) == ['xml']
    assert codes(VALID.replace('</robot>', f'{camera}</robot>')) == ['xml']
    assert codes(VALID.replace('<link', '<x:y/><link', 1)) == ['xml']
