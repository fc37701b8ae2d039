"""The node inverse_dynamics: joint states in, efforts out, the equations on request."""

from __future__ import annotations

import sys
from collections import Counter
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.export import checked_name
from urdf2dyn_ros.export_process import Export
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.monitor import Monitor
from urdf2dyn_ros.node_parameters import PARAMETERS, estimator, stream, streaming
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.conversions import JointStateFields, nanoseconds, state_message
from urdf2dyn_ros.nodes.export_service import ExportService
from urdf2dyn_ros.nodes.joint_states import JointStates
from urdf2dyn_ros.nodes.model_info import ModelInfo
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.running import run
from urdf2dyn_ros.nodes.status import StatusPublisher, publishers
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.status import State
from urdf2dyn_ros.stream import OUTCOMES, Stream
from urdf2dyn_ros.urdf import read_urdf
from urdf2dyn_ros.urdf.findings import listed

PATIENCE = 10.0
_RUNNERS = {'python': 'Python', 'c': 'compiled C'}
_REBUILDING = ('robot_description', 'strict_inertia', 'gravity', 'backend')


class Running(NamedTuple):
    """What the data path uses, replaced as a whole when anything of it changes."""

    text: str
    dynamics: InverseDynamics
    stream: Stream
    message: JointStateFields


class InverseDynamicsNode(Node):
    """
    Publish the efforts that the motion in joint_states requires.

    The data path runs in the one thread that spins; reading a description, which takes longer
    than the time between two messages, runs in a worker thread and hands over an immutable
    result; exporting, which takes longer still, in a process of its own.

    """

    def __init__(self) -> None:
        super().__init__('inverse_dynamics')
        self._monitor = Monitor()
        failed = self._monitor.failed
        # each does the newest of its own jobs
        self._worker, informing, exporting = (
            Worker(lambda job: barrier(self, job, failed)) for _ in range(3))
        self._running: Running | None = None
        self._swapping = Lock()
        self._newest = ''
        self._counted: Counter[str] = Counter()
        self._heard = 0
        self._refused = ''
        self.parameters = NodeParameters(self, PARAMETERS, self._change)
        self._values = self.parameters.values
        topics = Topics(self, failed)
        self._efforts = topics.publisher(JointState, '~/efforts')
        self._states = topics.publisher(JointTrajectory, '~/state')
        self._residuals = topics.publisher(JointState, '~/residuals')
        self._information = ModelInfo(self, self._monitor, informing)
        StatusPublisher(self, self._monitor, self._state,
                        self._values['diagnostics.enabled'])
        depth = self._values['queue_depth']
        JointStates(self, topics, depth, self._receive, self._lost, failed)
        topics.subscribe(JointTrajectory, 'joint_accelerations', self._accelerate, QoSProfile(
            depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT))
        topics.subscribe(String, 'robot_description', self._describe, QoSProfile(
            depth=1, reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL))
        ExportService(self, self._to_export, exporting, failed)
        # the node's own clock may be simulated, and stand still or be set back
        self.create_timer(PATIENCE, barrier(self, self._watch, failed),
                          clock=Clock(clock_type=ClockType.STEADY_TIME))
        if self.parameters.values['robot_description']:
            self._load(self._values['robot_description'])

    # ---- the model

    def _describe(self, message: String) -> None:
        if self.parameters.values['robot_description']:
            self.get_logger().info('the topic robot_description is not heard: the parameter of '
                                   'that name is set', once=True)
        elif not message.data.strip():
            self.get_logger().warning('an empty robot description came and is ignored')
        elif message.data != self._newest:
            self._load(message.data)

    def _change(self, values: dict[str, Any]) -> None:
        """Apply new values of parameters; what is wrong with them is raised here."""
        estimator(values, 1)
        if values['export.name']:
            checked_name(values['export.name'])
        # from here on a worker that has loaded a model may make a stream of the new values
        old, self._values = self._values, values
        try:
            if any(values[name] != old[name] for name in _REBUILDING):
                text = self._readable(values, values['robot_description'] != old[
                    'robot_description'])
                if text:
                    self._load(text)
            elif streaming(values) != streaming(old):
                with self._swapping:
                    if self._running is not None:
                        self._running = self._running._replace(
                            stream=self._new_stream(self._running.dynamics))
        except Urdf2DynError:
            self._values = old
            raise

    def _readable(self, values: dict[str, Any], given: bool) -> str:
        """Return the newest description that can be read with these values, '' if none came."""
        texts: list[str] = [values['robot_description']] if given else []
        if not any(texts):
            texts = [self._newest, self._running.text if self._running is not None else '']
        errors = []
        for text in filter(None, texts):
            try:
                read_urdf(text, strict_inertia=values['strict_inertia'])
            except Urdf2DynError as error:
                errors.append(error)
            else:
                return text
        if errors:
            raise errors[0]
        return ''

    def _load(self, text: str) -> None:
        """Have the worker make a model; it takes over when it is ready, the old one runs on."""
        self._newest = text
        strict, gravity, backend = (self._values[name]
                                    for name in ('strict_inertia', 'gravity', 'backend'))
        self._worker.submit(
            lambda: InverseDynamics(read_urdf(text, strict_inertia=strict), gravity, backend),
            lambda dynamics, error: self._loaded(text, dynamics, error))

    def _loaded(self, text: str, dynamics: InverseDynamics | None,
                error: Exception | None) -> None:
        logger = self.get_logger()
        self._refused = '' if error is None else str(error)
        if dynamics is None:
            old = 'the model before it runs on' if self._running else 'there is no model yet'
            logger.error(f'the robot description is refused, {old}: {error}')
            return
        for problem in dynamics.model.warnings:
            logger.warning(str(problem))
        names = list(dynamics.joint_names)
        before = self._running.dynamics.joint_names if self._running is not None else names
        with self._swapping:
            self._running = Running(text, dynamics, self._new_stream(dynamics),
                                    JointStateFields(names, dynamics.model.root))
        logger.info(f'model of {dynamics.model.name!r}: {len(names)} joints '
                    f'({listed(names, len(names))}), {dynamics.model.mass:.6g} kg, '
                    f'{dynamics.operations}, run by {_RUNNERS[dynamics.backend]}')
        came, gone = set(names) - set(before), set(before) - set(names)
        if came or gone:
            logger.info(f'joints that came: {listed(sorted(came)) or "none"}; that are gone: '
                        f'{listed(sorted(gone)) or "none"}')
        self._information.tell(dynamics)

    def _new_stream(self, dynamics: InverseDynamics) -> Stream:
        counters = self._running.stream.counters if self._running is not None else None
        return stream(self._values, dynamics, self._now, counters=counters)

    # ---- the data

    def _now(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    def _receive(self, message: JointState, answer: bool) -> None:
        began = self._monitor.received()
        running = self._running
        if running is None:
            return
        output = running.stream.receive(nanoseconds(message.header.stamp), message.name,
                                        message.position, message.velocity, message.effort,
                                        answer)
        if output is None:
            return
        self._efforts.publish(running.message.efforts(output))
        self._monitor.published(began, output)
        if self._states.get_subscription_count() > 0:
            self._states.publish(state_message(output, running.dynamics.joint_names))
        if self._residuals.get_subscription_count() > 0 and not np.isnan(output.measured).all():
            self._residuals.publish(running.message.residuals(output))

    def _lost(self, messages: int) -> None:
        if self._running is not None:
            self._running.stream.counters['overruns'] += messages

    def _accelerate(self, message: JointTrajectory) -> None:
        if self._running is not None and message.points:
            self._running.stream.accelerate(nanoseconds(message.header.stamp), message.joint_names,
                                            message.points[0].accelerations)

    def _state(self) -> State:
        running, chosen = self._running, self._values['estimator']
        if running is None:
            return State(None, None, chosen, self._refused)
        return State(running.dynamics, running.stream, chosen, self._refused)

    def _watch(self) -> None:
        """Say what is missing, for as long as it is."""
        logger = self.get_logger()
        if self._running is None:
            logger.warning('no model: set the parameter robot_description, or publish it on '
                           f'{self._seen("robot_description")}')
        elif self._monitor.messages == self._heard:
            logger.warning(f'no joint states on {self._seen("joint_states")}')
        else:
            current = self._running.stream
            grown = current.counters - self._counted
            self._counted = current.counters.copy()
            if not grown['used']:
                logger.warning(f'no efforts: {_reasons(grown, current)}')
        self._heard = self._monitor.messages

    def _seen(self, topic: str) -> str:
        seen = ', '.join(publishers(self, topic)) or 'nobody'
        return f'{self.resolve_topic_name(topic)}, which {seen} publishes'

    # ---- the equations

    def _to_export(self) -> Export | None:
        running, values = self._running, self._values
        return None if running is None else Export(
            running.text, values['export.language'], values['export.style'],
            values['export.name'] or None, running.dynamics.gravity_vector,
            values['export.model'], values['export.directory'], values['export.overwrite'])


def _reasons(grown: Counter[str], current: Stream) -> str:
    """Return what became of messages that gave no efforts, most frequent first."""
    texts = [f'{count} messages {name} ({OUTCOMES[name]})'
             for name, count in grown.most_common() if name in OUTCOMES]
    if current.missing_joints:
        texts.append('missing joints ' + ', '.join(current.missing_joints))
    if current.unknown_joints:
        texts.append('joints the model does not have ' + ', '.join(current.unknown_joints))
    return '; '.join(texts)


def main() -> int:
    """Run the node until it is told to end."""
    return run(InverseDynamicsNode)


if __name__ == '__main__':
    sys.exit(main())
