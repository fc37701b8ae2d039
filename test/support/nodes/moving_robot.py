"""A moving RX-90 on the DDS graph, and the node that receives its states, for tests."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from support.nodes.graph import Graph, Process
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf

TEXT = (OWN / 'rx90.urdf').read_text()
DYNAMICS = InverseDynamics(read_urdf(TEXT))
NAMES = list(DYNAMICS.joint_names)
STEP = 4_000_000
START = 1_700_000_000_000_000_000
CENTRED = {'estimator': 'finite_difference', 'finite_difference.align': 'centre'}


class Robot:
    """Publishes the smooth motion of an RX-90, one sample after the other."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.publisher = graph.publisher(JointState, 'joint_states')
        self.efforts = graph.messages(JointState, 'inverse_dynamics/efforts')
        self.stamp = START

    def motion(self, stamp: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, qd, qdd at a stamp."""
        t = (stamp - START) * 1e-9
        phase = 2.0 * t + np.arange(6)
        return np.sin(phase), 2.0 * np.cos(phase), -4.0 * np.sin(phase)

    def message(self, names: Sequence[str] = NAMES, stamp: int | None = None) -> JointState:
        """Return the sample at a stamp, by name."""
        stamp = self.stamp if stamp is None else stamp
        q, qd, qdd = self.motion(stamp)
        message = JointState(name=list(names))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        index = [NAMES.index(name) if name in NAMES else 0 for name in names]
        message.position = [float(q[k]) for k in index]
        message.velocity = [float(qd[k]) for k in index]
        effort = DYNAMICS(q, qd, qdd)
        message.effort = [float(effort[k]) for k in index]
        return message

    def move(self, samples: int, **change: Any) -> None:
        """Publish samples at the rate of their stamps; the node has taken them in at the end."""
        for _ in self.graph.paced(samples):
            self.move_one(**change)

    def settled(self, expected: Callable[[JointState], np.ndarray]) -> JointState:
        """Move until the efforts are as expected; a new model takes a while."""
        def is_settled() -> bool:
            self.move(20)
            return np.allclose(self.efforts[-1].effort, expected(self.efforts[-1]),
                               rtol=1e-3, atol=1e-3)

        self.graph.wait(is_settled, what='efforts as expected')
        return self.efforts[-1]

    def move_one(self, **change: Any) -> None:
        """Publish one sample, with some fields replaced."""
        self.stamp += STEP
        message = self.message()
        for field, value in change.items():
            setattr(message, field, value)
        self.publisher.publish(message)
        self.graph.spin(0.004)


def stamp_of(message: Any) -> int:
    """Return a message's stamp [ns]."""
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def error(message: JointState, robot: Robot) -> float:
    """Return how far the efforts are off, relative to the largest."""
    expected = DYNAMICS(*robot.motion(stamp_of(message)))
    return float(np.abs(np.array(message.effort) - expected).max() / np.abs(expected).max())


def started(graph: Graph, program: str = 'inverse_dynamics', **parameters: Any) -> Process:
    """Start the node, or a program in its place, with the RX-90 and wait for its model."""
    parameters = {'robot_description': TEXT, **CENTRED, **parameters}
    process = graph.process(program, **parameters)
    graph.wait(lambda: 'model of' in process.output, what='model in the log')
    return process


def connected(graph: Graph) -> Robot:
    """Return a robot whose joint states the node receives, and that receives its efforts."""
    robot = Robot(graph)
    graph.wait(lambda: robot.publisher.get_subscription_count() > 0, what='subscription')
    graph.wait(lambda: graph.node.count_publishers('inverse_dynamics/efforts') > 0)
    graph.introduced()
    return robot
