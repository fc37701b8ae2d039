"""A node's publishers, subscriptions, services and timers."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.qos import QoSPolicyKind, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.validate_topic_name import validate_topic_name

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.nodes.callbacks import answering, barrier, steady_timer
from urdf2dyn_ros.nodes.qos import QosMismatch

try:
    from rclpy import event_handler as qos_events
except ImportError:  # Humble
    from rclpy import qos_event as qos_events

_OVERRIDABLE = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
                QoSPolicyKind.DURABILITY)

_UNKNOWN = '_NODE_NAME_UNKNOWN_'
"""What rmw calls the node of a publisher that it discovers before that node."""


class Endpoints:
    """
    Makes a node's endpoints; an error of a callback is logged and counted, the node goes on.

    A user can override the QoS of topics at the start:
    ``qos_overrides./joint_states.subscription.depth``. Incompatible QoS of other nodes is logged.
    The function `failed` is called with the traceback of a callback's error. While `is_active`
    returns false, messages are dropped and timers do nothing; without it, a node is always active.
    """

    def __init__(self, node: Node, failed: Callable[[str], None],
                 is_active: Callable[[], bool] | None = None) -> None:
        self.node, self._failed, self._is_active = node, failed, is_active
        self._mismatch = QosMismatch(node)
        self._others = {id(entity) for entities in (
            node.publishers, node.subscriptions, node.services, node.timers)
            for entity in entities}

    def destroy(self) -> None:
        """Destroy every entity that was created since this object was."""
        for kind, destroy in (('publishers', self.node.destroy_publisher),
                              ('subscriptions', self.node.destroy_subscription),
                              ('services', self.node.destroy_service),
                              ('timers', self.node.destroy_timer)):
            for entity in list(getattr(self.node, kind)):
                if id(entity) not in self._others:
                    destroy(entity)

    def guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """Return a callback whose errors do not end the node."""
        return barrier(self.node, callback, self._failed)

    def timer(self, period: float, callback: Callable[[], None]) -> None:
        """Call a callback every `period` [s] of the machine's steady clock."""
        steady_timer(self.node, period, self.guarded(self._while_active(callback)))

    def service(self, kind: Any, name: str, callback: Callable[[Any, Any], None]) -> None:
        """Offer a service; the callback fills the response to a request."""
        self.node.create_service(kind, name, answering(self.node, callback, self._failed))

    def publisher(self, kind: Any, name: str, qos: QoSProfile | None = None) -> Any:
        """Return a publisher; raises a ParameterError for an unusable name or QoS override."""
        topic, own = self._resolved(name), qos or QoSProfile(depth=10)
        events = qos_events.PublisherEventCallbacks(incompatible_qos=self.guarded(
            partial(self._mismatch.of_publisher, topic, own)))
        return self._made(topic, 'publisher', events,
                          partial(self.node.create_publisher, kind, name, own))

    def subscribe(self, kind: Any, name: str, callback: Callable[..., None],
                  qos: QoSProfile, raw: bool = False, always: bool = False) -> Any:
        """
        Return a subscription, to bytes if `raw` is true; raises as `publisher` does.

        If `always` is true, messages are received while the node is not active, too.
        """
        topic = self._resolved(name)
        received = self.guarded(callback if always else self._while_active(callback))
        events = qos_events.SubscriptionEventCallbacks(incompatible_qos=self.guarded(
            partial(self._mismatch.of_subscription, topic, qos)))
        return self._made(topic, 'subscription', events, partial(
            self.node.create_subscription, kind, name, received, qos, raw=raw))

    def publishers(self, topic: str) -> list[str]:
        """Return the publishers of a topic, with reliability and durability."""
        return [f'{_node_of(end)} '
                f'({end.qos_profile.reliability.name}, {end.qos_profile.durability.name})'
                for end in self.node.get_publishers_info_by_topic(
                    self.node.resolve_topic_name(topic))]

    def published(self, topic: str) -> str:
        """Return the resolved name of a topic and its publishers, for a line of the log."""
        return (f'{self.node.resolve_topic_name(topic)}, published by '
                f'{", ".join(self.publishers(topic)) or "no node"}')

    def _while_active(self, callback: Callable[..., None]) -> Callable[..., None]:
        is_active = self._is_active
        if is_active is None:
            return callback

        @wraps(callback)
        def called(*arguments: Any) -> None:
            if is_active():
                callback(*arguments)

        return called

    def _resolved(self, name: str) -> str:
        try:
            validate_topic_name(name)
        except InvalidTopicNameException as error:
            raise ParameterError(f'{name!r} is no name of a topic: {error}') from None
        return str(self.node.resolve_topic_name(name))

    def _made(self, topic: str, end: str, events: Any, make: Callable[..., Any]) -> Any:
        overriding = QoSOverridingOptions(_OVERRIDABLE)
        try:
            try:
                return make(event_callbacks=events, qos_overriding_options=overriding)
            # some RMWs have no such events: Humble raises
            except qos_events.UnsupportedEventTypeError:
                return make(qos_overriding_options=overriding)
        except Exception as error:  # rclpy has several kinds for a bad value
            raise ParameterError(f'no {end} for {topic}, the parameters qos_overrides.{topic}.'
                                 f'{end}.* are unusable: {error}') from error


def _node_of(end: Any) -> str:
    """Return the name of a publisher's node, or that it is not known yet."""
    if end.node_name == _UNKNOWN:
        return 'a node whose name is not discovered yet'
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'
