"""A process aside comes after all others, whatever its caller is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.recordings import report as files
from urdf2dyn_ros.system import NICENESS, TIME_SLICE_NS, run_giving_way

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


def test_a_report_that_hangs_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else the node that waits for it would be busy for ever."""
    monkeypatch.setattr(sys, 'executable', str(tmp_path / 'stopped'))
    (tmp_path / 'stopped').write_text('#!/bin/sh\nkill -STOP $$\n')
    (tmp_path / 'stopped').chmod(0o755)
    monkeypatch.setattr(files, 'LONGEST_DRAWING', 0.2)
    with pytest.raises(ComparisonError, match=r'took longer than 0\.2 s and was ended'):
        files.write_report_in_child([], tmp_path, 'title')
