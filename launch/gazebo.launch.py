"""
An arm in Gazebo Sim, its inverse dynamics, and the comparison with the efforts Gazebo publishes.

    ros2 launch urdf2dyn_ros gazebo.launch.py
    ros2 launch urdf2dyn_ros gazebo.launch.py --show-args

Needs ros_gz_sim, ros_gz_bridge, gz_ros2_control, robot_state_publisher, controller_manager,
joint_state_broadcaster and joint_trajectory_controller; docs/gazebo.md is the tutorial. This file
adds the <ros2_control> tags and fixes the robot to the world, so that it takes any URDF of a
fixed-base arm, with a matching file of controllers.

"""

import os
import sys
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

from urdf2dyn_ros.nodes import number_argument, unknown_arguments
from urdf2dyn_ros.robot.reader import load_urdf, read_urdf
from urdf2dyn_ros.robot.writer import gazebo_urdf

SHARE = FindPackageShare('urdf2dyn_ros')
SIM_TIME = {'use_sim_time': True}
CONTROLLERS = ('joint_state_broadcaster', 'joint_trajectory_controller')
FIXED = {'namespace': '', 'use_sim_time': 'true'}
"""Arguments of dynamics.launch.py that are not the user's here: Gazebo's names are global."""
CLOCK = {'gz': 'gz.msgs.Clock', 'ign': 'ignition.msgs.Clock'}

ARGUMENTS = (
    DeclareLaunchArgument(
        'urdf', default_value=PathJoinSubstitution([SHARE, 'urdf', 'rx90.urdf']),
        description='File of an arm with a fixed base, .urdf or .xacro.'),
    DeclareLaunchArgument(
        'xacro_args', default_value='',
        description='Arguments of a .xacro: NAME:=VALUE, separated by spaces.'),
    DeclareLaunchArgument(
        'controllers',
        default_value=PathJoinSubstitution([SHARE, 'config', 'rx90_controllers.yaml']),
        description='File of parameters for the controllers of that arm, '
                    f'{" and ".join(CONTROLLERS)}.'),
    DeclareLaunchArgument(
        'config', default_value=PathJoinSubstitution([SHARE, 'config', 'gazebo.yaml']),
        description='File of parameters for inverse_dynamics.'),
    DeclareLaunchArgument(
        'gz_args', default_value='-r -v 3 empty.sdf',
        description='Arguments of Gazebo Sim: -r runs at once, -s has no window.'),
    DeclareLaunchArgument(
        'gravity', default_value='-9.8',
        description="Gravity of Gazebo's world along z [m/s^2]; -9.8 is the default of SDFormat, "
                    'and that of empty.sdf.'),
    DeclareLaunchArgument(
        'plugins', default_value='ign' if os.environ.get('ROS_DISTRO') == 'humble' else 'gz',
        choices=[*CLOCK],
        description='Prefix of the plugins of gz_ros2_control: ign for Fortress on Humble, '
                    'gz for all newer versions.'),
)


def _file(context: LaunchContext, argument: str) -> Path:
    path = Path(LaunchConfiguration(argument).perform(context)).expanduser().absolute()
    if not path.is_file():
        raise FileNotFoundError(f'{argument}: there is no file {str(path)!r}')
    return path


def _robot(context: LaunchContext) -> list[object]:
    """Publish the description, spawn the robot from it, then load the controllers."""
    plugins = LaunchConfiguration('plugins').perform(context)
    _file(context, 'config')
    arguments = LaunchConfiguration('xacro_args').perform(context)
    text = gazebo_urdf(load_urdf(str(_file(context, 'urdf')), xacro_args=arguments),
                       str(_file(context, 'controllers')), plugins)
    publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher', output='screen',
        parameters=[SIM_TIME, {'robot_description': ParameterValue(text, value_type=str)}])
    spawned = Node(
        package='ros_gz_sim', executable='create', output='screen', parameters=[SIM_TIME],
        arguments=['-topic', 'robot_description', '-name', read_urdf(text).name])
    controllers = Node(
        package='controller_manager', executable='spawner', output='screen',
        arguments=[*CONTROLLERS, '--controller-manager-timeout', '60'])
    clock = Node(
        package='ros_gz_bridge', executable='parameter_bridge', name='clock_bridge',
        output='screen', arguments=[f'/clock@rosgraph_msgs/msg/Clock[{CLOCK[plugins]}'])
    _look_up(context, [clock, publisher, spawned, controllers])
    gravity = [0.0, 0.0, number_argument(
        'gravity', LaunchConfiguration('gravity').perform(context), 'm/s^2')]
    comparison = Node(
        package='urdf2dyn_ros', executable='effort_comparison', name='effort_comparison',
        output='screen', parameters=[SIM_TIME, {'gravity': gravity}])
    return [clock, publisher, spawned, comparison,
            RegisterEventHandler(OnProcessExit(target_action=spawned, on_exit=[controllers]))]


def _look_up(context: LaunchContext, nodes: list[Node]) -> None:
    """Raise an error for a package that is missing, before another node is left running."""
    for node in nodes:
        ExecutableInPackage(node.node_executable, node.node_package).perform(context)


def _unknown(_: LaunchContext) -> list[LogInfo]:
    """Return warnings: launch ignores arguments that are misspelt, and this file some others."""
    known = [argument.name for argument in generate_launch_description().get_launch_arguments()
             if argument.name not in FIXED]
    return [LogInfo(msg=f'warning: {sentence}')
            for sentence in unknown_arguments(__file__, known, sys.argv)]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments, Gazebo, the robot in it, and the nodes of this package."""
    gazebo = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution(
            [FindPackageShare('ros_gz_sim'), 'launch', 'gz_sim.launch.py'])),
        launch_arguments={'gz_args': LaunchConfiguration('gz_args'),
                          'on_exit_shutdown': 'true'}.items())
    dynamics = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            PathJoinSubstitution([SHARE, 'launch', 'dynamics.launch.py'])),
        # robot_state_publisher publishes the description
        launch_arguments={'urdf': '', 'xacro_args': '', **FIXED,
                          'config': LaunchConfiguration('config'),
                          'gravity': LaunchConfiguration('gravity')}.items())
    return LaunchDescription([
        *ARGUMENTS, OpaqueFunction(function=_unknown), OpaqueFunction(function=_robot),
        dynamics, gazebo])
