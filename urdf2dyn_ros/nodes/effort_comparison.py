"""The node `effort_comparison`: measured against computed effort, live, and a report of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.comparison.plots import plot_comparison
from urdf2dyn_ros.comparison.report import table, write_csv, write_json
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.joints import DECOMPOSED, JOINTS
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.running import run
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.urdf.reader import read_urdf

PARAMETERS = (
    Parameter('report.directory', '.', 'Where save_report writes efforts.csv, efforts.json and '
              'efforts.png; made if it is not there.'),
    Parameter('samples', 60_000, 'Samples kept of each joint, the newest.', minimum=100,
              maximum=10_000_000, read_only=True),
    Parameter('progress_period', 5.0, 'Time between two lines of progress.', unit='s',
              minimum=0.1, maximum=3600.0, read_only=True),
)

MEASURED, COMPUTED = 'joint_states', 'inverse_dynamics/efforts'

BEST_EFFORT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
RELIABLE = QoSProfile(depth=1000)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class EffortComparison(Node):
    """Listens to both efforts and says how far they are apart."""

    def __init__(self) -> None:
        super().__init__('effort_comparison')
        self.parameters = NodeParameters(self, PARAMETERS)
        self._comparison = Comparison(self.parameters.values['samples'])
        self._title = 'measured and computed efforts'
        self.create_subscription(
            JointState, MEASURED, barrier(self, self._taker(self._comparison.add_measured)),
            BEST_EFFORT)
        self.create_subscription(
            JointState, COMPUTED, barrier(self, self._taker(self._comparison.add_computed)),
            RELIABLE)
        self.create_subscription(String, 'robot_description',
                                 barrier(self, self._take_units), LATCHED)
        self.create_service(Trigger, '~/save_report', self._save_report)
        self.create_timer(self.parameters.values['progress_period'],
                          lambda: barrier(self, self._log_progress)(None),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    @staticmethod
    def _taker(add: Callable[[int, Sequence[str], Sequence[float]], None]) -> Any:
        def take(message: JointState) -> None:
            # Efforts that cannot be told to belong to a joint or an instant are no measurement.
            if len(message.effort) != len(message.name):
                return
            stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            if stamp:
                add(stamp, message.name, message.effort)

        return take

    def _take_units(self, message: String) -> None:
        try:
            model = read_urdf(message.data)
        except Urdf2DynError:
            return  # the node that computes says what is wrong with it
        parts = [part for joint in model.joints
                 if joint.type in DECOMPOSED for part in DECOMPOSED[joint.type](joint)]
        self._comparison.units = {part.name: JOINTS[part.type].EFFORT_UNIT for part in parts}
        self._title = f'{model.name}: measured and computed efforts'

    def _log_progress(self, _: Any) -> None:
        joints = self._comparison.joints()
        if not joints:
            self.get_logger().info(f'nothing on topic {self.resolve_topic_name(COMPUTED)} yet')
            return
        doubtful = [joint for joint in joints if joint.doubt]
        credible = [joint for joint in joints if not joint.doubt]
        parts = [f'{len(joints)} joints']
        if credible:
            worst = max(credible, key=lambda joint: joint.nrmse)
            parts.append(f'{worst.samples} samples, largest NRMSE '
                         f'{100.0 * worst.nrmse:.3g} % ({worst.joint})')
        if doubtful:
            parts.append(f'{len(doubtful)} not credible ({doubtful[0].joint}: '
                         f'{doubtful[0].doubt})')
        self.get_logger().info('; '.join(parts))

    def _save_report(self, request: Any, response: Any) -> Any:
        directory = Path(self.parameters.values['report.directory']).expanduser().absolute()
        csv, json, png = (directory / f'efforts.{ending}' for ending in ('csv', 'json', 'png'))
        joints = self._comparison.joints()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            write_csv(joints, csv)
            write_json(joints, json)
            plot_comparison(joints, png, self._title)
        except Exception as error:  # whatever it is, the caller gets an answer
            response.success = False
            response.message = f'no report in {directory}: {error}'
            return response
        response.success = True
        response.message = '\n'.join([str(csv), str(json), str(png), '', table(joints)])
        return response


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code."""
    return run(EffortComparison, arguments)


if __name__ == '__main__':
    sys.exit(main())
