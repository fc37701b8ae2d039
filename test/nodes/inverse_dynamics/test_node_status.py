"""The status of the node inverse_dynamics: ~/status, /diagnostics, ~/model_info."""

import re
from pathlib import Path

import pytest
from statuses import ERROR, OK, PARTS, STALE, WARN, Statuses, move
from std_msgs.msg import String
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from support.nodes.graph import LATCHED, Graph
from support.nodes.moving_robot import NAMES, STEP, TEXT, connected, error, stamp_of, started
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_OUTCOMES
from urdf2dyn_ros.nodes.endpoints import answering, barrier
from urdf2dyn_ros.nodes.runtime import EVENTS_SINCE, rclpy_version

pytestmark = pytest.mark.slow


def test_a_moving_robot_gives_three_healthy_statuses_with_its_figures(graph: Graph) -> None:
    """The same on both topics; the counters add up; lag and deviation are the estimator's."""
    with started(graph, estimator='kalman') as process:
        robot = connected(graph)
        status, diagnostics = Statuses(graph), Statuses(graph, '/diagnostics')
        move(robot, lambda: len(status.arrays) >= 4 and status.levels() == [OK] * 3)
        model, received, output = map(status.values, PARTS)
        assert [part.name for part in status.arrays[-1].status] == [
            f'inverse_dynamics: {part}' for part in PARTS]
        assert status.arrays[-1].status[0].hardware_id == 'rx90'
        assert model['joints'] == ', '.join(NAMES) and model['back end'] == 'c'
        assert '217 multiplications' in model['operations']
        before, now = ({row.key: row.value for row in array.status[1].values}
                       for array in (status.arrays[-2], status.arrays[-1]))
        assert now == received
        elapsed = 1e-9 * (stamp_of(status.arrays[-1]) - stamp_of(status.arrays[-2]))
        for figures, key, counter in ((received, 'received [1/s]', 'received'),
                                      (output, 'published [1/s]', 'used')):
            rate = (int(now[counter]) - int(before[counter])) / elapsed
            assert float(figures[key]) == pytest.approx(rate, rel=0.1) and rate > 0.0
        assert sum(int(received[name]) for name in JOINT_STATE_OUTCOMES) == int(
            received['received'])
        assert 0.0 <= float(received['age of the newest stamp [s]']) < 1.0
        assert received['publishers'] == '/test (RELIABLE, VOLATILE)'
        assert received['missing joints'] == received['unknown joints'] == ''
        assert output['estimator'] == 'kalman' and float(output['lag [ms]']) == 0.0
        deviation = 'largest standard deviation of accelerations [rad/s^2 or m/s^2]'
        assert float(output[deviation]) > 0.0
        latency = [float(output[f'latency {name} [us]']) for name in ('p50', 'p99', 'max')]
        assert 0.0 < latency[0] <= latency[1] <= latency[2]
        status_of_node = Path(f'/proc/{process.pid}/status').read_text()
        resident = int(re.search(r'VmRSS:\s+(\d+) kB', status_of_node)[1]) / 1e3
        assert float(output['memory [MB]']) == pytest.approx(resident, rel=0.2)
        assert output['callback errors'] == '0'
        graph.wait(lambda: status.arrays[-1] in diagnostics.arrays)
        graph.set_parameter('estimator', type=4, string_value='finite_difference')
        move(robot, lambda: status.values('output')['estimator'] == 'finite_difference'
             and status.values('output')['lag [ms]'] not in ('unknown', '0'))
        assert float(status.values('output')['lag [ms]']) > 0.0
        assert float(status.values('output')[deviation]) > 0.0


@pytest.mark.fault(1, 10, 11, 20)
def test_a_refused_description_is_an_error_until_a_good_one_comes(graph: Graph) -> None:
    """Before any has come it is a warning; model_info is that of the last good one, latched."""
    publisher = graph.publisher(String, 'robot_description', LATCHED)
    with graph.process('inverse_dynamics'):
        status = Statuses(graph)
        graph.wait(lambda: status.level('model') == WARN and 'no model' in status.message('model'))
        assert status.level('output') == STALE
        publisher.publish(String(data='no XML'))
        graph.wait(lambda: status.level('model') == ERROR)
        publisher.publish(String(data=TEXT))
        graph.wait(lambda: status.level('model') == OK)
        publisher.publish(String(data=TEXT.replace('mass value="35', 'mass value="-35')))
        graph.wait(lambda: status.level('model') == ERROR)
        assert 'mass-negative' in status.values('model')['rejected']
        assert status.values('model')['model'] == 'rx90'
        bad = re.sub(r'ixx="[^"]*"', 'ixx="678.6"', TEXT, count=1).replace('joint6', 'wrist')
        publisher.publish(String(data=bad))
        graph.wait(lambda: status.level('model') == WARN)
        assert 'inertia' in status.values('model')['warnings']
        info = graph.messages(String, 'inverse_dynamics/model_info', LATCHED)
        graph.wait(lambda: 'wrist' in info[-1].data)
        head, _, warnings = info[-1].data.partition('\nwarnings:\n')
        assert 'rx90: 6 joints' in head and '217 multiplications' in head
        assert all(name in head for name in NAMES[:5])
        assert 'fixed to the world: ' in head and 'links (lumped after the first)' in head
        assert 'inertia' in warnings


def test_diagnostics_are_off_by_parameter_and_names_have_the_namespace(graph: Graph) -> None:
    """The status of its own is always there."""
    with graph.process('inverse_dynamics', {'__ns': '/left'}, robot_description=TEXT,
                       **{'diagnostics.enabled': False}):
        status = Statuses(graph, '/left/inverse_dynamics/status')
        graph.wait(lambda: len(status.arrays) >= 2)
        assert status.arrays[-1].status[1].name == 'left/inverse_dynamics: input'
        assert graph.node.count_publishers('/diagnostics') == 0
        info = graph.messages(String, '/left/inverse_dynamics/model_info', LATCHED)
        graph.wait(lambda: info)
        assert info[-1].data.endswith('\nwarnings:\nnone')


@pytest.mark.fault(53)
def test_every_failure_of_a_callback_is_told(graph: Graph) -> None:
    """Every time, though the log has it once in five seconds."""
    told: list[str] = []
    failing = barrier(graph.node, lambda: 1 / 0, told.append)
    failing()
    failing()
    assert len(told) == 2 and 'ZeroDivisionError' in told[0]
    answer = answering(graph.node, lambda request, response: 1 / 0, told.append)(
        SetBool.Request(), SetBool.Response())
    assert len(told) == 3 and not answer.success and 'defect' in answer.message


def test_accelerations_may_come_from_a_topic(graph: Graph) -> None:
    with started(graph, estimator='external'):
        robot = connected(graph)
        accelerations = graph.publisher(JointTrajectory, 'joint_accelerations')
        graph.introduced()
        for _ in graph.paced(200):
            robot.stamp += STEP
            message = robot.message()
            given = JointTrajectory(header=message.header, joint_names=NAMES)
            given.points = [JointTrajectoryPoint(
                accelerations=robot.motion(robot.stamp)[2].tolist())]
            accelerations.publish(given)
            robot.publisher.publish(message)
            graph.spin(0.004)
        # other executors take the messages of two topics in any order
        least = 180 if rclpy_version() >= EVENTS_SINCE else 120
        assert len(robot.efforts) > least
        assert max(error(message, robot) for message in robot.efforts) < 1e-9
