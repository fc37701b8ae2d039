"""The node joint_simulator as a process of its own on a real DDS graph."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest
from graph import LATCHED, Graph

pytest.importorskip('dartpy')
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

URDF = (Path(__file__).parents[1] / 'urdf' / 'robot_2r.urdf').read_text(encoding='utf-8')


def stamp(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def test_it_moves_when_it_is_heard_and_holds_still_at_the_end():
    with Graph() as graph, graph.process('joint_simulator', robot_description=URDF,
                                         duration=2.0) as node:
        states = graph.messages(JointState, 'joint_states')
        descriptions = graph.messages(String, 'robot_description', LATCHED)
        progress = graph.messages(Float64, 'joint_simulator/progress', LATCHED)
        graph.wait(lambda: progress and progress[-1].data == 1.0, 30.0)
        graph.spin(0.3)
        code = node.stop(signal.SIGINT)
        assert code == 0, node.output

    assert [message.data for message in descriptions] == [URDF]
    fractions = [message.data for message in progress]
    assert fractions == sorted(fractions)
    assert all(list(message.name) == ['joint1', 'joint2'] for message in states)
    # 250 Hz exactly, though some best-effort messages may be lost.
    assert set(np.diff([stamp(message) for message in states]) % 4_000_000) == {0}
    assert len(states) > 0.9 * 2.5 * 250
    q, qd, effort = (np.array([getattr(message, name) for message in states])
                     for name in ('position', 'velocity', 'effort'))
    assert np.ptp(q, axis=0).min() > 0.05
    assert np.ptp(effort, axis=0).min() > 0.1
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-3)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-3)


def test_the_net_effort_is_published_whatever_the_friction_and_faster_than_real_time():
    urdf = URDF.replace('</joint>', '<dynamics damping="5" friction="2"/></joint>')
    with Graph() as graph, graph.process(
            'joint_simulator', robot_description=urdf, duration=2.0, friction=True,
            real_time_factor=4.0, publish_rate=100.0, gravity=[0.0, 0.0, 0.0]) as node:
        states = graph.messages(JointState, 'joint_states')
        progress = graph.messages(Float64, 'joint_simulator/progress', LATCHED)
        graph.wait(lambda: progress and progress[-1].data == 1.0, 30.0)
        graph.spin(0.7)
        assert node.stop() == 0, node.output
    assert set(np.diff([stamp(message) for message in states]) % 10_000_000) == {0}
    # At rest and without gravity nothing moves the links: what friction takes is not in it.
    assert np.abs(states[-1].effort).max() < 0.01
    assert np.abs([message.effort for message in states]).max() > 1.0


def test_it_starts_without_subscribers_after_the_timeout():
    with Graph() as graph, graph.process(
            'joint_simulator', robot_description=URDF, duration=0.5,
            **{'start.subscribers': 9, 'start.timeout': 0.2}) as node:
        graph.wait(lambda: 'the motion is done' in node.output)
        assert 'nobody came' in node.output
        assert node.stop(signal.SIGTERM) == 0, node.output


@pytest.mark.parametrize(('parameters', 'words'), [
    ({}, 'robot_description is empty'),
    ({'robot_description': '<robot name="x"/>'}, 'robot description'),
    ({'robot_description': URDF, 'simulator': 'bullet'}, 'must be one of dart'),
    ({'robot_description': URDF, 'physics_step': 0.0}, 'physics_step = 0.0: must be'),
    ({'robot_description': URDF.replace('revolute', 'fixed').replace('continuous', 'fixed')},
     'no joint that moves'),
])
def test_what_it_cannot_start_with_is_said_in_a_line(parameters, words):
    with Graph() as graph, graph.process('joint_simulator', **parameters) as node:
        assert node.wait(20.0) == 2, node.output
        assert words in node.output
        assert 'Traceback' not in node.output
