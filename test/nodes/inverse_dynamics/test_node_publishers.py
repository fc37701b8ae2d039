"""Several publishers of joint states, and quality of service: what is computed and reported."""

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from statuses import ERROR, OK, Statuses
from std_msgs.msg import String

from support.nodes.graph import LATCHED, Graph
from support.nodes.moving_robot import (
    NAMES,
    START,
    STEP,
    TEXT,
    connected,
    error,
    stamp_of,
    started,
)

pytestmark = pytest.mark.slow


@pytest.mark.fault(26)
def test_two_publishers_with_a_part_of_the_joints_at_other_rates(graph: Graph) -> None:
    """By their stamps, whatever the pace of the test: 250 and 244 Hz."""
    with started(graph, estimator='kalman'):
        robot, status = connected(graph), Statuses(graph)
        other = graph.publisher(JointState, 'joint_states')
        graph.wait(lambda: other.get_subscription_count() > 0, what='subscription')
        graph.introduced()
        messages = sorted([(START + k * STEP, 0) for k in range(400)]
                          + [(START + 1_000_000 + k * 4_100_000, 1) for k in range(390)])
        for (stamp, number), _ in zip(messages, graph.paced(len(messages)), strict=True):
            (robot.publisher, other)[number].publish(robot.message(
                (NAMES[:3], NAMES[3:])[number], stamp))
            graph.spin(0.001)
        later = [message for message in robot.efforts
                 if stamp_of(message) > START + 50 * STEP]
        assert len(later) > 300
        assert max(error(message, robot) for message in later) < 0.02
        graph.wait(lambda: int(status.values('input')['used']) > 300)
        figures = status.values('input')
        assert figures['number of groups'] == figures['number of publishers'] == '2'
        groups = {figures[f'group {k}']: float(figures[f'group {k} rate [1/s]']) for k in (1, 2)}
        assert groups == {', '.join(NAMES[:3]): pytest.approx(250, rel=0.01),
                          ', '.join(NAMES[3:]): pytest.approx(243.9, rel=0.01)}
        assert max(abs(float(figures[f'group {k} skew [ms]'])) for k in (1, 2)) < 10.3
        assert all(float(figures[f'group {k} age [s]']) > 0.0 for k in (1, 2))


@pytest.mark.fault(27)
def test_publishers_whose_clocks_differ_are_an_error(graph: Graph) -> None:
    """Though their positions agree: every message then begins a new recording."""
    with started(graph) as node:
        robot, status = connected(graph), Statuses(graph)
        second = graph.publisher(JointState, 'joint_states')
        graph.wait(lambda: second.get_subscription_count() > 0, what='subscription')

        def both() -> bool:
            robot.move_one()
            second.publish(robot.message(stamp=robot.stamp - 10 * 10**9))
            return status.level('input') == ERROR

        graph.wait(both, what='error')
        assert 'several publishers of the same joints' in status.message('input')
        assert status.values('input')['number of publishers'] == '2'
        assert status.message('input').count('/test') == 2
        graph.wait(lambda: 'several publishers of the same joints' in node.output)
        assert all(error(message, robot) < 0.05 for message in robot.efforts)


# ---- Quality of service of the node inverse_dynamics: compatible peers, and reports of others

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
        assert 'incompatible QoS' not in process.output


@pytest.mark.fault(52)
def test_an_override_that_is_nonsense_ends_the_node_with_one_line(graph: Graph) -> None:
    name = 'qos_overrides./joint_states.subscription.reliability'
    with graph.process('inverse_dynamics', **{name: 'sometimes'}) as process:
        process.rejects(name.rpartition('.')[0], 'sometimes')
        assert len(process.lines) == 1


# ---- Topics that must have one publisher

def test_two_nodes_of_one_name_are_an_error_of_both(graph: Graph) -> None:
    """They publish different efforts in turn."""
    with started(graph) as first, started(graph, gravity=[0.0, 0.0, -19.62]):
        status = Statuses(graph)
        graph.wait(lambda: status.level('output') == ERROR)
        # names of nodes are discovered after their publishers
        graph.wait(lambda: status.message('output').count(
            '/inverse_dynamics (RELIABLE, VOLATILE)') == 2)
        assert status.message('output').startswith(
            '/inverse_dynamics/efforts has 2 publishers and must have one: /inverse_dynamics ')
        graph.wait(lambda: '/efforts has 2 publishers' in first.output)
        line = next(line for line in first.lines if '/efforts has 2 publishers' in line)
        assert line.count('/inverse_dynamics (RELIABLE, VOLATILE)') == 2, 'it waits for the names'


def test_a_second_publisher_of_the_description_is_an_error(graph: Graph) -> None:
    """While there is one, and unless the parameter has the description."""
    first, second = (graph.publisher(String, 'robot_description', LATCHED) for _ in range(2))
    with graph.process('inverse_dynamics') as node:
        status = Statuses(graph)
        first.publish(String(data=TEXT))
        graph.wait(lambda: 'model of' in node.output and status.level('model') == ERROR)
        # names of nodes are discovered after their publishers
        graph.wait(lambda: status.message('model').count('/test (') == 2)
        assert status.message('model').startswith(
            '/robot_description has 2 publishers and must have one: /test ')
        graph.wait(lambda: '/robot_description has 2 publishers' in node.output)
        graph.node.destroy_publisher(second)
        graph.wait(lambda: status.level('model') == OK)
        graph.publisher(String, 'robot_description', LATCHED)
        graph.wait(lambda: status.level('model') == ERROR)
        graph.set_parameter('robot_description', type=4, string_value=TEXT)
        graph.wait(lambda: status.level('model') == OK)
