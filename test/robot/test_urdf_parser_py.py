"""urdf_parser_py's Robot object: what is given to it, taken from it, and read as a description."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from urdf_parser_py import urdf

from support.descriptions import VALID
from support.paths import TEST
from support.robot_files import EXAMPLES, ROBOTS, mostly_slow
from urdf2dyn_ros import InverseDynamics, RobotModel, SourceError, UrdfError, read_urdf
from urdf2dyn_ros.robot.model import ExternalForce


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
    [*ROBOTS, *sorted(EXAMPLES.rglob('*.urdf'))], *(path.stem for path in ROBOTS), 'panda', 'pr2'))
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


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Of what urdf_parser_py does not know."""
    for path in (*ROBOTS, *(TEST / 'corpus').iterdir(), *sorted(EXAMPLES.rglob('*.urdf'))[:20]):
        with suppress(UrdfError, SourceError):
            read_urdf(path)
    assert capfd.readouterr() == ('', '')
