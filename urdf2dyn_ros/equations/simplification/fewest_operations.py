"""Frames and inertial parameters of a robot, chosen for the fewest operations."""

from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.simplification.regroup import pulls, regrouped
from urdf2dyn_ros.equations.simplification.sliding_origins import slid_origins
from urdf2dyn_ros.equations.simplification.turned_frames import turned_frames
from urdf2dyn_ros.equations.simplification.virtual_masses import mass_takers
from urdf2dyn_ros.multibody import Multibody


def fewest_operations(system: Multibody, moving: bool = True,
                      ) -> tuple[Multibody, list[BodyInertia | None]]:
    """
    Return the same robot in other frames, and its inertias with second moments.

    Virtual masses save operations with U, which has only accelerations in functions without
    velocities (`moving` false).
    """
    inertias = body_inertias(system)
    pulling = pulls(system, regrouped(system, inertias))
    system = slid_origins(turned_frames(system, inertias), pulling)
    return system, regrouped(system, body_inertias(system),
                             mass_takers(system) if moving else ())
