"""Positions, motions and transmitted wrenches of joints and links in the root frame."""

import pytest
from hypothesis import given

from support.oracles import Pinocchio, motion_of, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import robot_path
from urdf2dyn_ros import RobotModel, read_urdf
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.writer import clean_urdf

KINDS = ('position', 'velocity', 'acceleration', 'orientation', 'angular_velocity', 'forces',
         'torques')
PATHS = [*map(robot_path, (
    'humanoid_3p33r', 'scara', 'rx90', 'ur5_robot', 'panda', 'talos_reduced'))]


def check(model: RobotModel, oracle: Pinocchio, seed: int = 0, tolerance: float = 8e-15) -> None:
    """Compare all vectors by name, each relative to the largest of its kind."""
    state = random_state(multibody(model).joint_names, seed)
    found, expected = motion_of(model, state), oracle.motion(state)
    assert set(found) == set(expected)
    for kind in KINDS:
        keys = [key for key in expected if key.startswith(f'{kind}_')]
        assert worst([found[key] for key in keys], [expected[key] for key in keys]) < tolerance


@pytest.mark.parametrize('path', PATHS, ids=lambda path: path.stem)
def test_real_robots_move_as_pinocchio_says(path) -> None:
    """To 3e-11: some are written with 1.5708, whose sine is taken for 1."""
    check(read_urdf(path.read_bytes()), Pinocchio(path.read_bytes()), tolerance=3e-11)


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
