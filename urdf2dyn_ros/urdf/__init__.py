"""From URDF text to a RobotModel: the reader and its table of rules."""

from urdf2dyn_ros.urdf.reader import read_urdf

__all__ = ['read_urdf']
