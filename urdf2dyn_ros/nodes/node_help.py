"""What a node prints for ``--help``."""

import inspect
import json
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from urdf2dyn_ros.nodes.arguments import takes_file
from urdf2dyn_ros.parameters import Parameter

_HELP = ('-h', '--help')
_ROS = '--ros-args'
_WIDTH = 98


def wants_help(arguments: Sequence[str]) -> bool:
    """Return whether help is among the arguments before those of ROS."""
    own = arguments[:arguments.index(_ROS)] if _ROS in arguments else arguments
    return any(word in _HELP for word in own)


def node_help(make_node: Callable[[], Any], table: Sequence[Parameter]) -> str:
    """Return what a node does, how it is started, and its parameters with their defaults."""
    name = make_node.__module__.split('.')[2]   # urdf2dyn_ros.nodes.<name>
    about = (inspect.getdoc(make_node) or '').partition('\n\n')[0]
    file = ' [ROBOT.urdf]' * takes_file(table)
    lines = [f'usage: ros2 run urdf2dyn_ros {name}{file} [{_ROS} [-p PARAMETER:=VALUE ...] '
             '[--params-file FILE] [-r FROM:=TO ...]]', '', about, '']
    if file:
        lines += ['ROBOT.urdf: URDF or xacro file, in the place of the parameter '
                  'robot_description', '']
    lines.append('parameters:')
    for row in table:
        default = json.dumps(row.default, ensure_ascii=False)
        lines.append(f'  {row.name} (default: {default})')
        lines += textwrap.wrap(f'{row.meaning} {row.rule[0].upper()}{row.rule[1:]}.', _WIDTH,
                               initial_indent=' ' * 6, subsequent_indent=' ' * 6)
    return '\n'.join(lines)
