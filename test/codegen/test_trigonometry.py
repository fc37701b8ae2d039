"""Sines and cosines: of vectors in compiled functions, and in exported C and C++."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from support.robot_files import OWN
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.codegen.c_compiler import find_compiler
from urdf2dyn_ros.codegen.languages import LanguageName
from urdf2dyn_ros.export import Target

WRAPPER = """
EXPORT void circular(ptrdiff_t count, const double *x, double *sines, double *cosines)
{
    sines_cosines(count / WIDTH, (const vector *)x, (vector *)sines, (vector *)cosines);
}
"""
Functions = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
OPTIONS = {'native': ['-march=native', '-ffp-contract=fast'], 'without FMA': [],
           'width 8': ['-DWIDTH=8'], 'native, width 8': ['-march=native', '-DWIDTH=8']}


@pytest.fixture(scope='module', params=OPTIONS)
def library(request, tmp_path_factory):
    text = files('urdf2dyn_ros.codegen').joinpath('vectors.h').read_text()
    path: Path = tmp_path_factory.mktemp('vectors') / 'run.so'
    find_compiler().build(
        text + WRAPPER.replace('EXPORT', '__attribute__((visibility("default")))'),
        ['-O2', *OPTIONS[request.param]], ['-lm'], path)
    return ctypes.CDLL(str(path))


def lanes(run: Callable[..., object]) -> Functions:
    """Return a function of the library as one of arrays."""

    def evaluate(angles_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = -(-len(angles_of) // 8) * 8
        memory = np.zeros(3 * count + 8)
        first = (-memory.ctypes.data % 64) // 8
        rows = memory[first:first + 3 * count].reshape(3, count)
        rows[0, :len(angles_of)] = angles_of
        run(ctypes.c_ssize_t(count), *(ctypes.c_void_p(row.ctypes.data) for row in rows))
        return rows[1, :len(angles_of)], rows[2, :len(angles_of)]

    return evaluate


@pytest.fixture
def trigonometry(library: ctypes.CDLL) -> Functions:
    return lanes(library.circular)


LIMIT = 131072.0   # of the reduction; beyond it the C library is called


def angles_of_all_sizes() -> NDArray[np.float64]:
    """Return tiny and large ones, and neighbours of multiples of an eighth of a turn."""
    random = np.random.default_rng(4)
    quarters = random.integers(-80_000, 80_000, 400) * (np.pi / 2)
    return np.concatenate([
        random.uniform(-4.0, 4.0, 600), random.uniform(-LIMIT, LIMIT, 400), quarters,
        np.nextafter(quarters, np.inf), np.nextafter(quarters, -np.inf),
        10.0 ** random.uniform(-300.0, 5.0, 200) * random.choice([-1, 1], 200),
        (2 * random.integers(0, 1000, 200) + 1) * (np.pi / 4),
        [0.0, -0.0, 5e-324, np.pi / 4, np.nextafter(np.pi / 4, 1.0), LIMIT]])


HUGE = np.append(10.0 ** np.random.default_rng(5).uniform(5, 300, 100), [LIMIT + 1.0, 1.7e308])


@cache
def exact(angle: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    with mpmath.workprec(400):
        return mpmath.sin(angle), mpmath.cos(angle)


def check_places(angles: np.ndarray, *found: np.ndarray) -> None:
    """Hold sines and cosines to 2.5 units of the last place of the exact value."""
    with mpmath.workprec(400):
        for angle, *values in zip(angles.tolist(), *map(np.ndarray.tolist, found)):
            for value, true in zip(values, exact(angle)):
                assert abs(value - true) <= 2.5 * np.spacing(abs(float(true))), angle


def test_sines_and_cosines_of_vectors_are_right_to_the_last_places(trigonometry):
    angles = np.concatenate([angles_of_all_sizes(), HUGE])
    check_places(angles, *trigonometry(angles))


def test_what_is_not_finite_is_nan_and_leaves_its_neighbours_alone(trigonometry):
    given = np.array([0.5, np.nan, np.inf, -np.inf, 1e300, -0.0, 0.0, np.pi])
    for found, function in zip(trigonometry(given), (np.sin, np.cos)):
        with np.errstate(invalid='ignore'):
            np.testing.assert_allclose(found, function(given), rtol=5e-16, atol=0.0)
    alone = trigonometry(np.array([0.5] * 8))
    assert (alone[0][0], alone[1][0]) == tuple(x[0] for x in trigonometry(given))


DRIVER = """
#include "robot_dynamics.c"
#include <stdio.h>
int main(void)
{
    for (double x[4], s[4], c[4]; scanf("%la", x) == 1;) {   // of which the last is room
        x[1] = -x[0];
        x[2] = x[3] = 0.5;
        sines_and_cosines(3, x, s, c);
        printf("%a %a %a %a %a\\n", s[0], c[0], s[1], c[1], s[2]);
    }
    return 0;
}
"""
DRIVER_OF_CPP = DRIVER.replace('.c"', '.hpp"').replace(
    ' sines_and', ' robot_dynamics::sines_and').replace('<stdio.h>', '<cstdio>').replace(
    'scanf', 'std::scanf').replace(' printf', ' std::printf')


def evaluated(angles: NDArray[np.float64], folder: Path, compiler: str = 'gcc',
              flags: str = '-O2') -> NDArray[np.float64]:
    """Return sine and cosine of angles, of their opposites, and the sine of 0.5, (k, 5)."""
    if shutil.which(compiler) is None:
        pytest.skip(f'{compiler} is not installed; .ci/run takes it from Debian')
    language: LanguageName = 'cpp' if compiler.endswith('++') else 'c'
    files = export_model(read_urdf((OWN / 'rx90.urdf').read_bytes()), language, 'fast', 'robot')
    driver = {'c': ('driver.c', '-std=c99', DRIVER),
              'cpp': ('driver.cpp', '-std=c++17', DRIVER_OF_CPP)}[language]
    for name, text in {**files, driver[0]: driver[2]}.items():
        (folder / name).write_text(text)
    subprocess.run([compiler, driver[1], '-w', *flags.split(), driver[0], '-lm', '-o', 'driver'],
                   cwd=folder, check=True)
    done = subprocess.run(['./driver'], cwd=folder, check=True, text=True, capture_output=True,
                          input='\n'.join(float(angle).hex() for angle in angles))
    return np.array([[*map(float.fromhex, line.split())] for line in done.stdout.splitlines()])


# before version 12, gcc did not define the macro
AS_GCC_11 = ('-O3 -funsafe-math-optimizations -U__ASSOCIATIVE_MATH__',
             '-O3 -ffast-math -fno-finite-math-only -U__ASSOCIATIVE_MATH__')


@pytest.mark.slow
@pytest.mark.parametrize(('compiler', 'flags'), [
    ('gcc', '-O0'), ('gcc', '-O3 -march=native'), ('clang', '-O2'), ('clang', '-O3 -march=native'),
    ('gcc', '-O2 -ffast-math'), ('gcc', '-O2 -mfpmath=387'),
    ('gcc', '-O2 -funsafe-math-optimizations'), ('clang', '-O2 -funsafe-math-optimizations'),
    ('g++', '-O0'), ('g++', '-O3 -march=native'), ('clang++', '-O2'),
    ('clang++', '-O3 -march=native'), ('g++', '-O2 -ffast-math'),
    ('clang++', '-O2 -funsafe-math-optimizations'),
    *((compiler, flags) for compiler in ('gcc', 'g++') for flags in AS_GCC_11)])
def test_sines_and_cosines_are_right_to_the_last_places(compiler, flags, tmp_path):
    found = evaluated(angles_of_all_sizes(), tmp_path, compiler, flags)
    check_places(angles_of_all_sizes(), found[:, 0], found[:, 1])
    assert np.array_equal(found[:, 2], -found[:, 0])
    assert np.array_equal(found[:, 3], found[:, 1])


@pytest.mark.parametrize('precision', ['double', 'float'])
@pytest.mark.parametrize('flags', AS_GCC_11)
def test_efforts_are_right_where_sums_may_be_reordered(flags, precision, tmp_path):
    files = export_model(read_urdf((OWN / 'rx90.urdf').read_bytes()), Target('c', precision),
                         'fast', 'robot')
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    subprocess.run(['gcc', *flags.split(), '-DROBOT_SELF_TEST', 'robot_dynamics.c', '-lm', '-o',
                    'self_test'], cwd=tmp_path, check=True)
    done = subprocess.run(['./self_test'], cwd=tmp_path, text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize('compiler', ['gcc', 'clang++'])
def test_what_is_too_large_is_left_to_the_c_library_and_does_not_touch_the_others(
        compiler: str, tmp_path: Path) -> None:
    angles = np.array([LIMIT * 1.01, 1e10, -1e22, 1e300])
    found = evaluated(angles, tmp_path, compiler)
    assert found[:, 0] == pytest.approx(np.sin(angles), rel=5e-16, abs=0.0)
    assert found[:, 1] == pytest.approx(np.cos(angles), rel=5e-16, abs=0.0)
    assert (found[:, 4] == found[0, 4]).all()
    spoiled = evaluated(np.array([np.inf, np.nan]), tmp_path, compiler)
    assert np.isnan(spoiled[:, :4]).all()
    assert np.isfinite(spoiled[:, 4]).all()
