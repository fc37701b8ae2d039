"""Publishers and subscriptions: overridable QoS, and words for partners that do not match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.validate_topic_name import validate_topic_name

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.nodes.barrier import barrier

try:
    from rclpy.event_handler import (
        PublisherEventCallbacks,
        SubscriptionEventCallbacks,
        UnsupportedEventTypeError,
    )
except ImportError:  # Humble
    from rclpy.qos_event import (
        PublisherEventCallbacks,
        SubscriptionEventCallbacks,
        UnsupportedEventTypeError,
    )

OVERRIDABLE = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
               QoSPolicyKind.DURABILITY)

WEAK = {'reliability': ReliabilityPolicy.BEST_EFFORT, 'durability': DurabilityPolicy.VOLATILE}
"""What gives nothing to a subscription that asks for the other value."""

UNHEARD = ('a publisher of {topic} is not heard, its {policy} is less than this node asks for: '
           'publish with {policy} {own}')
UNSERVED = ('a subscriber of {topic} gets nothing, it asks for another {policy} than this node '
            'offers: subscribe with {policy} {own}')


class Topics:
    """
    Makes a node's publishers and subscriptions.

    A user can override their QoS at the start: ``qos_overrides./joint_states.subscription.depth``.
    A partner whose QoS does not match is told of in the log, once for each topic and policy.

    Parameters
    ----------
    node : Node
    failed : callable
        Called with the traceback of a callback's error.

    """

    def __init__(self, node: Node, failed: Callable[[str], None]) -> None:
        self._node, self._failed = node, failed
        self._told: set[tuple[str, str]] = set()

    def publisher(self, kind: Any, name: str, depth: int = 10,
                  durability: DurabilityPolicy = DurabilityPolicy.VOLATILE) -> Any:
        """Return a publisher; a ParameterError for overrides of its QoS that are unusable."""
        topic, qos = self._resolved(name), QoSProfile(depth=depth, durability=durability)

        def unserved(event: Any) -> None:
            asked = _profiles(self._node.get_subscriptions_info_by_topic(topic))
            self._tell(UNSERVED, topic, 'publisher', qos, event, [
                policy for policy in WEAK if any(_lacks(policy, qos, other) for other in asked)])

        events = PublisherEventCallbacks(
            incompatible_qos=barrier(self._node, unserved, self._failed))
        return self._made(topic, 'publisher', events, lambda **options: (
            self._node.create_publisher(kind, name, qos, **options)))

    def subscribe(self, kind: Any, name: str, callback: Callable[[Any], None],
                  qos: QoSProfile, raw: bool = False) -> Any:
        """
        Return a subscription, to bytes if `raw` is true.

        Raises
        ------
        ParameterError
            For a name or overrides that are unusable.

        """
        topic = self._resolved(name)

        def unheard(event: Any) -> None:
            offered = _profiles(self._node.get_publishers_info_by_topic(topic))
            self._tell(UNHEARD, topic, 'subscription', qos, event, [
                policy for policy in WEAK if any(_lacks(policy, other, qos) for other in offered)])

        events = SubscriptionEventCallbacks(
            incompatible_qos=barrier(self._node, unheard, self._failed))
        return self._made(topic, 'subscription', events, lambda **options: (
            self._node.create_subscription(
                kind, name, barrier(self._node, callback, self._failed), qos, raw=raw,
                **options)))

    def _resolved(self, name: str) -> str:
        try:
            validate_topic_name(name)
        except InvalidTopicNameException as error:
            raise ParameterError(f'{name!r} is no name of a topic: {error}') from None
        return str(self._node.resolve_topic_name(name))

    def _made(self, topic: str, end: str, events: Any, make: Callable[..., Any]) -> Any:
        overriding = QoSOverridingOptions(OVERRIDABLE)
        try:
            try:
                return make(event_callbacks=events, qos_overriding_options=overriding)
            except UnsupportedEventTypeError:   # not every RMW tells of partners; Humble minds
                return make(qos_overriding_options=overriding)
        except Exception as error:  # rclpy has several kinds for a bad value
            raise ParameterError(f'no {end} for {topic}, the parameters qos_overrides.{topic}.'
                                 f'{end}.* are unusable: {error}') from error

    def _tell(self, text: str, topic: str, end: str, own: QoSProfile, event: Any,
              policies: list[str]) -> None:
        """Log each policy that does not match; the event has but the last of several."""
        last = QoSPolicyKind(event.last_policy_kind).name.lower()
        for policy in dict.fromkeys([*policies, last]):
            if policy != 'invalid' and (topic, policy) not in self._told:
                self._told.add((topic, policy))
                value = getattr(getattr(own, policy, None), 'name', 'as this node does')
                self._node.get_logger().warning(
                    text.format(topic=topic, policy=policy, own=value) + ', or start this node '
                    f'with another qos_overrides.{topic}.{end}.{policy}')


def _profiles(ends: list[Any]) -> list[QoSProfile]:
    return [end.qos_profile for end in ends]


def _lacks(policy: str, offered: QoSProfile, asked: QoSProfile) -> bool:
    weak = WEAK[policy]
    return bool(getattr(offered, policy) == weak != getattr(asked, policy))
