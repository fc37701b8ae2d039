"""What a node prints at its start."""

import sys
from types import SimpleNamespace

import pytest
from rclpy.clock import ROSClock

from support.nodes.graph import Graph
from urdf2dyn_ros.nodes import (
    effort_comparison,
    inverse_dynamics,
    inverse_dynamics_lifecycle,
    joint_simulator,
)
from urdf2dyn_ros.nodes.inverse_dynamics.missing_data import MissingData
from urdf2dyn_ros.nodes.inverse_dynamics.parameters import NODE_PARAMETERS


@pytest.mark.parametrize('node', [
    effort_comparison, inverse_dynamics, inverse_dynamics_lifecycle, joint_simulator])
@pytest.mark.parametrize('word', ['-h', '--help'])
def test_help_is_printed_and_no_node_started(node, word, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, 'argv', ['node', word, '--ros-args', '-p', 'a:=1'])
    assert node.main() == 0
    out = capsys.readouterr().out
    assert out.startswith(f'usage: ros2 run urdf2dyn_ros {node.__name__.rpartition(".")[2]} ')
    if node is inverse_dynamics:
        assert all(f'\n  {row.name} (default: ' in out for row in NODE_PARAMETERS)
        assert 'gravity (default: [0.0, 0.0, -9.81])\n      Gravity in the root frame.' in out


def test_all_faulty_parameters_are_listed_at_once() -> None:
    with Graph() as graph, graph.process('inverse_dynamics', gravity='down', backend='cobol',
                                         **{'stream.max_gap': -1.0}) as node:
        assert node.wait(120.0) == 2
        for name in ('gravity', 'backend', 'stream.max_gap'):
            assert f'parameter {name} = ' in node.output
        assert 'Traceback' not in node.output


def test_gravity_of_whole_and_other_numbers_is_accepted_or_has_a_remedy() -> None:
    with Graph() as graph, graph.process('inverse_dynamics', gravity='[0, 0, -9.81]') as node:
        graph.wait(lambda: 'waits for a robot description on /robot_description, published by no '
                           'node' in node.output)
        assert node.stop() == 0
    with Graph() as graph, graph.program('urdf2dyn_ros.nodes.inverse_dynamics', [
            '--ros-args', '-p', 'gravity:=[0, 0, -9.81]']) as node:
        assert node.wait(120.0) == 2
        assert 'with a decimal point: [0.0, 0.0, -9.81]' in node.output


def test_a_simulated_clock_that_nothing_publishes_is_logged() -> None:
    warnings: list[str] = []
    clock = ROSClock()
    clock._set_ros_time_is_active(True)
    checks = []
    logger = SimpleNamespace(warning=warnings.append, info=warnings.append)
    node = SimpleNamespace(get_logger=lambda: logger, get_clock=lambda: clock)
    endpoints = SimpleNamespace(node=node, published=lambda topic: f'/{topic}',
                                timer=lambda period, check: checks.append(check))
    pipeline = SimpleNamespace(active=None, requested={'robot_description': ''})
    MissingData(endpoints, SimpleNamespace(messages=0), pipeline, SimpleNamespace())
    checks[0]()
    assert warnings[0] == 'waits for a robot description on /robot_description'
    assert warnings[1].startswith('use_sim_time is true, but nothing was received on /clock')
