"""The six geometric parameters of Khalil and Kleinfinger, and the transform they stand for."""

import math
from typing import NamedTuple

from urdf2dyn_ros.algebra.frames import composed, from_rpy
from urdf2dyn_ros.algebra.vectors import Matrix, Vector
from urdf2dyn_ros.equations.simplification.turned_frames import zxz


class SixParameters(NamedTuple):
    """
    A transform from frame to frame: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).

    Angles [rad], lengths [m]. In a serial robot gamma and b are zero.
    """

    gamma: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    r: float = 0.0

    @property
    def parallel(self) -> bool:
        """Whether both z axes have the same or opposite directions."""
        return self.alpha in (0.0, math.pi, -math.pi)


def six_parameters(R: Matrix, p: Vector) -> SixParameters:
    """Return the parameters of the transform with rotation R and translation p [m]."""
    gamma, alpha, theta = zxz(R)
    x, y, z = p
    if alpha in (0.0, math.pi):
        # both rotations are about one line: gamma points to the other axis
        sign = math.cos(alpha)
        gamma = math.atan2(y, x) if (x, y) != (0.0, 0.0) else 0.0
        return SixParameters(gamma, 0.0, alpha, math.hypot(x, y), theta - sign * gamma, sign * z)
    across = math.cos(gamma) * y - math.sin(gamma) * x
    r = -across / math.sin(alpha)
    return SixParameters(gamma, z - r * math.cos(alpha), alpha,
                         math.cos(gamma) * x + math.sin(gamma) * y, theta, r)


def transform(six: SixParameters) -> tuple[Matrix, Vector]:
    """Return rotation and translation [m] of parameters."""
    R_gamma, R_alpha, R_theta = (from_rpy(angles) for angles in (
        (0.0, 0.0, six.gamma), (six.alpha, 0.0, 0.0), (0.0, 0.0, six.theta)))
    R = composed(R_gamma, R_alpha)
    return composed(R, R_theta), (
        R_gamma[0][0] * six.d + R[0][2] * six.r,
        R_gamma[1][0] * six.d + R[1][2] * six.r,
        six.b + R[2][2] * six.r)


def roll_pitch_yaw(R: Matrix) -> tuple[float, float, float]:
    """Return URDF's roll, pitch, yaw [rad] of a rotation, exact at a pitch of 90 degrees too."""
    yaw = math.atan2(R[1][0], R[0][0])
    c, s = math.cos(yaw), math.sin(yaw)
    # Rz(-yaw) R = Ry(pitch) Rx(roll)
    pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw
