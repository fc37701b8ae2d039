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

from urdf2dyn_ros.nodes import given_arguments, number_argument, unknown_arguments
from urdf2dyn_ros.robot.reader import description_text

CONFIG = PathJoinSubstitution([FindPackageShare('urdf2dyn_ros'), 'config', 'dynamics.yaml'])

# a launch file that includes this one often has an argument robot_description of its own
TOPICS = ('joint_states', 'robot_description', 'imu', 'odometry')
# Names of other packages, on the command line alone: in a launch file that includes this one and
# others, their values are for the others.
OTHER_NAMES = {'description_file': 'urdf', 'params_file': 'config'}

# in few and short lines: --show-args is to fit a screen
ARGUMENTS = (
    DeclareLaunchArgument(
        'urdf', default_value='',
        description='.urdf or .xacro (also description_file:=); empty: topic robot_description'),
    DeclareLaunchArgument(
        'xacro_args', default_value='',
        description='NAME:=VALUE of a .xacro, separated by spaces'),
    DeclareLaunchArgument(
        'namespace', default_value='',
        description='of the node, its topics and its services'),
    DeclareLaunchArgument(
        'config', default_value=CONFIG,
        description='file of parameters (also params_file:=); edit a copy of the default'),
    DeclareLaunchArgument(
        'export_directory', default_value='',
        description='where /export_model writes; empty: as in the file of parameters'),
    DeclareLaunchArgument(
        'gravity', default_value='',
        description='along z of the root [m/s^2]; empty: as in the file of parameters'),
    DeclareLaunchArgument(
        'lock', default_value='',
        description='JOINT=POSITION of joints that do not move, separated by spaces'),
    *(DeclareLaunchArgument(name, default_value='', description=text) for name, text in (
        ('loops', 'LINK=LINK:TYPE of links whose frames coincide, separated by spaces'),
        ('actuated', 'joints that motors drive, of a robot with closed loops'),
        ('start', 'JOINT=POSITION near a closed pose, separated by spaces'))),
    DeclareLaunchArgument(
        'use_sim_time', default_value='',
        description='true: time of the topic /clock; empty: as in the file of parameters'),
    DeclareLaunchArgument(
        'respawn', default_value='false',
        description='true: restart the node when it dies, unless its parameters are unusable'),
    DeclareLaunchArgument(
        'lifecycle', default_value='false',
        description='true: publish once ros2 lifecycle set has configured and activated it'),
    DeclareLaunchArgument(
        'joint_states_topic', default_value='joint_states',
        description=f'other topics: also {", ".join(f"{topic}_topic" for topic in TOPICS[1:])}'),
)
RESPAWN_DELAY = 1.0  # s
UNUSABLE = 2
"""Exit code of the node where its arguments or parameters are unusable, also another time."""

NODES = {False: (Node, 'inverse_dynamics'), True: (LifecycleNode, 'inverse_dynamics_lifecycle')}
"""Action and executable, by whether it has a life cycle."""


def _values(context: LaunchContext) -> dict[str, str]:
    """Return the value of each argument."""
    values = {argument.name: LaunchConfiguration(argument.name).perform(context)
              for argument in ARGUMENTS}
    given = given_arguments(__file__, sys.argv)
    for other, name in OTHER_NAMES.items():
        if other in given and name not in given:
            values[name] = given[other]
    return values


def _chosen(values: dict[str, str], name: str) -> bool:
    """Return a value that is true or false, in any case: launch files in Python say True."""
    if values[name].lower() not in ('true', 'false'):
        raise ValueError(f'{name}:={values[name]}: it must be true or false')
    return values[name].lower() == 'true'


def _node(context: LaunchContext) -> list[Node | RegisterEventHandler]:
    values = _values(context)
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
        parameters.append({'gravity': [0.0, 0.0, number_argument(
            'gravity', values['gravity'], 'm/s^2')]})
    for name in ('lock', 'loops', 'actuated', 'start'):
        if values[name]:
            parameters.append({name: values[name].split()})
    if values['use_sim_time']:
        parameters.append({'use_sim_time': _chosen(values, 'use_sim_time')})
    action, executable = NODES[_chosen(values, 'lifecycle')]
    respawn = _chosen(values, 'respawn')
    topics = [(topic, context.launch_configurations.get(f'{topic}_topic', topic))
              for topic in TOPICS]
    node = action(package='urdf2dyn_ros', executable=executable, name='inverse_dynamics',
                  namespace=values['namespace'], parameters=parameters, output='screen',
                  remappings=topics, respawn=respawn, respawn_delay=RESPAWN_DELAY)
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
    known = [*(argument.name for argument in ARGUMENTS), *OTHER_NAMES,
             *(f'{topic}_topic' for topic in TOPICS)]
    return [LogInfo(msg=f'warning: {sentence}')
            for sentence in unknown_arguments(__file__, known, sys.argv)]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the node."""
    return LaunchDescription([
        *ARGUMENTS, OpaqueFunction(function=_unknown), OpaqueFunction(function=_node)])
