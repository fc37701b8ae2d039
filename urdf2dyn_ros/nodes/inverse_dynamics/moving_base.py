"""The topics of a moving base: a sensor's messages, and the wrench of the world on the root."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import WrenchStamped

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.moving_base import MovingBase
from urdf2dyn_ros.moving_base.imu import Imu
from urdf2dyn_ros.moving_base.odometry import Odometry
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.nodes.conversions import nanoseconds, triple
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.messages import filled_wrench
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Pipeline
from urdf2dyn_ros.nodes.qos import best_effort
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.status.monitor import CHECK_PERIOD


def _imu(base: Imu, message: Any) -> None:
    base.receive(nanoseconds(message.header.stamp), message.header.frame_id,
                 triple(message.angular_velocity), triple(message.linear_acceleration),
                 (message.angular_velocity_covariance[0],
                  message.linear_acceleration_covariance[0]))


def _odometry(base: Odometry, message: Any) -> None:
    pose, twist = message.pose, message.twist
    rotation = pose.pose.orientation
    base.receive(nanoseconds(message.header.stamp), message.child_frame_id,
                 (rotation.x, rotation.y, rotation.z, rotation.w), triple(twist.twist.linear),
                 triple(twist.twist.angular), (pose.covariance[0], twist.covariance[0]))


class _SensorTopic(NamedTuple):
    """Topic, package and name of the message, and a function that passes it to the base."""

    topic: str
    package: str
    message: str
    receive: Callable[[Any, Any], None]


# imported by name: nav_msgs may be missing where the base is fixed
_SENSOR_TOPICS: dict[type[MovingBase], _SensorTopic] = {
    Imu: _SensorTopic('imu', 'sensor_msgs', 'Imu', _imu),
    Odometry: _SensorTopic('odometry', 'nav_msgs', 'Odometry', _odometry),
}


class _BaseFrame:
    """The frame of the link that a floating joint moves; without one, that of the root."""

    def __init__(self, model: RobotModel) -> None:
        # the parent of a floating joint is the world, which is fixed in tf
        self.link = next((joint.child for joint in model.joints
                          if joint.type == 'floating' and joint.parent == model.root), model.root)
        _, at = multibody(model).links[self.link]
        self._R: Array = np.array(at.body_R_link)
        self._p: Array = np.array(at.body_p_link)

    def wrench(self, at_root: Array) -> Array:
        """Transform force and moment (6,) from the root's frame to this one."""
        force, moment = at_root[:3], at_root[3:]
        return np.concatenate((self._R.T @ force,
                               self._R.T @ (moment - np.cross(self._p, force))))


class Base:
    """Subscribes to the sensor that the active model needs; calls `received` after a message."""

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline,
                 received: Callable[[], None]) -> None:
        self._endpoints, self._pipeline, self._received = endpoints, pipeline, received
        self._kind: type[MovingBase] | None = None
        self._subscription: Any = None
        self._topic = ''
        self._publisher: Any = None
        self._message = WrenchStamped()
        self._model: RobotModel | None = None
        self._frame: _BaseFrame
        # subscribed to by the thread that spins: another one activates models
        endpoints.timer(CHECK_PERIOD, self._check)

    def publish(self, stamp: int, wrench: Array, model: RobotModel) -> None:
        """Publish the wrench (6,) on the root, in the frame of the link that moves with it."""
        if self._publisher is None:
            return
        if model is not self._model:
            self._model, self._frame = model, _BaseFrame(model)
        self._publisher.publish(filled_wrench(self._message, stamp, self._frame.link,
                                              self._frame.wrench(wrench)))

    @property
    def advice(self) -> tuple[str, ...]:
        """For a lack of efforts: where the motion of the base is received."""
        if self._subscription is None:
            return ()
        return (f'the motion of the base is received on {self._endpoints.published(self._topic)}; '
                'set the parameter base to fixed if the root does not move',)

    def _check(self) -> None:
        base = self._pipeline.sources.base
        kind = None if base is None else type(base)
        if kind is self._kind:
            return
        self._kind = kind   # also after an error: it is not tried again and again
        if self._subscription is not None:
            self._endpoints.node.destroy_subscription(self._subscription)
            self._subscription = None
        if kind is not None:
            try:
                self._subscribe(_SENSOR_TOPICS[kind])
            except (ImportError, Urdf2DynError) as error:
                self._endpoints.node.get_logger().error(f'no motion of the base: {error}')

    def _subscribe(self, sensor: _SensorTopic) -> None:
        def receive(message: Any) -> None:
            base = self._pipeline.sources.base
            if base is not None and type(base) is self._kind:
                sensor.receive(base, message)
                self._received()

        if self._publisher is None:
            self._publisher = self._endpoints.publisher(WrenchStamped, '~/base_wrench')
        node = self._endpoints.node
        self._topic = node.resolve_topic_name(sensor.topic)
        node.get_logger().info(f'the motion of the base is received on {self._topic} '
                               f'({sensor.package}/msg/{sensor.message})')
        kind = getattr(import_module(f'{sensor.package}.msg'), sensor.message)
        self._subscription = self._endpoints.subscribe(
            kind, sensor.topic, receive, best_effort(self._pipeline.requested['queue_depth']))
