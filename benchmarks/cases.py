"""The robots, the same for all contestants: every joint an independent angle or length."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import body_inertias, make_multibody
from urdf2dyn_ros.robot.writer import clean_urdf

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'test'))
from support.robot_files import EXAMPLES, OWN  # noqa: E402

Array = NDArray[np.float64]

ROBOTS = {
    '2R': OWN / 'robot_2r.urdf',
    'UR5': EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf',
    'Panda': EXAMPLES / 'panda_description' / 'urdf' / 'panda.urdf',
    'Talos, reduced': EXAMPLES / 'talos_data' / 'robots' / 'talos_reduced.urdf',
    'humanoid_3p33r': OWN / 'humanoid_3p33r.urdf',
}

# the second finger mimics the first, which every peer handles differently
LOCKED = {'panda_finger_joint1', 'panda_finger_joint2'}
STATES = 256
"""Too many for the branch prediction to learn, few enough to stay in the cache."""


@dataclass(frozen=True)
class Case:
    """
    A robot and the states at which it is evaluated.

    Attributes
    ----------
    model : RobotModel
    joint_names : tuple of str
        The order of every vector.
    urdf, tree : Path
        The same robot as URDF, and as the text that native/tree.hpp reads.
    states : ndarray, (3, STATES, n)
        q, qd, qdd.
    folder : Path
        For files of this robot.

    """

    name: str
    model: RobotModel
    joint_names: tuple[str, ...]
    urdf: Path
    tree: Path
    states: Array
    folder: Path

    def in_order(self, names: list[str]) -> list[int]:
        """Return where each of a peer's joints is in `joint_names`."""
        return [self.joint_names.index(name) for name in names]


def case(name: str, folder: Path) -> Case:
    """Return a robot, its files written to a folder."""
    model = independent(read_urdf(ROBOTS[name].read_bytes()))
    names = make_multibody(model).joint_names
    folder.mkdir(parents=True, exist_ok=True)
    urdf, tree = folder / 'robot.urdf', folder / 'robot.tree'
    urdf.write_text(clean_urdf(model, fill_limits=True))
    tree.write_text(tree_text(model))
    scale = np.array([1.5, 2.0, 5.0])[:, None, None]
    states = scale * np.random.default_rng(0).normal(size=(3, STATES, len(names)))
    return Case(name, model, names, urdf, tree, states, folder)


def independent(model: RobotModel) -> RobotModel:
    """
    Return a robot without mimic and continuous joints.

    Pinocchio takes cosine and sine of a continuous joint, which ought to cost it time as well.

    """
    types = {'continuous': 'revolute'}
    return replace(model, joints=tuple(
        replace(joint, mimic=None, damping=0.0, friction=0.0,
                type='fixed' if joint.name in LOCKED else types.get(joint.type, joint.type))
        for joint in model.joints))


def tree_text(model: RobotModel) -> str:
    """
    Return a line per moving body: its joint, its placement, its inertia about its own centre.

    Fixed links are lumped and every axis is z, which is the fastest case of all peers.

    """
    system = make_multibody(model)
    lines = []
    for body, inertia in zip(system.bodies, body_inertias(system)):
        c, s = np.cos(body.turn), np.sin(body.turn)
        rotation = np.array(body.parent_R_joint) @ [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        mass, com, tensor = 0.0, np.zeros(3), np.zeros((3, 3))
        if inertia is not None and inertia.m:
            mass, com = inertia.m, np.array(inertia.h) / inertia.m
            tensor = np.array(inertia.J) - mass * (com @ com * np.eye(3) - np.outer(com, com))
        numbers = (*rotation.ravel(), *body.parent_p_joint, mass, *com,
                   *tensor[np.triu_indices(3)])
        lines.append(' '.join((body.name, body.type, str(body.parent),
                               *(repr(float(number)) for number in numbers))))
    return '\n'.join(lines) + '\n'
