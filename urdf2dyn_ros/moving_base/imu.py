"""An inertial measurement unit on any link."""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.moving_base.moving_base import MovingBase
from urdf2dyn_ros.moving_base.sensor_state import SensorState


class Imu(MovingBase):
    """
    Angular velocity and specific force of sensor_msgs/Imu; its orientation is not used.

    The angular acceleration is the derivative of the angular velocity. The specific force includes
    gravity. The parameters are those of `MovingBase`.
    """

    CHANNELS = 3

    def receive(self, stamp: int, frame: str, angular_velocity: Sequence[float],
                linear_acceleration: Sequence[float],
                covariances: Sequence[float] = (0.0, 0.0)) -> str:
        """
        Add the fields of one message as `MovingBase` describes them.

        Angular velocity [rad/s] and linear acceleration [m/s^2], (3,) each, are in the frame of
        the sensor; the latter is that of its origin minus gravity: 9.81 upwards at rest. The
        covariances are those of both.
        """
        return self._receive(stamp, frame, covariances, angular_velocity, linear_acceleration)

    def unfiltered_part(self, rest: Array) -> Array:
        """Return the specific force [m/s^2]."""
        return rest

    def sensor_motion(self, state: SensorState) -> Array:
        return np.concatenate((state.velocities, state.accelerations, state.unfiltered))
