"""Written models, and real robots read, written and read again."""

import dataclasses
from pathlib import Path

import pytest

from support.descriptions import VALID
from support.robot_files import EXAMPLES, mostly_slow
from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.robot.writer import clean_urdf

ROBOTS = sorted(EXAMPLES.rglob('*.urdf'))
# Robots of example-robot-data that are faulty, and how.
FAULTY = {'alex_psyonic_hands.urdf': {'mimic-unknown'}, 'ur3.urdf': {'no-links'}}


def without_warnings(model: RobotModel) -> RobotModel:
    return dataclasses.replace(model, warnings=())


@pytest.mark.parametrize('path', mostly_slow(
    ROBOTS, 'panda', 'pr2', 'icub', 'tiago_dual', *(Path(name).stem for name in FAULTY)))
def test_real_robots_are_the_same_when_written_and_read_again(
        path: Path, capfd: pytest.CaptureFixture[str]) -> None:
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
