"""The node effort_comparison as a process of its own on a real DDS graph."""

from __future__ import annotations

import csv
import math
import signal

import pytest
from graph import LATCHED, Graph
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

URDF = """
<robot name="lift">
  <link name="base"/><link name="mast"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="rise" type="prismatic"><parent link="base"/><child link="mast"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""
START, PERIOD = 1_700_000_000_000_000_000, 4_000_000


def state(stamp, names, efforts):
    message = JointState(name=names, effort=efforts)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    return message


class Robot:
    """Publishes measured and computed efforts as two nodes would, the computed ones later."""

    def __init__(self, graph, prefix=''):
        self._graph = graph
        self._measured = graph.publisher(JointState, f'{prefix}joint_states')
        self._computed = graph.publisher(JointState, f'{prefix}inverse_dynamics/efforts')
        graph.wait(lambda: self._measured.get_subscription_count()
                   and self._computed.get_subscription_count(), what='subscriber')

    def move(self, count, measured=lambda k: 5.0 * math.sin(0.02 * k)):
        for k in range(count):
            self._measured.publish(state(START + k * PERIOD, ['other', 'rise'],
                                         [1.0, measured(k)]))
            if k >= 5:
                late = k - 5
                self._computed.publish(state(START + late * PERIOD, ['rise'],
                                             [5.0 * math.sin(0.02 * late) + 0.01]))
            self._graph.spin(0.001)
        self._graph.spin(0.3)


def test_it_compares_by_stamp_and_saves_a_report(tmp_path):
    directory = tmp_path / 'new' / 'report'
    with Graph() as graph, graph.process(
            'effort_comparison', progress_period=0.2,
            **{'report.directory': str(directory)}) as node:
        graph.publisher(String, 'robot_description', LATCHED).publish(String(data=URDF))
        answer = graph.call(Trigger, 'effort_comparison/save_report')
        assert not answer.success and 'measured and computed at the same time' in answer.message
        silent = 'nothing on topic /inverse_dynamics/efforts yet'
        graph.wait(lambda: silent in node.output, what='line about the silent topic')
        Robot(graph).move(600)
        answer = graph.call(Trigger, 'effort_comparison/save_report', 60.0)
        assert answer.success, answer.message
        graph.wait(lambda: 'largest NRMSE 0.1 % (rise)' in node.output, what='line of progress')
        assert node.stop(signal.SIGINT) == 0, node.output

    paths, figures = answer.message.split('\n\n')
    assert paths.splitlines() == [str(directory / f'efforts.{kind}')
                                  for kind in ('csv', 'json', 'png')]
    _, row = figures.splitlines()
    name, unit, samples, rmse, *_ = row.split()
    assert (name, unit, rmse) == ('rise', 'N', '0.01')
    assert int(samples) > 500
    with (directory / 'efforts.csv').open(encoding='utf-8') as file:
        head, *rows = csv.reader(file)
    assert head == ['time', 'measured_rise', 'computed_rise', 'residual_rise']
    assert len(rows) == int(samples)
    assert sorted(path.name for path in directory.iterdir()) == [
        'efforts.csv', 'efforts.json', 'efforts.png']


def test_faults_in_messages_do_not_end_it_and_topics_can_be_remapped(tmp_path):
    with Graph() as graph, graph.process(
            'effort_comparison', {'__ns': '/left'}, progress_period=0.2,
            **{'report.directory': str(tmp_path)}) as node:
        publisher = graph.publisher(JointState, 'left/joint_states')
        graph.publisher(String, 'left/robot_description', LATCHED).publish(String(data='nonsense'))
        robot = Robot(graph, 'left/')
        for names, efforts in (([], []), (['rise'], []), (['rise'], [1.0, 2.0]),
                               (['rise'], [math.nan]), (['rise', 'rise'], [math.inf, -math.inf])):
            publisher.publish(state(START - PERIOD, names, efforts))
        publisher.publish(state(0, ['rise'], [77.0]))
        robot.move(200, measured=lambda k: 0.0)
        answer = graph.call(Trigger, 'left/effort_comparison/save_report', 60.0)
        graph.wait(lambda: '1 not credible (rise: ' in node.output, what='line of progress')
        assert node.stop(signal.SIGTERM) == 0, node.output
    assert answer.success, answer.message
    assert 'not credible: the measured effort is zero throughout' in answer.message
    assert 'N m | N' in answer.message
    assert 'defect' not in node.output


def test_a_directory_that_cannot_be_written_is_the_answer(tmp_path):
    (tmp_path / 'file').write_text('')
    with Graph() as graph, graph.process(
            'effort_comparison', **{'report.directory': str(tmp_path / 'file')}) as node:
        Robot(graph).move(100)
        answer = graph.call(Trigger, 'effort_comparison/save_report', 60.0)
        assert node.exit_code is None
    assert not answer.success
    assert str(tmp_path / 'file') in answer.message


@pytest.mark.parametrize('parameters', [{'samples': 1}, {'progress_period': 'soon'}])
def test_a_bad_parameter_is_said_in_a_line(parameters):
    with Graph() as graph, graph.process('effort_comparison', **parameters) as node:
        assert node.wait(20.0) == 2, node.output
        assert f'parameter {next(iter(parameters))} = ' in node.output
        assert 'Traceback' not in node.output
