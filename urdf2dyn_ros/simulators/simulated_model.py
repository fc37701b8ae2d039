"""The robot as engines read it, and checks of the masses and inertias that they read."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.frames import from_rpy
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.robot_model import Inertia, Joint, Limits, RobotModel
from urdf2dyn_ros.simulators.gears import Gears, is_floating_root
from urdf2dyn_ros.urdf.writer import clean_urdf

_NO_INERTIA = 1e-12
"""Diagonal entry of the mass matrix below which a joint moves no inertia [kg m^2 or kg]."""

_LEAST_EIGENVALUE = 1e-9
"""Smallest eigenvalue of an invertible mass matrix that is scaled to a unit diagonal."""


def simulated_urdf(model: RobotModel, friction: bool) -> str:
    """Return a URDF with a fixed root, without gears, limits and inertias of zero."""
    def simulated(joint: Joint) -> Joint:
        if is_floating_root(model, joint):
            return replace(joint, type='fixed', mimic=None)
        return replace(joint, mimic=None, limits=Limits(),
                       damping=joint.damping if friction else 0.0,
                       friction=joint.friction if friction else 0.0)

    return clean_urdf(replace(
        model, joints=tuple(simulated(joint) for joint in model.joints),
        links=tuple(link if _has_inertia(link.inertia) else replace(link, inertia=None)
                    for link in model.links)), fill_limits=True)


def with_aligned_inertias(model: RobotModel) -> RobotModel:
    """Return the robot with every inertial frame parallel to the frame of its link."""
    return replace(model, links=tuple(
        link if link.inertia is None else replace(link, inertia=_aligned(link.inertia))
        for link in model.links))


def check_masses(model: RobotModel, engine: str, masses: Mapping[str, float]) -> None:
    """
    Raise a SimulationError if an engine read another mass [kg] of a link than the model has.

    An engine may have no body for the root.
    """
    for link in model.links:
        expected = 0.0 if link.inertia is None else link.inertia.mass
        mass = masses.get(link.name)
        if mass is None and link.name == model.root:
            continue
        if mass is None or abs(mass - expected) > 1e-9 * max(expected, 1e-5):
            raise SimulationError(f'link {link.name!r}: {engine} simulates a mass of {mass} kg, '
                                  f'the model has {expected} kg')


def check_inertia(gears: Gears, M: Array) -> None:
    """
    Raise a SimulationError for joints that move no inertia, alone or together.

    M (m, m) is the mass matrix of all moving joints [kg m^2, kg m or kg].
    """
    remedy = ('give the links they move an <inertial>, or make the joints fixed; '
              'inverse dynamics itself needs neither')
    diagonal = M.diagonal()
    empty = [joint.name for joint, m in zip(gears.joints, diagonal, strict=True)
             if m < _NO_INERTIA]
    if empty:
        raise SimulationError(f'no inertia is moved by {listed(empty)}: {remedy}')
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(M * np.outer(scale, scale))
    if values[0] < _LEAST_EIGENVALUE:
        together = [joint.name for joint, part in zip(gears.joints, vectors[:, 0], strict=True)
                    if abs(part) > 0.05]
        raise SimulationError(f'no inertia is moved when {listed(together)} move against each '
                              f'other: {remedy}')


def _aligned(inertia: Inertia) -> Inertia:
    xx, xy, xz, yy, yz, zz = inertia.tensor
    R = np.array(from_rpy(inertia.rpy), dtype=float)
    T = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return replace(inertia, rpy=(0.0, 0.0, 0.0),
                   tensor=(T[0, 0], T[0, 1], T[0, 2], T[1, 1], T[1, 2], T[2, 2]))


def _has_inertia(inertia: Inertia | None) -> bool:
    return inertia is not None and (inertia.mass > 0.0 or any(inertia.tensor))
