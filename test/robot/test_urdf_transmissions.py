"""Gear ratios from <transmission>, in every form that robots are seen with."""

import pytest
from urdf_parser_py import urdf

from support.descriptions import VALID, codes
from support.robot_files import robot_path
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.robot.writer import clean_urdf

JOINT = '<joint name="swing"/>'
SECOND = '<joint name="wrist"/>'
MOTOR = '<actuator name="m"/>'
REDUCTION = '<mechanicalReduction> 100 </mechanicalReduction>'


def transmission(content: str, around: str = '{}') -> str:
    gears = f'<transmission name="t">{content}</transmission>'
    return VALID.replace('</robot>', around.format(gears) + '</robot>')


def ratios(text: str | bytes) -> dict[str, float]:
    return {joint.name: joint.gear_ratio for joint in read_urdf(text).joints
            if joint.gear_ratio is not None}


@pytest.mark.parametrize('text', [
    transmission(f'{JOINT}<actuator name="m">{REDUCTION}</actuator>'),
    transmission(f'<actuator name="m">{REDUCTION}</actuator>{JOINT}'),
    transmission(f'{JOINT}{MOTOR}{REDUCTION}'),
    transmission(f'{JOINT}{REDUCTION}'),
    transmission(f'<joint name="swing">{REDUCTION}</joint>{MOTOR}'),
    transmission(f'<joint name="swing">{REDUCTION}</joint>'.replace('R', '_r'),
                 '<ros2_control name="c" type="system"><joint name="swing"/>{}</ros2_control>'),
    transmission(f'{JOINT}<mechanicalReduction>1<!-- to -->00</mechanicalReduction>'),
    transmission(f'{JOINT}{REDUCTION}' + 2 * REDUCTION.replace(' 100 ', '1e2'))])
def test_wherever_the_reduction_stands(text: str) -> None:
    assert ratios(text) == {'swing': 100.0} and codes(text) == []


@pytest.mark.parametrize('text', [
    VALID, transmission(''), transmission(JOINT + MOTOR), transmission(MOTOR + REDUCTION),
    transmission(JOINT + SECOND + 2 * f'<actuator name="m">{REDUCTION}</actuator>'),
    transmission(JOINT + SECOND + MOTOR + REDUCTION),
    transmission(JOINT + 2 * f'<actuator name="m">{REDUCTION}</actuator>'),
    transmission(JOINT + REDUCTION, '<gazebo>{}</gazebo>')])
def test_no_ratio_where_there_is_none_of_one_joint_alone(text: str) -> None:
    assert ratios(text) == {} and codes(text) == []


@pytest.mark.fault(18)
def test_a_transmission_refuses_no_robot_and_the_first_good_reduction_counts() -> None:
    numbers = ('0', '${n}', '-50', 'nan', '', '7', '-50')
    text = transmission(JOINT + ''.join(REDUCTION.replace('100', number) for number in numbers))
    assert codes(text) == ['transmission-reduction', 'transmission-twice']
    assert ratios(text) == {'swing': -50.0}
    first, second = read_urdf(text).warnings
    assert '"0"' in first.message and first.message.count('<mechanicalReduction>') == 3
    assert '7, but' in second.message and 'is -50, which is used' in second.message


@pytest.mark.parametrize('number', ['1e-31', '-1e31', '1e-320'])
def test_ratios_whose_squares_would_be_out_of_range_are_none(number: str) -> None:
    text = transmission(JOINT + REDUCTION.replace('100', number))
    assert ratios(text) == {} and codes(text) == ['transmission-reduction']


@pytest.mark.parametrize(('robot', 'expected'), [
    ('kinova', {'j2s6s200_joint_1': 160.0, 'j2s6s200_joint_finger_1': 1.0}),
    ('xarm7', {'joint1': 100.0, 'joint7': 100.0}),
    ('pr2', {'fl_caster_rotation_joint': -79.2380952381, 'torso_lift_joint': -52143.33,
             'r_wrist_flex_joint': None, 'r_gripper_joint': None}),
    ('tiago_pro', {'wheel_front_right_joint': 1.0}),
    ('talos_reduced', {'arm_left_5_joint': 1.0, 'torso_1_joint': None})])
def test_gear_ratios_of_real_robots_are_read_from_their_transmissions(
        robot: str, expected: dict[str, float | None]) -> None:
    """PR2's wrist and Talos's torso are differentials."""
    model = read_urdf(robot_path(robot).read_bytes())
    found = {joint.name: joint.gear_ratio for joint in model.joints}
    assert {name: found[name] for name in expected} == expected
    assert 'transmission' not in ' '.join(problem.code for problem in model.warnings)


@pytest.mark.fault(18)
def test_a_real_robot_that_lost_a_joint_but_not_its_transmission() -> None:
    model = read_urdf(robot_path('talos_left_arm').read_bytes())
    warning, = (each for each in model.warnings if each.code == 'transmission-unknown')
    assert '"arm_left_1_joint"' in warning.message and warning.line == 348


def test_a_ratio_written_is_the_ratio_read() -> None:
    text = transmission(JOINT + REDUCTION.replace('100', '-0.1'))
    written = clean_urdf(read_urdf(text))
    assert read_urdf(written) == read_urdf(text)
    gears, = urdf.URDF.from_xml_string(written).transmissions
    assert (gears.joint, gears.mechanicalReduction) == ('swing', -0.1)
