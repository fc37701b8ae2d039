"""Loads as options of the command line: files, messages, exit codes."""

import math
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_cli import run

from support.robot_files import robot_path

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


def test_friction_is_that_of_the_tags_dynamics(tmp_path: Path) -> None:
    """Damping and a smooth sign of 0.01 rad/s; that of a mimic joint acts on its driver."""
    spaces: list[dict] = []
    tree = ElementTree.parse(PANDA)
    for k, tag in enumerate(tree.iter('dynamics')):
        tag.set('friction', str(0.3 + 0.1 * k))
    for words in ((), ('--friction',)):
        done = run('export', '-', '--name', 'arm', '-o', tmp_path, '--overwrite', *words,
                   text=ElementTree.tostring(tree.getroot(), 'unicode'))
        assert (done.returncode, done.stderr) == (0, '')
        spaces.append({'__name__': 'arm'})
        exec((tmp_path / 'arm_dynamics.py').read_text(), spaces[-1])
    names = spaces[0]['JOINT_NAMES']
    state = [[0.3 - 0.1 * k for k in range(8)], [0.02 - 0.007 * k for k in range(8)], [0.5] * 8]
    without, found = (space['inverse_dynamics'](*state) for space in spaces)
    expected = dict.fromkeys(names, 0.0)
    for joint in tree.iter('joint'):
        tag = joint.find('dynamics')
        driver = joint.get('name').replace('finger_joint2', 'finger_joint1')
        if tag is not None and driver in expected:
            speed = state[1][names.index(driver)]
            expected[driver] += (float(tag.get('damping')) * speed
                                 + float(tag.get('friction')) * math.tanh(speed / 0.01))
    assert all(expected.values())
    assert [a - b for a, b in zip(found, without)] == pytest.approx(list(expected.values()),
                                                                    abs=1e-12)


@pytest.mark.parametrize(('base', 'moves'), [('auto', True), ('moving', True), ('fixed', False)])
def test_a_floating_root_moves_unless_it_is_fixed_by_an_option(tmp_path: Path, base: str,
                                                               moves: bool) -> None:
    """Then its motion is an argument, and the wrench on it a result."""
    done = run('export', '-', '--base', base, '-o', tmp_path, text=FREE)
    assert done.returncode == 0
    assert 'warning: line 3: joint "floats" type="floating": the root floats' in done.stderr
    text = (tmp_path / 'free_dynamics.py').read_text()
    assert ('def inverse_dynamics(q, qd, qdd, base_motion):' in text) == moves
    assert ('return tau, wrench' in text) == moves


@pytest.mark.parametrize(('words', 'expected'), [
    (['--external', 'nowhere'], ["no link 'nowhere' for an external wrench", 'panda_link8']),
    (['--external', 'panda_hand', 'panda_hand'], ['named twice', 'panda_hand']),
    (['--payload-link', 'nowhere'], ["no link 'nowhere' for a payload", 'panda_link8']),
    (['--base', 'flying'], ["'flying'", 'auto, fixed, moving']),
])
def test_what_the_robot_does_not_have_is_one_message_and_exit_code_1(
        words: list[str], expected: list[str], tmp_path: Path) -> None:
    """No file, no traceback; the message lists what the robot has."""
    done = run('export', PANDA, *words, folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith('error: ')
    assert len(done.stderr.splitlines()) == 1
    for word in expected:
        assert word in done.stderr
    assert not [*tmp_path.iterdir()]
