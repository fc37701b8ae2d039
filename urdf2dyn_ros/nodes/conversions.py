"""Conversions between ROS messages and plain numbers."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3

from urdf2dyn_ros.stamps import SECOND_NS


def nanoseconds(stamp: Time) -> int:
    """Return a stamp in [ns]."""
    return int(stamp.sec) * SECOND_NS + int(stamp.nanosec)


def time_message(stamp: int) -> Time:
    """Return a stamp [ns] as a message."""
    return Time(sec=stamp // SECOND_NS, nanosec=stamp % SECOND_NS)


def triple(vector: Vector3) -> tuple[float, float, float]:
    """Return the entries of a vector."""
    return vector.x, vector.y, vector.z
