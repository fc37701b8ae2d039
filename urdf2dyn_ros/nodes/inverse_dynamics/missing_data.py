"""Log lines about missing models, joint states and efforts, for as long as they are missing."""

from collections import Counter
from collections.abc import Callable

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.moving_base import Base
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Pipeline
from urdf2dyn_ros.outcomes import JOINT_STATE_OUTCOMES
from urdf2dyn_ros.status.missing_joints import remedy
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.status.node_state import NodeState
from urdf2dyn_ros.stream.stream import Stream
from urdf2dyn_ros.system.memory import replaced_ports

MISSING_PERIOD = 10.0
"""Time between two lines [s]."""


class MissingData:
    """Logs every now and then why there are no efforts."""

    def __init__(self, endpoints: Endpoints, monitor: Monitor, pipeline: Pipeline,
                 base: Base, state: Callable[[], NodeState]) -> None:
        self._endpoints, self._monitor = endpoints, monitor
        self._pipeline, self._base, self._state = pipeline, base, state
        self._counted: Counter[str] = Counter()
        self._received = 0
        if not pipeline.requested['robot_description']:
            endpoints.node.get_logger().info(
                f'waits for a robot description on {endpoints.published("robot_description")}')
        endpoints.timer(MISSING_PERIOD, self._check)

    def _check(self) -> None:
        warn, active = self._endpoints.node.get_logger().warning, self._pipeline.active
        clock = self._endpoints.node.get_clock()
        if clock.ros_time_is_active and not clock.now().nanoseconds:
            warn('use_sim_time is true, but nothing was received on /clock: the time of this node '
                 'stands still at 0; publish /clock, or set use_sim_time to false')
        if active is None:
            state = self._state()
            warn(state.absence + ('' if state.rejected or state.building else
                                  '; set the parameter robot_description, or publish it on '
                                  f'{self._endpoints.published("robot_description")}'))
        elif self._monitor.messages == self._received:
            warn(f'no joint states on {self._endpoints.published("joint_states")}'
                 f'{_shared_memory()}')
        else:
            grown = active.stream.counters - self._counted
            self._counted = active.stream.counters.copy()
            if not grown['used']:
                advice = remedy(active.stream, active.values['hold'],
                                self._endpoints.node.get_fully_qualified_name())
                warn('; '.join(filter(None, (f'no efforts: {_reasons(grown, active.stream)}',
                                             advice, *active.sources.warnings,
                                             *self._base.advice))))
        self._received = self._monitor.messages


def _shared_memory() -> str:
    """Return what is wrong with the shared memory, and the remedy."""
    ports = ', '.join(map(str, replaced_ports()))
    return ports and (f'; another process has replaced the shared memory through which this node '
                      f'receives (Fast DDS, port {ports}), which receives nothing from any node '
                      'started since. Remedy: restart this node; with '
                      'FASTDDS_BUILTIN_TRANSPORTS=UDPv4 in the environment, Fast DDS uses no '
                      'shared memory')


def _reasons(grown: Counter[str], stream: Stream) -> str:
    """Return the outcomes of messages that gave no efforts, most frequent first."""
    texts = [f'{counted(count, "message")} {name} ({JOINT_STATE_OUTCOMES[name]})'
             for name, count in grown.most_common() if name in JOINT_STATE_OUTCOMES]
    if stream.missing_joints:
        texts.append('missing joints ' + ', '.join(stream.missing_joints))
    if stream.unknown_joints:
        texts.append('joints that the model does not have ' + ', '.join(stream.unknown_joints))
    return '; '.join(texts)
