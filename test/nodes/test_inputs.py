"""What the node inverse_dynamics receives, without a graph: inputs.py."""

import time
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from geometry_msgs.msg import Quaternion, Vector3, WrenchStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Imu as ImuMessage
from sensor_msgs.msg import JointState

from support.nodes.moving_robot import TEXT
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.moving_base import Imu, Odometry
from urdf2dyn_ros.nodes.inputs import UNREADABLE, Base, JointStates, Wrenches, decoded


class Endpoints:
    """The callbacks of topics and timers, and what is published."""

    def __init__(self) -> None:
        self.node = MagicMock()
        self.node.resolve_topic_name = lambda topic: f'/{topic}'
        self.callbacks: dict[str, Callable[..., None]] = {}
        self.timers: list[Callable[[], None]] = []
        self.queue: deque[Any] = deque()   # of DDS
        self.sent: list[Any] = []

    def guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        return callback

    def subscribe(self, kind: Any, topic: str, callback: Callable[..., None], qos: Any,
                  raw: bool = False) -> Any:
        if topic.startswith('!'):
            raise ParameterError(f'{topic!r} is no name of a topic')
        self.callbacks[topic] = callback
        handle = MagicMock()
        handle.take_message = lambda kind, raw: self.queue.popleft() if self.queue else None
        return SimpleNamespace(handle=handle, topic=topic)

    def publisher(self, kind: Any, topic: str) -> Any:
        def publish(m: WrenchStamped) -> None:
            w = m.wrench
            self.sent.append((m.header.frame_id, m.header.stamp.nanosec, *(
                getattr(v, axis) for v in (w.force, w.torque) for axis in 'xyz')))

        return SimpleNamespace(publish=publish)

    def timer(self, period: float, callback: Callable[[], None]) -> None:
        self.timers.append(callback)

    def published(self, topic: str) -> str:
        return f'{topic}, published by no node'


def state(stamp: int, number: int | None = None, waited: float = 0.0) -> tuple[bytes, Any]:
    """Return a message as DDS has it, with what rclpy tells of it."""
    message = JointState(name=['a', 'b'], position=[1.0, 2.0], velocity=[3.0, 4.0], effort=[5.0])
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    information = {'received_timestamp': time.time_ns() - round(waited * 1e9)}
    if number is not None:
        information |= {'publisher_gid': {'data': b'one'}, 'publication_sequence_number': number}
    return serialize_message(message), information


class Received:
    def __init__(self, depth: int) -> None:
        self.ends, self.messages, self.lost = Endpoints(), [], 0   # type: Any, list[Any], int
        self.states = JointStates(self.ends, depth, lambda message, compute: self.messages.append(
            (message.stamp, compute)), self._count)
        self.receive = self.ends.callbacks['joint_states']

    def _count(self, messages: int) -> None:
        self.lost += messages

    def go_on(self) -> list[Any]:
        """Do what the executor was asked to do later; return what was processed."""
        task, self.messages = self.ends.node.executor.create_task, []
        assert task.call_count == 1
        task.call_args[0][0]()
        task.reset_mock()
        return self.messages


def test_fields_of_a_message_and_of_bytes_that_are_none() -> None:
    message = decoded(state(3_000_000_007)[0])
    assert message.stamp == 3_000_000_007 and list(message.names) == ['a', 'b']
    assert [list(row) for row in message[2:]] == [[1.0, 2.0], [3.0, 4.0], [5.0]]
    assert decoded(b'\x00\x01') is UNREADABLE


def test_messages_are_processed_at_once_and_late_ones_when_all_are_there() -> None:
    """After a pause all of them have efforts."""
    received = Received(depth=100)
    received.receive(*state(1))
    received.receive((*state(2),))   # as the events executor of Kilted
    received.receive(state(3)[0])    # as Humble
    assert received.messages == [(1, True), (2, True), (3, True)]
    received.receive(*state(4, waited=0.08))
    received.receive(*state(5))      # behind one that waits
    assert len(received.messages) == 3
    received.ends.queue.extend([state(6), state(7)])
    assert received.go_on() == [(4, True), (5, True), (6, True), (7, True)]
    received.receive(*state(8, waited=0.02))
    assert received.messages[-1] == (8, True) and received.lost == 0


def test_in_an_overload_the_newest_is_answered_and_what_is_dropped_is_counted() -> None:
    received = Received(depth=8)
    for stamp in range(1, 6):
        received.receive(*state(stamp, waited=1.0))
    assert received.go_on() == [*((k, False) for k in range(1, 5)), (5, True)]
    for stamp in range(6, 16):   # again, at once: more than the queue has
        received.receive(*state(stamp, waited=1.0))
    assert received.lost == 2
    assert received.go_on() == [(8, False), (10, False), (12, False), (14, False), (15, True)]
    assert received.lost == 2 + 3
    received.receive(*state(16, waited=1.0))
    received.states.restart()
    received.receive(*state(17))
    assert received.messages[-1] == (17, True)


def test_numbers_that_are_missing_are_lost_messages() -> None:
    received = Received(depth=10)
    for number in (5, 6, 9):
        received.receive(*state(number, number))
    assert received.lost == 2
    received.receive(*state(20, 12, waited=1.0))
    received.ends.queue.append(state(21, 14))
    received.go_on()
    assert received.lost == 2 + 2 + 1
    received.states.restart()   # what was lost meanwhile is not counted
    received.receive(*state(30, 40))
    assert received.lost == 5


@pytest.mark.parametrize('kind', [Imu, Odometry])
def test_the_base_is_received_on_the_topic_of_its_sensor(kind: Any, monkeypatch: Any) -> None:
    """Another model may have another sensor, or none; its wrench is in the frame of the root."""
    ends, model, seen, resumed = Endpoints(), read_urdf(TEXT), [], []   # type: Any, Any, Any, Any
    monkeypatch.setattr(kind, 'receive', lambda self, *fields: seen.append(fields))
    pipeline = MagicMock(requested={'queue_depth': 7})
    pipeline.sources.base = None
    base = Base(ends, pipeline, lambda: resumed.append(1))
    base.follow()
    base.publish(5, np.ones(6), model)
    assert not ends.callbacks and base.advice == () and not ends.sent, 'the base is fixed'

    pipeline.sources.base = kind(model, clock=lambda: 0, gravity=np.array([0.0, 0.0, -9.81]))
    base.follow()
    (topic, callback), = ends.callbacks.items()
    assert base.advice[0].startswith(f'the motion of the base is received on /{topic}')
    if kind is Imu:
        message = ImuMessage(angular_velocity=Vector3(x=1.0, y=2.0, z=3.0),
                             linear_acceleration=Vector3(x=4.0, y=5.0, z=6.0))
        message.header.frame_id = 'imu'
        message.angular_velocity_covariance[0] = 0.1
        message.linear_acceleration_covariance[0] = -1.0
        fields = 9, 'imu', (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (0.1, -1.0)
    else:
        message = OdometryMessage(child_frame_id='base')
        message.pose.pose.orientation = Quaternion(x=0.1, y=0.2, z=0.3, w=0.4)
        message.twist.twist.linear = Vector3(x=1.0, y=2.0, z=3.0)
        message.twist.twist.angular = Vector3(x=4.0, y=5.0, z=6.0)
        message.pose.covariance[0], message.twist.covariance[0] = 0.1, -1.0
        fields = 9, 'base', (0.1, 0.2, 0.3, 0.4), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (0.1, -1.0)
    message.header.stamp.nanosec = 9
    callback(message)
    assert seen == [fields] and resumed == [1] and topic == kind.__name__.lower()
    base.publish(5, np.arange(6.0), model)
    assert ends.sent == [(model.root, 5, *map(float, range(6)))]

    pipeline.sources.base = None   # another model: messages under way are dropped
    callback(message)
    base.follow()
    assert len(seen) == 1 and base.advice == ()
    ends.node.destroy_subscription.assert_called_once()


def test_the_wrench_on_a_base_is_about_the_frame_of_the_link_that_floats() -> None:
    """Which is the root unless a floating joint moves another one, and may stand off its body."""
    model = read_urdf("""<robot name="r"><link name="map"/><joint name="free" type="floating">
        <parent link="map"/><child link="trunk"/><origin xyz="1 2 3" rpy="0 0 1.5"/></joint>
        <link name="trunk"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1"
        iyz="0" izz="1"/></inertial></link></robot>""")
    ends, pipeline = Endpoints(), MagicMock(requested={'queue_depth': 7})   # type: Any, Any
    pipeline.sources.base = Imu(read_urdf(TEXT), clock=lambda: 0,
                                gravity=np.array([0.0, 0.0, -9.81]))
    base = Base(ends, pipeline, lambda: None)
    base.follow()
    base.publish(1, np.arange(6.0), model)
    assert ends.sent[-1][0] == 'trunk'


def test_wrenches_are_received_on_the_topics_that_parameters_name() -> None:
    ends, pipeline = Endpoints(), MagicMock()   # type: Any, Any
    pipeline.requested = {'queue_depth': 7, 'external_wrenches.tool': 'ft'}
    Wrenches(ends, pipeline)
    message = WrenchStamped()
    message.header.frame_id, message.header.stamp.nanosec = 'sensor', 9
    message.wrench.force, message.wrench.torque = (
        Vector3(x=1.0, y=2.0, z=3.0), Vector3(x=4.0, y=5.0, z=6.0))
    ends.callbacks['ft'](message)
    pipeline.sources.wrenches.receive.assert_called_once_with(
        'tool', 9, 'sensor', (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    pipeline.sources.wrenches.new_lines.return_value = ['late']
    ends.timers[0]()
    ends.node.get_logger().warning.assert_called_once_with('late')
    pipeline.sources.wrenches = None   # there is no model yet
    ends.callbacks['ft'](message)
    ends.timers[0]()
    pipeline.requested['external_wrenches.hand'] = '!'
    with pytest.raises(ParameterError, match=r'parameter external_wrenches\.hand: .* no name'):
        Wrenches(ends, pipeline)
