"""
A simulated robot, its inverse dynamics, and the comparison of the two.

    ros2 launch urdf2dyn_ros demo.launch.py duration:=8.0

The simulator waits until both others listen, moves the robot for the duration, then holds it
still; everything runs on until Ctrl-C. Meanwhile, in another terminal:

    ros2 topic echo /inverse_dynamics/efforts
    ros2 service call /export_model std_srvs/srv/Trigger
    ros2 service call /effort_comparison/save_report std_srvs/srv/Trigger

The nodes are not heard beyond this computer, where a real robot may have topics of the same
names. On Humble the other terminal needs ROS_LOCALHOST_ONLY=1 for that reason.

"""

import os
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from urdf2dyn_ros.urdf.source import load_urdf

SHARE = FindPackageShare('urdf2dyn_ros')
NAMESPACE = LaunchConfiguration('namespace')

ARGUMENTS = (
    DeclareLaunchArgument(
        'urdf', default_value=PathJoinSubstitution([SHARE, 'urdf', 'rx90.urdf']),
        description='File of a robot with a fixed base, .urdf or .xacro.'),
    DeclareLaunchArgument(
        'duration', default_value='20.0', description='How long the robot moves [s].'),
    DeclareLaunchArgument(
        'namespace', default_value='',
        description='Namespace of the nodes, their topics and services.'),
)

# Humble knows only the older of these variables, which its successors warn of.
LOCAL = (
    SetEnvironmentVariable('ROS_LOCALHOST_ONLY', '1')
    if os.environ.get('ROS_DISTRO') == 'humble'
    else SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST'),
    UnsetEnvironmentVariable('ROS_STATIC_PEERS'),
    UnsetEnvironmentVariable('ROS_DISCOVERY_SERVER'),
)


def _simulator(context: LaunchContext) -> list[Node]:
    path = Path(LaunchConfiguration('urdf').perform(context)).expanduser()
    text = load_urdf(str(path))
    try:
        description = text if isinstance(text, str) else text.decode('utf-8')
    except UnicodeDecodeError:
        raise ValueError(f'urdf: {str(path)!r} is not UTF-8; save it as UTF-8') from None
    return [Node(
        package='urdf2dyn_ros', executable='joint_simulator', name='joint_simulator',
        namespace=NAMESPACE, output='screen', parameters=[{
            'robot_description': ParameterValue(description, value_type=str),
            'duration': ParameterValue(LaunchConfiguration('duration'), value_type=float),
            'start.subscribers': 2, 'start.timeout': 60.0,
        }])]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the three nodes."""
    file = PathJoinSubstitution([SHARE, 'launch', 'dynamics.launch.py'])
    dynamics = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file),
        # the robot comes by topic, from the simulator
        launch_arguments={'urdf': '', 'namespace': NAMESPACE}.items())
    comparison = Node(package='urdf2dyn_ros', executable='effort_comparison',
                      name='effort_comparison', namespace=NAMESPACE, output='screen')
    return LaunchDescription([
        *ARGUMENTS, *LOCAL, OpaqueFunction(function=_simulator), comparison, dynamics])
