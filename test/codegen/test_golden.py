"""
The 2R's exported files, as they are in the repository: what a change does to them is read there.

`make golden` writes them again.

"""

from __future__ import annotations

import os
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

import pytest

from support.paths import ROOT, TEST
from support.robot_files import OWN
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring

GOLDEN = TEST / 'golden'
URDF = ROOT / 'urdf' / 'robot_2r.urdf'
FRICTION, ROTOR = Friction(2.0, 1.5, 100.0, 0.5, 400.0, 0.1), Rotor(1e-4, 50.0, gyroscopic=True)
SPRUNG = Rotor(armature=0.2), Spring(30.0, 0.4)
TERMS = Loads(terms={'joint1': (FRICTION, ROTOR), 'joint2': SPRUNG})
MOVING = Loads('moving', {'joint1': (ROTOR,)}, ('link2',), 'link2')
FOLDERS = {
    **{f'{language}/{style}': (language, style, 'inverse_dynamics', Loads())
       for language in LANGUAGES for style in STYLES},
    'c/fast_all': ('c', 'fast', 'all', Loads()),
    'python/readable_terms': ('python', 'readable', 'inverse_dynamics', TERMS),
    'python/readable_moving': ('python', 'readable', 'inverse_dynamics', MOVING),
}
"""Folder in golden to language, style, functions, and what acts."""

LIKE = {**{f'{language}/{style}': f'{like}/{style}' for style in STYLES
           for language, like in (('jax', 'python'), ('casadi', 'jax'), ('torch', 'jax'))},
        'python/readable_terms': 'python/readable', 'c/fast_all': 'c/fast'}
"""Folders of which the repository has the differences to another one."""


def exported(folder: str) -> dict[str, str]:
    """Return the files of the 2R in its plane, where gravity is along -y."""
    language, style, functions, loads = FOLDERS[folder]
    return export_model(read_urdf(URDF.read_bytes()), language, style, gravity=(0.0, -9.81, 0.0),
                        functions=functions, loads=loads)


def golden(folder: str) -> dict[str, str]:
    """Return the files of a folder in golden, whole or as differences, which determine them."""
    files = exported(folder)
    if folder not in LIKE:
        return files
    return {f'{name}.diff': ''.join([*unified_diff(
        one.splitlines(keepends=True), text.splitlines(keepends=True), n=0)][2:])
        for (name, text), one in zip(files.items(), exported(LIKE[folder]).values(), strict=True)}


@pytest.mark.parametrize('folder', FOLDERS)
def test_the_exported_files_are_those_in_the_repository(folder: str) -> None:
    """A difference is a change of what users get: look at it, then `make golden`."""
    kept = {path.name: path.read_text() for path in (GOLDEN / folder).iterdir()}
    assert golden(folder) == kept


_WRITE = """
import sys
from urdf2dyn_ros import export_model, read_urdf
model = read_urdf(open(sys.argv[1], 'rb').read())
for language in sys.argv[2:]:
    for style in ('readable', 'fast'):
        for name, text in export_model(model, language, style, functions='all').items():
            sys.stdout.write(name + text)
"""


@pytest.mark.parametrize(('path', 'some'), [
    (URDF, LANGUAGES),
    pytest.param(OWN / 'humanoid_3p33r.urdf', ['python'], marks=pytest.mark.slow)])
def test_two_processes_write_the_same_bytes(path: Path, some: list[str]) -> None:
    first, second = (subprocess.run(
        [sys.executable, '-c', _WRITE, str(path), *some], capture_output=True, check=True,
        env={**os.environ, 'PYTHONHASHSEED': seed}).stdout for seed in '12')
    assert len(first) > 50_000
    assert first == second


if __name__ == '__main__':
    for each in FOLDERS:
        folder_path = GOLDEN / each
        folder_path.mkdir(parents=True, exist_ok=True)
        for old in folder_path.iterdir():
            old.unlink()
        for name, text in golden(each).items():
            (folder_path / name).write_text(text)
            print(folder_path / name)
