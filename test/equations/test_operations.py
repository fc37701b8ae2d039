"""The cost of one evaluation, and the reported cost compared with the text."""

import ast
import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from support.random_trees import examples, trees
from support.robot_files import OWN, ROBOTS, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES, generate
from urdf2dyn_ros.codegen.information import information
from urdf2dyn_ros.codegen.program import Operations
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import multibody

MOST = {
    'inverse_dynamics': {'rx90': (217, 192), 'humanoid_3p33r': (984, 741), 'ur5_robot': (128, 98),
                         'panda': (301, 292), 'talos_reduced': (1377, 1279), 'icub': (1460, 1344)},
    'gravity': {'rx90': (37, 22), 'ur5_robot': (3, 4), 'talos_reduced': (267, 174),
                'humanoid_3p33r': (246, 138)},
    'bias': {'rx90': (202, 169), 'ur5_robot': (106, 69), 'talos_reduced': (1353, 1208),
             'humanoid_3p33r': (976, 699)},
    'mass_matrix': {'rx90': (108, 105), 'ur5_robot': (39, 50), 'talos_reduced': (1061, 964),
                    'humanoid_3p33r': (1876, 1172)},
    'forward_dynamics': {'rx90': (393, 343, 5), 'ur5_robot': (196, 181, 5),
                         'panda arm': (559, 502, 6), 'talos_reduced': (2934, 2757, 27),
                         'humanoid_3p33r': (2382, 1980, 31)},
    'inverse_dynamics_derivatives': {'ur5_robot': (413, 367), 'panda arm': (1275, 1107),
                                     'talos_reduced': (7317, 6350)},
    'forward_dynamics_derivatives': {'ur5_robot': (843, 789, 5), 'panda arm': (2304, 2027, 6),
                                     'talos_reduced': (16838, 14732, 27)},
    'regressor': {'ur5_robot': (514, 327), 'panda arm': (656, 426),
                  'talos_reduced': (4190, 2651)}}
"""Function to robot to multiplications, additions and divisions of the fast style, at most."""

COLUMNS = {'ur5_robot': 36, 'panda arm': 43, 'talos_reduced': 206}   # of the regressor
LARGE = ('talos_reduced', 'humanoid_3p33r', 'icub')


@pytest.mark.parametrize(('function', 'name'), [
    pytest.param(function, name, marks=[pytest.mark.slow] * (name in LARGE))
    for function, robots in MOST.items() for name in robots])
def test_the_fast_style_costs_no_more_than_it_did(function: str, name: str) -> None:
    model = read_urdf(robot_path(name.removesuffix(' arm')))
    if name.endswith(' arm'):   # without fingers, one of which follows the other
        model = replace(model, joints=tuple(
            replace(joint, type='fixed', mimic=None) if 'finger' in joint.name else joint
            for joint in model.joints))
    made, = generate(multibody(model), name='robot', style='fast', functions=function,
                     loads=Loads('fixed')).functions
    counts, most = made.operations, MOST[function][name]
    assert counts.multiplications <= most[0] and counts.additions <= most[1]
    assert counts.divisions <= sum(most[2:])
    if function == 'regressor':
        assert made.results[0].shape[1] == COLUMNS[name]


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
    dict.fromkeys([*ROBOTS, *map(robot_path, MOST['inverse_dynamics'])]),
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
