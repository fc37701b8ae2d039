"""The motion `cubic`: from point to point with the least squared acceleration."""

from __future__ import annotations

from urdf2dyn_ros.trajectories.point_to_point import PointToPoint


class CubicTrajectory(PointToPoint):
    """Polynomials of degree 3: accelerations are straight lines, and jump at the points."""

    PEAK = 1.5

    @staticmethod
    def _profile(x: float) -> tuple[float, float, float]:
        return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x
