"""What the package is as a whole: version, imports, docstrings, commands, installation by pip."""

import ast
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest

import urdf2dyn_ros
from support.paths import ROOT

pytestmark = pytest.mark.slow

PACKAGE = ROOT / 'urdf2dyn_ros'
NODE_FILES = ('inverse_dynamics', 'inverse_dynamics_lifecycle', 'effort_comparison',
              'joint_simulator')
SOURCES = ('urdf2dyn_ros', 'config', 'foxglove', 'launch', 'plotjuggler', 'resource', 'rviz',
           'urdf', 'package.xml', 'setup.py', 'setup.cfg', 'pyproject.toml', 'README.md',
           'LICENSE')


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_version_is_the_same_everywhere() -> None:
    """setup.py takes it from package.xml."""
    stated = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    printed = subprocess.run([sys.executable, 'setup.py', '--version'], cwd=ROOT, text=True,
                             capture_output=True, check=True).stdout.split()[-1]
    assert urdf2dyn_ros.__version__ == stated == printed


@pytest.mark.parametrize('path', sorted(ROOT.glob('launch/*.py')), ids=relative)
def test_what_launch_files_import_exists(path: Path) -> None:
    """They run only where ROS 2's launch is installed."""
    names = [(node.module, alias.name) for node in ast.walk(ast.parse(path.read_text()))
             if isinstance(node, ast.ImportFrom) and node.module
             and node.module.startswith('urdf2dyn_ros') for alias in node.names]
    assert names
    for module, name in names:
        assert hasattr(importlib.import_module(module), name), f'{module} has no {name}'


WITHOUT_ROS = """
import pkgutil, importlib, sys
for name in ('rclpy', 'sensor_msgs', 'std_msgs', 'std_srvs', 'trajectory_msgs', 'launch',
             'diagnostic_msgs'):
    sys.modules[name] = None  # import raises ImportError
import urdf2dyn_ros
for module in pkgutil.walk_packages(urdf2dyn_ros.__path__, 'urdf2dyn_ros.'):
    if '.nodes' not in module.name and 'dart' not in module.name:
        importlib.import_module(module.name)
from urdf2dyn_ros.__main__ import main
sys.exit(main(['demo']))
"""


def test_all_but_the_nodes_work_without_ros() -> None:
    """And the one command that needs ROS says so in one line."""
    done = subprocess.run([sys.executable, '-c', WITHOUT_ROS], cwd=ROOT, text=True,
                          capture_output=True, timeout=230)
    assert done.returncode == 1
    assert re.fullmatch(r"error: the demo needs ROS 2's Python library .*\n", done.stderr)


@pytest.mark.parametrize('imports', [
    'from urdf2dyn_ros.commands import COMMANDS, load; [load(name) for name in COMMANDS]',
    'import urdf2dyn_ros.nodes.inverse_dynamics',
    'import urdf2dyn_ros.nodes.joint_simulator'])
def test_a_library_is_imported_where_it_is_used(imports: str) -> None:
    """They are as slow to import as all the rest together."""
    program = f'import sys; {imports}; print(*{{*sys.modules}})'
    done = subprocess.run([sys.executable, '-c', program], cwd=ROOT, text=True,
                          capture_output=True, timeout=230)
    assert 'numpy' in done.stdout.split(), done.stderr
    assert {'scipy', 'matplotlib', 'rosbags', 'dartpy', 'mujoco'}.isdisjoint(done.stdout.split())


@pytest.fixture(scope='module')
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Return a virtual environment with this package installed in it by pip.

    It finds the dependencies where this interpreter does. The sources are copied, because pip
    builds in the directory of the sources.

    """
    folder = tmp_path_factory.mktemp('pip')
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / 'source' / name,
                            ignore=shutil.ignore_patterns('__pycache__'))
        else:
            shutil.copy(ROOT / name, folder / 'source' / name)
    venv = folder / 'venv'
    subprocess.run([sys.executable, '-m', 'venv', '--without-pip', venv], check=True)
    python = venv / 'bin' / 'python'
    purelib = subprocess.run(
        [python, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'],
        check=True, capture_output=True, text=True).stdout.strip()
    here = {sysconfig.get_path('purelib'), sysconfig.get_path('platlib')}
    # addsitedir, so that .pth files of the dependencies count too
    Path(purelib, 'dependencies.pth').write_text(
        ''.join(f'import site; site.addsitedir({path!r})\n' for path in sorted(here)))
    # without isolation nothing is downloaded, but an old setuptools cannot make a wheel alone
    modern = int(version('setuptools').partition('.')[0]) >= 71
    alone = modern or importlib.util.find_spec('wheel') is not None
    done = subprocess.run(
        [python, '-m', 'pip', 'install', '--no-deps', '--ignore-installed',
         *(['--no-build-isolation'] if alone else []), folder / 'source'],
        env=environment(), cwd=folder, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return venv


def environment() -> dict[str, str]:
    """Return the environment without this checkout in it."""
    return {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}


def command(venv: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment, away from this checkout."""
    return subprocess.run([venv / 'bin' / str(words[0]), *map(str, words[1:])], text=True,
                          capture_output=True, cwd=venv, env=environment(), timeout=230)


def test_pip_installs_what_the_package_is_made_of(installed: Path) -> None:
    """Modules, and the files of the share directory."""
    share = installed / 'share' / 'urdf2dyn_ros'
    for name in ('package.xml', *(relative(path) for pattern in (
            'config/*.yaml', 'foxglove/*.json', 'launch/*.launch.py', 'plotjuggler/*.xml',
            'rviz/*.rviz', 'urdf/*.urdf') for path in ROOT.glob(pattern))):
        assert (share / name).read_bytes() == (ROOT / name).read_bytes()
    code = ('import urdf2dyn_ros, urdf2dyn_ros.system as s;'
            'print(urdf2dyn_ros.__file__); print(s.share_directory())')
    file, directory = command(installed, 'python', '-c', code).stdout.split()
    assert Path(directory) == share.resolve()
    package = Path(file).parent
    assert installed.resolve() in package.resolve().parents
    assert (package / 'py.typed').is_file()
    for pattern in ('*.py', '*.c', '*.h', '*.html', '*.css', '*.js', 'codegen/controller/*'):
        assert ({path.relative_to(package) for path in package.rglob(pattern)}
                == {path.relative_to(PACKAGE) for path in PACKAGE.rglob(pattern)})


def test_the_installed_estimator_needs_no_compiler(installed: Path, tmp_path: Path) -> None:
    """What setup.py has built is used: nothing is compiled, or put into the cache."""
    if not any(map(shutil.which, ('cc', 'gcc', 'clang'))):
        pytest.skip('there was no C compiler to build it')
    code = ('import os'
            f'; os.environ.update(CC="no_such_compiler", XDG_CACHE_HOME={str(tmp_path)!r})'
            '; from urdf2dyn_ros.estimation.compiled_kalman import CompiledFilters, library'
            '; CompiledFilters(2); print(library()._name)')
    done = command(installed, 'python', '-c', code)
    assert done.returncode == 0, done.stderr
    assert installed.resolve() in Path(done.stdout.strip()).resolve().parents
    assert [*tmp_path.iterdir()] == []


def test_the_installed_command_reads_and_exports(installed: Path, tmp_path: Path) -> None:
    """The script that it writes runs by itself."""
    robot = installed / 'share' / 'urdf2dyn_ros' / 'urdf' / 'rx90.urdf'
    assert command(installed, 'urdf2dyn', '--help').returncode == 0
    assert 'rx90: 6 joints' in command(installed, 'urdf2dyn', 'info', robot).stdout
    done = command(installed, 'urdf2dyn', 'export', robot, '-o', tmp_path)
    assert (done.returncode, done.stderr) == (0, '')
    assert command(installed, 'python', tmp_path / 'rx90_dynamics.py').returncode == 0


@pytest.mark.parametrize('name', NODE_FILES)
def test_the_installed_nodes_are_commands(installed: Path, name: str) -> None:
    """An argument that rcl refuses ends them with one line; test_colcon.py lets one run."""
    done = command(installed, name, '--ros-args', '--params-file', '/nonexistent')
    assert done.returncode == 2
    assert 'error: failed to initialize rcl' in done.stderr
    assert 'Traceback' not in done.stderr
