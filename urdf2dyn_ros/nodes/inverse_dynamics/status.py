"""The topics ~/status and /diagnostics, published once a second."""

from collections import Counter
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from urdf2dyn_ros.nodes.conversions import diagnostic_status
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.status.fault_log import FaultLog
from urdf2dyn_ros.status.monitor import CHECK_PERIOD, Monitor
from urdf2dyn_ros.status.node_state import NodeState
from urdf2dyn_ros.status.node_status import input_status, model_status, output_status


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
