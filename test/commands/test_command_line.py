"""A newcomer: help, mistyped words, any order, any terminal, extras, plurals, Ctrl-C."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT
from support.robot_files import OWN
from urdf2dyn_ros import commands
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.commands import parse
from urdf2dyn_ros.commands.arguments import results
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.system import atomic_file
from urdf2dyn_ros.text import counted, suggestion

RX90 = str(OWN / 'rx90.urdf')


LOADED = """
import sys
from urdf2dyn_ros.__main__ import main
for words in ['--help'], ['help', 'info']:
    try:
        main(words)
    except SystemExit:
        print('loaded', *sys.modules)
"""


def output_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    try:
        code = main(words)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, *capsys.readouterr()


@pytest.mark.parametrize(('words', 'printed'), [
    (['-V'], 'urdf2dyn_ros 0.'), (['help'], 'usage: urdf2dyn [-h] [-V] COMMAND'),
    (['help', 'export'], 'usage: urdf2dyn export'), (['info', '--help'], 'usage: urdf2dyn info')])
def test_help_and_version(words, printed, capsys):
    code, out, err = output_of(words, capsys)
    assert (code, err) == (0, '') and out.startswith(printed)


def test_the_list_of_commands_imports_none_of_them() -> None:
    """And a command imports no other: numpy and lxml take longer to start than all the rest."""
    done = subprocess.run([sys.executable, '-c', LOADED], capture_output=True, text=True,
                          check=True, timeout=100)
    overview, info = ({*line.split()} for line in done.stdout.splitlines()
                      if line.startswith('loaded '))
    assert overview.isdisjoint({'numpy', 'lxml', 'urdf2dyn_ros.commands.robot'})
    assert {'numpy', 'lxml', 'urdf2dyn_ros.commands.robot'} <= info
    assert info.isdisjoint({'urdf2dyn_ros.commands.evaluate', 'numpy.random', 'sqlite3'})


@pytest.mark.parametrize(('words', 'remedy'), [
    (['exprot', RX90], "there is no command 'exprot'; did you mean \"export\""),
    (['Info', RX90], 'did you mean "info"'),
    (['dance', RX90], '"excite", "identify", "demo" (urdf2dyn --help lists its commands)'),
    (['evaluate', 'bag.mcap'], '--urdf (urdf2dyn evaluate --help lists its arguments)'),
    (['--strict', 'export', RX90], 'unrecognized arguments: --strict'),
    (['help', 'exprot'], 'did you mean "export"'),
    (['export', RX90, '--langauge', 'c'], 'unknown arguments: --langauge'),
    (['export', RX90, '--langauge=c'], 'did you mean "--language"'),
    (['info', RX90, RX90], f'unknown arguments: {RX90}'),
    (['info'], 'ROBOT.urdf (urdf2dyn info --help lists its arguments)\n'),
    (['info', '--external', 'link6', RX90], 'files stand before the options\n')])
def test_mistyped_words_have_a_remedy(words, remedy, capsys):
    code, out, err = output_of(words, capsys)
    assert len(err.splitlines()) == 1   # the usage of some commands fills a screen
    assert (code, out) == (2, '') and remedy in err


@pytest.mark.parametrize('words', [
    ['export', RX90, '--external', 'link6', 'link5', '--gravity', '0', '0', '-1.62'],
    ['export', '--gravity', '0', '0', '-1.62', RX90, '--external', 'link6', 'link5'],
    ['export', '--ext', 'link6', '--external', 'link5', '--gravity', '0', '0', '-1.62', RX90]])
def test_options_stand_before_or_after_the_file(words: list[str]) -> None:
    arguments = parse(words)
    assert arguments.robot == RX90
    assert arguments.external == ['link6', 'link5'] and list(arguments.gravity) == [0, 0, -1.62]


def test_any_terminal_can_print_it_and_the_package_is_a_command(tmp_path: Path) -> None:
    """In the locale POSIX, whose encoding is ASCII."""
    robot = tmp_path / 'robot.urdf'
    robot.write_text('<robot name="Gerät"><link name="Fuß"/></robot>', encoding='utf-8')
    done = subprocess.run(
        [sys.executable, '-m', 'urdf2dyn_ros', 'info', robot], capture_output=True, timeout=100,
        env={**os.environ, 'LC_ALL': 'POSIX', 'PYTHONUTF8': '0', 'PYTHONCOERCECLOCALE': '0'})
    assert (done.returncode, done.stderr) == (0, b'')
    assert done.stdout.startswith(b'Ger\\xe4t: 0 joints') and b'Fu\\xdf' in done.stdout


INTERRUPTED = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = ['export', {robot!r}]
from urdf2dyn_ros.__main__ import run_as_process
run_as_process()
"""


@pytest.mark.parametrize(('module', 'name', 'code', 'word'), [
    ('urdf2dyn_ros.commands', 'SIGINT', 130, 'interrupted'),
    ('numpy', 'SIGTERM', 143, 'terminated')])
@pytest.mark.usefixtures('ctrl_c')
def test_a_signal_at_once_is_one_line_and_its_code(module, name, code, word, tmp_path):
    """While it imports: numpy turns some errors into others."""
    done = subprocess.run(
        [sys.executable, '-c', INTERRUPTED.format(module=module, name=name, robot=RX90)],
        cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (code, '')
    assert done.stderr == f'{word}: nothing else is written\n'
    assert not list(tmp_path.iterdir())


def test_sigterm_twice_leaves_no_temporary_file(tmp_path, monkeypatch, capsys):
    """As `timeout` sends it, to the process and then to its group."""
    unlink = Path.unlink

    def again(path: Path, missing_ok: bool = False) -> None:
        signal.raise_signal(signal.SIGTERM)
        unlink(path, missing_ok)

    def terminated(words: object) -> int:
        with atomic_file(tmp_path / 'x.csv'):
            signal.raise_signal(signal.SIGTERM)
        return 0

    monkeypatch.setattr(Path, 'unlink', again)
    monkeypatch.setattr(commands, 'run', terminated)
    assert output_of([], capsys) == (143, '', 'terminated: nothing else is written\n')
    assert not list(tmp_path.iterdir())


def test_after_ctrl_c_no_empty_directory_is_left(tmp_path: Path) -> None:
    """Unless it was there before."""
    for folder in (tmp_path / 'a' / 'b', tmp_path):
        with pytest.raises(KeyboardInterrupt), results(folder, ['x.csv'], False):
            raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    with results(tmp_path / 'a', ['x.csv'], False) as folder:
        (folder / 'x.csv').touch()
    with pytest.raises(ExportError, match=r'x\.csv exists, .* add --overwrite'):
        results(tmp_path / 'a', ['y.csv', 'x.csv'], False).__enter__()
    with results(tmp_path / 'a', ['x.csv'], True):
        pass
    assert (tmp_path / 'a' / 'x.csv').exists()


@pytest.mark.parametrize(('words', 'name'), [
    (['evaluate', 'table.csv', '--urdf', RX90, '-o', '.'], 'efforts.csv'),
    (['export', RX90], 'rx90_dynamics.py')])
def test_what_is_there_is_not_replaced(words, name, tmp_path, monkeypatch, capsys):
    """One policy for all commands that write several files; --overwrite is named."""
    monkeypatch.chdir(tmp_path)
    joints = ','.join(f'q_joint{k}' for k in range(1, 7))
    (tmp_path / 'table.csv').write_text(f'time,{joints}\n')
    (tmp_path / name).write_text('my own work')
    code, _, err = output_of(words, capsys)
    assert code == 1 and name in err and '--overwrite' in err
    assert (tmp_path / name).read_text() == 'my own work'


# ---- The command line without the libraries of the extras, and with that of completion

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
def test_a_shell_completes_commands_and_their_options(line, expected, tmp_path):
    pytest.importorskip('argcomplete')
    file = tmp_path / 'completions'
    subprocess.run([sys.executable, '-m', 'urdf2dyn_ros'], check=True, env={
        **os.environ, 'PYTHONPATH': str(ROOT), '_ARGCOMPLETE': '1', 'COMP_LINE': line,
        'COMP_POINT': str(len(line)), '_ARGCOMPLETE_STDOUT_FILENAME': str(file)})
    assert file.read_text() == expected


def test_plurals() -> None:
    """Also those that are not made by an s."""
    assert [counted(n, 'joint') for n in range(3)] == ['0 joints', '1 joint', '2 joints']
    assert [counted(n, 'body', 'bodies') for n in (1, 2)] == ['1 body', '2 bodies']


def test_three_names_at_most_are_suggested() -> None:
    assert suggestion('arm', ['arm1', 'arm2', 'arm3', 'arm4', 'leg'], True).count('"arm') == 3
    assert suggestion('x', ['arm', 'leg'], True) == 'there are "arm", "leg"'
