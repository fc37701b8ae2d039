"""The fewest operations: they change no effort, are counted right, and are as many as before."""

import ast
import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.mechanisms import MECHANISMS, mechanism
from support.random_trees import examples, random_inertia, trees
from support.robot_files import EXAMPLES, OWN, ROBOTS, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES, generate
from urdf2dyn_ros.codegen.information import information
from urdf2dyn_ros.codegen.program import Operations
from urdf2dyn_ros.equations.fewest_operations import (
    FARTHEST_ORIGIN,
    fewest_operations,
    inherited_spin,
    regrouped,
    slid_origins,
)
from urdf2dyn_ros.equations.newton_euler import Recursion, newton_euler, second_moment
from urdf2dyn_ros.robot.loads import GRAVITY, Loads
from urdf2dyn_ros.robot.model import Joint, Link, Mimic
from urdf2dyn_ros.robot.multibody import body_inertias, make_multibody, turned_frames

MOST = {
    'inverse_dynamics': {'rx90': (217, 192), 'humanoid_3p33r': (984, 741), 'ur5_robot': (128, 98),
                         'panda': (301, 292), 'talos_reduced': (1377, 1279), 'icub': (1460, 1344),
                         'four_bar': (65, 35, 1), 'five_bar': (94, 61, 1),
                         'palletizer': (376, 306), 'excavator': (373, 252, 4),
                         'delta': (2052, 1499, 15), 'stewart': (2055, 1573, 15),
                         'ankle': (445, 288, 6)},
    'gravity': {'rx90': (37, 22), 'ur5_robot': (3, 4), 'talos_reduced': (267, 174),
                'humanoid_3p33r': (246, 138), 'pr2': (250, 178)},
    'bias': {'rx90': (202, 169), 'ur5_robot': (106, 69), 'talos_reduced': (1353, 1208),
             'humanoid_3p33r': (976, 699)},
    'mass_matrix': {'rx90': (108, 105), 'ur5_robot': (39, 50), 'talos_reduced': (1061, 964),
                    'humanoid_3p33r': (1876, 1172)},
    'forward_dynamics': {'rx90': (393, 343, 5), 'ur5_robot': (196, 181, 5),
                         'panda arm': (559, 502, 6), 'talos_reduced': (2934, 2757, 27),
                         'humanoid_3p33r': (2382, 1980, 31)},
    'inverse_dynamics_derivatives': {'ur5_robot': (413, 367), 'panda arm': (1275, 1106),
                                     'talos_reduced': (7317, 6350)},
    'forward_dynamics_derivatives': {'ur5_robot': (843, 789, 5), 'panda arm': (2304, 2026, 6),
                                     'talos_reduced': (16838, 14732, 27)},
    'regressor': {'ur5_robot': (514, 327), 'panda arm': (656, 425),
                  'talos_reduced': (4190, 2646)}}
"""Function to robot to multiplications, additions and divisions of the fast style."""

LARGE = ('talos_reduced', 'humanoid_3p33r', 'icub')


@pytest.mark.parametrize(('function', 'name'), [
    pytest.param(function, name, marks=[pytest.mark.slow] * (name in LARGE))
    for function, robots in MOST.items() for name in robots])
def test_the_fast_style_costs_what_it_did(function: str, name: str) -> None:
    model = read_urdf(mechanism(name) if name in MECHANISMS else robot_path(
        name.removesuffix(' arm')))
    if name.endswith(' arm'):   # without fingers, one of which follows the other
        model = replace(model, joints=tuple(
            replace(joint, type='fixed', mimic=None) if 'finger' in joint.name else joint
            for joint in model.joints))
    made, = generate(make_multibody(model), name='robot', style='fast', functions=function,
                     loads=Loads('fixed')).functions
    counts, most = made.operations, MOST[function][name]
    assert (counts.multiplications, counts.additions, counts.divisions) == (*most, 0)[:3]
    assert name != 'pr2' or counts.trigonometric == 42   # fingers share their angles
    if function == 'regressor':
        assert made.results[0].shape[1] == {'ur5_robot': 36, 'panda arm': 43,
                                            'talos_reduced': 206}[name]


def counted(text: str, name: str = 'inverse_dynamics') -> Operations:
    """Return the operations of the efforts in a function, from its syntax tree."""
    function, = (node for node in ast.parse(text).body
                 if isinstance(node, ast.FunctionDef) and node.name == name)
    efforts = itertools.takewhile(lambda node: not isinstance(node, ast.If), function.body)
    nodes = [node for statement in efforts for node in ast.walk(statement)]
    kinds = [type(node.op) for node in nodes if isinstance(node, ast.BinOp)]
    assert set(kinds) <= {ast.Mult, ast.Add, ast.Sub, ast.Div}
    return Operations(kinds.count(ast.Mult), kinds.count(ast.Add) + kinds.count(ast.Sub),
                      sum(isinstance(node, ast.Call) for node in nodes),
                      divisions=kinds.count(ast.Div))


def check_counts(model: RobotModel) -> None:
    told = information(model)['operations']
    assert InverseDynamics(model).operations._asdict() == told['fast']
    for style in STYLES:
        text, = export_model(model, style=style, name='robot').values()
        operations = counted(text)
        assert told[style] == operations._asdict()
        assert f'One call: {operations}.' in text


def test_the_readable_style_of_the_rx90_costs_no_more_than_textbook_moments() -> None:
    operations = information(read_urdf((OWN / 'rx90.urdf').read_bytes()))['operations']['readable']
    assert operations['multiplications'] <= 330
    assert operations['additions'] <= 282
    assert operations['trigonometric'] == 10   # nothing depends on the first angle


@pytest.mark.parametrize('path', mostly_slow(
    dict.fromkeys([*ROBOTS, *(robot_path(name) for name in MOST['inverse_dynamics']
                              if name not in MECHANISMS)]),
    'robot_2r', 'rx90', 'scara', 'ur5_robot', 'panda'))
def test_the_text_has_as_many_operations_as_are_reported(path: Path) -> None:
    check_counts(read_urdf(path.read_bytes()))


def test_divisions_are_reported_as_well() -> None:
    text, = export_model(OWN / 'rx90.urdf', style='fast', functions='forward_dynamics').values()
    operations = counted(text, 'forward_dynamics')
    assert operations.divisions == 5 and f'One call: {operations}.' in text


@examples(30)
@given(trees(most=6))
def test_the_text_of_random_trees_has_the_reported_operations(model: RobotModel) -> None:
    check_counts(model)


# ---- Frames and parameters that are chosen for the fewest operations change no effort

REAL = [path for path in (*ROBOTS, *sorted(EXAMPLES.rglob('*.urdf')))
        if path.name not in ('alex_psyonic_hands.urdf', 'ur3.urdf')]   # no robots

SNAPPED = 2.5e-11
"""Largest difference where angles that are almost quarter turns are read as such: 9.4e-12."""


def relative(sweep: Any, efforts: Any) -> float:
    """Return the largest difference of efforts over the largest force or moment."""
    if not sweep.efforts:
        return 0.0
    largest = max(abs(float(x)) for wrench in sweep.wrenches.values()
                  for x in (*wrench.f, *wrench.n))
    return float(np.abs(np.subtract(efforts, sweep.efforts)).max() / max(largest, 1e-300))


def check(model: RobotModel, tolerance: float = 4e-15) -> None:
    """Compare every step, and the generated text, with the textbook recursion."""
    system = make_multibody(model)
    inertias = body_inertias(system)
    everything = [True] * len(system.bodies)
    dynamics = InverseDynamics(model)
    fast, few = fewest_operations(system)
    regroup = regrouped(system, inertias)
    steps = [(each, body_inertias(each)) for each in (
        turned_frames(system, inertias), slid_origins(system, everything))]
    shape = 3, 3, len(system.joint_names)
    for state in np.random.default_rng(5).uniform(-2.0, 2.0, shape).tolist():
        sweep = newton_euler(system, inertias, state, GRAVITY)
        for step in steps:
            assert relative(sweep, newton_euler(*step, state, GRAVITY).efforts) < tolerance
        plain = newton_euler(system, regroup, state, GRAVITY, Recursion(second_moment))
        assert relative(sweep, plain.efforts) < tolerance
        recursion = newton_euler(fast, few, state, GRAVITY,
                                 Recursion(second_moment, inherited_spin(fast, few)))
        assert relative(sweep, recursion.efforts) < tolerance
        assert relative(sweep, dynamics(*state)) < tolerance


@examples(50)
@given(trees())
def test_efforts_of_random_trees_are_the_same(model: RobotModel) -> None:
    check(model)


@pytest.mark.slow
@examples(30)
@given(trees(nearly=True))
def test_efforts_of_almost_regular_trees_are_the_same_to_a_snap(model: RobotModel) -> None:
    check(model, SNAPPED)


@pytest.mark.parametrize('path', mostly_slow(
    REAL, 'rx90', 'scara', 'ur5_robot', 'panda', 'humanoid_3p33r'))
def test_efforts_of_real_robots_are_the_same(path: Path) -> None:
    """Many are printed with angles that are almost a quarter turn."""
    check(read_urdf(path.read_bytes()), SNAPPED)


def chain(joints: str, xyz: Any, *, axes: Any = None, mimic: bool = False,
          massless: tuple[int, ...] = ()) -> RobotModel:
    """Return a chain of joints, r(evolute), c(ontinuous) or p(rismatic)."""
    kinds = {'r': 'revolute', 'c': 'continuous', 'p': 'prismatic'}
    axes = axes or [((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))[k % 3]
                    for k in range(len(joints))]
    links = [Link(f'link{k}', None if k in massless else random_inertia(k))
             for k in range(len(joints) + 1)]
    made = [Joint(f'joint{k}', kinds[letter], f'link{k}', f'link{k + 1}',
                  tuple(xyz[k % len(xyz)]), (0.0, 0.0, 0.0), axes[k])
            for k, letter in enumerate(joints)]
    if mimic:
        made[-1] = replace(made[-1], mimic=Mimic('joint0', -2.0, 0.3))
    return RobotModel('chain', tuple(links), tuple(made), 'link0')


@pytest.mark.slow
@pytest.mark.parametrize('xyz', [
    [(0.0, 0.0, 0.0)], [(0.3, -0.2, 0.5)], [(1e-9, 0.0, 0.2)], [(1e-4, 1e-12, 0.0)],
    [(0.0, 0.0, 0.4)], [(0.5, 0.0, 0.0), (0.0, 0.0, 1e-17)], [(1e-17, 0.3, -1e-17)]])
@pytest.mark.parametrize('joints', ['rrrr', 'prrrrr', 'rrprr', 'rrrp', 'pppccc', 'rcrcrp'])
def test_degenerate_chains_are_the_same(joints: str, xyz: Any) -> None:
    check(chain(joints, xyz))
    check(chain(joints, xyz, mimic=True))
    check(chain(joints, xyz, massless=(len(joints),)))
    check(chain(joints, xyz, massless=tuple(range(2, len(joints)))))


@pytest.mark.parametrize('tilt', [1e-7, 1e-4, 1e-2, 0.5])
def test_axes_that_are_almost_parallel_stay_accurate(tilt: float) -> None:
    """The common normal of such axes is far away."""
    axes = [(math.sin(k * tilt), 0.0, math.cos(k * tilt)) for k in range(6)]
    model = chain('rrrrrr', [(0.3, 0.2, 0.1)], axes=axes)
    check(model)
    system = make_multibody(model)
    slid = slid_origins(system, [True] * 6)
    longest = max(abs(x) for body in system.bodies for x in body.parent_p_joint)
    assert all(abs(x) <= FARTHEST_ORIGIN * longest
               for body in slid.bodies for x in body.parent_p_joint)


def test_an_origin_on_an_oblique_axis_slides_until_a_component_is_zero() -> None:
    model = chain('rr', [(0.3, 0.2, 0.1)], axes=[(0.0, 0.0, 1.0), (0.6, 0.0, 0.8)])
    slid = slid_origins(make_multibody(model), [True] * 2)
    assert np.sort(np.abs(slid.bodies[1].parent_p_joint))[:2] == pytest.approx([0.0, 0.2])
