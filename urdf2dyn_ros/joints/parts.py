"""Coordinates of a URDF joint: one for most types, several where a type has more freedom."""

from __future__ import annotations

from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.robot_model import Joint


class Part(NamedTuple):
    """
    One coordinate of a joint.

    Attributes
    ----------
    name : str
        The name under which positions and efforts are exchanged.
    type : str
        A key of JOINTS.
    axis : tuple of float, (3,)
        Unit vector in the frame of the URDF joint.

    """

    name: str
    type: str
    axis: Triple


def single(joint: Joint) -> tuple[Part, ...]:
    """Return the joint itself: one coordinate, its own name."""
    return (Part(joint.name, joint.type, joint.axis),)
