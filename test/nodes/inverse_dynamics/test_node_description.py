"""Descriptions that are received, repeated, rejected or missing."""

from collections import Counter
from types import SimpleNamespace

import pytest
from std_msgs.msg import String
from std_srvs.srv import Trigger

from support.nodes.graph import Graph
from support.nodes.moving_robot import TEXT, Robot, connected, stamp_of, started
from support.robot_files import OWN
from urdf2dyn_ros.estimation.status import NodeState
from urdf2dyn_ros.nodes.inverse_dynamics import MissingData

FAULTY = {'mass-negative': TEXT.replace('mass value="35', 'mass value="-35'), '[xml]': 'no XML',
          'no-links': '<robot name="empty"/>', 'empty robot description': ' \n'}


def answered(robot: Robot, samples: int = 20) -> list[int]:
    """Publish samples; return which of them were answered, by number."""
    first = robot.stamp
    robot.efforts.clear()
    robot.move(samples)
    step = (robot.stamp - first) // samples
    return [(stamp_of(message) - first) // step for message in robot.efforts]


@pytest.mark.fault(1, 5, 10, 20)
def test_a_description_that_comes_again_does_nothing_and_a_changed_one_goes_on(graph):
    """The faulty and the empty ones are logged, and the model before them remains active."""
    publisher = graph.describe(TEXT)
    with started(graph, robot_description='') as process:
        robot = connected(graph)
        # a centred estimate belongs to the sample before the newest
        assert 1 not in answered(robot), 'nothing to differentiate yet'
        for text in (TEXT, *FAULTY.values(), TEXT.replace('joint6', 'wrist')[:-20]):
            publisher.publish(String(data=text))
            graph.caught_up()
            assert 1 in answered(robot), 'the estimator has the samples before'
        for said in FAULTY:
            graph.wait(lambda said=said: said in process.output, what=said)
        assert process.output.count('model of') == 1
        assert process.output.count('the model before it remains active') == 4
        publisher.publish(String(data=TEXT.replace('mass value="35', 'mass value="36')))
        graph.wait(lambda: process.output.count('model of') == 2)
        assert 1 in answered(robot), 'new equations for the same estimators'
        assert 'joints added' not in process.output
        publisher.publish(String(data=TEXT.replace('joint6', 'wrist')))
        graph.wait(lambda: 'joints added: "wrist"; removed: "joint6"' in process.output)
        assert answered(robot) == [], 'no position of the new joint'
        assert process.stop() == 0


@pytest.mark.slow
@pytest.mark.fault(21)
def test_the_parameter_goes_before_the_topic(graph: Graph) -> None:
    """And the log says that the topic is not used."""
    graph.describe((OWN / 'robot_2r.urdf').read_text())
    with started(graph) as process:
        graph.wait(lambda: 'the topic robot_description is not used' in process.output)
        robot = connected(graph)
        assert len(answered(robot)) > 10
        assert process.output.count('model of') == 1 and "model of 'rx90'" in process.output


@pytest.mark.slow
@pytest.mark.fault(21)
def test_a_description_that_never_comes_is_missed_again_and_again(graph: Graph) -> None:
    """With its publishers and their QoS, until one is compatible."""
    with graph.process('hurried_node') as process:
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'no model' in answer.message
        graph.wait(lambda: 'no model' in process.output)
        assert '/robot_description, published by no node' in process.output
        deaf = graph.publisher(String, 'robot_description', 10)
        deaf.publish(String(data=TEXT))
        graph.wait(lambda: '/robot_description, published by /test (RELIABLE, VOLATILE)'
                   in process.output)
        assert process.output.count('no model') >= 2
        assert 'model of' not in process.output
        graph.describe(TEXT)
        graph.wait(lambda: 'model of' in process.output)


def test_what_is_missing_is_logged_every_ten_seconds() -> None:
    clock = SimpleNamespace(ros_time_is_active=True, now=lambda: SimpleNamespace(nanoseconds=0))
    warnings, checks = [], {}
    node = SimpleNamespace(get_clock=lambda: clock, get_logger=lambda: SimpleNamespace(
        warning=warnings.append, info=warnings.append))
    endpoints = SimpleNamespace(node=node, published=lambda topic: f'/{topic}',
                                timer=lambda period, check: checks.update({period: check}))
    pipeline = SimpleNamespace(active=None, requested={'robot_description': ''})
    monitor = SimpleNamespace(messages=0)
    MissingData(endpoints, monitor, pipeline, SimpleNamespace(),
                lambda: NodeState(None, None, 'kalman', ''))
    check = checks[10.0]
    check()
    assert warnings[0] == 'waits for a robot description on /robot_description'
    assert warnings[1].startswith('use_sim_time is true, but nothing was received on /clock')
    pipeline.active = SimpleNamespace(stream=SimpleNamespace(counters=Counter(used=5)))
    for monitor.messages in (0, 5, 5):   # there are efforts at the second
        check()
    assert warnings[4::3] == ['no joint states on /joint_states'] * 2
