"""
The launch files, by ROS 2's own launch, with stand-ins for the packages that they start.

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


@pytest.mark.parametrize(('file', 'argument', 'words'), [
    *(('gazebo', f'{name}:=/nonexistent', f"{name}: there is no file '/nonexistent'")
      for name in ('urdf', 'controllers', 'config')),
    ('demo', 'urdf:=robot.urdf', "'robot.urdf' is not UTF-8; save it as UTF-8"),
    ('demo', 'duration:=long', "duration: 'long' is no number of seconds")])
def test_a_wrong_argument_starts_nothing(tmp_path, monkeypatch, file, argument, words):
    monkeypatch.chdir(tmp_path)
    Path('robot.urdf').write_bytes(b'<robot name="\xff"/>')
    refused(Prefix(tmp_path, f'{file}.launch.py'), words, argument)


def refused(prefix, words, *arguments):
    code, output = prefix.start(LAUNCH, *arguments).wait(120.0), prefix.output.read_text()
    assert code != 0, output
    assert words in output
    assert 'process started' not in output


@pytest.mark.parametrize(('file', 'package'), [
    *(('gazebo', package) for package in GAZEBO_PACKAGES),
    ('demo', 'robot_state_publisher'), ('demo', 'rviz2')])
def test_nothing_is_started_if_a_package_is_missing(tmp_path, file, package):
    refused(Prefix(tmp_path, f'{file}.launch.py', missing=[package]),
            f"package '{package}' not found", *['rviz:=true'] * (file == 'demo'))


def test_arguments_that_gazebo_does_not_allow_are_named(tmp_path):
    """They are those of dynamics.launch.py, which gazebo.launch.py sets."""
    prefix = Prefix(tmp_path, 'gazebo.launch.py', missing=GAZEBO_PACKAGES[:1])
    prefix.start(LAUNCH, 'namespace:=left', 'respawn:=true').wait(120.0)
    output = prefix.output.read_text()
    assert 'gazebo.launch.py has no argument "namespace", it has no effect' in output
    assert '"respawn", it' not in output


def nodes_of(prefix: Path) -> list[str]:
    """Return the commands of the processes that run from a prefix."""
    commands = []
    for path in Path('/proc').glob('[0-9]*/cmdline'):
        with suppress(OSError):   # it has ended
            commands.append(path.read_text().replace('\0', ' '))
    return [command for command in commands if f'{prefix}/lib/' in command]


def test_another_file_of_parameters_is_used_and_a_misspelt_argument_is_named(tmp_path):
    prefix = Prefix(tmp_path, 'demo.launch.py')
    prefix.start(LAUNCH, 'config:=/nonexistent.yaml', 'respwan:=true').wait(120.0)
    output = prefix.output.read_text()
    assert "config: there is no file '/nonexistent.yaml'" in output
    assert nodes_of(tmp_path) == []   # they would run on without launch
    assert ('demo.launch.py has no argument "respwan", it has no effect: did you mean "respawn"?'
            in output)


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
