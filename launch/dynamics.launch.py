"""
Start the node inverse_dynamics: from joint states to efforts.

    ros2 launch urdf2dyn_ros dynamics.launch.py urdf:=robot.urdf
    ros2 launch urdf2dyn_ros dynamics.launch.py urdf:=arm.xacro xacro_args:='prefix:=left_ tool:=0'
    ros2 launch urdf2dyn_ros dynamics.launch.py            # from the topic robot_description
    ros2 launch urdf2dyn_ros dynamics.launch.py lifecycle:=true
    ros2 launch urdf2dyn_ros dynamics.launch.py --show-args

"""

import sys
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.events.matchers import matches_action
from launch.events.process import ProcessExited, ShutdownProcess
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from urdf2dyn_ros.nodes.start import unknown_arguments
from urdf2dyn_ros.robot.reader import description_text

CONFIG = PathJoinSubstitution([FindPackageShare('urdf2dyn_ros'), 'config', 'dynamics.yaml'])

# a launch file that includes this one often has an argument robot_description of its own
TOPICS = ('joint_states', 'robot_description', 'imu', 'odometry')

ARGUMENTS = (
    DeclareLaunchArgument(
        'urdf', default_value='',
        description='File of the robot, .urdf or .xacro; if empty, the node subscribes to '
                    'the topic robot_description.'),
    DeclareLaunchArgument(
        'xacro_args', default_value='',
        description='Arguments of a .xacro: NAME:=VALUE, separated by spaces.'),
    DeclareLaunchArgument(
        'namespace', default_value='',
        description='Namespace of the node, its topics and its service.'),
    DeclareLaunchArgument(
        'config', default_value=CONFIG,
        description='File of parameters; copy and edit the default one.'),
    DeclareLaunchArgument(
        'export_directory', default_value='',
        description='Where /export_model writes; if empty, where the file of parameters says.'),
    DeclareLaunchArgument(
        'gravity', default_value='',
        description='Gravity along z of the root [m/s^2], for instance -9.8; if empty, as in the '
                    'file of parameters.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='', choices=['', 'true', 'false', 'True', 'False'],
        description='Whether to use the time of the topic /clock; if empty, as in the file of '
                    'parameters, or else false.'),
    DeclareLaunchArgument(
        'respawn', default_value='false', choices=['true', 'false', 'True', 'False'],
        description='Whether to restart the node when it ends without SIGINT or SIGTERM; with '
                    'unusable parameters it is not started again.'),
    DeclareLaunchArgument(
        'lifecycle', default_value='false', choices=['true', 'false', 'True', 'False'],
        description='Whether the node has a life cycle: it publishes once it was configured and '
                    'activated, for instance by ros2 lifecycle set.'),
    *(DeclareLaunchArgument(f'{topic}_topic', default_value=topic,
                            description=f'Topic to subscribe to in the place of {topic}.')
      for topic in TOPICS),
)
RESPAWN_DELAY = 1.0  # s
UNUSABLE = 2
"""Exit code of the node where its arguments or parameters are unusable, also another time."""

NODES = {'false': (Node, 'inverse_dynamics'),
         'true': (LifecycleNode, 'inverse_dynamics_lifecycle')}
"""Action and executable for each choice of lifecycle."""


def _node(context: LaunchContext) -> list[Node | RegisterEventHandler]:
    values = {argument.name: LaunchConfiguration(argument.name).perform(context)
              for argument in ARGUMENTS}
    config = Path(values['config']).expanduser()
    if not config.is_file():  # launch_ros would only warn, and run without it
        raise FileNotFoundError(f'config: there is no file {str(config)!r}')
    parameters = [str(config)]
    # a value that is not declared as text is parsed as YAML, and a URDF is no YAML
    if values['urdf']:
        parameters.append({'robot_description': ParameterValue(
            description_text(str(Path(values['urdf']).expanduser()), values['xacro_args']),
            value_type=str)})
    elif values['xacro_args']:
        raise ValueError('xacro_args: they are for a .xacro; name it with urdf:=FILE')
    if values['export_directory']:
        parameters.append({'export.directory': ParameterValue(
            values['export_directory'], value_type=str)})
    if values['gravity']:
        parameters.append({'gravity': [0.0, 0.0, float(values['gravity'])]})
    if values['use_sim_time']:
        parameters.append({'use_sim_time': values['use_sim_time'].lower() == 'true'})
    action, executable = NODES[values['lifecycle'].lower()]
    respawn = values['respawn'].lower() == 'true'
    node = action(package='urdf2dyn_ros', executable=executable, name='inverse_dynamics',
                  namespace=values['namespace'], parameters=parameters, output='screen',
                  remappings=[(topic, values[f'{topic}_topic']) for topic in TOPICS],
                  respawn=respawn, respawn_delay=RESPAWN_DELAY)
    return [*([_give_up(node)] if respawn else []), node]


def _give_up(node: Node) -> RegisterEventHandler:
    """Return a handler that does not let a node restart for ever with unusable parameters."""
    def on_exit(event: ProcessExited, context: LaunchContext) -> list[LogInfo | EmitEvent] | None:
        if event.returncode != UNUSABLE:
            return None
        return [LogInfo(msg=f'{event.process_name} is not started again: its parameters are '
                            'unusable; mend what the error above names, and launch again'),
                EmitEvent(event=ShutdownProcess(process_matcher=matches_action(node)))]

    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=on_exit))


def _unknown(_: LaunchContext) -> list[LogInfo]:
    """Return warnings: launch ignores arguments that are misspelt."""
    known = [argument.name for argument in generate_launch_description().get_launch_arguments()]
    return [LogInfo(msg=f'warning: {sentence}')
            for sentence in unknown_arguments(__file__, known, sys.argv)]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    return LaunchDescription([
        *ARGUMENTS, OpaqueFunction(function=_unknown), OpaqueFunction(function=_node)])
