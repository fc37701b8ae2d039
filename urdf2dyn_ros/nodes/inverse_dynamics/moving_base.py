"""The topics of a base that moves: a sensor's messages in, the wrench that the world gives out."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from geometry_msgs.msg import WrenchStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.moving_base import MovingBase
from urdf2dyn_ros.moving_base.base_frame import BaseFrame
from urdf2dyn_ros.moving_base.imu import Imu
from urdf2dyn_ros.moving_base.odometry import Odometry
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.conversions import nanoseconds, time, triple
from urdf2dyn_ros.nodes.inverse_dynamics.status import publishers
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.status.monitor import CHECK_PERIOD


def _imu(base: Imu, message: Any) -> None:
    base.receive(nanoseconds(message.header.stamp), message.header.frame_id,
                 triple(message.angular_velocity), triple(message.linear_acceleration),
                 (message.angular_velocity_covariance[0],
                  message.linear_acceleration_covariance[0]))


def _odometry(base: Odometry, message: Any) -> None:
    pose, twist = message.pose, message.twist
    turned = pose.pose.orientation
    base.receive(nanoseconds(message.header.stamp), message.child_frame_id,
                 (turned.x, turned.y, turned.z, turned.w), triple(twist.twist.linear),
                 triple(twist.twist.angular), (pose.covariance[0], twist.covariance[0]))


class Heard(NamedTuple):
    """Topic, package and name of the message, and how it is taken."""

    topic: str
    package: str
    message: str
    take: Callable[[Any, Any], None]


# who has a base that stands still need not have nav_msgs
_HEARD: dict[type[MovingBase], Heard] = {
    Imu: Heard('imu', 'sensor_msgs', 'Imu', _imu),
    Odometry: Heard('odometry', 'nav_msgs', 'Odometry', _odometry),
}


class Base:
    """
    Hears the sensor that the model which runs needs, and no other.

    Parameters
    ----------
    node : Node
    topics : Topics
        Of the node.
    depth : int
        Messages that wait; the oldest go first.
    current : callable
        Returns who takes the messages; None if the base stands still.
    taken : callable
        Called after every message.
    failed : callable
        Called with the traceback of every error.

    """

    def __init__(self, node: Node, topics: Topics, depth: int,
                 current: Callable[[], MovingBase | None], taken: Callable[[], None],
                 failed: Callable[[str], None]) -> None:
        self._node, self._topics, self._depth, self._current = node, topics, depth, current
        self._taken = taken
        self._kind: type[MovingBase] | None = None
        self._subscription: Any = None
        self._topic = ''
        self._publisher: Any = None
        self._message = WrenchStamped()
        self._model: RobotModel | None = None
        self._frame: BaseFrame
        # the thread that spins subscribes; a model gets ready in another one
        node.create_timer(CHECK_PERIOD, barrier(node, self._look, failed),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def publish(self, stamp: int, wrench: Array, model: RobotModel) -> None:
        """Publish the wrench (6,) on the root, in the frame of the link that goes with it."""
        if self._publisher is None:
            return
        if model is not self._model:
            self._model, self._frame = model, BaseFrame(model)
        header, force, torque = (self._message.header, self._message.wrench.force,
                                 self._message.wrench.torque)
        header.stamp, header.frame_id = time(stamp), self._frame.link
        (force.x, force.y, force.z,
         torque.x, torque.y, torque.z) = self._frame.wrench(wrench).tolist()
        self._publisher.publish(self._message)

    @property
    def heard(self) -> tuple[str, ...]:
        """Where the motion of the base is heard, and who publishes it there."""
        if self._subscription is None:
            return ()
        who = ', '.join(publishers(self._node, self._topic)) or 'nobody'
        return (f'the motion of the base is heard on {self._topic}, which {who} publishes; set '
                'the parameter base to fixed if the root stands still',)

    def _look(self) -> None:
        base = self._current()
        kind = None if base is None else type(base)
        if kind is self._kind:
            return
        self._kind = kind   # whatever comes of it: not tried again and again
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
        if kind is not None:
            try:
                self._hear(_HEARD[kind])
            except (ImportError, Urdf2DynError) as error:
                self._node.get_logger().error(f'the base cannot be heard: {error}')

    def _hear(self, heard: Heard) -> None:
        def take(message: Any) -> None:
            base = self._current()
            if base is not None and type(base) is self._kind:
                heard.take(base, message)
                self._taken()

        if self._publisher is None:
            self._publisher = self._topics.publisher(WrenchStamped, '~/base_wrench')
        self._topic = self._node.resolve_topic_name(heard.topic)
        self._node.get_logger().info(f'the motion of the base is heard on {self._topic} '
                                     f'({heard.package}/msg/{heard.message})')
        kind = getattr(import_module(f'{heard.package}.msg'), heard.message)
        self._subscription = self._topics.subscribe(kind, heard.topic, take, QoSProfile(
            depth=self._depth, reliability=ReliabilityPolicy.BEST_EFFORT))
