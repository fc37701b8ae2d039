"""From process start to exit code: what every node of this package does around its spinning."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.nodes.executors import make_executor

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SPIN = 3600.0
"""Time [s] of one wait: rclpy's events executor from PyPI, told no time, never sleeps."""

SWITCH = 0.0005
"""How long the interpreter lets a worker thread go on while the one that spins waits [s]."""


def run(make_node: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """
    Spin a node until SIGINT or SIGTERM; return the exit code.

    A node whose arguments or parameters are unusable at the start says so and gives 2.

    """
    signals = _quiet_signals()
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # for instance a file of parameters that is no YAML
        print(f'error: {error}', file=sys.stderr)
        return 2
    node = executor = None
    try:
        executor = make_executor()
        node = make_node()
        executor.add_node(node)
        told = Future()   # of no executor: its callback then waits for no other work
        threading.Thread(target=_tell, args=(signals, told), daemon=True).start()
        sys.setswitchinterval(SWITCH)
        gc.freeze()   # what the imports made stays: not to be looked through again and again
        while not told.done():
            executor.spin_until_future_complete(told, timeout_sec=SPIN)
    except ExternalShutdownException:
        pass
    except Urdf2DynError as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    finally:
        # Python's end takes its own handlers back, but not this: who is told twice ends in order
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if executor is not None:
            executor.shutdown(timeout_sec=0.0)   # an export under way is not waited for
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _quiet_signals() -> int:
    """
    Have SIGINT and SIGTERM do nothing but write a byte into a pipe; return its end to read.

    An exception raised by a signal comes out of rclpy as whatever error its C++ makes of it, and
    rclpy's own handler invalidates the context under an executor that is spinning.

    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, lambda number, frame: None)
    return reading


def _tell(signals: int, told: Future) -> None:
    """Wait for a signal, in a thread, and wake the executor."""
    os.read(signals, 1)
    told.set_result(None)
