"""The topic ~/model_info: what the robot that runs consists of, for people, latched."""

from __future__ import annotations

import traceback
from collections import deque

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from urdf2dyn_ros.information import information, information_text
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.status.monitor import CHECK_PERIOD, Monitor

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)


class ModelInfo:
    """
    Tells every model that takes over.

    Parameters
    ----------
    node : Node
    monitor : Monitor
        Counts what fails.
    worker : Worker
        Writes the text, which takes longer than loading the model: it counts the operations of
        both styles.

    """

    def __init__(self, node: Node, monitor: Monitor, worker: Worker) -> None:
        self._node, self._monitor, self._worker = node, monitor, worker
        self._written: deque[str] = deque(maxlen=1)
        self._topic = node.create_publisher(String, '~/model_info', LATCHED)
        # the thread that spins publishes: for the worker the node may be gone at any moment
        node.create_timer(CHECK_PERIOD, barrier(node, self._publish, monitor.failed),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def tell(self, dynamics: InverseDynamics) -> None:
        """Publish the text of a model when it is written."""
        self._worker.submit(lambda: _text(dynamics), self._take)

    def _take(self, text: str | None, error: Exception | None) -> None:
        if text is not None:
            self._written.append(text)
        elif error is not None:
            told = ''.join(traceback.format_exception(error))
            self._monitor.failed(told)
            self._node.get_logger().error(f'no model_info, this is a defect:\n{told}')

    def _publish(self) -> None:
        if self._written:
            self._topic.publish(String(data=self._written.popleft()))


def _text(dynamics: InverseDynamics) -> str:
    found = information(dynamics.model, dynamics.gravity_vector, dynamics.loads)
    warnings = found['warnings'] or ['none']
    return '\n'.join([information_text(found), '', 'warnings:', *warnings])
