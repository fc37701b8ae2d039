"""A node that Fast DDS's shared memory fails: it says so, on a real DDS graph."""

from pathlib import Path

import pytest

from support.nodes.graph import Graph
from support.nodes.moving_robot import connected, started
from urdf2dyn_ros.system import LISTENER, PORT_FILES, replaced_ports

pytestmark = pytest.mark.slow

SHARED = Path('/dev/shm')
FIRST = 7400
"""Ports below are shared by all processes."""


def own_ports(pid: int) -> list[int]:
    """Return the ports of this process alone."""
    names = [file.read_text().strip() for file in Path(f'/proc/{pid}').glob('task/*/comm')]
    ports = [name.removeprefix(LISTENER) for name in names if name.startswith(LISTENER)]
    return [int(port) for port in ports if port.isdigit() and int(port) >= FIRST]


@pytest.mark.fault(49)
def test_a_node_whose_port_was_replaced_says_so_and_what_to_do() -> None:
    """A newcomer finds no file of the port and makes another one, as after a wrong verdict."""
    with Graph() as graph, started(graph, 'hurried_node') as process:
        connected(graph).move(20)
        ports = own_ports(process.pid)
        assert ports, 'Fast DDS does not use shared memory'
        assert replaced_ports(Path(f'/proc/{process.pid}')) == []
        for port in ports:
            for name in PORT_FILES:
                (SHARED / f'{name}{port}').unlink(missing_ok=True)
        with graph.program('programs.dds_peer', ['talk']):
            graph.wait(lambda: 'replaced the shared memory' in process.output, what='warning')
            line = next(line for line in process.output.splitlines() if 'replaced the' in line)
            assert 'no joint states on /joint_states' in line and f'port {ports[0]}' in line
            assert 'restart this node' in line and 'FASTDDS_BUILTIN_TRANSPORTS' in line
            assert replaced_ports(Path(f'/proc/{process.pid}')) == ports


@pytest.mark.parametrize('file', PORT_FILES)
def test_where_the_system_does_not_list_them_there_are_none(file: str, tmp_path: Path) -> None:
    """Other systems have no such folder; threads of other names are none of these."""
    assert replaced_ports(tmp_path / 'none') == []
    for name, comm in (('1', 'python'), ('2', 'dds.shm.x'), ('3', 'dds.shm.7411')):
        (tmp_path / 'task' / name).mkdir(parents=True)
        (tmp_path / 'task' / name / 'comm').write_text(f'{comm}\n')
    (tmp_path / 'maps').write_text(f'7f-80 rw-s 0 00:01 1 /dev/shm/{file}74110 (deleted)\n'
                                   f'7f-80 rw-s 0 00:01 1 /dev/shm/{file}7411\n')
    assert replaced_ports(tmp_path) == []
    (tmp_path / 'maps').write_text(f'7f-80 rw-s 0 00:01 1 /dev/shm/{file}7411 (deleted)\n')
    assert replaced_ports(tmp_path) == [7411]
