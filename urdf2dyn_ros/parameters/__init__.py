"""Tables of parameters: what a row is, and families of rows with names of their own."""

from urdf2dyn_ros.parameters.parameter import Parameter, check_all, group

__all__ = ['Parameter', 'check_all', 'group']
