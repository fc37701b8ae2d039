"""The table of motions: a new one is a file and a line here."""

from urdf2dyn_ros.trajectories.fourier import FourierTrajectory
from urdf2dyn_ros.trajectories.point_to_point import Cubic, MinimumJerk
from urdf2dyn_ros.trajectories.smooth import SmoothTrajectory
from urdf2dyn_ros.trajectories.trajectory import PlannedTrajectory

TRAJECTORIES: dict[str, type[PlannedTrajectory]] = {
    'smooth': SmoothTrajectory,
    'cubic': Cubic,
    'fourier': FourierTrajectory,
    'minimum_jerk': MinimumJerk,
}
