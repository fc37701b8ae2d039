"""The table of motions: a new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urdf2dyn_ros.robot_model import Limits
from urdf2dyn_ros.trajectories.cubic import CubicTrajectory
from urdf2dyn_ros.trajectories.fourier import FourierTrajectory
from urdf2dyn_ros.trajectories.minimum_jerk import MinimumJerkTrajectory
from urdf2dyn_ros.trajectories.smooth import SmoothTrajectory
from urdf2dyn_ros.trajectories.trajectory import Trajectory

TRAJECTORIES: dict[str, Callable[[Sequence[str], Sequence[Limits], float], Trajectory]] = {
    'smooth': SmoothTrajectory,
    'cubic': CubicTrajectory,
    'fourier': FourierTrajectory,
    'minimum_jerk': MinimumJerkTrajectory,
}
"""By types (n,) and limits (n,) of the joints, and the duration [s]."""
