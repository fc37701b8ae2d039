"""Which compiler is used, where its work is kept, and what is said when something fails."""

import gc
import logging
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.codegen import c_compiler as cache
from urdf2dyn_ros.codegen import compiled as caller
from urdf2dyn_ros.codegen.c_compiler import find_compiler
from urdf2dyn_ros.errors import CompilerError, StateError

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())
STATE = np.random.default_rng(1).normal(size=(3, 2))
EXPECTED = InverseDynamics(MODEL)(*STATE)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's cache and compiler out of it."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    monkeypatch.delenv('CC', raising=False)
    caller.extension.cache_clear()
    caller.logged_reasons.clear()
    cache.private_folders.clear()
    return tmp_path / 'cache' / 'urdf2dyn_ros'


def works() -> None:
    made = InverseDynamics(MODEL, backend='c')
    assert made.backend == 'c'
    np.testing.assert_allclose(made(*STATE), EXPECTED, rtol=1e-15)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_an_entry_is_made_once_and_private(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time the compiler need not work, but must be the same."""
    works()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    made = [(path.name, path.stat().st_mtime_ns) for path in entries(folder)]
    assert len(made) == 2

    def refuse(*arguments: object) -> None:
        raise AssertionError('compiled again')

    monkeypatch.setattr(caller.Compiler, 'build', refuse)
    works()
    assert [(path.name, path.stat().st_mtime_ns) for path in entries(folder)] == made


SCRIPT = """
import sys
import numpy as np
from urdf2dyn_ros import InverseDynamics, read_urdf
made = InverseDynamics(read_urdf(open(sys.argv[1], 'rb').read()), backend='c')
print(made.backend, made(*np.ones((3, 2))).tolist())
"""


def run(**changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-c', SCRIPT, str(OWN / 'robot_2r.urdf')],
                          capture_output=True, text=True, env={**os.environ, **changed},
                          check=False)


@pytest.mark.fault(51)
def test_machine_code_is_unloaded_with_its_model(folder: Path) -> None:
    """A node with ever new parameters would fill the memory."""
    gc.freeze()   # what other tests left need not be visited
    for k in range(4):
        made = InverseDynamics(MODEL, (0.0, 0.1 * k, -9.81), backend='c')
        gc.collect()
        loaded = {line.split()[-1] for line in Path('/proc/self/maps').read_text().splitlines()
                  if str(folder) in line}
        # the last model and the extension module
        assert len(loaded) == 2
    assert np.isfinite(made(*STATE)).all()


@pytest.mark.slow
def test_processes_at_the_same_time_share_an_empty_cache(folder: Path) -> None:
    """All of them build, and none sees half an entry."""
    command = [sys.executable, '-c', SCRIPT, str(OWN / 'robot_2r.urdf')]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for _ in range(4)]
    answers = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * 4, answers
    assert len({out for out, _ in answers}) == 1
    assert answers[0][0].startswith('c ')
    assert [path.suffix for path in entries(folder)] == ['.so', '.so']


@pytest.fixture(scope='module')
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the entries of a cache, {name: content}."""
    home = tmp_path_factory.mktemp('home')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('XDG_CACHE_HOME', str(home))
        assert run().returncode == 0
    return {path.name: path.read_bytes() for path in entries(home / 'urdf2dyn_ros')}


@pytest.mark.slow
@pytest.mark.parametrize('damage', ['truncated', 'garbage', 'empty', 'one bit', 'a directory',
                                    'a link', 'a fifo', 'another entry'])
def test_broken_entries_are_made_again(damage, folder, whole):
    """In a process of its own: loading a truncated library ends a process with a signal."""
    folder.mkdir(mode=0o700, parents=True)
    paths = [folder / name for name in whole]
    for path, other in zip(paths, reversed(paths)):
        data = whole[path.name]
        if damage == 'a directory':
            path.mkdir()
        elif damage == 'a link':
            path.symlink_to(sys.executable)
        elif damage == 'a fifo':   # to read it would never end
            os.mkfifo(path)
        else:
            path.write_bytes({'truncated': data[:len(data) // 2], 'garbage': b'\x7fELF' * 5000,
                              'empty': b'', 'one bit': data[:999] + bytes([data[999] ^ 1])
                              + data[1000:], 'another entry': whole[other.name]}[damage])
    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('c ')
    if damage != 'a directory':   # that one cannot be replaced: a private folder is used
        assert [cache.is_whole(path, path.stem) for path in paths] == [True, True]


@pytest.mark.parametrize('obstacle', ['below a file', 'other owner', 'writable by all', 'a file',
                                      'relative'])
def test_an_unusable_cache_is_replaced_by_a_private_folder(obstacle, folder, monkeypatch, caplog,
                                                           tmp_path):
    """With one line in the log for all libraries."""
    if obstacle == 'below a file':
        (tmp_path / 'file').write_text('')
        monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file' / 'below'))
    elif obstacle == 'other owner':
        folder.mkdir(mode=0o700, parents=True)
        monkeypatch.setattr(cache.os, 'getuid', lambda: 12345)
    elif obstacle == 'writable by all':
        folder.mkdir(parents=True)
        folder.chmod(0o777)
    elif obstacle == 'a file':
        folder.parent.mkdir()
        folder.write_text('')
    elif obstacle == 'relative':
        monkeypatch.setenv('XDG_CACHE_HOME', 'here')   # to be ignored, says its specification
        monkeypatch.setenv('HOME', str(tmp_path / 'nobody' / 'home'))
        works()
        assert (tmp_path / 'nobody' / 'home' / '.cache' / 'urdf2dyn_ros').is_dir()
        return
    with caplog.at_level(logging.INFO):
        works()
    warned = [record for record in caplog.records if 'not kept in the cache' in record.message]
    assert len(warned) == 1


def test_without_any_folder_the_error_has_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*words: object, **options: object) -> None:
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(tempfile, 'TemporaryDirectory', full)
    with pytest.raises(CompilerError, match=r'(?s)No space left.*noexec.*XDG_.* or TMPDIR'):
        InverseDynamics(MODEL, backend='c')


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
def test_no_compiler(cc, tmp_path, monkeypatch, caplog):
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
    ('\0\0\0', ['failed']),   # no program at all
])
def test_a_compiler_that_fails(text, words, tmp_path, monkeypatch, caplog):
    """The compiler's last lines are in the error; with 'auto', Python is used."""
    path = script(tmp_path / 'bad-cc', '[ "$1" = --version ] && exit 0\n' + text)
    if '\0' in text:
        Path(path).write_text(text)
    monkeypatch.setenv('CC', path)
    with pytest.raises(CompilerError) as caught:
        InverseDynamics(MODEL, backend='c')
    assert any(word in str(caught.value) for word in words)
    assert 'line 12' not in str(caught.value)
    assert "'python'" in str(caught.value)
    python_takes_over(caplog)


def test_options_in_cc_and_a_compiler_without_march_native(tmp_path, monkeypatch):
    """CC may have words; an option that a target does not know is dropped."""
    real = find_compiler().command[0]
    path = script(tmp_path / 'old-cc', 'for word; do [ "$word" = -march=native ] && exit 1; done\n'
                  f'exec {real} "$@"')
    monkeypatch.setenv('CC', f'{path} -DUNUSED=1')
    made = InverseDynamics(MODEL, backend='c')
    np.testing.assert_allclose(made(*STATE), InverseDynamics(MODEL)(*STATE), rtol=1e-15)


def test_another_compiler_makes_another_entry(tmp_path, folder, monkeypatch):
    """What a compiler says of its version is part of an entry's name."""
    real = find_compiler().command[0]
    for version in ('1', '2'):
        monkeypatch.setenv('CC', script(
            tmp_path / 'my-cc',
            f'[ "$1" = --version ] && echo {version}{"." * int(version)} && exit 0\n'
            f'exec {real} "$@"'))
        InverseDynamics(MODEL, backend='c')
    assert len(entries(folder)) == 4


@pytest.mark.slow
@pytest.mark.parametrize('flags', ['-ffast-math', '-funsafe-math-optimizations', '-Ofast'])
@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_flags_in_cc_do_not_make_efforts_wrong(compiler, flags, monkeypatch):
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


def test_cc_that_is_no_command_line_and_cc_in_this_directory(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv('CC', "gcc '")
    with pytest.raises(CompilerError, match='no command line'):
        InverseDynamics(MODEL, backend='c')
    python_takes_over(caplog, 'no command line')
    script(tmp_path / 'mine', 'exec gcc "$@"')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('CC', './mine')
    assert InverseDynamics(MODEL, backend='c').backend == 'c'
