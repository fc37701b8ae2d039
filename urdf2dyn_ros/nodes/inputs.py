"""
What the node inverse_dynamics receives: joint states, the motion of a base, wrenches on links.

Joint states are subscribed to as bytes, and have a backlog. The others go to the sources of load
arguments of the active model, whose topics may change with it.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Imu as ImuMessage
from sensor_msgs.msg import JointState

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.estimation.messages import Backlog, Message, Overruns
from urdf2dyn_ros.estimation.moving_base import Imu, MovingBase, Odometry
from urdf2dyn_ros.estimation.status import CHECK_PERIOD
from urdf2dyn_ros.nodes.endpoints import Endpoints, best_effort, filled_wrench, nanoseconds, triple
from urdf2dyn_ros.nodes.models import Pipeline
from urdf2dyn_ros.robot.loads import WRENCH_TOPICS, external
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import Attached, make_multibody
from urdf2dyn_ros.robot.spatial import Array

# ---- The subscription to joint_states, and the backlog of messages that waited too long

_LATE_NS = 50_000_000   # a message that has waited this long is late

UNREADABLE = Message(1, None, (), (), ())


class JointStates:
    """
    Receives joint_states.

    As long as the node keeps up, every message is processed at once. A late one is put in a
    backlog, as are those behind it, until the executor has delivered all that wait. After a pause
    of the machine the backlog is processed in full. In an overload, where it is very long or has
    grown as fast as it was processed, efforts are computed for the newest message only; if that
    lasts, fewer of the others are processed. These, and the oldest of more than `depth`, are
    dropped and counted, as are losses in the queue of DDS, where rclpy reports the publisher of a
    message, since Kilted.

    The function `receive` is called with the fields of every message, and whether to compute
    efforts; `lost` with a number of messages that were dropped.
    """

    def __init__(self, endpoints: Endpoints, depth: int, receive: Callable[[Message, bool], None],
                 lost: Callable[[int], None]) -> None:
        # bytes, as rclpy would end the node for those that are no message, and thinned ones need
        # not be read
        self._process = endpoints.guarded(lambda data, compute: receive(decoded(data), compute))
        self._depth, self._lost = depth, lost
        self._node, self._overruns = endpoints.node, Overruns()
        self._process_backlog = endpoints.guarded(self._take_waiting)
        self._waiting: deque[bytes] = deque()
        self._backlog = Backlog(depth)
        self._subscription = endpoints.subscribe(
            JointState, 'joint_states', _with_information(self._receive), best_effort(depth),
            raw=True)

    def restart(self) -> None:
        """Forget the messages before: those of a time without processing are not lost."""
        self._waiting.clear()
        self._overruns = Overruns()

    def _receive(self, message: bytes, information: Mapping[str, Any]) -> None:
        self._count(information)
        if not self._waiting and not _is_late(information):
            self._backlog.over()
            self._process(message, True)
            return
        if not self._waiting:
            # The events executor has an event for every message, without limit, and services and
            # timers wait behind them: to process each message would keep those waiting for ever.
            self._node.executor.create_task(self._process_backlog)
        self._put_aside(self._waiting, message)

    def _take_waiting(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        queue = self._subscription.handle
        for _ in range(self._depth):   # not for ever
            with queue:
                taken = queue.take_message(JointState, True)
            if taken is None:
                break
            self._count(taken[1])
            self._put_aside(waiting, taken[0])
        *older, newest = waiting
        overload = self._backlog.add(len(older))
        processed = self._backlog.thinned(older)
        for message in processed:
            self._process(message, not overload)
        if len(processed) < len(older):
            self._lost(len(older) - len(processed))
        self._process(newest, True)

    def _put_aside(self, waiting: deque[bytes], message: bytes) -> None:
        waiting.append(message)
        if len(waiting) > self._depth:
            waiting.popleft()
            self._lost(1)

    def _count(self, information: Mapping[str, Any]) -> None:
        publisher = information.get('publisher_gid')
        number = information.get('publication_sequence_number')
        if publisher is not None and number is not None:
            lost = self._overruns.add(publisher['data'], number)
            if lost:
                self._lost(lost)


def decoded(data: bytes) -> Message:
    """Return the fields of a serialized message; those without names if it is not one."""
    try:
        message = deserialize_message(data, JointState)
    except RuntimeError:
        return UNREADABLE
    return Message(nanoseconds(message.header.stamp), message.name, message.position,
                   message.velocity, message.effort)


def _is_late(information: Mapping[str, Any]) -> bool:
    """Return whether a message has waited long; False where its arrival is not known."""
    received = information.get('received_timestamp', 0)
    return bool(0 < received < time.time_ns() - _LATE_NS)


def _with_information(callback: Callable[[bytes, Mapping[str, Any]], None],
                      ) -> Callable[..., None]:
    """Return a callback for every rclpy: most pass two arguments, but not all."""
    @wraps(callback)
    def called(*arguments: Any) -> None:
        if len(arguments) == 1:   # Humble: the message; events executor of Kilted: a tuple
            arguments = (arguments[0] if isinstance(arguments[0], tuple)
                         else (arguments[0], {}))
        callback(*arguments)

    return called


# ---- The topics of a moving base: a sensor's messages, and the wrench of the world on the root

def _receive_imu(base: Imu, message: Any) -> None:
    base.receive(nanoseconds(message.header.stamp), message.header.frame_id,
                 triple(message.angular_velocity), triple(message.linear_acceleration),
                 (message.angular_velocity_covariance[0],
                  message.linear_acceleration_covariance[0]))


def _receive_odometry(base: Odometry, message: Any) -> None:
    pose, twist = message.pose, message.twist
    rotation = pose.pose.orientation
    base.receive(nanoseconds(message.header.stamp), message.child_frame_id,
                 (rotation.x, rotation.y, rotation.z, rotation.w), triple(twist.twist.linear),
                 triple(twist.twist.angular), (pose.covariance[0], twist.covariance[0]))


# topic, class of the message, and the function that passes it to the base
_SENSOR_TOPICS: dict[type[MovingBase], tuple[str, Any, Callable[[Any, Any], None]]] = {
    Imu: ('imu', ImuMessage, _receive_imu),
    Odometry: ('odometry', OdometryMessage, _receive_odometry),
}


class Base:
    """Subscribes to the sensor that a model needs; calls `received` after a message."""

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline,
                 received: Callable[[], None]) -> None:
        self._endpoints, self._pipeline, self._received = endpoints, pipeline, received
        self._kind: type[MovingBase] | None = None
        self._subscription: Any = None
        self._topic = ''
        self._publisher: Any = None
        self._message = WrenchStamped()
        self._model: RobotModel | None = None
        self._frame: Attached   # the link that a floating joint moves, or the root

    def publish(self, stamp: int, wrench: Array, model: RobotModel) -> None:
        """Publish the wrench (6,) on the root, in the frame of the link that moves with it."""
        if self._publisher is None:
            return
        if model is not self._model:
            # the parent of a floating joint is the world, which is fixed in tf
            link = next((joint.child for joint in model.joints if model.floats(joint)), model.root)
            self._model, (_, self._frame) = model, make_multibody(model).links[link]
        R: Array = np.array(self._frame.body_R_link)
        p: Array = np.array(self._frame.body_p_link)
        force, moment = wrench[:3], wrench[3:]
        self._publisher.publish(filled_wrench(
            self._message, stamp, self._frame.link.name,
            np.concatenate((R.T @ force, R.T @ (moment - np.cross(p, force))))))

    @property
    def advice(self) -> tuple[str, ...]:
        """For a lack of efforts: where the motion of the base is received."""
        if self._subscription is None:
            return ()
        return (f'the motion of the base is received on {self._endpoints.published(self._topic)}; '
                'set the parameter base to fixed if the root does not move',)

    def follow(self) -> None:
        """Subscribe to the sensor of the active model, if it is another one than before."""
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
                self._subscribe(kind)
            except Urdf2DynError as error:
                self._endpoints.node.get_logger().error(f'no motion of the base: {error}')

    def _subscribe(self, kind: type[MovingBase]) -> None:
        topic, message_type, pass_on = _SENSOR_TOPICS[kind]

        def receive(message: Any) -> None:
            base = self._pipeline.sources.base
            if type(base) is self._kind:
                pass_on(base, message)
                self._received()

        if self._publisher is None:
            self._publisher = self._endpoints.publisher(WrenchStamped, '~/base_wrench')
        node = self._endpoints.node
        self._topic = node.resolve_topic_name(topic)
        node.get_logger().info(f'the motion of the base is received on {self._topic}')
        self._subscription = self._endpoints.subscribe(
            message_type, topic, receive, best_effort(self._pipeline.requested['queue_depth']))


# ---- The subscriptions to measured wrenches on links

class Wrenches:
    """Receives the topics that the parameters external_wrenches.* name."""

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline) -> None:
        self._node, self._pipeline = endpoints.node, pipeline
        links = external(pipeline.requested)
        for link, topic in links.items():
            try:
                endpoints.subscribe(WrenchStamped, topic, partial(self._receive, link),
                                    best_effort(pipeline.requested['queue_depth']))
            except ParameterError as error:
                raise ParameterError(f'parameter {WRENCH_TOPICS.prefix}.{link}: {error}') from None
        if links:
            endpoints.timer(CHECK_PERIOD, self._log)

    def _receive(self, link: str, message: WrenchStamped) -> None:
        wrenches, wrench = self._pipeline.sources.wrenches, message.wrench
        if wrenches is not None:
            wrenches.receive(link, nanoseconds(message.header.stamp), message.header.frame_id,
                             triple(wrench.force), triple(wrench.torque))

    def _log(self) -> None:
        wrenches = self._pipeline.sources.wrenches
        for line in () if wrenches is None else wrenches.new_lines():
            self._node.get_logger().warning(line)
