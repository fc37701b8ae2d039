"""Text written in a process of its own, files on full disks, and both when they are killed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.robot_files import OWN
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros import system as child_process
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import export_description, write_files
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.nodes.services import LONGEST_EXPORT
from urdf2dyn_ros.robot import loads as load_parameters

pytestmark = pytest.mark.slow

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())


def export(**changes: object) -> tuple[Any, ...]:
    """Return the arguments of `export_description`."""
    loading = load_parameters.load_values({row.name: row.default for row in NODE_PARAMETERS})
    return tuple({'text': (OWN / 'robot_2r.urdf').read_text(), 'loading': loading,
                  'language': 'c', 'style': 'readable', 'name': 'arm',
                  'gravity': (0.0, 0.0, -1e-5), 'functions': 'all', 'links': (), 'axes': 'root',
                  **changes}.values())


def in_child(arguments: tuple[Any, ...], limit: float = LONGEST_EXPORT) -> dict[str, str]:
    return child_process.call_in_child(export_description, arguments, ExportError, limit)


def test_the_process_aside_writes_the_same_text() -> None:
    """The same errors as well."""
    files = export_model(MODEL, 'c', name='arm', gravity=(0.0, 0.0, -1e-5), functions='all')
    assert in_child(export()) == export_description(*export()) == files
    wrong = export(language='cobol')
    with pytest.raises(ExportError) as here:
        export_description(*wrong)
    with pytest.raises(ExportError) as there:
        in_child(wrong)
    assert str(there.value) == str(here.value) and 'cobol' in str(here.value)


def test_what_runs_is_what_is_exported(tmp_path: Path) -> None:
    """Friction by its parameters; base, external wrenches and payload remain arguments."""
    loading = {row.name: row.default for row in NODE_PARAMETERS} | {
        'base': 'odometry', 'friction.enabled': True, 'joints.joint2.viscous': 3.25,
        'external_wrenches.link1': '/wrench', 'payload.link': 'link2'}
    files = in_child(export(language='python', functions='inverse_dynamics',
                            loading=load_parameters.load_values(loading)))
    path, = write_files(files, tmp_path)
    assert 'def inverse_dynamics(q, qd, qdd, base_motion, external, payload)' in path.read_text()
    assert '3.25' in path.read_text()
    assert subprocess.run([sys.executable, path], capture_output=True).returncode == 0


def processes_of(caller: int) -> list[int]:
    """Return the numbers of the processes that export for a caller."""
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        with suppress(OSError):
            status = (folder / 'status').read_text()
            if (f'PPid:\t{caller}\n' in status and 'State:\tZ' not in status
                    and b'system import answer' in (folder / 'cmdline').read_bytes()):
                found.append(int(folder.name))
    return found


def wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(number: int) -> bool:
    """Whether a process has ended, waited for or not."""
    try:
        return 'State:\tZ' in Path(f'/proc/{number}/status').read_text()
    except FileNotFoundError:
        return True


@pytest.mark.fault(48)
def test_the_process_aside_ends_with_its_caller() -> None:
    """Even if that was killed."""
    text = (OWN / 'humanoid_3p33r.urdf').read_text()
    program = ('from urdf2dyn_ros.errors import ExportError; '
               'from urdf2dyn_ros.export import export_description; '
               'from urdf2dyn_ros.system import call_in_child; '
               f'call_in_child(export_description, {export(text=text)!r}, ExportError, 300.0)')
    found: list[int] = []
    with subprocess.Popen([sys.executable, '-c', program]) as caller:
        wait(lambda: found or found.extend(processes_of(caller.pid)) or found)
        caller.kill()
    wait(lambda: ended(*found))


@pytest.mark.fault(45)
def test_a_killed_process_aside_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, '_CHILD',
                        'import os, signal; os.kill(os.getpid(), signal.SIGKILL)')
    with pytest.raises(ExportError, match='ended with code -9'):
        in_child(export())
    monkeypatch.setattr(sys, 'executable', '/nowhere/python')
    with pytest.raises(ExportError, match='No such file'):
        in_child(export())


@pytest.mark.fault(47)
def test_a_process_aside_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """And said, with its limit."""
    monkeypatch.setattr(child_process, '_CHILD',
                        "'system import answer'; import os; os.kill(os.getpid(), 19)")   # SIGSTOP
    with pytest.raises(ExportError, match=r'longer than 0\.5 s and was ended; the next .*'):
        in_child(export(text=export()[0] + ' ' * 10**6), 0.5)   # more than a pipe holds
    assert not processes_of(os.getpid())
