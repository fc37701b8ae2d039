"""What is missing, in the log, for as long as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.inverse_dynamics.status import publishers
from urdf2dyn_ros.outcomes import JOINT_STATE_OUTCOMES
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.stream.stream import Stream
from urdf2dyn_ros.system.shared_memory import replaced_ports

PATIENCE = 10.0
"""Time between two looks [s]."""


class Watch:
    """
    Says every now and then why there are no efforts.

    Parameters
    ----------
    node : Node
    monitor : Monitor
    stream : callable
        Returns the stream that runs, None without a model.
    more : callable
        Returns what else there may be to say, a sentence each.

    """

    def __init__(self, node: Node, monitor: Monitor,
                 stream: Callable[[], Stream | None],
                 more: Callable[[], Sequence[str]]) -> None:
        self._node, self._monitor, self._stream, self._more = node, monitor, stream, more
        self._counted: Counter[str] = Counter()
        self._heard = 0
        # the node's own clock may be simulated, and stand still or be set back
        node.create_timer(PATIENCE, barrier(node, self._look, monitor.failed),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _look(self) -> None:
        warn, current = self._node.get_logger().warning, self._stream()
        if current is None:
            warn('no model: set the parameter robot_description, or publish it on '
                 f'{self._seen("robot_description")}')
        elif self._monitor.messages == self._heard:
            warn(f'no joint states on {self._seen("joint_states")}{_deafness()}')
        else:
            grown = current.counters - self._counted
            self._counted = current.counters.copy()
            if not grown['used']:
                warn('; '.join((f'no efforts: {_reasons(grown, current)}', *self._more())))
        self._heard = self._monitor.messages

    def _seen(self, topic: str) -> str:
        seen = ', '.join(publishers(self._node, topic)) or 'nobody'
        return f'{self._node.resolve_topic_name(topic)}, which {seen} publishes'


def _deafness() -> str:
    """Return what is wrong with the shared memory, and what to do."""
    ports = ', '.join(map(str, replaced_ports()))
    return ports and (f'; another process has replaced the shared memory on which this one '
                      f'listens (Fast DDS, port {ports}): it hears nobody who came since. To do: '
                      'start this node again; with FASTDDS_BUILTIN_TRANSPORTS=UDPv4 in the '
                      'environment, Fast DDS does without')


def _reasons(grown: Counter[str], current: Stream) -> str:
    """Return what became of messages that gave no efforts, most frequent first."""
    texts = [f'{count} messages {name} ({JOINT_STATE_OUTCOMES[name]})'
             for name, count in grown.most_common() if name in JOINT_STATE_OUTCOMES]
    if current.missing_joints:
        texts.append('missing joints ' + ', '.join(current.missing_joints))
    if current.unknown_joints:
        texts.append('joints the model does not have ' + ', '.join(current.unknown_joints))
    return '; '.join(texts)
