"""
QoS profiles, and log lines about publishers and subscribers whose QoS is incompatible with them.

Each call returns a new profile: rclpy writes overrides into it.
"""

from collections.abc import Iterable
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy

_WEAK_POLICIES = {'reliability': ReliabilityPolicy.BEST_EFFORT,
                  'durability': DurabilityPolicy.VOLATILE}
"""Values of an offered policy that are incompatible with a request for the other value."""

_NOT_RECEIVED = ('nothing is received from a publisher of {topic}: it offers less {policy} than '
                 'this node requests; publish with {policy} {own}')
_NOT_DELIVERED = ('a subscriber of {topic} receives nothing: it requests more {policy} than this '
                  'node offers; subscribe with {policy} {own}')


def latched() -> QoSProfile:
    """Return the profile of a topic whose last message also reaches later subscribers."""
    return QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def best_effort(depth: int) -> QoSProfile:
    """Return the profile of a subscription that any publisher is compatible with."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)


class QosMismatch:
    """Logs incompatible QoS of other nodes, once for each topic and policy."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._logged: set[tuple[str, str]] = set()

    def of_publisher(self, topic: str, own: QoSProfile, event: Any) -> None:
        """Log the policies for which subscribers of a topic receive nothing of this node."""
        self._log(_NOT_DELIVERED, topic, 'publisher', own, event, [
            policy for end in self._node.get_subscriptions_info_by_topic(topic)
            for policy in _incompatible(own, end.qos_profile)])

    def of_subscription(self, topic: str, own: QoSProfile, event: Any) -> None:
        """Log the policies for which this node receives nothing of publishers of a topic."""
        self._log(_NOT_RECEIVED, topic, 'subscription', own, event, [
            policy for end in self._node.get_publishers_info_by_topic(topic)
            for policy in _incompatible(end.qos_profile, own)])

    def _log(self, text: str, topic: str, end: str, own: QoSProfile, event: Any,
             policies: list[str]) -> None:
        # the event names only the last policy, of several that may be incompatible
        last = QoSPolicyKind(event.last_policy_kind).name.lower()
        for policy in dict.fromkeys([*policies, last]):
            if policy != 'invalid' and (topic, policy) not in self._logged:
                self._logged.add((topic, policy))
                value = getattr(getattr(own, policy, None), 'name', 'as this node does')
                self._node.get_logger().warning(
                    text.format(topic=topic, policy=policy, own=value) + ', or start this node '
                    f'with another qos_overrides.{topic}.{end}.{policy}')


def _incompatible(offered: QoSProfile, requested: QoSProfile) -> Iterable[str]:
    return (policy for policy, weak in _WEAK_POLICIES.items()
            if getattr(offered, policy) == weak != getattr(requested, policy))
