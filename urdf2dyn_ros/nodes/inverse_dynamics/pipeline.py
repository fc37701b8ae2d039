"""The requested and the active parameters, and the active model with its stream and sources."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads.load_parameters import loading
from urdf2dyn_ros.nodes.inverse_dynamics.messages import JointStateFields
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.stream.assembly import sources, stream
from urdf2dyn_ros.stream.sources import Sources
from urdf2dyn_ros.stream.stream import Stream

_OF_MODEL = ('robot_description', 'strict_inertia', 'gravity', 'backend', 'terms.enabled',
             'observer.enabled', 'wrench_estimate.link')
_NO_SOURCES = Sources()


class BuiltModel(NamedTuple):
    """A description, the parameters requested when it was read, and the equations."""

    description: str
    values: Mapping[str, Any]
    dynamics: InverseDynamics


class Active(NamedTuple):
    """Active model, stream and sources, replaced as a whole; `values`: active parameters."""

    model: BuiltModel
    values: Mapping[str, Any]
    dynamics: InverseDynamics
    stream: Stream
    sources: Sources
    message: JointStateFields


class Pipeline:
    """
    The requested parameters, and the active ones with everything that was made of them.

    They differ while a worker builds a model, and after a description was rejected. Another thread
    may replace `active`, which is None before the first model: read it once for a message.

    The payload (10,) of each link is as it is now; the clock returns the node's time [ns].
    """

    def __init__(self, parameters: NodeParameters, payload: Mapping[str, Array],
                 clock: Callable[[], int]) -> None:
        self._parameters, self._payload, self._clock = parameters, payload, clock
        self._replacing = Lock()
        self.active: Active | None = None

    @property
    def requested(self) -> dict[str, Any]:
        return self._parameters.values

    @property
    def sources(self) -> Sources:
        """The active sources; empty ones without a model."""
        return _NO_SOURCES if self.active is None else self.active.sources

    def activate(self, model: BuiltModel) -> None:
        """Compute with another model from the next message on."""
        message = JointStateFields(list(model.dynamics.joint_names), model.dynamics.model.root)
        with self._replacing:
            self.active = self._started(model, message)

    def restart(self) -> None:
        """Compute with the requested estimator from the next message on."""
        with self._replacing:
            if self.active is not None:
                self.active = self._started(self.active.model, self.active.message)

    def _started(self, model: BuiltModel, message: JointStateFields) -> Active:
        """Return a stream and sources without samples; they share the counters."""
        before, dynamics = self.active, model.dynamics
        # newer values may have been requested since, and wait for their model
        waiting = model_values(self.requested)
        values = {name: value for name, value in self.requested.items()
                  if name not in waiting} | model_values(model.values)
        new_sources = sources(values, dynamics, self._clock, self._payload,
                              self.sources)
        new_stream = stream(values, dynamics, self._clock,
                            counters=None if before is None else before.stream.counters, **(
                                {'load_arguments': new_sources} if len(dynamics.inputs) > 3
                                else {}))
        return Active(model, values, dynamics, new_stream, new_sources, message)


def model_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a model is built with; the others take effect at once."""
    return {name: values[name] for name in _OF_MODEL} | loading(values)
