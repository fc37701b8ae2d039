"""Frames of a robot, chosen for the fewest operations whatever its inertial parameters are."""

from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.simplification.regroup import with_second_moments
from urdf2dyn_ros.equations.simplification.sliding_origins import slid_origins
from urdf2dyn_ros.equations.simplification.turned_frames import turned_frames
from urdf2dyn_ros.multibody import Multibody

FULL_INERTIA = BodyInertia(1.0, (1.0, 1.0, 1.0), ((1.0, 1.0, 1.0),) * 3)
"""An inertia without any zero."""


def for_any_inertia(system: Multibody) -> tuple[Multibody, list[BodyInertia | None]]:
    """Return the same robot in other frames, and its inertias with second moments."""
    turned = turned_frames(system, [None] * (len(system.bodies) + 1))
    system = slid_origins(turned, [True] * len(system.bodies))
    return system, with_second_moments(body_inertias(system))
