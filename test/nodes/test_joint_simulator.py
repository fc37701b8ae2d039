"""The node joint_simulator as a process of its own on a real DDS graph."""

import signal

import numpy as np
import pytest

from support.nodes.graph import LATCHED, Graph
from support.nodes.moving_robot import stamp_of
from support.paths import ROOT

pytest.importorskip('dartpy', exc_type=ImportError)
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.simulation import SIMULATORS

pytestmark = pytest.mark.slow

URDF = (ROOT / 'urdf' / 'robot_2r.urdf').read_text(encoding='utf-8')


def all_states(graph, node, duration):
    """Return the states of a motion that begins with the second subscriber, and of the rests."""
    states = graph.messages(JointState, 'joint_states')
    graph.wait(lambda: states, what='states at rest')
    second = graph.node.create_subscription(JointState, 'joint_states', lambda message: None, 1)
    graph.wait(lambda: 'moving for' in node.output)
    graph.node.destroy_subscription(second)
    graph.wait(lambda: stamp_of(states[-1]) - stamp_of(states[0]) > 1e9 * (duration + 0.7),
               what='states at the end')
    return states


def test_it_moves_when_it_has_subscribers_and_holds_still_at_the_end():
    with Graph() as graph, graph.process('joint_simulator', robot_description=URDF, duration=2.0,
                                         **{'start.subscribers': 2}) as node:
        descriptions = graph.messages(String, 'robot_description', LATCHED)
        progress = graph.messages(Float64, 'joint_simulator/progress', LATCHED)
        states = all_states(graph, node, 2.0)
        graph.wait(lambda: progress[-1].data == 1.0)
        code = node.stop(signal.SIGINT)
        assert code == 0, node.output

    assert [message.data for message in descriptions] == [URDF]
    fractions = [message.data for message in progress]
    assert fractions == sorted(fractions)
    assert all(list(message.name) == ['joint1', 'joint2'] for message in states)
    # 250 Hz exactly, though some best-effort messages may be lost.
    steps = np.diff([stamp_of(message) for message in states])
    assert set(steps % 4_000_000) == {0}
    assert np.median(steps) == 4_000_000
    q, qd, effort = (np.array([getattr(message, name) for message in states])
                     for name in ('position', 'velocity', 'effort'))
    assert np.ptp(q, axis=0).min() > 0.05
    assert np.ptp(effort, axis=0).min() > 0.1
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-3)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-3)


@pytest.mark.parametrize('engine', SIMULATORS)
def test_the_net_effort_is_published_whatever_the_friction_and_faster_than_real_time(engine):
    pytest.importorskip(SIMULATORS[engine], exc_type=ImportError)
    urdf = URDF.replace('</joint>', '<dynamics damping="5" friction="2"/></joint>')
    with Graph() as graph, graph.process(
            'joint_simulator', robot_description=urdf, duration=2.0, friction=True,
            simulator=engine, real_time_factor=4.0, publish_rate=100.0,
            gravity=[0.0, 0.0, 0.0], **{'start.subscribers': 2}) as node:
        states = all_states(graph, node, 2.0)
        # At rest and without gravity nothing moves the links: what friction takes is not in it.
        graph.wait(lambda: np.abs(states[-1].effort).max() < 0.01)
        assert node.stop() == 0, node.output
    assert set(np.diff([stamp_of(message) for message in states]) % 10_000_000) == {0}
    assert np.abs([message.effort for message in states]).max() > 1.0


def test_the_commanded_effort_has_the_friction_in_it_and_the_clock_is_published():
    """Stamps are those of the clock, from 0 on, so that nodes with use_sim_time follow."""
    urdf = URDF.replace('</joint>', '<dynamics damping="40"/></joint>')
    with Graph() as graph, graph.process(
            'joint_simulator', robot_description=urdf, duration=2.0, friction=True,
            effort='commanded', gravity=[0.0, 0.0, 0.0],
            publish_clock=True, real_time_factor=2.0, **{'start.subscribers': 2}) as node:
        clock = graph.messages(Clock, '/clock')
        graph.wait(lambda: clock, what='clock')
        states = all_states(graph, node, 2.0)
        assert node.stop() == 0, node.output
    stamps = [stamp_of(message) for message in states]
    times = [message.clock.sec * 10**9 + message.clock.nanosec for message in clock]
    heard = [time for time in stamps if times[0] <= time <= times[-1]]
    assert np.median(np.diff(stamps)) == 4_000_000
    assert len(heard) > 0.5 * len(stamps)
    assert set(times) >= set(heard)
    assert times == sorted(times)
    assert stamps[-1] < 60 * 10**9
    q, qd, effort = (np.array([getattr(message, name) for message in states])
                     for name in ('position', 'velocity', 'effort'))
    computed = InverseDynamics(read_urdf(URDF), (0.0, 0.0, 0.0))
    qdd = np.gradient(qd, np.array(stamps) * 1e-9, axis=0)
    taken = effort - computed(q, qd, qdd)
    steady = np.abs(qd) > 0.3 * np.abs(qd).max(axis=0)
    np.testing.assert_allclose((taken / np.where(steady, qd, 1.0))[steady], 40.0, rtol=0.1)


def test_it_starts_without_subscribers_after_the_timeout():
    with Graph() as graph, graph.process(
            'joint_simulator', robot_description=URDF, duration=0.5,
            **{'start.subscribers': 9, 'start.timeout': 0.2}) as node:
        graph.wait(lambda: 'the motion is done' in node.output)
        assert 'without subscribers' in node.output
        assert node.stop(signal.SIGTERM) == 0, node.output


@pytest.mark.parametrize(('parameters', 'words'), [
    ({}, 'there is no robot: joint_simulator robot.urdf, or'),
    ({'robot_description': '<robot name="x"/>'}, 'robot description'),
    ({'robot_description': URDF, 'simulator': 'bullet'}, 'must be one of dart, mujoco'),
    ({'robot_description': URDF.replace('revolute', 'fixed').replace('continuous', 'fixed')},
     'no joint that moves'),
    ({'robot_description': URDF, 'trajectory_file': '/nowhere/t.yaml'},
     '/nowhere/t.yaml: there is no such file'),
])
def test_what_it_cannot_start_with_is_said_in_a_line(parameters, words):
    with Graph() as graph, graph.process('joint_simulator', **parameters) as node:
        node.rejects(words)
