"""The table of joints: a new one is a file and a line here."""

from types import ModuleType

from urdf2dyn_ros.joints import floating, planar, prismatic, revolute
from urdf2dyn_ros.joints.parts import Part, single

JOINTS: dict[str, ModuleType] = {
    'revolute': revolute,
    'continuous': revolute,
    'prismatic': prismatic,
}
"""What one coordinate does: UNIT, EFFORT_UNIT, VERB, rotation, displacement, forward, backward."""

DECOMPOSED = {
    'revolute': single,
    'continuous': single,
    'prismatic': single,
    'planar': planar.parts,
    'floating': floating.parts,
}
"""URDF joint type to its coordinates, from the parent outwards."""

__all__ = ['DECOMPOSED', 'JOINTS', 'Part']
