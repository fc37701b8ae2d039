"""The friction that a URDF's tags <dynamics> declare."""

from __future__ import annotations

from urdf2dyn_ros.loads.friction import Friction
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import RobotModel

SIGN_WIDTH = 0.01
"""Velocity [rad/s or m/s] at which the smooth sign of Coulomb friction has come to tanh(1)."""


def urdf_friction(model: RobotModel) -> dict[str, tuple[Friction, ...]]:
    """
    Return the friction of the movable joints that have any: damping is viscous, friction Coulomb.

    Planar and floating joints have none: one number cannot be that of slides and turns.

    Returns
    -------
    dict
        As `Loads.terms` takes it.

    """
    moving = {body.name for body in multibody(model).bodies}
    friction_of = {joint.name: Friction(joint.damping, joint.friction, 1.0 / SIGN_WIDTH)
             for joint in model.joints if joint.name in moving}
    return {name: (friction,) for name, friction in friction_of.items() if not friction.is_off()}
