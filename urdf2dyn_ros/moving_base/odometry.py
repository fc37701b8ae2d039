"""Odometry of any link: orientation and twist; accelerations are estimated."""

import math
from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.vectors import add, cross, scale
from urdf2dyn_ros.moving_base.moving_base import MovingBase
from urdf2dyn_ros.moving_base.sensor_state import SensorState

QUATERNION_TOLERANCE = 1e-2
"""Largest difference of the length of a quaternion from 1."""


class Odometry(MovingBase):
    """
    Orientation and twist of nav_msgs/Odometry; its position is not used.

    Both accelerations are derivatives of the twist: that of the origin is vd + w x v, because the
    axes of the twist rotate. The orientation rotates gravity into the link's frame; a heading that
    drifts or jumps has no effect as long as gravity is vertical. The parameters are those of
    `MovingBase`.
    """

    CHANNELS = 6

    def receive(self, stamp: int, frame: str, orientation: Sequence[float],
                linear: Sequence[float], angular: Sequence[float],
                covariances: Sequence[float] = (0.0, 0.0)) -> str:
        """
        Add the fields of one message as `MovingBase` describes them.

        `frame` is its child_frame_id, the orientation the quaternion x, y, z, w (4,) of that link
        in the world's frame, header.frame_id; velocity of its origin [m/s] and angular velocity
        [rad/s], (3,) each, are relative to the world, in its own axes. The covariances are those
        of pose and twist.
        """
        return self._receive(stamp, frame, covariances, (*angular, *linear), orientation)

    def unfiltered_part(self, rest: Array) -> Array | None:
        """Return gravity in the link's frame [m/s^2]."""
        length = math.hypot(*rest)
        if abs(length - 1.0) > QUATERNION_TOLERANCE:
            return None
        x, y, z, s = (rest / length).tolist()
        # by the conjugate quaternion, into the link's frame
        twice = cross(scale(2.0, self._gravity), (x, y, z))
        return np.array(add(self._gravity, add(scale(s, twice), cross(twice, (x, y, z)))))

    def sensor_motion(self, state: SensorState) -> Array:
        w_x, w_y, w_z, *v = state.velocities.tolist()
        coriolis = cross((w_x, w_y, w_z), (v[0], v[1], v[2]))
        acceleration = state.accelerations[3:] + coriolis - state.unfiltered
        return np.concatenate((state.velocities[:3], state.accelerations[:3], acceleration))
