"""A node's process from its arguments to its exit code, and its executor, of one thread."""

import faulthandler
import gc
import inspect
import json
import os
import re
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Container, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.utilities import remove_ros_args

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.robot.parameters import Parameter, parameter_entries
from urdf2dyn_ros.robot.reader import description_text
from urdf2dyn_ros.text import listed

# ---- The arguments of a node's process before those of ROS: the file of a robot

DESCRIPTION = 'robot_description'

_MIXED_NUMBERS = 'Sequence should be of same type'   # of whole and other ones in a list, by rcl


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


# ---- What a node prints for ``--help``

_ROS = '--ros-args'
_WIDTH = 98


def node_help(make_node: Callable[[], Any], table: Sequence[Parameter]) -> str:
    """Return what a node does, how it is started, and its parameters with their defaults."""
    name = Path(inspect.getfile(make_node)).stem
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


# ---- A node's process from its start to its exit code, and its executor, of one thread

EXECUTOR_VARIABLE = 'URDF2DYN_EXECUTOR'   # an executor is made before a node has parameters
EVENTS_SINCE = (9, 1, 2)   # rclpy whose events executor awaits a service that is a coroutine

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SPIN_TIMEOUT = 3600.0   # [s]; without one, rclpy's events executor from PyPI never sleeps
MOST_TO_END = 15.0   # [s] from a signal: a process that needs longer waits for what never comes
_STANDARD_ERROR = 2   # even where sys.stderr is another object
_SWITCH_INTERVAL = 0.0005   # [s] for which a worker may hold the interpreter against the spinning


def run_node(make_node: Callable[..., Node], table: Sequence[Parameter] = ()) -> int:
    """
    Spin a node until SIGINT or SIGTERM; return the exit code.

    The argument ``--help`` prints the node's table of parameters instead. A file of a robot is
    its parameter ``robot_description``, if it has one: `make_node` then has the argument
    ``parameter_overrides``. If arguments or parameters are unusable at the start, an error is
    printed and the code is 2. A process that has not ended 15 s after a signal prints where each
    of its threads is, and the code is 1.
    """
    words = sys.argv[1:]
    own = words[:words.index(_ROS)] if _ROS in words else words
    if '-h' in own or '--help' in own:
        try:
            print(node_help(make_node, table), flush=True)
        except BrokenPipeError:   # a reader like head; Python would write the rest at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    signals = _quiet_signals()
    try:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # for instance a file of parameters that is no YAML
        print(f'error: {unusable(error)}', file=sys.stderr)
        return 2
    node = executor = None
    try:
        of_file = overrides(words, table)
        executor = make_executor()
        node = make_node(parameter_overrides=of_file) if of_file else make_node()
        for line in unused_files(words, node._parameter_overrides,
                                 node.get_fully_qualified_name()):
            node.get_logger().warning(line)
        executor.add_node(node)
        _spin(executor, signals)
    except ExternalShutdownException:
        pass
    except Urdf2DynError as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    finally:
        # Python removes its handlers at exit, but not this: a second signal does not kill it
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if executor is not None:
            executor.shutdown(timeout_sec=0.0)   # does not wait for an export
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _spin(executor: Executor, signals: int) -> None:
    """Spin until a signal writes into its pipe."""
    signalled = Future()   # of no executor: its callback then waits for no other work

    def wait() -> None:
        os.read(signals, 1)
        faulthandler.dump_traceback_later(MOST_TO_END, exit=True, file=_STANDARD_ERROR)
        signalled.set_result(None)

    threading.Thread(target=wait, daemon=True).start()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.freeze()   # objects of the imports stay: the collector need not visit them again
    while not signalled.done():
        executor.spin_until_future_complete(signalled, timeout_sec=_SPIN_TIMEOUT)


def _quiet_signals() -> int:
    """
    Make SIGINT and SIGTERM only write a byte into a pipe; return the end to read from.

    An exception raised by a signal comes out of rclpy as whatever error its C++ makes of it, and
    rclpy's own handler invalidates the context under an executor that is spinning.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in _SIGNALS:
        signal.signal(number, lambda number, frame: None)
    return reading


def _events() -> Executor:
    from rclpy.experimental import EventsExecutor
    return EventsExecutor()


EXECUTORS: dict[str, Callable[[], Executor]] = {
    'auto': lambda: _events() if rclpy_version() >= EVENTS_SINCE else SingleThreadedExecutor(),
    'events': _events,
    'single': SingleThreadedExecutor,
}


def make_executor() -> Executor:
    """
    Return the executor that the environment requests; by default events, where it is usable.

    One that is unknown, or that this rclpy does not have, raises a ParameterError.
    """
    name = os.environ.get(EXECUTOR_VARIABLE) or 'auto'
    if name not in EXECUTORS:
        raise ParameterError(f'{EXECUTOR_VARIABLE} = {name!r}: must be one of '
                             f'{", ".join(EXECUTORS)}')
    try:
        return EXECUTORS[name]()
    except ImportError as error:
        raise ParameterError(f'{EXECUTOR_VARIABLE} = {name!r}: this rclpy has no such executor; '
                             f'unset the variable or set it to single ({error})') from None


def rclpy_version() -> tuple[int, ...]:
    """Return the numbers of rclpy's version; none if it is unknown."""
    try:
        return tuple(map(int, re.findall(r'\d+', version('rclpy'))[:3]))
    except PackageNotFoundError:
        return ()
