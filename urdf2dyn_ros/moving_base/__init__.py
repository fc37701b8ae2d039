"""How a moving base is measured: one file each, and one line each in the table."""

from urdf2dyn_ros.moving_base.history import ABSENCES
from urdf2dyn_ros.moving_base.imu import Imu
from urdf2dyn_ros.moving_base.intake import EVENTS, OUTCOMES
from urdf2dyn_ros.moving_base.moving_base import MovingBase
from urdf2dyn_ros.moving_base.odometry import Odometry

BASES: dict[str, type[MovingBase]] = {
    'imu': Imu,
    'odometry': Odometry,
}
"""Name of the sensor to its class; a robot whose base is fixed needs none."""

__all__ = ['ABSENCES', 'BASES', 'EVENTS', 'OUTCOMES', 'MovingBase']
