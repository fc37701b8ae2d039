"""The node effort_comparison: measured and computed efforts, compared live, and a report."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from urdf2dyn_ros.comparison.comparison import Comparison, GravityEfforts
from urdf2dyn_ros.comparison.figures import JointComparison
from urdf2dyn_ros.comparison.figures_text import joint_status
from urdf2dyn_ros.comparison.robot_facts import gravity_of, robot_facts
from urdf2dyn_ros.comparison.semantics import SEMANTICS, JointFacts
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.callbacks import barrier, steady_timer
from urdf2dyn_ros.nodes.conversions import diagnostic_status, nanoseconds
from urdf2dyn_ros.nodes.effort_comparison.parameters import COMPARISON_PARAMETERS
from urdf2dyn_ros.nodes.effort_comparison.progress_log import ProgressLog
from urdf2dyn_ros.nodes.effort_comparison.report_service import ReportService
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.qos import best_effort, latched
from urdf2dyn_ros.nodes.running import run_node
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.urdf.reader import read_description

MEASURED_TOPIC, COMPUTED_TOPIC = 'joint_states', 'inverse_dynamics/efforts'

_STATUS_PERIOD = 1.0
"""Time between two messages on ~/comparison [s]."""

_STALE_PERIODS = 5
"""Status periods without a new pair after which a joint is stale."""

_QUEUE_DEPTH = 1000


class _Robot(NamedTuple):
    """Facts of a robot that the comparison uses."""

    name: str
    description: str
    facts: dict[str, JointFacts]
    gravity: GravityEfforts | None


class EffortComparison(Node):
    """
    Compares measured and computed efforts, and publishes the figures.

    Descriptions are read in a worker thread, and reports drawn in a process that another one
    waits for; everything else runs in the one thread that spins.
    """

    def __init__(self) -> None:
        # so that a wrong name is rejected here: rclpy's message has none
        super().__init__('effort_comparison', allow_undeclared_parameters=True)
        self.parameters = NodeParameters(self, COMPARISON_PARAMETERS)
        values = self.parameters.values
        self._comparison = Comparison(
            values['samples'], values['window'], values['effort_semantics'],
            values['current_gains'], values['lag.search'], values['still_velocity'])
        # one each: a worker drops a job for a newer one
        self._reader, drawer = (Worker(partial(barrier, self)) for _ in range(2))
        self._robot: _Robot | None = None
        self._newest_robot: _Robot | None = None
        self._description = ''
        self._compared: dict[str, tuple[int, int]] = {}
        self._name = self.get_fully_qualified_name().lstrip('/')
        topics = MEASURED_TOPIC, COMPUTED_TOPIC
        self._log = ProgressLog(self, self._comparison, topics)
        self._report = ReportService(self, self.parameters, self._comparison, drawer, topics)
        self._publisher = self.create_publisher(DiagnosticArray, '~/comparison', 10)
        self.create_subscription(JointState, MEASURED_TOPIC, self._receiver(
            lambda stamp, message: self._comparison.add_measured(
                stamp, message.name, message.effort)), best_effort(_QUEUE_DEPTH))
        self.create_subscription(JointState, COMPUTED_TOPIC, self._receiver(self._add_computed),
                                 QoSProfile(depth=_QUEUE_DEPTH))
        self.create_subscription(String, 'robot_description', barrier(self, self._read),
                                 latched())
        steady_timer(self, _STATUS_PERIOD, barrier(self, self._publish))
        steady_timer(self, values['progress_period'], barrier(self, self._log.log_progress))
        self._log.log_start()

    # ---- efforts

    def _receiver(self, add: Callable[[int, JointState], None]) -> Callable[..., None]:
        def receive(message: JointState) -> None:
            # without a stamp or with too few efforts, these belong to no instant or joint
            stamp = nanoseconds(message.header.stamp)
            if stamp and len(message.effort) == len(message.name):
                self._take_robot()
                add(stamp, message)

        return barrier(self, receive)

    def _add_computed(self, stamp: int, message: JointState) -> None:
        count = len(message.name)
        self._comparison.add_computed(
            stamp, message.name, message.effort,
            message.position if len(message.position) == count else (),
            message.velocity if len(message.velocity) == count else ())

    # ---- the robot

    def _read(self, message: String) -> None:
        if message.data == self._description:
            return
        self._description = text = message.data
        values = self.parameters.values
        needs_gravity = SEMANTICS[values['effort_semantics']].gravity
        self._reader.submit(lambda: _robot(text, values['gravity'], needs_gravity), self._keep)

    def _keep(self, robot: _Robot | None, error: Exception | None) -> None:
        """Keep what the worker read of a description, for the thread that spins."""
        if robot is not None:
            self._newest_robot = robot
        else:
            first, *_ = (str(error) or repr(error)).splitlines()
            self.get_logger().warning(f'the robot description is rejected: {first}')

    def _take_robot(self) -> None:
        """Reset the comparison if there is another robot."""
        if self._newest_robot is self._robot or self._newest_robot is None:
            return
        self._robot = self._newest_robot
        self._report.robot, self._report.description = self._robot.name, self._robot.description
        self._comparison.describe(self._robot.facts, self._robot.gravity)
        self.get_logger().info(f'robot {self._robot.name!r}: the comparison is reset')

    # ---- figures

    def _publish(self) -> None:
        """Publish the figures of every joint, and check the names."""
        self._take_robot()
        joints = self._comparison.joints(samples=False)
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        robot = '' if self._robot is None else self._robot.name
        window = self.parameters.values['window']
        message.status = [
            diagnostic_status(joint_status(joint, window, self._is_stale(joint)), self._name,
                              robot) for joint in joints]
        self._publisher.publish(message)
        self._log.check_names()

    def _is_stale(self, joint: JointComparison) -> bool:
        """Return whether no pair of a joint was compared for some periods."""
        samples, periods = self._compared.get(joint.joint, (-1, 0))
        now = joint.total.unaligned.samples
        periods = periods + 1 if now == samples else 0
        self._compared[joint.joint] = now, periods
        return periods >= _STALE_PERIODS


def _robot(text: str, gravity: tuple[float, float, float], needs_gravity: bool) -> _Robot:
    model = read_description(text)
    efforts = (gravity_of(InverseDynamics(model, gravity, 'python', base='fixed'))
               if needs_gravity else None)
    return _Robot(model.name, text, robot_facts(model), efforts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code."""
    return run_node(EffortComparison, arguments, COMPARISON_PARAMETERS)
