"""Both executors run the node: data, timers, services, parameters, simulated time and signals."""

import signal
import sys

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger

from support.nodes.moving_robot import connected, error, started
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.nodes import runtime as running

pytestmark = pytest.mark.slow


@pytest.mark.parametrize('name', ('events', 'single'))
def test_a_node_runs_on_either(graph, name, tmp_path, monkeypatch):
    """The rest of the node's tests run on the default one."""
    if name == 'events' and running.rclpy_version() < running.EVENTS_SINCE:
        pytest.skip('this rclpy has no events executor that awaits services')
    monkeypatch.setenv(running.EXECUTOR_VARIABLE, name)
    clock = graph.publisher(Clock, '/clock')
    with started(graph, use_sim_time=True, **{'export.directory': str(tmp_path)}) as process:
        robot = connected(graph)
        graph.wait(lambda: len(robot.efforts) >= 25, meanwhile=robot.move_one)
        assert error(robot.efforts[-1], robot) < 5e-3
        statuses = graph.messages(DiagnosticArray, 'inverse_dynamics/status')
        clock.publish(Clock())
        graph.wait(lambda: len(statuses) > 1, what='status from a timer')
        assert graph.call(Trigger, 'export_model').success
        assert not graph.set_parameter('estimator', type=4, string_value='guess').successful
        assert process.stop(signal.SIGTERM) == 0
        assert 'Traceback' not in process.output and 'failed' not in process.output


def test_a_wrong_choice_ends_a_node_with_one_line(graph, monkeypatch):
    """It names the variable, the value and the choices."""
    monkeypatch.setenv(running.EXECUTOR_VARIABLE, 'fast')
    with graph.process('inverse_dynamics') as process:
        assert process.wait(120.0) == 2
        assert process.output == (
            "error: URDF2DYN_EXECUTOR = 'fast': must be events or single")


def test_the_choice_follows_the_version_of_rclpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the events executor cannot await a service, and where there is none."""
    module = 'urdf2dyn_ros.nodes.runtime.'
    monkeypatch.delenv(running.EXECUTOR_VARIABLE, raising=False)
    monkeypatch.setattr(module + 'version', lambda name: '7.1.6')
    monkeypatch.setattr(module + 'SingleThreadedExecutor', lambda: 'single')
    assert running.make_executor() == 'single'
    monkeypatch.setitem(sys.modules, 'rclpy.experimental', None)   # import raises ImportError
    monkeypatch.setenv(running.EXECUTOR_VARIABLE, 'events')
    with pytest.raises(ParameterError, match='set it to single'):
        running.make_executor()
