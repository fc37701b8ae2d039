"""The example that identifies a simulated robot, as a user starts it, and interrupted."""

import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.nodes.children import children, ended, line_with
from support.paths import ROOT
from support.robot_files import vertical_2r
from urdf2dyn_ros.robot.reader import read_urdf

pytestmark = pytest.mark.slow

pytest.importorskip('dartpy', exc_type=ImportError)
pytest.importorskip('rclpy')

EXAMPLE = ROOT / 'examples' / 'identify_demo.py'
LIMITED = vertical_2r('lower="-2" upper="2" effort="400" velocity="4"')


def started(folder: Path) -> subprocess.Popen[str]:
    robot = folder / 'two.urdf'
    robot.write_text(LIMITED)
    return subprocess.Popen(
        [sys.executable, '-u', str(EXAMPLE), str(robot), '--duration', '2',
         '--output', str(folder / 'out')],
        env={**os.environ, 'PYTHONPATH': str(ROOT)}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)


def test_a_robot_that_is_not_as_its_urdf_says_is_identified(tmp_path: Path) -> None:
    """From tens of percent to less than one."""
    output = ended(started(tmp_path), 0)
    folder = tmp_path / 'out'
    assert {path.name for path in folder.iterdir()} == {
        'robot.urdf', 'excitation.csv', 'excitation.yaml', 'excitation.png', 'recording.csv',
        'identified', 'identify_demo.png', 'identify_demo.json'}
    errors = json.loads((folder / 'identify_demo.json').read_text())
    assert errors['urdf']['all'] > 0.2, output
    assert errors['identified']['all'] < 0.006, output   # 0.001 to 0.002
    found = read_urdf((folder / 'identified' / 'identified.urdf').read_text())
    report = json.loads((folder / 'identified' / 'identification.json').read_text())
    assert report['about']['efforts'] == 'simulated'
    _, drives = runpy.run_path(str(EXAMPLE))['altered'](LIMITED)
    for joint in found.joints:
        assert joint.friction == pytest.approx(drives[f'joints.{joint.name}.coulomb'], rel=0.1)
        assert joint.damping == pytest.approx(drives[f'joints.{joint.name}.viscous'], rel=0.2)


def test_interrupted_while_it_records_it_leaves_no_node(tmp_path: Path) -> None:
    demo = started(tmp_path)
    line_with(demo, ' messages')
    nodes = children(demo.pid)
    assert len(nodes) == 1
    demo.send_signal(signal.SIGTERM)
    output = ended(demo, 143)
    assert 'Traceback' not in output
    assert not Path(f'/proc/{nodes[0]}').exists()
    assert not (tmp_path / 'out' / 'recording.csv').exists()


def test_a_recording_with_lost_messages_is_no_result() -> None:
    example = runpy.run_path(str(EXAMPLE))
    example['check_complete']([4_000_000 * k + k % 2 for k in range(9)])
    with pytest.raises(example['DemoError'], match='2 of 9 messages of joint_states were lost'):
        example['check_complete']([4_000_000 * k for k in range(9) if k not in (3, 4)])
