"""A DDS graph of this computer alone, without network and other robots, and a node in it."""

import os
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

_LAST_DOMAIN = 101
"""ROS_DOMAIN_ID 1 to 101 have ports below the ephemeral ones of the system; 0 is the default."""

_DISCOVERY_TIME = 0.5
"""Time [s] to discover other nodes in a domain of this computer."""


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
             meanwhile: Callable[[], None] = lambda: None) -> Any:
        """Call a service without arguments; without a response in time, raise a TimeoutError."""
        client = self.node.create_client(kind, service)
        self.wait(client.service_is_ready, timeout, f'service {service}', meanwhile)
        response = client.call_async(kind.Request())
        self.wait(response.done, timeout, f'response of service {service}', meanwhile)
        return response.result()


def keep_local() -> None:
    """Confine DDS of this process and its children to this computer, whatever the setting."""
    for name in ('ROS_STATIC_PEERS', 'ROS_DISCOVERY_SERVER'):
        os.environ.pop(name, None)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # Humble knows only the older variable, which later distributions warn of
    if os.environ.get('ROS_DISTRO') == 'humble':
        os.environ['ROS_LOCALHOST_ONLY'] = '1'


def join_empty_domain(name: str) -> tuple[Client, int]:
    """Return a node of this name in a domain without other nodes, and the domain."""
    keep_local()
    domain = os.getpid()
    while True:
        domain = domain % _LAST_DOMAIN + 1
        if str(domain) == os.environ.get('ROS_DOMAIN_ID'):
            continue
        client = Client(name, domain)
        end = time.monotonic() + _DISCOVERY_TIME
        client.wait(lambda: time.monotonic() > end, 2.0 * _DISCOVERY_TIME, 'end of discovery')  # noqa: B023
        if client.node.get_node_names() == [name]:
            return client, domain
        client.close()
