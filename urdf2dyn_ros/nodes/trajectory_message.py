"""A trajectory_msgs/JointTrajectory as plain points."""

from __future__ import annotations

from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.trajectories.via_points import Point


def points(message: JointTrajectory) -> list[Point]:
    """Return the points of a message; efforts in them are not looked at."""
    return [Point(point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec,
                  point.positions, point.velocities, point.accelerations)
            for point in message.points]
