"""Robots with everything that can act on them."""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros import RobotModel
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor, Spring


def terms(model: RobotModel, seed: int = 0, gyroscopic: bool = True,
          load: float = 0.0) -> dict[str, list[JointTerm]]:
    """Return friction, rotor and spring of every joint; friction may depend on the load."""
    rng = np.random.default_rng(seed)
    return {body.name: [
        Friction(*rng.uniform(0.1, 3.0, 6), load, 0.7, -0.2),
        Rotor(*rng.uniform(0.1, 3.0, 3), gyroscopic=gyroscopic and bool(JOINTS[body.type].turns)),
        Spring(*rng.uniform(0.1, 3.0, 2))] for body in make_multibody(model).bodies}


def everything(model: RobotModel, base: str = 'fixed', seed: int = 0,
               links: Sequence[str] | None = None, load: float = 0.0) -> Loads:
    """Return loads with a wrench on some links, and a payload on the last."""
    names = list(make_multibody(model).links)
    return Loads(base, terms(model, seed, load=load), names[::3] if links is None else links,
                 names[-1])


def entries(model: RobotModel, loads: Loads, seed: int = 0) -> list[list[float]]:
    """Return what a call takes behind q, qd and qdd."""
    rng = np.random.default_rng(seed)
    given = []
    if loads.moving(make_multibody(model)):
        given.append(rng.normal(size=9) * ([2.0] * 3 + [4.0] * 3 + [9.0] * 3))
    if loads.external:
        given.append(20.0 * rng.normal(size=6 * len(loads.external)))
    if loads.payload:
        given.append(np.array([1.5, 0.1, -0.2, 0.3, 0.05, 0.01, -0.02, 0.06, 0.005, 0.04]))
    return [values.tolist() for values in given]
