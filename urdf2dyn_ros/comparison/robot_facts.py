"""Facts of a robot's joints that a comparison uses."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.comparison import GravityEfforts
from urdf2dyn_ros.comparison.semantics import JointFacts
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.loads import Friction, Loads
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import RobotModel

_NO_LOADS = Loads()


def robot_facts(model: RobotModel, loads: Loads = _NO_LOADS) -> dict[str, JointFacts]:
    """
    Return unit, friction and limit of every independent joint.

    Friction of a mimic joint is added to its driver: damping times the square of the multiplier,
    Coulomb friction times its magnitude. Friction of the loads is a part of the computed effort:
    such a joint has none.
    """
    system = multibody(model)
    counted = {name for name, terms in loads.terms.items()
               if any(isinstance(term, Friction) for term in terms)}
    joints = {joint.name: joint for joint in model.joints if joint.name not in counted}
    facts = {}
    for coordinate, name in enumerate(system.joint_names):
        driven = [(joints[body.name], float(body.multiplier)) for body in system.bodies
                  if body.coordinate == coordinate and body.name in joints]
        body = system.bodies[system.drivers[coordinate]]
        facts[name] = JointFacts(
            JOINTS[body.type].effort_unit,
            sum(ratio**2 * joint.damping for joint, ratio in driven),
            sum(abs(ratio) * joint.friction for joint, ratio in driven),
            body.limits.effort or None)
    return facts


def gravity_of(dynamics: InverseDynamics) -> GravityEfforts:
    """Return a function from names and positions of joints to the efforts against gravity."""
    order = dynamics.joint_names
    if dynamics.loads.terms:   # offsets of friction and springs are not gravity
        dynamics = InverseDynamics(dynamics.model, dynamics.gravity_vector, dynamics.backend,
                                   loads=replace(dynamics.loads, terms={}))

    def gravity(names: Sequence[str], positions: Array) -> Array:
        efforts = np.full(positions.shape, np.nan)
        known = np.isfinite(positions).all(axis=1)
        if sorted(names) != sorted(order) or not known.any():
            return efforts
        columns = [names.index(name) for name in order]
        efforts[np.flatnonzero(known)[:, None], columns] = dynamics.gravity(
            positions[known][:, columns])
        return efforts

    return gravity
