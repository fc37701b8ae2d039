"""How a moving base is measured: one file each, and one line each in the table."""

from urdf2dyn_ros.moving_base.imu import Imu
from urdf2dyn_ros.moving_base.moving_base import MovingBase
from urdf2dyn_ros.moving_base.odometry import Odometry

BASES: dict[str, type[MovingBase]] = {
    'imu': Imu,
    'odometry': Odometry,
}
"""Classes by the name of the sensor; a robot whose base is fixed needs none."""

__all__ = ['BASES', 'MovingBase']
