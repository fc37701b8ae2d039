"""
launch/gazebo.launch.py, by ROS 2's own launch, with stand-ins for the packages of Gazebo.

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
    launch_arguments=[tuple(word.split(':=')) for word in sys.argv[2:]])]))
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


class Prefix:
    """An installation of this package, and of others that only note how they are called."""

    def __init__(self, path, *, gazebo):
        self.path, self.output = path, path / 'output'
        self.log, self.description = str(path / 'log'), str(path / 'description')
        (self.package('urdf2dyn_ros') / 'config').symlink_to(ROOT / 'config')
        for folder in ('launch', 'urdf'):
            (self.package('urdf2dyn_ros') / folder).symlink_to(ROOT / folder)
        for name in ('inverse_dynamics', 'effort_comparison'):
            self.executable('urdf2dyn_ros', name, OURS)
        if gazebo:
            self.executable('robot_state_publisher', 'robot_state_publisher', PUBLISHER)
            self.executable('ros_gz_sim', 'create', NOTE)
            self.executable('ros_gz_bridge', 'parameter_bridge', NOTE)
            self.executable('controller_manager', 'spawner', NOTE)
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
                [sys.executable, '-c', program, str(ROOT / 'launch' / 'gazebo.launch.py'), *words],
                env=environment, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def calls(self):
        """Calls in their order: the name of the executable, and its arguments for itself."""
        log = Path(self.log)
        rows = [json.loads(row) for row in log.read_text().splitlines()] if log.exists() else []
        return {Path(row[0]).name: row[1:row.index('--ros-args')] if '--ros-args' in row
                else row[1:] for row in rows}


def test_the_arguments_are_listed_without_gazebo(tmp_path):
    prefix = Prefix(tmp_path, gazebo=False)
    code, output = prefix.start(SHOW).wait(60.0), prefix.output.read_text()
    assert code == 0, output
    # and those of dynamics.launch.py
    assert output.split()[:5] == ['urdf', 'controllers', 'config', 'gz_args', 'plugins']


@pytest.mark.parametrize(('plugins', 'clock'), [('gz', 'gz.msgs.Clock'),
                                                ('ign', 'ignition.msgs.Clock')])
def test_everything_is_started_as_it_is_meant(tmp_path, plugins, clock):
    prefix = Prefix(tmp_path, gazebo=True)
    process = prefix.start(LAUNCH, f'plugins:={plugins}', 'gz_args:=-r -s empty.sdf')
    signs = ("model of 'rx90'", 'nothing on topic')
    try:
        deadline = time.monotonic() + 60.0
        while not (all(sign in prefix.output.read_text() for sign in signs)
                   and 'spawner' in prefix.calls):
            assert process.poll() is None, prefix.output.read_text()
            assert time.monotonic() < deadline, prefix.output.read_text()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(30.0)
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
])
def test_a_file_that_is_not_there_is_named(tmp_path, argument, words):
    prefix = Prefix(tmp_path, gazebo=True)
    code, output = prefix.start(LAUNCH, argument).wait(60.0), prefix.output.read_text()
    assert code != 0, output
    assert words in output
