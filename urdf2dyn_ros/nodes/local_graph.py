"""A DDS graph of this computer alone, and nodes of this package in it as child processes."""

import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import NodeNameNonExistentError
from rclpy.qos import QoSProfile

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.system import child_environment

# ---- A DDS graph of this computer alone, without network and other robots, and a node in it

_LAST_DOMAIN = 101   # above it, ports are among the ephemeral ones of the system
_DISCOVERY_TIME = 0.5   # of other nodes in a domain of this computer [s]
_DISCOVERED_PARTICIPANTS = 10   # DDS participants of a domain that are found by their ports
_LOST_RESPONSE_TIME = 2.0   # [s]; it was sent before the client was discovered


class Client:
    """
    A node that subscribes to others and calls their services, spun only while it waits.

    It has a context of its own, which installs no signal handler: Ctrl-C remains the caller's.
    """

    def __init__(self, name: str, domain: int) -> None:
        self._context = rclpy.Context()
        self._context.init(domain_id=domain)
        self.node: Any = rclpy.create_node(name, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def subscribe(self, kind: Any, topic: str, callback: Callable[[Any], None],
                  qos: QoSProfile | int = 10) -> None:
        """Subscribe; the callback runs during `wait`."""
        self.node.create_subscription(kind, topic, callback, qos)

    def wait(self, condition: Callable[[], object], timeout: float, what: str,
             meanwhile: Callable[[], None] = lambda: None) -> None:
        """
        Run callbacks until the condition holds, else raise a TimeoutError after `timeout` [s].

        The noun `what` is for its text. `meanwhile` is called several times a second, and may
        raise.
        """
        deadline = time.monotonic() + timeout
        while not condition():
            meanwhile()
            if time.monotonic() > deadline:
                raise TimeoutError(f'no {what} within {timeout:g} s')
            self._executor.spin_once(timeout_sec=0.05)

    def call(self, kind: Any, service: str, timeout: float,
             meanwhile: Callable[[], None] = lambda: None, request: Any = None) -> Any:
        """Call a service; without a response in time, raise a TimeoutError."""
        client = self.client(kind, service, timeout, meanwhile)
        response = client.call_async(request or kind.Request())
        self.wait(response.done, timeout, f'response of service {service}', meanwhile)
        return response.result()

    def client(self, kind: Any, service: str, timeout: float,
               meanwhile: Callable[[], None] = lambda: None) -> Any:
        """
        Return a client of a service whose node has discovered it.

        A response that is sent before the client is discovered is lost, and a client that finds
        its service ready would wait for ever.
        """
        client = self.node.create_client(kind, service)
        self.wait(client.service_is_ready, timeout, f'service {service}', meanwhile)
        name = self.node.resolve_service_name(service)
        self.wait(lambda: self._offering(name), timeout, f'node with the service {service}',
                  meanwhile)
        self.discovered(self._offering(name)[0], timeout, meanwhile)
        return client

    def discovered(self, node: str, timeout: float, meanwhile: Callable[[], None]) -> None:
        """
        Wait until a node has discovered all publishers, subscriptions and clients of this one.

        DDS announces them in their order: a node that responds to a newer client has discovered
        the others.
        """
        newer = self.node.create_client(GetParameters, f'{node}/get_parameters')
        self.responds(newer, node, timeout, meanwhile)
        self.node.destroy_client(newer)

    def responds(self, client: Any, node: str, timeout: float,
                 meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait until a node responds to a client of its parameters; calls may be repeated."""
        self.wait(client.service_is_ready, timeout, f'service of {node}', meanwhile)
        responses: list[Any] = []
        last_request = -math.inf

        def request() -> None:
            nonlocal last_request
            meanwhile()
            if time.monotonic() > last_request + _LOST_RESPONSE_TIME:
                responses.append(client.call_async(GetParameters.Request()))
                last_request = time.monotonic()

        self.wait(lambda: any(response.done() for response in responses), timeout,
                  f'response of {node}', request)

    def _offering(self, service: str) -> list[str]:
        """Return the nodes that offer a service, with their namespaces."""
        nodes = []
        for name, namespace in self.node.get_node_names_and_namespaces():
            try:
                offered = self.node.get_service_names_and_types_by_node(name, namespace)
            except NodeNameNonExistentError:   # it has just ended
                continue
            if any(each == service for each, _ in offered):
                nodes.append(f'{namespace.rstrip("/")}/{name}')
        return nodes


def keep_local() -> None:
    """Confine DDS of this process and its children to this computer, whatever the setting."""
    for name in ('ROS_STATIC_PEERS', 'ROS_DISCOVERY_SERVER'):
        os.environ.pop(name, None)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # Humble knows only the older variable, which later distributions warn of
    if os.environ.get('ROS_DISTRO') == 'humble':
        os.environ['ROS_LOCALHOST_ONLY'] = '1'


def join_empty_domain(name: str) -> tuple[Client, int]:
    """
    Return a node of this name in a domain without other nodes, and the domain.

    Raises
    ------
    OSError
        All domains of this computer are in use.

    """
    keep_local()
    for attempt in range(_LAST_DOMAIN):
        domain = (os.getpid() + attempt) % _LAST_DOMAIN + 1
        if str(domain) == os.environ.get('ROS_DOMAIN_ID') or _in_use(domain):
            continue
        client = Client(name, domain)
        end = time.monotonic() + _DISCOVERY_TIME
        client.wait(lambda: time.monotonic() > end, 2.0 * _DISCOVERY_TIME, 'end of discovery')  # noqa: B023
        if client.node.get_node_names() == [name]:
            return client, domain
        client.close()
    raise OSError(f'the ROS domains 1 to {_LAST_DOMAIN} of this computer are all in use: end the '
                  'nodes of one, which `ros2 node list` shows where ROS_DOMAIN_ID is its number')


def _in_use(domain: int) -> bool:
    """
    Return whether participants of this computer receive in a domain, by the ports they took.

    They have RTPS's ports 7400 + 250 domain + 10 + 2 participant (OMG DDSI-RTPS 2.5, 9.6.2.4).
    Discovery takes longer than anyone would wait where the computer is busy.
    """
    for participant in range(_DISCOVERED_PARTICIPANTS):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', 7400 + 250 * domain + 10 + 2 * participant))
            except OSError:
                return True
    return False


# ---- A node of this package as a child process: started, its output kept, stopped

# signals to stop a child, and the time [s] for its end: on a busy machine DDS ends slowly
_STOPS = ((signal.SIGINT, 20.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))

_LINES_KEPT = 500
_LINES_SHOWN = 15


class ChildError(Urdf2DynError):
    """A child process that ended too early, or with an error."""


class ChildProcess:
    """
    A Python module run by this interpreter, its output kept line by line.

    It has the environment of this process with additions, and a session of its own, so that a
    Ctrl-C in the terminal reaches only the parent, which then stops its children in order.
    """

    def __init__(self, module: str, arguments: Sequence[str] = (),
                 environment: Mapping[str, str] | None = None) -> None:
        self.name = module.rpartition('.')[2]
        self.lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._process = self._start(module, arguments, child_environment(environment))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @staticmethod
    def _start(module: str, arguments: Sequence[str],
               environment: Mapping[str, str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, '-u', '-m', module, *arguments], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors='replace', start_new_session=True)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip('\n'))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the number of the signal that killed it."""
        return self._process.poll()

    @property
    def output(self) -> str:
        """Its last lines, standard output and errors together."""
        return '\n'.join(list(self.lines))

    @property
    def tail(self) -> str:
        """Its last few lines, indented."""
        lines = list(self.lines)[-_LINES_SHOWN:] or ['(none)']
        return '\n'.join(f'  | {line}' for line in lines)

    def send(self, number: int) -> None:
        """Send a signal, unless it has ended already."""
        if self.exit_code is None:
            self._process.send_signal(number)

    def wait(self, timeout: float) -> int | None:
        """Return the exit code, None if it still runs after `timeout` [s]."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join(1.0)
        return code


def stop_all(children: Sequence[ChildProcess]) -> None:
    """
    Stop the children, those that started last first: SIGINT, then SIGTERM, then SIGKILL.

    No two end at the same time: Fast DDS from PyPI waits forever if it deletes its participant
    while it processes the end of another one (eProsima/Fast-DDS, issue 6513).
    """
    for child in reversed(children):
        for number, patience in _STOPS:
            child.send(number)
            if child.wait(patience) is not None:
                break


def check_running(children: Sequence[ChildProcess]) -> None:
    """Raise a ChildError if a child has ended."""
    for child in children:
        if child.wait(0.0) is not None:
            raise ChildError(f'node {child.name} ended with exit code {child.exit_code}; its last '
                             f'lines:\n{child.tail}')


def check_exit_codes(children: Sequence[ChildProcess]) -> None:
    """Raise a ChildError if a child ended with an error."""
    for child in children:
        if child.exit_code != 0:
            raise ChildError(f'node {child.name} did not end cleanly (exit code '
                             f'{child.exit_code}); its last lines:\n{child.tail}')
