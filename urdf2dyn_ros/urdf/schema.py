"""
The part of URDF that dynamics needs, as tables.

Whatever is not in them (visual, collision, gazebo, ros2_control, anything unknown) is never
looked at; transmissions, which can refuse no robot, have a file of their own. ``<force>``, a
constant wrench on a link, is an extension of URDF.

"""

from __future__ import annotations

TENSOR = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'planar', 'floating')
# Types whose axis has a meaning, and types that move at all.
AXIAL_TYPES = ('revolute', 'continuous', 'prismatic', 'planar')
MOVING_TYPES = (*AXIAL_TYPES, 'floating')
MULTI_DOF_TYPES = ('planar', 'floating')

# Children that matter, by tag; each may stand once in its parent, links and joints apart.
CHILDREN = {
    'robot': ('link', 'joint', 'force'),
    'link': ('inertial',),
    'inertial': ('origin', 'mass', 'inertia'),
    'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic'),
}
REQUIRED_CHILDREN = {'inertial': ('mass', 'inertia'), 'joint': ('parent', 'child')}

# Attributes that hold names.
NAMES = {
    'robot': ('name',),
    'link': ('name',),
    'joint': ('name', 'type'),
    'parent': ('link',),
    'child': ('link',),
    'mimic': ('joint',),
    'force': ('link',),
}
# Attributes that hold numbers, and how many.
NUMBERS = {
    'origin': {'xyz': 3, 'rpy': 3},
    'mass': {'value': 1},
    'inertia': dict.fromkeys(TENSOR, 1),
    'axis': {'xyz': 3},
    'limit': {'lower': 1, 'upper': 1, 'effort': 1, 'velocity': 1},
    'dynamics': {'damping': 1, 'friction': 1},
    'mimic': {'multiplier': 1, 'offset': 1},
    'force': {'xyz': 3, 'rpy': 3, 'force': 3, 'torque': 3},
}
REQUIRED_ATTRIBUTES = {
    'joint': ('type',),
    'mass': ('value',),
    'inertia': TENSOR,
    'axis': ('xyz',),
    'parent': ('link',),
    'child': ('link',),
    'mimic': ('joint',),
    'force': ('link',),
}


def attributes(tag: str) -> tuple[str, ...]:
    """Names of the attributes that matter."""
    return (*NAMES.get(tag, ()), *NUMBERS.get(tag, ()))
