"""Gravity: its default, and the parameter that sets it."""

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.parameters.parameter import Parameter

GRAVITY: Triple = (0.0, 0.0, -9.81)
GRAVITY_PARAMETER = Parameter('gravity', GRAVITY, 'Gravity in the root frame.', unit='m/s^2',
                              minimum=-1000.0, maximum=1000.0)


def checked_gravity(gravity: ArrayLike) -> Triple:
    """Return three numbers as they are, or raise a ParameterError."""
    vector: Triple = GRAVITY_PARAMETER.check(gravity)
    return vector
