"""URDF text to RobotModel: the reader and its rule table."""

from urdf2dyn_ros.urdf.reader import read_urdf

__all__ = ['read_urdf']
