"""A base that moves: against Pinocchio's free flyer, joints written out, and by tilting it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import entries, everything
from support.oracles import Array, columns, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import EXAMPLES, OWN, ROBOTS, mostly_slow, robot_path
from support.streams.flying_robot import FreeFlyer
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.robot.model import Joint, Link
from urdf2dyn_ros.robot.writer import clean_urdf

REFUSED = ('alex_psyonic_hands', 'ur3')
"""Robots that are refused: they mimic joints that do not exist, or have no link."""

LEGGED = [path for path in sorted(EXAMPLES.rglob('*.urdf')) if path.stem not in REFUSED]


def motion(seed: int) -> Array:
    """Return a base motion, (9,)."""
    return np.random.default_rng(seed).normal(size=9) * ([2.0] * 3 + [5.0] * 3 + [9.0] * 3)


def check(model: RobotModel, text: str | bytes, tolerance: float) -> None:
    dynamics, oracle = InverseDynamics(model, base='moving'), FreeFlyer(text)
    names = dynamics.joint_names
    for seed in range(2):
        q, qd, qdd = columns(names, random_state(names, seed))
        tau, wrench = dynamics(q, qd, qdd, motion(seed))
        efforts, expected = oracle(names, q, qd, qdd, motion(seed), seed)
        assert worst([*tau, *wrench], [*efforts, *expected]) < tolerance


@pytest.mark.parametrize('path', mostly_slow(
    LEGGED, 'solo12', 'anymal', 'g1_29dof_rev_1_0', 'talos_reduced', 'panda', 'double_pendulum',
    'borinot_flying_arm_2', 'tiago_no_hand'))
def test_real_robots_are_pinocchios_free_flyers(path: Path) -> None:
    text = path.read_bytes()
    model = read_urdf(text)
    if any(joint.mimic for joint in model.joints):
        model, text = without_mimics(model)
    check(model, text, 1e-10)


def without_mimics(model: RobotModel) -> tuple[RobotModel, str]:
    """Return the robot with every joint on its own, which is how Pinocchio reads it."""
    free = read_urdf(clean_urdf(model).replace('<mimic', '<no_mimic'))
    return free, clean_urdf(free)


@examples(20)
@given(trees())
def test_random_trees_are_pinocchios_free_flyers(model: RobotModel) -> None:
    check(model, clean_urdf(model), 1e-11)


@pytest.mark.parametrize('style', ['readable', 'fast'])
@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
def test_the_exported_script_says_the_same(path: Path, style: str) -> None:
    model = read_urdf(path.read_bytes())
    floating = floated(model)
    text, = export_model(floating, style=style, name='robot').values()
    script: dict[str, object] = {'__name__': 'robot'}
    exec(text, script)
    dynamics = InverseDynamics(model, base='moving')
    state = columns(dynamics.joint_names, random_state(dynamics.joint_names)).tolist()
    tau, wrench = script['inverse_dynamics'](*state, motion(3).tolist())
    expected = dynamics(*state, motion(3))
    assert worst([*tau, *wrench], [*expected[0], *expected[1]]) < 1e-12


def floated(model: RobotModel) -> RobotModel:
    world = Joint('float', 'floating', 'the_world', model.root)
    return RobotModel(model.name, (Link('the_world'), *model.links), (world, *model.joints),
                      'the_world')


def test_a_floating_root_joint_selects_it() -> None:
    model = read_urdf((OWN / 'rx90.urdf').read_bytes())
    state = columns([f'joint{k}' for k in range(1, 7)],
                    random_state([f'joint{k}' for k in range(1, 7)]))
    dynamics = InverseDynamics(floated(model))
    assert dynamics.inputs == ('q', 'qd', 'qdd', 'base_motion')
    with pytest.raises(StateError, match=r'takes 4 arguments \(q, qd, qdd, base_motion\)'):
        dynamics(*state)
    expected = InverseDynamics(model, base='moving')(*state, motion(1))
    assert worst(np.concatenate(dynamics(*state, motion(1))), np.concatenate(expected)) < 1e-12
    fixed = InverseDynamics(floated(model), base='fixed')
    assert worst(fixed(*state), InverseDynamics(model)(*state)) < 1e-12


def test_bias_and_mass_matrix_belong_to_a_moving_base_too() -> None:
    model = read_urdf(robot_path('solo12').read_bytes())
    loads = everything(model, 'moving')
    dynamics = InverseDynamics(model, loads=loads)
    q, qd, qdd = columns(dynamics.joint_names, random_state(dynamics.joint_names))
    base, external, payload = entries(model, loads)
    tau, _ = dynamics(q, qd, qdd, base, external, payload)
    bias, _ = dynamics.bias(q, qd, base, external, payload)
    assert worst(dynamics.mass_matrix(q, payload) @ qdd + bias, tau) < 1e-12


def test_a_base_motion_must_be_nine_finite_numbers() -> None:
    dynamics = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_bytes()), base='moving')
    still = np.zeros(6)
    with pytest.raises(StateError, match=r'base_motion has shape \(6,\); it must be \(9,\)'):
        dynamics(still, still, still, still)
    with pytest.raises(StateError, match=r'base_motion\[4\] is nan: the value of wd0_y'):
        dynamics(still, still, still, [0.0, 0.0, 0.0, 0.0, np.nan, 0.0, 0.0, 0.0, 9.81])
