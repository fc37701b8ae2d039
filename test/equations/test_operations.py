"""The cost of one evaluation, and the reported cost compared with the text."""

import ast
import itertools
from pathlib import Path

import pytest
from hypothesis import given

from support.random_trees import examples, trees
from support.robot_files import OWN, ROBOTS, mostly_slow, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES, generate
from urdf2dyn_ros.codegen.information import information
from urdf2dyn_ros.codegen.program import Operations
from urdf2dyn_ros.robot.multibody import multibody

LIMITS = {
    OWN / 'rx90.urdf': (217, 192),
    OWN / 'humanoid_3p33r.urdf': (984, 741),
    robot_path('ur5_robot'): (128, 98),
    robot_path('panda'): (301, 292),
    robot_path('talos_reduced'): (1377, 1279),
    robot_path('icub'): (1460, 1344),
}
"""Multiplications and additions of the fast style, at most."""


LIMITS_OF = {   # where joints are parallel; behind others, velocities have no zeros to share
    'rx90': {'bias': (202, 169), 'gravity': (37, 22), 'mass_matrix': (108, 105),
             'forward_dynamics': (393, 343)},
    'ur5_robot': {'bias': (106, 69), 'gravity': (3, 4), 'mass_matrix': (39, 50),
                  'forward_dynamics': (196, 181)},
    'talos_reduced': {'bias': (1353, 1208), 'gravity': (267, 174), 'mass_matrix': (1061, 964),
                      'forward_dynamics': (2934, 2757)},
    'humanoid_3p33r': {'bias': (976, 699), 'gravity': (246, 138), 'mass_matrix': (1876, 1172),
                       'forward_dynamics': (2382, 1980)},
}


def counted(text: str) -> Operations:
    """Return the operations of the efforts in inverse_dynamics, from its syntax tree."""
    function, = (node for node in ast.parse(text).body
                 if isinstance(node, ast.FunctionDef) and node.name == 'inverse_dynamics')
    efforts = itertools.takewhile(lambda node: not isinstance(node, ast.If), function.body)
    nodes = [node for statement in efforts for node in ast.walk(statement)]
    kinds = [type(node.op) for node in nodes if isinstance(node, ast.BinOp)]
    assert set(kinds) <= {ast.Mult, ast.Add, ast.Sub}
    return Operations(kinds.count(ast.Mult), kinds.count(ast.Add) + kinds.count(ast.Sub),
                      sum(isinstance(node, ast.Call) for node in nodes))


def check_counts(model: RobotModel) -> None:
    told = information(model)['operations']
    assert InverseDynamics(model).operations._asdict() == told['fast']
    for style in STYLES:
        text, = export_model(model, style=style, name='robot').values()
        operations = counted(text)
        assert told[style] == operations._asdict()
        assert f'One call: {operations}.' in text


@pytest.mark.parametrize('path', LIMITS, ids=lambda path: path.stem)
def test_the_fast_style_costs_no_more_than_it_did(path: Path) -> None:
    multiplications, additions = LIMITS[path]
    operations = InverseDynamics(read_urdf(path.read_bytes())).operations
    assert operations.multiplications <= multiplications
    assert operations.additions <= additions


@pytest.mark.parametrize('path', mostly_slow(
    [path for path in LIMITS if path.stem in LIMITS_OF], 'rx90', 'ur5_robot'))
def test_its_parts_cost_no_more_than_they_did(path: Path) -> None:
    system = multibody(read_urdf(path))
    for name, limits in LIMITS_OF[path.stem].items():
        function, = generate(system, name='robot', style='fast', functions=name).functions
        operations = function.operations
        assert (operations.multiplications <= limits[0]
                and operations.additions <= limits[1]), (name, operations)


def test_the_readable_style_of_the_rx90_costs_no_more_than_textbook_moments() -> None:
    operations = information(read_urdf((OWN / 'rx90.urdf').read_bytes()))['operations']['readable']
    assert operations['multiplications'] <= 330
    assert operations['additions'] <= 282
    assert operations['trigonometric'] == 10   # nothing depends on the first angle


@pytest.mark.parametrize('path', mostly_slow(
    dict.fromkeys([*ROBOTS, *LIMITS]), 'robot_2r', 'rx90', 'scara', 'ur5_robot', 'panda'))
def test_the_text_has_as_many_operations_as_are_reported(path: Path) -> None:
    check_counts(read_urdf(path.read_bytes()))


@examples(30)
@given(trees(most=6))
def test_the_text_of_random_trees_has_the_reported_operations(model: RobotModel) -> None:
    check_counts(model)
