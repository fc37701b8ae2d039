"""Results with other rows or columns than the joints, as data of a function: in every language."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from support import language_tools
from support.torture import loaded, program_of, robot
from urdf2dyn_ros.codegen import functions
from urdf2dyn_ros.codegen.compiled import GeneratedFunction
from urdf2dyn_ros.codegen.functions.function import BY_JOINT as JOINTS
from urdf2dyn_ros.codegen.functions.function import (
    Axis,
    Expected,
    Mechanics,
    ModelFunction,
    Quantity,
    Rows,
    by_joint,
)
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.robot.spatial import Scalar

INPUTS = {'gravity': ('q',), 'coriolis': ('q', 'qd'), 'inertia': ('q', 'qd', 'qdd')}
KINDS = Axis('kind', tuple(INPUTS), ('N m', 'N m', 'N m'))
RESULTS = (
    Quantity('E', 'efforts [N m or N], a row an input', rows=KINDS, columns=JOINTS, times='qd'),
    Quantity('W', 'the same, a column an input', columns=KINDS, times='weights'),
    Quantity('tau', 'efforts [N m or N]'),
    Quantity('P', 'power [W]', rows=Axis('total', ('power',), ('W',))))


class ByKind(ModelFunction):
    """Efforts for one, two and three inputs: 3 x n, n x 3, or both with vectors."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = 'efforts for one, two and three inputs'
    RESULTS: ClassVar[tuple[Quantity, ...]] = RESULTS

    def __init__(self, *names: str) -> None:
        self.names = names

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        efforts = []
        for kind, inputs in INPUTS.items():
            mechanics.notes.begin('', f'_{kind}')
            efforts.append(mechanics.sweep(inputs).efforts)
        power: Scalar = 0.0   # the last statements, of which nothing is noted
        for effort, rate in zip(efforts[-1], mechanics.of_joints('qd')):
            power = power + effort * rate
        results = {'E': efforts, 'W': [*zip(*efforts)], 'tau': by_joint(efforts[-1]),
                   'P': by_joint([power])}
        return {name: results[name] for name in self.names}

    def expected(self, mechanics: Mechanics) -> Expected:
        factors = {'E': mechanics.arguments['qd'], 'tau': [1.0], 'P': [1.0],
                   'W': mechanics.arguments.get('weights', ())}
        return {name: tuple(float(sum(a * b for a, b in zip(row, factors[name]))) for row in rows)
                for name, rows in self.derive(mechanics).items()}


def register(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Add the function, with results of these names, for one test."""
    monkeypatch.setitem(functions.FUNCTIONS, 'by_kind', ByKind(*names))
    monkeypatch.setattr(functions, 'CHOICES', (*functions.CHOICES, 'by_kind'))


@pytest.mark.slow
@pytest.mark.parametrize('program', [
    partial(program_of, robot('rock'), 'fast', 'by_kind'),
    partial(loaded, 'scara', 'moving', 'readable', 'by_kind')], ids=['no joints', 'moving base'])
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_the_files_pass_their_own_test(tool: str, program: Callable[[], Program], tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, 'E', 'W', 'tau', 'P')
    language_tools.check_self_test(tool, language_tools.files_of(tool, program()), tmp_path)


@pytest.mark.parametrize(('names', 'wrong', 'row'), [
    (['E'], 'E', 'inertia'), (['E', 'W', 'tau', 'P'], 'W', 'joint3')], ids=['3 x n', 'n x 3'])
@pytest.mark.parametrize('tool', language_tools.ONE_EACH)
def test_a_wrong_product_alone_is_reported_with_the_name_of_its_row(
        tool: str, names: list[str], wrong: str, row: str, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, *names)
    program = program_of(robot('scara'), functions='by_kind')
    said = language_tools.reported_about(tool, program, 'by_kind', wrong, 2, tmp_path)
    assert 'bykind' in said
    assert row in said


@pytest.mark.parametrize(('name', 'axis', 'shape'), [('E', 1, (3, 4)), ('W', 2, (4, 3))])
@pytest.mark.parametrize('backend', ['python', 'c'])
def test_a_callable_returns_rows_and_columns(backend: str, name: str, axis: int,
                                             shape: tuple[int, int],
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, name)
    program = program_of(robot('scara'), 'fast', 'by_kind')
    function = GeneratedFunction(program, 'by_kind', backend, 1)
    states = np.random.default_rng(1).normal(size=(3, 5, 4))
    many = function(*states)
    assert many.shape == (5, *shape)
    assert np.array_equal(many[2], function(*states[:, 2]))
    tau = GeneratedFunction(program_of(robot('scara')), 'inverse_dynamics', backend, 1)(*states)
    assert np.allclose(many.take(2, axis), tau, rtol=0.0, atol=1e-15)
