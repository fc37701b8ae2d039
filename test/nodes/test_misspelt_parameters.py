"""Parameters at the start whose names no node knows: one that resembles a known one is logged."""

from pathlib import Path

import pytest

from support.nodes.graph import Graph
from urdf2dyn_ros.system import robot_file

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(('node', 'name', 'known'), [
    ('effort_comparison', 'windwo', 'window'),
    ('effort_comparison', 'lags.search', 'lag.search'),
    ('joint_simulator', 'publish_rates', 'publish_rate')])
def test_a_misspelt_parameter_is_logged_with_the_name_that_it_resembles(
        node: str, name: str, known: str) -> None:
    if node == 'joint_simulator':
        pytest.importorskip('dartpy')
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
def test_a_file_of_parameters_for_other_nodes_is_logged_with_their_names(
        tmp_path: Path, section: str, used: bool) -> None:
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
