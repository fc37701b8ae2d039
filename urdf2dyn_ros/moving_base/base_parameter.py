"""The parameter `base`: whether the root moves, and which sensor measures it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from urdf2dyn_ros.moving_base import BASES
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.parameters import Parameter

BASE_PARAMETER = Parameter(
    'base', 'auto', 'Whether the root of the robot moves, and how that is measured: imu (the '
    'topic imu, of a sensor on any link) or odometry (the topic odometry, of any link); auto: imu '
    'if the root has a floating joint, else fixed.', choices=('auto', 'fixed', *BASES))


def sensor(values: Mapping[str, Any], system: Multibody) -> str:
    """Return the sensor of the motion of the root, a key of BASES; empty if the base is fixed."""
    chosen: str = values['base']
    if chosen == 'auto':
        chosen = 'imu' if system.floating else 'fixed'
    return '' if chosen == 'fixed' else chosen
