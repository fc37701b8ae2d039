"""URDF floating, away from the root: three prismatic joints, then three revolute ones."""

from __future__ import annotations

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.joints.parts import Part
from urdf2dyn_ros.robot_model import Joint

_AXES: tuple[tuple[str, Triple], ...] = (
    ('x', (1.0, 0.0, 0.0)), ('y', (0.0, 1.0, 0.0)), ('z', (0.0, 0.0, 1.0)))


def floating_parts(joint: Joint) -> tuple[Part, ...]:
    """Return trans_x, trans_y, trans_z, rot_x, rot_y, rot_z, in this order from the parent."""
    slides = (Part(f'{joint.name}/trans_{x}', 'prismatic', axis) for x, axis in _AXES)
    turns = (Part(f'{joint.name}/rot_{x}', 'revolute', axis) for x, axis in _AXES)
    return (*slides, *turns)
