"""What a fit needs to know of a robot: its columns, the prior of its bodies, its joints."""

import hashlib
from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.bodies import Prior, prior_of
from urdf2dyn_ros.identification.columns import Columns
from urdf2dyn_ros.identification.fit.joint_columns import SIGN_WIDTHS
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.multibody import Multibody, multibody
from urdf2dyn_ros.robot_model import RobotModel


@dataclass(frozen=True)
class Robot:
    """A robot of n joints that is to be identified."""

    model: RobotModel
    dynamics: InverseDynamics
    system: Multibody
    columns: Columns
    prior: Prior
    urdf_friction: Array   # (n, 2), viscous and Coulomb friction of the URDF
    speed_limits: Array   # (n,) [rad/s or m/s], infinite where there is none
    sign_widths: Array   # (n,), velocities within which Coulomb friction turns over [rad/s or m/s]

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of all vectors."""
        return self.dynamics.joint_names

    @property
    def key(self) -> str:
        """Hash of what columns and prior depend on: summaries of others do not fit."""
        parts = (self.joints, self.dynamics.gravity_vector, self.system.bodies,
                 self.prior.nominal.round(12).tolist())
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def robot_of(model: RobotModel, dynamics: InverseDynamics) -> Robot:
    """Return a robot from its model and the same model with its gravity."""
    system = multibody(model)
    limits = [limit.velocity or np.inf for limit in dynamics.limits]
    return Robot(model, dynamics, system, Columns(system, dynamics.gravity_vector),
                 prior_of(system), joint_friction(model, dynamics),
                 np.array(limits, dtype=np.float64),
                 np.array([SIGN_WIDTHS[unit] for unit in dynamics.units]))


def joint_friction(model: RobotModel, dynamics: InverseDynamics) -> Array:
    """Return viscous and Coulomb friction of the URDF's joints, (n, 2)."""
    joints = {joint.name: joint for joint in model.joints}
    own = [joints.get(name) for name in dynamics.joint_names]
    return np.array([(joint.damping, joint.friction) if joint else (0.0, 0.0) for joint in own])
