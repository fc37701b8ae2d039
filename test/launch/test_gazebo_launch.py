"""
launch/gazebo.launch.py, by ROS 2's own launch, with stand-ins for the packages of Gazebo.

The launch stack is not on PyPI, so `make test` skips this; test_launch.py says how it is run.
The stand-ins note how they are called. What Gazebo itself would do is not tested anywhere here.

"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest
from launch_prefix import LAUNCH, SHOW, Prefix

from support.paths import ROOT

pytest.importorskip('launch_ros', reason='launch comes with ROS 2, not from PyPI')

GAZEBO_PACKAGES = ('robot_state_publisher', 'ros_gz_sim', 'ros_gz_bridge', 'controller_manager')


def test_the_arguments_are_listed_without_gazebo(tmp_path):
    prefix = Prefix(tmp_path, 'gazebo.launch.py', missing=GAZEBO_PACKAGES)
    code, output = prefix.start(SHOW).wait(120.0), prefix.output.read_text()
    assert code == 0, output
    # and those of dynamics.launch.py
    assert output.split()[:7] == ['urdf', 'xacro_args', 'controllers', 'config', 'gz_args',
                                  'gravity', 'plugins']


@pytest.mark.parametrize(('plugins', 'clock'), [('gz', 'gz.msgs.Clock'),
                                                ('ign', 'ignition.msgs.Clock')])
def test_everything_is_started_as_it_is_meant(tmp_path, plugins, clock):
    prefix = Prefix(tmp_path, 'gazebo.launch.py')
    process = prefix.start(LAUNCH, f'plugins:={plugins}', 'gz_args:=-r -s empty.sdf')
    signs = ("model of 'rx90'", 'nothing on topic')
    try:
        deadline = time.monotonic() + 120.0
        while not (all(sign in prefix.output.read_text() for sign in signs)
                   and 'spawner' in prefix.calls):
            assert process.poll() is None, prefix.output.read_text()
            assert time.monotonic() < deadline, prefix.output.read_text()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(120.0)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert 'Traceback' not in prefix.output.read_text()
    calls = prefix.calls
    assert calls['gz_sim'] == ['-r -s empty.sdf']
    assert calls['create'] == ['-topic', 'robot_description', '-name', 'rx90']
    assert calls['spawner'][:2] == ['joint_state_broadcaster', 'joint_trajectory_controller']
    assert calls['parameter_bridge'] == [f'/clock@rosgraph_msgs/msg/Clock[{clock}']
    assert list(calls).index('create') < list(calls).index('spawner')
    robot = ElementTree.parse(prefix.description)
    assert robot.findtext('ros2_control/hardware/plugin').startswith(f'{plugins}_ros2_control/')
    controllers = Path(robot.findtext('gazebo/plugin/parameters'))
    assert controllers.samefile(ROOT / 'config' / 'rx90_controllers.yaml')


@pytest.mark.parametrize(('argument', 'words'), [
    ('urdf:=/nonexistent.urdf', "urdf: there is no file '/nonexistent.urdf'"),
    ('controllers:=/nonexistent.yaml', "controllers: there is no file '/nonexistent.yaml'"),
    ('config:=/nonexistent.yaml', "config: there is no file '/nonexistent.yaml'"),
])
def test_a_file_that_is_not_there_is_named(tmp_path, argument, words):
    prefix = Prefix(tmp_path, 'gazebo.launch.py')
    code, output = prefix.start(LAUNCH, argument).wait(120.0), prefix.output.read_text()
    assert code != 0, output
    assert words in output
    assert 'process started' not in output


@pytest.mark.parametrize('package', GAZEBO_PACKAGES)
def test_nothing_is_started_if_a_package_is_missing(tmp_path, package):
    prefix = Prefix(tmp_path, 'gazebo.launch.py', missing=[package])
    code, output = prefix.start(LAUNCH).wait(120.0), prefix.output.read_text()
    assert code != 0, output
    assert f"package '{package}' not found" in output
    assert 'process started' not in output


def test_arguments_that_gazebo_does_not_allow_are_named(tmp_path):
    """They are those of dynamics.launch.py, which gazebo.launch.py sets."""
    prefix = Prefix(tmp_path, 'gazebo.launch.py', missing=GAZEBO_PACKAGES[:1])
    prefix.start(LAUNCH, 'namespace:=left', 'respawn:=true').wait(120.0)
    output = prefix.output.read_text()
    assert 'gazebo.launch.py has no argument "namespace", it has no effect' in output
    assert '"respawn", it' not in output
