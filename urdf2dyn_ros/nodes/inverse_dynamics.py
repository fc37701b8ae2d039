"""
The node inverse_dynamics: joint states in, efforts out, and the equations as files.

The constructor of `Wiring` is the table of contents: each part is a class, of this file, of
inputs.py or of one that other nodes share, and subscribes, publishes and serves what is named
behind it. The way of a message is JointStates -> Wiring._receive -> Stream.receive ->
Wiring._publish -> OutputTopics.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.codegen.compiled import BACKENDS
from urdf2dyn_ros.codegen.functions import CHOICES
from urdf2dyn_ros.codegen.generator import STYLES
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.codegen.signature import FRAME_AXES
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.estimation.estimators import ESTIMATORS
from urdf2dyn_ros.estimation.hold import read_hold
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.moving_base import BASE_PARAMETER, MovingBase
from urdf2dyn_ros.estimation.observer import OBSERVER_PARAMETERS, WrenchEstimate
from urdf2dyn_ros.estimation.outcomes import Count
from urdf2dyn_ros.estimation.status import (
    Monitor,
    NodeState,
    missing_joints,
    outcomes_text,
    remedy,
)
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.estimation.stream_setup import STREAM_PARAMETERS, check_lags, stream_values
from urdf2dyn_ros.estimation.wrenches import ExternalWrenches
from urdf2dyn_ros.export import checked_name
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import (
    Endpoints,
    Worker,
    best_effort,
    completed_message,
    nanoseconds,
    state_message,
)
from urdf2dyn_ros.nodes.external_efforts import Observer, WrenchTopic
from urdf2dyn_ros.nodes.inputs import Base, JointStates, Wrenches
from urdf2dyn_ros.nodes.models import ActiveModel, Descriptions, ModelRequest, Pipeline
from urdf2dyn_ros.nodes.runtime import NodeParameters, RemarkingNode, run_node
from urdf2dyn_ros.nodes.services import ExportService, ModelInfo, PayloadService, StatusPublisher
from urdf2dyn_ros.robot.loads import (
    GRAVITY_PARAMETER,
    JOINT_PARAMETERS,
    LOAD_PARAMETERS,
    PAYLOAD,
    TERMS,
    WRENCH_TOPICS,
    external,
    payload_text,
    unused_settings,
)
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.text import counted, listed, quote

# ---- The parameters, which config/dynamics.yaml shows

TERM_NAMES = ('gravity', 'coriolis', 'inertia', *TERMS, 'external')   # their sum are the efforts

_OWN_PARAMETERS = (
    Parameter('robot_description', '',
              'URDF text of the robot; if empty, it is received on the topic robot_description.'),
    Parameter('strict_inertia', False,
              'Reject a description with a physically impossible inertia, instead of computing '
              'with it and logging a warning.'),
    GRAVITY_PARAMETER,
    Parameter('backend', 'auto', 'Back end of the equations: python; c: compiled once for a robot '
              'and a machine, and with it the estimator kalman; auto: c where a compiler is '
              'available.', choices=BACKENDS),
    BASE_PARAMETER,
    *(row.named(f'moving_base.{row.name}') for row in MovingBase.PARAMETERS),
    *LOAD_PARAMETERS,
    *PAYLOAD,
    *(row.named(f'wrench.{row.name}') for row in ExternalWrenches.PARAMETERS),
    Parameter('terms.enabled', False, 'Publish the terms whose sum the efforts are, on ~/terms/'
              f'{", ".join(TERM_NAMES[:-1])} and {TERM_NAMES[-1]}.'),
    *OBSERVER_PARAMETERS,
    *(row.named(f'wrench_estimate.{row.name}') for row in WrenchEstimate.PARAMETERS),
    Parameter('queue_depth', 1000, 'Joint states that may wait while the node is busy; of more, '
              'the oldest are dropped.', minimum=1, maximum=100_000, read_only=True),
    Parameter('diagnostics.enabled', True, 'Publish the messages of ~/status on /diagnostics too.',
              read_only=True),
    Parameter('export.language', 'python', 'Language of exported files.',
              choices=tuple(LANGUAGES)),
    Parameter('export.style', 'readable', 'Style of exported files.', choices=STYLES),
    Parameter('export.model', 'inverse_dynamics', 'Function to export; all: all of them in one '
              'file.', choices=tuple(CHOICES)),
    Parameter('export.link', ('',), 'Links of a function about links; if empty, the only tip.'),
    Parameter('export.axes', FRAME_AXES[0], 'Axes of the vectors at these links.',
              choices=FRAME_AXES),
    Parameter('export.name', '', "Stem of exported files' names; if empty, the robot's name."),
    Parameter('export.directory', '', 'Directory for exported files, with a folder for the '
              "node's namespace; if empty, urdf2dyn_ros in ROS_HOME, which is ~/.ros if it is not "
              'set.', read_only=True),
    Parameter('export.overwrite', False, 'Replace an existing file whose text differs.'),
)

NODE_PARAMETERS: tuple[Parameter, ...] = (*_OWN_PARAMETERS, *STREAM_PARAMETERS)

_DEFAULTS = {row.name: row.default for row in NODE_PARAMETERS}
NODE_FAMILIES = (JOINT_PARAMETERS, WRENCH_TOPICS)   # of joints and links: only where they are set


def _unused(values: Mapping[str, Any], dynamics: InverseDynamics | None) -> Iterator[str]:
    """Yield a sentence for each value without effect, on this robot if there is one."""
    if dynamics is not None:
        yield from unused_settings(values, dynamics.model)
        if values['base'] == 'auto' and not dynamics.loads.moving(make_multibody(dynamics.model)):
            values = {**values, 'base': 'fixed'}
    for name, default in _DEFAULTS.items():
        if values[name] == default:
            continue
        prefix = name.partition('.')[0]
        observes = prefix in ('observer', 'contact', 'wrench_estimate')
        reason = ''
        if prefix in ESTIMATORS and prefix != values['estimator']:
            reason = f'estimator is {values["estimator"]}'
        elif observes and name != 'observer.enabled' and not values['observer.enabled']:
            reason = 'observer.enabled is false'
        elif prefix == 'wrench_estimate' and not values['wrench_estimate.link']:
            reason = 'wrench_estimate.link is empty'
        elif prefix == 'wrench' and not external(values):
            reason = f'no {WRENCH_TOPICS.form} is set'
        elif prefix == 'moving_base' and values['base'] == 'fixed':
            reason = 'base is fixed'
        if reason:
            yield f'{name} without effect: {reason}'


# ---- The node: its topics, services and timers, and how they act together

_BACKENDS = {'python': 'Python', 'c': 'compiled C'}


class InverseDynamicsNode(RemarkingNode):
    """Publishes the efforts that the motion in joint_states requires."""

    def __init__(self, **options: Any) -> None:
        super().__init__('inverse_dynamics', allow_undeclared_parameters=True, **options)
        monitor = Monitor()
        self.requested = NodeParameters(self, NODE_PARAMETERS, NODE_FAMILIES)
        self.wiring = Wiring(Endpoints(self, monitor.failed), self.requested, monitor)


class Wiring:
    """
    Publishes the efforts that the motion in joint_states requires, for a node.

    The thread that spins has all state: in it joint states are received, processed by the stream
    of the active model and published. To build a model takes longer than the time between two
    messages: a worker thread does it, whose result that thread takes and activates. The text for
    an export is generated in a child process.
    """

    def __init__(self, endpoints: Endpoints, parameters: NodeParameters,
                 monitor: Monitor) -> None:
        self._node, self.parameters, self._monitor = endpoints.node, parameters, monitor
        self._logged: set[str] = set()   # about the active model
        # one each: a worker drops a job for a newer one
        self._workers = building, informing, exporting = [
            Worker(self._node, endpoints.guarded) for _ in range(3)]
        values = parameters.values
        check_lags(values)
        self._payload = PayloadService(endpoints, parameters)   # ~/set_payload
        self._pipeline = Pipeline(parameters, self._payload.entries, lambda: int(
            self._node.get_clock().now().nanoseconds))

        # what is published
        self._outputs = OutputTopics(endpoints, monitor)   # ~/efforts, ~/state and others
        self._terms = TermTopics(endpoints, values['terms.enabled'])   # ~/terms/<term>
        self._observer = Observer(endpoints, self._pipeline)   # ~/external_efforts, ~/contact
        self._wrench = WrenchTopic(endpoints, self._pipeline)   # ~/wrench
        self._information = ModelInfo(endpoints, monitor, informing)   # ~/model_info
        StatusPublisher(endpoints, monitor, self._state, (   # ~/status, /diagnostics
            self._observer.take_status, self._wrench.take_status), values['diagnostics.enabled'])

        # the services export_model and ~/acknowledge, and what is received
        ExportService(endpoints, self._pipeline, monitor, exporting)
        endpoints.service(Trigger, '~/acknowledge', self._acknowledge)
        self.descriptions = Descriptions(endpoints, self._pipeline, building, self._activate)
        depth = values['queue_depth']
        self._joint_states = JointStates(endpoints, depth, self._receive, self._count_lost)
        endpoints.subscribe(JointTrajectory, 'joint_accelerations', self._accelerate,
                            best_effort(depth))
        Wrenches(endpoints, self._pipeline)   # topics of the parameters external_wrenches.*
        self._base = Base(endpoints, self._pipeline, self._resume)   # imu, odometry; ~/base_wrench

        # what is logged while something is missing
        MissingData(endpoints, monitor, self._pipeline, self._base, self._state)
        parameters.check, parameters.apply = self._check_change, self._apply_change

    def restart(self) -> None:
        """Compute with the samples from now on alone."""
        self._joint_states.restart()
        self._pipeline.restart(anew=True)
        self._follow()
        self._monitor.take_report()

    def release(self) -> None:
        """End the workers; a model that is still being built is dropped."""
        self.parameters.check, self.parameters.apply = lambda values: None, lambda old: ()
        for worker in self._workers:
            worker.end()

    # ---- from joint states to efforts

    def _receive(self, message: Message, compute: bool) -> None:
        received = self._monitor.received()
        self.descriptions.locate(message)
        active = self._pipeline.active
        if active is None:
            return
        output = active.receive(message, compute)
        if output is not None:
            self._publish(active, output, received)

    def _resume(self) -> None:
        """Publish the outputs that waited for the base data just received."""
        active = self._pipeline.active
        if active is not None:
            for output in active.stream.resume():
                self._publish(active, output, time.monotonic_ns())

    def _publish(self, active: ActiveModel, output: Output, received: int) -> None:
        self._outputs.publish(active, output, received)
        if output.wrench is not None:
            self._base.publish(output.stamp, output.wrench, active.dynamics.model)
        if active.request.values['terms.enabled']:
            self._terms.publish(active, output)
        external = self._observer.publish(active, output)
        if external is not None:
            self._wrench.publish(output, external)

    def _accelerate(self, message: JointTrajectory) -> None:
        active = self._pipeline.active
        if active is not None and message.points:
            active.stream.accelerate(nanoseconds(message.header.stamp), message.joint_names,
                                     message.points[0].accelerations)

    def _count_lost(self, messages: int) -> None:
        if self._pipeline.active is not None:
            self._pipeline.active.stream.counters[Count.OVERRUNS] += messages

    def _acknowledge(self, request: Trigger.Request, response: Trigger.Response) -> None:
        active = self._pipeline.active
        shifts = [] if active is None else active.stream.acknowledge()
        response.success = bool(shifts)
        response.message = '; '.join(map(str, shifts)) or 'there is nothing to acknowledge'

    # ---- models and parameters

    def _check_change(self, values: dict[str, Any]) -> None:
        """Raise an error for new values of parameters that cannot be applied."""
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

    def _apply_change(self, old: dict[str, Any]) -> list[str]:
        """Apply the requested parameters; an error of a description is raised here."""
        values = self.parameters.values
        if not self.descriptions.apply(old) and stream_values(values) != stream_values(old):
            self._pipeline.restart()
        self._payload.apply()
        self._terms.enable(values['terms.enabled'])
        self._follow()
        # said before, and not of what is set now
        active = self._pipeline.active
        dynamics = None if active is None else active.dynamics
        same = {name: value for name, value in values.items() if value == old.get(name)}
        said = {*_unused(old, dynamics)} & {*_unused({**_DEFAULTS, **same}, dynamics)}
        unused = [line for line in _unused(values, dynamics) if line not in said]
        if active is not None and values['hold'] != old['hold']:
            unused += [f'hold {quote(name)} without effect: the joint is published'
                       for name in active.stream.held.unused]
        for line in unused:
            self._node.get_logger().warning(line)
        self._logged |= {*unused}
        return unused

    def _activate(self, request: ModelRequest, dynamics: InverseDynamics) -> None:
        """Log a model and compute with it from the next message on."""
        logger, before = self._node.get_logger(), self._pipeline.active
        names = dynamics.joint_names
        warnings = [*map(str, dynamics.model.warnings),
                    *_unused(self._pipeline.values_with(request), dynamics),
                    *read_hold(self._pipeline.requested['hold'], dynamics)[1]]
        summary = (f'model of {dynamics.model.name!r}: {counted(len(names), "joint")} '
                   f'({listed(names, len(names))}), {dynamics.model.mass:.6g} kg, '
                   f'{dynamics.operations}, run by {_BACKENDS[dynamics.backend]}')
        logged, self._logged = self._logged, {*warnings, summary}
        for line in warnings:
            if line not in logged:   # of the model before, which another parameter replaced
                logger.warning(line)
        self._pipeline.activate(request, dynamics)
        self._follow()
        logger.debug('this model is used from the next message on, without earlier samples')
        if summary not in logged:
            logger.info(summary)
        old = names if before is None else before.dynamics.joint_names
        added, removed = sorted(set(names) - set(old)), sorted(set(old) - set(names))
        if added or removed:
            logger.info(f'joints added: {listed(added) or "none"}; removed: '
                        f'{listed(removed) or "none"}')
        self._information.write(dynamics)

    def _follow(self) -> None:
        """Let what depends on the active model, or on parameters, follow them."""
        for each in (self._base, self._observer, self._wrench):
            each.follow()

    def _state(self) -> NodeState:
        active, values = self._pipeline.active, self._pipeline.requested
        dynamics, stream, sources = (None, None, None) if active is None else (
            active.dynamics, active.stream, active.sources)
        resolved = self._node.resolve_topic_name
        return NodeState(
            dynamics=dynamics, stream=stream, sources=sources, estimator=values['estimator'],
            rejected=self.descriptions.rejection, building=self.descriptions.building,
            payload=payload_text(values), hold=values['hold'],
            name=self._node.get_fully_qualified_name(), topic=resolved('joint_states'),
            description='' if values['robot_description'] else resolved('robot_description'))


# ---- The topics of an output: ~/efforts, ~/state, ~/joint_states, ~/residuals, ~/terms/<term>

_COUNT_VALID_NS = 20_000_000   # for which a count of subscribers is used: DDS is asked seldom


class OutputTopics:
    """Publishes the efforts of every output, and its state and residuals to subscribers."""

    def __init__(self, endpoints: Endpoints, monitor: Monitor) -> None:
        self._monitor = monitor
        self._efforts = endpoints.publisher(JointState, '~/efforts')
        self._states = _Optional(endpoints.publisher(JointTrajectory, '~/state'))
        self._residuals = _Optional(endpoints.publisher(JointState, '~/residuals'))
        self._completed = _Optional(endpoints.publisher(JointState, '~/joint_states'))

    def publish(self, active: ActiveModel, output: Output, received: int) -> None:
        """Publish an output of the message that was received at a time [ns]."""
        self._efforts.publish(active.message.filled(output, output.effort))
        self._monitor.published(received, output, active.dynamics)
        if self._states.look_for_subscribers(received):
            self._states.publish(state_message(output, active.dynamics.joint_names))
        if self._residuals.look_for_subscribers(received) and not np.isnan(output.measured).all():
            self._residuals.publish(active.message.filled(
                output, output.measured - output.effort))   # NaN where not measured
        if self._completed.look_for_subscribers(received):
            self._completed.publish(completed_message(output, active.dynamics))


class _Optional:
    """A publisher whose messages are made only for subscribers."""

    def __init__(self, publisher: Any) -> None:
        self.publish = publisher.publish
        self._count = publisher.get_subscription_count
        self._counted, self._subscribed = 0, False

    def look_for_subscribers(self, now: int) -> bool:
        """Return whether there are any at a time [ns]; the last answer is used for a moment."""
        if now - self._counted > _COUNT_VALID_NS:
            self._counted, self._subscribed = now, self._count() > 0
        return self._subscribed


class TermTopics:
    """Publishes the terms that have subscribers; zeros for one that is off."""

    def __init__(self, endpoints: Endpoints, enabled: bool) -> None:
        self._endpoints = endpoints
        self._publishers: dict[str, Any] = {}
        self.enable(enabled)

    def enable(self, enabled: bool) -> None:
        """Create or destroy the topics."""
        if enabled and not self._publishers:
            self._publishers = {name: self._endpoints.publisher(JointState, f'~/terms/{name}')
                                for name in TERM_NAMES}
        elif not enabled:
            old, self._publishers = self._publishers, {}
            for publisher in old.values():
                self._endpoints.node.destroy_publisher(publisher)

    def publish(self, active: ActiveModel, output: Output) -> None:
        """Publish the terms of an output."""
        subscribed = {name: publisher for name, publisher in self._publishers.items()
                      if publisher.get_subscription_count() > 0}
        if not subscribed:
            return
        try:
            with np.errstate(all='ignore'):
                terms = active.dynamics.terms(output.q, output.qd, output.qdd,
                                              *output.load_arguments)
        except (ArithmeticError, StateError):   # too large for floating point, unlike their sum
            return
        zeros = np.zeros_like(output.effort)
        for name, publisher in subscribed.items():
            publisher.publish(active.message.filled(output, terms.get(name, zeros)))


# ---- Log lines about missing models, joint states and efforts, for as long as they are missing

MISSING_PERIOD = 10.0   # s between two lines


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
            warn(f'no joint states on {self._endpoints.published("joint_states")}')
        else:
            grown = active.stream.counters - self._counted
            self._counted = active.stream.counters.copy()
            if not grown['used']:
                advice = remedy(active.stream, self._pipeline.requested['hold'],
                                self._endpoints.node.get_fully_qualified_name())
                missing = (missing_joints(active.stream, advice) if active.stream.missing_joints
                           else advice)
                warn('; '.join(filter(None, (f'no efforts: {outcomes_text(grown)}', missing,
                                             *active.stream.warnings, *active.sources.warnings,
                                             *self._base.advice))))
        self._received = self._monitor.messages


def main() -> int:
    """Run the node until a signal ends it."""
    return run_node(InverseDynamicsNode, NODE_PARAMETERS)


if __name__ == '__main__':
    sys.exit(main())
