"""The node effort_comparison: measured against computed effort, live, and a report of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from urdf2dyn_ros.comparison.comparison import Comparison, GravityEfforts
from urdf2dyn_ros.comparison.figures_text import joint_status
from urdf2dyn_ros.comparison.files import write_report_in_child
from urdf2dyn_ros.comparison.joint_comparison import JointComparison
from urdf2dyn_ros.comparison.report import table
from urdf2dyn_ros.comparison.robot_facts import gravity_of, robot_facts
from urdf2dyn_ros.comparison.semantics import SEMANTICS, JointFacts
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.conversions import nanoseconds
from urdf2dyn_ros.nodes.diagnostics import diagnostic_status
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.running import run
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.gravity import GRAVITY_PARAMETER
from urdf2dyn_ros.urdf.reader import read_urdf

PARAMETERS = (
    Parameter('effort_semantics', 'net', 'What the measured effort is: ' + '; '.join(
        f'{name}: {row.meaning}' for name, row in SEMANTICS.items()) + '. Efforts computed with '
              'friction.enabled have the friction already: they compare as net.',
        choices=tuple(SEMANTICS), read_only=True),
    Parameter('current_gains', (1.0,), 'Effort of a joint by its current: one for all, or one '
              'each in the order of the computed efforts.', unit='N m/A or N/A', read_only=True,
              any_length=True),
    Parameter('window', 10.0, 'Length of the sliding window.', unit='s', minimum=0.5,
              maximum=3600.0, read_only=True),
    Parameter('samples', 60_000, 'Samples kept of each joint for pictures and tables, the '
              'newest; figures of the total cover all.', minimum=1000, maximum=10_000_000,
              read_only=True),
    Parameter('lag.search', 0.1, 'A constant lag of the measurement is looked for up to this, '
              'and aligned; below 1 ms: none is.', unit='s', minimum=0.0, maximum=0.5,
              read_only=True),
    Parameter('still_velocity', 0.005, 'Up to this a joint counts as resting, and nothing is '
              'learnt about its friction.', unit='rad/s or m/s', minimum=0.0, maximum=10.0,
              read_only=True),
    replace(GRAVITY_PARAMETER, read_only=True,
            meaning=GRAVITY_PARAMETER.meaning + ' For gravity_compensated efforts.'),
    Parameter('report.directory', '.', 'Where save_report writes efforts.csv, efforts.json, '
              'efforts.png and efforts.html; made if it is not there.'),
    Parameter('progress_period', 5.0, 'Time between two lines of progress.', unit='s',
              minimum=0.1, maximum=3600.0, read_only=True),
)

MEASURED, COMPUTED = 'joint_states', 'inverse_dynamics/efforts'

STATUS_PERIOD = 1.0
"""Between two messages on ~/comparison [s]."""

PATIENCE, REMINDER = 5, 30
"""Periods without a common joint, or without anything new, until it is said; and said again."""

BEST_EFFORT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
RELIABLE = QoSProfile(depth=1000)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Robot(NamedTuple):
    """What a description says that the comparison wants to know."""

    name: str
    facts: dict[str, JointFacts]
    gravity: GravityEfforts | None


class EffortComparison(Node):
    """
    Listens to both efforts and says how far they are apart.

    Descriptions are read in a worker thread, and reports drawn in a process that it waits for;
    everything else runs in the one thread that spins.

    """

    def __init__(self) -> None:
        super().__init__('effort_comparison')
        self.parameters = NodeParameters(self, PARAMETERS)
        values = self.parameters.values
        self._comparison = Comparison(
            values['samples'], values['window'], values['effort_semantics'],
            values['current_gains'], values['lag.search'], values['still_velocity'])
        # each does the newest of its own jobs
        self._reader, self._drawer = (Worker(lambda job: barrier(self, job)) for _ in range(2))
        self._robot: Robot | None = None
        self._newest_robot: Robot | None = None
        self._description = ''
        self._drawing = False
        self._compared: dict[str, tuple[int, int]] = {}
        self._strange = 0
        self._name = self.get_fully_qualified_name().lstrip('/')
        self._publisher = self.create_publisher(DiagnosticArray, '~/comparison', 10)
        self.create_subscription(JointState, MEASURED, self._taker(self._take_measured),
                                 BEST_EFFORT)
        self.create_subscription(JointState, COMPUTED, self._taker(self._take_computed),
                                 RELIABLE)
        self.create_subscription(String, 'robot_description', barrier(self, self._describe),
                                 LATCHED)
        # in the node's own group it would keep all others out until the report is drawn
        self.create_service(Trigger, '~/save_report', self._save_report,
                            callback_group=ReentrantCallbackGroup())
        # the node's own clock may be simulated, and stand still or be set back
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(STATUS_PERIOD, barrier(self, self._publish), clock=steady)
        self.create_timer(values['progress_period'], barrier(self, self._log_progress),
                          clock=steady)

    # ---- the data

    def _taker(self, take: Callable[[int, JointState], None]) -> Callable[..., None]:
        def guarded(message: JointState) -> None:
            # Efforts that cannot be told to belong to a joint or an instant are no measurement.
            stamp = nanoseconds(message.header.stamp)
            if stamp and len(message.effort) == len(message.name):
                self._take_robot()
                take(stamp, message)

        return barrier(self, guarded)

    def _take_measured(self, stamp: int, message: JointState) -> None:
        self._comparison.add_measured(stamp, message.name, message.effort)

    def _take_computed(self, stamp: int, message: JointState) -> None:
        count = len(message.name)
        self._comparison.add_computed(
            stamp, message.name, message.effort,
            message.position if len(message.position) == count else (),
            message.velocity if len(message.velocity) == count else ())

    # ---- the robot

    def _describe(self, message: String) -> None:
        if message.data == self._description:
            return
        self._description = text = message.data
        gravity = self.parameters.values['gravity']
        needed = SEMANTICS[self.parameters.values['effort_semantics']].gravity
        self._reader.submit(lambda: _robot(text, gravity, needed), self._described)

    def _described(self, robot: Robot | None, error: Exception | None) -> None:
        """Keep what the worker made of a description."""
        if robot is not None:
            self._newest_robot = robot
        else:
            first, *_ = (str(error) or repr(error)).splitlines()
            self.get_logger().warning(f'the robot description is not used: {first}')

    def _take_robot(self) -> None:
        """Have the comparison start afresh with another robot."""
        if self._newest_robot is self._robot or self._newest_robot is None:
            return
        self._robot = self._newest_robot
        self._comparison.describe(self._robot.facts, self._robot.gravity)
        self.get_logger().info(f'robot {self._robot.name!r}: the comparison starts afresh')

    # ---- what is said

    def _publish(self) -> None:
        """Publish the figures of every joint, and what is strange about the names."""
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
        self._check_names()

    def _is_stale(self, joint: JointComparison) -> bool:
        """Tell whether nothing of a joint has been compared for some periods."""
        samples, periods = self._compared.get(joint.joint, (-1, 0))
        now = joint.total.unaligned.samples
        periods = periods + 1 if now == samples else 0
        self._compared[joint.joint] = now, periods
        return periods >= PATIENCE

    def _check_names(self) -> None:
        measured, computed = self._comparison.names
        strange = bool(measured and computed and not set(measured) & set(computed))
        self._strange = self._strange + 1 if strange else 0
        if self._strange >= PATIENCE and (self._strange - PATIENCE) % REMINDER == 0:
            self.get_logger().warning(
                f'no joint is both measured and computed: {self.resolve_topic_name(MEASURED)} '
                f'has {_listed(measured)}; {self.resolve_topic_name(COMPUTED)} has '
                f'{_listed(computed)}')

    def _log_progress(self) -> None:
        joints = self._comparison.joints(samples=False)
        if not joints:
            self.get_logger().info(f'nothing on topic {self.resolve_topic_name(COMPUTED)} yet')
            return
        doubtful = [joint for joint in joints if joint.doubt]
        credible = [joint for joint in joints if joint.figures.nrmse == joint.figures.nrmse]
        parts = [f'{len(joints)} joints']
        if credible:
            worst = max(credible, key=lambda joint: joint.figures.nrmse)
            parts.append(f'{worst.figures.samples} samples, largest NRMSE '
                         f'{100.0 * worst.figures.nrmse:.3g} % ({worst.joint})')
        if doubtful:
            parts.append(f'{len(doubtful)} not credible ({doubtful[0].joint}: '
                         f'{doubtful[0].doubt})')
        self.get_logger().info('; '.join(parts))

    # ---- the report

    async def _save_report(self, request: Trigger.Request, response: Trigger.Response,
                           ) -> Trigger.Response:
        if self._drawing:
            response.message = 'busy: another report is being drawn; call again'
            return response
        self._drawing = True
        try:
            directory = Path(self.parameters.values['report.directory']).expanduser().absolute()
            joints = self._comparison.joints()
            title, about = self._words()
            answer = Future(executor=self.executor)
            # a sleeping executor is woken by a callback of the future, not by its result alone
            answer.add_done_callback(lambda done: None)
            self._drawer.submit(lambda: write_report_in_child(joints, directory, title, about),
                                lambda paths, error: answer.set_result((paths, error)))
            paths, error = await answer
            response.success = error is None
            response.message = (f'no report in {directory}: {error}' if paths is None else
                                '\n'.join([*map(str, paths), '', table(joints)]))
        except Exception as error:  # whatever it is, the caller gets an answer
            response.message = f'no report: {error}'
        finally:
            self._drawing = False
        return response

    def _words(self) -> tuple[str, list[str]]:
        """Return the title of a report, and what was compared."""
        robot = '' if self._robot is None else f'{self._robot.name}: '
        name = self.parameters.values['effort_semantics']
        return f'{robot}measured and computed efforts', [
            f'Measured: {self.resolve_topic_name(MEASURED)}; computed: '
            f'{self.resolve_topic_name(COMPUTED)}. The measured effort is taken for {name}: '
            f'{SEMANTICS[name].meaning}.']


def _robot(text: str, gravity: tuple[float, float, float], needed: bool) -> Robot:
    """Read a description; gravity is only worked out where it is needed."""
    model = read_urdf(text)
    return Robot(model.name, robot_facts(model),
                 gravity_of(InverseDynamics(model, gravity, base='fixed')) if needed else None)


def _listed(names: Sequence[str], most: int = 20) -> str:
    more = f' and {len(names) - most} more' if len(names) > most else ''
    return ', '.join(names[:most]) + more


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code."""
    return run(EffortComparison, arguments)


if __name__ == '__main__':
    sys.exit(main())
