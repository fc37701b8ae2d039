"""Elements and attributes that URDF does not have: misspelt, misplaced, or of other tools."""

import pytest

from support.descriptions import VALID
from urdf2dyn_ros import read_urdf

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
    ('<loop_joint name="l" type="continuous"/>', 'loop-not-counted'),
    ('<constraint name="l" type="revolute"/>', 'loop-not-counted'),
    ('<drake:ball_constraint/>', 'loop-not-counted'),
    ('<gazebo><joint name="l"><parent>base</parent><child>hand</child></joint></gazebo>',
     'loop-not-counted'),
    ('<transmission name="t"><joint name="swing"/><actuator name="m">'
     '<drake:rotor_inertia value="1e-4"/></actuator></transmission>', 'rotor-not-counted')])
def test_loops_and_rotors_of_other_tools_are_said_not_to_be_counted(
        addition: str, code: str) -> None:
    text = VALID.replace('<robot', '<robot xmlns:drake="http://drake.mit.edu"')
    (problem,) = read_urdf(text.replace('</robot>', f'{addition}</robot>')).warnings
    assert problem.code == code and 'is not counted' in problem.message
