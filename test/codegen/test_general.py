"""The general style, whose parameters are all numbers; and true comments of readable files."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import language_tools
import numpy as np
import pytest
from robot_programs import loaded, program_of

from support.acting_loads import everything
from support.oracles import columns, efforts_of, exported, random_state, worst
from support.random_trees import random_inertia, robot
from support.robot_files import OWN
from urdf2dyn_ros import Loads, RobotModel, export_model, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.codegen.generator import GENERAL, STYLES
from urdf2dyn_ros.codegen.program import Program, names_in
from urdf2dyn_ros.robot.model import ExternalForce, Joint, Link
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.spatial import Triple


@pytest.mark.parametrize('name', ['rx90', 'scara', 'tangle'])
def test_every_number_is_a_parameter_and_the_efforts_are_equal(name: str) -> None:
    model = robot(name)
    (text,) = export_model(model, style='general').values()
    head = text.split('# ==== What follows')[0].split('# ==== Parameters')[1]
    lines: dict[str, float] = {}
    assigned = r'^(\w+(?:, \w+)*) = (-?\d[^\s,]*(?:, -?\d[^\s,]*)*)'
    for names, values in re.findall(assigned, head, re.MULTILINE):
        for each, value in zip(names.split(', '), values.split(', '), strict=True):
            assert each not in lines
            lines[each] = float(value)
    system, joints = make_multibody(model), {joint.name: joint for joint in model.joints}
    for n, body in enumerate(system.bodies, 1):
        placed = [(f'{n}', joints[body.name])] if body.name in joints else []
        if n - 1 not in system.drivers:
            assert (lines[f'k{n}'], lines[f'o{n}']) == (body.multiplier, body.offset)
        for k, each in enumerate(body.attached):
            inertia, suffix = each.link.inertia, f'{n}_{k}' if k else f'{n}'
            if k:
                placed.append((suffix, joints[each.joint or '']))
            if inertia is not None:
                assert [lines[f'com{suffix}_{x}'] for x in 'xyz'] == [*inertia.com]
                assert [lines[f'rpyI{suffix}_{x}'] for x in 'xyz'] == [*inertia.rpy]
        for suffix, joint in placed:
            assert [lines[f'xyz{suffix}_{x}'] for x in 'xyz'] == [*joint.xyz]
            assert [lines[f'rpy{suffix}_{x}'] for x in 'xyz'] == [*joint.rpy]
            if suffix == f'{n}':
                assert [lines[f'axis{n}_{x}'] for x in 'xyz'] == [*joint.axis]
    state = columns(system.joint_names, random_state(system.joint_names)).tolist()
    general, readable = (exported(model, style)['inverse_dynamics'](*state)
                         for style in ('general', 'readable'))
    assert worst(general, readable) < 1e-14


@pytest.mark.slow
@pytest.mark.parametrize('tool', ['g++', 'clang++'])
def test_cpp_has_lengths_and_angles_of_oblique_axes(tool: str, tmp_path: Path) -> None:
    """Their roots and sines are no constant expressions, and abs without std is of integers."""
    program = program_of(robot('tangle'), 'general', 'gravity')
    code, output = language_tools.self_test(tool, language_tools.files_of(tool, program), 'robot',
                                            tmp_path)
    assert code == 0, output


@pytest.mark.parametrize(('name', 'joint', 'field', 'line', 'change'), [
    ('scara', 'joint2', 'xyz', 'xyz2_y', (0.0, 0.1, 0.0)),       # a length of zero
    ('scara', 'joint2', 'rpy', 'rpy2_x', (0.3, 0.0, 0.0)),       # a zero angle of a moving joint
    ('robot_2r', 'joint2', 'rpy', 'rpy2_z', (0.0, 0.0, -0.7))])
def test_lengths_and_angles_can_be_edited(name, joint, field, line, change, tmp_path, capsys):
    """As it was exported by the command, also those of zero."""
    assert main(['export', str(OWN / f'{name}.urdf'), '--general', '-o', str(tmp_path)]) == 0
    check_edited(robot(name), joint, field, line, change,
                 Path(capsys.readouterr().out.strip()).read_text())


def test_an_edited_fixed_joint_takes_along_what_is_fixed_to_it() -> None:
    """Links, their centres of mass, and the joints that stand on them."""
    urdf = (OWN / 'rx90.urdf').read_text().replace(
        '<parent link="link3"/>', '<parent link="plate"/>').replace('</robot>', """
<link name="plate"><inertial><origin xyz="0.1 0 0.2" rpy="0 0.5 0"/><mass value="3"/>
<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="bolts" type="fixed"><parent link="link3"/><child link="plate"/>
<origin xyz="0 0.1 0.05" rpy="0.1 0 0.2"/></joint></robot>""")
    model = read_urdf(urdf)
    text, = export_model(model, style='general').values()
    check_edited(model, 'bolts', 'rpy', 'rpy3_1_y', (0.0, 0.4, 0.0), text)
    check_edited(model, 'bolts', 'xyz', 'xyz3_1_x', (0.3, 0.0, 0.0), text)


@pytest.mark.parametrize('axis', [
    (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -2.0, 0.0), (0.3, -0.2, 0.7), (1e-3, 0.0, -40.0)])
@pytest.mark.parametrize(('name', 'joint'), [
    ('rx90', 'joint2'), ('scara', 'joint4'), ('tangle', 'joint4')])
def test_axes_can_be_edited(name: str, joint: str, axis: Triple) -> None:
    """Reversed, along another coordinate, oblique, and of any length: the link turns about it."""
    model = robot(name)
    old, = (each for each in model.joints if each.name == joint)
    n = 1 + [body.name for body in make_multibody(model).bodies].index(joint)
    edits = ''.join(f'axis{n}_{x} = {value!r}\n' for x, value in zip('xyz', axis))
    size = float(np.linalg.norm(axis))
    check_changed(model, old, replace(old, axis=tuple(value / size for value in axis)), edits,
                  *export_model(model, style='general').values())


def test_a_force_can_be_edited_in_its_own_axes() -> None:
    urdf = (OWN / 'scara.urdf').read_text().replace('</robot>', """
<force link="link4" xyz="0.1 0 0" rpy="0 0 0" force="3 0 5" torque="0 1 0"/></robot>""")
    after = urdf.replace('xyz="0.1 0 0" rpy="0 0 0" force="3',
                         'xyz="0.1 0.2 0" rpy="0 0.7 0" force="4')
    edits = 'xyzF1_y = 0.2\nrpyF1_y = 0.7\nFt1_x = 4.0\n'
    text, = export_model(read_urdf(urdf), style='general').values()
    compare(read_urdf(urdf), read_urdf(after), edits, text)


def check_edited(model: RobotModel, name: str, field: str, line: str, change: tuple[float, ...],
                 text: str) -> None:
    """Demand the efforts of the robot whose joint is changed by as much as the line is."""
    joint = next(joint for joint in model.joints if joint.name == name)
    values = tuple(old + more for old, more in zip(getattr(joint, field), change))
    check_changed(model, joint, replace(joint, **{field: values}),
                  f'{line} = {values["xyz".index(line[-1])]!r}\n', text)


def check_changed(model: RobotModel, old: Joint, new: Joint, edits: str, text: str) -> None:
    """Demand of the edited text the efforts of the robot with another joint."""
    compare(model, replace(model, joints=tuple(
        new if each is old else each for each in model.joints)), edits, text)


def compare(model: RobotModel, changed: RobotModel, edits: str, text: str) -> None:
    marker = '# ==== What follows'
    assert text.count(marker) == 1
    script: dict[str, Any] = {'__name__': 'robot'}
    exec(text.replace(marker, f'{edits}{marker}'), script)
    names = make_multibody(model).joint_names
    state = random_state(names)
    expected, before = efforts_of(changed, state), efforts_of(model, state)
    found = script['inverse_dynamics'](*columns(names, state).tolist())
    assert worst(found, [expected[each] for each in names]) < 1e-12
    assert worst(found, [before[each] for each in names]) > 1e-6


# ---- Comments and names of a readable file are true in their part of the file

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
