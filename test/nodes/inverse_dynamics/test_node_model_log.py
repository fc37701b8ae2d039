"""What the log of the node inverse_dynamics says of its model, and when."""

from support.nodes.graph import Graph
from support.nodes.moving_robot import DYNAMICS, connected, stamp_of, started
from urdf2dyn_ros import InverseDynamics


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
