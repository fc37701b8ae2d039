"""Efforts against Pinocchio and MuJoCo, relative to the largest effort of a state."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support.oracles import MuJoCo, Pinocchio, columns, difference, efforts_of, random_state
from support.random_trees import examples, trees
from support.robot_files import EXAMPLES, ROBOTS, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.writer import clean_urdf

PRINTED = 1e-10
"""For robots whose angles are printed with few decimals; quarter turns are exact here: 4e-11."""

ROUNDING = 1.7e-13
"""For random trees, of which small ones far from the root have much smaller efforts: 5.7e-14."""

STATES = range(4)

REFUSED = ('alex_psyonic_hands.urdf', 'ur3.urdf')   # mimics joints that are not there; empty

TURNED_AWAY = (
    'allegro_left_hand', 'allegro_right_hand', 'anymal', 'anymal-kinova', 'b1', 'b1-z1',
    'finger_edu', 'go1', 'human', 'humanoid_3p33r', 'hyq_no_sensors', 'icub', 'icub_reduced',
    'pr2', 'romeo', 'romeo_laas_small', 'romeo_small', 'tiago', 'tiago_dual', 'tiago_no_hand')
"""Robots MuJoCo does not compile: massless moving links, or an inertia that no body can have."""

MISREAD = ('bolt',)   # MuJoCo forgets the inertia of feet that have no mass

PATHS = [path for path in (*ROBOTS, *sorted(EXAMPLES.rglob('*.urdf')))
         if path.name not in REFUSED]
BOTH = [path for path in PATHS if path.stem not in (*TURNED_AWAY, *MISREAD)]


FEW = ('robot_2r', 'rx90', 'scara', 'humanoid_3p33r', 'ur5_robot', 'panda', 'tiago_pro', 'solo12',
       'g1_29dof_with_hand_rev_1_0')

def check_efforts(dynamics: InverseDynamics, tolerance: float,
                  *oracles: Pinocchio | MuJoCo) -> None:
    names = dynamics.joint_names
    for seed in STATES:
        state = random_state(names, seed)
        found = dict(zip(names, dynamics(*columns(names, state))))
        for oracle in oracles:
            assert difference(found, oracle.efforts(state)) < tolerance


@cache
def real(path: Path) -> InverseDynamics:
    return InverseDynamics(read_urdf(path.read_bytes()), base='fixed')


@pytest.mark.parametrize('path', mostly_slow(PATHS, *FEW))
def test_pinocchio_agrees_on_real_robots(path: Path) -> None:
    """Pinocchio reads the file itself, not our model of it."""
    check_efforts(real(path), PRINTED, Pinocchio(path.read_bytes()))


@pytest.mark.parametrize('path', mostly_slow(BOTH, *FEW))
def test_mujoco_agrees_on_real_robots(path: Path) -> None:
    """On a text without meshes, which it would look for."""
    check_efforts(real(path), PRINTED, MuJoCo(clean_urdf(real(path).model)))


@pytest.mark.parametrize('name', ['rx90', 'panda', 'ur5_robot'])
def test_both_agree_under_any_gravity(name: str) -> None:
    gravity, text = (1.0, -9.0, 2.0), robot_path(name).read_bytes()
    model = read_urdf(text)
    check_efforts(InverseDynamics(model, gravity, base='fixed'), PRINTED,
                  Pinocchio(text, gravity), MuJoCo(clean_urdf(model), gravity))


def test_about_seventy_real_robots_are_compared() -> None:
    assert len(PATHS) >= 71
    assert len(BOTH) >= 49


@examples(100)
@given(trees())
def test_both_agree_on_random_trees(model: RobotModel) -> None:
    text = clean_urdf(model)
    check_efforts(InverseDynamics(model, base='fixed'), ROUNDING, Pinocchio(text), MuJoCo(text))


@examples(60)
@given(trees(massless=True))
def test_pinocchio_agrees_on_random_trees_with_massless_links(model: RobotModel) -> None:
    check_efforts(InverseDynamics(model, base='fixed'), ROUNDING, Pinocchio(clean_urdf(model)))


@examples(20)
@given(trees(most=7, massless=True))
def test_names_and_order_of_the_elements_do_not_matter(model: RobotModel) -> None:
    renamed = {link.name: f'L{97 - k}' for k, link in enumerate(model.links)}
    shuffled = RobotModel(
        'other', tuple(replace(link, name=renamed[link.name]) for link in model.links[::-1]),
        tuple(replace(joint, name=f'x{joint.name}', parent=renamed[joint.parent],
                      child=renamed[joint.child]) for joint in model.joints[::-1]),
        renamed[model.root])
    state = random_state(multibody(model).joint_names)
    found = efforts_of(shuffled, {f'x{name}': values for name, values in state.items()})
    expected = {f'x{name}': effort for name, effort in efforts_of(model, state).items()}
    assert difference(found, expected) < 4e-15


@pytest.mark.slow
@examples(60)
@given(trees(nearly=True))
def test_both_agree_on_trees_that_are_almost_regular(model: RobotModel) -> None:
    """
    Angles printed with ten decimals are quarter turns: a turn of what the joints transmit.

    So the difference is relative to the largest force or moment, of which an effort is a part.

    """
    text = clean_urdf(model)
    pinocchio, mujoco = Pinocchio(text), MuJoCo(text)
    state = random_state(InverseDynamics(model).joint_names)
    found = efforts_of(model, state)
    largest = max((np.abs(vector).max() for key, vector in pinocchio.motion(state).items()
                   if key.startswith(('forces_', 'torques_'))), default=0.0)
    for expected in (pinocchio.efforts(state), mujoco.efforts(state)):
        assert set(found) == set(expected)
        for joint, effort in expected.items():
            assert abs(found[joint] - effort) <= 4e-11 * largest


@pytest.mark.parametrize('axis', range(3))
@pytest.mark.parametrize('tilt', [1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-11, 1e-12])
def test_an_axis_tilted_a_little_is_not_taken_for_a_straight_one(tilt: float, axis: int) -> None:
    """Gravity along the axis: the effort is proportional to the tilt."""
    across = (axis + 1) % 3
    direction, gravity = [0.0] * 3, [0.0] * 3
    direction[axis], direction[across], gravity[axis] = np.cos(tilt), np.sin(tilt), -9.81
    vector = ' '.join(map(repr, map(float, direction)))
    com = ' '.join('1' if k == (axis + 2) % 3 else '0' for k in range(3))
    dynamics = InverseDynamics(read_urdf(
        '<robot name="r"><link name="a"/><link name="b"><inertial>'
        f'<origin xyz="{com}"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
        f'<joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        f'<axis xyz="{vector}"/></joint></robot>'), tuple(gravity))
    # com = e2, g = -9.81 e0, axis . (com x -m g) = sin(tilt) e1 . (e2 x e0) 2 9.81
    assert dynamics([0.0], [0.0], [0.0])[0] == pytest.approx(
        2 * 9.81 * np.sin(tilt), rel=3e-16 / tilt, abs=0.0)
