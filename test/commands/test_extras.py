"""The command line without the libraries of the extras, and with that of completion."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from support.robot_files import OWN

WITHOUT = """
import sys
for name in ('scipy', 'matplotlib', 'rosbags', 'xacro', 'argcomplete', 'setuptools', 'sympy'):
    sys.modules[name] = None   # import raises ImportError
from urdf2dyn_ros.__main__ import main
urdf, csv = sys.argv[1:]
for command in (['info', urdf], ['check', urdf], ['export', urdf, '-o', 'files']):
    assert main(command) == 0, command
from urdf2dyn_ros import InverseDynamics
assert InverseDynamics(urdf, backend='python').gravity([0.1, 0.2]).shape == (2,)
for command in (['evaluate', csv, '--urdf', urdf], ['excite', urdf],
                ['identify', csv, '--urdf', urdf], ['graph', urdf], ['plot', csv]):
    assert main(command) == 1, command
"""


def test_without_extras_robots_are_read_exported_and_computed(tmp_path: Path) -> None:
    """The commands that need more say what, and how to install it; they write nothing."""
    done = subprocess.run(
        [sys.executable, '-c', WITHOUT, OWN / 'robot_2r.urdf', ROOT / 'examples' / 'rx90.csv'],
        cwd=tmp_path, text=True, capture_output=True,
        env={**os.environ, 'PYTHONPATH': str(ROOT)})
    assert done.returncode == 0, done.stderr
    every, plots = "pip install 'urdf2dyn_ros[all]'", "pip install 'urdf2dyn_ros[plots]'"
    assert done.stderr.splitlines() == [
        *(f'error: urdf2dyn {name} needs scipy and matplotlib: {every}'
          for name in ('evaluate', 'excite', 'identify')),
        *(f'error: urdf2dyn {name} needs matplotlib: {plots}' for name in ('graph', 'plot'))]
    assert [path.name for path in tmp_path.iterdir()] == ['files']


@pytest.mark.parametrize(('line', 'expected'), [
    ('urdf2dyn ev', 'evaluate '), ('urdf2dyn evaluate x.csv --base fi', 'fixed ')])
def test_a_shell_completes_commands_and_their_options(line: str, expected: str,
                                                      tmp_path: Path) -> None:
    pytest.importorskip('argcomplete')
    file = tmp_path / 'completions'
    subprocess.run([sys.executable, '-m', 'urdf2dyn_ros'], check=True, env={
        **os.environ, 'PYTHONPATH': str(ROOT), '_ARGCOMPLETE': '1', 'COMP_LINE': line,
        'COMP_POINT': str(len(line)), '_ARGCOMPLETE_STDOUT_FILENAME': str(file)})
    assert file.read_text() == expected
