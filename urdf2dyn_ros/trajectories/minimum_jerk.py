"""The motion `minimum_jerk`: from point to point like a human hand (Flash and Hogan, 1985)."""

from __future__ import annotations

from urdf2dyn_ros.trajectories.point_to_point import PointToPoint


class MinimumJerkTrajectory(PointToPoint):
    """Polynomials of degree 5: accelerations are continuous, and zero at every point."""

    PEAK = 1.875

    @staticmethod
    def _profile(x: float) -> tuple[float, float, float]:
        return (x**3 * (10.0 - 15.0 * x + 6.0 * x * x), 30.0 * (x * (1.0 - x))**2,
                60.0 * x * (1.0 - x) * (1.0 - 2.0 * x))
