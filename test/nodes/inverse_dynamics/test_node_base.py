"""A moving base: its data in the node inverse_dynamics, and the wrench that is published."""

import numpy as np
import pytest
from flight import ALONE, FLOATING, Flight, imu, joints_at, odometry
from sensor_msgs.msg import Imu

from support.nodes.graph import Graph
from support.nodes.moving_robot import stamp_of, started
from urdf2dyn_ros import InverseDynamics, read_urdf

pytestmark = pytest.mark.slow


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
