"""A second publisher of the same joints, as one left running: what is published is right."""

from collections.abc import Iterator

import numpy as np
import pytest
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import JointState
from statuses import ERROR, Statuses

from support.nodes.graph import Graph
from support.nodes.moving_robot import DYNAMICS, NAMES, START, connected, stamp_of, started

pytestmark = pytest.mark.fault(27)

LATE = 100_000_000   # ns, age of what the second publisher sends of the same motion
SECONDS, JUDGED_FROM = 8.0, 2.0   # of the motion [s]
RATES = ((50, 5, 'constants'), (125, 10, ''), (500, 30, ''), (250, 30, ''))   # [Hz], not slow


@pytest.fixture
def second(graph: Graph) -> Iterator[Node]:
    node = rclpy.create_node('joint_state_publisher', context=graph.node.context)
    yield node
    node.destroy_node()


@pytest.mark.parametrize(('rate', 'other', 'content'), [
    pytest.param(rate, other, content, marks=() if quick == content else pytest.mark.slow)
    for rate, other, quick in RATES for content in ('zeros', 'constants', 'late')])
def test_what_is_published_is_right_and_both_publishers_are_named(
        graph: Graph, second: Node, rate: int, other: int, content: str) -> None:
    """But for 0.3 % of the efforts, and none is wrong by three times the largest of its joint."""
    with started(graph, estimator='kalman') as node:
        robot, status = connected(graph), Statuses(graph)
        left_running = second.create_publisher(JointState, 'joint_states', 10)
        graph.wait(left_running.get_subscription_count)
        graph.introduced()
        stamps = sorted([(START + round(k / rate * 1e9), False)
                         for k in range(round(SECONDS * rate))]
                        + [(START + round((0.0131 + k / other) * 1e9), True)
                           for k in range(round(SECONDS * other))])
        for (stamp, foreign), _ in zip(stamps, graph.paced(len(stamps)), strict=True):
            message = robot.message(stamp=stamp - LATE * (foreign and content == 'late'))
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
            if foreign and content != 'late':
                message.position = [0.7 * (content == 'constants')] * len(NAMES)
                message.velocity = [0.0] * len(NAMES)
            (left_running if foreign else robot.publisher).publish(message)
            graph.spin(0.001)
        found = [(stamp_of(each), each.effort) for each in robot.efforts
                 if stamp_of(each) > START + JUDGED_FROM * 1e9]
        expected = np.array([DYNAMICS(*robot.motion(stamp)) for stamp, _ in found])
        errors = np.abs(np.array([effort for _, effort in found]) - expected)
        errors = (errors / np.abs(expected).max(axis=0, initial=1e-9)).max(axis=1, initial=0.0)
        print(f'\n{rate} + {other} Hz, {content}: {len(errors)} efforts, '
              f'{100 * (errors > 0.3).sum() / max(len(errors), 1):.2f} % wrong, '
              f'largest {errors.max(initial=0.0):.3g}')
        assert (errors > 0.3).sum() <= 0.003 * len(errors)
        assert errors.max(initial=0.0) < 3.0
        graph.wait(lambda: '[ERROR]' in node.output, 5.0, 'error in the log')
        graph.wait(lambda: any(
            part.level == ERROR and '/test ' in part.message
            and '/joint_state_publisher ' in part.message
            for array in status.arrays for part in array.status), 5.0, 'error in the diagnostics')
        line = node.output[node.output.index('[ERROR]'):]
        assert '/test ' in line and '/joint_state_publisher ' in line
