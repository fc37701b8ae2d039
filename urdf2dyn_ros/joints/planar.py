"""URDF planar: two prismatic joints in the plane, then a continuous one about its normal."""

from __future__ import annotations

from urdf2dyn_ros.algebra.frames import aligned
from urdf2dyn_ros.joints.parts import Part
from urdf2dyn_ros.robot_model import Joint


def planar_parts(joint: Joint) -> tuple[Part, ...]:
    """Return x, y, theta; for the normal z, x and y are those of the joint's frame."""
    x, y, normal = zip(*aligned(joint.axis))
    return (Part(f'{joint.name}/x', 'prismatic', x),
            Part(f'{joint.name}/y', 'prismatic', y),
            Part(f'{joint.name}/theta', 'continuous', normal))
