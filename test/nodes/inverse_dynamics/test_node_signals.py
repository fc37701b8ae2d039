"""After one signal or many without pause, the node inverse_dynamics ends in order."""

import os
import signal
import time
from pathlib import Path

import pytest
from std_msgs.msg import String

from support.nodes.graph import LATCHED, Graph, Process
from support.nodes.moving_robot import connected, started

PATIENCE = 60.0
"""
No node may take longer to end [s].

docs/node.md promises a second, where the machine is not overloaded; there it takes a sixth of
that. No test can hold it to a second: the tests that run at the same time may keep this process,
or the one that waits for it, from the processor for as long. What this finds is a node that does
not end.
"""

JOINTS = {'python': 1000, 'c': 150}
"""Of chains that take seconds to read, or to compile."""


def ends(process: Process, number: int, times: int) -> None:
    """Assert that a node ends with exit code 0, whatever it is doing at the next signal."""
    for _ in range(times):
        process.send(number)
        time.sleep(0.005)   # or two signals would be one
    assert process.wait(PATIENCE) == 0


def processor_time(process: Process) -> float:
    """Return that of all threads [s], as proc(5) has it."""
    numbers = Path(f'/proc/{process.pid}/stat').read_text().rpartition(')')[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf('SC_CLK_TCK')


def chain(joints: int) -> str:
    parts = ['<robot name="chain"><link name="l0"/>']
    for k in range(joints):
        parts.append(
            f'<link name="l{k + 1}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
            f'iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j{k}" type="continuous">'
            f'<parent link="l{k}"/><child link="l{k + 1}"/><origin xyz="0.1 0 0" rpy="0.3 0 0"/>'
            '<axis xyz="0 1 0"/></joint>')
    return ''.join(parts) + '</robot>'


@pytest.mark.fault(48)
@pytest.mark.parametrize(('number', 'times'), [
    (signal.SIGINT, 100), pytest.param(signal.SIGTERM, 1, marks=pytest.mark.slow)])
def test_while_data_flow(graph: Graph, number: int, times: int) -> None:
    with started(graph) as process:
        connected(graph).move(10)
        ends(process, number, times)
        assert 'Traceback' not in process.output


@pytest.mark.fault(48)
@pytest.mark.parametrize(('backend', 'number', 'times'), [
    ('python', signal.SIGINT, 1), *(pytest.param(*each, marks=pytest.mark.slow) for each in (
        ('python', signal.SIGTERM, 100), ('c', signal.SIGINT, 100), ('c', signal.SIGTERM, 1)))])
def test_while_a_huge_description_is_read_or_compiled(graph, tmp_path, monkeypatch, backend,
                                                      number, times):
    """It does not wait for what is not needed any more, and leaves none of it behind."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    publisher = graph.publisher(String, 'robot_description', LATCHED)
    with graph.process('inverse_dynamics', backend=backend) as process:
        graph.wait(lambda: publisher.get_subscription_count() > 0)
        idle = processor_time(process)
        publisher.publish(String(data=chain(JOINTS[backend])))
        if backend == 'c':
            graph.wait(lambda: any(tmp_path.rglob('source.c')), what='compiling')
        else:
            graph.wait(lambda: processor_time(process) > idle + 0.5, what='reading')
        ends(process, number, times)
        # nor has it waited until it was read
        assert 'model of' not in process.output and 'Traceback' not in process.output
    assert not list(tmp_path.rglob('*.*'))
