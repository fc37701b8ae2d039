"""The table of motions: a new one is a file and a line here."""

from __future__ import annotations

from urdf2dyn_ros.trajectories.cubic import CubicTrajectory
from urdf2dyn_ros.trajectories.fourier import FourierTrajectory
from urdf2dyn_ros.trajectories.minimum_jerk import MinimumJerkTrajectory
from urdf2dyn_ros.trajectories.smooth import SmoothTrajectory
from urdf2dyn_ros.trajectories.trajectory import PlannedTrajectory

TRAJECTORIES: dict[str, type[PlannedTrajectory]] = {
    'smooth': SmoothTrajectory,
    'cubic': CubicTrajectory,
    'fourier': FourierTrajectory,
    'minimum_jerk': MinimumJerkTrajectory,
}
