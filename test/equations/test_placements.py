"""Poses of links in the frames of other links, against Pinocchio."""

from functools import partial
from math import nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support.oracles import Pinocchio, State, motion_of, random_state
from support.random_trees import between, examples, trees
from support.robot_files import EXAMPLES, OWN, ROBOTS, mostly_slow
from urdf2dyn_ros import RobotModel, read_urdf
from urdf2dyn_ros.estimation.wrenches import Chain
from urdf2dyn_ros.robot.multibody import Multibody, multibody
from urdf2dyn_ros.robot.writer import clean_urdf

SOME = ('anymal-kinova', 'baxter', 'hyq_no_sensors', 'icub', 'panda', 'pr2', 'romeo', 'so101',
        'talos_full_v2', 'tiago_dual')
PATHS = (*ROBOTS, *(path for path in sorted(EXAMPLES.rglob('*.urdf')) if path.stem in SOME))


def positions(system: Multibody, state: State) -> list[float]:
    return [state[name][0] for name in system.joint_names]


def error(model: RobotModel, oracle: Pinocchio) -> float:
    """Return how far entries are off, from every link to another one."""
    system = multibody(model)
    state, places = random_state(system.joint_names), partial(Chain, system)
    names, worst = list(system.links), 0.0
    for number, link in enumerate(names):
        frame = names[(7 * number + 3) % len(names)]
        R, p = places(link, frame)(positions(system, state))
        here, there = (oracle.link(state, name, 'root') for name in (link, frame))
        expected = here['R'].T @ (there['p'] - here['p'])
        worst = max(worst, np.abs(here['R'].T @ there['R'] - R).max(),
                    np.abs(expected - p).max() / max(1.0, np.abs(expected).max()))
    return worst


@pytest.mark.parametrize('path', mostly_slow(PATHS, 'humanoid_3p33r', 'scara', 'panda'))
def test_every_link_of_real_robots(path: Path) -> None:
    """Angles printed with ten decimals are taken for quarter turns, an error of 1e-11 each."""
    assert error(read_urdf(path.read_bytes()), Pinocchio(path.read_bytes())) < 6e-11


@examples(40)
@given(trees(massless=True))
def test_every_link_of_random_trees(model: RobotModel) -> None:
    assert error(model, Pinocchio(clean_urdf(model))) < 5e-15


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_joints_of_several_freedoms(kind: str) -> None:
    """Positions are those of the exported script."""
    model = between(kind, (0.6, 0.0, -0.8))
    system = multibody(model)
    state = random_state(system.joint_names)
    motion, places = motion_of(model, state), partial(Chain, system)
    for link in system.links:
        _, p = places(model.root, link)(positions(system, state))
        assert p == pytest.approx(motion[f'position_{link}'], rel=0.0, abs=2e-15)
        R, back = places(link, model.root)(positions(system, state))
        assert np.array(R) @ p == pytest.approx(-np.array(back), rel=0.0, abs=1e-15)


def path_to_root(model: RobotModel, link: str) -> set[str]:
    above = {joint.child: joint for joint in model.joints}
    found = set()
    while link in above:
        found.add(above[link].name)
        link = above[link].parent
    return found


@pytest.mark.parametrize(('link', 'frame'), [
    ('hand_L', 'hand_R'), ('thorax', 'hand_R'), ('foot_L', 'thigh_L'), ('world', 'pelvis')])
def test_only_the_joints_between_two_links_are_looked_at(link: str, frame: str) -> None:
    """From hand to hand, the joints of the base, the spine and the legs have no influence."""
    model = read_urdf((OWN / 'humanoid_3p33r.urdf').read_bytes())
    system = multibody(model)
    chain = Chain(system, link, frame)
    expected = path_to_root(model, link) ^ path_to_root(model, frame)
    assert 0 < len(expected) < len(system.joint_names) / 2
    for joint, name in enumerate(system.joint_names):
        q = [1.0] * len(system.joint_names)
        q[joint] = nan
        assert np.isnan(sum(chain(q).p)) == (name in expected), name
