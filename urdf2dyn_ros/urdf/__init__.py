"""From URDF text to a RobotModel: the reader and its table of rules."""

from urdf2dyn_ros.urdf.reader import read_description
from urdf2dyn_ros.urdf.sources import UrdfSource, read_urdf

__all__ = ['UrdfSource', 'read_description', 'read_urdf']
