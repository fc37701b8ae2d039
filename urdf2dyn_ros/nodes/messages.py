"""Conversions between ROS messages and plain values."""

import struct
from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3, WrenchStamped
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from urdf2dyn_ros.estimation.messages import JointStateTemplate
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, Status


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


# ---- The messages that the node publishes for an output

class JointStateFields:
    """
    JointState messages of always the same joints: the bytes of one, filled again and again.

    To make a message and have rclpy serialize it takes longer. Where the middleware writes other
    bytes than those of plain CDR, a message is filled. The frame is any one of the robot: RViz's
    Effort display omits messages without one.
    """

    def __init__(self, names: Sequence[str], frame: str) -> None:
        probe = array('d', range(1, len(names) + 1))
        self._message = JointState(name=names, position=probe, velocity=probe, effort=probe)
        self._message.header.frame_id = frame
        self._message.header.stamp = time_message(SECOND_NS + 1)
        self._template = self._tried()

    def _tried(self) -> JointStateTemplate | None:
        """Return a template of the bytes, if rclpy reads from them the values filled in."""
        expected, joints = self._message, len(self._message.name)
        try:
            template = JointStateTemplate(serialize_message(JointState(
                header=Header(frame_id=expected.header.frame_id), name=expected.name,
                position=[0.0] * joints, velocity=[0.0] * joints, effort=[0.0] * joints)), joints)
            read = deserialize_message(template.filled(SECOND_NS + 1, *(
                np.asarray(field) for field in (expected.position, expected.velocity,
                                                expected.effort))), JointState)
        except (RuntimeError, ValueError, struct.error):   # the bytes have another layout
            return None
        return template if read == expected else None

    def filled(self, output: Output, effort: Array) -> bytes | JointState:
        """Return positions, velocities and efforts (n,), for rclpy to publish at once."""
        if self._template is not None:
            return self._template.filled(output.stamp, output.q, output.qd, effort)
        message = self._message
        message.header.stamp = time_message(output.stamp)
        message.position, message.velocity, message.effort = (
            array('d', values.tobytes()) for values in (output.q, output.qd, effort))
        return message


def filled_wrench(message: WrenchStamped, stamp: int, frame: str, wrench: Array) -> WrenchStamped:
    """Return a message filled with force and moment (6,), as making another one takes longer."""
    force, torque = message.wrench.force, message.wrench.torque
    message.header.stamp, message.header.frame_id = time_message(stamp), frame
    force.x, force.y, force.z, torque.x, torque.y, torque.z = wrench.tolist()
    return message


def state_message(output: Output, names: Sequence[str]) -> JointTrajectory:
    """Return positions, velocities, accelerations and efforts as a trajectory of one point."""
    message = JointTrajectory()
    message.header.stamp = time_message(output.stamp)
    message.joint_names = names
    message.points = [JointTrajectoryPoint(
        positions=output.q.tolist(), velocities=output.qd.tolist(),
        accelerations=output.qdd.tolist(), effort=output.effort.tolist())]
    return message
