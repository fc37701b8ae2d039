"""
launch/dynamics.launch.py, by ROS 2's own launch: unusable parameters, and arguments of xacro.

The launch stack is not on PyPI, so `make test` skips this; test_launch.py says how it is run.

"""

import signal
import time

import pytest
from launch_prefix import LAUNCH, Prefix

pytest.importorskip('launch_ros', reason='launch comes with ROS 2, not from PyPI')


def test_a_node_with_unusable_parameters_is_not_started_again(tmp_path):
    """With respawn: they would be unusable each time."""
    config = tmp_path / 'config.yaml'
    config.write_text('inverse_dynamics:\n  ros__parameters:\n    gravity: down\n')
    prefix = Prefix(tmp_path, 'dynamics.launch.py')
    prefix.start(LAUNCH, 'respawn:=true', f'params_file:={config}').wait(120.0)
    output = prefix.output.read_text()
    assert output.count('process started') == 1, output
    assert 'parameter gravity = ' in output
    assert 'inverse_dynamics-1 is not started again: its parameters are unusable' in output


def test_a_xacro_has_its_arguments(tmp_path):
    pytest.importorskip('xacro')
    robot = tmp_path / 'robot.xacro'
    robot.write_text('<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                     '<link name="arm"/></robot>')
    prefix = Prefix(tmp_path, 'dynamics.launch.py')
    process = prefix.start(LAUNCH, f'urdf:={robot}', 'xacro_args:=name:=winner')
    deadline = time.monotonic() + 120.0
    while "model of 'winner'" not in prefix.output.read_text():
        assert time.monotonic() < deadline and process.poll() is None, prefix.output.read_text()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(120.0) == 0
    prefix.start(LAUNCH, 'xacro_args:=name:=winner').wait(120.0)
    assert 'xacro_args: they are for a .xacro; name it with urdf:=FILE' in (
        prefix.output.read_text())
