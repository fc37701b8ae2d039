"""The demonstration end to end, as a user starts it, and when something is wrong."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.nodes.children import children, ended, line_with
from support.paths import ROOT
from urdf2dyn_ros.__main__ import main

pytest.importorskip('dartpy', exc_type=ImportError)
pytest.importorskip('rclpy')


def start(robot, duration, output, *words):
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    return subprocess.Popen(
        [sys.executable, '-u', '-m', 'urdf2dyn_ros', 'demo', *filter(None, [robot]),
         '--duration', str(duration), '-o', str(output), *words],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def demonstrated(capsys):
    """Return a function that demonstrates in this process."""
    def run(robot, duration, output, *words):
        code = main(['demo', *filter(None, [str(robot)]), '--duration', str(duration),
                     '-o', str(output), *words])
        return code, ''.join(capsys.readouterr())

    return run


def test_simulated_and_computed_efforts_agree(tmp_path, demonstrated):
    demo = start('', 2.5, tmp_path / 'output')
    output = ended(demo, 0)
    written = sorted(path.name for path in (tmp_path / 'output').iterdir())
    assert written == ['efforts.csv', 'efforts.html', 'efforts.json', 'efforts.png',
                       'rx90_dynamics.py']
    for name in written:
        assert str(tmp_path / 'output' / name) in output
    joints = json.loads((tmp_path / 'output' / 'efforts.json').read_text())['joints']
    assert [joint['joint'] for joint in joints] == [f'joint{i}' for i in range(1, 7)]
    for joint in joints:
        assert joint['nrmse'] < 0.002, output
        assert joint['r2'] > 0.9999, output
        assert joint['samples'] > 400, output
    assert output.count(' of 2.5 s, ') >= 2  # a line a second
    script = subprocess.run([sys.executable, tmp_path / 'output' / 'rx90_dynamics.py'],
                            capture_output=True, text=True)
    assert script.returncode == 0, script.stdout + script.stderr
    code, again = demonstrated('', 2.0, tmp_path / 'output')
    assert code == 1
    assert 'efforts.csv exists, which may be your work' in again and '--overwrite' in again


def test_a_duration_that_is_none_is_refused_before_anything_starts(tmp_path, demonstrated):
    assert demonstrated('', 'nan', tmp_path / 'output') == (
        1, 'error: parameter duration = nan: must be a number, at least 0.5, at most 86400 [s]\n')
    assert not (tmp_path / 'output').exists()


@pytest.mark.slow
def test_a_root_that_floats_is_fixed_and_gravity_is_that_of_the_option(tmp_path, demonstrated):
    """As in the simulator, which has no sensor of the root's motion."""
    text = (ROOT / 'urdf' / 'robot_2r.urdf').read_text().replace('</robot>', """<link name="odom"/>
        <joint name="flies" type="floating"><parent link="odom"/><child link="base"/></joint>
        </robot>""")
    robot = tmp_path / 'floating.urdf'
    robot.write_text(text)
    code, output = demonstrated(robot, 2.0, tmp_path / 'output', '--gravity', '0', '-9.81', '0')
    assert code == 0, output
    first = next(csv.DictReader((tmp_path / 'output' / 'efforts.csv').open()))
    assert float(first['measured_joint1']) == pytest.approx(9.81 * (13 + 5), rel=0.01)  # stretched
    joints = json.loads((tmp_path / 'output' / 'efforts.json').read_text())['joints']
    assert len(joints) == 2
    assert all(joint['nrmse'] < 0.01 for joint in joints), output


def running(output):
    """Return a demonstration that shows progress, and the numbers of its children."""
    demo = start('', 60.0, output)
    line_with(demo, r' [1-9]\d* efforts computed')
    nodes = children(demo.pid)
    assert len(nodes) == 3
    return demo, nodes


@pytest.mark.slow
def test_interrupted_it_ends_its_children(tmp_path):
    """By Ctrl-C; SIGTERM ends the demonstration of identify, in its test."""
    demo, nodes = running(tmp_path / 'output')
    demo.send_signal(signal.SIGINT)
    output = ended(demo, 130)
    assert not (tmp_path / 'output').exists()
    assert 'Traceback' not in output
    assert not any(Path(f'/proc/{node}').exists() for node in nodes)


@pytest.mark.slow
def test_a_node_that_dies_is_named_and_the_others_are_ended(tmp_path):
    demo, nodes = running(tmp_path)
    os.kill(nodes[-1], signal.SIGKILL)
    output = ended(demo, 1)
    assert 'error: node joint_simulator ended with exit code -9; its last lines:' in output
    assert 'holding still until' in output
    assert not any(Path(f'/proc/{node}').exists() for node in nodes)
