"""The topics ~/status, /diagnostics and ~/model_info."""

import traceback
from collections import Counter
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_msgs.msg import String

from urdf2dyn_ros.codegen.information import information, information_text
from urdf2dyn_ros.estimation.status import (
    CHECK_PERIOD,
    FaultLog,
    Monitor,
    NodeState,
    input_status,
    model_status,
    output_status,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import Endpoints, Worker, latched
from urdf2dyn_ros.nodes.messages import diagnostic_status
from urdf2dyn_ros.nodes.models import BuiltModel
from urdf2dyn_ros.text import SECOND_NS

# ---- The topics ~/status and /diagnostics, published once a second

class StatusPublisher:
    """Publishes the figures of a monitor with their level, on /diagnostics if that is enabled."""

    def __init__(self, endpoints: Endpoints, monitor: Monitor, state: Callable[[], NodeState],
                 diagnostics: bool) -> None:
        self._endpoints, self._monitor, self._state = endpoints, monitor, state
        node = endpoints.node
        # with the namespace, by which the two arms of a robot are distinguished on /diagnostics
        self._name = node.get_fully_qualified_name().lstrip('/')
        self._counted: Counter[str] = Counter()
        self._faults = FaultLog()
        self._topics = [node.create_publisher(DiagnosticArray, '~/status', 10)]
        if diagnostics:
            self._topics.append(node.create_publisher(DiagnosticArray, '/diagnostics', 10))
        endpoints.timer(CHECK_PERIOD, self._check)

    def _check(self) -> None:
        if not self._monitor.due:
            return
        figures, state = self._monitor.report(), self._state()
        grown: Counter[str] = Counter()
        if state.stream is not None:
            grown = state.stream.counters - self._counted
            self._counted = state.stream.counters.copy()
        robot = '' if state.dynamics is None else state.dynamics.model.name
        message = DiagnosticArray()
        message.header.stamp = self._endpoints.node.get_clock().now().to_msg()
        message.status = [diagnostic_status(status, self._name, robot) for status in (
            model_status(state),
            input_status(state, figures, grown, self._endpoints.publishers('joint_states')),
            output_status(state, figures, grown),
            *filter(None, (state.contact, state.wrench)))]
        for topic in self._topics:
            topic.publish(message)
        self._log(message.status[1], state, grown)

    def _log(self, input_: DiagnosticStatus, state: NodeState, grown: Counter[str]) -> None:
        """Log samples that are dropped or not credible, at once and then now and then."""
        logger, faults = self._endpoints.node.get_logger(), self._faults
        counts = ', '.join(f'{key} {number}' for key, number in grown.items() if number)
        logger.debug(f'joint states since the last such line: {counts or "none"}')
        unknown = () if state.stream is None else state.stream.unknown_joints
        while state.stream is not None and state.stream.held.notices:
            logger.warning(state.stream.held.notices.pop(0))
        for line in (*faults.warned(state.warnings), *faults.counted(grown),
                     *faults.unknown(unknown)):
            if line.warning:   # rclpy binds a place in the code to one severity
                logger.warning(line.text)
            else:
                logger.info(line.text)
        if input_.level == DiagnosticStatus.ERROR:
            logger.error(input_.message, throttle_duration_sec=10.0)


# ---- The topic ~/model_info: the active model as a text for people, latched

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
