"""Elements and attributes that URDF does not have: misspelt, misplaced, or of other tools."""

import pinocchio as pin
import pytest

from support.descriptions import VALID
from urdf2dyn_ros import UrdfError, read_urdf

INERTIA = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
TRANSMISSION = ('<transmission name="t"><joint name="swing"/><actuator name="m">'
                '<mechanicalReducton>50</mechanicalReducton></actuator></transmission></robot>')


@pytest.mark.parametrize(('old', 'new', 'said', 'effect'), [
    ('rpy="0 0 0"', 'RPY="0 0 1"', 'no attribute RPY, which is ignored; did you mean rpy?', '0 0'),
    ('<axis xyz="0 1 0"/>', '<axes xyz="0 1 0"/>', 'did you mean <axis>?', 'the axis "1 0 0"'),
    ('<origin xyz', '<orgin xyz', 'did you mean <origin>?', 'zero displacement'),
    ('<axis', '<axes xyz="1 0 0"/><axis', 'did you mean <axis>?', 'the <axis> that is there'),
    ('<limit', '<dynamic damping="3"/><limit', 'did you mean <dynamics>?', 'no damping'),
    ('<limit', '<dynamics dampping="3"/><limit', 'did you mean damping?', 'no damping'),
    ('<link name="hand">', '<Joint name="x" type="fixed"/><link name="hand">',
     '<robot> has no element <Joint>, which is ignored; did you mean <joint>?', 'no such joint'),
    ('<link name="base"/>', f'<link name="base">{INERTIA}</link>',
     'move it into <inertial>', 'neither mass nor inertia'),
    ('<parent link="base"/>', '<parent link="base"><origin xyz="0 0 1"/></parent>',
     '<parent> has no element <origin>, which is ignored; move it into <joint>', 'zero displ'),
    ('<mass value="2"/>', '<mass value="2"><origin/></mass>', 'into <inertial>',
     'the <origin> that'),
    ('<link name="base"/>', f'<link name="base"><visual><inertial>{INERTIA}</inertial></visual>'
     '</link>', '<visual> has no element <inertial>, which is ignored; move it into <link>',
     'neither mass'),
    ('</robot>', f'<group><link name="x"><inertial>{INERTIA}</inertial></link></group></robot>',
     '<group> has no element <link>, which is ignored; move it into <robot>', 'no such link'),
    ('<mimic joint', '<origin>0 0 1</origin><mimic joint', 'write <origin xyz="..."',
     'zero displacement'),
    ('lower="-3" upper="3"', 'lower="-3" upper="3" Upper="2"', 'did you mean upper?', 'as if'),
    ('multiplier="0.5"', 'multiplyer="0.5"', 'did you mean multiplier?', 'the multiplier 1'),
    ('izz="0.1"', 'izz="0.1" iyx="0.01"', 'no attribute iyx, which is ignored; did you mean ixy?',
     'as if'),
    ('</robot>', TRANSMISSION, 'did you mean <mechanicalReduction>?', 'no gear ratio'),
])
def test_what_is_misspelt_or_misplaced_has_a_warning(
        old: str, new: str, said: str, effect: str) -> None:
    text = VALID.replace(old, new, 1)
    (problem,) = read_urdf(text).warnings
    assert said in problem.message and effect in problem.effect
    assert problem.line == text[:text.index(new)].count('\n') + 1


def test_equal_mistakes_are_one_warning() -> None:
    text = VALID.replace('<limit', '<foo/><limit').replace('<mimic', '<foo/><mimic')
    (problem,) = read_urdf(text).warnings
    assert problem.message.endswith('delete it, or correct its name (also joint "wrist" <foo>)')


@pytest.mark.parametrize('known', [
    '<gazebo><any/></gazebo>', '<ros2_control name="r"><hardware/></ros2_control>',
    '<group name="arm"><link name="hand"/><joint name="wrist"/></group>',
    '<material name="m"/>', '<mujoco><compiler/></mujoco>', '<sensor name="s"/>'])
def test_what_other_tools_define_has_none(known: str) -> None:
    assert read_urdf(VALID.replace('</robot>', f'{known}</robot>')).warnings == ()


@pytest.mark.parametrize(('addition', 'code'), [
    ('<drake:linear_bushing_rpy/>', 'loop-not-counted'),
    ('<drake:coupler_constraint/>', 'loop-not-counted'),
    ('<transmission name="t"><joint name="swing"/><actuator name="m">'
     '<drake:rotor_inertia value="1e-4"/></actuator></transmission>', 'rotor-not-counted')])
def test_loops_and_rotors_of_other_tools_are_said_not_to_be_counted(
        addition: str, code: str) -> None:
    text = VALID.replace('<robot', '<robot xmlns:drake="http://drake.mit.edu"')
    (problem,) = read_urdf(text.replace('</robot>', f'{addition}</robot>')).warnings
    assert problem.code == code and 'is not counted' in problem.message


def test_a_tensor_row_by_row_is_read_where_it_is_symmetric() -> None:
    rows = INERTIA.replace('ixy="0"', 'ixy="0.01"').replace(
        '/>', ' iyx="0.010" izx="0" izy="-0"/>')
    assert read_urdf(VALID.replace(INERTIA, rows, 1)).warnings == ()
    with pytest.raises(UrdfError, match='ixy missing; iyx is ixy: rename it'):
        read_urdf(VALID.replace(INERTIA, rows.replace('ixy="0.01"', ''), 1))


@pytest.mark.parametrize(('addition', 'code'), [
    ('<gazebo reference="hand"><turnGravityOff>true</turnGravityOff></gazebo>', 'gravity-not-off'),
    ('<gazebo reference="swing"><springStiffness>2</springStiffness></gazebo>',
     'spring-not-counted'),
    ('<gazebo reference="hand"><gravity>1</gravity></gazebo>', ''),
    ('<gazebo reference="swing"><springStiffness>0.0</springStiffness></gazebo>', ''),
    ('<ros2_control name="r"><joint name="wrist"><param name="mimic">swing</param></joint>'
     '</ros2_control>', '')])
def test_what_gazebo_and_ros2_control_read_differently(addition: str, code: str) -> None:
    warnings = read_urdf(VALID.replace('</robot>', f'{addition}</robot>')).warnings
    assert [problem.code for problem in warnings] == [code] * bool(code)


@pytest.mark.parametrize(('old', 'new', 'lost'), [
    ('value="2"', 'value="2 "', True), ('value="2"', 'value=" 2"', False),
    ('value="2"', 'value="2&#13;&#10;"', True), ('"0 0 -0.5"', '"0 0 -0.5 "', False),
    ('"0 0 -0.5"', '"0 0 -0.5\r\n"', True), ('"0 0 -0.5"', '"0 0\t-0.5"', True),
    ('"0 0 -0.5"', '"0 0\n -0.5"', True), ('"0 0 -0.5"', '"0 0 \n-0.5"', False)])
def test_numbers_that_urdfdom_loses_are_named(old: str, new: str, lost: bool) -> None:
    """As Pinocchio, which reads by urdfdom."""
    text = VALID.replace(old, new, 1)
    model = read_urdf(text)
    masses = sum(inertia.mass for inertia in pin.buildModelFromXML(text).inertias)
    assert masses == pytest.approx(0.5 if lost else model.mass) and model.mass == 2.5
    assert [problem.code for problem in model.warnings] == ['number-end'] * lost
    moved = read_urdf(text.replace('<mimic joint', '<mimic y="" joint')).warnings
    assert moved[-1].line == text[:text.index('<mimic')].count('\n') + 1
