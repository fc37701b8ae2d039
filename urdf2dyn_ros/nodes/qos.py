"""The QoS profiles that several nodes use, each call a new one: rclpy writes overrides into it."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def latched() -> QoSProfile:
    """Return the profile of a topic whose last message also reaches later subscribers."""
    return QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def best_effort(depth: int) -> QoSProfile:
    """Return the profile of a subscription that any publisher is compatible with."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)
