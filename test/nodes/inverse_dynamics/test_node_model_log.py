"""What the log of the node inverse_dynamics says of its model, and when."""

import re

import pytest

from support.nodes.graph import Graph
from support.nodes.moving_robot import DYNAMICS, TEXT, connected, stamp_of, started
from urdf2dyn_ros import InverseDynamics

pytestmark = pytest.mark.slow


def test_a_change_that_leaves_the_model_as_it_was_logged_adds_no_line(graph: Graph) -> None:
    """Another gravity, in the same equations; then other equations, without gravity."""
    with started(graph, backend='python') as process:
        robot = connected(graph)
        for gravity, lines in ((-9.7, 1), (-9.6, 1), (0.0, 2)):
            assert graph.set_parameter('gravity', type=8,
                                       double_array_value=[0.0, 0.0, gravity]).successful
            other = InverseDynamics(DYNAMICS.model, (0.0, 0.0, gravity))
            robot.settled(lambda message, other=other: other(*robot.motion(stamp_of(message))))
            assert process.output.count("model of 'rx90'") == lines


def test_debug_lines_have_the_outcomes_and_when_samples_are_forgotten(graph: Graph) -> None:
    process = graph.process('inverse_dynamics', robot_description=TEXT,
                            arguments=('--log-level', 'inverse_dynamics:=debug'))
    with process:
        graph.wait(lambda: 'model of' in process.output, what='model in the log')
        robot = connected(graph)
        robot.settled(lambda message: DYNAMICS(*robot.motion(stamp_of(message))))
        assert graph.set_parameter('estimator', type=4, string_value='none').successful
        graph.wait(lambda: 'the samples before are not used' in process.output)
        assert 'this model is used from the next message on' in process.output
        graph.wait(lambda: re.search(r'such line: .*used \d+', process.output) is not None)
