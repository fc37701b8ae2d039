"""What the node inverse_dynamics does: its endpoints, and how they act together."""

import time
from typing import Any

from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.export import checked_name
from urdf2dyn_ros.joint_states.serialized import Fields
from urdf2dyn_ros.loads.load_parameters import unheeded
from urdf2dyn_ros.loads.payload import carried
from urdf2dyn_ros.nodes.conversions import nanoseconds
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.descriptions import Descriptions
from urdf2dyn_ros.nodes.inverse_dynamics.export_service import ExportService
from urdf2dyn_ros.nodes.inverse_dynamics.joint_states import JointStates
from urdf2dyn_ros.nodes.inverse_dynamics.missing_data import MissingData
from urdf2dyn_ros.nodes.inverse_dynamics.model_info import ModelInfo
from urdf2dyn_ros.nodes.inverse_dynamics.moving_base import Base
from urdf2dyn_ros.nodes.inverse_dynamics.observer import Observer
from urdf2dyn_ros.nodes.inverse_dynamics.outputs import Outputs, TermTopics
from urdf2dyn_ros.nodes.inverse_dynamics.payload import Payload
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Active, BuiltModel, Pipeline
from urdf2dyn_ros.nodes.inverse_dynamics.status import StatusPublisher
from urdf2dyn_ros.nodes.inverse_dynamics.wrench_estimate import WrenchTopic
from urdf2dyn_ros.nodes.inverse_dynamics.wrenches import Wrenches
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.qos import best_effort
from urdf2dyn_ros.nodes.same_name import SameName
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.status.node_state import NodeState
from urdf2dyn_ros.stream.assembly import check_lags, estimator, streaming
from urdf2dyn_ros.stream.hold import read_hold
from urdf2dyn_ros.stream.output import Output

_BACKENDS = {'python': 'Python', 'c': 'compiled C'}


class Wiring:
    """
    Publishes the efforts that the motion in joint_states requires, for a node.

    Joint states are received, processed by the stream of the active model and published in the
    one thread that spins. To build a model takes longer than the time between two messages: a
    worker thread does it and returns an immutable result. The text for an export is generated
    along with the first model, later in a child process.
    """

    def __init__(self, endpoints: Endpoints, parameters: NodeParameters,
                 monitor: Monitor) -> None:
        self._node, self.parameters, self._monitor = endpoints.node, parameters, monitor
        self._released = False
        self._logged: set[str] = set()   # about the active model
        # one each: a worker drops a job for a newer one
        self._workers = building, informing, exporting = [
            Worker(endpoints.guarded) for _ in range(3)]
        values = parameters.values
        check_lags(values)
        self._payload = Payload(endpoints, parameters)
        self._pipeline = Pipeline(parameters, self._payload.entries, lambda: int(
            self._node.get_clock().now().nanoseconds))

        self._outputs = Outputs(endpoints, self._monitor)
        self._terms = TermTopics(endpoints, values['terms.enabled'])
        self._observer = Observer(endpoints, self._pipeline)
        self._wrench = WrenchTopic(endpoints, self._pipeline)
        self._information = ModelInfo(endpoints, self._monitor, informing)
        self._exports = ExportService(endpoints, self._pipeline, self._monitor, exporting)
        self.descriptions = Descriptions(endpoints, self._pipeline, building, self._activate)
        StatusPublisher(endpoints, self._monitor, self._state, values['diagnostics.enabled'])

        depth = values['queue_depth']
        self._joint_states = JointStates(endpoints, depth, self._receive, self._count_lost)
        endpoints.subscribe(JointTrajectory, 'joint_accelerations', self._accelerate,
                            best_effort(depth))
        Wrenches(endpoints, self._pipeline)
        self._base = Base(endpoints, self._pipeline, self._resume)
        MissingData(endpoints, self._monitor, self._pipeline, self._base, self._state)
        SameName(endpoints)
        parameters.check, parameters.apply = self._check_change, self._apply_change

    def restart(self) -> None:
        """Compute with the samples from now on alone."""
        self._joint_states.restart()
        self._pipeline.restart()
        self._monitor.report()

    def release(self) -> None:
        """End the workers; a model that is still being built is dropped."""
        self._released = True
        self.parameters.check = self.parameters.apply = lambda values: None
        for worker in self._workers:
            worker.end()

    # ---- from joint states to efforts

    def _receive(self, fields: Fields, compute: bool) -> None:
        received = self._monitor.received()
        active = self._pipeline.active
        if active is None:
            return
        output = active.stream.receive(*fields, compute)
        if output is not None:
            self._publish(active, output, received)

    def _resume(self) -> None:
        """Publish the outputs that waited for the base data just received."""
        active = self._pipeline.active
        if active is not None:
            for output in active.stream.resume():
                self._publish(active, output, time.monotonic_ns())

    def _publish(self, active: Active, output: Output, received: int) -> None:
        self._information.use(active.model, output.stamp)
        self._outputs.publish(active, output, received)
        if output.wrench is not None:
            self._base.publish(output.stamp, output.wrench, active.dynamics.model)
        if active.values['terms.enabled']:
            self._terms.publish(active, output)
        if active.values['observer.enabled']:
            external = self._observer.publish(active, output)
            if external is not None:
                self._wrench.publish(active, output, external)

    def _accelerate(self, message: JointTrajectory) -> None:
        active = self._pipeline.active
        if active is not None and message.points:
            active.stream.accelerate(nanoseconds(message.header.stamp), message.joint_names,
                                     message.points[0].accelerations)

    def _count_lost(self, messages: int) -> None:
        if self._pipeline.active is not None:
            self._pipeline.active.stream.counters['overruns'] += messages

    # ---- models and parameters

    def _check_change(self, values: dict[str, Any]) -> None:
        """Raise an error for new values of parameters that cannot be applied."""
        estimator(values, 1)
        check_lags(values)
        if values['export.name']:
            checked_name(values['export.name'])
        if self._pipeline.active is not None:
            faults = read_hold(values['hold'], self._pipeline.active.dynamics)[1]
            if faults:
                raise ParameterError('; '.join(faults))
        self._payload.check(values)
        self._observer.check(values)
        self._wrench.check(values)

    def _apply_change(self, old: dict[str, Any]) -> None:
        """Apply the requested parameters; an error of a description is raised here."""
        values = self.parameters.values
        if not self.descriptions.apply(old) and streaming(values) != streaming(old):
            self._pipeline.restart()
            self._node.get_logger().debug('the parameters of estimators or messages have changed: '
                                          'the samples before are not used')
        self._payload.apply()
        self._terms.enable(values['terms.enabled'])
        self._observer.apply(old)
        self._wrench.apply(old)

    def _activate(self, built: BuiltModel) -> None:
        """Log a model and compute with it from the next message on."""
        if self._released:
            return
        logger, dynamics, before = self._node.get_logger(), built.dynamics, self._pipeline.active
        names = dynamics.joint_names
        warnings = [*map(str, dynamics.model.warnings), *unheeded(built.values, dynamics.model),
                    *read_hold(self._pipeline.requested['hold'], dynamics)[1]]
        summary = (f'model of {dynamics.model.name!r}: {counted(len(names), "joint")} '
                   f'({listed(names, len(names))}), {dynamics.model.mass:.6g} kg, '
                   f'{dynamics.operations}, run by {_BACKENDS[dynamics.backend]}')
        logged, self._logged = self._logged, {*warnings, summary}
        for line in warnings:
            if line not in logged:   # of the model before, which another parameter replaced
                logger.warning(line)
        if before is None:   # no messages wait for it
            self._exports.prepare(built)
        self._pipeline.activate(built)
        logger.debug('this model is used from the next message on, without earlier samples')
        if summary not in logged:
            logger.info(summary)
        old = names if before is None else before.dynamics.joint_names
        added, removed = sorted(set(names) - set(old)), sorted(set(old) - set(names))
        if added or removed:
            logger.info(f'joints added: {listed(added) or "none"}; removed: '
                        f'{listed(removed) or "none"}')
        self._information.write(built)

    def _state(self) -> NodeState:
        active, values = self._pipeline.active, self._pipeline.requested
        return NodeState(None if active is None else active.dynamics,
                         None if active is None else active.stream, values['estimator'],
                         self.descriptions.rejection, carried(values),
                         None if active is None else active.sources, self._observer.status(),
                         self._node.get_fully_qualified_name(), values['hold'],
                         self._wrench.status(), self._node.resolve_topic_name('joint_states'),
                         self.descriptions.building)
