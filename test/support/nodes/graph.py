"""
Real processes on a real DDS graph that never leaves this computer: helpers for the node tests.

    with Graph() as graph, graph.process('joint_simulator', duration=2.0, ...) as node:
        states = graph.messages(JointState, 'joint_states')
        graph.wait(lambda: len(states) > 10)
        assert node.stop(signal.SIGINT) == 0

"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from support.paths import TEST
from urdf2dyn_ros.nodes.demonstration import ChildProcess, Client, _in_use, stop_all
from urdf2dyn_ros.system import IMPORT_ROOT

SENSOR = QoSProfile(depth=2000, reliability=ReliabilityPolicy.BEST_EFFORT)
PROGRAMS = frozenset(path.stem for path in (TEST / 'programs').glob('*.py'))
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)

PATIENCE = 120.0
"""Time [s] after which an event that was waited for is missing."""

MOST_AHEAD = 25
"""Messages of a stream that may wait for the node: more could be lost, or overtaken."""


class NotReceivedError(IndexError):
    """A message that has not come yet."""


class Messages(deque[Any]):
    """Received messages, oldest first."""

    def __getitem__(self, index: Any) -> Any:
        try:
            return super().__getitem__(index)
        except IndexError:
            raise NotReceivedError(f'message {index} of {len(self)} received') from None


def holds(condition: Callable[[], object]) -> bool:
    """Return whether a condition holds: not before the messages that it reads have come."""
    try:
        return bool(condition())
    except NotReceivedError:
        return False


_TAKEN = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
"""Has a port of the session's domain, also while it has no nodes."""


@cache
def domain() -> int:
    """
    Return a DDS domain of this test session's own, another one for every xdist worker.

    Other sessions and demonstrations, which look for an empty domain, find a port of it taken.

    """
    base = int(os.environ.get('ROS_DOMAIN_ID', os.getppid()))
    first = base + int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0')[2:]) - 1
    if 'ROS_DOMAIN_ID' in os.environ:
        return 1 + first % 101
    number = next(number for k in range(101) if not _in_use(number := 1 + (first + k) % 101))
    _TAKEN.bind(('', 7400 + 250 * number + 28))   # the last that `_in_use` tries
    return number


class Process(ChildProcess):
    """One node of this package; leaving the ``with`` block ends it, whatever happened."""

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        stop_all([self])
        if any(error):
            print(f'--- output of {self.name} (exit code {self.exit_code})\n{self.output}')

    def rejects(self, *words: str) -> None:
        """Hold it to an end at its start: exit code 2, no traceback, and these words."""
        assert self.wait(PATIENCE) == 2, self.output
        assert 'Traceback' not in self.output
        assert all(word in self.output for word in words), self.output

    def stop(self, number: int = signal.SIGINT, timeout: float = 120.0) -> int:
        """Send a signal and return the exit code; a process that stays is an error."""
        self.send(number)
        code = self.wait(timeout)
        if code is None:
            raise TimeoutError(f'{self.name} still runs {timeout} s after signal {number}')
        return code


class Graph(Client):
    """A node of the test's own, and the processes that share its DDS domain."""

    def __init__(self) -> None:
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        self.domain = domain()
        super().__init__('test', self.domain)
        self._received = 0
        self._clients: dict[str, Any] = {}

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def process(self, name: str, remappings: Mapping[str, str] | None = None,
                arguments: Sequence[str] = (), **parameters: Any) -> Process:
        """
        Start a node by the name of its module in ``urdf2dyn_ros.nodes``, or in ``programs``.

        Parameters whose names have a dot are written as ``**{'export.directory': '/tmp/x'}``.

        """
        words = ['--ros-args', *arguments]
        for key, value in parameters.items():
            words += ['-p', f'{key}:={json.dumps(value, ensure_ascii=False)}']
        for key, value in (remappings or {}).items():
            words += ['-r', f'{key}:={value}']
        folder = 'programs' if name in PROGRAMS else 'urdf2dyn_ros.nodes'
        return self.program(f'{folder}.{name}', words)

    def program(self, module: str, words: Sequence[str] = ()) -> Process:
        """Start a module, of this package or of the folder test, in the same DDS domain."""
        path = [str(IMPORT_ROOT), str(TEST), os.environ.get('PYTHONPATH', '')]
        return Process(module, words, {
            'ROS_DOMAIN_ID': str(self.domain), 'PYTEST_XDIST_WORKER': 'gw0',
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'PYTHONPATH': os.pathsep.join(filter(None, path))})

    def messages(self, kind: Any, topic: str, qos: QoSProfile = SENSOR,
                 kept: int = 100_000) -> Messages:
        """Subscribe and return the messages that `wait` and `spin` let in."""
        received = Messages(maxlen=kept)

        def keep(message: Any) -> None:
            self._received += 1
            received.append(message)

        self.subscribe(kind, topic, keep, qos)
        return received

    def publisher(self, kind: Any, topic: str, qos: QoSProfile | int = 10) -> Any:
        return self.node.create_publisher(kind, topic, qos)

    def spin(self, seconds: float) -> None:
        """Let callbacks run for a time [s]: the pace of a stream, never a wait for an event."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # always the same: with another timeout rclpy begins again with the first subscription,
            # and receives nothing but a stream without pauses
            self._executor.spin_once(timeout_sec=0.001)

    def paced(self, messages: int, node: str = 'inverse_dynamics') -> Iterator[int]:
        """Count the messages of a stream; the node is never far behind, in the end not at all."""
        for number in range(messages):
            yield number
            if number % MOST_AHEAD == MOST_AHEAD - 1:
                self._answered(node)
        self.caught_up(node)

    def introduced(self, node: str = 'inverse_dynamics') -> None:
        """Wait until a node knows every publisher and subscription that this one has."""
        self._clients[node] = self.node.create_client(GetParameters, f'{node}/get_parameters')
        self.caught_up(node)

    def caught_up(self, node: str = 'inverse_dynamics') -> None:
        """Wait until a node has taken in what was published, and its messages are received."""
        self._answered(node)
        silent = 0
        while silent < 20:
            before = self._received
            self._executor.spin_once(timeout_sec=0.001)
            silent = silent + 1 if self._received == before else 0

    def _answered(self, node: str) -> None:
        self.responds(self._clients[node], node, PATIENCE)

    def wait(self, condition: Callable[[], object], timeout: float = PATIENCE,
             what: str = 'such event', meanwhile: Callable[[], None] = lambda: None) -> None:
        """Let callbacks run until the condition holds; an error after `timeout` [s]."""
        super().wait(lambda: holds(condition), timeout, what, meanwhile)

    def call(self, kind: Any, service: str, timeout: float = PATIENCE,
             meanwhile: Callable[[], None] = lambda: None) -> Any:
        return super().call(kind, service, timeout, meanwhile)

    def client(self, kind: Any, service: str, timeout: float = PATIENCE,
               meanwhile: Callable[[], None] = lambda: None) -> Any:
        return super().client(kind, service, timeout, meanwhile)

    def ask(self, kind: Any, service: str, **fields: Any) -> Any:
        """Call a service with these fields of its request."""
        return super().call(kind, service, PATIENCE, request=kind.Request(**fields))

    def set_parameter(self, name: str, node: str = 'inverse_dynamics', **value: Any) -> Any:
        return self.ask(SetParameters, f'{node}/set_parameters', parameters=[
            Parameter(name=name, value=ParameterValue(**value))]).results[0]

    def describe(self, text: str) -> Any:
        """Publish a robot description, latched, and return the publisher."""
        publisher = self.publisher(String, 'robot_description', LATCHED)
        publisher.publish(String(data=text))
        return publisher
