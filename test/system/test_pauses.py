"""Processes aside, progress, whole files, and where the robots are."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from support.paths import ROOT
from urdf2dyn_ros.errors import SourceError
from urdf2dyn_ros.system import (
    NICENESS,
    TIME_SLICE_NS,
    create_files,
    progress,
    robot_file,
    run_giving_way,
    share_directory,
)

# ---- The bar of progress: on a terminal, and only for work that takes long


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(('stream', 'elapsed', 'shown'), [
    (Terminal(), 3.0, True), (Terminal(), 1.0, False), (StringIO(), 3.0, False)])
def test_a_bar_is_shown_on_a_terminal_after_two_seconds(
        stream: StringIO, elapsed: float, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'stderr', stream)
    with patch('tqdm.std.time', return_value=0.0) as clock, progress('reading') as show:
        clock.return_value = elapsed
        show(0.25)
        assert ('reading:  25 % |#' in stream.getvalue().replace('█', '#')) is shown


# ---- Where the robots that come with the package are found


def test_in_a_checkout_they_are_next_to_the_package():
    assert robot_file('rx90') == ROOT / 'urdf' / 'rx90.urdf'


@pytest.mark.parametrize('library', ['lib/python3.11/site-packages',
                                     'local/lib/python3.10/dist-packages'])
def test_installed_they_are_in_share_of_the_prefix(library, tmp_path):
    robots = tmp_path / 'share' / 'urdf2dyn_ros' / 'urdf'
    robots.mkdir(parents=True)
    (robots / 'rx90.urdf').touch()
    package = tmp_path / library / 'urdf2dyn_ros'
    package.mkdir(parents=True)
    assert share_directory(package / 'share.py') == robots.parent


def test_where_there_are_none_the_error_says_where_they_should_be(tmp_path):
    with pytest.raises(SourceError, match='share/urdf2dyn_ros/urdf'):
        share_directory(tmp_path / 'lib' / 'urdf2dyn_ros' / 'share.py')


# ---- Several files are written completely or not at all, also after Ctrl-C


@pytest.mark.usefixtures('ctrl_c')
@pytest.mark.parametrize(('owner', 'function', 'call'), [
    (os, 'fsync', 1), (Path, 'replace', 0), (Path, 'replace', 1),
    (Path, 'unlink', 0)])
def test_ctrl_c_waits_until_all_files_are_there(owner: object, function: str, call: int,
                                                tmp_path: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them replaces an older one, and one is in another directory."""
    (tmp_path / 'deep').mkdir()
    (tmp_path / 'a').write_bytes(b'old')
    texts = {tmp_path / 'a': b'1', tmp_path / 'deep' / 'b': b'2'}
    calls: list[object] = []
    original = getattr(owner, function)

    def interrupted(*words: object, **options: object) -> object:
        calls.append(words)
        if len(calls) == call + 1:
            signal.raise_signal(signal.SIGINT)
        return original(*words, **options)

    monkeypatch.setattr(owner, function, interrupted)
    with pytest.raises(KeyboardInterrupt):
        create_files(texts, replace=True)
    monkeypatch.undo()
    assert len(calls) > call
    assert {path: path.read_bytes() for path in tmp_path.rglob('*') if path.is_file()} == texts


# ---- A process aside comes after all others, whatever its caller is

# Its own look at itself, once its caller has lowered it: that takes less than a start of Python.
LOOK = """
import json, os
def text(name):
    try:
        return open(f'/proc/self/{name}').read()
    except OSError:
        return ''
data = input()
print(json.dumps({'data': data, 'nice': os.nice(0), 'policy': os.sched_getscheduler(0),
                  'leads': os.getsid(0) == os.getpid(),
                  'slice': [int(line.split()[-1]) for line in text('sched').splitlines()
                            if line.startswith('se.slice')]}))
"""


@pytest.mark.parametrize('own_session', [False, True])
def test_it_gives_way(own_session: bool) -> None:
    """Niceness, policy and slice, as far as this kernel has them."""
    done = run_giving_way([sys.executable, '-c', LOOK], b'words\n', os.environ, own_session)
    assert done.returncode == 0, done.stderr
    found, niceness = json.loads(done.stdout), min(os.nice(0) + NICENESS, 19)
    assert found['data'] == 'words'
    assert (found['nice'], found['policy']) == (niceness, os.SCHED_BATCH)
    assert found['leads'] == own_session
    if found['slice'] and tuple(map(int, os.uname().release.split('.')[:2])) >= (6, 12):
        assert found['slice'] == [TIME_SLICE_NS]


def test_a_caller_with_real_time_priority_does_not_hand_it_down() -> None:
    """An export at the priority of a robot's controller would stop the robot."""
    program = ('import os, sys; from urdf2dyn_ros.system import run_giving_way\n'
               'os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))\n'
               f'done = run_giving_way([sys.executable, "-c", {LOOK!r}], b"\\n", os.environ)\n'
               'print(done.stdout.decode())')
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    if 'PermissionError' in done.stderr:
        pytest.skip('real-time priority is not allowed to this user')
    found = json.loads(done.stdout)
    assert (found['policy'], found['nice']) == (os.SCHED_BATCH, min(os.nice(0) + NICENESS, 19))


def test_what_it_wrote_and_its_exit_code_come_back() -> None:
    """And a program that is not there is an error."""
    done = run_giving_way(['sh', '-c', 'cat; echo bad >&2; exit 3'], b'x' * 300_000, os.environ)
    assert (done.stdout, done.stderr, done.returncode) == (b'x' * 300_000, b'bad\n', 3)
    with pytest.raises(FileNotFoundError):
        run_giving_way(['/nowhere/program'], b'', os.environ)


def test_a_process_that_hangs_is_ended() -> None:
    """One that is stopped reads, writes and ends no more."""
    with pytest.raises(subprocess.TimeoutExpired):
        run_giving_way(['sh', '-c', 'kill -STOP $$'], b'x' * 300_000, os.environ, limit=0.2)
