"""Trigonometry and exponentials of vectors, and functions of fewer inputs."""

import ctypes
import math
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from sympy import Float, cos, pi, sin

from support.robot_files import OWN, robot_path
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.codegen.c_compiler import find_compiler
from urdf2dyn_ros.codegen.compiled import choose, source
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.codegen.languages import python
from urdf2dyn_ros.robot.multibody import multibody

WRAPPER = """
EXPORT void circular(ptrdiff_t count, const double *x, double *sines, double *cosines)
{
    sines_cosines(count / WIDTH, (const vector *)x, (vector *)sines, (vector *)cosines);
}

EXPORT void hyperbolic(ptrdiff_t count, const double *x, double *tangents, double *powers)
{
    hyperbolic_tangents(count / WIDTH, (const vector *)x, (vector *)tangents);
    exponentials(count / WIDTH, (const vector *)x, (vector *)powers);
}
"""
Functions = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
OPTIONS = {'native': ['-march=native', '-ffp-contract=fast'], 'without FMA': [],
           'width 8': ['-DWIDTH=8'], 'native, width 8': ['-march=native', '-DWIDTH=8']}


@pytest.fixture(scope='module', params=OPTIONS)
def library(request: pytest.FixtureRequest,
            tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    text = files('urdf2dyn_ros.codegen').joinpath('vectors.h').read_text()
    path: Path = tmp_path_factory.mktemp('vectors') / 'run.so'
    find_compiler().build(
        text + WRAPPER.replace('EXPORT', '__attribute__((visibility("default")))'),
        ['-O2', *OPTIONS[request.param]], ['-lm'], path)
    return ctypes.CDLL(str(path))


def lanes(run: Callable[..., object]) -> Functions:
    """Return a function of the library as one of arrays."""

    def evaluate(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = -(-len(angles) // 8) * 8
        memory = np.zeros(3 * count + 8)
        first = (-memory.ctypes.data % 64) // 8
        rows = memory[first:first + 3 * count].reshape(3, count)
        rows[0, :len(angles)] = angles
        run(ctypes.c_ssize_t(count), *(ctypes.c_void_p(row.ctypes.data) for row in rows))
        return rows[1, :len(angles)], rows[2, :len(angles)]

    return evaluate


@pytest.fixture
def trigonometry(library: ctypes.CDLL) -> Functions:
    return lanes(library.circular)


@pytest.fixture
def exponentials(library: ctypes.CDLL) -> Functions:
    return lanes(library.hyperbolic)


def angles(kind: str) -> np.ndarray:
    random = np.random.default_rng(5)
    near = random.integers(1, 83000, 60) * (np.pi / 2)
    return {
        'small': random.uniform(-4.0, 4.0, 300),
        'large': random.uniform(-131072.0, 131072.0, 300),
        'tiny': 10.0 ** random.uniform(-320, 0, 100) * random.choice([-1, 1], 100),
        'near multiples of pi/2': np.concatenate(
            [near, np.nextafter(near, 1e9), np.nextafter(near, 0.0), -near]),
        'odd multiples of pi/4': (2 * random.integers(0, 1000, 200) + 1) * (np.pi / 4),
        'huge': np.append(10.0 ** random.uniform(5, 300, 100), [131072.0, 131073.0, 1.7e308]),
    }[kind]


@pytest.mark.parametrize('kind', ['small', 'large', 'tiny', 'near multiples of pi/2',
                                  'odd multiples of pi/4', 'huge'])
def test_sines_and_cosines_are_right_to_two_units_and_a_half(kind: str,
                                                             trigonometry: Functions) -> None:
    """Against 400 digits."""
    given = angles(kind)
    for x, s, c in zip(given, *trigonometry(given)):
        exact = Float(float(x), 400)
        for found, true in ((s, sin(exact)), (c, cos(exact))):
            error = abs(Float(float(found), 400) - true)
            assert error <= 2.5 * np.spacing(abs(float(true))), float(x)


def test_what_is_not_finite_is_nan_and_leaves_its_neighbours_alone(
        trigonometry: Functions) -> None:
    given = np.array([0.5, np.nan, np.inf, -np.inf, 1e300, -0.0, 0.0, float(pi)])
    for found, function in zip(trigonometry(given), (np.sin, np.cos)):
        with np.errstate(invalid='ignore'):
            np.testing.assert_allclose(found, function(given), rtol=5e-16, atol=0.0)
    alone = trigonometry(np.array([0.5] * 8))
    assert (alone[0][0], alone[1][0]) == tuple(x[0] for x in trigonometry(given))


@pytest.mark.parametrize('most', [1e-300, 1e-9, 0.1, 1.0, 3.0, 40.0, 745.0])
def test_exponentials_and_hyperbolic_tangents_are_those_of_python(
        most: float, exponentials: Functions) -> None:
    """To 1e-15; where the exponential is below what is normal, to its last place."""
    given = np.random.default_rng(6).uniform(-most, min(most, 709.7), 2000)
    for found, function in zip(exponentials(given), (math.tanh, math.exp)):
        wanted = np.array([function(x) for x in given])
        assert (np.abs(found - wanted) <= 1e-15 * np.abs(wanted) + 5e-324).all()


def test_exponentials_and_hyperbolic_tangents_at_their_ends(exponentials: Functions) -> None:
    """Zero with its sign, one, infinity; NaN leaves its neighbours alone."""
    given = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 709.79, -745.2, -745.1,
                      5e-324, 100.0, -100.0])
    tangents, powers = exponentials(given)
    wanted = np.where(np.abs(given) > 50.0, np.copysign(1.0, given), given)
    np.testing.assert_array_equal(tangents, wanted)
    np.testing.assert_array_equal(np.signbit(tangents[[0, 1]]), [False, True])
    np.testing.assert_allclose(powers, [
        1.0, 1.0, np.inf, 0.0, np.nan, np.inf, 0.0, np.inf, 0.0, 5e-324, 1.0, math.exp(100.0),
        math.exp(-100.0)], rtol=5e-16)


@pytest.mark.parametrize('function', ['inverse_dynamics', 'gravity', 'bias', 'mass_matrix'])
def test_every_function_of_a_program_can_be_compiled(
        function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One to three inputs, a vector or a matrix, one state or several."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    model = read_urdf(robot_path('panda').read_bytes())
    program = generate(multibody(model), name='robot', style='fast', functions=function)
    namespace: dict[str, object] = {'__name__': 'robot_dynamics'}
    exec(python.write(program)['robot_dynamics.py'], namespace)
    expected = namespace[function]
    backend, found = choose(program, function, 'c', threads=2)
    assert backend == 'c'
    inputs = program.function(function).inputs
    states = np.random.default_rng(0).normal(size=(len(inputs), 13, 8))
    many = found(*states)
    for k in range(13):
        wanted = np.array(expected(*states[:, k].tolist()), dtype=float)   # type: ignore[operator]
        assert wanted.shape == ((8, 8) if function == 'mass_matrix' else (8,))
        np.testing.assert_allclose(found(*states[:, k]), wanted, rtol=1e-15, atol=1.5e-14)
        np.testing.assert_allclose(many[k], wanted, rtol=1e-15, atol=1.5e-14)
    assert found(*states, states[0]) is None
    assert found(*states[:, :0]).shape == (0, *many.shape[1:])


def test_results_are_stored_where_they_are_made() -> None:
    """At the end of the function, those that wait for it would have been stored once already."""
    model = read_urdf((OWN / 'rx90.urdf').read_bytes())
    program = generate(multibody(model), name='robot', style='fast',
                       functions='inverse_dynamics_derivatives')
    text = source(program.functions[0]).text
    part = text[text.index('void part_one_0('):text.index('void part_one_1(')]
    assert part.index('    result[') < part.rindex('    const double ')
