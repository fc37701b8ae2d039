"""What a base sensor measures at one instant, and shortly after it."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.vectors import cross


class SensorState(NamedTuple):
    """Filtered velocities with their derivatives, and the part that is not filtered."""

    velocities: Array   # (k,), angular first [rad/s or m/s]
    accelerations: Array   # (k,), their derivatives
    jerks: Array   # (k,), the second ones
    unfiltered: Array   # (3,), specific force or gravity [m/s^2], in the sensor's axes

    def after(self, h: float) -> 'SensorState':
        """
        Return the state h [s] later, with constant jerks.

        What is not filtered is constant in the axes of the world: in those of the sensor, which
        rotate by the angle a, it is u - a x u + a x (a x u) / 2.
        """
        velocities, accelerations, jerks, unfiltered = self
        angle = h * (velocities + h / 2.0 * (accelerations + h / 3.0 * jerks))
        a_x, a_y, a_z = angle[:3].tolist()
        u_x, u_y, u_z = unfiltered.tolist()
        first = cross((a_x, a_y, a_z), (u_x, u_y, u_z))
        second = cross((a_x, a_y, a_z), first)
        return SensorState(velocities + h * (accelerations + h / 2.0 * jerks),
                           accelerations + h * jerks, jerks,
                           unfiltered - np.array(first) + 0.5 * np.array(second))
