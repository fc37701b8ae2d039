"""The motion of the root from that of any link, against Pinocchio's free flyer."""

import numpy as np
from hypothesis import given

from support.oracles import columns, random_state
from support.random_trees import examples, trees
from support.robot_files import robot_path
from support.streams.flying_robot import FreeFlyer, pose
from urdf2dyn_ros import RobotModel, read_urdf
from urdf2dyn_ros.estimation.moving_base import Mounting
from urdf2dyn_ros.robot.joints import Motion
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.writer import clean_urdf

SOLO = robot_path('solo12')


def worst_error(model: RobotModel, text: str | bytes, seed: int = 0) -> float:
    """Return the largest error over all links, relative to the largest entry."""
    rng = np.random.default_rng(seed)
    system = make_multibody(model)
    state = random_state(system.joint_names, seed)
    root = pose(tuple(rng.normal(size=(3, 3))), tuple(rng.normal(size=(3, 3)) * [1.0, 2.0, 5.0]))
    robot = FreeFlyer(text)
    robot.move(root, state)
    joints = columns(system.joint_names, state).tolist()
    errors = []
    for link in system.links:
        seen = robot.seen(link)
        motion = Motion(*(tuple(x.tolist()) for x in seen[:3]))
        found = Mounting(system, link).root_motion(motion, *joints)
        scale = max(np.abs(seen[:3]).max(), np.abs(root.base_motion).max())
        errors.append(np.abs(np.ravel(found) - root.base_motion).max() / scale)
    assert len(errors) == len(model.links)
    return max(errors)


@examples(20)
@given(trees(massless=True))
def test_every_link_of_any_tree_shows_how_its_root_moves(model: RobotModel) -> None:
    assert worst_error(model, clean_urdf(model)) < 1e-11


def test_only_the_joints_on_the_way_matter() -> None:
    system = make_multibody(read_urdf(SOLO.read_bytes()))
    nothing = [np.nan] * len(system.joint_names)
    motion = Motion((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0))
    assert Mounting(system, 'base_link').root_motion(motion, nothing, nothing, nothing) == motion
    known = [0.3 if 'FL_' in name else np.nan for name in system.joint_names]
    assert np.isfinite(Mounting(system, 'FL_FOOT').root_motion(motion, known, known, known)).all()
    assert np.isnan(Mounting(system, 'FR_FOOT').root_motion(motion, known, known, known)).any()
