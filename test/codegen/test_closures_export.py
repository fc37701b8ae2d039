"""Exported files of robots with closed loops: their self-tests, and what `close` returns."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from language_tools import ONE_EACH, TOOLS, check_self_test

from support.mechanisms import mechanism
from urdf2dyn_ros import InverseDynamics, RobotModel, export_model, read_urdf
from urdf2dyn_ros.codegen.functions import CHOICES, FUNCTIONS

STYLES = ('fast', 'readable')


@cache
def robot_of(name: str) -> RobotModel:
    return read_urdf(mechanism(name))


def exported(name: str, style: str, functions: str = 'inverse_dynamics') -> dict[str, Any]:
    text, = export_model(robot_of(name), 'python', style, 'robot',
                         functions=functions).values()
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(compile(text, 'robot.py', 'exec'), namespace)
    return namespace


@pytest.mark.parametrize('style', STYLES)
@pytest.mark.parametrize('name', ['five_bar', 'ankle', 'excavator'])
def test_the_python_file_closes_and_computes_the_same(name: str, style: str) -> None:
    dynamics = InverseDynamics(mechanism(name), backend='python')
    module = exported(name, style)
    start = dict(dynamics.model.closed_loops.start)
    q = [start[joint] + 0.05 * (k + 1) for k, joint in enumerate(dynamics.joint_names)]
    qd, qdd = np.random.default_rng(1).normal(size=(2, len(q))).tolist()
    passive, status = module['close'](q)
    assert status == 'closed'
    assert passive == pytest.approx(dynamics.close(q), abs=1e-9)
    assert module['inverse_dynamics'](q, qd, qdd, passive) == pytest.approx(
        dynamics(q, qd, qdd), rel=1e-9, abs=1e-9)
    assert module['close']([9.0] * len(q)) != (passive, 'closed')


@pytest.mark.parametrize('functions', [choice for choice, names in CHOICES.items()
                                       if not any(FUNCTIONS[name].kinematic for name in names)])
def test_every_function_has_its_self_test(tmp_path: Path, functions: str) -> None:
    files = export_model(robot_of('ankle'), 'python', 'readable', 'robot',
                         functions=functions)
    check_self_test('python', files, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize('tool', ONE_EACH)
@pytest.mark.parametrize(('name', 'functions'), [
    ('five_bar', 'regressor'), ('ankle', 'inverse_dynamics'), ('ankle', 'forward_dynamics')])
def test_every_language_agrees_with_itself(tmp_path: Path, tool: str, name: str,
                                           functions: str) -> None:
    for style in STYLES:
        files = export_model(robot_of(name), TOOLS[tool].language, style, 'robot',
                             functions=functions)
        check_self_test(tool, files, tmp_path / style)


def test_c_closes_and_says_where_it_cannot(tmp_path: Path) -> None:
    files = export_model(robot_of('five_bar'), 'c', 'fast', 'robot')
    files['main.c'] = r"""
#include <stdio.h>
#include "robot_dynamics.h"
int main(void)
{
    double q[2] = {0.1, 0.05}, qd[2] = {1.0, -1.0}, qdd[2] = {2.0, 0.5}, passive[2], tau[2];
    passive[0] = robot_passive_start[0];
    passive[1] = robot_passive_start[1];
    int closed = robot_close(q, passive) == ROBOT_CLOSED;
    robot_inverse_dynamics(q, qd, qdd, passive, tau);
    double far[2] = {-1.12, 1.03}, kept[2] = {passive[0], passive[1]};
    int open = robot_close(far, passive) == ROBOT_OPEN && passive[0] == kept[0];
    printf("[%d, %d, %.17g, %.17g, %.17g, %.17g]\n", closed, open, passive[0], passive[1],
           tau[0], tau[1]);
}
"""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    subprocess.run(['gcc', '-Wall', '-Wextra', '-Werror', '-O2', 'main.c', 'robot_dynamics.c',
                    '-lm', '-o', 'main'], cwd=tmp_path, check=True)
    closed, opened, *values = json.loads(subprocess.run(
        ['./main'], cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    dynamics = InverseDynamics(mechanism('five_bar'), backend='python')
    expected = dynamics.close([0.1, 0.05])
    assert closed and opened
    assert values[:2] == pytest.approx(expected, abs=1e-9)
    assert values[2:] == pytest.approx(dynamics([0.1, 0.05], [1.0, -1.0], [2.0, 0.5]), rel=1e-9)


@pytest.mark.parametrize(('name', 'passive'), [
    ('five_bar', True), ('palletizer', False),   # the others are run above, or are large
    *(pytest.param(name, True, marks=pytest.mark.slow) for name in ('delta', 'stewart'))])
def test_a_linear_robot_has_no_passive_argument_and_a_general_one_has(name, passive):
    text, = export_model(robot_of(name), 'python', 'fast', 'robot').values()
    assert ('def close(q, passive=PASSIVE_START)' in text) == ('passive' in text) == passive
