"""Quality of service of the node inverse_dynamics: compatible peers, and reports of others."""

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from support.nodes.graph import LATCHED, Graph
from support.nodes.moving_robot import TEXT, connected, started

pytestmark = pytest.mark.slow

RELIABILITIES = (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)
DURABILITIES = (DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE)
PAIRS = [QoSProfile(depth=10, reliability=reliability, durability=durability)
         for reliability in RELIABILITIES for durability in DURABILITIES]


def test_joint_states_are_received_with_every_quality_of_service(graph: Graph) -> None:
    with started(graph) as process:
        robot = connected(graph)
        for qos in PAIRS:
            robot.publisher = graph.publisher(JointState, 'joint_states', qos)
            graph.introduced()
            before = len(robot.efforts)
            robot.move(20)
            assert len(robot.efforts) >= before + 18, qos
        assert 'nothing is received' not in process.output


def test_partners_that_do_not_match_are_logged_once_for_each_policy(graph: Graph) -> None:
    """With the topic, the policy and the remedy; a compatible publisher is received."""
    descriptions = [graph.publisher(String, 'robot_description', qos) for qos in (*PAIRS, *PAIRS)
                    if qos != PAIRS[0]]
    parameter = 'qos_overrides./joint_states.subscription.reliability'
    with graph.process('inverse_dynamics', **{parameter: 'reliable'}) as process:
        for publisher in descriptions:
            publisher.publish(String(data=TEXT))
        for kept in (LATCHED, PAIRS[2]):
            graph.messages(JointState, 'inverse_dynamics/efforts', kept)
        deaf = graph.publisher(JointState, 'joint_states', PAIRS[3])
        graph.wait(lambda: process.output.count('nothing is received') >= 3)
        graph.wait(lambda: 'receives nothing' in process.output)
        assert 'model of' not in process.output and deaf.get_subscription_count() == 0
        good = graph.publisher(String, 'robot_description', LATCHED)
        good.publish(String(data=TEXT))
        graph.wait(lambda: 'model of' in process.output)
        robot = connected(graph)
        robot.move(80)
        assert len(robot.efforts) >= 15
        told = [line.partition(']: ')[2] for line in process.lines
                if 'nothing is received' in line or 'receives nothing' in line]
        assert len(told) == len(set(told)) == 4
        for topic, policy, remedy in (
                ('/robot_description', 'reliability', 'reliability RELIABLE'),
                ('/robot_description', 'durability', 'durability TRANSIENT_LOCAL'),
                ('/joint_states', 'reliability', parameter),
                ('/inverse_dynamics/efforts', 'durability', 'durability VOLATILE')):
            assert any(topic in line and policy in line and remedy in line for line in told)


@pytest.mark.fault(52)
def test_an_override_that_is_nonsense_ends_the_node_with_one_line(graph: Graph) -> None:
    name = 'qos_overrides./joint_states.subscription.reliability'
    with graph.process('inverse_dynamics', **{name: 'sometimes'}) as process:
        process.rejects(name.rpartition('.')[0], 'sometimes')
        assert len(process.lines) == 1
