"""An inertial measurement unit on any link: it measures what the forward sweep begins with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.moving_base.moving_base import MovingBase


class Imu(MovingBase):
    """
    Angular velocity and specific force, as sensor_msgs/Imu has them; its orientation is not used.

    The angular acceleration is the derivative of the angular velocity. The parameters are those
    of `MovingBase`; gravity is in the specific force already.

    """

    CHANNELS = 3

    def receive(self, stamp: int, frame: str, angular_velocity: Sequence[float],
                linear_acceleration: Sequence[float],
                covariances: Sequence[float] = (0.0, 0.0)) -> str:
        """
        Take the fields of one message; return its outcome, a key of ``OUTCOMES``.

        Parameters
        ----------
        stamp : int
            [ns].
        frame : str
            Name of the link that the sensor is on; its frame is the sensor's.
        angular_velocity : sequence of float, (3,)
            [rad/s], in that frame.
        linear_acceleration : sequence of float, (3,)
            Of the frame's origin, minus gravity [m/s^2], in that frame: 9.81 upwards at rest.
        covariances : sequence of float, (2,)
            First entries of those of both; -1 says that there is no such measurement.

        """
        return self._receive(stamp, frame, covariances, angular_velocity, linear_acceleration)

    def _checked(self, rest: Array) -> Array:
        return rest

    def _motion(self, velocities: Array, derivatives: Array, beside: Array) -> Array:
        return np.concatenate((velocities, derivatives, beside))
