"""Loads in every language: inputs, a wrench, terms, and words for it."""

import itertools
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from test_scripts import named

from support import language_tools
from support.oracles import worst
from support.torture import loaded, program_of, robot
from urdf2dyn_ros.codegen.functions.function import WRENCH
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.codegen.languages.python import Python
from urdf2dyn_ros.codegen.program import Name, Product, Signed, Statement, Sum
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link, RobotModel
from urdf2dyn_ros.robot.terms import Friction, Spring


@pytest.mark.parametrize('name', ['robot_2r', 'rock'])
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_a_wrong_entry_of_a_wrench_is_reported_by_its_name(tool: str, name: str, tmp_path: Path,
                                                       ) -> None:
    """Whether or not there are joints."""
    program = loaded(name, 'moving', functions='inverse_dynamics')
    said = language_tools.reported_about(tool, program, 'inverse_dynamics', 'wrench', 4, tmp_path)
    assert 'inversedynamics' in said
    assert [key for key in WRENCH.keys if key in said] == ['moment y']


LOADED = [('rx90', 'fixed', 'fast', 'inverse_dynamics'),
          ('rx90', 'moving', 'readable', 'inverse_dynamics'),
          ('tangle', 'fixed', 'readable', 'terms'), ('tangle', 'moving', 'fast', 'terms')]


@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
@pytest.mark.parametrize(('name', 'base', 'style', 'functions'), LOADED)
def test_all_that_acts_is_right_in_every_language(
        name: str, base: str, style: str, functions: str, tool: str, tmp_path: Path) -> None:
    """Friction, rotors, springs, wrenches and a payload, with and without a base that moves."""
    program = loaded(name, base, style, functions)
    function, = program.functions
    assert {x.name for x in function.inputs} >= {'external', 'payload'}
    assert program.moves == (base == 'moving')
    given = [[*itertools.chain(*(reference.arguments[x.name] for x in function.inputs))]
             for reference in program.references]
    _, found = language_tools.driven(tool, program, np.array(given), tmp_path)
    parts = np.split(found, np.cumsum([len(result.rows) for result in function.results]), axis=1)
    for result, part in zip(function.results, parts):
        assert worst(part, [reference.expected[functions][result.name]
                            for reference in program.references]) < 9e-15, result.name


@pytest.mark.slow
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_products_that_fill_a_line_are_read_as_they_are_meant(tool: str, tmp_path: Path) -> None:
    """A line breaks before + and -, and within a product that is longer than a line."""
    hinge = Joint('hinge', 'revolute', 'wall', 'door', axis=(0.0, 0.0, 1.0))
    door = RobotModel('door', (Link('wall'), Link('door')), (hinge,), 'wall')
    friction = Friction(0.0, 1.2157909725966882, 66.4547879462107, 0.9116774409625692,
                        6.096772455416034)
    spring = Spring(1.241880479836641, 0.004361252662736818)
    for model, joint in ((robot('robot_2r'), 'joint1'), (door, 'hinge')):
        program = program_of(model, 'fast', 'inverse_dynamics', model.name,
                             Loads(terms={joint: [friction, spring]}))
        assert all(len(line) <= 99 for text in language_tools.files_of(tool, program).values()
                   for line in text.splitlines() if 'Self-test' not in line)
        given = [[*itertools.chain(*(reference.arguments[x] for x in ('q', 'qd', 'qdd')))]
                 for reference in program.references]
        (tmp_path / model.name).mkdir()
        _, found = language_tools.driven(tool, program, np.array(given), tmp_path / model.name)
        assert worst(found, [reference.expected['inverse_dynamics']['tau']
                             for reference in program.references]) < 1e-15


@pytest.mark.parametrize('length', range(40, 95, 3))
def test_a_python_statement_goes_on_in_the_next_line(length: int) -> None:
    """However long its name and its first term are, a parenthesis is open at the end of a line."""
    long = Product((Name('q' * length), Name('k')))
    value = Signed(False, Sum(((False, long), (True, long), (False, Name('q')))))
    text = Python(program_of(robot('rock'))).statement(Statement('t' * 30, value), '    ')
    assert len(text.splitlines()) > 1
    names = {'q' * length: 2.0, 'k': 3.0, 'q': 4.0}
    exec(compile(textwrap.dedent(text), 'statement', 'exec'), names)
    assert names['t' * 30] == 4.0


@pytest.mark.slow
@pytest.mark.parametrize('tool', language_tools.CHECKED)
@pytest.mark.parametrize(('name', 'base', 'functions'), [
    ('robot_2r', 'moving', 'all'), ('robot_2r', 'fixed', 'terms'), ('rock', 'moving', 'all')])
def test_files_with_all_that_acts_pass_their_own_test(
        name: str, base: str, functions: str, tool: str, tmp_path: Path) -> None:
    """Every result is compared: of a robot without joints the wrench alone."""
    files = language_tools.files_of(tool, loaded(name, base, 'readable', functions))
    language_tools.check_self_test(tool, files, tmp_path)


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('name', ['rx90', 'tangle', 'rock'])
def test_every_name_stands_for_one_thing(name: str, style: str) -> None:
    """Entries of inputs, parameters, constants, statements, inputs and results of a function."""
    for functions in ('all', 'terms'):
        program = loaded(name, 'moving', style, functions)
        constants = [name for group in program.parameters for line in group.lines
                     for name in line.names] + [statement.name for block in program.constants
                                                for statement in block.statements]
        for function in program.functions:
            names = [*constants, *(statement.name for statement in function.statements),
                     *(x.name for x in (*function.inputs, *function.results)),
                     *(entry for x in function.inputs for entry in x.entries)]
            assert len(set(names)) == len(names)
            assert function.names <= set(names)


@pytest.mark.parametrize('language', LANGUAGES)
def test_what_acts_is_said_in_lines_of_a_sane_length(language: str) -> None:
    """In the heading, and load arguments where a function is defined."""
    files = LANGUAGES[language](loaded('robot_2r', 'moving', 'readable', 'all'))
    for text in (text for file, text in files.items() if not file.endswith('.c')):
        plain = re.sub(r'\s+(///?!?|%|\*|#|!)?\s*', ' ', text)
        assert 'with friction, rotors and springs at joints, external wrenches' in plain
        assert 'The root moves as base_motion says.' in plain
        assert "Entries 1 to 6: link 'base'. Entries 7 to 12: link 'link2'." in plain
        assert "payload: a body that is fixed to link 'link2'." in plain
        if 'zeros(6, 1)' in text or language != 'matlab':
            assert re.search('base_?[mM]otion, 9 entries: of the root, in its frame', plain)
            assert 'payload, 10 entries: mass' in plain and 'external, 12 entries: ' in plain
            assert 'wrench, 6 entries: force' in plain
        assert all(len(line) <= 99 for line in text.splitlines() if 'Self-test' not in line)


@pytest.mark.slow
@pytest.mark.fault(46)
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_hostile_names_of_loaded_links_do_no_harm(tool: str, tmp_path: Path) -> None:
    """A name that cannot stand in a comment is a number there."""
    model = named(['*/', '%}', '"""', '=#'])
    links = [link.name for link in model.links]
    program = program_of(model, 'readable', 'inverse_dynamics',
                         loads=Loads('moving', {}, links, links[1]))
    files = language_tools.files_of(tool, program)
    assert any('Entries 7 to 12: link number 2 of those requested.' in text
               and 'payload: a body that is fixed to a link.' in text for text in files.values())
    language_tools.check_self_test(tool, files, tmp_path)
