"""
The launch files, by ROS 2's own launch, with stand-ins for the packages that they start.

The launch stack is not on PyPI, so `make test` skips this; test_launch.py says how it is run.
The stand-ins note how they are called. What Gazebo itself would do is not tested anywhere here.

"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.nodes.graph import domain
from support.paths import ROOT

pytest.importorskip('launch_ros', reason='launch comes with ROS 2, not from PyPI')

NOTE = """#!{python}
import json, pathlib, sys
with pathlib.Path({log!r}).open('a') as log:
    log.write(json.dumps(sys.argv) + '\\n')
"""

# What the real one does with its parameter.
PUBLISHER = NOTE + """
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node('robot_state_publisher')
text = node.declare_parameter('robot_description', '').value
topic = node.create_publisher(String, 'robot_description',
                              QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
topic.publish(String(data=text))
pathlib.Path({description!r}).write_text(text)
try:
    rclpy.spin(node)
except BaseException:
    pass
"""

OURS = """#!{python}
import runpy
runpy.run_module('urdf2dyn_ros.nodes.{name}', run_name='__main__')
"""

GAZEBO = """
import json, pathlib
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration as Value

def note(context):
    with pathlib.Path({log!r}).open('a') as log:
        log.write(json.dumps(['gz_sim', Value('gz_args').perform(context)]) + '\\n')

def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument('gz_args', default_value=''),
                              DeclareLaunchArgument('on_exit_shutdown', default_value='false'),
                              OpaqueFunction(function=note)])
"""

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service = LaunchService()
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]),
    launch_arguments=[tuple(word.split(':=', 1)) for word in sys.argv[2:]])]))
sys.exit(service.run())
"""

SHOW = """
import sys
from launch import LaunchContext
from launch.launch_description_sources import PythonLaunchDescriptionSource
found = PythonLaunchDescriptionSource(sys.argv[1]).get_launch_description(LaunchContext())
for argument, _ in found.get_launch_arguments_with_include_launch_description_actions():
    assert argument.description
    print(argument.name)
"""


EXECUTABLES = (
    *(('urdf2dyn_ros', name, OURS)
      for name in ('inverse_dynamics', 'inverse_dynamics_lifecycle', 'effort_comparison',
                   'joint_simulator')),
    ('robot_state_publisher', 'robot_state_publisher', PUBLISHER),
    ('rviz2', 'rviz2', NOTE),
    ('ros_gz_sim', 'create', NOTE),
    ('ros_gz_bridge', 'parameter_bridge', NOTE),
    ('controller_manager', 'spawner', NOTE),
)


class Prefix:
    """An installation of this package, and of others that only note how they are called."""

    def __init__(self, path, launch_file, missing=()):
        path.mkdir(exist_ok=True)
        self.path, self.output = path, path / 'output'
        self.launch_file = ROOT / 'launch' / launch_file
        self.log, self.description = str(path / 'log'), str(path / 'description')
        (self.package('urdf2dyn_ros') / 'config').symlink_to(ROOT / 'config')
        for folder in ('launch', 'urdf'):
            (self.package('urdf2dyn_ros') / folder).symlink_to(ROOT / folder)
        for package, name, text in EXECUTABLES:
            if package not in missing:
                self.executable(package, name, text)
        if 'ros_gz_sim' not in missing:
            launch = self.package('ros_gz_sim') / 'launch'
            launch.mkdir()
            (launch / 'gz_sim.launch.py').write_text(GAZEBO.format(log=self.log))

    def package(self, name):
        index = self.path / 'share' / 'ament_index' / 'resource_index' / 'packages'
        index.mkdir(parents=True, exist_ok=True)
        (index / name).touch()
        share = self.path / 'share' / name
        share.mkdir(exist_ok=True)
        return share

    def executable(self, package, name, text):
        self.package(package)
        folder = self.path / 'lib' / package
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / name
        file.write_text(text.format(python=sys.executable, log=self.log, name=name,
                                    description=self.description))
        file.chmod(0o755)

    def start(self, program, *words):
        environment = {
            **os.environ, 'AMENT_PREFIX_PATH': str(self.path), 'ROS_DOMAIN_ID': str(domain()),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_LOG_DIR': str(self.path / 'logs'),
            'PYTHONPATH': f'{ROOT}:{os.environ.get("PYTHONPATH", "")}'}
        with self.output.open('w') as file:
            return subprocess.Popen(
                [sys.executable, '-c', program, str(self.launch_file), *words],
                env=environment, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def calls(self):
        """Calls in their order: the name of the executable, and its arguments for itself."""
        log = Path(self.log)
        rows = [json.loads(row) for row in log.read_text().splitlines()] if log.exists() else []
        return {Path(row[0]).name: row[1:row.index('--ros-args')] if '--ros-args' in row
                else row[1:] for row in rows}


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
    ('demo', 'duration:=long', 'duration:=long: it must be a number [s]'),
    ('demo', 'simulator:=bullet', 'Valid options are'),
    ('dynamics', 'gravity:=moon', 'gravity:=moon: it must be a number [m/s^2]'),
    ('gazebo', 'gravity:=nan', 'gravity:=nan: it must be a number [m/s^2]')])
def test_a_wrong_argument_starts_nothing(tmp_path, monkeypatch, file, argument, words):
    monkeypatch.chdir(tmp_path)
    Path('robot.urdf').write_bytes(b'<robot name="\xff"/>')
    refused(Prefix(tmp_path, f'{file}.launch.py'), words, argument)


def refused(prefix, words, *arguments, program=LAUNCH):
    code, output = prefix.start(program, *arguments).wait(120.0), prefix.output.read_text()
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


WITHOUT_DART = """
import sys
sys.modules['dartpy'] = None   # import raises an ImportError
""" + LAUNCH


def test_the_demo_takes_another_simulator_and_names_the_one_that_is_missing(tmp_path):
    refused(Prefix(tmp_path / 'a', 'demo.launch.py'), 'pip install dartpy', 'simulator:=dart',
            program=WITHOUT_DART)
    prefix = Prefix(tmp_path / 'b', 'demo.launch.py')
    process = prefix.start(WITHOUT_DART, 'duration:=1.0')
    wait_for(process, prefix, 'joints in mujoco')
    process.send_signal(signal.SIGINT)
    assert process.wait(120.0) == 0


def test_the_demo_ends_with_its_simulator(tmp_path):
    prefix = Prefix(tmp_path, 'demo.launch.py')
    prefix.executable('urdf2dyn_ros', 'joint_simulator', '#!/bin/sh\nexit 2\n')
    process = prefix.start(LAUNCH)
    process.wait(60.0)
    assert 'the simulator has ended' in prefix.output.read_text()
    assert nodes_of(tmp_path) == []


def wait_for(process: subprocess.Popen, prefix: Prefix, words: str) -> None:
    """Wait until the launch has said something."""
    deadline = time.monotonic() + 120.0
    while words not in prefix.output.read_text():
        assert time.monotonic() < deadline and process.poll() is None, prefix.output.read_text()
        time.sleep(0.05)


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
    wait_for(process, prefix, "model of 'winner'")
    process.send_signal(signal.SIGINT)
    assert process.wait(120.0) == 0
    prefix.start(LAUNCH, 'xacro_args:=name:=winner').wait(120.0)
    assert 'xacro_args: they are for a .xacro; name it with urdf:=FILE' in (
        prefix.output.read_text())
