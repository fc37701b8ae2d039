"""A node's process from its start to its exit code, and its executor, of one thread."""

import faulthandler
import gc
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.nodes.arguments import overrides, unusable, unused_files
from urdf2dyn_ros.nodes.node_help import node_help, wants_help
from urdf2dyn_ros.parameters import Parameter

EXECUTOR_VARIABLE = 'URDF2DYN_EXECUTOR'
"""Environment variable with a choice: an executor is made before a node has parameters."""

EVENTS_SINCE = (9, 1, 2)
"""Version of rclpy from which its events executor awaits a service that is a coroutine."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SPIN_TIMEOUT = 3600.0
"""Time [s] of one wait: without a timeout, rclpy's events executor from PyPI never sleeps."""

MOST_TO_END = 15.0
"""Time [s] from a signal to the end: a process that needs longer waits for what never comes."""

_STANDARD_ERROR = 2   # even where sys.stderr is another object

_SWITCH_INTERVAL = 0.0005
"""Time [s] for which a worker thread may hold the interpreter while the spinning one waits."""


def run_node(make_node: Callable[..., Node], arguments: Sequence[str] | None = None,
             table: Sequence[Parameter] = ()) -> int:
    """
    Spin a node until SIGINT or SIGTERM; return the exit code.

    The argument ``--help`` prints the node's table of parameters instead. A file of a robot is
    its parameter ``robot_description``, if it has one: `make_node` then has the argument
    ``parameter_overrides``. If arguments or parameters are unusable at the start, an error is
    printed and the code is 2. A process that has not ended 15 s after a signal prints where each
    of its threads is, and the code is 1.
    """
    words = sys.argv[1:] if arguments is None else arguments
    if wants_help(words):
        _print(node_help(make_node, table))
        return 0
    signals = _quiet_signals()
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
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


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:   # a reader like head; Python would write the rest at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _spin(executor: Executor, signals: int) -> None:
    """Spin until a signal writes into its pipe."""
    signalled = Future()   # of no executor: its callback then waits for no other work
    threading.Thread(target=_wait, args=(signals, signalled), daemon=True).start()
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


def _wait(signals: int, signalled: Future) -> None:
    """Wait for a signal, in a thread, and wake the executor."""
    os.read(signals, 1)
    faulthandler.dump_traceback_later(MOST_TO_END, exit=True, file=_STANDARD_ERROR)
    signalled.set_result(None)


def _events() -> Executor:
    from rclpy.experimental import EventsExecutor
    return EventsExecutor()


def _best() -> Executor:
    return _events() if rclpy_version() >= EVENTS_SINCE else SingleThreadedExecutor()


EXECUTORS: dict[str, Callable[[], Executor]] = {
    'auto': _best,
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
