"""
A simulated robot, its inverse dynamics, and the comparison of the two.

    ros2 launch urdf2dyn_ros demo.launch.py duration:=8.0
    ros2 launch urdf2dyn_ros demo.launch.py simulator:=mujoco
    ros2 launch urdf2dyn_ros demo.launch.py rviz:=true       # and shows the efforts on the robot

The simulator waits until both others have subscribed, moves the robot for the duration, then holds
it still; all nodes run until Ctrl-C, or until the simulator has ended. RViz and
robot_state_publisher must be installed for rviz:=true; RViz draws efforts since Jazzy, of revolute
joints with an effort limit in the URDF. Meanwhile, in another terminal:

    ros2 topic echo /inverse_dynamics/efforts
    ros2 service call /export_model std_srvs/srv/Trigger
    ros2 service call /effort_comparison/save_report std_srvs/srv/Trigger

The topics are limited to this computer, since a real robot may have topics of the same names. On
Humble the other terminal needs ROS_LOCALHOST_ONLY=1 for that reason.

"""

import os
import sys
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

from urdf2dyn_ros.nodes import number_argument, unknown_arguments
from urdf2dyn_ros.robot.reader import description_text, read_urdf
from urdf2dyn_ros.simulation import SIMULATORS, available_simulator, simulator_class

SHARE = FindPackageShare('urdf2dyn_ros')
NAMESPACE = LaunchConfiguration('namespace')
RVIZ = IfCondition(LaunchConfiguration('rviz'))

ARGUMENTS = (
    DeclareLaunchArgument(
        'urdf', default_value=PathJoinSubstitution([SHARE, 'urdf', 'rx90.urdf']),
        description='File of a robot with a fixed base, .urdf or .xacro.'),
    DeclareLaunchArgument(
        'xacro_args', default_value='',
        description='Arguments of a .xacro: NAME:=VALUE, separated by spaces.'),
    DeclareLaunchArgument(
        'simulator', default_value='', choices=['', *SIMULATORS],
        description='Physics engine, one of its choices; empty: the first that is installed.'),
    DeclareLaunchArgument(
        'duration', default_value='20.0', description='How long the robot moves [s].'),
    DeclareLaunchArgument(
        'namespace', default_value='',
        description='Namespace of the nodes, their topics and services.'),
    DeclareLaunchArgument(
        'config', default_value=PathJoinSubstitution([SHARE, 'config', 'gazebo.yaml']),
        description='File of parameters for inverse_dynamics.'),
    DeclareLaunchArgument(
        'rviz', default_value='false', choices=['true', 'false', 'True', 'False'],
        description='Whether RViz shows the robot and its efforts.'),
)

# Humble has only the older of these variables; newer distributions warn of it.
LOCAL = (
    SetEnvironmentVariable('ROS_LOCALHOST_ONLY', '1')
    if os.environ.get('ROS_DISTRO') == 'humble'
    else SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST'),
    UnsetEnvironmentVariable('ROS_STATIC_PEERS'),
    UnsetEnvironmentVariable('ROS_DISCOVERY_SERVER'),
)


def _robot(context: LaunchContext) -> list[Node | RegisterEventHandler]:
    config = Path(LaunchConfiguration('config').perform(context)).expanduser()
    if not config.is_file():   # dynamics.launch.py would find out after a node was started
        raise FileNotFoundError(f'config: there is no file {str(config)!r}')
    path = Path(LaunchConfiguration('urdf').perform(context)).expanduser()
    description = description_text(
        str(path), LaunchConfiguration('xacro_args').perform(context))
    engine = LaunchConfiguration('simulator').perform(context) or available_simulator()
    simulator_class(engine)   # raises an error that says what is missing
    rviz = RVIZ.evaluate(context)
    simulator = Node(
        package='urdf2dyn_ros', executable='joint_simulator', name='joint_simulator',
        namespace=NAMESPACE, output='screen', parameters=[{
            'robot_description': ParameterValue(description, value_type=str),
            'duration': number_argument(
                'duration', LaunchConfiguration('duration').perform(context), 's'),
            'simulator': engine,
            # inverse_dynamics and effort_comparison, and robot_state_publisher if it runs
            'start.subscribers': 3 if rviz else 2, 'start.timeout': 60.0,
        }])
    nodes = [simulator, *(_rviz(description) if rviz else [])]
    _look_up(context, nodes)
    reason = 'the simulator has ended, and with it the demonstration'
    return [*nodes, RegisterEventHandler(OnProcessExit(target_action=simulator, on_exit=[
        LogInfo(msg=reason), EmitEvent(event=Shutdown(reason=reason))]))]


def _look_up(context: LaunchContext, nodes: list[Node]) -> None:
    """Raise an error for a package that is missing, before another node is left running."""
    for node in nodes:
        ExecutableInPackage(node.node_executable, node.node_package).perform(context)


def _rviz(description: str) -> list[Node]:
    """Return RViz, and the publisher of the frames of the links."""
    frames = Node(
        package='robot_state_publisher', executable='robot_state_publisher', namespace=NAMESPACE,
        output='screen', parameters=[{
            'robot_description': ParameterValue(description, value_type=str),
            # RViz needs the frames at the stamp of an effort
            'publish_frequency': 1000.0,
        }], remappings=[('robot_description', 'robot_description_of_frames')])   # the simulator's
    shown = Node(
        package='rviz2', executable='rviz2', namespace=NAMESPACE, output='screen',
        arguments=['-d', PathJoinSubstitution([SHARE, 'rviz', 'urdf2dyn.rviz']),
                   '-f', read_urdf(description).root],
        remappings=[(f'/{topic}', topic)
                    for topic in ('robot_description', 'inverse_dynamics/efforts')])
    return [frames, shown]


def _unknown(_: LaunchContext) -> list[LogInfo]:
    """Return warnings: launch ignores arguments that are misspelt."""
    known = [argument.name for argument in generate_launch_description().get_launch_arguments()]
    return [LogInfo(msg=f'warning: {sentence}')
            for sentence in unknown_arguments(__file__, known, sys.argv)]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    file = PathJoinSubstitution([SHARE, 'launch', 'dynamics.launch.py'])
    dynamics = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file),
        # the simulator publishes the description
        launch_arguments={
            'urdf': '', 'xacro_args': '', 'namespace': NAMESPACE,
            'config': LaunchConfiguration('config')}.items())
    comparison = Node(package='urdf2dyn_ros', executable='effort_comparison',
                      name='effort_comparison', namespace=NAMESPACE, output='screen')
    return LaunchDescription([
        *ARGUMENTS, *LOCAL, OpaqueFunction(function=_unknown), OpaqueFunction(function=_robot),
        comparison, dynamics])
