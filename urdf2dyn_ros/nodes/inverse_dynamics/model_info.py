"""The topic ~/model_info: the active model as a text for people, latched."""

import traceback
from collections import deque

from std_msgs.msg import String

from urdf2dyn_ros.information import information, information_text
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.qos import latched
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.status.monitor import CHECK_PERIOD, Monitor


class ModelInfo:
    """
    Publishes the text of every model that becomes active.

    A worker writes it, which takes longer than building the model: it counts the operations of
    both styles.

    """

    def __init__(self, endpoints: Endpoints, monitor: Monitor, worker: Worker) -> None:
        self._node, self._monitor, self._worker = endpoints.node, monitor, worker
        self._written: deque[str] = deque(maxlen=1)
        self._topic = endpoints.node.create_publisher(String, '~/model_info', latched())
        # published by the thread that spins: while the worker writes, the node may be destroyed
        endpoints.timer(CHECK_PERIOD, self._publish)

    def write(self, dynamics: InverseDynamics) -> None:
        """Have the text of a model written, and published then."""
        self._worker.submit(lambda: _text(dynamics), self._take)

    def _take(self, text: str | None, error: Exception | None) -> None:
        if text is not None:
            self._written.append(text)
        elif error is not None:
            defect = ''.join(traceback.format_exception(error))
            self._monitor.failed(defect)
            self._node.get_logger().error(f'no model_info, this is a defect:\n{defect}')

    def _publish(self) -> None:
        if self._written:
            self._topic.publish(String(data=self._written.popleft()))


def _text(dynamics: InverseDynamics) -> str:
    facts = information(dynamics.model, dynamics.gravity_vector, dynamics.loads)
    warnings = facts['warnings'] or ['none']
    return '\n'.join([information_text(facts), '', 'warnings:', *warnings])
