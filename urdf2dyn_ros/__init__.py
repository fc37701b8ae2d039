"""Inverse dynamics of any robot from its URDF: efforts online, and the equations as text."""

from urdf2dyn_ros.errors import Problem, Urdf2DynError, UrdfError
from urdf2dyn_ros.export import export_model
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf import read_urdf
from urdf2dyn_ros.version import __version__

__all__ = [
    'InverseDynamics',
    'Problem',
    'RobotModel',
    'Urdf2DynError',
    'UrdfError',
    '__version__',
    'export_model',
    'read_urdf',
]
