"""The node inverse_dynamics as its own process, on a real DDS graph."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph import LATCHED, SENSOR, Graph, Process
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import DescribeParameters, ListParameters, SetParameters
from robots import OWN
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.node_parameters import PARAMETERS

TEXT = (OWN / 'rx90.urdf').read_text()
DYNAMICS = InverseDynamics(read_urdf(TEXT))
NAMES = list(DYNAMICS.joint_names)
STEP = 4_000_000
START = 1_700_000_000_000_000_000
CENTRED = {'estimator': 'finite_difference', 'finite_difference.align': 'centre',
           'finite_difference.cutoff': 0.0}


class Robot:
    """Publishes the smooth motion of an RX-90, one sample after the other."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.publisher = graph.publisher(JointState, 'joint_states')
        self.efforts = graph.messages(JointState, 'inverse_dynamics/efforts')
        self.stamp = START

    def motion(self, stamp: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, qd, qdd at a stamp."""
        t = (stamp - START) * 1e-9
        phase = 2.0 * t + np.arange(6)
        return np.sin(phase), 2.0 * np.cos(phase), -4.0 * np.sin(phase)

    def message(self, names: Sequence[str] = NAMES, stamp: int | None = None) -> JointState:
        """Return the sample at a stamp, by name."""
        stamp = self.stamp if stamp is None else stamp
        q, qd, qdd = self.motion(stamp)
        message = JointState(name=list(names))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        index = [NAMES.index(name) if name in NAMES else 0 for name in names]
        message.position = [float(q[k]) for k in index]
        message.velocity = [float(qd[k]) for k in index]
        effort = DYNAMICS(q, qd, qdd)
        message.effort = [float(effort[k]) for k in index]
        return message

    def move(self, samples: int, **change: Any) -> None:
        """Publish samples at the rate of their stamps; what is received comes in meanwhile."""
        for _ in range(samples):
            self.stamp += STEP
            message = self.message()
            for field, value in change.items():
                setattr(message, field, value)
            self.publisher.publish(message)
            self.graph.spin(0.004)
        self.graph.spin(0.2)


def stamp_of(message: Any) -> int:
    """Return a message's stamp [ns]."""
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def error(message: JointState, robot: Robot) -> float:
    """Return how far the efforts are off, relative to the largest."""
    expected = DYNAMICS(*robot.motion(stamp_of(message)))
    return float(np.abs(np.array(message.effort) - expected).max() / np.abs(expected).max())


@pytest.fixture
def graph() -> Iterator[Graph]:
    """Return a DDS graph of the test's own."""
    with Graph() as graph:
        yield graph


def started(graph: Graph, **parameters: Any) -> Process:
    """Start the node with the RX-90 and wait for its model."""
    parameters = {'robot_description': TEXT, **CENTRED, **parameters}
    process = graph.process('inverse_dynamics', **parameters)
    graph.wait(lambda: 'model of' in process.output, what='model in the log')
    return process


def connected(graph: Graph) -> Robot:
    """Return a robot that the node hears and that hears the node."""
    robot = Robot(graph)
    graph.wait(lambda: robot.publisher.get_subscription_count() > 0, what='subscription')
    graph.wait(lambda: graph.node.count_publishers('inverse_dynamics/efforts') > 0)
    graph.spin(0.3)
    return robot


def set_parameter(graph: Graph, name: str, **value: Any) -> Any:
    """Set a parameter of the node through its service and return the result."""
    client = graph.node.create_client(SetParameters, 'inverse_dynamics/set_parameters')
    graph.wait(client.service_is_ready)
    future = client.call_async(SetParameters.Request(
        parameters=[Parameter(name=name, value=ParameterValue(**value))]))
    graph.wait(future.done)
    return future.result().results[0]


def test_joint_states_become_efforts(graph: Graph) -> None:
    """Any order and extra joints in; the model's order, the same stamps and right efforts out."""
    with started(graph):
        robot = connected(graph)
        states = graph.messages(JointTrajectory, 'inverse_dynamics/state')
        residuals = graph.messages(JointState, 'inverse_dynamics/residuals')
        graph.spin(0.5)
        names = [*reversed(NAMES), 'gripper']
        for _ in range(100):
            robot.stamp += STEP
            robot.publisher.publish(robot.message(names))
            graph.spin(0.004)
        graph.wait(lambda: len(robot.efforts) >= 90)
        graph.spin(0.2)
    message = robot.efforts[-1]
    assert list(message.name) == NAMES
    # two steps of 4 ms: the centred difference of 2 rad/s motion is off by (w dt)^2 / 6
    assert max(error(message, robot) for message in robot.efforts) < 1e-4
    stamps = [stamp_of(message) for message in robot.efforts]
    assert stamps == sorted(set(stamps)) and (stamps[-1] - START) % STEP == 0
    q, qd, qdd = robot.motion(stamps[-1])
    np.testing.assert_allclose(message.position, q, atol=1e-12)
    np.testing.assert_allclose(message.velocity, qd, atol=1e-12)
    point = states[-1].points[0]
    assert list(states[-1].joint_names) == NAMES
    np.testing.assert_allclose(point.accelerations, qdd, atol=1e-3)
    assert list(point.effort) == list(next(
        m for m in robot.efforts if stamp_of(m) == stamp_of(states[-1])).effort)
    assert np.abs(residuals[-1].effort).max() < 1e-2


def test_the_description_comes_from_the_topic_and_a_bad_one_later_is_refused(graph: Graph) -> None:
    """A new one replaces the model, a bad, empty or identical one leaves it running."""
    publisher = graph.publisher(String, 'robot_description', LATCHED)
    publisher.publish(String(data=TEXT))
    with graph.process('inverse_dynamics', **CENTRED) as process:
        graph.wait(lambda: 'model of' in process.output)
        robot = connected(graph)
        robot.move(30)
        assert len(robot.efforts) > 20
        for bad in (TEXT.replace('value="35.0"', 'value="-35.0"').replace('mass value="35"',
                                                                          'mass value="-35"'),
                    'no XML', ''):
            publisher.publish(String(data=bad))
            graph.spin(0.3)
        assert 'mass-negative' in process.output and 'runs on' in process.output
        assert 'empty robot description' in process.output
        before = len(robot.efforts)
        robot.move(30)
        assert len(robot.efforts) > before + 20
        publisher.publish(String(data=TEXT.replace('joint6', 'wrist')))
        graph.wait(lambda: 'wrist' in process.output)
        before = len(robot.efforts)
        robot.move(10)
        assert len(robot.efforts) == before, 'no position of the new joint, so no effort'
        assert process.stop() == 0


def test_partial_messages_are_merged(graph: Graph) -> None:
    """Two publishers, each with half of the joints."""
    with started(graph):
        robot = connected(graph)
        other = graph.publisher(JointState, 'joint_states')
        graph.wait(lambda: other.get_subscription_count() > 0)
        graph.spin(0.3)
        for _ in range(60):
            robot.stamp += STEP
            robot.publisher.publish(robot.message(NAMES[:2]))
            other.publish(robot.message(NAMES[2:], robot.stamp + 1_000))
            graph.spin(0.006)
        graph.spin(0.3)
        assert len(robot.efforts) > 30
        assert error(robot.efforts[-1], robot) < 1e-2


def test_bad_samples_are_left_out_and_good_ones_are_answered_again(graph: Graph) -> None:
    """NaN, wrong lengths, duplicate, zero and backward stamps: nothing wrong comes out."""
    with started(graph) as process:
        robot = connected(graph)
        robot.move(20)
        nan = math.nan
        changes: list[dict[str, Any]] = [
            {'position': [nan] * 6}, {'position': [math.inf] * 6}, {'position': [0.0] * 5},
            {'name': ['joint1'] * 6}, {'name': []}, {'position': [], 'velocity': []}]
        for change in changes:
            robot.move(5, **change)
        robot.publisher.publish(robot.message(stamp=0))
        robot.publisher.publish(robot.message(stamp=robot.stamp))
        robot.publisher.publish(robot.message(stamp=robot.stamp - STEP))
        robot.move(5, velocity=[nan] * 6)
        robot.efforts.clear()
        robot.move(40)
        assert len(robot.efforts) >= 35
        assert all(math.isfinite(entry) for m in robot.efforts for entry in m.effort)
        assert error(robot.efforts[-1], robot) < 1e-3
        robot.stamp -= 3_600_000_000_000
        robot.efforts.clear()
        robot.move(40)
        assert len(robot.efforts) >= 35, 'a bag that starts again from its beginning'
        assert error(robot.efforts[-1], robot) < 1e-3
        assert process.stop() == 0


def test_continuous_joints_are_unwrapped_and_missing_velocities_had_from_positions(
        graph: Graph) -> None:
    """A wheel that turns through pi must not give a spike."""
    text = (OWN / 'robot_2r.urdf').read_text()
    with started(graph, robot_description=text):
        publisher = graph.publisher(JointState, 'joint_states')
        efforts = graph.messages(JointState, 'inverse_dynamics/efforts')
        graph.wait(lambda: publisher.get_subscription_count() > 0)
        graph.spin(0.5)
        for k in range(100):
            message = JointState(name=['joint1', 'joint2'])
            sec_ns = divmod(START + k * STEP, 10**9)
            message.header.stamp.sec, message.header.stamp.nanosec = sec_ns
            angle = 3.0 + 2.0 * k * STEP * 1e-9   # 2 rad/s, through pi after 0.07 s
            message.position = [math.remainder(angle, 2.0 * math.pi), 0.5]
            publisher.publish(message)
            graph.spin(0.004)
        graph.wait(lambda: len(efforts) > 80)
    # two links at a constant angle to each other, turning steadily: no moment about z at the base
    assert max(abs(m.effort[0]) for m in efforts) < 1e-3
    assert efforts[-1].position[0] > math.pi


def test_the_model_is_exported_where_the_parameters_say(graph: Graph, tmp_path: Path) -> None:
    """The answer gives the path; the script runs; a bad name or a lost file is not."""
    with started(graph, **{'export.directory': str(tmp_path)}):
        answer = graph.call(Trigger, 'export_model')
        assert answer.success
        script = Path(answer.message)
        assert script == tmp_path / 'rx90_dynamics.py'
        assert subprocess.run([sys.executable, script], capture_output=True).returncode == 0
        script.write_text('my own work')
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'another text' in answer.message
        assert set_parameter(graph, 'export.name', type=4, string_value='../x').successful
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'letters' in answer.message
        assert set_parameter(graph, 'export.name', type=4, string_value='arm').successful
        assert set_parameter(graph, 'export.style', type=4, string_value='fast').successful
        assert graph.call(Trigger, 'export_model').message == str(tmp_path / 'arm_dynamics.py')
        assert script.read_text() == 'my own work'


def test_without_a_model_export_and_log_say_what_is_missing(graph: Graph) -> None:
    """A node without a description waits."""
    with graph.process('inverse_dynamics') as process:
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'no model' in answer.message
        graph.wait(lambda: 'no model' in process.output, timeout=20.0)
        assert 'robot_description' in process.output
        assert process.stop() == 0


def test_every_parameter_is_described_and_nonsense_is_refused(graph: Graph) -> None:
    """With the reason, and the old value stays; a valid change applies while it runs."""
    with started(graph):
        client = graph.node.create_client(ListParameters, 'inverse_dynamics/list_parameters')
        graph.wait(client.service_is_ready)
        future = client.call_async(ListParameters.Request())
        graph.wait(future.done)
        assert {row.name for row in PARAMETERS} <= set(future.result().result.names)
        describe = graph.node.create_client(DescribeParameters,
                                            'inverse_dynamics/describe_parameters')
        future = describe.call_async(DescribeParameters.Request(
            names=[row.name for row in PARAMETERS]))
        graph.wait(future.done)
        for row, descriptor in zip(PARAMETERS, future.result().descriptors):
            assert row.meaning in descriptor.description
            assert descriptor.additional_constraints == row.rule
        for name, value, word in (
                ('estimator', {'type': 4, 'string_value': 'guess'}, 'finite_difference'),
                ('polynomial.window', {'type': 3, 'double_value': -1.0}, 'at least'),
                ('polynomial.window', {'type': 4, 'string_value': 'x'}, 'number'),
                ('gravity', {'type': 8, 'double_array_value': [1.0]}, '3 numbers'),
                ('robot_description', {'type': 4, 'string_value': '<robot'}, 'xml')):
            result = set_parameter(graph, name, **value)
            assert not result.successful
            assert word in result.reason
        robot = connected(graph)
        robot.move(20)
        before = robot.efforts[-1].effort[1]
        assert set_parameter(graph, 'gravity', type=8,
                             double_array_value=[0.0, 0.0, 0.0]).successful
        graph.spin(0.5)
        robot.move(20)
        expected = InverseDynamics(DYNAMICS.model, (0.0, 0.0, 0.0))(
            *robot.motion(stamp_of(robot.efforts[-1])))
        np.testing.assert_allclose(robot.efforts[-1].effort, expected, atol=1e-2)
        assert abs(before - robot.efforts[-1].effort[1]) > 1.0


def test_a_parameter_that_is_nonsense_at_the_start_ends_the_node_with_one_line(
        graph: Graph) -> None:
    """Before anything runs there is nothing to keep running."""
    with graph.process('inverse_dynamics', **{'polynomial.window': -1.0}) as process:
        assert process.wait(15.0) == 2
        assert 'polynomial.window' in process.output and 'Traceback' not in process.output


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('times', [1, 2])
def test_signals_end_the_node_within_a_second(graph: Graph, number: int, times: int) -> None:
    """With exit code 0 and no traceback, also when told twice and with data flowing."""
    with started(graph) as process:
        robot = connected(graph)
        robot.move(10)
        began = time.monotonic()
        for _ in range(times):
            process.send(number)
        assert process.wait(5.0) == 0
        assert time.monotonic() - began < 3.0
        assert 'Traceback' not in process.output


def test_names_are_relative_so_that_namespaces_work(graph: Graph) -> None:
    """Two arms side by side."""
    with graph.process('inverse_dynamics', arguments=['-r', '__ns:=/left'],
                       robot_description=TEXT, **CENTRED):
        publisher = graph.publisher(JointState, '/left/joint_states', SENSOR)
        efforts = graph.messages(JointState, '/left/inverse_dynamics/efforts')
        graph.wait(lambda: publisher.get_subscription_count() > 0)
        graph.wait(lambda: graph.node.count_publishers('/left/inverse_dynamics/efforts') > 0)
        robot = Robot(graph)
        robot.publisher = publisher
        graph.wait(lambda: robot.move(5) or len(efforts) > 3)
        assert graph.call(Trigger, '/left/export_model') is not None
