"""Processes aside, progress, whole files, and where the robots are."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from support.paths import ROOT
from urdf2dyn_ros.errors import ComparisonError, ExportError, SourceError
from urdf2dyn_ros.recordings import report as files
from urdf2dyn_ros.system import call_in_child, create_files, progress, robot_file, share_directory

# ---- The bar of progress: on a terminal, and only for work that takes long


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(('stream', 'elapsed', 'shown'), [
    (Terminal(), 3.0, True), (Terminal(), 1.0, False), (StringIO(), 3.0, False)])
def test_a_bar_is_shown_on_a_terminal_after_two_seconds(stream, elapsed, shown, monkeypatch):
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
def test_ctrl_c_waits_until_all_files_are_there(owner, function, call, tmp_path, monkeypatch):
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


def in_child(function: Callable[..., Any], *arguments: object, limit: float = 100.0) -> Any:
    return call_in_child(function, arguments, ExportError, limit)


def test_it_gives_way_in_a_session_of_its_own() -> None:
    """What it returns and raises comes back, also more than a pipe holds."""
    assert in_child(os.sched_getscheduler, 0) == os.SCHED_BATCH
    assert in_child(os.nice, 0) == min(os.nice(0) + 10, 19)
    assert in_child(os.getsid, 0) != os.getsid(0)
    assert in_child(str, 'x' * 300_000) == 'x' * 300_000
    with pytest.raises(FileNotFoundError):
        in_child(os.stat, '/nowhere')
    with pytest.raises(ExportError, match='the process of int ended with code 1: ValueError: inv'):
        in_child(int, 'one')


def test_a_caller_with_real_time_priority_does_not_hand_it_down() -> None:
    """An export at the priority of a robot's controller would stop the robot."""
    program = ('import os; from urdf2dyn_ros.system import call_in_child\n'
               'os.sched_setscheduler(os.getpid(), os.SCHED_FIFO, os.sched_param(10))\n'
               'print(call_in_child(os.sched_getscheduler, (0,), ValueError, 100.0))')
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    if 'PermissionError' in done.stderr:
        pytest.skip('real-time priority is not allowed to this user')
    assert done.stdout == f'{os.SCHED_BATCH}\n', done.stderr


def test_a_process_that_hangs_is_ended() -> None:
    with pytest.raises(ExportError, match=r'longer than 0\.5 s and was ended; the next'):
        in_child(time.sleep, 100.0, limit=0.5)


def test_a_report_that_hangs_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else the node that waits for it would be busy for ever."""
    monkeypatch.setattr(sys, 'executable', str(tmp_path / 'stopped'))
    (tmp_path / 'stopped').write_text('#!/bin/sh\nkill -STOP $$\n')
    (tmp_path / 'stopped').chmod(0o755)
    monkeypatch.setattr(files, 'LONGEST_DRAWING', 0.2)
    with pytest.raises(ComparisonError, match=r'took longer than 0\.2 s and was ended'):
        files.write_report_in_child([], tmp_path, 'title')
