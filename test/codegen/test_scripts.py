"""Exported scripts: both styles, run as programs, with numpy, and with whatever names."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.allow_list import check_text
from hypothesis import given

from support.acting_loads import everything
from support.oracles import Array, columns, efforts_of, exported, random_state, worst
from support.random_trees import between, examples, random_inertia, robot, trees
from support.robot_files import OWN, ROBOTS
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.robot.loads import GRAVITY, Loads
from urdf2dyn_ros.robot.model import Joint, Link, RobotModel
from urdf2dyn_ros.robot.multibody import body_inertias, make_multibody
from urdf2dyn_ros.robot.rotations import aligned, from_rpy

MATH = 'from math import cos, sin\n'
NUMPY = '# from numpy import cos, sin'
NAMES = [
    'a joint', "it's", 'say "so"', 'two\nlines', ';import os', '"""', "'''", 'back\\slash', '\\',
    'class', 'print', '__import__', 'None', '1st', '', 'ünï', '関節', '\u202egnp.x\u202c',
    '\u200b', 'ｊ1', 'j1', 'q1', 'sin', 'inverse_dynamics', 'values_robot', '{0}', '%s', '# x',
    '\t', 'a' * 300, '{', '}', '\\N{BULLET}', '\r', '\x85', '\u2028']


def text_of(model: RobotModel, style: str = 'readable') -> str:
    text, = export_model(model, 'python', style, 'robot').values()
    return text


def states(model: RobotModel, number: int = 3) -> Array:
    """Return random q, qd and qdd, (number, 3, n)."""
    names = make_multibody(model).joint_names
    return np.array([columns(names, random_state(names, seed)) for seed in range(number)])


def test_comments_say_what_joints_of_one_coordinate_add() -> None:
    links = '<link name="l0"/>' + ''.join(f"""<link name="l{k}"><inertial><mass value="1"/>
        <origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial></link><joint name="j{k}" type="continuous"><origin xyz="0.2 0 0"/>
        <axis xyz="0 0 1"/><parent link="l{k - 1}"/><child link="l{k}"/>{
        f'<mimic joint="j1" multiplier="{k}"/>' if k > 1 else ''}</joint>""" for k in (1, 2, 3))
    model = read_urdf(f'<robot name="fingers">{links}<link name="tip"/><joint name="tip" '
                      'type="fixed"><parent link="l3"/><child link="tip"/></joint></robot>')
    lines = [' '.join(line.split()) for line in text_of(model).splitlines()]
    assert "# ---- link 3 'l3' and what is fixed to it, turned by joint 3 'j3'" in lines
    assert [line for line in lines if line.startswith('tau')][:3] == [
        'tau3 = k3 * N3_z # tau3: tau of joint 1, with what joint 3 adds to it',
        'tau2 = tau3 + k2 * n2_z # tau2: tau of joint 1, with what joint 2 adds to it',
        'tau1 = tau2 + n1_z # tau1 = tau2 + n1_z']


def check_styles(model: RobotModel) -> None:
    """Compare both styles, all entry points, with the recursion on plain numbers."""
    system = make_multibody(model)
    scripts = [exported(model, style) for style in STYLES]
    assert all(script['JOINT_NAMES'] == system.joint_names for script in scripts)
    for state in states(model).tolist():
        expected = newton_euler(system, body_inertias(system), state, GRAVITY).efforts
        for script in scripts:
            assert worst(script['inverse_dynamics'](*state), expected) < 1.8e-14


@examples(30)
@given(trees(massless=True))
def test_both_styles_of_random_trees_are_the_recursion_on_numbers(model: RobotModel) -> None:
    check_styles(model)


def test_both_styles_know_joints_that_follow_and_joints_of_several_freedoms() -> None:
    check_styles(robot('tangle'))
    check_styles(between('planar'))


def run(text: str, folder: Path) -> tuple[int, dict[str, float], str]:
    """Run a script as a user would; return exit code, efforts by printed name, and output."""
    file = folder / 'robot_dynamics.py'
    file.write_text(text)
    done = subprocess.run([sys.executable, '-I', str(file)], capture_output=True, text=True,
                          check=False, cwd=folder)
    assert done.stderr == ''
    rows = re.findall(r'^(\S+) +(\S+) N(?: m)?$', done.stdout, re.MULTILINE)
    return done.returncode, {name: float(effort) for name, effort in rows}, done.stdout


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
def test_a_script_is_a_program_that_prints_efforts_and_checks_itself(path, style, tmp_path):
    model = read_urdf(path.read_bytes())
    code, printed, output = run(text_of(model, style), tmp_path)
    assert code == 0
    assert output.endswith('agrees with the reference\n')
    script = exported(model, style)
    q, qd, qdd = np.array(script['array_of_variables']).T.tolist()
    assert [printed[name] for name in script['JOINT_NAMES']] == pytest.approx(
        script['inverse_dynamics'](q, qd, qdd), rel=1e-8, abs=1e-8)


CHECKED = {
    'momentum': (robot('scara'), 'fixed', (
        r'beta2 = \(w2 x z\) \. L2', r'Po\d = mt?\d v\d \+ w\d x ht?\d', r'\[kg m\^2/s\]',
        r'Lo\d = Jt?\d w\d \+ ht?\d x v\d', r'load1 = n1_z \+ friction1', r'\[kg m/s\]')),
    'regressor': (robot('rx90'), 'fixed', (r'# Sxx3 \[kg m\^2\]', r'# ---- column \d+: [mhS]')),
    'inverse_dynamics_derivatives': (robot('scara'), 'moving', ()),
    'forward_dynamics': (robot('tangle'), 'moving', ())}
"""Function to robot, base, and what the readable style says."""


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('functions', CHECKED)
def test_the_script_of_a_function_knows_its_right_results(functions, style, capsys):
    """With all that acts; a result that is not right is named."""
    model, base, said = CHECKED[functions]
    text, = export_model(model, style=style, name='robot', functions=functions,
                         loads=everything(model, base)).values()
    assert style == 'fast' or all(re.search(each, text) for each in said)
    wrong = re.sub(r'(expected_\w+ = \[\n    \[)', r'\g<1>9', text, count=1)
    for changed, code in ((text, 0), (wrong, 1)):
        with pytest.raises(SystemExit) as end:
            exec(changed, {'__name__': '__main__'})
        assert end.value.code == code
    assert f'{functions}, ' in capsys.readouterr().out


def test_a_changed_mass_changes_the_efforts_and_is_reported(tmp_path: Path) -> None:
    text = (OWN / 'rx90.urdf').read_text()
    model = read_urdf(text)
    link = next(link for link in model.links if link.name == model.joints[2].child)
    assert link.inertia is not None
    script = text_of(model)
    line = f'm3 = {link.inertia.mass!r} '
    assert script.count(line) == 1
    code, printed, output = run(script.replace(line, f'm3 = {link.inertia.mass + 1.0!r} '),
                                tmp_path)
    assert code == 0
    assert 'parameter m3 was changed: the reference values do not apply\n' in output
    heavier = replace(model, links=tuple(
        replace(each, inertia=replace(each.inertia, mass=each.inertia.mass + 1.0))
        if each is link and each.inertia else each for each in model.links))
    rows = exported(model)['array_of_variables']
    names = make_multibody(model).joint_names
    expected = efforts_of(heavier, {name: tuple(row) for name, row in zip(names, rows)})
    assert printed == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_the_heading_has_the_constant_rotations() -> None:
    """Axes of each joint in the frame of its parent; none where all are the same."""
    model = read_urdf(OWN / 'rx90.urdf')
    rows = re.findall(r'^ {4}\d  (joint\d) .*  x y z +(\S+ \S+ \S+)$', text_of(model),
                      re.MULTILINE)
    axes = dict(zip(('x', 'y', 'z'), np.eye(3))) | dict(zip(('-x', '-y', '-z'), -np.eye(3)))
    assert len(rows) == 6
    for joint, (name, cells) in zip(model.joints, rows):
        expected = np.array(from_rpy(joint.rpy)) @ np.array(aligned(joint.axis))
        assert name == joint.name
        np.testing.assert_array_equal([axes[cell] for cell in cells.split()], expected.T)
    key = "    z -x -y: x of frame i is the link's z, y its -x, z its -y"
    assert f'{key}; Ai: axes of joint i, in frame p\n' in text_of(model)
    first, *others = model.joints
    oblique = replace(model, joints=(replace(first, axis=(0.0, 1.0, 0.0)), *others))
    assert f'{key}\n' in text_of(oblique, 'fast')
    for plain in (text_of(read_urdf(OWN / 'robot_2r.urdf')), text_of(model, 'fast')):
        assert 'Ai: frame' not in plain and key not in plain


@pytest.mark.parametrize('style', STYLES)
def test_two_lines_switch_a_script_to_arrays(style: str) -> None:
    model = read_urdf((OWN / 'rx90.urdf').read_bytes())
    text = text_of(model, style)
    assert (text.count(MATH), text.count(NUMPY)) == (1, 1)
    switched: dict[str, object] = {'__name__': 'robot'}
    exec(text.replace(MATH, f'# {MATH}').replace(NUMPY, NUMPY[2:]), switched)
    samples = states(model, 20)
    loop = [exported(model, style)['inverse_dynamics'](*state) for state in samples.tolist()]
    batch = switched['inverse_dynamics'](*samples.transpose(1, 2, 0))
    assert worst(np.array(np.broadcast_arrays(*batch)).T, loop) < 1e-15


def test_the_variables_of_the_ancestor_tool_are_there() -> None:
    model = read_urdf((OWN / 'humanoid_3p33r.urdf').read_bytes())
    script = exported(model)
    names = script['JOINT_NAMES']
    kinds = ('position', 'velocity', 'acceleration')
    assert len(names) == 36
    assert script['array_of_variables'] == [
        [script[f'gv_{kind}_{name}'] for kind in kinds] for name in names]
    values = script['dynamic_model'](script['array_of_variables'])
    assert {f'{kind}_{name}' for kind in (*kinds, 'forces', 'torques') for name in names} <= {
        *values}
    assert {len(vector) for vector in values.values()} == {3}   # of matrices: their rows


def test_the_self_check_of_a_script_covers_the_vectors_in_the_root_frame(tmp_path: Path) -> None:
    text = text_of(read_urdf((OWN / 'rx90.urdf').read_bytes()))
    first = re.search(r'expected_wrenches = \[\n    \[(-?[\d.]+)', text)
    assert first is not None
    code, _, output = run(text.replace(first[0], first[0] + '7'), tmp_path)
    assert code == 0   # beyond the digits that are compared
    code, _, output = run(text.replace(first[0], first[0].replace('[', '[1 + ').replace(
        '[1 + \n', '[\n')), tmp_path)
    assert code == 1 and 'dynamic_model, ' in output


def test_the_vectors_in_the_root_frame_count_external_wrenches_and_a_payload() -> None:
    model = read_urdf((OWN / 'robot_2r.urdf').read_bytes())
    text, = export_model(model, loads=Loads(external=('link2',), payload='link2')).values()
    script: dict[str, Any] = {'__name__': 'robot'}
    exec(text, script)
    rows = script['array_of_variables']
    values = script['dynamic_model'](rows)
    efforts = script['inverse_dynamics'](*zip(*rows), script['external'], script['payload'])
    assert [values[f'torques_joint{k}'][2] for k in (1, 2)] == pytest.approx(efforts, rel=1e-15)


def named(names: list[str]) -> RobotModel:
    links = [Link('root'), *(Link(name, random_inertia(k)) for k, name in enumerate(names))]
    return RobotModel(';import os\n"""', tuple(links), tuple(
        Joint(name, 'revolute', parent.name, name, (0.1, 0.2, 0.0), (0.3, 0.0, 0.0))
        for name, parent in zip(names, links)), 'root')


@pytest.mark.fault(19)
@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('names', [NAMES, *([name] for name in NAMES)],
                         ids=lambda names: ascii(names[0][:20]) if len(names) == 1 else 'all')
@pytest.mark.fault(46)
def test_names_are_nothing_but_data(names: list[str], style: str) -> None:
    """The text is ASCII, all names in its syntax tree are generated, and the data are right."""
    check_text(text_of(named(names), style))
    assert exported(named(names), style)['JOINT_NAMES'] == tuple(names)


@pytest.mark.fault(19)
@pytest.mark.fault(46)
def test_names_that_look_alike_have_variables_of_their_own() -> None:
    """Python takes one for the other after NFKC normalisation."""
    script = exported(named(['ｊ1', 'j1', 'joint_1', 'joint_2']))
    assert len([name for name in script if name.startswith('gv_position_')]) == 4
    state = {'ｊ1': (0.1, 0.2, 0.3), 'j1': (1.0, 2.0, 3.0), 'joint_1': (0.0, 0.0, 1.0),
             'joint_2': (0.5, 0.5, 0.5)}
    found = script['dynamic_model'](list(state.values()))
    assert found['velocity_ｊ1'] != found['velocity_joint_2']
    assert {f'forces_{name}' for name in state} <= set(found)


def test_numbers_of_numpy_are_written_as_plain_numbers() -> None:
    """A model made in Python easily has some."""
    model = RobotModel('r', (Link('base'), Link('arm', random_inertia(1))), (
        Joint('j', 'revolute', 'base', 'arm', tuple(np.array([0.1, 0.2, 0.3])), (0.3, 0.2, 0.1)),
        ), 'base')
    assert 'float64' not in text_of(model)
