"""The subscription to joint_states: every message is taken, and the newest answered."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from urdf2dyn_ros.joint_states.backlog import Backlog
from urdf2dyn_ros.joint_states.overruns import Overruns
from urdf2dyn_ros.joint_states.serialized import Fields, SerializedJointStates
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.conversions import nanoseconds
from urdf2dyn_ros.nodes.topics import Topics

LATE = 50_000_000
"""A message that has waited this long [ns] is late."""

UNREADABLE = Fields(1, None, (), (), ())


class JointStates:
    """
    Hears joint_states.

    As long as the node keeps up, every message is answered. A late one is put aside, as are those
    behind it, until the executor has handed over all that wait; then they are taken together, and
    each is answered: the machine has paused. If they are very many, or as many again have come by
    the time, the machine is too slow, and only the newest is answered. What does not find room,
    the oldest, is dropped and counted, be it here or in the queue of DDS.

    Parameters
    ----------
    node : Node
    topics : Topics
        Of the node.
    depth : int
        Messages that wait; the oldest go first.
    take : callable
        Called with the fields of every message and whether to answer it.
    lost : callable
        Called with the number of messages that were lost, where rclpy tells whose a message is:
        from Kilted on.
    failed : callable
        Called with the traceback of every error.

    """

    def __init__(self, node: Node, topics: Topics, depth: int,
                 take: Callable[[Fields, bool], None], lost: Callable[[int], None],
                 failed: Callable[[str], None]) -> None:
        # bytes: to have rclpy make a message of them would take a fifth of all time
        read = SerializedJointStates(decoded).read
        self._take = barrier(node, lambda data, answer: take(read(data), answer), failed)
        self._depth, self._lost = depth, lost
        self._node, self._overruns = node, Overruns()
        self._catch_up_guarded = barrier(node, self._catch_up, failed)
        self._waiting: deque[bytes] = deque()
        self._backlog = Backlog(depth)
        self._subscription = topics.subscribe(
            JointState, 'joint_states', _with_information(self._hear),
            QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT), raw=True)

    def _hear(self, message: bytes, information: Mapping[str, Any]) -> None:
        self._count(information)
        if not self._waiting and not _late(information):
            self._backlog.over()
            self._take(message, True)
            return
        if not self._waiting:
            # The events executor has an event for every message, without limit, and services and
            # timers wait behind them: whoever worked on each of them would never come to those.
            self._node.executor.create_task(self._catch_up_guarded)
        self._put_aside(self._waiting, message)

    def _catch_up(self) -> None:
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
        hurry = self._backlog.is_overload(len(older))
        for message in older:
            self._take(message, not hurry)
        self._take(newest, True)

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
    """Return the fields of a serialized message; no names if it is not that."""
    try:
        message = deserialize_message(data, JointState)
    except RuntimeError:
        return UNREADABLE
    return Fields(nanoseconds(message.header.stamp), message.name, message.position,
                  message.velocity, message.effort)


def _late(information: Mapping[str, Any]) -> bool:
    """Tell whether a message waits for long; False where rclpy or DDS does not know since when."""
    received = information.get('received_timestamp', 0)
    return bool(0 < received < time.time_ns() - LATE)


def _with_information(callback: Callable[[bytes, Mapping[str, Any]], None],
                      ) -> Callable[..., None]:
    """Return a callback for every rclpy: most give two arguments, but not all."""
    @wraps(callback)
    def called(*heard: Any) -> None:
        if len(heard) == 1:   # Humble: the message alone; events executor of Kilted: a tuple
            heard = heard[0] if isinstance(heard[0], tuple) else (heard[0], {})
        callback(*heard)

    return called
