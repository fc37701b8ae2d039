"""A Panda whose fingers no driver publishes: reports, and the parameter `hold`."""

import json
import shlex

import numpy as np
import pytest
from rcl_interfaces.msg import ParameterType
from sensor_msgs.msg import JointState
from statuses import WARN, Statuses

from support.nodes.graph import Graph
from support.nodes.moving_robot import START, connected, stamp_of, started
from support.robot_files import robot_path
from urdf2dyn_ros import InverseDynamics, read_urdf

TEXT = robot_path('panda').read_text()
DYNAMICS = InverseDynamics(read_urdf(TEXT))
ARM, FINGER = list(DYNAMICS.joint_names[:7]), DYNAMICS.joint_names[7]


def state(stamp):
    """Return q, qd, qdd (8,) with the finger at rest at zero."""
    angle = 2.0 * (stamp - START) * 1e-9 + np.arange(7.0)
    q = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0]) + 0.2 * np.sin(angle)
    return [np.append(part, 0.0) for part in (q, 0.4 * np.cos(angle), -0.8 * np.sin(angle))]


class Panda:
    """Publishes the motion of the arm, without the finger."""

    def __init__(self, graph: Graph) -> None:
        self.robot = connected(graph)

    def move(self, names=ARM) -> bool:
        self.robot.stamp += 50_000_000
        message = JointState(name=names)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.robot.stamp, 10**9)
        q, qd, _ = state(self.robot.stamp)
        message.position, message.velocity = q[:len(names)].tolist(), qd[:len(names)].tolist()
        self.robot.publisher.publish(message)
        self.robot.graph.spin(0.004)
        return bool(self.robot.efforts)

    def checked(self) -> JointState:
        """Return the newest efforts, which must be those of the whole robot."""
        message = self.robot.efforts[-1]
        assert list(message.name) == [*ARM, FINGER]
        assert list(message.effort) == pytest.approx(DYNAMICS(*state(stamp_of(message))),
                                                     rel=1e-2, abs=1e-2)
        return message


@pytest.mark.fault(25)
def test_a_node_that_waits_says_which_joints_are_missing_and_the_line_that_holds_them(graph):
    with started(graph, robot_description=TEXT):
        panda, status = Panda(graph), Statuses(graph)
        graph.wait(lambda: panda.move() or (status.level('input') == WARN
                                            and 'missing' in status.message('input')))
        assert not panda.robot.efforts
        assert f'missing joints: {FINGER}; if nothing publishes them' in status.message('input')
        words = shlex.split(status.values('input')['remedy'].partition(': ')[2])
        assert words[:5] == ['ros2', 'param', 'set', '/inverse_dynamics', 'hold']

        refused = graph.set_parameter('hold', type=ParameterType.PARAMETER_STRING_ARRAY,
                                      string_array_value=[f'{FINGER}=0.05'])
        assert 'outside of the limits of the joint, 0 to 0.04 m' in refused.reason
        done = graph.set_parameter('hold', type=ParameterType.PARAMETER_STRING_ARRAY,
                                   string_array_value=json.loads(words[5]))
        assert done.successful, done.reason
        graph.wait(panda.move, what='efforts')
        panda.checked()
        graph.wait(lambda: panda.move() and status.values('input')['held joints'])
        assert status.values('input')['held joints'] == f'{FINGER} at 0'
        assert 'missing' not in status.message('input')
        assert status.values('input')['remedy'] == ''
