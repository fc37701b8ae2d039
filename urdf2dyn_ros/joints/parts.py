"""Coordinates of a URDF joint: one for most types, several for planar and floating."""

from typing import NamedTuple

from urdf2dyn_ros.algebra.frames import aligned
from urdf2dyn_ros.algebra.vectors import AXES, IDENTITY, Triple
from urdf2dyn_ros.robot_model import Joint


class Part(NamedTuple):
    """
    One coordinate of a joint, along or about a unit vector in the frame of the URDF joint.

    Positions and efforts are exchanged under its name; its type is a key of JOINTS.
    """

    name: str
    type: str
    axis: Triple


def single(joint: Joint) -> tuple[Part, ...]:
    """Return the joint itself: one coordinate, its own name."""
    return (Part(joint.name, joint.type, joint.axis),)


def planar_parts(joint: Joint) -> tuple[Part, ...]:
    """
    Return two prismatic joints in the plane, x and y, then a continuous one about its normal.

    For the normal z, x and y are those of the joint's frame.
    """
    x, y, normal = zip(*aligned(joint.axis))
    return (Part(f'{joint.name}/x', 'prismatic', x),
            Part(f'{joint.name}/y', 'prismatic', y),
            Part(f'{joint.name}/theta', 'continuous', normal))


def floating_parts(joint: Joint) -> tuple[Part, ...]:
    """Return three prismatic joints, then three revolute ones: away from the root alone."""
    return tuple(Part(f'{joint.name}/{motion}_{x}', kind, axis)
                 for motion, kind in (('trans', 'prismatic'), ('rot', 'revolute'))
                 for x, axis in zip(AXES, IDENTITY))
