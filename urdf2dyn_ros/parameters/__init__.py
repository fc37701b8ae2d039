"""Tables of parameters: rows with their rules, and families of rows for joints or links."""

from urdf2dyn_ros.parameters.parameter import Parameter, check_all, group

__all__ = ['Parameter', 'check_all', 'group']
