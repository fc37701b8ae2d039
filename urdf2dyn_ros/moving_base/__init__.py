"""How a moving base is measured: one file each, and one line each in the table."""

from urdf2dyn_ros.moving_base.imu import Imu
from urdf2dyn_ros.moving_base.moving_base import MovingBase
from urdf2dyn_ros.moving_base.odometry import Odometry
from urdf2dyn_ros.parameters import Parameter

BASE_SENSORS: dict[str, type[MovingBase]] = {
    'imu': Imu,
    'odometry': Odometry,
}
"""Classes by the name of the sensor; a robot whose base is fixed needs none."""

BASE_PARAMETER = Parameter(
    'base', 'auto', 'Whether the root of the robot moves, and how that is measured: imu (the '
    'topic imu, of a sensor on any link) or odometry (the topic odometry, of any link); auto: imu '
    'if the root has a floating joint, else fixed.', choices=('auto', 'fixed', *BASE_SENSORS))

__all__ = ['BASE_PARAMETER', 'BASE_SENSORS', 'MovingBase']
