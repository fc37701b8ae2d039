"""Conversions between ROS messages and plain values."""

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3

from urdf2dyn_ros.health import Status
from urdf2dyn_ros.stamps import SECOND_NS


def nanoseconds(stamp: Time) -> int:
    return int(stamp.sec) * SECOND_NS + int(stamp.nanosec)


def time_message(stamp: int) -> Time:
    return Time(sec=stamp // SECOND_NS, nanosec=stamp % SECOND_NS)


def triple(vector: Vector3) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def diagnostic_status(status: Status, node: str, robot: str) -> DiagnosticStatus:
    """Return the status of a part of a node as a message."""
    return DiagnosticStatus(
        level=bytes([status.level]), name=f'{node}: {status.part}', message=status.message,
        hardware_id=robot,
        values=[KeyValue(key=key, value=value) for key, value in status.values.items()])
