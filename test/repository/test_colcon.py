"""The package as colcon builds, installs and tests it, in a workspace outside the repository."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.nodes.graph import domain
from support.paths import ROOT

BIN = Path(sys.executable).parent
EXECUTABLES = ('effort_comparison', 'inverse_dynamics', 'inverse_dynamics_lifecycle',
               'joint_simulator', 'urdf2dyn')
SELECTION = ('test/simulation/test_trajectory.py', 'test/robot/test_urdf_document.py')

pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not shutil.which('colcon', path=f'{BIN}:{os.environ["PATH"]}'),
    reason='colcon is not installed')]


def environment() -> dict[str, str]:
    """Return an environment with this interpreter first, nothing of pytest's, and DDS local."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('PYTEST', 'COLCON')) and name != 'PYTHONPATH'}
    return {**kept, 'PATH': f'{BIN}:{kept["PATH"]}', 'PYTHONDONTWRITEBYTECODE': '',
            'ROS_DOMAIN_ID': str(domain()), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def run(workspace: Path, *words: str) -> str:
    """Run a command in the workspace and return what it says; a failure is an error."""
    done = subprocess.run(words, cwd=workspace, env=environment(), text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope='module')
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('workspace')
    out = run(folder, 'colcon', '--log-base', 'log', 'build', '--base-paths', str(ROOT))
    assert '1 package finished' in out
    return folder


def test_it_is_listed_as_a_package_of_ros(tmp_path: Path) -> None:
    """With anything wrong in package.xml it would be one of plain Python."""
    out = run(tmp_path, 'colcon', '--log-base', os.devnull, 'list', '--base-paths', str(ROOT))
    assert out.split() == ['urdf2dyn_ros', str(ROOT), '(ros.ament_python)']


def test_everything_is_installed(workspace: Path) -> None:
    """Where ROS looks for it."""
    prefix = workspace / 'install' / 'urdf2dyn_ros'
    share = prefix / 'share' / 'urdf2dyn_ros'
    names = ['package.xml', *(str(path.relative_to(ROOT)) for pattern in
                              ('config/*.yaml', 'config/*.xml', 'launch/*.launch.py',
                               'urdf/*.urdf')
                              for path in ROOT.glob(pattern))]
    assert len(names) >= 8
    for name in names:
        assert (share / name).read_bytes() == (ROOT / name).read_bytes()
    assert (prefix / 'share/ament_index/resource_index/packages/urdf2dyn_ros').is_file()
    executables = prefix / 'lib' / 'urdf2dyn_ros'
    assert sorted(path.name for path in executables.iterdir()) == sorted(EXECUTABLES)
    assert all(os.access(path, os.X_OK) for path in executables.iterdir())


@pytest.mark.parametrize(('name', 'sign'), [
    ('inverse_dynamics', "model of 'rx90'"), ('joint_simulator', "robot 'rx90'"),
    ('effort_comparison', 'nothing on topic')])
def test_a_node_runs_until_a_signal(workspace: Path, name: str, sign: str) -> None:
    """With the parameters that a launch file would give it."""
    parameters = workspace / f'{name}.yaml'
    values = {'robot_description': (ROOT / 'urdf' / 'rx90.urdf').read_text(),
              'progress_period': 0.5}
    parameters.write_text(json.dumps({'/**': {'ros__parameters': values}}))
    command = (f'. install/setup.bash && exec install/urdf2dyn_ros/lib/urdf2dyn_ros/{name} '
               f'--ros-args --params-file {parameters}')
    with subprocess.Popen(['bash', '-c', command], cwd=workspace, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment(), text=True) as node:
        try:
            lines = []
            for line in node.stdout:   # until the node ends
                lines.append(line)
                if sign in line:
                    break
            assert any(sign in line for line in lines), lines
            node.send_signal(signal.SIGTERM)
            rest, _ = node.communicate(timeout=120.0)
        finally:
            node.kill()
    assert node.returncode == 0, rest
    assert 'Traceback' not in ''.join(lines) + rest


def test_colcon_test_runs_the_tests(workspace: Path) -> None:
    """A few of them: `make test` runs them all."""
    out = run(workspace, 'colcon', '--log-base', 'log', 'test', '--base-paths', str(ROOT),
              '--pytest-args', *SELECTION, '-p', 'no:cacheprovider', '-p', 'no:hypothesispytest')
    assert '1 package finished' in out
    out = run(workspace, 'colcon', '--log-base', os.devnull, 'test-result', '--all')
    summary = out.strip().splitlines()[-1]
    assert ' 0 errors, 0 failures' in summary, out
    assert int(summary.removeprefix('Summary: ').split()[0]) >= 10
