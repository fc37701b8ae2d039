"""Between ROS messages and plain numbers."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from urdf2dyn_ros.estimators.estimate import Vector
from urdf2dyn_ros.stream.output import Output

BILLION = 1_000_000_000


def nanoseconds(stamp: Time) -> int:
    """Return a stamp in [ns]."""
    return int(stamp.sec) * BILLION + int(stamp.nanosec)


def time(stamp: int) -> Time:
    """Return a stamp of [ns] as a message."""
    return Time(sec=stamp // BILLION, nanosec=stamp % BILLION)


def triple(vector: Vector3) -> tuple[float, float, float]:
    """Return the entries of a vector."""
    return vector.x, vector.y, vector.z


class JointStateFields:
    """
    Messages of always the same joints: one that is filled again and again.

    Making a message takes longer than filling it, and publishing one copies it.

    Parameters
    ----------
    names : sequence of str, (n,)
    frame : str
        RViz's Effort display leaves out messages without a frame; any of the robot's will do.

    """

    def __init__(self, names: Sequence[str], frame: str) -> None:
        zeros = array('d', bytes(8 * len(names)))
        self._message = JointState(name=names, position=zeros, velocity=zeros, effort=zeros)
        self._message.header.frame_id = frame
        self._stamp = self._message.header.stamp
        self._q, self._qd, self._effort = (
            np.frombuffer(field) for field in (self._message.position, self._message.velocity,
                                               self._message.effort))

    def filled(self, output: Output, effort: Vector) -> JointState:
        """Return positions, velocities and efforts (n,); valid until the next call."""
        self._stamp.sec, self._stamp.nanosec = divmod(output.stamp, BILLION)
        self._q[:], self._qd[:], self._effort[:] = output.q, output.qd, effort
        return self._message


def state_message(output: Output, names: Sequence[str]) -> JointTrajectory:
    """Return positions, velocities, accelerations and efforts as a trajectory of one point."""
    message = JointTrajectory()
    message.header.stamp = time(output.stamp)
    message.joint_names = names
    message.points = [JointTrajectoryPoint(
        positions=output.q.tolist(), velocities=output.qd.tolist(),
        accelerations=output.qdd.tolist(), effort=output.effort.tolist())]
    return message
