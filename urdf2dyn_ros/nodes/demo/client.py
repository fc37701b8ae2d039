"""A node that subscribes to others and calls their services, spun only while it waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile


class Client:
    """
    A node in a DDS domain that the caller chooses.

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
        Run callbacks until the condition holds.

        Parameters
        ----------
        condition : callable
            Returns whether to stop.
        timeout : float
            [s].
        what : str
            A noun for what is waited for.
        meanwhile : callable
            Called several times a second; may raise.

        Raises
        ------
        TimeoutError
            If the condition does not hold in time.

        """
        deadline = time.monotonic() + timeout
        while not condition():
            meanwhile()
            if time.monotonic() > deadline:
                raise TimeoutError(f'no {what} within {timeout:g} s')
            self._executor.spin_once(timeout_sec=0.05)

    def call(self, kind: Any, service: str, timeout: float,
             meanwhile: Callable[[], None] = lambda: None) -> Any:
        """
        Call a service without arguments and return its response.

        Raises
        ------
        TimeoutError
            If there is no such service, or no response, in time.

        """
        client = self.node.create_client(kind, service)
        self.wait(client.service_is_ready, timeout, f'service {service}', meanwhile)
        response = client.call_async(kind.Request())
        self.wait(response.done, timeout, f'response of service {service}', meanwhile)
        return response.result()
