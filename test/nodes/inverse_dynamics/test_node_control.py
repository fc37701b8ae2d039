"""Services, parameters, signals and log of the node inverse_dynamics as its own process."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from rcl_interfaces.msg import Parameter as RosParameter
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import DescribeParameters, ListParameters, SetParametersAtomically
from std_msgs.msg import String
from std_srvs.srv import Trigger

from support.nodes.graph import LATCHED, Graph
from support.nodes.moving_robot import DYNAMICS, TEXT, connected, error, stamp_of, started
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS

pytestmark = pytest.mark.slow

HUMANOID = (OWN / 'humanoid_3p33r.urdf').read_text()


def test_the_model_is_exported_where_the_parameters_say(graph: Graph, tmp_path: Path) -> None:
    """The answer gives the path; the script runs; a bad name or a lost file is not."""
    with started(graph, **{'export.directory': str(tmp_path)}):
        answer = graph.call(Trigger, 'export_model')
        assert answer.success
        script = Path(answer.message)
        assert script == tmp_path / 'rx90_dynamics.py'
        assert subprocess.run([sys.executable, script], capture_output=True).returncode == 0
        assert '-9.81' in script.read_text()
        assert graph.set_parameter('gravity', type=8, double_array_value=[0.0, 0.0, -1.62])
        # the file that the node itself wrote is replaced
        graph.wait(lambda: '-1.62' in Path(graph.call(
            Trigger, 'export_model').message).read_text(), what='the other gravity in the file')
        script.write_text('my own work')
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'another text' in answer.message
        assert 'parameter export.overwrite' in answer.message
        assert '--overwrite' not in answer.message
        refused = graph.set_parameter('export.name', type=4, string_value='../x')
        assert not refused.successful and 'letters' in refused.reason
        assert graph.set_parameter('export.name', type=4, string_value='arm').successful
        assert graph.set_parameter('export.style', type=4, string_value='fast').successful
        assert graph.call(Trigger, 'export_model').message == str(tmp_path / 'arm_dynamics.py')
        assert script.read_text() == 'my own work'


@pytest.mark.parametrize('given', [True, False])
def test_nodes_in_two_namespaces_export_to_two_directories(graph, tmp_path, monkeypatch, given):
    """Below the directory of the parameter, or that of ROS."""
    monkeypatch.setenv('ROS_HOME', str(tmp_path / 'home'))
    folder = tmp_path / 'given' if given else tmp_path / 'home' / 'urdf2dyn_ros'
    parameters = {'robot_description': TEXT, 'export.directory': str(folder) if given else ''}
    for namespace, gravity in (('/left', -9.81), ('/right/arm', -1.62)):
        with graph.process('inverse_dynamics', arguments=['-r', f'__ns:={namespace}'],
                           gravity=[0.0, 0.0, gravity], **parameters) as process:
            graph.wait(lambda: 'model of' in process.output)
            answer = graph.call(Trigger, f'{namespace}/export_model')
        assert answer.message == str(folder / namespace[1:] / 'rx90_dynamics.py')
        assert str(gravity) in Path(answer.message).read_text()


def test_parameters_set_while_a_description_is_read_hold_for_it(graph, tmp_path):
    """The newest description with the newest parameters wins, in whatever order they come."""
    publisher = graph.publisher(String, 'robot_description', LATCHED)
    with graph.process('inverse_dynamics', **{'export.directory': str(tmp_path)}) as process:
        graph.wait(lambda: publisher.get_subscription_count() > 0)
        publisher.publish(String(data=TEXT))
        graph.wait(lambda: 'model of' in process.output)
        publisher.publish(String(data=HUMANOID))
        graph.spin(0.05)   # it is being read or not: the result is the same
        assert graph.set_parameter('gravity', type=8,
                                   double_array_value=[0.0, -9.81, 0.0]).successful

        def both_hold() -> bool:
            path = Path(graph.call(Trigger, 'export_model').message)
            text = path.read_text()
            path.unlink()
            return path.name == 'humanoid_3p33r_dynamics.py' and 'Gravity (0, -9.81, 0)' in text

        graph.wait(both_hold, what='model with both')


@pytest.mark.fault(11)
def test_a_description_that_is_refused_when_strict_is_taken_when_not(graph: Graph) -> None:
    """And being strict about the one that runs is refused, with the reason."""
    bad = re.sub(r'ixx="[^"]*"', 'ixx="678.6"', TEXT, count=1)
    publisher = graph.publisher(String, 'robot_description', LATCHED)
    with graph.process('inverse_dynamics', strict_inertia=True) as process:
        graph.wait(lambda: publisher.get_subscription_count() > 0)
        publisher.publish(String(data=bad))
        graph.wait(lambda: 'rejected' in process.output)
        assert graph.set_parameter('strict_inertia', type=1, bool_value=False).successful
        graph.wait(lambda: 'model of' in process.output)
        result = graph.set_parameter('strict_inertia', type=1, bool_value=True)
        assert not result.successful and 'inertia' in result.reason


def test_the_back_end_is_a_parameter_and_so_is_what_is_exported(graph, tmp_path, monkeypatch):
    """Compiled while it runs, with the same efforts; C with all functions from the service."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    with started(graph, **{'export.directory': str(tmp_path)}) as process:
        robot = connected(graph)
        assert 'run by compiled C' in process.output
        made = set((tmp_path / 'cache').rglob('*.so'))
        assert graph.set_parameter('estimator', type=4, string_value='kalman').successful
        # no compiler while data flow, but for the filters of a package that is not installed
        assert len(set((tmp_path / 'cache').rglob('*.so')) - made) <= 1
        for backend, words in (('python', 'run by Python'), ('c', 'run by compiled C')):
            count = process.output.count(words)
            assert graph.set_parameter('backend', type=4, string_value=backend).successful
            graph.wait(lambda words=words, count=count: process.output.count(words) > count)
            robot.move(40)   # from now on by the new model, whose filter adapts to the motion
            graph.wait(lambda: error(robot.efforts[-1], robot) < 1e-3, what='right efforts',
                       meanwhile=lambda: robot.move(20))
        for name, value in (('language', 'c'), ('style', 'fast'), ('model', 'all')):
            assert graph.set_parameter(f'export.{name}', type=4, string_value=value).successful
        answer = graph.call(Trigger, 'export_model')
        assert answer.message.splitlines() == [str(tmp_path / f'rx90_dynamics.{end}')
                                               for end in 'hc']
        assert 'rx90_mass_matrix(' in (tmp_path / 'rx90_dynamics.h').read_text()


@pytest.mark.fault(52)
def test_every_parameter_is_described_and_nonsense_is_refused(graph: Graph) -> None:
    """With the reason, and the old value stays; a valid change applies while it runs."""
    with started(graph):
        names = [row.name for row in NODE_PARAMETERS]
        listed = graph.ask(ListParameters, 'inverse_dynamics/list_parameters')
        assert set(names) <= set(listed.result.names)
        described = graph.ask(DescribeParameters, 'inverse_dynamics/describe_parameters',
                              names=names)
        for row, descriptor in zip(NODE_PARAMETERS, described.descriptors):
            assert row.meaning in descriptor.description
            assert descriptor.additional_constraints == row.rule
        for name, value, word in (
                ('estimator', {'type': 4, 'string_value': 'guess'}, 'finite_difference'),
                ('kalman.bandwidth', {'type': 3, 'double_value': -1.0}, 'at least'),
                ('kalman.bandwidth', {'type': 4, 'string_value': 'x'}, 'number'),
                ('gravity', {'type': 8, 'double_array_value': [1.0]}, '3 numbers'),
                ('robot_description', {'type': 4, 'string_value': '<robot'}, 'xml')):
            result = graph.set_parameter(name, **value)
            assert not result.successful
            assert word in result.reason
        result = graph.ask(
            SetParametersAtomically, 'inverse_dynamics/set_parameters_atomically', parameters=[
                RosParameter(name='gravity', value=ParameterValue(
                    type=8, double_array_value=[0.0, 0.0, 0.0])),
                RosParameter(name='kalman.bandwidth', value=ParameterValue(
                    type=3, double_value=-1.0))]).result
        assert not result.successful and 'kalman.bandwidth' in result.reason
        robot = connected(graph)
        robot.move(20)
        assert error(robot.efforts[-1], robot) < 1e-2, 'nothing of what was refused is in force'
        before = robot.efforts[-1].effort[1]
        assert graph.set_parameter('gravity', type=8,
                                   double_array_value=[0.0, 0.0, 0.0]).successful
        weightless = InverseDynamics(DYNAMICS.model, (0.0, 0.0, 0.0))
        last = robot.settled(lambda message: weightless(*robot.motion(stamp_of(message))))
        assert abs(before - last.effort[1]) > 1.0


@pytest.mark.fault(52)
def test_lags_that_contradict_each_other_at_the_start_end_the_node(graph: Graph) -> None:
    """Before anything runs there is nothing to keep running."""
    with graph.process('inverse_dynamics', **{'moving_base.lag': 0.1}) as process:
        process.rejects('lag of 0 s')


# ---- What the log of the node inverse_dynamics says of its model, and when


def test_a_shift_is_acknowledged_and_other_equations_leave_no_message_out(graph: Graph) -> None:
    """As the counters show: the filters go on."""
    with started(graph):
        robot = connected(graph)
        robot.move(60)
        answer = graph.call(Trigger, 'inverse_dynamics/acknowledge')
        assert not answer.success and 'nothing to acknowledge' in answer.message
        before = len(robot.efforts)
        assert graph.set_parameter(
            'gravity', type=8, double_array_value=[0.0, 0.0, -1.62]).successful
        robot.move(120)
        graph.wait(lambda: len(robot.efforts) >= before + 110, what='an effort of each message')
