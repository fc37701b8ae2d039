"""Messages that were lost before the node received them, and those that newer ones overtook."""

import signal
from collections import Counter

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from test_node_signals import chain

from support.nodes.graph import Graph
from support.nodes.moving_robot import STEP, Robot, connected, error, stamp_of, started
from support.streams.pendulums import add_up, make_stream, receive
from urdf2dyn_ros.estimation.messages import Backlog, Overruns
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.estimation.status import MonitorReport, NodeState, input_status
from urdf2dyn_ros.text import Level

pytestmark = pytest.mark.slow

NAN = float('nan')
HUGE = '<mass value="-1"/>'.join(chain(500).rsplit('<mass value="1"/>', 1))
"""A description that takes long to read, with a negative mass at its end."""


def test_gaps_in_the_numbers_of_a_publisher_are_lost_messages() -> None:
    """Each publisher has numbers of its own; the first one may be any."""
    overruns = Overruns()
    numbers = {b'a': [7, 8, 11, 12, 12, 10, 13], b'b': [5000, 5001, 5003]}
    lost = {name: [overruns.add(name, number) for number in numbers[name]] for name in numbers}
    assert lost == {b'a': [0, 0, 2, 0, 0, 0, 0], b'b': [0, 0, 1]}


@pytest.mark.fault(38, 39)
def test_a_pause_is_distinguished_from_a_machine_that_is_too_slow() -> None:
    """By whether fewer wait each time; what came in time ends the reckoning."""
    backlog = Backlog(1000)
    assert [backlog.add(count) for count in (250, 120, 60, 25, 20)] == [False] * 5
    assert backlog.add(26), 'no fewer than before, and not few'
    backlog.over()
    assert not backlog.add(80)
    assert backlog.add(80)
    backlog.over()
    assert backlog.add(251)


@pytest.mark.fault(39)
def test_an_overload_that_lasts_leaves_time_for_the_newest_message() -> None:
    """Where a sample takes longer than a period, its end would never come otherwise."""
    backlog, waiting, seen = Backlog(1000), 999, []
    older = [bytes([0]), bytes([1]), bytes([2]), bytes([3])]
    while backlog.add(waiting):
        thinned = len(backlog.thinned([b''] * waiting))
        seen.append(thinned)
        waiting = min(999, round(1.5 * thinned))   # received while these were processed
    assert seen == [999, 500, 188, 36]
    assert backlog.add(1000) and backlog.add(1000)
    assert backlog.thinned(older) == older[1::2], 'evenly, with the newest'
    assert backlog.add(1000)
    assert backlog.thinned([*older, *older]) == [older[3]] * 2, 'one of four, with the newest'
    assert not backlog.add(10)
    assert backlog.thinned(older) == older


@pytest.mark.fault(38)
def test_the_estimator_has_every_sample_and_the_newest_is_answered() -> None:
    """The output after a backlog is the same as if every message were processed."""
    patient, hurried = make_stream(), make_stream()
    for ms in range(100):
        expected = receive(patient, ms)
        late = 50 <= ms < 90
        output = receive(hurried, ms, compute=not late)
        assert (output is None) == (late or expected is None)
        if output is not None:
            assert output.stamp == expected.stamp and (output.effort == expected.effort).all()
    assert hurried.counters['overtaken'] == 40
    assert hurried.counters['used'] == patient.counters['used'] - 40
    assert add_up(hurried.counters)


@pytest.mark.fault(39)
def test_many_overruns_are_a_warning() -> None:
    """A few are not; overtaken messages are none."""
    figures = MonitorReport(1000.0, 1000.0, 1000, 0.0, False, (NAN, NAN, NAN), None, 0, '')
    state = NodeState(None, None, 'kalman', '')
    for lost, level in ((0, Level.OK), (50, Level.OK), (200, Level.WARN)):
        grown = Counter(used=10, overtaken=990, overruns=lost)
        status = input_status(state, figures, grown, ['robot'])
        assert status.level == level
        assert ('lost' in status.message) == (level == Level.WARN)


@pytest.mark.fault(39)
def test_what_a_full_queue_drops_is_counted(graph: Graph) -> None:
    """
    A queue of 20, and 100 messages while the process stands still: most are overruns.

    Best effort may lose even all of them; the next one that arrives shows how many were lost.

    """
    if 'publisher_gid' not in information(graph):
        pytest.skip('this rclpy does not report the publisher of a message')
    with started(graph, queue_depth=20, estimator='kalman') as process:
        robot, counters = connected(graph), Counters(graph)
        robot.move(50)
        begun, before = counters.settled(), robot.stamp
        process.send(signal.SIGSTOP)
        send(robot, 100)
        process.send(signal.SIGCONT)
        last = robot.stamp
        graph.wait(lambda: stamp_of(robot.efforts[-1]) > last, meanwhile=robot.move_one)
        robot.move(50)
        assert error(robot.efforts[-1], robot) < 1e-2
        values = counters.settled()
        grown = {name: values[name] - begun[name] for name in ('received', 'overruns')}
        assert sum(grown.values()) == (robot.stamp - before) // STEP
        assert grown['overruns'] >= 60
        assert sum(values[name] for name in JOINT_STATE_OUTCOMES) == values['received']


@pytest.mark.fault(38)
def test_a_node_that_was_busy_takes_all_that_wait_and_answers_the_newest(graph: Graph) -> None:
    """It reads a long description that it has to refuse, as joint states go on coming."""
    with started(graph, estimator='kalman', queue_depth=200):
        robot, counters = connected(graph), Counters(graph)
        robot.move(50)
        client = graph.client(SetParameters, 'inverse_dynamics/set_parameters')
        answer = client.call_async(SetParameters.Request(parameters=[Parameter(
            name='robot_description', value=ParameterValue(type=4, string_value=HUGE))]))
        graph.wait(answer.done, meanwhile=lambda: send(robot, 100))
        assert 'mass-negative' in answer.result().results[0].reason
        graph.wait(lambda: stamp_of(robot.efforts[-1]) == robot.stamp)
        robot.move(50)
        assert error(robot.efforts[-1], robot) < 1e-2
        values = counters.settled()
        assert values['overtaken'] > 0
        assert sum(values[name] for name in JOINT_STATE_OUTCOMES) == values['received']
        assert values['jump_back'] == 0


def send(robot: Robot, messages: int) -> None:
    """Publish at once: Fast DDS drops a process that takes nothing for a second."""
    for _ in range(messages):
        robot.stamp += STEP
        robot.publisher.publish(robot.message())


class Counters:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._arrays = graph.messages(DiagnosticArray, 'inverse_dynamics/status')

    def settled(self) -> dict[str, int]:
        """Return them when whatever has been published by now is counted."""
        wanted = len(self._arrays) + 2
        self._graph.wait(lambda: len(self._arrays) >= wanted)
        return {row.key: int(row.value) for row in self._arrays[-1].status[1].values
                if row.key in (*JOINT_STATE_OUTCOMES, *JOINT_STATE_EVENTS)}


def information(graph: Graph) -> dict[str, object]:
    node: Node = graph.node
    topic = DiagnosticArray, 'nobody'
    publisher = node.create_publisher(*topic, 10)
    subscription = node.create_subscription(*topic, lambda message: None, 10)
    graph.wait(lambda: publisher.get_subscription_count() > 0)
    taken = None
    while taken is None:
        publisher.publish(DiagnosticArray())
        with subscription.handle:
            taken = subscription.handle.take_message(DiagnosticArray, False)
    node.destroy_subscription(subscription)
    return dict(taken[1])
