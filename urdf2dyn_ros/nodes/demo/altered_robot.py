"""A robot that differs from its URDF, as a real one does: inertias, friction and rotors."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.identification.fit.joint_columns import SIGN_WIDTHS
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot_model import RobotModel

_SEED = 1990
_LEAST, _MOST = 0.2, 0.5
"""Shares by which masses, centres and inertias differ."""

_COULOMB, _VISCOUS, _ROTOR = 0.03, 0.04, 0.5
"""
Coulomb friction, viscous friction at the limit of the velocity, over the limit of the effort;
reflected inertia of the rotor over that of the links.
"""


class AlteredRobot(NamedTuple):
    """A model with other inertias, and the drives as parameters ``joints.<joint>.*``."""

    model: RobotModel
    drives: dict[str, float]


def altered(model: RobotModel) -> AlteredRobot:
    """
    Return a robot whose masses, centres and inertias are 20 to 50 % off, with friction and rotors.

    Every body remains possible: its tensor about its centre is multiplied by a number. Limits of
    velocity and effort are those of the model, which has all of them.
    """
    random = np.random.default_rng(_SEED)

    def factor(count: int) -> list[float]:
        signs = random.choice((-1.0, 1.0), count)
        factors: list[float] = (1.0 + signs * random.uniform(_LEAST, _MOST, count)).tolist()
        return factors

    links = []
    for link in model.links:
        if link.inertia is not None:
            mass, size = factor(2)
            x, y, z = (a * b for a, b in zip(link.inertia.com, factor(3)))
            xx, xy, xz, yy, yz, zz = (size * entry for entry in link.inertia.tensor)
            link = replace(link, inertia=replace(
                link.inertia, mass=mass * link.inertia.mass, com=(x, y, z),
                tensor=(xx, xy, xz, yy, yz, zz)))
        links.append(link)
    robot = replace(model, links=tuple(links))
    return AlteredRobot(robot, _drives(robot, random))


def _drives(model: RobotModel, random: np.random.Generator) -> dict[str, float]:
    dynamics = InverseDynamics(model, base='fixed')
    inertias = dynamics.mass_matrix(np.zeros(len(dynamics.joint_names))).diagonal()
    result: dict[str, float] = {}
    for joint, limits, inertia, unit in zip(dynamics.joint_names, dynamics.limits, inertias,
                                            dynamics.units):
        effort, velocity = limits.effort or 0.0, limits.velocity or 1.0
        coulomb, viscous, rotor = random.uniform(0.7, 1.3, 3)
        result |= {f'joints.{joint}.coulomb': float(coulomb * _COULOMB * effort),
                   f'joints.{joint}.viscous': float(viscous * _VISCOUS * effort / velocity),
                   f'joints.{joint}.friction_width': SIGN_WIDTHS[unit],
                   f'joints.{joint}.armature': float(rotor * _ROTOR * inertia)}
    return result
