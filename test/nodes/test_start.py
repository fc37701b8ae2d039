"""What a node prints at its start, also of parameters that no node knows."""

import re
import signal
import subprocess
import sys

import pytest
from rcl_interfaces.srv import GetParameters

from support.nodes.graph import Graph
from support.paths import ROOT
from support.robot_files import OWN
from urdf2dyn_ros.nodes import (
    effort_comparison,
    inverse_dynamics,
    inverse_dynamics_lifecycle,
    joint_simulator,
)
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.system import robot_file

pytestmark = pytest.mark.slow


@pytest.mark.parametrize('node', [
    effort_comparison, inverse_dynamics, inverse_dynamics_lifecycle, joint_simulator])
@pytest.mark.parametrize('word', ['-h', '--help'])
def test_help_is_printed_and_no_node_started(node, word, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, 'argv', ['node', word, '--ros-args', '-p', 'a:=1'])
    assert node.main() == 0
    out = capsys.readouterr().out
    assert out.startswith(f'usage: ros2 run urdf2dyn_ros {node.__name__.rpartition(".")[2]} ')
    assert ('ROBOT.urdf' in out) == (node is not effort_comparison)
    if node is inverse_dynamics:
        assert all(f'\n  {row.name} (default: ' in out for row in NODE_PARAMETERS)
        assert 'gravity (default: [0.0, 0.0, -9.81])\n      Gravity in the root frame.' in out


@pytest.mark.fault(52)
@pytest.mark.parametrize(('name', 'parameters'), [
    ('inverse_dynamics', {'gravity': 'down', 'backend': 'cobol', 'stream.max_gap': -1.0,
                          'kalman.bandwidth': -1.0}),
    ('effort_comparison', {'samples': 1, 'effort_semantics': 'torque',
                           'current_gains': [2.0, 0.0]})])
def test_all_faulty_parameters_are_listed_at_once(name: str, parameters: dict) -> None:
    with Graph() as graph, graph.process(name, **parameters) as node:
        node.rejects(*(f'parameter {each} = ' for each in parameters))


def test_gravity_of_whole_and_other_numbers_is_accepted_or_has_a_remedy() -> None:
    with Graph() as graph, graph.process('inverse_dynamics', gravity='[0, 0, -9.81]') as node:
        graph.wait(lambda: 'waits for a robot description on /robot_description, published by no '
                           'node' in node.output)
        assert node.stop() == 0
    with Graph() as graph, graph.program('urdf2dyn_ros.nodes.inverse_dynamics', [
            '--ros-args', '-p', 'gravity:=[0, 0, -9.81]']) as node:
        assert node.wait(120.0) == 2
        assert 'with a decimal point: [0.0, 0.0, -9.81]' in node.output


@pytest.mark.parametrize('name', ['inverse_dynamics', 'inverse_dynamics_lifecycle'])
def test_a_file_is_the_robot(name: str) -> None:
    """As of robot_state_publisher; a description in the place of it breaks the YAML of rcl."""
    words = [str(OWN / 'robot_2r.urdf'), '--ros-args', '-p', 'gravity:=[0.0, -9.81, 0.0]']
    with Graph() as graph, graph.program(f'urdf2dyn_ros.nodes.{name}', words) as node:
        if name == 'inverse_dynamics':
            graph.wait(lambda: "model of 'robot_2r': 2 joints" in node.output)
        value = graph.ask(GetParameters, 'inverse_dynamics/get_parameters',
                          names=['robot_description', 'gravity']).values
        assert value[0].string_value == (OWN / 'robot_2r.urdf').read_text()
        assert list(value[1].double_array_value) == [0.0, -9.81, 0.0]
        assert node.stop() == 0


@pytest.mark.parametrize(('words', 'message'), [
    (['none.urdf'], "cannot read 'none.urdf': No such file or directory"),
    (['a.urdf', 'b.urdf'], "unexpected argument 'b.urdf': there is one file of a robot before"),
    (['--ros-args', '-p', 'robot_description:=<robot\nname="r: {"/>'],
     'a description is no YAML; name its file as the argument before --ros-args')])
def test_what_is_wrong_with_the_arguments_is_one_line(words: list[str], message: str) -> None:
    with Graph() as graph, graph.program('urdf2dyn_ros.nodes.inverse_dynamics', words) as node:
        assert node.wait(120.0) == 2
        errors = [line for line in node.output.splitlines() if line.startswith('error: ')]
        assert len(errors) == 1 and message in errors[0]


WHILE_IMPORTING = """
import os, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Interrupt())
from {entry} import {function}
sys.exit({function}())
"""


def executables() -> list[tuple[str, str, str]]:
    """Return name, module and function of every node's executable."""
    return [(name, f'urdf2dyn_ros.{module}', function) for name, module, function in re.findall(
        r"'(\w+) = \{PACKAGE\}\.(nodes):(\w+)'", (ROOT / 'setup.py').read_text())]


@pytest.mark.parametrize(('module', 'number'), [
    ('rclpy', signal.SIGINT), ('numpy', signal.SIGTERM), ('lxml', signal.SIGINT)])
@pytest.mark.usefixtures('ctrl_c')
def test_a_signal_while_a_node_imports_ends_it_in_order(module: str, number: int) -> None:
    """As `ros2 launch` sends it when Ctrl-C is pressed at once."""
    assert len(executables()) == 4
    name, entry, function = executables()[0]
    program = WHILE_IMPORTING.format(module=module, number=int(number), entry=entry,
                                     function=function)
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                          timeout=100)
    assert (name, done.returncode, done.stdout, done.stderr) == ('inverse_dynamics', 0, '', '')


@pytest.mark.parametrize('name', range(4))
def test_without_ros_a_node_says_what_to_install(name: int) -> None:
    executable, entry, function = executables()[name]
    done = subprocess.run([sys.executable, '-c', f"""
import sys
sys.modules['rclpy'] = None   # import raises ImportError
from {entry} import {function}
sys.exit({function}())
"""], capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f'error: {executable} needs ROS 2, and there is no rclpy')
    assert "pip install 'urdf2dyn_ros[ros]'" in done.stderr


# ---- Parameters at the start whose names no node knows: one that resembles a known one is logged


@pytest.mark.parametrize(('node', 'name', 'known'), [
    ('effort_comparison', 'windwo', 'window'),
    ('effort_comparison', 'lags.search', 'lag.search'),
    ('joint_simulator', 'publish_rates', 'publish_rate')])
def test_a_misspelt_parameter_is_logged_with_the_name_that_it_resembles(node, name, known):
    if node == 'joint_simulator':
        pytest.importorskip('dartpy', exc_type=ImportError)
    parameters = {name: 1.0, 'another_node.rate': 1.0, 'use_sim_time': False}
    if node == 'joint_simulator':
        parameters['robot_description'] = robot_file('robot_2r').read_text()
    with Graph() as graph, graph.process(node, **parameters) as process:
        graph.wait(lambda: f'there is no parameter {name}, it has no effect' in process.output)
        assert f'did you mean "{known}"' in process.output
        assert 'another_node' not in process.output
        result = graph.set_parameter(name, node, type=3, double_value=1.0)   # at run time
        assert not result.successful
        assert result.reason.startswith(f'there is no parameter {name}; did you mean "{known}"')
        assert process.stop() == 0, process.output


@pytest.mark.parametrize(('section', 'used'), [
    ('inverse_dynamics', False), ('/right/inverse_dynamics', False), ('/**/comparison', False),
    ('/**', True), ('/left/inverse_dynamics', True), ('/**/inverse_dynamics', True)])
def test_a_file_of_parameters_for_other_nodes_is_logged_with_their_names(tmp_path, section, used):
    """A file for a node without a namespace has no effect on one in a namespace."""
    file = tmp_path / 'parameters.yaml'
    file.write_text(f'{section}:\n  ros__parameters:\n    friction.enabled: true\n')
    arguments = ['-r', '__ns:=/left', '--params-file', str(file)]
    with Graph() as graph, graph.process('inverse_dynamics', arguments=arguments) as process:
        graph.wait(lambda: 'waits for a robot description' in process.output
                   and graph.set_parameter('friction.enabled', 'left/inverse_dynamics', type=1,
                                           bool_value=True).successful)
        words = f'has no parameters of the node /left/inverse_dynamics, but of "{section}"'
        assert (words in process.output) is not used, process.output
        assert process.stop() == 0, process.output
