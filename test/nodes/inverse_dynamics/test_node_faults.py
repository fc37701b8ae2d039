"""The node inverse_dynamics with faults of its peers, on a real DDS graph."""

import signal

import pytest
from rosgraph_msgs.msg import Clock
from statuses import ERROR, OK, STALE, WARN, Statuses, move
from std_msgs.msg import String
from std_srvs.srv import Trigger

from support.nodes.children import stopped_child
from support.nodes.graph import Graph
from support.nodes.moving_robot import TEXT, connected, error, started
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.nodes.inputs import UNREADABLE, decoded


@pytest.mark.fault(49)
def test_a_killed_publisher_is_reported_and_its_successor_received(graph: Graph) -> None:
    """Without data there are no efforts; with the next publisher everything is reset."""
    with started(graph) as process:
        robot, status = connected(graph), Statuses(graph)
        graph.wait(lambda: status.arrays)
        assert status.level('input') == WARN and 'no data yet' in status.message('input')
        graph.node.destroy_publisher(robot.publisher)
        for _ in range(2):
            with graph.program('programs.dds_peer', ['talk']) as talker:
                graph.wait(lambda: status.levels() == [OK] * 3)
                talker.send(signal.SIGKILL)
                graph.wait(lambda: status.level('input') == WARN)
                assert 'no data for' in status.message('input')
                graph.wait(lambda: status.level('output') == STALE)
        assert int(status.values('input')['gap']) >= 1
        assert process.exit_code is None


@pytest.mark.slow
@pytest.mark.fault(50)
def test_a_subscriber_that_stands_still_does_not_block_the_node(graph: Graph) -> None:
    """It requests reliable delivery, and reads nothing; no subscribers do not matter either."""
    with started(graph), graph.program('programs.dds_peer', ['listen']) as listener:
        robot = connected(graph)
        graph.wait(lambda: 'listening' in listener.output)
        graph.wait(lambda: graph.node.count_subscribers('inverse_dynamics/efforts') == 2,
                   meanwhile=robot.move_one)
        listener.send(signal.SIGSTOP)
        before = len(robot.efforts)
        robot.move(300)
        assert len(robot.efforts) >= before + 290
        assert error(robot.efforts[-1], robot) < 5e-3
        listener.send(signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.fault(31)
def test_a_simulated_clock_that_stands_still_and_is_set_back(graph: Graph) -> None:
    """Efforts and status come while it stands still; a step back restarts the stream once."""
    clock = graph.publisher(Clock, '/clock')
    with started(graph, use_sim_time=True):
        robot, status = connected(graph), Statuses(graph)
        message = Clock()
        message.clock.sec = 42
        graph.wait(lambda: status.arrays[-1].header.stamp.sec == 42,
                   meanwhile=lambda: clock.publish(message))
        robot.move(60)
        assert len(robot.efforts) >= 50
        assert error(robot.efforts[-1], robot) < 5e-3
        robot.stamp -= 10_000_000_000
        message.clock.sec = 32
        graph.wait(lambda: status.arrays[-1].header.stamp.sec == 32,
                   meanwhile=lambda: clock.publish(message))
        robot.efforts.clear()
        robot.move(60)
        assert len(robot.efforts) >= 50
        assert error(robot.efforts[-1], robot) < 5e-3
        before = len(status.arrays)
        graph.wait(lambda: len(status.arrays) >= before + 3)
        assert status.arrays[-1].header.stamp.sec == 32
        assert status.values('input')['jump_back'] == '1'


@pytest.mark.fault(44, 45, 47)
def test_exports_one_at_a_time_of_the_model_that_ran_when_asked(graph, tmp_path):
    """A second call is rejected; a new model does not affect it; the data go on meanwhile."""
    folder = tmp_path / 'out'
    folder.write_text('a file in the way')
    publisher = graph.describe(TEXT)
    export = {'export.directory': str(folder), 'export.language': 'c'}
    with started(graph, robot_description='', **export) as process:
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'it is a file' in answer.message
        folder.unlink()
        robot = connected(graph)
        client = graph.client(Trigger, 'export_model')
        # another function than when the model came: its text is yet to be written
        assert graph.set_parameter('export.model', type=4, string_value='all').successful
        first = client.call_async(Trigger.Request())
        with stopped_child(process.pid, graph.wait):
            second = client.call_async(Trigger.Request())
            graph.wait(second.done)
            assert not second.result().success
            assert second.result().message.startswith('busy: another export is under way')
            publisher.publish(String(data=TEXT.replace('name="rx90"', 'name="other"')))
            robot.move(20)
            assert len(robot.efforts) >= 15, 'the data went on while the first call was under way'
            assert not first.done()
        graph.wait(first.done)
        assert first.result().success, first.result().message
        expected = export_model(read_urdf(TEXT), 'c', functions='all')
        assert first.result().message.splitlines() == [str(folder / name) for name in expected]
        graph.wait(lambda: "model of 'other'" in process.output)
        assert {path.name: path.read_text() for path in folder.iterdir()} == expected
        assert graph.set_parameter('export.name', type=4, string_value='arm').successful
        (folder / 'arm_dynamics.c').symlink_to(tmp_path / 'elsewhere')
        answer = graph.call(Trigger, 'export_model')
        assert not answer.success and 'symbolic link' in answer.message
        assert not (tmp_path / 'elsewhere').exists() and not (folder / 'arm_dynamics.h').exists()
        # the process of an export ends with the node
        client.call_async(Trigger.Request())
        graph.spin(0.3)   # in whatever state that is on a busy machine
        assert process.stop(signal.SIGTERM) == 0 and 'Traceback' not in process.output


@pytest.mark.fault(53)
def test_a_callback_that_fails_is_counted_logged_once_and_survived(graph: Graph) -> None:
    graph.describe(TEXT)
    with started(graph, 'faulty_node', robot_description='') as process:
        robot, status = connected(graph), Statuses(graph)
        for _ in range(3):
            robot.publisher.publish(robot.message(['defect']))
        graph.wait(lambda: status.level('output') == ERROR)
        assert 'ZeroDivisionError: a defect' in status.values('output')['callback error']
        graph.wait(lambda: status.values('output')['callback errors'] == '3')
        assert process.output.count('ZeroDivisionError: a defect') == 1
        move(robot, lambda: status.levels() == [OK] * 3)


@pytest.mark.slow
@pytest.mark.fault(24)
def test_bytes_that_are_no_joint_state_are_dropped_and_counted(graph: Graph) -> None:
    assert decoded(b'\0\1\0\0no joint state') == UNREADABLE
    with started(graph) as process:
        robot, status = connected(graph), Statuses(graph)
        # what is sent before DDS has introduced the two to each other is lost
        graph.wait(lambda: robot.efforts, meanwhile=robot.move_one)
        for data in (b'\0\1\0\0no joint state', b'\xff' * 90):
            robot.publisher.publish(data)
        robot.move(60)
        graph.wait(lambda: int(status.values('input').get('malformed', 0)) == 2)
        assert error(robot.efforts[-1], robot) < 0.1
        assert process.exit_code is None
