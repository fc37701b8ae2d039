"""How DART is given a robot, and what is checked before it is trusted with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dartpy
import numpy as np

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot_model import Inertia, Joint, Limits, Link, RobotModel
from urdf2dyn_ros.simulators.gears import Gears, is_floating_root
from urdf2dyn_ros.simulators.simulator import Vector
from urdf2dyn_ros.urdf.writer import clean_urdf

NEGLIGIBLE = 1e-18
"""Mass [kg] and moments [kg m^2] of a link without inertia; DART warns of a segfault at 0."""

SINGULAR = 1e-9
"""A mass matrix scaled to a unit diagonal with a smaller eigenvalue cannot be inverted safely."""


def load_skeleton(model: RobotModel, friction: bool) -> Any:
    """Return DART's own reading of the robot, and check that it has the masses of the model."""
    options = dartpy.utils.DartLoaderOptions()
    options.mDefaultRootJointType = dartpy.utils.DartLoaderRootJointType.FIXED
    options.mDefaultInertia = dartpy.dynamics.Inertia(
        NEGLIGIBLE, np.zeros(3), NEGLIGIBLE * np.eye(3))
    loader = dartpy.utils.DartLoader()
    loader.setOptions(options)
    skeleton = loader.parseSkeletonString(
        clean_urdf(_simulated(model, friction), fill_limits=True), dartpy.common.Uri())
    if skeleton is None:
        raise SimulationError(f'DART cannot read robot {model.name!r}')
    bodies = {body.getName(): body for body in skeleton.getBodyNodes()}
    for link in model.links:
        expected = _mass(link)
        # DART has no body for a root called "world", and none is needed.
        found = bodies[link.name].getMass() if link.name in bodies else None
        if found is None and link.name == model.root:
            continue
        if found is None or abs(found - expected) > 1e-9 * max(expected, 1e-6):
            raise SimulationError(f'link {link.name!r}: DART simulates a mass of {found} kg, '
                                  f'the model has {expected} kg')
    return skeleton


def _simulated(model: RobotModel, friction: bool) -> RobotModel:
    """Return what DART is given: no gears and no limits, massless links without inertial."""
    def simulated(joint: Joint) -> Joint:
        if is_floating_root(model, joint):
            return replace(joint, type='fixed', mimic=None)
        return replace(joint, mimic=None, limits=Limits(),
                       damping=joint.damping if friction else 0.0,
                       friction=joint.friction if friction else 0.0)

    return replace(
        model, joints=tuple(simulated(joint) for joint in model.joints),
        links=tuple(link if _has_inertia(link.inertia) else replace(link, inertia=None)
                    for link in model.links))


def _has_inertia(inertia: Inertia | None) -> bool:
    return inertia is not None and (inertia.mass > 0.0 or any(inertia.tensor))


def _mass(link: Link) -> float:
    return 0.0 if link.inertia is None else link.inertia.mass


def check_inertia(gears: Gears, M: Vector) -> None:
    """Refuse joints that move no inertia, alone or together: no effort has a finite answer."""
    remedy = ('give the links they move an <inertial>, or make the joints fixed; '
              'inverse dynamics itself needs neither')
    diagonal = M.diagonal()
    empty = [joint.name for joint, m in zip(gears.joints, diagonal, strict=True)
             if m < 1e3 * NEGLIGIBLE]
    if empty:
        raise SimulationError(f'no inertia is moved by {_listed(empty)}: {remedy}')
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(M * np.outer(scale, scale))
    if values[0] < SINGULAR:
        together = [joint.name for joint, part in zip(gears.joints, vectors[:, 0], strict=True)
                    if abs(part) > 0.05]
        raise SimulationError(f'no inertia is moved when {_listed(together)} move against each '
                              f'other: {remedy}')


def _listed(names: list[str]) -> str:
    return ('joint ' if len(names) == 1 else 'joints ') + ', '.join(map(repr, names))
