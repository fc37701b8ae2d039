"""A base that moves: what the node inverse_dynamics hears of it, and the wrench that it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Quaternion, Vector3, WrenchStamped
from sensor_msgs.msg import Imu, JointState

from support.free_flyer import FreeFlyer
from support.nodes.graph import Graph
from support.nodes.moving_robot import CENTRED, STEP, set_parameter, stamp_of
from support.robot_files import EXAMPLES
from support.streams.flying_robot import START, FloatingRobot, Pose, Seen, pose, waves
from urdf2dyn_ros import InverseDynamics, read_urdf

ALONE = next(EXAMPLES.rglob('borinot_flying_arm_2.urdf')).read_text()
FLOATING = ALONE.replace('</robot>', """<link name="odom"/>
    <joint name="flies" type="floating"><parent link="odom"/><child link="borinot__base_link"/>
    <origin xyz="1 2 3" rpy="0.3 -0.2 0.5"/></joint></robot>""")
MODEL = read_urdf(ALONE)
NAMES = InverseDynamics(MODEL).joint_names
TIP = 'flying_arm_2__ee'


def joints_at(stamp: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, qd, qdd (n,)."""
    return waves(len(NAMES), 3, 0.8, 1.0).at((stamp - START) * 1e-9)


def root_at(stamp: int) -> Pose:
    t = (stamp - START) * 1e-9
    return pose(waves(3, 1, 0.3, 1.0).at(t), waves(3, 2, 0.4, 1.0).at(t))


def imu(message: Any, seen: Seen, link: str) -> None:
    message.header.frame_id = link
    message.angular_velocity, message.linear_acceleration = map(vector, (seen.w, seen.f))


def odometry(message: Any, seen: Seen, link: str) -> None:
    message.header.frame_id, message.child_frame_id = 'odom', link
    message.pose.pose.orientation = Quaternion(**dict(zip('xyzw', seen.quaternion.tolist())))
    message.twist.twist.linear, message.twist.twist.angular = map(vector, (seen.v, seen.w))


def vector(entries: np.ndarray) -> Vector3:
    return Vector3(**dict(zip('xyz', entries.tolist())))


class Flight:
    """Joints and a sensor on a flying arm, and what the node makes of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.stamp = graph, START
        self.robot, self.oracle = FloatingRobot(ALONE), FreeFlyer(ALONE)
        self.joints = graph.publisher(JointState, 'joint_states')
        self.efforts = graph.messages(JointState, 'inverse_dynamics/efforts')
        self.wrenches = graph.messages(WrenchStamped, 'inverse_dynamics/base_wrench')
        self.status = graph.messages(DiagnosticArray, 'inverse_dynamics/status')
        graph.wait(lambda: self.joints.get_subscription_count() > 0)

    def sensor(self, kind: Any, topic: str) -> Any:
        """Return a publisher that the node hears."""
        publisher = self.graph.publisher(kind, topic)
        self.graph.wait(lambda: publisher.get_subscription_count() > 0)
        return publisher

    def move(self, samples: int, sensor: Any = None, fill: Callable[..., None] = imu,
             link: str = TIP, every: int = 1) -> None:
        """Publish samples of the joints, and of the sensor, if there is one, `every` so many."""
        for number in range(samples):
            self.stamp += STEP
            q, qd, qdd = joints_at(self.stamp)
            stamp = dict(zip(('sec', 'nanosec'), divmod(self.stamp, 10**9)))
            if sensor is not None and number % every == 0:
                self.robot.move(root_at(self.stamp), dict(zip(NAMES, zip(q, qd, qdd))))
                message = sensor.msg_type()
                message.header.stamp.sec, message.header.stamp.nanosec = stamp.values()
                fill(message, self.robot.seen(TIP), link)
                sensor.publish(message)
            state = JointState(name=NAMES, position=q.tolist(), velocity=qd.tolist())
            state.header.stamp.sec, state.header.stamp.nanosec = stamp.values()
            self.joints.publish(state)
            self.graph.spin(0.004)
        self.graph.spin(0.2)

    def settle(self, sensor: Any, fill: Callable[..., None]) -> None:
        """Move until efforts and wrench are those of Pinocchio's free flyer."""
        off = np.inf
        for _ in range(25):
            self.move(40, sensor, fill)
            if self.wrenches and self.wrenches[-1].header.stamp == self.efforts[-1].header.stamp:
                off = self.error(self.efforts[-1], self.wrenches[-1])
                if off < 0.01:
                    return
        raise AssertionError(f'off by {off}')

    def error(self, efforts: JointState, message: WrenchStamped) -> float:
        """Return how far efforts and wrench are off, relative to the largest of each."""
        stamp, wrench = stamp_of(efforts), message.wrench
        assert message.header.frame_id == 'borinot__base_link'
        tau, expected = self.oracle(NAMES, *joints_at(stamp), root_at(stamp).base_motion, 0)
        found = [getattr(part, x) for part in (wrench.force, wrench.torque) for x in 'xyz']
        return max(np.abs(efforts.effort - tau).max() / np.abs(tau).max(),
                   np.abs(found - expected).max() / np.abs(expected).max())

    def told(self, words: str) -> bool:
        """Tell whether a status since the last that was asked for says so."""
        texts = [part.message for array in self.status for part in array.status]
        self.status.clear()
        return any(words in text for text in texts)


def test_a_flying_arm_is_computed_from_what_a_sensor_on_its_tip_measures(graph: Graph) -> None:
    """The floating joint asks for an IMU; without its data nothing comes, and that is said."""
    with graph.process('inverse_dynamics', robot_description=FLOATING, **CENTRED) as process:
        graph.wait(lambda: 'model of' in process.output)
        flight = Flight(graph)
        graph.wait(lambda: flight.told('no_base'), meanwhile=lambda: flight.move(20))
        graph.wait(lambda: 'motion of the base, base_missing: no base data yet' in process.output,
                   meanwhile=lambda: flight.move(20))
        graph.wait(lambda: 'heard on /imu, which nobody publishes' in process.output,
                   meanwhile=lambda: flight.move(20))
        sensor = flight.sensor(Imu, 'imu')
        flight.move(20, sensor, link='tip')
        assert not flight.efforts and not flight.wrenches
        graph.wait(lambda: 'frame_id "tip"' in process.output)
        flight.settle(sensor, imu)
        flight.move(60)
        flight.efforts.clear()
        flight.move(30)
        assert not flight.efforts, 'the sensor fell silent'
        graph.wait(lambda: 'motion of the base, base_stale' in process.output,
                   meanwhile=lambda: flight.move(20))
        graph.wait(lambda: flight.told('no_base'), meanwhile=lambda: flight.move(20))
        refused = set_parameter(graph, 'base', type=4, string_value='gps')
        assert not refused.successful and 'odometry' in refused.reason
        assert set_parameter(graph, 'base', type=4, string_value='fixed').successful
        graph.wait(lambda: process.output.count('model of') == 2)
        graph.wait(lambda: sensor.get_subscription_count() == 0)
        flight.move(40)
        expected = InverseDynamics(read_urdf(FLOATING), base='fixed')(
            *joints_at(stamp_of(flight.efforts[-1])))
        np.testing.assert_allclose(flight.efforts[-1].effort, expected, rtol=1e-2, atol=1e-3)


def test_joint_states_wait_for_a_sensor_that_is_slower(graph: Graph) -> None:
    """It measures every fifth time, 20 ms apart: all efforts come, with its next message."""
    with graph.process('inverse_dynamics', robot_description=FLOATING, **CENTRED) as process:
        graph.wait(lambda: 'the motion of the base is heard on /imu' in process.output)
        flight = Flight(graph)
        sensor = flight.sensor(Imu, 'imu')
        flight.settle(sensor, imu)
        flight.efforts.clear()
        flight.wrenches.clear()
        began = flight.stamp
        flight.move(101, sensor, every=5)
        expected = set(range(began + STEP, flight.stamp, STEP))   # centred: one sample behind
        # but for what the network may lose
        graph.wait(lambda: len(expected.difference(map(stamp_of, flight.efforts))) < 10)
        graph.wait(lambda: len(flight.wrenches) == len(flight.efforts))
        came = [stamp_of(message) for message in flight.efforts]
        assert came == sorted(came)
        assert [stamp_of(message) for message in flight.wrenches] == came
        tau = np.array([flight.oracle(NAMES, *joints_at(stamp), root_at(stamp).base_motion, 0)[0]
                        for stamp in came])
        off = [list(message.effort) for message in flight.efforts] - tau
        assert np.abs(off).max() < 0.1 * np.abs(tau).max()
        flight.efforts.clear()
        flight.move(40)
        assert len(flight.efforts) <= 3, 'what max_age allows'


def test_odometry_moves_a_base_that_no_joint_lets_float(graph: Graph) -> None:
    messages = pytest.importorskip('nav_msgs.msg')
    with graph.process('inverse_dynamics', robot_description=ALONE, base='odometry',
                       **CENTRED) as process:
        graph.wait(lambda: 'model of' in process.output)
        flight = Flight(graph)
        sensor = flight.sensor(messages.Odometry, 'odometry')
        flight.settle(sensor, odometry)
        graph.wait(lambda: any(row.key == 'base: used' and int(row.value) > 0
                               for array in flight.status for row in array.status[1].values))
        assert flight.error(flight.efforts[-1], flight.wrenches[-1]) < 0.05
