"""Every language: files that compile, agree with the recursion, and take any robot and name."""

import itertools
import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import language_tools
import numpy as np
import pytest
from robot_programs import TERMS, N, given, loaded, program_of, robot_program, torture
from test_scripts import NAMES, named

from support.acting_loads import terms
from support.oracles import worst
from support.paths import ROOT
from support.random_trees import robot
from urdf2dyn_ros import InverseDynamics, export_model
from urdf2dyn_ros.codegen.functions import CHOICES, FUNCTIONS
from urdf2dyn_ros.codegen.functions.dynamics import Dynamics
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.codegen.program import Call, Program, Sum, parts
from urdf2dyn_ros.codegen.signature import WRENCH
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.robot.loads import GRAVITY, Loads
from urdf2dyn_ros.robot.model import Inertial, RobotModel
from urdf2dyn_ros.robot.multibody import Multibody, body_inertias, make_multibody

HOSTILE = [*NAMES, '??/', '$x $(exit())', '`${1}`', '*/', '%}', '=#', "');", '%%d']

CASES = [*(('tangle', style, 'all') for style in STYLES),
         ('rock', 'readable', 'all'), ('rock', 'fast', 'regressor'),
         *(('humanoid_3p33r', style, 'inverse_dynamics') for style in STYLES),
         *(('robot_2r', 'fast', choice) for choice in CHOICES
           if choice != 'all' and not FUNCTIONS[choice].kinematic)]
OPTIMISED = ('tangle', 'fast', 'all')
OTHER_WARNINGS = {*CASES[:4], ('humanoid_3p33r', 'fast', 'inverse_dynamics'),
                  ('robot_2r', 'fast', 'forward_dynamics_derivatives')}
"""
Cases that a second compiler of the same language sees: each kind of statement, empty arrays, and
as many variables as there are. Whether it agrees is compared in the other tests.
"""


@pytest.mark.parametrize(('name', 'style', 'functions', 'tool'), [
    pytest.param(*case, tool, marks=[] if case == OPTIMISED else pytest.mark.slow)
    for case in CASES for tool in language_tools.TOOLS
    if 'clang' not in tool or case in OTHER_WARNINGS])
def test_the_files_compile_without_warnings_and_pass_their_own_test(
        name: str, style: str, functions: str, tool: str, tmp_path: Path) -> None:
    """Its exit code is 0."""
    program = robot_program(name, style, functions)
    files = language_tools.files_of(tool, program)
    output = language_tools.check_self_test(tool, files, tmp_path,
                                            optimised=(name, style, functions) == OPTIMISED)
    assert 'ok. 1 passed' in output if tool == 'rust' else 'agrees with the ref' in output


@pytest.mark.parametrize(('tool', 'choice'), [
    *((tool, choice) for tool in language_tools.ONE_EACH for choice in ('mass_matrix', 'terms')),
    *(('python', choice) for choice in Dynamics.COMBINED if choice != 'mass_matrix')])
def test_a_wrong_number_is_reported_with_function_and_joint(tool, choice, tmp_path):
    """By the exit code as well; of terms it is said which."""
    program = robot_program('rx90', functions=choice)
    result = {'mass_matrix': 'M', 'terms': 'tau_coriolis'}.get(choice, 'tau')
    said = language_tools.reported_about(tool, program, choice, result, 3, tmp_path)
    assert choice.replace('_', '') in said
    assert [joint for joint in (f'joint{k}' for k in range(1, 7)) if joint in said] == ['joint4']
    assert ('taucoriolis' in said) == (choice == 'terms')


def efforts(system: Multibody, states: np.ndarray) -> list[tuple[float, ...]]:
    inertias = body_inertias(system)
    return [newton_euler(system, inertias, state, GRAVITY).efforts for state in states.tolist()]


@pytest.mark.parametrize(('name', 'style'), [('rx90', 'readable'), ('tangle', 'fast')])
@pytest.mark.parametrize('tool', [
    pytest.param(tool, marks=[pytest.mark.slow] * ('clang' in tool))
    for tool in language_tools.TOOLS])
def test_all_languages_give_the_efforts_of_the_recursion_on_numbers(tool, name, style, tmp_path):
    """Alone, together, and as M(q) qdd + bias(q, qd)."""
    system = make_multibody(robot(name))
    n = len(system.joint_names)
    states = np.random.default_rng(3).normal(size=(20, 3, n)) * [[1.5], [2.0], [5.0]]
    names, found = language_tools.driven(tool, robot_program(name, style), states, tmp_path)
    tau, gravity, bias, M, *together = np.split(
        found, np.cumsum([n, n, n, n * n, n, n, n]), axis=1)
    expected = efforts(system, states)
    assert names == list(system.joint_names)
    assert worst(tau, expected) < 2e-15
    assert worst(gravity, efforts(system, states * [[1.0], [0.0], [0.0]])) < 2e-15
    assert worst(bias + np.einsum('kij,kj->ki', M.reshape(-1, n, n), states[:, 2]),
                 expected) < 2e-15
    for alone, same in zip((tau, gravity, bias, M), together):
        assert worst(same, alone) < 1e-15


@pytest.mark.parametrize('tool', language_tools.TOOLS)
def test_awkward_terms_have_the_same_bits_in_every_language(tool: str, tmp_path: Path) -> None:
    """Except values of functions that libraries round differently: all but abs."""
    states = np.random.default_rng(5).normal(size=(10, 3, N))
    _, found = language_tools.driven(tool, torture(), states, tmp_path)
    expected = np.array([given(*state) for state in states.tolist()])
    rounded = [any(isinstance(part, Call) and part.function != 'abs' for part in parts([value]))
               for value in TERMS]
    assert sum(rounded) == 50   # two of them the abs of a sine
    exact = ~np.array(rounded)
    assert (found[:, exact] == expected[:, exact]).all()
    sums = np.array([isinstance(value.term, Sum) for value in TERMS])
    assert np.allclose(found[:, ~sums], expected[:, ~sums], rtol=5e-16, atol=0.0)
    assert np.allclose(found, expected, rtol=5e-16, atol=2e-15)


@cache
def hostile(style: str) -> tuple[RobotModel, Program]:
    model = replace(named(HOSTILE), name='*/ */\n"""; %} #= \\')
    return model, program_of(model, style, 'inverse_dynamics')


@pytest.mark.fault(19)
@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
@pytest.mark.fault(46)
def test_hostile_names_come_back_exactly_and_do_no_harm(tool, style, tmp_path):
    """As robot, links and joints; the text is ASCII in lines of a sane length."""
    model, program = hostile(style)
    if style == 'fast':   # the styles share what has names
        states = np.random.default_rng(2).normal(size=(1, 3, len(HOSTILE)))
        names, found = language_tools.driven(tool, program, states, tmp_path / 'driver')
        assert names == HOSTILE
        assert worst(found, efforts(make_multibody(model), states)) < 9e-15
    files = language_tools.files_of(tool, program)
    for text in files.values():
        assert set(text) <= {'\n', *map(chr, range(32, 127))}
        assert all(len(line) < 140 or 'a' * 300 in line or 'Self-test' in line or
                   '97 97 97' in line for line in text.splitlines())
    language_tools.check_self_test(tool, files, tmp_path / 'test')


@pytest.mark.slow
@pytest.mark.parametrize('name', [
    'class', 'std', 'main', 'linux', 'Row', 'times', 'EOF', 'inverse', 'x' * 45])
@pytest.mark.fault(46)
def test_any_valid_name_compiles_in_c_and_cpp(name: str, tmp_path: Path) -> None:
    """And MATLAB, which has 63 characters for the name of a function, has enough of them."""
    program = program_of(robot('robot_2r'), name=name)
    for tool in ('gcc', 'g++', 'octave'):
        files = language_tools.files_of(tool, program)
        assert max(map(len, files)) <= 63 + len('.hpp')
        language_tools.check_self_test(tool, files, tmp_path / tool, name)


@pytest.mark.slow
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_the_line_at_the_head_of_a_file_runs_its_test(tool: str, tmp_path: Path) -> None:
    """In a shell, after a change of a mass, which is no failure: the efforts follow."""
    model = robot('robot_2r')
    program = program_of(model, 'general')
    files = {name: re.sub(r'\bm2\b(: f64)? = 5\.0', r'm2\1 = 6.0', text)
             for name, text in language_tools.files_of(tool, program).items()}
    lines = {line for text in files.values() for line in re.findall('Self-test: (.*)', text)}
    line, = lines
    command = 'sh -c "' + line.split(', or ')[0] + '"'
    code, output = language_tools.run(tool, (command,), files, 'robot', tmp_path)
    assert code == 0, output
    assert re.search('parameter m2 .*was changed: the reference values do not apply', output)
    *links, last = model.links
    assert last.inertia is not None
    heavier = replace(model, links=(*links, replace(last, inertia=replace(
        last.inertia, mass=6.0))))
    state = [program.references[0].arguments[x] for x in ('q', 'qd', 'qdd')]
    printed = re.findall(r'^joint\d +(\S+) N m$', output, re.MULTILINE)
    expected, = efforts(make_multibody(heavier), np.array([state]))
    assert worst(map(float, printed), expected) < 1e-7


def test_the_c_header_serves_cpp(tmp_path: Path) -> None:
    program = robot_program('scara')
    text, = language_tools.driver(program, 'c').values()
    files = {**language_tools.files_of('gcc', program), 'driver.cpp': text}
    code, output = language_tools.run('g++', (
        f'gcc -std=c99 {language_tools.WARNINGS} -c robot_dynamics.c -o robot.o',
        f'g++ -std=c++17 {language_tools.WARNINGS} -Wno-unused driver.cpp robot.o -o driver',
        './driver'),
        files, 'robot', tmp_path, ' '.join(['0.5'] * 12))
    assert code == 0, output
    _, expected = language_tools.driven('python', program, np.full((1, 3, 4), 0.5), tmp_path)
    assert float(output.split()[-1]) == pytest.approx(expected[0, -1], rel=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize('style', STYLES)
def test_cpp_takes_floats_and_what_differentiates(style: str, tmp_path: Path) -> None:
    """Float agrees to its precision; derivatives along a direction agree with differences."""
    model = robot('rx90')
    program = program_of(model, style, loads=Loads(terms=terms(model)))
    text = (language_tools.DRIVERS / 'scalars.cpp').read_text().replace(
        '@name', 'robot').replace('@space', 'robot_dynamics')
    compiler = f'g++ -std=c++17 {language_tools.WARNINGS} scalars.cpp -o scalars'
    files = {**language_tools.files_of('g++', program), 'scalars.cpp': text}
    code, output = language_tools.run('g++', (compiler, './scalars'), files, 'robot', tmp_path)
    assert code == 0, output
    slopes, floats = np.array([*map(float, output.split())]).reshape(2, 4, 2, 6)
    i, step = np.arange(6.0), 1e-6
    at = np.array([0.3 + i, 1.0 - i, 0.5 * i])
    along = np.array([0.7 - i, 0.2 + i, np.full(6, 1.1)])
    states = np.array([at, at + step * along, at - step * along])
    _, found = language_tools.driven('python', program, states, tmp_path)
    values, above, below = found[:, :24].reshape(3, 4, 6)
    for k in range(2):
        assert worst(floats[:, k], values) < 3.5e-7
        assert worst(slopes[:, k], (above - below) / (2 * step)) < 2.6e-8


@pytest.mark.parametrize('name', ['robot_2r', 'rock'])
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_a_wrong_entry_of_a_wrench_is_reported_by_its_name(tool, name, tmp_path):
    """Whether or not there are joints."""
    program = loaded(name, 'moving', functions='inverse_dynamics')
    said = language_tools.reported_about(tool, program, 'inverse_dynamics', 'wrench', 4, tmp_path)
    assert 'inversedynamics' in said
    assert [key for key in WRENCH.keys if key in said] == ['moment y']


LOADED = [pytest.param('rx90', 'fixed', 'fast', 'inverse_dynamics', marks=pytest.mark.slow),
          ('rx90', 'moving', 'readable', 'inverse_dynamics'),
          pytest.param('tangle', 'fixed', 'readable', 'terms', marks=pytest.mark.slow),
          ('tangle', 'moving', 'fast', 'terms')]


@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
@pytest.mark.parametrize(('name', 'base', 'style', 'functions'), LOADED)
def test_all_that_acts_is_right_in_every_language(name, base, style, functions, tool, tmp_path):
    """Friction, rotors, springs, wrenches and a payload, with and without a base that moves."""
    program = loaded(name, base, style, functions)
    function, = program.functions
    names = {x.name for x in function.inputs}
    assert names >= {'external', 'payload'}
    assert ('base_motion' in names) == (base == 'moving')
    given = [[*itertools.chain(*(reference.arguments[x.name] for x in function.inputs))]
             for reference in program.references]
    _, found = language_tools.driven(tool, program, np.array(given), tmp_path)
    parts = np.split(found, np.cumsum([len(result.rows) for result in function.results]), axis=1)
    for result, part in zip(function.results, parts):
        assert worst(part, [reference.expected[functions][result.name]
                            for reference in program.references]) < 9e-15, result.name


def scaled(model: RobotModel, length: float) -> RobotModel:
    """Return a robot of the same material whose lengths are others."""
    def moved(xyz: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = xyz
        return length * x, length * y, length * z

    def heavier(inertia: Inertial | None) -> Inertial | None:
        if inertia is None:
            return None
        a, b, c, d, e, f = inertia.tensor
        return replace(
            inertia, mass=length**3 * inertia.mass, com=moved(inertia.com),
            tensor=(length**5 * a, length**5 * b, length**5 * c,
                    length**5 * d, length**5 * e, length**5 * f))

    return replace(
        model, links=tuple(replace(link, inertia=heavier(link.inertia)) for link in model.links),
        joints=tuple(replace(joint, xyz=moved(joint.xyz)) for joint in model.joints))


def program_of_size(length: float, style: str, functions: str = 'all') -> Program:
    return program_of(scaled(robot('rx90'), length), style, functions)


def wrong(text: str) -> str:
    """Return a text with a first moment or a folded inertia 1 % too large, where it is used."""
    text, named = re.subn(r'(\bm3 \* com3_y)', r'\1 * 1.01', text, count=1)
    if not named:
        text, named = re.subn(r'(\bt\d = )(?=\d[-+.e\d]* \* t\d - \d)', r'\g<1>1.01 * ', text,
                              count=1)
    assert named == 1
    return text


@pytest.mark.parametrize('length', [1e-4, 1.0, 1e3])
@pytest.mark.parametrize(('tool', 'style'), [
    ('python', 'fast'), ('python', 'readable'), ('gcc', 'fast'), ('node', 'readable')])
def test_a_robot_of_any_size_passes_and_one_wrong_number_fails(tool, style, length, tmp_path):
    files = language_tools.files_of(tool, program_of_size(length, style))
    language_tools.check_self_test(tool, files, tmp_path / 'right')
    assert any('scale_gravity' in text for text in files.values()) == (length != 1.0)
    name = next(name for name, text in files.items() if 'expected_' in text)
    code, output = language_tools.self_test(tool, {**files, name: wrong(files[name])}, 'robot',
                                            tmp_path / 'wrong')
    assert code == 1 and 'differs from the reference' in output


@pytest.mark.parametrize('tool', [
    'octave', *(pytest.param(tool, marks=pytest.mark.slow) for tool in ('g++', 'rust'))])
def test_every_language_has_scales(tool: str, tmp_path: Path) -> None:
    files = language_tools.files_of(tool, program_of_size(1e3, 'fast', 'gravity'))
    language_tools.check_self_test(tool, files, tmp_path / 'right')
    assert any('scale_gravity' in text for text in files.values())
    broken = {name: text.replace('= n5_z;', '= 1.01 * n5_z;') for name, text in files.items()}
    code, output = language_tools.self_test(tool, broken, 'robot', tmp_path / 'wrong')
    assert code != 0 and ('panicked' if tool == 'rust' else 'differs from the ref') in output


def test_the_block_of_simulink_runs_in_octave(tmp_path: Path) -> None:
    """The function of the document: columns in, a column of the right efforts out."""
    if shutil.which('octave') is None:
        pytest.skip('octave is not installed; .ci/run takes it from Debian')
    page = (ROOT / 'docs' / 'exported_files.md').read_text()
    block = page.split('## In Simulink')[1].split('```matlab\n')[1].split('```')[0]
    model = robot('rx90')
    files = export_model(model, 'matlab', 'fast', 'rx90')
    for name, text in {**files, 'fcn.m': block}.items():
        (tmp_path / name).write_text(text)
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 6)).round(3)
    columns = ', '.join(f"{list(map(float, x))}'" for x in (q, qd, qdd))
    done = subprocess.run(
        ['octave', '--no-gui', '--eval',
         f"tau = fcn({columns}); printf('%.15g\\n', size(tau), tau)"],
        cwd=tmp_path, capture_output=True, text=True, check=False)
    *size, = map(float, done.stdout.split())
    assert size[:2] == [6.0, 1.0], done.stderr
    np.testing.assert_allclose(size[2:], InverseDynamics(model)(q, qd, qdd), rtol=1e-12)
