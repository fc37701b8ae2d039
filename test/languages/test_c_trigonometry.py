"""Sines and cosines of exported C: error, limits, and compilers that cut corners."""

import shutil
import subprocess
from pathlib import Path

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from support.robot_files import OWN
from urdf2dyn_ros import export_model, read_urdf

DRIVER = """
#include "robot_dynamics.c"
#include <stdio.h>
int main(void)
{
    for (double x[3], s[3], c[3]; scanf("%la", x) == 1;) {
        x[1] = -x[0];
        x[2] = 0.5;
        sines_and_cosines(3, x, s, c);
        printf("%a %a %a %a %a\\n", s[0], c[0], s[1], c[1], s[2]);
    }
    return 0;
}
"""
LIMIT = 131072.0


def evaluated(angles: NDArray[np.float64], folder: Path, compiler: str = 'gcc',
              flags: str = '-O2') -> NDArray[np.float64]:
    """Return sine and cosine of angles, of their opposites, and the sine of 0.5, (k, 5)."""
    if shutil.which(compiler) is None:
        pytest.skip(f'{compiler} is not installed; .ci/run takes it from Debian')
    files = export_model(read_urdf((OWN / 'rx90.urdf').read_bytes()), 'c', 'fast', 'robot')
    for name, text in {**files, 'driver.c': DRIVER}.items():
        (folder / name).write_text(text)
    subprocess.run([compiler, '-std=c99', '-w', *flags.split(), 'driver.c', '-lm', '-o', 'driver'],
                   cwd=folder, check=True)
    done = subprocess.run(['./driver'], cwd=folder, check=True, text=True, capture_output=True,
                          input='\n'.join(float(angle).hex() for angle in angles))
    return np.array([[*map(float.fromhex, line.split())] for line in done.stdout.splitlines()])


def ulps(found: float, exact: mpmath.mpf) -> float:
    """Return an error in units of the last place of the exact value."""
    return float(abs(mpmath.mpf(found) - exact) / np.spacing(abs(float(exact))))


def angles_of_all_sizes() -> NDArray[np.float64]:
    """Return tiny and large ones, and neighbours of multiples of a quarter turn."""
    random = np.random.default_rng(4)
    quarters = random.integers(-80_000, 80_000, 400) * (np.pi / 2)
    return np.concatenate([
        random.uniform(-4.0, 4.0, 600), random.uniform(-LIMIT, LIMIT, 400), quarters,
        np.nextafter(quarters, np.inf), 10.0 ** random.uniform(-300.0, 5.0, 200),
        [0.0, -0.0, 5e-324, np.pi / 4, np.nextafter(np.pi / 4, 1.0), LIMIT]])


@pytest.mark.parametrize(('compiler', 'flags'), [
    ('gcc', '-O0'), ('gcc', '-O3 -march=native'), ('clang', '-O2'), ('clang', '-O3 -march=native'),
    ('gcc', '-O2 -ffast-math'), ('gcc', '-O2 -mfpmath=387'),
    ('gcc', '-O2 -funsafe-math-optimizations'), ('clang', '-O2 -funsafe-math-optimizations')])
def test_sines_and_cosines_are_right_to_the_last_places(
        compiler: str, flags: str, tmp_path: Path) -> None:
    angles = angles_of_all_sizes()
    found = evaluated(angles, tmp_path, compiler, flags)
    with mpmath.workprec(400):
        for angle, (sine, cosine, *_) in zip(angles, found):
            exact = mpmath.mpf(float(angle))
            assert ulps(sine, mpmath.sin(exact)) < 2.5, angle
            assert ulps(cosine, mpmath.cos(exact)) < 2.5, angle
    assert np.array_equal(found[:, 2], -found[:, 0])
    assert np.array_equal(found[:, 3], found[:, 1])


def test_what_is_too_large_is_left_to_the_c_library_and_does_not_touch_the_others(
        tmp_path: Path) -> None:
    angles = np.array([LIMIT * 1.01, 1e10, -1e22, 1e300])
    found = evaluated(angles, tmp_path)
    assert found[:, 0] == pytest.approx(np.sin(angles), rel=5e-16, abs=0.0)
    assert found[:, 1] == pytest.approx(np.cos(angles), rel=5e-16, abs=0.0)
    assert (found[:, 4] == found[0, 4]).all()
    spoiled = evaluated(np.array([np.inf, np.nan]), tmp_path)
    assert np.isnan(spoiled[:, :4]).all()
    assert np.isfinite(spoiled[:, 4]).all()
