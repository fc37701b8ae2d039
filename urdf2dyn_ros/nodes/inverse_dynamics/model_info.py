"""The topic ~/model_info: the active model as a text for people, latched."""

import traceback

from std_msgs.msg import String

from urdf2dyn_ros.information import information, information_text
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import BuiltModel
from urdf2dyn_ros.nodes.qos import latched
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.status.monitor import CHECK_PERIOD, Monitor

_Written = tuple[BuiltModel, tuple[str, str]]
"""A model, its facts and its warnings."""


class ModelInfo:
    """
    Publishes the text of every model that becomes active, and again with its first effort's stamp.

    A worker writes it, which takes longer than building the model: it counts the operations of
    both styles.
    """

    def __init__(self, endpoints: Endpoints, monitor: Monitor, worker: Worker) -> None:
        self._node, self._monitor, self._worker = endpoints.node, monitor, worker
        # each replaced as a whole, by the worker and by the thread that spins
        self._written: _Written | None = None
        self._used: tuple[BuiltModel, int] | None = None
        self._published = ''
        self._topic = endpoints.node.create_publisher(String, '~/model_info', latched())
        # published by the thread that spins: while the worker writes, the node may be destroyed
        endpoints.timer(CHECK_PERIOD, self._publish)

    def write(self, model: BuiltModel) -> None:
        """Have the text of a model written, and published then."""
        self._worker.submit(lambda: (model, _text(model.dynamics)), self._take)

    def use(self, model: BuiltModel, stamp: int) -> None:
        """Note the stamp of an output [ns], if it is the first one of a model."""
        if self._used is None or self._used[0] is not model:
            self._used = model, stamp

    def _take(self, written: _Written | None, error: Exception | None) -> None:
        if written is not None:
            self._written = written
        elif error is not None:
            defect = ''.join(traceback.format_exception(error))
            self._monitor.failed(defect)
            self._node.get_logger().error(f'no model_info, this is a defect:\n{defect}')

    def _publish(self) -> None:
        if self._written is None:
            return
        (model, (facts, warnings)), used = self._written, self._used
        first = 'none yet'
        if used is not None and used[0] is model:
            first = '{}.{:09}'.format(*divmod(used[1], SECOND_NS))
        text = f'{facts}\nstamp of its first efforts [s]: {first}\n\nwarnings:\n{warnings}'
        if text != self._published:
            self._published = text
            self._topic.publish(String(data=text))


def _text(dynamics: InverseDynamics) -> tuple[str, str]:
    facts = information(dynamics.model, dynamics.gravity_vector, dynamics.loads)
    return information_text(facts), '\n'.join(facts['warnings'] or ['none'])
