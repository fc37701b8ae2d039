"""The table of joints: a new one is a file and a line here."""

from urdf2dyn_ros.joints.joint_type import JointType
from urdf2dyn_ros.joints.parts import Part, floating_parts, planar_parts, single
from urdf2dyn_ros.joints.prismatic import PRISMATIC
from urdf2dyn_ros.joints.revolute import REVOLUTE

JOINTS: dict[str, JointType] = {
    'revolute': REVOLUTE,
    'continuous': REVOLUTE,
    'prismatic': PRISMATIC,
}
"""Type of a coordinate to what it does."""

DECOMPOSED = {
    **dict.fromkeys(JOINTS, single),
    'planar': planar_parts,
    'floating': floating_parts,
}
"""URDF joint type to its coordinates, from the parent outwards."""

__all__ = ['DECOMPOSED', 'JOINTS', 'JointType', 'Part']
