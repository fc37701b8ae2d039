"""Comments and names of a readable file are true in their part of the file."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from robot_programs import loaded, program_of

from support.acting_loads import everything
from support.random_trees import random_inertia, robot
from urdf2dyn_ros import RobotModel, export_model
from urdf2dyn_ros.codegen.generator import GENERAL, STYLES
from urdf2dyn_ros.codegen.program import Program, names_in
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import ExternalForce, Joint, Link

TANGLE = replace(robot('tangle'), forces=(ExternalForce('link3', (1.0, 0.0, 0.0)),))
PARTS = ('Gravity', 'Coriolis', 'Inertia', 'Friction', 'Rotor', 'Spring', 'External')


def text_of(functions: str, base: str = 'fixed', model: RobotModel = TANGLE,
            loads: Loads | None = None) -> str:
    text, = export_model(model, 'python', 'readable', 'tangle', functions=functions,
                         loads=loads or everything(model, base)).values()
    return text


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    pieces = re.split(r'\n    # ==== (.*?) =+\n', text.split('\n    return ')[0])
    yield from zip(pieces[1::2], pieces[2::2])


@pytest.mark.parametrize('base', ['fixed', 'moving'])
def test_a_term_is_explained_by_what_acts_in_it_alone(base: str) -> None:
    found = [(title, text) for title, text in parts_of(text_of('terms', base))
             if 'Backward' in title]
    assert tuple(title.split('.')[0] for title, _ in found) == PARTS
    for title, text in found:
        part = title.split('.')[0].lower()
        said = '\n'.join(re.findall(r'# .*', text))
        for name in ('friction', 'rotor', 'spring'):
            assert (re.search(rf'{name}\d', said) is not None) == (name == part)
        assert (re.search(r'# [fn]\d = .*- ?[fn]e\d', said) is not None) == (part == 'external')
        assert (re.search(r'# n\d = N\d', said) is not None) == (
            part in ('gravity', 'coriolis', 'inertia'))
        assert ('A3 nr3' in said, 'A3 nj3' in said) == (part == 'rotor', part not in (
            'rotor', 'friction', 'spring'))
        assert not re.search(r'= +-? *=|= *$', said, re.MULTILINE)   # an empty formula


@pytest.mark.parametrize('functions', ['inverse_dynamics', 'terms', 'mass_matrix', 'momentum'])
def test_a_moment_with_a_rotors_part_is_made_where_it_is_mentioned(functions: str) -> None:
    """Joint 4 is prismatic: its rotor has no effect on the parent, and there is no Ic4."""
    text = text_of(functions)
    for title, part in parts_of(text):
        for symbol, n in re.findall(r'# (?:np|Lp)\d = (?:A\d )?(nr|Lr)(\d)', part):
            assert re.search(rf'^    {symbol}{n}_[xyz]\w*(?: =|,) |# {symbol}{n} = ', part,
                             re.MULTILINE), (title, symbol, n)
    named = ' '.join(re.findall(r'^([\w, ]+) = ', text, re.MULTILINE))
    constants = set(re.findall(r'Ic\d|Ir\d', named))
    assert set(re.findall(r'Ic\d|Ir\d', text)) <= constants


def test_the_effort_of_a_joint_with_followers_says_what_they_add() -> None:
    """Joint 6 follows joint 1 and is done before it, joint 2 follows joint 4 and is done after."""
    text = text_of('inverse_dynamics')
    assert '# tau1 = tau6 + n1_z + friction1 + rotor1 + spring1\n' in text
    assert '# tau2: tau of joint 4, with what joint 2 adds to it\n' in text
    text = text_of('momentum')
    assert '# pq1 = pq6 + L1_z + Lm1\n' in text
    assert '# pq3 = L3_z + Lm3\n' in text
    assert '# load1 = tau1 + friction1 + spring1\n' in text
    assert '# load3 = n3_z + friction3 + spring3\n' in text


@pytest.mark.parametrize(('functions', 'symbols'), [
    ('momentum', ('Poi, Loi ', 'Pi, Li ', 'pqi, Lmi ', 'betai, loadi ')),
    ('inverse_dynamics', ('Li = Ji wi', 'Ti, wri ')),
    ('forward_dynamics', ('Li = Ji wi',)), ('terms', ('Li = Ji wi',))])
def test_the_heading_has_the_symbols_of_the_function(functions: str, symbols: tuple[str, ...],
                                                     ) -> None:
    heading = text_of(functions).split('Self-test')[0]
    assert [each for each in ('Poi, Loi ', 'Pi, Li ', 'pqi, Lmi ', 'betai, loadi ', 'Li = Ji wi',
                              'Ti, wri ') if each in heading] == [*symbols]


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FINGERS = RobotModel(
    'robot', (Link('base'), *(Link(f'link{k}', random_inertia(k)) for k in range(1, 6))),
    (Joint('joint1', 'revolute', 'base', 'link1', axis=Z),
     Joint('joint2', 'revolute', 'link1', 'link2', Z, axis=Y),
     Joint('joint3', 'prismatic', 'link1', 'link3', Z, axis=X),
     Joint('joint4', 'revolute', 'link2', 'link4', axis=Y),
     Joint('fixed', 'fixed', 'link3', 'link5', (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))),
    'base')
"""The second moments of link 1 are regrouped from those of links 2 and 4; two links are fixed."""

ON_FINGERS = Loads(external=('link5', 'link3'))


@pytest.mark.parametrize('program', [
    *(partial(program_of, FINGERS, style, functions, loads=ON_FINGERS) for functions, style in (
        ('all', GENERAL), ('terms', GENERAL), ('momentum', GENERAL), ('regressor', 'readable'),
        ('momentum', 'fast'))),
    *(partial(loaded, name, 'moving', style, 'all') for name in ('tangle', 'rock')
      for style in STYLES)])
def test_a_name_is_that_of_one_number_made_before(program: Callable[[], Program]) -> None:
    """Of entries of inputs, parameters, constants and statements; nothing else has it."""
    made = program()
    parameters = [name for group in made.parameters for line in group.lines
                  for name in line.names]
    constants = [statement for block in made.constants for statement in block.statements]
    for function in made.functions:
        arrays = [x.name for x in (*function.inputs, *function.results)]
        assert len(set(arrays)) == len(arrays)
        known = {*parameters, *(name for x in function.inputs for name in x.entries)}
        for name, value in (*constants, *function.statements):
            assert names_in([value]) <= known
            assert name not in known
            known.add(name)
        assert known.isdisjoint(arrays)
