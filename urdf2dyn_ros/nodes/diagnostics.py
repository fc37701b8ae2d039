"""A status of the package as a message of diagnostic_msgs."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from urdf2dyn_ros.health import Status


def diagnostic_status(status: Status, node: str, robot: str) -> DiagnosticStatus:
    """Return the status of a part of a node as a message."""
    return DiagnosticStatus(
        level=bytes([status.level]), name=f'{node}: {status.part}', message=status.message,
        hardware_id=robot,
        values=[KeyValue(key=key, value=value) for key, value in status.values.items()])
