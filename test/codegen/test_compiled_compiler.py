"""Which compiler is used, and what is said when there is none or it fails."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.paths import TEST
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.codegen import compiled as backend
from urdf2dyn_ros.codegen import compiled as caller
from urdf2dyn_ros.codegen.c_compiler import find_compiler
from urdf2dyn_ros.errors import CompilerError, StateError

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())
STATE = np.random.default_rng(1).normal(size=(3, 2))


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    monkeypatch.delenv('CC', raising=False)
    caller.extension.cache_clear()
    backend.logged_reasons.clear()


def script(path: Path, text: str) -> str:
    path.write_text(f'#!/bin/sh\n{text}\n')
    path.chmod(0o755)
    return str(path)


def python_takes_over(caplog: pytest.LogCaptureFixture, *words: str) -> None:
    """Assert that 'auto' works, with one line in the log."""
    caplog.clear()
    with caplog.at_level(logging.INFO):
        made = InverseDynamics(MODEL, backend='auto')
    assert made.backend == 'python'
    np.testing.assert_array_equal(made(*STATE), InverseDynamics(MODEL)(*STATE))
    lines = [record.message for record in caplog.records if 'runs in Python' in record.message]
    assert len(lines) == 1
    assert all(word in lines[0] for word in words)


@pytest.mark.parametrize('cc', ['', 'no-such-compiler'])
def test_no_compiler(cc: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                     caplog: pytest.LogCaptureFixture) -> None:
    """An empty PATH, or one in CC that does not exist."""
    monkeypatch.setenv('CC', cc)
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(CompilerError, match='no C compiler') as caught:
        InverseDynamics(MODEL, backend='c')
    for word in ('PATH', 'CC', 'apt install gcc', "'python'", cc):
        assert word in str(caught.value)
    python_takes_over(caplog, 'no C compiler')
    assert len(caplog.records) == 1


@pytest.mark.parametrize(('text', 'words'), [
    ('exit 1', ['exit status 1']),
    ('for i in $(seq 20); do echo "line $i" >&2; done; exit 3', ['line 20', 'line 13']),
    ('exit 0', ['wrote no library']),
    ('while [ "$1" != -o ]; do shift; done; echo garbage > "$2"', ['garbage', 'short', 'ELF']),
    ('while [ "$1" != -o ]; do shift; done; : > "$2"', ['short', 'ELF']),
    ('kill -9 $$', ['exit status -9']),
])
def test_a_compiler_that_fails(text: str, words: list[str], tmp_path: Path,
                               monkeypatch: pytest.MonkeyPatch,
                               caplog: pytest.LogCaptureFixture) -> None:
    """The compiler's last lines are in the error; with 'auto', Python is used."""
    path = script(tmp_path / 'bad-cc', '[ "$1" = --version ] && exit 0\n' + text)
    monkeypatch.setenv('CC', path)
    with pytest.raises(CompilerError) as caught:
        InverseDynamics(MODEL, backend='c')
    assert any(word in str(caught.value) for word in words)
    assert 'line 12' not in str(caught.value)
    assert "'python'" in str(caught.value)
    python_takes_over(caplog)


def test_a_file_that_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                   caplog: pytest.LogCaptureFixture) -> None:
    """It cannot even be started."""
    path = tmp_path / 'text'
    path.write_bytes(b'\0\0\0')
    path.chmod(0o755)
    monkeypatch.setenv('CC', str(path))
    with pytest.raises(CompilerError, match='failed'):
        InverseDynamics(MODEL, backend='c')
    python_takes_over(caplog)


def test_options_in_cc_and_a_compiler_without_march_native(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CC may have words; an option that a target does not know is dropped."""
    real = find_compiler().command[0]
    path = script(tmp_path / 'old-cc', 'for word; do [ "$word" = -march=native ] && exit 1; done\n'
                  f'exec {real} "$@"')
    monkeypatch.setenv('CC', f'{path} -DUNUSED=1')
    made = InverseDynamics(MODEL, backend='c')
    np.testing.assert_allclose(made(*STATE), InverseDynamics(MODEL)(*STATE), rtol=1e-15)


def test_another_compiler_makes_another_entry(tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """What a compiler says of its version is part of an entry's name."""
    real = find_compiler().command[0]
    for version in ('1', '2'):
        monkeypatch.setenv('CC', script(
            tmp_path / 'my-cc',
            f'[ "$1" = --version ] && echo {version}{"." * int(version)} && exit 0\n'
            f'exec {real} "$@"'))
        InverseDynamics(MODEL, backend='c')
    assert len(list((tmp_path / 'cache' / 'urdf2dyn_ros').iterdir())) == 4


@pytest.mark.parametrize('flags', ['-ffast-math', '-funsafe-math-optimizations', '-Ofast'])
@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_flags_in_cc_do_not_make_efforts_wrong(compiler: str, flags: str,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums are not reordered, and values that are not finite are detected."""
    if shutil.which(compiler) is None:
        pytest.skip(f'{compiler} is not installed; .ci/run takes it from Debian')
    monkeypatch.setenv('CC', f'{compiler} {flags}')
    made, expected = InverseDynamics(MODEL, backend='c'), InverseDynamics(MODEL)
    assert np.float64(5e-324) * 1.0 > 0.0   # the process still knows subnormal numbers
    batch = np.random.default_rng(2).normal(size=(3, 9, 2)) * 3.0
    np.testing.assert_allclose(made(*STATE), expected(*STATE), rtol=1e-15)
    np.testing.assert_allclose(made(*batch), expected(*batch), rtol=0.0, atol=9e-14)
    for state in (STATE, batch):
        spoiled = state.copy()
        spoiled[0].flat[0] = np.nan
        with pytest.raises(StateError, match='finite'):
            made(*spoiled)


def test_cc_that_is_no_command_line_and_cc_in_this_directory(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv('CC', "gcc '")
    with pytest.raises(CompilerError, match='no command line'):
        InverseDynamics(MODEL, backend='c')
    python_takes_over(caplog, 'no command line')
    script(tmp_path / 'mine', 'exec gcc "$@"')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('CC', './mine')
    assert InverseDynamics(MODEL, backend='c').backend == 'c'


_SMALL_STACK = """
import numpy as np
from support.random_trees import random_inertia
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.robot.model import Joint, Link, RobotModel
n = 60
links = tuple(Link(f'l{k}', random_inertia(k)) for k in range(n + 1))
joints = tuple(Joint(f'j{k}', 'prismatic', f'l{k}', f'l{k + 1}', (0.1, 0.0, 0.0), (0.3, 0.1, 0.0))
               for k in range(n))
made = [InverseDynamics(RobotModel('r', links, joints, 'l0'), backend=b) for b in ('c', 'python')]
q = np.random.default_rng(0).normal(size=(7, n))
a, b = (one.mass_matrix(q) for one in made)
assert made[0].backend == 'c' and np.allclose(a, b, rtol=1e-12, atol=1e-12)
"""


def test_large_results_do_not_need_a_large_stack() -> None:
    """A mass matrix of 60 joints in the lanes of vectors is more than 100 kB."""
    done = subprocess.run(
        ['bash', '-c', 'ulimit -s 256; exec "$@"', 'bash', sys.executable, '-c', _SMALL_STACK],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(TEST), *sys.path]),
             'OPENBLAS_NUM_THREADS': '1'},
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
