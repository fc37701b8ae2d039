"""The node inverse_dynamics: joint states in, efforts out, the equations on request."""

from __future__ import annotations

import time
from threading import Lock
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.export import checked_name
from urdf2dyn_ros.joint_states.serialized import Fields
from urdf2dyn_ros.loads.load_parameters import loading, unheeded
from urdf2dyn_ros.loads.payload import carried
from urdf2dyn_ros.nodes.barrier import barrier
from urdf2dyn_ros.nodes.conversions import JointStateFields, nanoseconds, state_message
from urdf2dyn_ros.nodes.export_process import Export
from urdf2dyn_ros.nodes.inverse_dynamics.audience import Audience
from urdf2dyn_ros.nodes.inverse_dynamics.data_path import Running
from urdf2dyn_ros.nodes.inverse_dynamics.descriptions import Descriptions, Loaded
from urdf2dyn_ros.nodes.inverse_dynamics.export_service import ExportService, Order
from urdf2dyn_ros.nodes.inverse_dynamics.joint_states import JointStates
from urdf2dyn_ros.nodes.inverse_dynamics.model_info import ModelInfo
from urdf2dyn_ros.nodes.inverse_dynamics.moving_base import Base
from urdf2dyn_ros.nodes.inverse_dynamics.observer import Observer
from urdf2dyn_ros.nodes.inverse_dynamics.parameters import NODE_FAMILIES, NODE_PARAMETERS
from urdf2dyn_ros.nodes.inverse_dynamics.payload import Payload
from urdf2dyn_ros.nodes.inverse_dynamics.status import StatusPublisher
from urdf2dyn_ros.nodes.inverse_dynamics.terms import Terms
from urdf2dyn_ros.nodes.inverse_dynamics.watch import Watch
from urdf2dyn_ros.nodes.inverse_dynamics.wrenches import Wrenches
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.running import run
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.status.node_status import NodeState
from urdf2dyn_ros.stream.assembly import estimator, sources, stream, streaming
from urdf2dyn_ros.stream.output import Output
from urdf2dyn_ros.stream.sources import Sources

_RUNNERS = {'python': 'Python', 'c': 'compiled C'}
_NONE = Sources()


class InverseDynamicsNode(Node):
    """
    Publish the efforts that the motion in joint_states requires.

    The data path runs in the one thread that spins; reading a description, which takes longer
    than the time between two messages, runs in a worker thread and hands over an immutable
    result. The text to be exported is written along with the first model; when model or
    parameters have changed since, in a process of its own.

    """

    def __init__(self) -> None:
        super().__init__('inverse_dynamics', allow_undeclared_parameters=True)
        self._monitor = Monitor()
        failed = self._monitor.failed
        # each does the newest of its own jobs
        building, informing, exporting = (
            Worker(lambda job: barrier(self, job, failed)) for _ in range(3))
        self._running: Running | None = None
        self._swapping = Lock()
        self.parameters = NodeParameters(self, NODE_PARAMETERS, self._change, NODE_FAMILIES)
        self._values = self.parameters.values
        topics = Topics(self, failed)
        self._efforts = topics.publisher(JointState, '~/efforts')
        self._states = topics.publisher(JointTrajectory, '~/state')
        self._residuals = topics.publisher(JointState, '~/residuals')
        self._states_audience, self._residuals_audience = map(
            Audience, (self._states, self._residuals))
        self._terms = Terms(self, topics)
        self._terms.offer(self._values['terms.enabled'])
        self._observer = Observer(self, topics, self._values, failed)
        self._payload = Payload(self, self._values, failed)
        self._information = ModelInfo(self, self._monitor, informing)
        self._exports = ExportService(self, self._to_export, lambda: self._monitor.silent,
                                      exporting, failed)
        self._descriptions = Descriptions(self, topics, lambda: self._values, building,
                                          self._loaded)
        StatusPublisher(self, self._monitor, self._state,
                        self._values['diagnostics.enabled'])
        depth = self._values['queue_depth']
        JointStates(self, topics, depth, self._receive, self._lost, failed)
        topics.subscribe(JointTrajectory, 'joint_accelerations', self._accelerate, QoSProfile(
            depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT))
        Wrenches(self, topics, self._values, lambda: self._sources.wrenches, failed)
        self._base = Base(self, topics, depth, lambda: self._sources.base, self._resume,
                          failed)
        Watch(self, self._monitor, lambda: self._running and self._running.stream,
              lambda: (*self._sources.warnings, *self._base.heard))

    # ---- the model

    def _change(self, values: dict[str, Any]) -> None:
        """Apply new values of parameters; what is wrong with them is raised here."""
        estimator(values, 1)
        if values['export.name']:
            checked_name(values['export.name'])
        self._payload.check(values)
        self._observer.check(values, self._running)
        # from here on a worker that has loaded a model may make a stream of the new values
        old, self._values = self._values, values
        try:
            text = self._descriptions.changed(values, old)
            if text:
                self._descriptions.load(text)
            elif text is None and streaming(values) != streaming(old):
                with self._swapping:
                    running = self._running
                    if running is not None:
                        self._running = self._start(running.loaded, running.message)
        except Urdf2DynError:
            self._values = old
            raise
        self._payload.take(values)
        self._terms.offer(values['terms.enabled'])
        self._observer.take(values)

    def _loaded(self, loaded: Loaded) -> None:
        """Have a model take over."""
        logger, dynamics = self.get_logger(), loaded.dynamics
        for line in (*map(str, dynamics.model.warnings), *unheeded(loaded.values, dynamics.model)):
            logger.warning(line)
        names, before = list(dynamics.joint_names), self._running
        if before is None:   # no data are held up by it
            self._exports.prepare(self._export(loaded))
        with self._swapping:
            self._running = self._start(loaded, JointStateFields(names, dynamics.model.root))
        logger.info(f'model of {dynamics.model.name!r}: {len(names)} joints '
                    f'({listed(names, len(names))}), {dynamics.model.mass:.6g} kg, '
                    f'{dynamics.operations}, run by {_RUNNERS[dynamics.backend]}')
        old = set(before.loaded.dynamics.joint_names if before is not None else names)
        came, gone = set(names) - old, old - set(names)
        if came or gone:
            logger.info(f'joints that came: {listed(sorted(came)) or "none"}; that are gone: '
                        f'{listed(sorted(gone)) or "none"}')
        self._information.tell(dynamics)

    def _start(self, loaded: Loaded, message: JointStateFields) -> Running:
        """Return what a model runs with: nothing of the data before, but their counters."""
        before, dynamics = self._running, loaded.dynamics
        # a newer base may be waiting for its model
        values = {**self._values, 'base': loaded.values['base']}
        found = sources(values, dynamics, self._now, self._payload.entries,
                        None if before is None else before.sources)
        current = stream(values, dynamics, self._now, **(
            {'load_arguments': found} if len(dynamics.inputs) > 3 else {}))
        if before is not None:
            current.counters.update(before.stream.counters)
        return Running(loaded, current, found, message)

    @property
    def _sources(self) -> Sources:
        return _NONE if self._running is None else self._running.sources

    # ---- the data

    def _now(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    def _receive(self, fields: Fields, answer: bool) -> None:
        began = self._monitor.received()
        running = self._running
        if running is None:
            return
        output = running.stream.receive(*fields, answer)
        if output is not None:
            self._publish(running, output, began)

    def _resume(self) -> None:
        """Publish what waited for the base data that has come."""
        running = self._running
        if running is not None:
            for output in running.stream.resume():
                self._publish(running, output, time.monotonic_ns())

    def _publish(self, running: Running, output: Output, began: int) -> None:
        self._efforts.publish(running.message.filled(output, output.effort))
        self._monitor.published(began, output)
        self._publish_more(running, output, began)

    def _publish_more(self, running: Running, output: Output, now: int) -> None:
        """Publish what is not always asked for."""
        dynamics = running.loaded.dynamics
        if self._states_audience.listens(now):
            self._states.publish(state_message(output, dynamics.joint_names))
        if self._residuals_audience.listens(now) and not np.isnan(output.measured).all():
            self._residuals.publish(running.message.filled(
                output, output.measured - output.effort))   # NaN where not measured
        if output.wrench is not None:
            self._base.publish(output.stamp, output.wrench, dynamics.model)
        if running.loaded.values['terms.enabled']:
            self._terms.publish(dynamics, running.message, output)
        if running.loaded.values['observer.enabled']:
            self._observer.publish(running, output)

    def _lost(self, messages: int) -> None:
        if self._running is not None:
            self._running.stream.counters['overruns'] += messages

    def _accelerate(self, message: JointTrajectory) -> None:
        if self._running is not None and message.points:
            self._running.stream.accelerate(nanoseconds(message.header.stamp), message.joint_names,
                                            message.points[0].accelerations)

    def _state(self) -> NodeState:
        running, chosen = self._running, self._values['estimator']
        refused, payload = self._descriptions.refused, carried(self._values)
        contact = self._observer.status(running)
        if running is None:
            return NodeState(None, None, chosen, refused, payload, contact=contact)
        return NodeState(running.loaded.dynamics, running.stream, chosen, refused, payload,
                     running.sources, contact)

    # ---- the equations

    def _to_export(self) -> Order | None:
        if self._running is None:
            return None
        values = self._values
        return Order(self._export(self._running.loaded), values['export.directory'],
                     values['export.overwrite'])

    def _export(self, loaded: Loaded) -> Export:
        """Return what the parameters, as they are now, make of a model."""
        values = self._values
        return Export(loaded.text, values['export.language'], values['export.style'],
                      values['export.name'] or None, loaded.dynamics.gravity_vector,
                      values['export.model'], loading(loaded.values))


def main() -> int:
    """Run the node until it is told to end."""
    return run(InverseDynamicsNode)

