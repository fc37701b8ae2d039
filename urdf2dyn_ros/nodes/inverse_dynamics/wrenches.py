"""The subscriptions to the wrenches that act on links, and what the log says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.external_wrenches import ExternalWrenches
from urdf2dyn_ros.loads.load_parameters import WRENCH_TOPICS, external
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.conversions import nanoseconds, triple
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.status.monitor import CHECK_PERIOD


class Wrenches:
    """
    Hears the topics that the parameters external_wrenches.* name.

    Parameters
    ----------
    node : Node
    topics : Topics
        Of the node.
    values : mapping
        The parameters at the start.
    current : callable
        Returns who takes the messages, None without a model.
    failed : callable
        Called with the traceback of every error.

    Raises
    ------
    ParameterError
        For a name that no topic can have.

    """

    def __init__(self, node: Node, topics: Topics, values: Mapping[str, Any],
                 current: Callable[[], ExternalWrenches | None],
                 failed: Callable[[str], None]) -> None:
        self._node, self._current = node, current
        links = external(values)
        qos = QoSProfile(depth=values['queue_depth'], reliability=ReliabilityPolicy.BEST_EFFORT)
        for link, topic in links.items():
            try:
                topics.subscribe(WrenchStamped, topic, partial(self._hear, link), qos)
            except ParameterError as error:
                raise ParameterError(f'parameter {WRENCH_TOPICS.prefix}.{link}: {error}') from None
        if links:
            node.create_timer(CHECK_PERIOD, barrier(node, self._tell, failed),
                              clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _hear(self, link: str, message: WrenchStamped) -> None:
        current, wrench = self._current(), message.wrench
        if current is not None:
            current.receive(link, nanoseconds(message.header.stamp), message.header.frame_id,
                            triple(wrench.force), triple(wrench.torque))

    def _tell(self) -> None:
        current = self._current()
        for line in () if current is None else current.new_lines():
            self._node.get_logger().warning(line)
