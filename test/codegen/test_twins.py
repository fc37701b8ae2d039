"""Long functions of C and C++ in sections, and equal limbs at once: the same results."""

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import language_tools
import numpy as np
import pytest
from robot_programs import program_of

from support.acting_loads import entries, everything
from support.oracles import Pinocchio, columns, random_state, worst
from support.random_trees import random_inertia, robot
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen import twins as twinned
from urdf2dyn_ros.codegen.generator import LOADS, generate
from urdf2dyn_ros.codegen.languages import c, cpp, sections
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.codegen.twins import equal_limbs
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Inertial, Joint, Link, Mimic
from urdf2dyn_ros.robot.multibody import make_multibody


def in_sections(tool: str, ending: str,
                monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, str], str]:
    """Return files of many sections of 50 statements, and the code without its self-check."""
    monkeypatch.setattr(sections, 'STATEMENTS_PER_SECTION', 50)
    monkeypatch.setattr(sections, 'MOST_IN_ONE', 3)
    model = robot('tangle')
    files = language_tools.files_of(tool, program_of(
        model, 'fast', 'inverse_dynamics_derivatives', loads=everything(model, 'moving')))
    text, = (text for name, text in files.items() if name.endswith(ending))
    return files, text.split('#ifdef ROBOT_SELF_TEST')[0]


@pytest.mark.parametrize('most', [60, 10**6], ids=['in sections', 'whole'])
def test_a_long_function_passes_its_check_in_sections(most, tmp_path, monkeypatch):
    """Mimic joints, whose angles are computed first, friction, all inputs of loads."""
    monkeypatch.setattr(sections, 'MOST_STATEMENTS', most)
    files, code = in_sections('gcc', '.c', monkeypatch)
    statements = [part.count('const double t') for part in re.split(r'\n}\n', code)]
    assert (max(statements) <= 60) == (most == 60)
    assert len(re.findall(r'^static APART void robot_inverse', code, re.MULTILINE)) == (
        len(re.findall(r'^    robot_inverse', code, re.MULTILINE)))
    language_tools.check_self_test('gcc', files, tmp_path)


VECTORS = '#if defined(__GNUC__)'
HUMANOID, TALOS = OWN / 'humanoid_3p33r.urdf', robot_path('talos_reduced')
SOLO = robot_path('solo12')
DERIVATIVES = 'inverse_dynamics_derivatives'


def program(model: RobotModel, functions: str, loads: Loads = LOADS,
            twins: bool = True) -> Program:
    return generate(make_multibody(model), name='robot', style='fast',
                    functions=functions, loads=loads, twins=twins)


whole_program = cache(program)   # that of a robot alone: loads have no hash


def one_by_one(program: Program, write: Callable[[Program], dict[str, str]] = c.C.write,
               ) -> dict[str, str]:
    """Return C or C++ as compilers without vectors see it."""
    files = write(program)
    assert sum(text.count(VECTORS) for text in files.values()) == 1
    return {name: text.replace(VECTORS, '#if 0') for name, text in files.items()}


def insect(mimic: bool = False) -> RobotModel:
    """Return a body on a rail with six legs of three joints, no two of them the same."""
    links, joints = [Link('rail'), Link('body', random_inertia(0))], [
        Joint('slide', 'prismatic', 'rail', 'body', axis=(1.0, 0.0, 0.0))]
    for leg in range(6):
        parent = 'body'
        for k, kind in enumerate(('revolute', 'revolute', 'prismatic')):
            name, seed = f'leg{leg}_{k}', 10 * leg + k
            xyz, rpy = np.random.default_rng(seed).normal(size=(2, 3)).tolist()
            follows = Mimic('joint_leg0_0', 0.5, 0.1) if mimic and k == 0 < leg < 3 else None
            joints.append(Joint(f'joint_{name}', kind, parent, name, tuple(xyz), tuple(rpy),
                                (0.0, 0.6, 0.8), follows))
            links.append(Link(name, random_inertia(seed)))
            parent = name
    return RobotModel('insect', tuple(links), tuple(joints), 'rail')


def hexapod() -> RobotModel:
    """Return six legs on the root, which differ in their places and centres of mass alone."""
    links, joints, still = [Link('root')], [], (0.0, 0.0, 0.0)
    for leg in range(6):
        inertia = Inertial(1.0, (0.1, 0.1 * leg, 0.3), still, (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
        for k, kind in enumerate(('revolute', 'revolute', 'prismatic')):
            links.append(Link(f'leg{leg}_{k}', inertia))
            joints.append(Joint(
                f'joint{leg}_{k}', kind, f'leg{leg}_{k - 1}' if k else 'root', f'leg{leg}_{k}',
                (0.1, 0.2 if k else 0.2 * leg, 0.1), still, tuple(np.eye(3)[k].tolist())))
    return RobotModel('hexapod', tuple(links), tuple(joints), 'root')


def test_limbs_are_equal_that_have_the_same_joints() -> None:
    """Two by two; a joint that moves bodies of both limbs has no other."""
    assert equal_limbs(make_multibody(insect())) == {
        k: k + (3 if (k - 1) // 3 % 2 == 0 else -3) for k in range(1, 19)}
    assert equal_limbs(make_multibody(read_urdf((OWN / 'rx90.urdf').read_bytes()))) == {}
    followed = equal_limbs(make_multibody(insect(mimic=True)))
    assert 1 not in followed
    assert len(followed) == 14


@pytest.mark.parametrize(('path', 'tool', 'form'), [
    (TALOS, 'gcc', 'vectors'), (SOLO, 'g++', 'vectors'),
    *(pytest.param(*each, marks=pytest.mark.slow) for each in (
        (TALOS, 'g++', 'one by one'), (HUMANOID, 'gcc', 'one by one'), (SOLO, 'gcc', 'vectors')))],
    ids=lambda value: getattr(value, 'stem', value))
def test_derivatives_agree_with_pinocchio(path, tool, form, tmp_path, monkeypatch):
    if form == 'one by one':
        monkeypatch.setattr(c.C, 'write', one_by_one)
        monkeypatch.setattr(cpp.Cpp, 'write', partial(one_by_one, write=cpp.Cpp.write))
    model = read_urdf(path.read_bytes())
    whole = whole_program(model, DERIVATIVES)
    names = make_multibody(model).joint_names
    state = random_state(names, 5)
    _, found = language_tools.driven(tool, whole, columns(names, state)[None], tmp_path)
    n = len(names)
    tau, *matrices = np.split(found[0], [n, n + n * n, n + 2 * n * n])
    oracle = Pinocchio(path.read_bytes())
    efforts = oracle.efforts(state)
    assert worst(tau, [efforts[name] for name in names]) < 1e-10
    for mine, theirs in zip(matrices, oracle.derivatives(names, state)):
        assert worst(mine, theirs.ravel()) < 1e-10


@pytest.mark.parametrize(('tool', 'form'), [
    ('gcc', 'vectors'), ('clang', 'one by one'), ('g++', 'vectors')])
def test_a_twin_of_numbers_of_another_waits_for_both(tool, form, tmp_path, monkeypatch):
    """Where limb is computed behind limb, they are there when the loop over the limbs is done."""
    if form == 'one by one':
        monkeypatch.setattr(c.C, 'write', one_by_one)
    whole = whole_program(hexapod(), 'inverse_dynamics')
    assert whole.functions[0].twinned is not None
    language_tools.check_self_test(tool, language_tools.files_of(tool, whole), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(('functions', 'tool'), [
    ('inverse_dynamics', 'gcc'), ('inverse_dynamics', 'clang++'), ('forward_dynamics', 'clang'),
    ('mass_matrix', 'g++')])
def test_other_functions_pass_their_check(functions: str, tool: str, tmp_path: Path) -> None:
    whole = whole_program(read_urdf(TALOS.read_bytes()), functions)
    assert whole.functions[0].twinned is not None
    language_tools.check_self_test(tool, language_tools.files_of(tool, whole), tmp_path,
                                   optimised=True)


@pytest.mark.slow
@pytest.mark.parametrize('mimic', [False, True])
def test_loads_act_on_equal_limbs(mimic, tmp_path, monkeypatch):
    """Friction, rotors, springs, payload, wrenches, a moving base, and joints that follow."""
    monkeypatch.setattr(twinned, 'LEAST_SAVED', 0.0)
    model = insect(mimic)
    loads = everything(model, 'moving')
    whole = program(model, DERIVATIVES, loads)
    assert whole.functions[0].twinned is not None
    n = len(make_multibody(model).joint_names)
    state = np.random.default_rng(2).normal(size=3 * n).tolist()
    given = [entry for each in entries(model, loads) for entry in each]
    _, found = language_tools.driven('gcc', whole, np.array([[*state, *given]]), tmp_path)
    expected = InverseDynamics(model, loads=loads, backend='python').derivatives(
        *np.reshape(state, (3, n)), *entries(model, loads))
    assert worst(found, np.concatenate([np.ravel(each) for each in expected])) < 1e-12


def test_twins_are_for_robots_with_equal_limbs_in_c_and_cpp() -> None:
    """Elsewhere, and where they would save too little, the text is what it was."""
    solo, humanoid, rx90 = (read_urdf(path.read_bytes())
                            for path in (SOLO, HUMANOID, OWN / 'rx90.urdf'))
    for language, ending in (('c', 'c'), ('cpp', 'hpp')):
        assert 'twin' in export_model(solo, language, 'fast', functions=DERIVATIVES)[
            f'solo_dynamics.{ending}']
    for language, style, function, model in (
            ('c', 'fast', 'inverse_dynamics', humanoid), ('c', 'readable', 'gravity', humanoid),
            ('cpp', 'fast', 'inverse_dynamics', humanoid),
            ('cpp', 'readable', 'gravity', humanoid),
            ('rust', 'fast', 'mass_matrix', humanoid), ('c', 'fast', DERIVATIVES, rx90)):
        files = export_model(model, language, style, functions=function)
        assert not any('twin' in text for text in files.values())


def test_the_operations_are_those_of_the_function() -> None:
    """A statement of two numbers stands for two operations, and none is made twice."""
    function, = whole_program(read_urdf(TALOS.read_bytes()), DERIVATIVES).functions
    assert function.twinned is not None
    assert function.twinned.operations == function.operations
    assert len(function.twinned.statements) < 0.6 * len(function.statements)
