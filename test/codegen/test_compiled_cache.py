"""Where compiled code is kept: shared by processes, checked before it is loaded, made again."""

import gc
import logging
import os
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
from urdf2dyn_ros.errors import CompilerError

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())
STATE = np.random.default_rng(1).normal(size=(3, 2))
EXPECTED = InverseDynamics(MODEL)(*STATE)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's cache out of it."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    caller.extension.cache_clear()
    cache.private_folders.clear()
    return tmp_path / 'urdf2dyn_ros'


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
    for k in range(4):
        made = InverseDynamics(MODEL, (0.0, 0.1 * k, -9.81), backend='c')
        gc.collect()
        loaded = {line.split()[-1] for line in Path('/proc/self/maps').read_text().splitlines()
                  if str(folder) in line}
        # the last model and the extension module
        assert len(loaded) == 2
    assert np.isfinite(made(*STATE)).all()


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


@pytest.mark.parametrize('damage', ['truncated', 'garbage', 'empty', 'one bit', 'a directory',
                                    'a link', 'another entry'])
def test_broken_entries_are_made_again(
        damage: str, folder: Path, whole: dict[str, bytes]) -> None:
    """In a process of its own: loading a truncated library ends a process with a signal."""
    folder.mkdir(mode=0o700)
    paths = [folder / name for name in whole]
    for path, other in zip(paths, reversed(paths)):
        data = whole[path.name]
        if damage == 'a directory':
            path.mkdir()
        elif damage == 'a link':
            path.symlink_to(sys.executable)
        else:
            path.write_bytes({'truncated': data[:len(data) // 2], 'garbage': b'\x7fELF' * 5000,
                              'empty': b'', 'one bit': data[:999] + bytes([data[999] ^ 1])
                              + data[1000:], 'another entry': whole[other.name]}[damage])
    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('c ')
    if damage != 'a directory':   # that one cannot be replaced: a private folder is used
        assert [cache.is_whole(path, path.stem) for path in paths] == [True, True]


def test_an_entry_without_the_function_is_made_again(folder: Path) -> None:
    """Whole, and not what its name says."""
    works()
    for path in entries(folder):
        data = Path(_mapped('libm')).read_bytes()
        path.unlink()   # it is mapped into this process: it must not be written to
        path.write_bytes(data + cache.checksum(data, path.stem))
    caller.extension.cache_clear()
    works()


def _mapped(name: str) -> str:
    lines = Path('/proc/self/maps').read_text().splitlines()
    return next(line.split()[-1] for line in lines if f'/{name}' in line)


@pytest.mark.parametrize('obstacle', ['below a file', 'other owner', 'writable by all', 'a file',
                                      'relative'])
def test_an_unusable_cache_is_replaced_by_a_private_folder(
        obstacle: str, folder: Path, monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """With one line in the log for all libraries."""
    if obstacle == 'below a file':
        (tmp_path / 'file').write_text('')
        monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file' / 'below'))
    elif obstacle == 'other owner':
        folder.mkdir(mode=0o700)
        monkeypatch.setattr(cache.os, 'getuid', lambda: 12345)
    elif obstacle == 'writable by all':
        folder.mkdir()
        folder.chmod(0o777)
    elif obstacle == 'a file':
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


def full(*arguments: object, **options: object) -> None:
    raise OSError(28, 'No space left on device')


def test_without_any_folder_the_error_names_both_and_the_remedy(
        monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """'auto' continues in Python, with one warning."""
    monkeypatch.setattr(tempfile, 'TemporaryDirectory', full)
    with pytest.raises(CompilerError) as caught:
        InverseDynamics(MODEL, backend='c')
    for word in ('No space left', 'XDG_CACHE_HOME', 'TMPDIR', "'python'", 'noexec'):
        assert word in str(caught.value)
    caplog.clear()
    made = InverseDynamics(MODEL, backend='auto')
    assert made.backend == 'python'
    np.testing.assert_array_equal(made(*STATE), EXPECTED)
    assert len([record for record in caplog.records if 'runs in Python' in record.message]) == 1


def test_a_full_disk_is_no_fault_of_the_compiler(tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system of 64 kB, where the tests may mount one."""
    small = tmp_path / 'small'
    small.mkdir()
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs',
                              str(small)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip('no right to mount')
    try:
        (small / 'filling').write_bytes(bytes(40000))
        monkeypatch.setenv('XDG_CACHE_HOME', str(small))
        works()
        assert not list((small / 'urdf2dyn_ros').iterdir())
    finally:
        subprocess.run(['umount', '-l', str(small)], check=False)


def test_a_fifo_in_place_of_an_entry_is_replaced(folder: Path) -> None:
    """To read it would never end."""
    works()
    for path in entries(folder):
        path.unlink()
        os.mkfifo(path)
    caller.extension.cache_clear()
    works()
    assert all(path.is_file() for path in entries(folder))
