"""Robot descriptions in, models out: the active model and its stream, built in a thread."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

from std_msgs.msg import String

from urdf2dyn_ros.errors import ParameterError, SourceError, Urdf2DynError, UrdfError
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.observer import MomentumObserver, WrenchEstimate
from urdf2dyn_ros.estimation.stream import Output, Stream, no_load_arguments
from urdf2dyn_ros.estimation.stream_setup import Sources, make_sources, make_stream
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import Endpoints, JointStateFields, Worker, latched
from urdf2dyn_ros.nodes.runtime import NodeParameters
from urdf2dyn_ros.recordings.measured_efforts import with_followers
from urdf2dyn_ros.robot.assembly import ambiguous, solve_loops
from urdf2dyn_ros.robot.loads import check_names, load_values, with_loads
from urdf2dyn_ros.robot.loop_notations import LOOP_PARAMETERS
from urdf2dyn_ros.robot.model import ClosedLoops, Mimic, RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.reader import read_configured
from urdf2dyn_ros.robot.spatial import Array

# ---- Values of the model and values at once, and the active model with its stream and sources

_OF_MODEL = ('robot_description', 'strict_inertia', 'gravity', 'backend', 'terms.enabled',
             'observer.enabled', 'wrench_estimate.link')
_NO_SOURCES = Sources()


class ModelRequest(NamedTuple):
    """A description, and the values of the model requested when it was read."""

    description: str
    values: Mapping[str, Any]


class ActiveModel(NamedTuple):
    """The equations of a request, with their stream and sources: replaced as a whole."""

    request: ModelRequest
    dynamics: InverseDynamics
    stream: Stream
    sources: Sources
    message: JointStateFields
    mimics: Mapping[str, Mimic]

    def receive(self, message: Message, compute: bool = True) -> Output | None:
        """Do as `Stream.receive`; the effort of a driver counts those of its mimic joints."""
        if self.mimics and len(message.effort) and len(message.effort) == len(message.names):
            message = message._replace(effort=with_followers(
                message.names, message.effort, self.mimics))
        return self.stream.receive(message, compute)


class Pipeline:
    """
    The requested parameters, and the active model with everything that was made of it.

    Values of the model are those of `active.request` while a worker builds another one, and after
    a description was rejected; all others are in effect at once, as they are in `requested`.
    `active` is None before the first model.

    The payload (10,) of each link is as it is now; the clock returns the node's time [ns].
    """

    def __init__(self, parameters: NodeParameters, payload: Mapping[str, Array],
                 clock: Callable[[], int]) -> None:
        self._parameters, self._payload, self._clock = parameters, payload, clock
        self.active: ActiveModel | None = None

    @property
    def requested(self) -> dict[str, Any]:
        return self._parameters.values

    @property
    def sources(self) -> Sources:
        """The active sources; empty ones without a model."""
        return _NO_SOURCES if self.active is None else self.active.sources

    def values_with(self, request: ModelRequest) -> dict[str, Any]:
        """Return the values in effect with the model of a request."""
        of_model = model_values(self.requested)   # some may wait for their model
        return {name: value for name, value in self.requested.items()
                if name not in of_model} | dict(request.values)

    def activate(self, request: ModelRequest, dynamics: InverseDynamics) -> None:
        """Compute with the equations of a request from the next message on."""
        message = JointStateFields(list(dynamics.joint_names), dynamics.model.root)
        self.active = self._started(request, dynamics, message, self.active)

    def restart(self, anew: bool = False) -> None:
        """Compute with the requested parameters; `anew`: without the samples before."""
        active = self.active
        if active is not None:
            self.active = self._started(active.request, active.dynamics, active.message,
                                        None if anew else active)

    def _started(self, request: ModelRequest, dynamics: InverseDynamics,
                 message: JointStateFields, samples: ActiveModel | None) -> ActiveModel:
        """Return a stream, which goes on with the `samples`, and sources; counters are shared."""
        before, values = self.active, self.values_with(request)
        sources = make_sources(values, dynamics, self._clock, self._payload, self.sources)
        stream = make_stream(
            values, dynamics, self._clock, samples and samples.stream,
            counters=None if before is None else before.stream.counters,
            load_arguments=sources if len(dynamics.inputs) > 3 else no_load_arguments)
        return ActiveModel(request, dynamics, stream, sources, message, dynamics.model.mimics)


def model_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a model is built with; the others take effect at once."""
    return {name: values[name] for name in _OF_MODEL} | load_values(values)


# ---- Robot descriptions in, models out: read and built in a worker thread

_POLL_PERIOD = 0.02   # between two looks for a latched description, or its model [s]


class Descriptions:
    """
    Receives descriptions from topic or parameter, and has a worker build models of them.

    The function `built` is called with every model and its request. `rejection` says why there is
    no model of the newest description; it is empty if there is.
    """

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline, worker: Worker,
                 built: Callable[[ModelRequest, InverseDynamics], None]) -> None:
        self._node, self._pipeline = endpoints.node, pipeline
        self._worker, self._built = worker, built
        self._newest = ModelRequest('', {})
        self.rejection = ''
        self._unplaced: tuple[str, ...] = ()   # passive joints, of which several poses close
        self._positions: dict[str, float] = {}   # of all joints, where these are not known
        self._decided = False   # whether a model was built, or rejected
        self._published = endpoints.published
        self._subscription = endpoints.subscribe(
            String, 'robot_description', self._receive, latched(), always=True)
        if pipeline.requested['robot_description']:
            self._build(pipeline.requested['robot_description'])

    @property
    def building(self) -> bool:
        """Whether a description was received, and none was built or rejected yet."""
        return bool(self._newest.description) and not self._decided

    def await_model(self, patience: float) -> None:
        """
        Wait until a model was built, in the thread that would spin.

        A description of the topic is waited for at most `patience` [s]. Raises a SourceError
        if there is none, or if it is rejected.
        """
        deadline = time.monotonic() + patience
        while not self._newest.description:
            queue = self._subscription.handle
            with queue:
                taken = queue.take_message(String, False)
            if taken is not None:
                self._receive(taken[0])
            elif time.monotonic() > deadline:
                raise SourceError(
                    f'no robot description within {patience:g} s on '
                    f'{self._published("robot_description")}; set the parameter '
                    'robot_description, or publish it there, and configure again')
            else:
                time.sleep(_POLL_PERIOD)
        while not self._decided:
            self._worker.deliver()   # the executor waits for this transition
            time.sleep(_POLL_PERIOD)
        if self.rejection:
            raise SourceError(self.rejection)

    def _receive(self, message: String) -> None:
        if self._pipeline.requested['robot_description']:
            self._node.get_logger().info('the topic robot_description is not used: the parameter '
                                         'of that name is set', once=True)
        elif not message.data.strip():
            self._node.get_logger().warning('an empty robot description is dropped')
        elif message.data != self._newest.description:
            self._build(message.data)

    def locate(self, message: Message) -> None:
        """Build a model whose loops can be assembled in several ways as joints are measured."""
        if self._unplaced and self.rejection and message.names:
            self._positions.update((name, q) for name, q in zip(message.names, message.position)
                                   if isfinite(q))
            if self._positions.keys() >= {*self._unplaced}:
                self._unplaced = ()
                self._build(self._newest.description)

    def apply(self, old: Mapping[str, Any]) -> bool:
        """
        Build another model if the requested parameters require it; return whether they do.

        Values that change neither the robot nor its loads, as those of a term that is off, do not.
        An Urdf2DynError is raised if no description can be read with these values, or if they
        name joints or links that the active model does not have.
        """
        new, active = self._pipeline.requested, self._pipeline.active
        if model_values(new) == model_values(old):
            return False
        if active is not None:
            changed = {name: value for name, value in new.items() if value != old.get(name)}
            check_names(changed, active.dynamics.model)
        text, robot = self._readable(new['robot_description'] != old['robot_description'])
        if (active is not None and active.request is self._newest and not self.rejection
                and self._newest.description == text
                and _equation_inputs(robot, self._newest.values) == _equation_inputs(robot, new)):
            self._newest = ModelRequest(text, model_values(new))
            self._pipeline.active = active._replace(request=self._newest)
            return False
        if text:
            self._build(text)
        return True

    def _readable(self, from_parameter: bool) -> tuple[str, RobotModel | None]:
        """Return the newest description that can be read with these values, '' if none came."""
        values, active = self._pipeline.requested, self._pipeline.active
        texts: list[str] = [values['robot_description']] if from_parameter else []
        if not any(texts):
            texts = [self._newest.description,
                     '' if active is None else active.request.description]
        errors = []
        for text in filter(None, texts):
            try:
                robot = read_configured(text, values)
                model, loads = with_loads(values, robot)
                loads.check(make_multibody(model))
            except Urdf2DynError as error:
                errors.append(error)
            else:
                return text, robot
        if errors:
            raise errors[0]
        return '', None

    def _build(self, text: str) -> None:
        """Have the worker build a model; the previous one is active until then."""
        self._newest = request = ModelRequest(text, model_values(self._pipeline.requested))
        positions, self._positions, self._unplaced = self._positions, {}, ()
        self._worker.submit(lambda: _dynamics(
            _placed(read_configured(text, request.values), positions), request.values),
            partial(self._take, request))

    def _take(self, request: ModelRequest, dynamics: InverseDynamics | None,
              error: Exception | None) -> None:
        self.rejection = '' if error is None else str(error)
        self._decided = True
        if isinstance(error, _UnplacedError):
            self._unplaced = error.passive
        if dynamics is not None:
            self._built(request, dynamics)
            return
        still = ('there is no model yet' if self._pipeline.active is None
                 else 'the model before it remains active')
        self._node.get_logger().error(f'the robot description is rejected, {still}: {error}')


class _UnplacedError(UrdfError):
    """Several poses close the loops; where the `passive` joints are measured, one is known."""

    def __init__(self, closed_loops: ClosedLoops) -> None:
        super().__init__(ambiguous(closed_loops).problems)
        self.passive = closed_loops.passive


def _placed(model: RobotModel, positions: Mapping[str, float]) -> RobotModel:
    """Return a robot whose loops close where its joints are measured, if they do in several."""
    loops = model.closed_loops
    if loops is None or not loops.other:
        return model
    every = {name for name, _ in loops.start}.union(loops.passive)
    start = {name: q for name, q in positions.items() if name in every}
    if not start:
        raise _UnplacedError(loops)
    return solve_loops(model, start)


def _equation_inputs(robot: RobotModel | None, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what the equations of a robot are made of, and which functions are prepared."""
    observes = values['observer.enabled']
    return (robot and with_loads(values, robot), values['gravity'], values['backend'],
            values['terms.enabled'], observes, observes and values['wrench_estimate.link'],
            *(tuple(values[row.name]) for row in LOOP_PARAMETERS))


def _dynamics(robot: RobotModel, values: Mapping[str, Any]) -> InverseDynamics:
    model, loads = with_loads(values, robot)
    dynamics = InverseDynamics(model, values['gravity'], values['backend'], loads=loads)
    if values['terms.enabled']:
        dynamics.prepare('terms')
    if values['observer.enabled']:
        with suppress(ParameterError):   # a moving base: logged when the observer is made
            MomentumObserver(dynamics)
            if values['wrench_estimate.link']:   # an unknown link is logged later as well
                WrenchEstimate(dynamics, link=values['wrench_estimate.link'])
    return dynamics
