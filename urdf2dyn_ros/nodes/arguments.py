"""The arguments of a node's process before those of ROS: the file of a robot."""

from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from rclpy.parameter import Parameter as RosParameter
from rclpy.utilities import remove_ros_args

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.parameter_file import parameter_entries
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.urdf.sources import description_text

DESCRIPTION = 'robot_description'

_MIXED_NUMBERS = 'Sequence should be of same type'
"""What rcl says of a list of whole and other numbers."""


def takes_file(table: Sequence[Parameter]) -> bool:
    """Return whether a node with these parameters has a robot of its own."""
    return any(row.name == DESCRIPTION for row in table)


def overrides(arguments: Sequence[str], table: Sequence[Parameter]) -> list[RosParameter]:
    """
    Return the parameter robot_description, if there is a file: ``inverse_dynamics robot.urdf``.

    A ParameterError for other arguments, a SourceError if the file cannot be read.
    """
    words = remove_ros_args(list(arguments))
    allowed = int(takes_file(table))
    if len(words) > allowed:
        what = 'one file of a robot' if allowed else 'no argument'
        raise ParameterError(f'unexpected argument {words[allowed]!r}: there is {what} before '
                             '--ros-args, and parameters are behind it: --ros-args -p NAME:=VALUE')
    return [RosParameter(DESCRIPTION, value=description_text(str(Path(word).expanduser())))
            for word in words]


def unused_files(arguments: Sequence[str], used: Container[str], node: str) -> Iterator[str]:
    """Yield what to do about files of parameters none of whose names this node uses."""
    for option, path in pairwise(arguments):
        try:
            entries = parameter_entries(path) if option == '--params-file' else []
        except ParameterError:   # rcl has read it
            continue
        if entries and not any(name in used for _, name, _ in entries):
            sections = dict.fromkeys(section for section, _, _ in entries)
            yield (f'{path} has no parameters of the node {node}, but of {listed(sections)}, and '
                   'has no effect; replace that line by "/**:", which is any node')


def unusable(error: RuntimeError) -> str:
    """Return what rcl says of arguments that it cannot parse, and the remedy."""
    first, *more = str(error).splitlines()
    if _MIXED_NUMBERS in str(error):
        return f'{error}; write every number of a list with a decimal point: [0.0, 0.0, -9.81]'
    if more and DESCRIPTION in first:
        return (f'{first} ...: a description is no YAML; name its file as the argument before '
                '--ros-args')
    return str(error)
