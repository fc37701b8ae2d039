"""The node effort_comparison as a process of its own on a real DDS graph."""

import csv
import hashlib
import math
import re
import signal

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from support.nodes.children import stopped_child
from support.nodes.graph import LATCHED, Graph
from urdf2dyn_ros.nodes import effort_comparison
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.report import joint_status

URDF = """
<robot name="lift">
  <link name="base"/><link name="mast"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="rise" type="prismatic"><parent link="base"/><child link="mast"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <dynamics damping="20" friction="3"/></joint>
</robot>
"""
START, PERIOD = 1_700_000_000_000_000_000, 4_000_000


def state(stamp, names, efforts, velocities=(), positions=()):
    message = JointState(name=names, effort=efforts, velocity=velocities, position=positions)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    return message


class Robot:
    """Publishes measured and computed efforts as two nodes would, the computed ones later."""

    def __init__(self, graph, prefix=''):
        self._graph = graph
        self._measured = graph.publisher(JointState, f'{prefix}joint_states')
        self._computed = graph.publisher(JointState, f'{prefix}inverse_dynamics/efforts')
        self._node = f'{prefix}effort_comparison'
        graph.introduced(self._node)
        self.published = 0

    def move(self, count, measured=lambda k: 5.0 * math.sin(0.02 * k), joint='rise'):
        for k in self._graph.paced(count, self._node):
            k += self.published
            self._measured.publish(state(START + k * PERIOD, ['other', joint],
                                         [1.0, measured(k)]))
            if k >= 5:
                late = k - 5
                self._computed.publish(state(
                    START + late * PERIOD, ['rise'], [5.0 * math.sin(0.02 * late) + 0.01],
                    [0.1 * math.cos(0.013 * late)], [0.1 * math.sin(0.013 * late)]))
            self._graph.spin(0.001)
        self.published += count


def values(status):
    return {pair.key: pair.value for pair in status.values}


def test_it_compares_by_stamp_and_saves_a_report(tmp_path):
    directory = tmp_path / 'new' / 'report'
    with Graph() as graph, graph.process(
            'effort_comparison', progress_period=0.2, efforts='simulated',
            **{'report.directory': str(directory)}) as node:
        graph.describe(URDF)
        answer = graph.call(Trigger, 'effort_comparison/save_report')
        assert not answer.success and 'measured and computed at the same time' in answer.message
        silent = 'nothing on topic /inverse_dynamics/efforts yet'
        graph.wait(lambda: silent in node.output, what='line about the silent topic')
        graph.wait(lambda: "robot 'lift'" in node.output, what='robot')
        Robot(graph).move(600)
        answer = graph.call(Trigger, 'effort_comparison/save_report')
        assert answer.success, answer.message
        again = graph.call(Trigger, 'effort_comparison/save_report')
        assert not again.success
        assert 'efforts.csv exists, which may be your work: set the parameter' in again.message
        graph.wait(lambda: re.search(r'largest NRMSE 0\.1\d* % \(rise\)', node.output),
                   what='line of progress')
        assert node.stop(signal.SIGINT) == 0, node.output

    paths, figures = answer.message.split('\n\n')
    assert paths.splitlines() == [str(directory / f'efforts.{kind}')
                                  for kind in ('csv', 'json', 'png', 'html')]
    _, row, *_ = figures.splitlines()
    name, unit, samples, rmse, *_ = row.split()
    assert (name, unit, rmse) == ('rise', 'N', '0.01')
    assert int(samples) > 300   # best effort
    with (directory / 'efforts.csv').open(encoding='utf-8') as file:
        head, *rows = csv.reader(file)
    assert head == ['time', 'measured_rise', 'computed_rise', 'residual_rise']
    assert len(rows) == int(samples)
    assert sorted(path.name for path in directory.iterdir()) == [
        'efforts.csv', 'efforts.html', 'efforts.json', 'efforts.png']
    page = (directory / 'efforts.html').read_text(encoding='utf-8')
    assert '<h1>lift: simulated and computed efforts</h1>' in page
    for line in ('command: service save_report of /effort_comparison',
                 f'urdf sha256: {hashlib.sha256(URDF.encode()).hexdigest()[:12]}'):
        assert f'<li>{line}</li>' in page


def test_a_topic_without_efforts_says_what_it_has_instead() -> None:
    """After five looks; a side that has stopped is named."""
    topic = effort_comparison._Topic('/states')
    assert topic.absence() == '; /states: nothing is received'
    for wrong, words in ((state(START, ['rise'], []), 'messages with 0 efforts for 1 name'),
                         (state(0, ['rise'], [1.0]), 'messages without a stamp')):
        assert topic.stamp(wrong) == 0 and topic.absence() == f'; /states: {words}'
    assert topic.stamp(state(START, ['rise'], [1.0])) == START
    assert [bool(topic.absence()) for _ in range(6)] == [False] * 5 + [True]
    assert topic.absence() == '; /states: nothing is received'
    other = effort_comparison._Topic('/efforts')
    assert other.stamp(state(START - 10**9, ['rise'], [1.0])) and not topic.apart(other)
    assert other.stamp(state(START + 5 * 10**9, ['rise'], [1.0])) and topic.apart(other) == (
        '; stamps on /states are 5 s earlier than on /efforts: are the clocks synchronised?')


@pytest.mark.parametrize(('size', 'words'), [   # the computed effort is up to 5 N
    pytest.param(0.0, 'zero throughout', marks=pytest.mark.slow),
    (1e-12, 'zero: at most 1e-12 in size')])
def test_faults_in_messages_do_not_end_it_and_topics_can_be_remapped(size, words, tmp_path):
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
        robot.move(200, measured=lambda k: size * math.sin(0.02 * k))
        answer = graph.call(Trigger, 'left/effort_comparison/save_report')
        graph.wait(lambda: '1 not credible (rise: ' in node.output, what='line of progress')
        assert node.stop(signal.SIGTERM) == 0, node.output
    assert answer.success, answer.message
    assert f'not credible: the measured effort is {words}' in answer.message
    assert 'Traceback' not in node.output
    assert 'N m | N' in answer.message
    assert 'defect' not in node.output


@pytest.mark.slow
def test_figures_are_published_every_second_and_faults_are_warnings():
    with Graph() as graph, graph.process('effort_comparison', window=1.0) as node:
        graph.describe(URDF)
        graph.wait(lambda: "robot 'lift'" in node.output, what='robot')
        heard = graph.messages(DiagnosticArray, 'effort_comparison/comparison')
        robot = Robot(graph)
        robot.move(600)
        graph.wait(lambda: heard[-1].status
                   and int(values(heard[-1].status[0])['total samples']) > 300, what='figures')
        status = heard[-1].status[0]
        robot.move(500, measured=lambda k: 0.0)
        # other faults may come before
        graph.wait(lambda: 'frozen for' in heard[-1].status[0].message, what='warning',
                   meanwhile=lambda: robot.move(25, measured=lambda k: 0.0))
        warning = heard[-1].status[0]
    assert status.name == 'effort_comparison: rise'
    assert (status.level, status.hardware_id) == (b'\x00', 'lift')
    assert re.fullmatch(r'RMSE 0.01 N, [\d.]+ % of the range in the last 1 s', status.message)
    known = values(status)
    assert known['window RMSE [N]'] == known['total RMSE [N]'] == '0.01'
    assert int(known['window samples']) < 300 < int(known['total samples'])
    assert known['total lag [ms]'] == 'none'
    assert float(known['total offset [N]']) == pytest.approx(-0.01, abs=1e-6)
    assert warning.level == b'\x01' and 'not credible' in warning.message


@pytest.mark.slow
def test_joints_that_have_other_names_are_listed():
    with Graph() as graph, graph.process('effort_comparison') as node:
        Robot(graph).move(100, joint='arm_rise')
        graph.wait(lambda: 'no joint is both measured and computed' in node.output,
                   what='warning')
        assert '/joint_states has other, arm_rise; /inverse_dynamics/efforts has rise' in (
            node.output)


@pytest.mark.slow
@pytest.mark.parametrize(('semantics', 'options', 'measured'), [
    ('current', {'current_gains': [2.5]},
     lambda q, qd, net: (net + 20.0 * qd + 3.0 * np.sign(qd)) / 2.5),
    ('gravity_compensated', {'gravity': [0.0, 0.0, -9.81]}, lambda q, qd, net: net - 9.81),
])
def test_what_effort_means_is_a_parameter(semantics, options, measured):
    """The mast of 1 kg rises along z: its effort against gravity is 9.81 N."""
    urdf = URDF.replace('<limit', '<axis xyz="0 0 1"/><limit').replace(
        'effort="1"', 'effort="50"')
    with Graph() as graph, graph.process('effort_comparison', effort_semantics=semantics,
                                         still_velocity=0.0, **options) as node:
        graph.describe(urdf)
        graph.wait(lambda: "robot 'lift'" in node.output, what='robot')
        heard = graph.messages(DiagnosticArray, 'effort_comparison/comparison')
        publishers = [graph.publisher(JointState, topic)
                      for topic in ('joint_states', 'inverse_dynamics/efforts')]
        graph.introduced('effort_comparison')
        for k in graph.paced(500, 'effort_comparison'):
            angle = 0.013 * k
            q, qd = math.sin(angle), math.cos(angle)
            net = 9.81 - math.sin(angle)
            publishers[0].publish(state(START + k * PERIOD, ['rise'],
                                        [float(measured(q, qd, net))]))
            publishers[1].publish(state(START + k * PERIOD, ['rise'], [net], [qd], [q]))
            graph.spin(0.001)
        graph.wait(lambda: heard[-1].status
                   and int(values(heard[-1].status[0])['total samples']) > 400, what='samples')
    assert float(values(heard[-1].status[0])['total RMSE [N]']) < 1e-12


@pytest.mark.slow
def test_messages_are_counted_while_a_report_is_drawn(tmp_path):
    """A second one is rejected meanwhile. The process that draws stands still."""
    names = [f'joint{i}' for i in range(4)]
    with Graph() as graph, graph.process(
            'effort_comparison', **{'report.directory': str(tmp_path)}) as node:
        heard = graph.messages(DiagnosticArray, 'effort_comparison/comparison')
        publishers = [graph.publisher(JointState, topic, 1000)
                      for topic in ('joint_states', 'inverse_dynamics/efforts')]
        client = graph.client(Trigger, 'effort_comparison/save_report')
        graph.introduced('effort_comparison')
        count = 0

        def publish():
            nonlocal count
            for _ in graph.paced(10, 'effort_comparison'):
                efforts = [math.sin(0.02 * count + i) for i in range(4)]
                for publisher in publishers:
                    publisher.publish(state(START + count * PERIOD, names, efforts, efforts))
                count += 1
                graph.spin(0.004)

        def samples():
            return int(values(heard[-1].status[0])['total samples']) if (
                heard and heard[-1].status) else 0

        graph.wait(lambda: samples() > 100, what='samples', meanwhile=publish)
        answers = [client.call_async(Trigger.Request()) for _ in range(2)]
        with stopped_child(node.pid, graph.wait):
            before = count
            graph.wait(lambda: count > before + 200, meanwhile=publish)
            graph.wait(lambda: samples() > before + 0.8 * 200, what='samples from meanwhile')
            assert [answer.done() for answer in answers].count(True) <= 1   # that it is busy
        graph.wait(lambda: all(answer.done() for answer in answers), what='answers')
        assert node.stop(signal.SIGINT) == 0, node.output
    saved, refused = sorted((answer.result() for answer in answers),
                            key=lambda answer: not answer.success)
    assert saved.success and not refused.success
    assert refused.message.startswith('busy')


@pytest.mark.parametrize(('size', 'level'), [(5.0, b'\0'), (0.5, b'\1')])
def test_efforts_that_explain_less_than_none_are_a_warning(size: float, level: bytes) -> None:
    """As of interchanged joints, which no fault of a single one explains."""
    comparison = Comparison(1000, 10.0, 'net', (1.0,), 0.0, 0.005)
    for k in range(400):
        comparison.add_measured(START + k * PERIOD, ['rise'], [size * math.sin(0.7 * k)])
        comparison.add_computed(START + k * PERIOD, ['rise'], [5.0 * math.cos(0.02 * k)], [0.0],
                                [0.1 * math.cos(0.013 * k)])
    joint, = comparison.joints()
    status = joint_status(joint, 10.0, False)
    assert bytes([status.level]) == level and status.message.startswith('RMSE')
