"""Robot descriptions in, models out: read and made ready in a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.estimators import prepare_compiled
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads.load_parameters import check_names, loaded, loading
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver
from urdf2dyn_ros.urdf import read_urdf

_REBUILDING = ('robot_description', 'strict_inertia', 'gravity', 'backend', 'terms.enabled',
               'observer.enabled')


class Loaded(NamedTuple):
    """A description, the parameters it was read with, and the model of it."""

    text: str
    values: dict[str, Any]
    dynamics: InverseDynamics


class Descriptions:
    """
    Hears robot_description, or has it from the parameter, and has the worker make models.

    Parameters
    ----------
    node : Node
    topics : Topics
    values : callable
        Returns the node's parameters as they are now.
    worker : Worker
    take : callable
        Called with every model that is ready, in the worker's thread.

    Attributes
    ----------
    running : Loaded or None
        The newest that was ready.
    refused : str
        Why the newest description is not what runs; empty if it is.

    """

    def __init__(self, node: Node, topics: Topics, values: Callable[[], dict[str, Any]],
                 worker: Worker, take: Callable[[Loaded], None]) -> None:
        self._node, self._values, self._worker, self._take = node, values, worker, take
        self._newest = ''
        self.running: Loaded | None = None
        self.refused = ''
        topics.subscribe(String, 'robot_description', self._describe, QoSProfile(
            depth=1, reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL))
        if values()['robot_description']:
            self.load(values()['robot_description'])

    def _describe(self, message: String) -> None:
        if self._values()['robot_description']:
            self._node.get_logger().info('the topic robot_description is not heard: the parameter '
                                         'of that name is set', once=True)
        elif not message.data.strip():
            self._node.get_logger().warning('an empty robot description came and is ignored')
        elif message.data != self._newest:
            self.load(message.data)

    def changed(self, values: Mapping[str, Any], old: Mapping[str, Any]) -> str | None:
        """
        Return the text to load if new values ask for another model, '' if none has come yet.

        Raises
        ------
        Urdf2DynError
            If no description can be read with these values, or they name what the robot that
            runs does not have.

        """
        if (loading(values) == loading(old)
                and all(values[name] == old[name] for name in _REBUILDING)):
            return None
        if self.running is not None:
            given = {name: value for name, value in values.items() if value != old.get(name)}
            check_names(given, self.running.dynamics.model)
        return self._readable(values, values['robot_description'] != old['robot_description'])

    def _readable(self, values: Mapping[str, Any], given: bool) -> str:
        """Return the newest description that can be read with these values, '' if none came."""
        texts: list[str] = [values['robot_description']] if given else []
        if not any(texts):
            texts = [self._newest, self.running.text if self.running is not None else '']
        errors = []
        for text in filter(None, texts):
            try:
                model, loads = loaded(values, read_urdf(
                    text, strict_inertia=values['strict_inertia']))
                loads.check(multibody(model))
            except Urdf2DynError as error:
                errors.append(error)
            else:
                return text
        if errors:
            raise errors[0]
        return ''

    def load(self, text: str) -> None:
        """Have the worker make a model; it takes over when it is ready, the old one runs on."""
        self._newest = text
        values = dict(self._values())
        self._worker.submit(lambda: Loaded(text, values, _made(text, values)), self._ready)

    def _ready(self, found: Loaded | None, error: Exception | None) -> None:
        self.refused = '' if error is None else str(error)
        if found is not None:
            self._take(found)
            self.running = found
            return
        old = 'the model before it runs on' if self.running else 'there is no model yet'
        self._node.get_logger().error(f'the robot description is refused, {old}: {error}')


def _made(text: str, values: Mapping[str, Any]) -> InverseDynamics:
    model, loads = loaded(values, read_urdf(text, strict_inertia=values['strict_inertia']))
    dynamics = InverseDynamics(model, values['gravity'], values['backend'], loads=loads)
    if dynamics.backend == 'c':
        prepare_compiled()   # another estimator may be chosen while data flow
    if values['terms.enabled']:
        dynamics.prepare('terms')
    if values['observer.enabled']:
        with suppress(ParameterError):   # the base moves: told when it is to observe
            MomentumObserver(dynamics)
    return dynamics
