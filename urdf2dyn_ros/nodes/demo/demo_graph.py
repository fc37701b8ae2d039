"""Nodes of this package as child processes in an empty DDS domain, and a client among them."""

import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from std_msgs.msg import Float64

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.nodes.demo.child_process import (
    ChildProcess,
    check_exit_codes,
    check_running,
    stop_all,
)
from urdf2dyn_ros.nodes.demo.local_graph import Client, join_empty_domain
from urdf2dyn_ros.nodes.qos import latched
from urdf2dyn_ros.system.signals import ENDING_SIGNALS

START_TIMEOUT, _STALL_TIMEOUT = 60.0, 20.0
"""Time until the robot moves, and without any progress of the motion [s]."""

_LINE_PERIOD = 1.0   # between two lines of progress [s]


class DemoError(Urdf2DynError):
    """A demonstration that did not finish, or did not show agreement."""


class DemoGraph:
    """
    Child processes and a client; `watch` raises an error if one of them has ended.

    A TimeoutError within `demo_graph` becomes a DemoError with the last lines of all nodes.
    """

    def __init__(self, client: Client, domain: int, directory: Path,
                 check: Callable[[], None]) -> None:
        self.client, self.domain = client, domain
        self._directory, self._check = directory, check
        self.children: list[ChildProcess] = []

    def start(self, node: str, values: Mapping[str, Any], arguments: Sequence[str] = ()) -> None:
        """Start a node by its module in ``urdf2dyn_ros.nodes`` with parameters."""
        file = self._directory / f'{len(self.children)}.yaml'
        # JSON is YAML with any description quoted
        file.write_text(json.dumps({'/**': {'ros__parameters': values}}, ensure_ascii=False),
                        encoding='utf-8')
        self.children.append(ChildProcess(
            f'urdf2dyn_ros.nodes.{node}',
            ['--ros-args', *arguments, '--params-file', str(file)],
            {'ROS_DOMAIN_ID': str(self.domain)}))

    def stop_newest(self) -> None:
        """Stop the node that was started last: its messages are not needed any more."""
        newest = [self.children.pop()]
        stop_all(newest)
        check_exit_codes(newest)

    def watch(self) -> None:
        """Raise a KeyboardInterrupt after Ctrl-C, an error if a node has ended."""
        self._check()
        check_running(self.children)

    def follow(self, duration: float, text: Callable[[], str],
               begin: Callable[[Callable[[], None]], None]) -> None:
        """
        Show the progress of a motion of a duration [s], followed by a text, until it is done.

        `begin` is called with what is to be done while it waits, and starts the motion.
        """
        done = [0.0]
        self.client.subscribe(Float64, 'joint_simulator/progress',
                              lambda message: done.append(message.data), latched())
        shown = time.monotonic() - _LINE_PERIOD

        def meanwhile(at_once: bool = False) -> None:
            nonlocal shown
            self.watch()
            if at_once or time.monotonic() >= shown + _LINE_PERIOD:
                shown = time.monotonic()
                print(f'{done[-1] * duration:5.1f} of {duration:g} s, {text()}', flush=True)

        begin(meanwhile)
        self.client.wait(lambda: done[-1] > 0.0, _STALL_TIMEOUT, 'motion of joint_simulator',
                         meanwhile)
        while done[-1] < 1.0:
            before = len(done)
            self.client.wait(lambda: len(done) > before, _STALL_TIMEOUT,  # noqa: B023
                             'progress of joint_simulator', meanwhile)
        meanwhile(at_once=True)


@contextmanager
def demo_graph(check: Callable[[], None]) -> Iterator[DemoGraph]:
    """Yield a graph without nodes; at the end those that were started are stopped in any case."""
    with ExitStack() as stack:
        client, domain = join_empty_domain('demo')
        stack.callback(client.close)
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        graph = DemoGraph(client, domain, directory, check)
        stack.callback(lambda: stop_all(graph.children))
        try:
            yield graph
        except TimeoutError as error:
            raise DemoError('\n'.join([str(error), *(
                f'last lines of {child.name}:\n{child.tail}' for child in graph.children)])
                ) from None
        stop_all(graph.children)
        check_exit_codes(graph.children)


def demo_exit_code(run: Callable[[Callable[[], None]], None]) -> int:
    """
    Return 0, 1 after an error, which is printed, 130 after Ctrl-C, or 143 after SIGTERM.

    `run` is called with a function that raises a KeyboardInterrupt after one of these signals.
    """
    with _interrupts() as (check, received):
        try:
            run(check)
        except (Urdf2DynError, OSError) as error:
            print(f'error: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            number = received[0] if received else signal.SIGINT
            print(ENDING_SIGNALS[number], file=sys.stderr)
            return 128 + number
    return 0


@contextmanager
def _interrupts() -> Iterator[tuple[Callable[[], None], Sequence[signal.Signals]]]:
    """
    Yield a function that raises a KeyboardInterrupt after SIGINT or SIGTERM, and those received.

    Raised at any instant, it would come out of rclpy as whatever error its C++ makes of it.
    """
    received: list[signal.Signals] = []

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    def record(number: int, frame: FrameType | None) -> None:
        received.append(signal.Signals(number))

    before = {number: signal.signal(number, record) for number in ENDING_SIGNALS}
    try:
        yield check, received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
