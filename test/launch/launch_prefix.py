"""An installation with stand-ins for other packages, in which launch files are started."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support.nodes.graph import domain
from support.paths import ROOT

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
