"""Robot descriptions in, models out: read and built in a worker thread."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from std_msgs.msg import String

from urdf2dyn_ros.errors import ParameterError, SourceError, Urdf2DynError
from urdf2dyn_ros.estimators import prepare_compiled
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.loads.load_parameters import check_names, with_loads
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import BuiltModel, Pipeline, model_values
from urdf2dyn_ros.nodes.qos import latched
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver
from urdf2dyn_ros.observer.wrench_estimate import WrenchEstimate
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf import read_description

_POLL_PERIOD = 0.02
"""Time between two looks for a latched description [s]."""


class Descriptions:
    """
    Receives descriptions from topic or parameter, and has a worker build models of them.

    The function `built` is called with every model, in the worker's thread. `rejection` says why
    there is no model of the newest description; it is empty if there is.
    """

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline, worker: Worker,
                 built: Callable[[BuiltModel], None]) -> None:
        self._node, self._pipeline = endpoints.node, pipeline
        self._worker, self._built = worker, built
        self._newest = ''
        self.rejection = ''
        self._decided = threading.Event()
        self._published = endpoints.published
        self._subscription = endpoints.subscribe(
            String, 'robot_description', self._receive, latched(), always=True)
        if pipeline.requested['robot_description']:
            self._build(pipeline.requested['robot_description'])

    @property
    def building(self) -> bool:
        """Whether a description was received, and none was built or rejected yet."""
        return bool(self._newest) and not self._decided.is_set()

    def await_model(self, patience: float) -> None:
        """
        Wait until a model was built, in the thread that would spin.

        A description of the topic is waited for at most `patience` [s]. Raises a SourceError
        if there is none, or if it is rejected.
        """
        deadline = time.monotonic() + patience
        while not self._newest:
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
        self._decided.wait()
        if self.rejection:
            raise SourceError(self.rejection)

    def _receive(self, message: String) -> None:
        if self._pipeline.requested['robot_description']:
            self._node.get_logger().info('the topic robot_description is not used: the parameter '
                                         'of that name is set', once=True)
        elif not message.data.strip():
            self._node.get_logger().warning('an empty robot description is dropped')
        elif message.data != self._newest:
            self._build(message.data)

    def apply(self, old: Mapping[str, Any]) -> bool:
        """
        Build another model if the requested parameters require it; return whether they do.

        An Urdf2DynError is raised if no description can be read with these values, or if they
        name joints or links that the active model does not have.
        """
        new, active = self._pipeline.requested, self._pipeline.active
        if model_values(new) == model_values(old):
            return False
        if active is not None:
            changed = {name: value for name, value in new.items() if value != old.get(name)}
            check_names(changed, active.dynamics.model)
        text = self._readable(new['robot_description'] != old['robot_description'])
        if text:
            self._build(text)
        return True

    def _readable(self, from_parameter: bool) -> str:
        """Return the newest description that can be read with these values, '' if none came."""
        values, active = self._pipeline.requested, self._pipeline.active
        texts: list[str] = [values['robot_description']] if from_parameter else []
        if not any(texts):
            texts = [self._newest, '' if active is None else active.model.description]
        errors = []
        for text in filter(None, texts):
            try:
                model, loads = _read(text, values)
                loads.check(multibody(model))
            except Urdf2DynError as error:
                errors.append(error)
            else:
                return text
        if errors:
            raise errors[0]
        return ''

    def _build(self, text: str) -> None:
        """Have the worker build a model; the previous one is active until then."""
        self._newest = text
        values = dict(self._pipeline.requested)
        self._worker.submit(lambda: BuiltModel(text, values, _dynamics(text, values)), self._take)

    def _take(self, model: BuiltModel | None, error: Exception | None) -> None:
        self.rejection = '' if error is None else str(error)
        try:
            if model is not None:
                self._built(model)
                return
        finally:
            self._decided.set()
        still = ('there is no model yet' if self._pipeline.active is None
                 else 'the model before it remains active')
        self._node.get_logger().error(f'the robot description is rejected, {still}: {error}')


def _read(text: str, values: Mapping[str, Any]) -> tuple[RobotModel, Loads]:
    return with_loads(values, read_description(text, strict_inertia=values['strict_inertia']))


def _dynamics(text: str, values: Mapping[str, Any]) -> InverseDynamics:
    model, loads = _read(text, values)
    dynamics = InverseDynamics(model, values['gravity'], values['backend'], loads=loads)
    if dynamics.backend == 'c':
        prepare_compiled()   # another estimator may be chosen while joint states arrive
    if values['terms.enabled']:
        dynamics.prepare('terms')
    if values['observer.enabled']:
        with suppress(ParameterError):   # a moving base: logged when the observer is made
            MomentumObserver(dynamics)
            if values['wrench_estimate.link']:   # an unknown link is logged later as well
                WrenchEstimate(dynamics, link=values['wrench_estimate.link'])
    return dynamics
