"""
The part of URDF that dynamics needs, as tables.

All other elements (visual, collision, gazebo, ros2_control, unknown ones) are ignored.
Transmissions, for which no robot is rejected, are read in `transmissions`. ``<force>``, a constant
wrench on a link, is an extension of URDF.
"""

from urdf2dyn_ros.algebra.vectors import TENSOR

TENSOR_ATTRIBUTES = tuple(f'i{entry}' for entry in TENSOR)

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'planar', 'floating')
AXIAL_TYPES = ('revolute', 'continuous', 'prismatic', 'planar')
MOVING_TYPES = (*AXIAL_TYPES, 'floating')
MULTI_DOF_TYPES = ('planar', 'floating')

CHILDREN = {
    'robot': ('link', 'joint', 'force'),
    'link': ('inertial',),
    'inertial': ('origin', 'mass', 'inertia'),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'),
}
"""Children by tag; each may occur once in its parent, except for those of the robot."""

REQUIRED_CHILDREN = {'inertial': ('mass', 'inertia'), 'joint': ('parent', 'child')}

_REFERENCES = {'parent': ('link',), 'child': ('link',), 'mimic': ('joint',), 'force': ('link',)}

NAME_ATTRIBUTES = {
    'robot': ('name',), 'link': ('name',), 'joint': ('name', 'type'), **_REFERENCES}

NUMBER_ATTRIBUTES = {
    'origin': {'xyz': 3, 'rpy': 3},
    'mass': {'value': 1},
    'inertia': dict.fromkeys(TENSOR_ATTRIBUTES, 1),
    'axis': {'xyz': 3},
    'limit': {'lower': 1, 'upper': 1, 'effort': 1, 'velocity': 1},
    'dynamics': {'damping': 1, 'friction': 1},
    'mimic': {'multiplier': 1, 'offset': 1},
    'force': {'xyz': 3, 'rpy': 3, 'force': 3, 'torque': 3},
}
"""Numeric attributes by tag, with the count of their numbers."""

REQUIRED_ATTRIBUTES = {
    'joint': ('type',), 'mass': ('value',), 'inertia': TENSOR_ATTRIBUTES, 'axis': ('xyz',),
    **_REFERENCES}


def attributes(tag: str) -> tuple[str, ...]:
    return (*NAME_ATTRIBUTES.get(tag, ()), *NUMBER_ATTRIBUTES.get(tag, ()))
