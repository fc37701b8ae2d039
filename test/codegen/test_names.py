"""Names in generated text: each is that of one number, and is made before it is used."""

import pytest

from support.random_trees import random_inertia
from support.torture import program_of
from urdf2dyn_ros.codegen.generator import GENERAL
from urdf2dyn_ros.codegen.program import names_in
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link, RobotModel

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
ROBOT = RobotModel(
    'robot', (Link('base'), *(Link(f'link{k}', random_inertia(k)) for k in range(1, 6))),
    (Joint('joint1', 'revolute', 'base', 'link1', axis=Z),
     Joint('joint2', 'revolute', 'link1', 'link2', Z, axis=Y),
     Joint('joint3', 'prismatic', 'link1', 'link3', Z, axis=X),
     Joint('joint4', 'revolute', 'link2', 'link4', axis=Y),
     Joint('fixed', 'fixed', 'link3', 'link5', (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))),
    'base')
"""The second moments of link 1 are regrouped from those of links 2 and 4; two links are fixed."""

LOADS = Loads(external=('link5', 'link3'))


@pytest.mark.parametrize(('functions', 'style'), [
    ('all', GENERAL), ('terms', GENERAL), ('momentum', GENERAL), ('regressor', 'readable'),
    ('momentum', 'fast')])
def test_a_name_is_that_of_one_number_made_before(functions: str, style: str) -> None:
    program = program_of(ROBOT, style, functions, loads=LOADS)
    parameters = [name for group in program.parameters for line in group.lines
                  for name in line.names]
    constants = [statement for block in program.constants for statement in block.statements]
    for function in program.functions:
        known = {*parameters, *(name for x in function.inputs for name in x.entries)}
        for name, value in (*constants, *function.statements):
            assert names_in([value]) <= known
            assert name not in known
            known.add(name)
