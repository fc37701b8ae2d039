"""The node inverse_dynamics with a life cycle: a manager's calls on a real DDS graph."""

import pytest
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from support.nodes import moving_robot
from support.nodes.graph import LATCHED, Graph

NODE = 'inverse_dynamics'


def change(graph: Graph, transition: int) -> bool:
    return bool(graph.ask(ChangeState, f'{NODE}/change_state',
                          transition=Transition(id=transition)).success)


def state(graph: Graph) -> int:
    return int(graph.ask(GetState, f'{NODE}/get_state').current_state.id)


def topics(graph: Graph) -> set[str]:
    return {name for name, _ in graph.node.get_publisher_names_and_types_by_node(NODE, '/')}


def test_efforts_are_published_while_the_node_is_active(graph: Graph) -> None:
    with graph.process('inverse_dynamics_lifecycle', robot_description=moving_robot.TEXT,
                       **moving_robot.CENTRED) as process:
        graph.client(GetState, f'{NODE}/get_state')
        assert state(graph) == State.PRIMARY_STATE_UNCONFIGURED
        assert f'/{NODE}/efforts' not in topics(graph)
        assert change(graph, Transition.TRANSITION_CONFIGURE)
        graph.wait(lambda: 'model of' in process.output)
        robot = moving_robot.connected(graph)
        infos = graph.messages(String, f'{NODE}/model_info', LATCHED)
        robot.move(20)
        assert not robot.efforts and not infos, 'inactive'
        assert change(graph, Transition.TRANSITION_ACTIVATE)
        robot.move(30)
        assert len(robot.efforts) > 20
        assert max(moving_robot.error(effort, robot) for effort in robot.efforts) < 5e-3
        graph.wait(lambda: infos)
        assert change(graph, Transition.TRANSITION_DEACTIVATE)
        before = len(robot.efforts)
        robot.move(20)
        assert len(robot.efforts) == before, 'inactive again'
        assert change(graph, Transition.TRANSITION_CLEANUP)
        graph.wait(lambda: f'/{NODE}/efforts' not in topics(graph))
        assert state(graph) == State.PRIMARY_STATE_UNCONFIGURED
        assert change(graph, Transition.TRANSITION_CONFIGURE)   # all that was released, again
        assert change(graph, Transition.TRANSITION_ACTIVATE)
        robot = moving_robot.connected(graph)
        robot.move(30)
        assert len(robot.efforts) > 20
        assert process.stop() == 0
        assert 'Traceback' not in process.output


@pytest.mark.slow
def test_exports_under_way_while_the_node_is_cleaned_up(graph: Graph) -> None:
    """The node does not crash (rclpy does, if a service is destroyed before it has responded)."""
    with graph.process('inverse_dynamics_lifecycle', robot_description=moving_robot.TEXT,
                       **moving_robot.CENTRED) as process:
        graph.client(GetState, f'{NODE}/get_state')
        assert change(graph, Transition.TRANSITION_CONFIGURE)
        client = graph.client(Trigger, 'export_model')
        assert change(graph, Transition.TRANSITION_CLEANUP)
        answers = []
        for _ in range(8):
            for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE,
                               Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP):
                answers.append(client.call_async(Trigger.Request()))
                assert change(graph, transition)
        graph.wait(lambda: all(answer.done() for answer in answers))
        assert any('not configured' in answer.result().message for answer in answers)
        assert process.stop() == 0


@pytest.mark.slow
def test_without_a_description_or_with_a_bad_one_it_is_not_configured(graph: Graph) -> None:
    # simulated time stands still: nothing waits for it, the shutdown either
    with graph.process('hurried_lifecycle_node', use_sim_time=True,
                       **moving_robot.CENTRED) as process:
        graph.client(GetState, f'{NODE}/get_state')
        assert not change(graph, Transition.TRANSITION_CONFIGURE)
        graph.wait(lambda: 'not configured: no robot description within 0.3 s on '
                           '/robot_description, published by no node; set' in process.output)
        topic = graph.describe('no XML')

        def rejected() -> bool:
            assert not change(graph, Transition.TRANSITION_CONFIGURE)
            return 'xml' in process.output

        graph.wait(rejected)
        assert state(graph) == State.PRIMARY_STATE_UNCONFIGURED
        topic.publish(String(data=moving_robot.TEXT))
        graph.wait(lambda: change(graph, Transition.TRANSITION_CONFIGURE))
        assert change(graph, Transition.TRANSITION_ACTIVATE)
        robot = moving_robot.connected(graph)
        robot.move(30)
        assert len(robot.efforts) > 20
        assert change(graph, Transition.TRANSITION_ACTIVE_SHUTDOWN)
        assert state(graph) == State.PRIMARY_STATE_FINALIZED
        assert process.stop() == 0
