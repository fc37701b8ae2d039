"""The node inverse_dynamics as its own process, on a real DDS graph."""

import numpy as np
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from support.nodes import moving_robot
from support.nodes.graph import SENSOR, Graph


def test_joint_states_become_efforts(graph: Graph) -> None:
    """Any order and extra joints in; the model's order, the same stamps and right efforts out."""
    with moving_robot.started(graph):
        robot = moving_robot.connected(graph)
        states = graph.messages(JointTrajectory, 'inverse_dynamics/state')
        residuals = graph.messages(JointState, 'inverse_dynamics/residuals')
        graph.introduced()
        names = [*reversed(moving_robot.NAMES), 'gripper']
        for _ in graph.paced(100):
            robot.stamp += moving_robot.STEP
            robot.publisher.publish(robot.message(names))
            graph.spin(0.004)
        assert len(robot.efforts) >= 90
    message = robot.efforts[-1]
    assert list(message.name) == moving_robot.NAMES
    assert message.header.frame_id == residuals[-1].header.frame_id == 'base'   # RViz wants one
    # two steps of 4 ms: the centred difference of 2 rad/s motion is off by (w dt)^2 / 6
    assert max(moving_robot.error(message, robot) for message in robot.efforts) < 5e-3
    stamps = [moving_robot.stamp_of(message) for message in robot.efforts]
    assert stamps == sorted(set(stamps))
    assert (stamps[-1] - moving_robot.START) % moving_robot.STEP == 0
    q, qd, qdd = robot.motion(stamps[-1])
    np.testing.assert_allclose(message.position, q, atol=1e-12)
    np.testing.assert_allclose(message.velocity, qd, atol=1e-12)
    point = states[-1].points[0]
    assert list(states[-1].joint_names) == moving_robot.NAMES
    np.testing.assert_allclose(point.accelerations, qdd, atol=1e-3)
    last = moving_robot.stamp_of(states[-1])
    assert list(point.effort) == list(next(
        m for m in robot.efforts if moving_robot.stamp_of(m) == last).effort)
    assert np.abs(residuals[-1].effort).max() < 1e-2


def test_names_are_relative_so_that_namespaces_work(graph: Graph) -> None:
    """Two arms side by side."""
    with graph.process('inverse_dynamics', arguments=['-r', '__ns:=/left'],
                       robot_description=moving_robot.TEXT, **moving_robot.CENTRED):
        publisher = graph.publisher(JointState, '/left/joint_states', SENSOR)
        efforts = graph.messages(JointState, '/left/inverse_dynamics/efforts')
        graph.wait(lambda: publisher.get_subscription_count() > 0)
        graph.wait(lambda: graph.node.count_publishers('/left/inverse_dynamics/efforts') > 0)
        robot = moving_robot.Robot(graph)
        robot.publisher = publisher
        graph.wait(lambda: len(efforts) > 3, meanwhile=robot.move_one)
        assert graph.call(Trigger, '/left/export_model') is not None
