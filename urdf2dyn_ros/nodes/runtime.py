"""What every node here has: its parameters, its arguments, its executor and its exit code."""

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
import traceback
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.utilities import remove_ros_args

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.robot.parameters import Family, Parameter, parameter_entries
from urdf2dyn_ros.robot.reader import description_text
from urdf2dyn_ros.text import listed, suggestion

# ---- A table of parameters as ROS parameters: declared with descriptors, checked before applied

_QOS = 'qos_overrides.'


class NodeParameters:
    """
    The requested parameters of a node: values that were set and checked.

    Those of families, for which the node allows undeclared parameters, are in ``values`` only
    while they are set. If values set at the start break their rules, a ParameterError is raised
    that names all of them; an unknown name is logged if it resembles a known one, and has no
    effect.

    For a change, ``check`` is called before it is accepted, with all the new values, and
    ``apply`` with the old ones, once ``values`` is replaced as a whole: attributes that a node
    sets. ``apply`` returns sentences about what has no effect, which are in `remark` until the
    next change; a `RemarkingNode` has them in the result of the call.
    An error of this package rejects the change, with its text as the reason.
    """

    def __init__(self, node: Node, table: Sequence[Parameter],
                 families: Sequence[Family] = ()) -> None:
        self._node = node
        self._rows = {row.name: row for row in table}
        self._families = families
        self.check: Callable[[dict[str, Any]], None] = lambda values: None
        self.apply: Callable[[dict[str, Any]], Iterable[str]] = lambda old: ()
        self.values: dict[str, Any] = {}
        self.remark = ''
        faults = []
        for row in table:
            default = list(row.default) if isinstance(row.default, tuple) else row.default
            try:
                self._declare(row, default)
            except ParameterError as error:
                faults.append(str(error))
        if faults:
            raise ParameterError('\n'.join(faults))
        # the only public way to the values set at the start is to have rclpy declare all of them:
        # in types of its own, and with an error for an empty list, even of another node
        for name in node._parameter_overrides:
            family = self._family(name)
            if family is not None:
                try:
                    row = family.row(name)
                except ParameterError as error:
                    node.get_logger().warning(str(error))
                else:
                    self._declare(row, None)
            elif name not in self._rows:
                self._log_unknown(name)
        node.add_on_set_parameters_callback(self._set)

    def _declare(self, row: Parameter, default: Any) -> None:
        unit = f' [{row.unit}]' if row.unit else ''
        descriptor = ParameterDescriptor(
            description=row.meaning + unit, additional_constraints=row.rule,
            read_only=row.read_only, dynamic_typing=True)
        declared = self._node.declare_parameter(row.name, default, descriptor)
        self.values[row.name] = row.check(_plain(declared.value))

    def _log_unknown(self, name: str) -> None:
        """Log an unknown name if it resembles a known one; it may be meant for another node."""
        groups: dict[str, list[str]] = {}
        for known in (*self._rows, *(family.form for family in self._families)):
            groups.setdefault(known.partition('.')[0], []).append(known)
        for group in get_close_matches(name.partition('.')[0], groups, n=1, cutoff=0.8):
            self._node.get_logger().warning(f'there is no parameter {name}, it has no effect; did '
                                            f'you mean {listed(groups[group])}?')

    def _family(self, name: str) -> Family | None:
        return next((family for family in self._families if family.has(name)), None)

    def _set(self, changes: list[RosParameter]) -> SetParametersResult:
        old, new, self.remark = self.values, dict(self.values), ''
        try:
            for change in changes:
                self._enter(change, new)
            if new != old:
                self.check(new)
                self.values = new
                self.remark = '; '.join(self.apply(old))
        except Exception as error:
            self.values = old
            if isinstance(error, Urdf2DynError):
                return SetParametersResult(successful=False, reason=str(error))
            # any other error would end the node
            self._node.get_logger().error('a change of parameters failed, this is a defect:\n'
                                          + traceback.format_exc())
            return SetParametersResult(successful=False, reason=f'a defect: {error!r}')
        return SetParametersResult(successful=True)

    def _enter(self, change: RosParameter, values: dict[str, Any]) -> None:
        """Enter a change into the values; raises a ParameterError if it breaks a rule."""
        name, family = change.name, self._family(change.name)
        if name in self._rows:
            values[name] = self._rows[name].check(_plain(change.value))
        elif family is not None:
            if any(row.read_only for row in family.rows):
                raise ParameterError(f'parameter {name} is fixed after the start')
            if change.type_ == RosParameter.Type.NOT_SET:
                values.pop(name, None)
            else:
                values[name] = family.row(name).check(_plain(change.value))
        elif not (self._node.has_parameter(name) or name.startswith(_QOS)):
            # rclpy also calls this to declare the QoS overrides of a publisher
            raise ParameterError(f'there is no parameter {name}; '
                                 f'{suggestion(name, self._rows, True)}')


class RemarkingNode(Node):
    """A node whose answer to ``ros2 param set`` has the remark; rclpy drops reasons of success."""

    requested: NodeParameters

    def set_parameters_atomically(self, parameter_list: list[RosParameter],
                                  ) -> SetParametersResult:
        """Do what rclpy's does, which its services call for each change or for all of them."""
        result = super().set_parameters_atomically(parameter_list)
        if result.successful:
            result.reason = self.requested.remark
        return result


def _plain(value: Any) -> Any:
    """Return a list for an array, which an error's text would show as array('d', ...)."""
    return list(value) if isinstance(value, array) else value


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
    file = ' [ROBOT.urdf]' if takes_file(table) else ''
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


def make_executor() -> Executor:
    """Return the executor that the environment requests; by default events, where it is usable."""
    default = 'events' if rclpy_version() >= EVENTS_SINCE else 'single'
    name = os.environ.get(EXECUTOR_VARIABLE) or default
    if name == 'single':
        return SingleThreadedExecutor()
    if name != 'events':
        raise ParameterError(f'{EXECUTOR_VARIABLE} = {name!r}: must be events or single')
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError as error:
        raise ParameterError(f'{EXECUTOR_VARIABLE} = {name!r}: this rclpy has no such executor; '
                             f'unset the variable or set it to single ({error})') from None
    executor: Executor = EventsExecutor()
    return executor


def rclpy_version() -> tuple[int, ...]:
    """Return the numbers of rclpy's version; none if it is unknown."""
    try:
        return tuple(map(int, re.findall(r'\d+', version('rclpy'))[:3]))
    except PackageNotFoundError:
        return ()
