"""The subscription to joint_states, and the backlog of messages that waited too long."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from urdf2dyn_ros.joint_states.backlog import Backlog, Overruns
from urdf2dyn_ros.joint_states.serialized import Fields, SerializedJointStates
from urdf2dyn_ros.nodes.conversions import nanoseconds
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.qos import best_effort

_LATE_NS = 50_000_000
"""A message that has waited this long [ns] is late."""

UNREADABLE = Fields(1, None, (), (), ())


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

    def __init__(self, endpoints: Endpoints, depth: int, receive: Callable[[Fields, bool], None],
                 lost: Callable[[int], None]) -> None:
        # bytes: to have rclpy make a message of them would take a fifth of all time
        read = SerializedJointStates(decoded).read
        self._process = endpoints.guarded(lambda data, compute: receive(read(data), compute))
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
        overload = self._backlog.is_overload(len(older))
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
            lost = self._overruns.lost(publisher['data'], number)
            if lost:
                self._lost(lost)


def decoded(data: bytes) -> Fields:
    """Return the fields of a serialized message; those without names if it is not one."""
    try:
        message = deserialize_message(data, JointState)
    except RuntimeError:
        return UNREADABLE
    return Fields(nanoseconds(message.header.stamp), message.name, message.position,
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
