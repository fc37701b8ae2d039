"""The topics ~/status and /diagnostics: how the node is, once a second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.diagnostics import diagnostic_status
from urdf2dyn_ros.status.fault_log import FaultLog
from urdf2dyn_ros.status.monitor import CHECK_PERIOD, Monitor
from urdf2dyn_ros.status.node_status import NodeState, input_status, model_status, output_status


def publishers(node: Node, topic: str) -> list[str]:
    """Return who publishes a topic, with reliability and durability."""
    return [f'{info.node_namespace.rstrip("/")}/{info.node_name} '
            f'({info.qos_profile.reliability.name}, {info.qos_profile.durability.name})'
            for info in node.get_publishers_info_by_topic(node.resolve_topic_name(topic))]


class StatusPublisher:
    """
    Publishes what a monitor counted, and what that means.

    Parameters
    ----------
    node : Node
    monitor : Monitor
    state : callable
        Returns what is running at the moment.
    diagnostics : bool
        Whether to publish on /diagnostics too.

    """

    def __init__(self, node: Node, monitor: Monitor, state: Callable[[], NodeState],
                 diagnostics: bool) -> None:
        self._node, self._monitor, self._state = node, monitor, state
        # with the namespace, which tells two arms of one robot apart on /diagnostics
        self._name = node.get_fully_qualified_name().lstrip('/')
        self._counted: Counter[str] = Counter()
        self._complaints = FaultLog()
        self._topics = [node.create_publisher(DiagnosticArray, '~/status', 10)]
        if diagnostics:
            self._topics.append(node.create_publisher(DiagnosticArray, '/diagnostics', 10))
        # the node's own clock may be simulated, and stand still or be set back
        node.create_timer(CHECK_PERIOD, barrier(node, self._check, monitor.failed),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

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
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [diagnostic_status(status, self._name, robot) for status in (
            model_status(state),
            input_status(state, figures, grown, publishers(self._node, 'joint_states')),
            output_status(state, figures, grown),
            *filter(None, (state.contact,)))]
        for topic in self._topics:
            topic.publish(message)
        self._log(message.status[1], state, grown)

    def _log(self, input_: DiagnosticStatus, state: NodeState, grown: Counter[str]) -> None:
        """Say what is doubtful or left out, at once and then now and then."""
        logger, complaints = self._node.get_logger(), self._complaints
        unknown = () if state.stream is None else state.stream.unknown_joints
        for line in (*complaints.warned(state.warnings), *complaints.counted(grown),
                     *complaints.unknown(unknown)):
            if line.warning:   # rclpy takes a place in the code for one severity
                logger.warning(line.text)
            else:
                logger.info(line.text)
        if input_.level == DiagnosticStatus.ERROR:
            logger.error(input_.message, throttle_duration_sec=10.0)
