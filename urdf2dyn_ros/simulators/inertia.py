"""Joints that move no inertia, whose accelerations are infinite or undetermined."""

from __future__ import annotations

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.simulators.gears import Gears

_NO_INERTIA = 1e-12
"""Diagonal entry of the mass matrix below which a joint moves no inertia [kg m^2 or kg]."""

_SINGULAR = 1e-9
"""Smallest eigenvalue of an invertible mass matrix that is scaled to a unit diagonal."""


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
        raise SimulationError(f'no inertia is moved by {_listed(empty)}: {remedy}')
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(M * np.outer(scale, scale))
    if values[0] < _SINGULAR:
        together = [joint.name for joint, part in zip(gears.joints, vectors[:, 0], strict=True)
                    if abs(part) > 0.05]
        raise SimulationError(f'no inertia is moved when {_listed(together)} move against each '
                              f'other: {remedy}')


def _listed(names: list[str]) -> str:
    return ('joint ' if len(names) == 1 else 'joints ') + ', '.join(map(repr, names))
