"""Between ROS messages and plain numbers."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joint_states.serialized import JointStateTemplate
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.stream.output import Output


def nanoseconds(stamp: Time) -> int:
    """Return a stamp in [ns]."""
    return int(stamp.sec) * SECOND_NS + int(stamp.nanosec)


def time(stamp: int) -> Time:
    """Return a stamp of [ns] as a message."""
    return Time(sec=stamp // SECOND_NS, nanosec=stamp % SECOND_NS)


def triple(vector: Vector3) -> tuple[float, float, float]:
    """Return the entries of a vector."""
    return vector.x, vector.y, vector.z


class JointStateFields:
    """
    Messages of always the same joints: the bytes of one, filled again and again.

    Making a message and having rclpy serialize it takes longer. Where the middleware writes other
    bytes than those of plain CDR, a message is filled.

    Parameters
    ----------
    names : sequence of str, (n,)
    frame : str
        RViz's Effort display leaves out messages without a frame; any of the robot's will do.

    """

    def __init__(self, names: Sequence[str], frame: str) -> None:
        probe = array('d', range(1, len(names) + 1))
        self._message = JointState(name=names, position=probe, velocity=probe, effort=probe)
        self._message.header.frame_id = frame
        self._message.header.stamp = time(SECOND_NS + 1)
        self._template = self._tried()

    def _tried(self) -> JointStateTemplate | None:
        """Return what fills the bytes, if rclpy reads in them what has been filled in."""
        expected, joints = self._message, len(self._message.name)
        try:
            template = JointStateTemplate(serialize_message(JointState(
                header=Header(frame_id=expected.header.frame_id), name=expected.name,
                position=[0.0] * joints, velocity=[0.0] * joints, effort=[0.0] * joints)), joints)
            found = deserialize_message(template.filled(SECOND_NS + 1, *(
                np.asarray(field) for field in (expected.position, expected.velocity,
                                                expected.effort))), JointState)
        except (RuntimeError, ValueError, struct.error):   # its places are not in there
            return None
        return template if found == expected else None

    def filled(self, output: Output, effort: Array) -> bytes | JointState:
        """Return positions, velocities and efforts (n,), for rclpy to publish at once."""
        if self._template is not None:
            return self._template.filled(output.stamp, output.q, output.qd, effort)
        message = self._message
        message.header.stamp = time(output.stamp)
        message.position, message.velocity, message.effort = (
            array('d', values.tobytes()) for values in (output.q, output.qd, effort))
        return message


def state_message(output: Output, names: Sequence[str]) -> JointTrajectory:
    """Return positions, velocities, accelerations and efforts as a trajectory of one point."""
    message = JointTrajectory()
    message.header.stamp = time(output.stamp)
    message.joint_names = names
    message.points = [JointTrajectoryPoint(
        positions=output.q.tolist(), velocities=output.qd.tolist(),
        accelerations=output.qdd.tolist(), effort=output.effort.tolist())]
    return message
