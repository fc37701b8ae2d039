"""The general style: every number of the description is a parameter; efforts are the same."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import language_tools
from support.oracles import columns, efforts_of, exported, random_state, worst
from support.robot_files import OWN
from support.torture import program_of, robot
from urdf2dyn_ros import export_model
from urdf2dyn_ros.cli import main
from urdf2dyn_ros.multibody import multibody


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
    system = multibody(model)
    for n, body in enumerate(system.bodies, 1):
        assert [lines[f'p{n}_{x}'] for x in 'xyz'] == [*body.parent_p_joint]
        assert [lines[f'A{n}_{x}{y}'] for x in 'xyz' for y in 'xyz'] == [
            entry for row in body.parent_R_joint for entry in row]
        if n - 1 not in system.drivers:
            assert (lines[f'k{n}'], lines[f'o{n}']) == (body.multiplier, body.offset)
        for k, each in enumerate(body.attached):
            inertia, suffix = each.link.inertia, f'{n}_{k}' if k else f'{n}'
            if inertia is not None:
                assert [lines[f'com{suffix}_{x}'] for x in 'xyz'] == [*inertia.com]
                assert f'E{suffix}_xx' in lines
    state = columns(system.joint_names, random_state(system.joint_names)).tolist()
    general, readable = (exported(model, style)['inverse_dynamics'](*state)
                         for style in ('general', 'readable'))
    assert worst(general, readable) < 1e-14


def test_julia_has_the_same_efforts(tmp_path: Path) -> None:
    """The other languages run their own check in this style, see test_languages."""
    states = np.random.default_rng(1).normal(size=(2, 3, 4))
    found, expected = (language_tools.driven(
        tool, program_of(robot('scara'), 'general', 'inverse_dynamics'), states, tmp_path)[1]
        for tool in ('julia', 'python'))
    assert worst(found, expected) < 1e-12


def test_a_length_of_zero_can_be_edited(tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """As it was exported by the command."""
    assert main(['export', str(OWN / 'scara.urdf'), '--general', '-o', str(tmp_path)]) == 0
    text = Path(capsys.readouterr().out.strip()).read_text()
    model = robot('scara')
    joint = next(joint for joint in model.joints if joint.name == 'joint2')
    assert joint.xyz[1] == 0.0
    marker = '# ==== What follows'
    assert text.count(marker) == 1
    script: dict[str, Any] = {'__name__': 'robot'}
    exec(text.replace(marker, f'p2_y = 0.1\n{marker}'), script)
    moved = replace(joint, xyz=(joint.xyz[0], 0.1, joint.xyz[2]))
    changed = replace(model, joints=tuple(
        moved if each is joint else each for each in model.joints))
    names = multibody(model).joint_names
    state = random_state(names)
    expected = efforts_of(changed, state)
    found = script['inverse_dynamics'](*columns(names, state).tolist())
    assert worst(found, [expected[name] for name in names]) < 1e-12
