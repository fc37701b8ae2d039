"""Written models read again, urdf_parser_py's Robot objects, and gear ratios of transmissions."""

import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from urdf_parser_py import urdf

from support.descriptions import VALID, codes
from support.robot_files import EXAMPLES, TREES, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, SourceError, UrdfError, read_urdf
from urdf2dyn_ros.robot.model import ExternalForce
from urdf2dyn_ros.robot.writer import clean_urdf


def outcome(source: Any) -> RobotModel | list[str]:
    """Return the model with what URDF 1.0 has, where a missing limit is 0, or what is wrong."""
    try:
        model = read_urdf(source)
    except UrdfError as error:
        return [problem.message for problem in error.problems if problem.refused]
    return replace(model, warnings=(), forces=(), joints=tuple(
        replace(joint, gear_ratio=None, limits=replace(
            joint.limits, lower=joint.limits.lower or 0.0, upper=joint.limits.upper or 0.0))
        for joint in model.joints))


def parsed(text: str) -> Any:
    return urdf.Robot.from_xml_string(text.encode())


@pytest.mark.parametrize('path', mostly_slow(
    [*TREES, *sorted(EXAMPLES.rglob('*.urdf'))], *(path.stem for path in TREES), 'panda', 'pr2'))
def test_a_robot_object_is_the_model_of_its_file(path: Path) -> None:
    try:
        robot = urdf.Robot.from_xml_file(path)
    except Exception as error:   # as it has no class for its errors
        pytest.skip(f'urdf_parser_py rejects it: {error!r:.100}')
    assert outcome(robot) == outcome(path)


def test_efforts_of_a_robot_object_which_stays_as_it_is() -> None:
    """Also where to_xml_string() would change it: it moves what is in <gazebo>."""
    robot = parsed(VALID.replace('</robot>', '<gazebo><static>1</static></gazebo></robot>'))
    limit = robot.joints[0].limit
    limit.lower = limit.upper = 0.0
    state = ([0.1], [0.2], [0.3])
    assert InverseDynamics(robot)(*state) == InverseDynamics(VALID)(*state)
    assert (limit.lower, limit.upper, robot.gazebos[0].find('static').text) == (0.0, 0.0, '1')


def test_a_missing_range_is_none_although_urdf_parser_py_makes_it_zero() -> None:
    robot = parsed(VALID.replace('type="revolute"', 'type="continuous"'))
    robot.joints[0].limit = urdf.JointLimit(effort=5.0, velocity=2.0)
    limits = read_urdf(robot).joints[0].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (None, None, 5.0, 2.0)


def test_the_same_rules_reject_a_robot_object() -> None:
    """Without a line, as there is no text."""
    robot = parsed(VALID)
    robot.links[1].inertial.mass = -2.0
    robot.joints[1].child = robot.links[1].name = 'arm'
    robot.add_link(urdf.Link('arm'))
    with pytest.raises(UrdfError) as caught:
        read_urdf(robot)
    problems = {problem.code: problem for problem in caught.value.problems}
    assert {'mass-negative', 'two-parents', 'name-duplicate'} <= {*problems}
    assert {problem.line for problem in problems.values()} == {None}
    assert problems['name-duplicate'].message == '2 links have this name; rename'
    assert problems['mass-negative'].element == 'link "arm" <inertial><mass value="-2.0">'


@pytest.mark.parametrize(('attribute', 'value', 'said'), [
    ('name', None, 'name'), ('type', 'ball', 'ball'), ('axis', [1.0], 'Invalid vector length'),
    ('limit', urdf.JointLimit(lower=-1.0, upper=1.0), 'effort'), ('name', 'a\0', 'NULL')])
def test_a_robot_object_that_is_not_complete(attribute: str, value: Any, said: str) -> None:
    robot = parsed(VALID)
    setattr(robot.joints[0], attribute, value)
    with pytest.raises(SourceError, match=f'this Robot object .*{said}.*complete it'):
        read_urdf(robot)


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that gets what urdf_parser_py reads from now on."""
    read, seen = urdf.Robot.from_xml, []
    monkeypatch.setattr(urdf.Robot, 'from_xml',
                        lambda tree, path: seen.append(tree) or read(tree, path))
    return seen


def test_the_parser_gets_nothing_but_urdf_1_0(trees: list[Any]) -> None:
    """Nonsense in what dynamics does not need does not matter, and is no warning."""
    nonsense = ('<visual><origin xyz="nan"/><geometry><unknown/></geometry></visual>'
                '<collision/><inertial_/>')
    text = VALID.replace('</link>', f'{nonsense}</link>').replace(
        '<robot ', '<robot version="1.9" xmlns:x="urn:x" x:y="z" ').replace(
        '</robot>', '<force link="arm" force="1 2 3"/><transmission/><gazebo/><material/></robot>')
    model = read_urdf(text)
    assert model.forces == (ExternalForce('arm', force=(1.0, 2.0, 3.0)),)
    assert replace(model, forces=(), warnings=()) == replace(read_urdf(VALID), warnings=())
    given, plain = map(etree.tostring, trees)
    assert given == plain
    assert {str(element.tag) for element in trees[0].iter()} == {
        'robot', 'link', 'inertial', 'origin', 'mass', 'inertia', 'joint', 'parent', 'child',
        'axis', 'limit', 'mimic'}


# ---- Written models, and real robots read, written and read again

ROBOTS_OF_WRITER = sorted(EXAMPLES.rglob('*.urdf'))
# Robots of example-robot-data that are faulty, and how.
FAULTY = {'alex_psyonic_hands.urdf': {'mimic-unknown'}, 'ur3.urdf': {'no-links'}}


def without_warnings(model: RobotModel) -> RobotModel:
    return dataclasses.replace(model, warnings=())


@pytest.mark.parametrize('path', mostly_slow(
    ROBOTS_OF_WRITER, 'panda', 'pr2', 'icub', 'tiago_dual', *(Path(name).stem for name in FAULTY)))
def test_real_robots_are_the_same_when_written_and_read_again(path, capfd):
    text = path.read_bytes()
    if path.name in FAULTY:
        with pytest.raises(UrdfError) as caught:
            read_urdf(text)
        refused = {problem.code for problem in caught.value.problems if problem.refused}
        assert refused == FAULTY[path.name]
    else:
        model = read_urdf(text)
        assert without_warnings(read_urdf(clean_urdf(model))) == without_warnings(model)
    assert capfd.readouterr() == ('', '')


def test_names_survive_a_round_trip() -> None:
    text = VALID.replace('"arm"', '"a&quot;&lt;&amp;&#10;\'ä;import os"')
    model = read_urdf(text)
    assert model.links[1].name == 'a"<&\n\'ä;import os'
    assert read_urdf(clean_urdf(model)) == model


# ---- Gear ratios from <transmission>, in every form that robots are seen with

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
def test_gear_ratios_of_real_robots_are_read_from_their_transmissions(robot, expected):
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
