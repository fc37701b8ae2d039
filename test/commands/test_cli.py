"""The command urdf2dyn: output, files, loads and exit codes; as a process where that matters."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from support.robot_files import EXAMPLES, OWN, robot_path
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.commands import COMMANDS

RX90 = OWN / 'rx90.urdf'
XACRO = """<robot name="boxes" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="${1 + 1}"/>
  <link name="base"/>
  <link name="arm"><inertial><mass value="${m}"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>
"""


def process(*words: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'urdf2dyn_ros', *map(str, words)], input=text,
                          capture_output=True, text=True, timeout=230)


def run(*words: object, text: str = '', folder: Path | None = None,
        ) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, which takes a tenth of the time."""
    output, errors = io.StringIO(), io.StringIO()
    with (redirect_stdout(output), redirect_stderr(errors),
          pytest.MonkeyPatch.context() as patch):
        patch.setattr(sys, 'stdin', io.TextIOWrapper(io.BytesIO(text.encode())))
        if folder:
            patch.chdir(folder)
        try:
            code = main([*map(str, words)])
        except SystemExit as end:   # of the parser
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())


@pytest.mark.parametrize('words', [
    ('info', RX90), pytest.param(('export', RX90), marks=pytest.mark.slow)])
def test_an_answer_that_cannot_be_written_is_an_error(tmp_path, words):
    """No traceback on a full disk, and no message if the reader of a pipe has ended."""
    command = [sys.executable, '-m', 'urdf2dyn_ros', *map(str, words)]
    with open('/dev/full', 'w') as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True,
                              cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        'error: cannot write to the standard output: No space left on device']
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True,
                          cwd=tmp_path)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, '')


def test_standard_input_and_xacro_files_are_robots_too(tmp_path: Path) -> None:
    """A dash, and a file that is xacro by its name or its namespace."""
    done = process('info', '-', '--json', text=RX90.read_text())
    assert json.loads(done.stdout)['name'] == 'rx90'
    for name in ('boxes.urdf.xacro', 'boxes.urdf'):
        (tmp_path / name).write_text(XACRO)
        assert json.loads(run('info', tmp_path / name, '--json').stdout)['mass'] == 2.0


def test_info_prints_joints_bodies_lumped_links_mass_and_operations() -> None:
    panda = robot_path('panda')
    found = json.loads(run('info', panda, '--json').stdout)
    assert [joint['name'] for joint in found['joints']][-2:] == ['panda_joint7',
                                                                 'panda_finger_joint1']
    assert found['bodies'][6]['links'] == ['panda_link7', 'panda_link8', 'panda_hand',
                                           'panda_hand_tcp']
    assert found['bodies'][8]['mimic'] == 'q8'
    assert found['bodies'][8]['parent'] == 7
    assert found['fixed_to_root'] == ['panda_link0']
    assert found['mass'] - found['moving_mass'] == pytest.approx(0.629769)
    assert found['operations']['fast']['multiplications'] <= 340
    text = run('info', panda).stdout
    for word in ('8 joints, 9 bodies', 'panda_hand_tcp', 'mimic: q8', 'fast style:'):
        assert word in text


def test_columns_are_below_each_other_whatever_the_width_of_a_letter(tmp_path: Path) -> None:
    text = (OWN / 'scara.urdf').read_text()
    names = {'joint1': '肩', 'joint2': '肘の関節', 'joint3': 'e\u0301paule'}   # a combining accent
    for name, other in names.items():
        text = text.replace(f'"{name}"', f'"{other}"')
    (tmp_path / 'wide.urdf').write_text(text)
    rows = [line for line in run('info', tmp_path / 'wide.urdf').stdout.splitlines()
            if any(f' {name} ' in line for name in names.values())]
    starts = [row[:row.index('revolute')] for row in rows]
    assert [sum(2 if letter > '\u3000' else letter != '\u0301' for letter in start)
            for start in starts] == [len('i  ') + 8 + 2] * 3


@pytest.mark.parametrize(('words', 'text', 'expected'), [
    (['info', 'nowhere.urdf'], '', ['nowhere.urdf', 'No such file']),
    (['info', '-'], '<robot name="x"><link name="a"/><link name="a"/></robot>',
     ['1 problem', 'line 1', 'name-duplicate']),
    (['info', '-'], '', ['problem', 'empty']),
    (['export', RX90, '-o', '/proc/x'], '',
     ['cannot write to /proc/x', 'No such file', '; choose another place with --output']),
])
def test_errors_are_one_message_and_exit_code_1(words, text, expected):
    done = run(*words, text=text)
    assert done.returncode == 1
    assert done.stdout == ''
    assert done.stderr.startswith('error: ')
    assert 'Traceback' not in done.stderr
    for word in expected:
        assert word in done.stderr


def test_findings_that_do_not_refuse_a_robot_are_warnings() -> None:
    """On standard error, so that --json stays JSON; with --strict-inertia they are errors."""
    allegro = next(EXAMPLES.glob('allegro_hand_description/urdf/*.urdf'))
    done = run('info', allegro, '--json')
    assert done.returncode == 0
    assert 'warning: line ' in done.stderr
    assert json.loads(done.stdout)['warnings']
    assert run('info', allegro, '--strict-inertia').returncode == 1


def test_help_needs_no_ros_and_wrong_words_give_2() -> None:
    words = process('--help').stdout
    for name, command in COMMANDS.items():
        assert f'{name} ' in words and command.help.endswith('.')
        assert ' '.join(command.help.split()) in ' '.join(words.split())
    assert process('dance').returncode == 2


# ---- Loads as options of the command line: files, messages, exit codes

PANDA = robot_path('panda')
FREE = """<robot name="free">
  <link name="world"/>
  <joint name="floats" type="floating"><parent link="world"/><child link="body"/></joint>
  <link name="body"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""


def test_a_file_with_everything_passes_its_own_test(tmp_path: Path) -> None:
    """In C, as a user compiles it by the line at its head."""
    done = run('export', PANDA, '--language', 'c', '--base', 'moving', '--friction', '--external',
               'panda_link8', 'panda_link0', '--payload-link', 'panda_hand', '-o', tmp_path)
    assert (done.returncode, done.stderr) == (0, '')
    header, source = map(Path, done.stdout.splitlines())
    text = header.read_text()
    for line in ('BASE_MOTION 9', 'EXTERNAL 12', 'PAYLOAD 10', 'WRENCH 6'):
        assert f'#define PANDA_{line}\n' in text
    for line in ("Entries 1 to 6: link 'panda_link8'.", "Entries 7 to 12: link 'panda_link0'.",
                 "payload: a body that is fixed to link 'panda_hand'.",
                 'Rigid links with friction at joints, external wrenches and a payload; '
                 'no rotors, no springs.'):
        assert line in text
    assert source.name == 'panda_dynamics.c'
    if shutil.which('cc') is None:
        pytest.skip('cc is not installed; .ci/run takes it from Debian')
    line, = re.findall('Self-test: (.*)', text)
    subprocess.run(['sh', '-c', line], cwd=tmp_path, check=True)


@pytest.mark.parametrize(('base', 'moves'), [('auto', True), ('moving', True), ('fixed', False)])
def test_a_floating_root_moves_unless_it_is_fixed_by_an_option(tmp_path, base, moves):
    """Then its motion is an argument, and the wrench on it a result."""
    done = run('export', '-', '--base', base, '-o', tmp_path, text=FREE)
    assert done.returncode == 0
    assert 'warning: line 3: joint "floats" type="floating": the root floats' in done.stderr
    text = (tmp_path / 'free_dynamics.py').read_text()
    assert ('def inverse_dynamics(q, qd, qdd, base_motion):' in text) == moves
    assert ('return tau, wrench' in text) == moves
