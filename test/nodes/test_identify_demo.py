"""The demonstration of identify as a user starts it, on a real DDS graph, and interrupted."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.nodes.children import children, ended, line_with
from support.paths import ROOT
from support.robot_files import vertical_2r

pytest.importorskip('dartpy')
pytest.importorskip('rclpy')

from urdf2dyn_ros.cli import main
from urdf2dyn_ros.nodes.demo.altered_robot import altered
from urdf2dyn_ros.nodes.demo.demo_graph import DemoError
from urdf2dyn_ros.nodes.demo.identify_demonstration import IDENTIFY_FILES, check_complete
from urdf2dyn_ros.urdf import read_urdf

LIMITED = vertical_2r('lower="-2" upper="2" effort="400" velocity="4"')


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    robot = folder / 'two.urdf'
    robot.write_text(LIMITED)
    return subprocess.Popen(
        [sys.executable, '-u', '-m', 'urdf2dyn_ros', 'demo', str(robot), '--identify',
         '--duration', '2', '-o', str(folder / 'out'), *words],
        env={**os.environ, 'PYTHONPATH': str(ROOT)}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)


def test_a_robot_that_is_not_as_its_urdf_says_is_identified(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From tens of percent to less than one, and results are not replaced."""
    output = ended(started(tmp_path, '--gravity', '0', '0', '-1.62'), 0)   # on the Moon
    assert {path.name for path in (tmp_path / 'out').iterdir()} == set(IDENTIFY_FILES)
    errors = json.loads((tmp_path / 'out' / 'identify_demo.json').read_text())['torque_error']
    assert errors['urdf'] > 0.2, output
    assert errors['identified'] < 0.006, output   # 0.001 to 0.002
    found = read_urdf((tmp_path / 'out' / 'identified' / 'identified.urdf').read_text())
    report = json.loads((tmp_path / 'out' / 'identified' / 'identification.json').read_text())
    assert report['about']['efforts'] == 'simulated'
    real = altered(read_urdf(LIMITED))
    for joint in found.joints:
        drive = {name: real.drives[f'joints.{joint.name}.{name}']
                 for name in ('coulomb', 'viscous')}
        assert joint.friction == pytest.approx(drive['coulomb'], rel=0.1)
        assert joint.damping == pytest.approx(drive['viscous'], rel=0.2)
    assert main(['demo', '--identify', '-o', str(tmp_path / 'out')]) == 1
    assert 'exists, which may be your work' in capsys.readouterr().err


def test_interrupted_while_it_records_it_writes_nothing(tmp_path: Path) -> None:
    demo = started(tmp_path)
    line_with(demo, ' messages')
    nodes = children(demo.pid)
    assert len(nodes) == 1
    demo.send_signal(signal.SIGTERM)
    output = ended(demo, 143)
    assert 'Traceback' not in output
    assert not Path(f'/proc/{nodes[0]}').exists()
    assert [path.name for path in tmp_path.iterdir()] == ['two.urdf']


def test_a_recording_with_lost_messages_is_no_result() -> None:
    check_complete([4_000_000 * k + k % 2 for k in range(9)])
    with pytest.raises(DemoError, match='2 of 9 messages of joint_states were lost'):
        check_complete([4_000_000 * k for k in range(9) if k not in (3, 4)])
