"""Wrenches from topics and a base that moves: what the node makes of good and bad data."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from flight import ALONE, FLOATING, Flight, imu, joints_at, odometry
from geometry_msgs.msg import Vector3, WrenchStamped
from sensor_msgs.msg import Imu, JointState

from support.nodes.graph import Graph
from support.nodes.moving_robot import DYNAMICS, NAMES, TEXT, Robot, connected, stamp_of, started
from urdf2dyn_ros import InverseDynamics, read_urdf

pytestmark = pytest.mark.slow

FORCE, MOMENT = np.array([30.0, -20.0, 50.0]), np.array([4.0, -6.0, 8.0])
TOPIC = '/force_torque'
PIN = pin.buildModelFromXML(TEXT)


def reflected(q: np.ndarray, frame: str) -> np.ndarray:
    """Return J' F of FORCE and MOMENT on link6, in the frame of a link, by Pinocchio."""
    assert list(PIN.names)[1:] == NAMES
    data = PIN.createData()
    pin.forwardKinematics(PIN, data, q)
    pin.updateFramePlacements(PIN, data)
    placement = data.oMf[PIN.getFrameId(frame)]
    moved = placement.act(pin.Force(FORCE, MOMENT))   # about the root's origin, in its axes
    J = pin.computeFrameJacobian(PIN, data, q, PIN.getFrameId('link6'), pin.WORLD)
    return J.T @ moved.vector


class Sensor:
    """Publishes FORCE and MOMENT with the stamps of a robot's joint states."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.graph = robot, robot.graph
        self.publisher = self.graph.publisher(WrenchStamped, TOPIC)
        self.graph.introduced()

    def move(self, samples: int, frame: str = 'base', force: np.ndarray = FORCE,
             late: int = 0) -> None:
        """Publish a wrench before every sample of the joints."""
        for _ in self.graph.paced(samples):
            message = WrenchStamped()
            stamp = self.robot.stamp + 4_000_000 - late
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
            message.header.frame_id = frame
            message.wrench.force, message.wrench.torque = (
                Vector3(**dict(zip('xyz', vector.tolist()))) for vector in (force, MOMENT))
            self.publisher.publish(message)
            self.robot.move_one()

    def settled(self, share: float, frame: str = 'base') -> None:
        """Move until the efforts are those of the links and a share of the wrench."""
        def is_settled() -> bool:
            self.robot.efforts.clear()
            self.move(20, frame)
            return bool(self.robot.efforts) and all(
                np.abs(self.error(message, share, frame)).max() < 0.05
                for message in list(self.robot.efforts)[-5:])

        self.graph.wait(is_settled, what=f'efforts with {share} of the wrench in {frame}')

    def error(self, message: JointState, share: float, frame: str) -> np.ndarray:
        """Return how far efforts are off [N m]."""
        q, qd, qdd = self.robot.motion(stamp_of(message))
        return message.effort - (DYNAMICS(q, qd, qdd) - share * reflected(q, frame))


def silent(robot: Robot, move: Callable[[], Any]) -> bool:
    """Move; return whether no efforts were received towards the end."""
    move()
    robot.efforts.clear()
    move()
    return not robot.efforts


@pytest.mark.fault(42, 43)
def test_a_wrench_is_counted_in_any_frame_and_nothing_comes_without_one(graph: Graph) -> None:
    """By default; with the policy zero the efforts are those without it, and that is said."""
    with started(graph, 'hurried_node', **{
            'external_wrenches.link6': TOPIC, 'external_wrenches.link5': '',
            'wrench.timeout': 0.05, 'terms.enabled': True}) as process:
        robot = connected(graph)
        sensor = Sensor(robot)
        status = graph.messages(DiagnosticArray, 'inverse_dynamics/status')
        external = graph.messages(JointState, 'inverse_dynamics/terms/external')
        robot.move(60)
        assert not robot.efforts
        graph.wait(lambda: any('no_wrench' in part.message for array in status
                               for part in array.status), meanwhile=lambda: robot.move(20))
        for frame in ('base', 'link6', 'link3'):   # the root, the link, and one on the way
            sensor.settled(1.0, frame)
        q = robot.motion(stamp_of(external[-1]))[0]
        np.testing.assert_allclose(external[-1].effort, -reflected(q, 'link3'), atol=1e-6)
        for change, words in (({'frame': 'link7'}, '"link7"'), ({'frame': ''}, 'empty'),
                              ({'force': FORCE * math.nan}, 'finite'),
                              ({'late': 3600 * 10**9}, 'older than')):
            assert silent(robot, lambda change=change: sensor.move(40, **change))
            graph.wait(lambda words=words: words in process.output)
        sensor.settled(1.0)
        assert silent(robot, lambda: robot.move(40)), 'its publisher fell silent'
        graph.wait(lambda: 'no wrench on "link6", no efforts' in process.output,
                   meanwhile=lambda: robot.move(20))
        assert graph.set_parameter('wrench.policy', type=4, string_value='zero').successful
        robot.settled(lambda message: DYNAMICS(*robot.motion(stamp_of(message))))
        graph.wait(lambda: any('wrench on "link6"' in part.message for array in status
                               for part in array.status), meanwhile=lambda: robot.move(20))
        assert graph.set_parameter('wrench.sign', type=4, string_value='by_link').successful
        sensor.settled(-1.0)
        values = {row.key: row.value for row in status[-1].status[1].values}
        assert int(values['wrenches: unknown_frame']) >= 40
        assert int(values['wrenches: received']) > int(values['wrenches: taken']) > 0
        refused = graph.set_parameter('external_wrenches.link4', type=4, string_value='/x')
        assert not refused.successful and 'fixed' in refused.reason


@pytest.mark.fault(42, 52)
def test_a_link_that_there_is_not_gives_no_model_and_a_bad_topic_no_node(graph: Graph) -> None:
    """Efforts without a wrench that was requested would be wrong."""
    with graph.process('inverse_dynamics', robot_description=TEXT,
                       **{'external_wrenches.link7': TOPIC}) as process:
        graph.wait(lambda: 'rejected' in process.output)
        assert "'link7'" in process.output and 'link6' in process.output
    with graph.process('inverse_dynamics', **{'external_wrenches.link6': 'no topic'}) as process:
        process.rejects("external_wrenches.link6: 'no topic'")


# ---- A moving base: its data in the node inverse_dynamics, and the wrench that is published

def test_a_flying_arm_is_computed_from_what_a_sensor_on_its_tip_measures(graph: Graph) -> None:
    """The floating joint requires an IMU; without its data nothing is published, with a reason."""
    with started(graph, 'hurried_node', robot_description=FLOATING) as process:
        flight = Flight(graph)
        graph.wait(lambda: flight.says('no_base'), meanwhile=lambda: flight.move(20))
        graph.wait(lambda: 'motion of the base, base_missing: no base data yet' in process.output,
                   meanwhile=lambda: flight.move(20))
        graph.wait(lambda: 'received on /imu, published by no node' in process.output,
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
        graph.wait(lambda: flight.says('no_base'), meanwhile=lambda: flight.move(20))
        refused = graph.set_parameter('base', type=4, string_value='gps')
        assert not refused.successful and 'odometry' in refused.reason
        assert graph.set_parameter('base', type=4, string_value='fixed').successful
        graph.wait(lambda: process.output.count('model of') == 2)
        graph.wait(lambda: sensor.get_subscription_count() == 0)
        flight.move(40)
        expected = InverseDynamics(read_urdf(FLOATING), base='fixed')(
            *joints_at(stamp_of(flight.efforts[-1])))
        np.testing.assert_allclose(flight.efforts[-1].effort, expected, rtol=1e-2, atol=1e-3)


def test_odometry_moves_a_base_that_no_joint_lets_float(graph: Graph) -> None:
    """And joint states wait for a sensor that is slower: without prediction, all come with it."""
    messages = pytest.importorskip('nav_msgs.msg')
    with started(graph, robot_description=ALONE, base='odometry', **{'moving_base.max_age': 0.0}):
        flight = Flight(graph)
        sensor = flight.sensor(messages.Odometry, 'odometry')
        flight.settle(sensor, odometry, every=5)
        flight.efforts.clear()
        flight.move(101, sensor, odometry, every=5)
        graph.wait(lambda: len(flight.efforts) > 90)   # but for what the network may lose
        graph.wait(lambda: any(row.key == 'base: used' and int(row.value) > 0
                               for array in flight.status for row in array.status[1].values))
        assert flight.error(flight.efforts[-1], flight.wrenches[-1]) < 0.05
