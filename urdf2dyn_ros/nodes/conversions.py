"""Between ROS messages and plain numbers."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from urdf2dyn_ros.stream import Output

BILLION = 1_000_000_000


def nanoseconds(stamp: Time) -> int:
    """Return a stamp in [ns]."""
    return int(stamp.sec) * BILLION + int(stamp.nanosec)


def time(stamp: int) -> Time:
    """Return a stamp of [ns] as a message."""
    return Time(sec=stamp // BILLION, nanosec=stamp % BILLION)


def efforts_message(output: Output, names: Sequence[str], frame: str) -> JointState:
    """
    Return positions, velocities and the computed efforts, stamped when they belong to.

    RViz's Effort display leaves out messages without a frame; any of the robot's will do.

    """
    return _joint_state(output, names, output.effort.tolist(), frame)


def residuals_message(output: Output, names: Sequence[str], frame: str) -> JointState:
    """Return measured minus computed efforts; NaN for joints without a measured one."""
    return _joint_state(output, names, (output.measured - output.effort).tolist(), frame)


def _joint_state(output: Output, names: Sequence[str], effort: list[float],
                 frame: str) -> JointState:
    message = JointState()
    message.header.stamp = time(output.stamp)
    message.header.frame_id = frame
    message.name = names
    message.position = array('d', output.q.tolist())
    message.velocity = array('d', output.qd.tolist())
    message.effort = array('d', effort)
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
