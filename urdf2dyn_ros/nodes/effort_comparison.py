"""The node effort_comparison: measured and computed efforts, compared live, and a report."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from urdf2dyn_ros.errors import ComparisonError, ExportError, Urdf2DynError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import (
    JobService,
    Worker,
    barrier,
    best_effort,
    diagnostic_status,
    latched,
    nanoseconds,
    own_directory,
    steady_timer,
)
from urdf2dyn_ros.nodes.runtime import NodeParameters, run_node
from urdf2dyn_ros.recordings.comparison import Comparison, JointComparison, gravity_of, robot_facts
from urdf2dyn_ros.recordings.measured_efforts import GAINS_PARAMETER, SEMANTICS, with_followers
from urdf2dyn_ros.recordings.report import (
    REPORT_FILES,
    comparison_table,
    joint_status,
    write_report_in_child,
)
from urdf2dyn_ros.robot.loads import GRAVITY_PARAMETER
from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.system import writing_to
from urdf2dyn_ros.text import EFFORT_SOURCES, Origin, counted, facts, first_names, quote

# ---- The parameters of the node effort_comparison

COMPARISON_PARAMETERS = (
    Parameter('effort_semantics', 'net', 'What the measured effort is: ' + '; '.join(
        f'{name}: {row.meaning}' for name, row in SEMANTICS.items()) + '. Efforts computed with '
              'friction.enabled include friction: they compare as net.',
        choices=tuple(SEMANTICS), read_only=True),
    replace(GAINS_PARAMETER, read_only=True),
    Parameter('efforts', EFFORT_SOURCES[0], 'Where the measured efforts come from, as the report '
              'names them.', choices=EFFORT_SOURCES, read_only=True),
    Parameter('window', 10.0, 'Length of the sliding window.', unit='s', minimum=0.5,
              maximum=3600.0, read_only=True),
    Parameter('samples', 60_000, 'Newest samples of each joint that are kept for pictures, tables '
              'and the window; figures of the total cover all.', minimum=1000,
              maximum=10_000_000, read_only=True),
    Parameter('lag.search', 0.1, 'Longest constant lag of the measurement that is searched for '
              'and aligned; below 1 ms: none.', unit='s', minimum=0.0, maximum=0.5,
              read_only=True),
    Parameter('still_velocity', 0.005, 'Velocity up to which a joint rests: its friction is not '
              'fitted then.', unit='rad/s or m/s', minimum=0.0, maximum=10.0, read_only=True),
    replace(GRAVITY_PARAMETER, read_only=True,
            meaning=GRAVITY_PARAMETER.meaning + ' For gravity_compensated efforts.'),
    Parameter('report.directory', '.', 'Directory in which save_report writes efforts.csv, '
              "efforts.json, efforts.png and efforts.html, with a folder for the node's "
              'namespace; created if it does not exist.'),
    Parameter('report.overwrite', False, 'Replace the files of another report.'),
    Parameter('progress_period', 5.0, 'Time between two log lines with the progress.', unit='s',
              minimum=0.1, maximum=3600.0, read_only=True),
)


# ---- The node

MEASURED_TOPIC, COMPUTED_TOPIC = 'joint_states', 'inverse_dynamics/efforts'

_STATUS_PERIOD = 1.0   # between two messages on ~/comparison [s]
_LONGEST_APART = 1.0   # between the newest stamps of both topics [s]
_STALE_PERIODS = 5   # of these without a new pair, after which a joint is stale
_CHECKS_BEFORE_WARNING, _CHECKS_BETWEEN_WARNINGS = 5, 30   # of names that do not match
_QUEUE_DEPTH = 1000


class _Topic:
    """Takes the messages with efforts of a topic, and says why there are none."""

    def __init__(self, name: str) -> None:
        self.name, self.newest = name, 0   # stamp [ns]
        self._periods, self._fault = _STALE_PERIODS, 'nothing is received'   # since efforts

    def stamp(self, message: JointState) -> int:
        """Return the stamp of a message [ns]; 0 if its efforts belong to no instant or joint."""
        stamp, efforts, names = (
            nanoseconds(message.header.stamp), len(message.effort), len(message.name))
        if stamp and efforts == names:
            self._periods, self._fault, self.newest = 0, 'nothing is received', stamp
            return stamp
        self._fault = f'messages with {efforts} efforts for {counted(names, "name")}' if (
            stamp) else 'messages without a stamp'
        return 0

    def absence(self) -> str:
        """Return why there were no efforts for some of the periods at which this is called."""
        self._periods += 1
        return f'; {self.name}: {self._fault}' if self._periods > _STALE_PERIODS else ''

    def apart(self, other: '_Topic') -> str:
        """Return that its stamps are not those of another topic: pairs are of other instants."""
        later = (self.newest - other.newest) * 1e-9
        what = 'later' if later > 0.0 else 'earlier'
        return '' if abs(later) <= _LONGEST_APART else (
            f'; stamps on {self.name} are {abs(later):.3g} s {what} than on {other.name}: are the '
            'clocks synchronised?')


class EffortComparison(Node):
    """
    Compares measured and computed efforts, and publishes the figures.

    Reports are drawn in a process that a worker thread waits for; everything else runs in the one
    thread that spins.
    """

    def __init__(self) -> None:
        # so that a wrong name is rejected here: rclpy's message has none
        super().__init__('effort_comparison', allow_undeclared_parameters=True)
        self.parameters = NodeParameters(self, COMPARISON_PARAMETERS)
        values = self.parameters.values
        self._comparison = Comparison(
            values['samples'], values['window'], values['effort_semantics'],
            values['current_gains'], values['lag.search'], values['still_velocity'])
        self._newest = ''   # description, which may be rejected
        self._robot = self._description = ''   # name and text
        self._mimics: dict[str, Mimic] = {}
        self._compared: dict[str, tuple[int, int]] = {}   # pairs, and periods without a new one
        self._mismatches = 0   # checks in a row in which no joint was measured and computed
        self._measured, self._computed = (_Topic(self.resolve_topic_name(topic)) for topic in (
            MEASURED_TOPIC, COMPUTED_TOPIC))
        self._absence = ''   # why there are no efforts
        JobService(self, ['~/save_report']).open(
            Worker(self, partial(barrier, self)), self._report,
            lambda: 'busy: another report is being drawn; call again')
        self._publisher = self.create_publisher(DiagnosticArray, '~/comparison', 10)
        self.create_subscription(JointState, MEASURED_TOPIC, self._receiver(
            self._measured, lambda stamp, message: self._comparison.add_measured(
                stamp, message.name,
                with_followers(message.name, message.effort, self._mimics))),
            best_effort(_QUEUE_DEPTH))
        self.create_subscription(JointState, COMPUTED_TOPIC, self._receiver(
            self._computed, self._add_computed), QoSProfile(depth=_QUEUE_DEPTH))
        self.create_subscription(String, 'robot_description', barrier(self, self._read),
                                 latched())
        steady_timer(self, _STATUS_PERIOD, barrier(self, self._publish))
        steady_timer(self, values['progress_period'], barrier(self, self._log_progress))
        self.get_logger().info(f'compares the measured efforts of {self._measured.name} with the '
                               f'computed ones of {self._computed.name}, as they are received')

    # ---- efforts

    def _receiver(self, topic: _Topic, add: Callable[[int, JointState], None],
                  ) -> Callable[..., None]:
        def receive(message: JointState) -> None:
            if stamp := topic.stamp(message):
                add(stamp, message)

        return barrier(self, receive)

    def _add_computed(self, stamp: int, message: JointState) -> None:
        position, velocity = (values if len(values) == len(message.name) else ()
                              for values in (message.position, message.velocity))
        self._comparison.add_computed(stamp, message.name, message.effort, position, velocity)

    # ---- the robot

    def _read(self, message: String) -> None:
        """Reset the comparison if there is another robot."""
        if message.data == self._newest:
            return
        self._newest = message.data
        try:
            model = read_description(message.data)
            gravity = gravity_of(InverseDynamics(model, self.parameters.values['gravity'],
                                                 'python', base='fixed'))
        except Urdf2DynError as error:
            first, *_ = str(error).splitlines()
            self.get_logger().warning(f'the robot description is rejected: {first}')
            return
        self._robot, self._description, self._mimics = model.name, message.data, model.mimics
        self._comparison.describe(robot_facts(model), gravity)
        self.get_logger().info(f'robot {model.name!r}: the comparison is reset')

    # ---- figures

    def _publish(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        name = self.get_fully_qualified_name().lstrip('/')
        self._absence = self._measured.absence() + self._computed.absence()
        apart = '' if self._absence else self._measured.apart(self._computed)
        self._absence += apart
        joints = self._comparison.joints(samples=False)
        self._count_periods(joints)
        message.status = [diagnostic_status(joint_status(
            joint, self.parameters.values['window'],
            bool(apart) or self._compared[joint.joint][1] >= _STALE_PERIODS,
            self._absence), name, self._robot) for joint in joints]
        self._publisher.publish(message)
        measured, computed = self._comparison.names
        mismatch = bool(measured and computed and not set(measured) & set(computed))
        self._mismatches = self._mismatches + 1 if mismatch else 0
        late = self._mismatches - _CHECKS_BEFORE_WARNING
        if late >= 0 and late % _CHECKS_BETWEEN_WARNINGS == 0:
            self.get_logger().warning(
                'no joint is both measured and computed: '
                f'{self._measured.name} has {first_names(measured, 20)}; '
                f'{self._computed.name} has {first_names(computed, 20)}')

    def _count_periods(self, joints: Sequence[JointComparison]) -> None:
        """Count the periods in which no new pair of a joint was compared."""
        for joint in joints:
            samples, periods = self._compared.get(joint.joint, (-1, 0))
            now = joint.total.unaligned.samples
            self._compared[joint.joint] = now, periods + 1 if now == samples else 0

    def _log_progress(self) -> None:
        """Log the number of joints, the largest NRMSE and what is not credible."""
        joints = self._comparison.joints(samples=False)
        if not joints:
            self.get_logger().info(f'nothing on topic {self._computed.name} yet')
            return
        if self._absence:
            self.get_logger().warning('nothing to compare' + self._absence)
        not_credible = [joint for joint in joints if joint.fault]
        rated = [joint for joint in joints if joint.figures.nrmse == joint.figures.nrmse]
        parts = [counted(len(joints), 'joint')]
        if rated:
            worst = max(rated, key=lambda joint: joint.figures.nrmse)
            parts.append(f'{counted(worst.figures.samples, "sample")}, largest NRMSE '
                         f'{100.0 * worst.figures.nrmse:.3g} % ({worst.joint})')
        if not_credible:
            parts.append(f'{len(not_credible)} not credible ({not_credible[0].joint}: '
                         f'{not_credible[0].fault})')
        self.get_logger().info('; '.join(parts))

    # ---- the service ~/save_report

    def _report(self) -> Callable[[], str]:
        """Return what writes a report, in a worker that waits for the process that draws."""
        values = self.parameters.values
        try:
            directory = Path(own_directory(
                self, values['report.directory'])).expanduser().absolute()
        except RuntimeError as error:   # no such user
            raise ExportError(
                f'cannot write to {quote(values["report.directory"])}: {error}') from None
        with writing_to(directory):   # as of a name that is too long
            for name in () if values['report.overwrite'] else REPORT_FILES:
                if (directory / name).exists():
                    raise ExportError(f'{directory / name} exists, which may be your work: set '
                                      'the parameter report.directory to another one, or '
                                      'report.overwrite to true')
        joints = self._comparison.joints()
        source, semantics = values['efforts'], values['effort_semantics']
        title = (f'{self._robot}: ' if self._robot else '') + f'{source} and computed efforts'
        about = [f'{source.capitalize()}: {self._measured.name}; computed: {self._computed.name}. '
                 f'The {source} effort is taken as {semantics}: {SEMANTICS[semantics].meaning}.']
        topic = self._description and f'topic {self.resolve_topic_name("robot_description")}'
        origin = Origin(source, facts(
            f'service save_report of {self.get_fully_qualified_name()}', topic,
            self._description))

        def report() -> str:
            try:
                with writing_to(directory):
                    paths = write_report_in_child(joints, directory, title, about, origin)
            except ComparisonError as error:
                raise ComparisonError(f'no report in {directory}: {error}') from None
            return '\n'.join([*map(str, paths), '', comparison_table(joints)])

        return report


def main() -> int:
    """Run the node until a signal ends it."""
    return run_node(EffortComparison, COMPARISON_PARAMETERS)


if __name__ == '__main__':
    sys.exit(main())
