"""Whether an engine's reading of a robot has the masses of ours."""

from __future__ import annotations

from collections.abc import Mapping

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot_model import RobotModel


def check_masses(model: RobotModel, engine: str, masses: Mapping[str, float]) -> None:
    """
    Compare the mass of every link but a root that the engine has no body for.

    Parameters
    ----------
    model : RobotModel
    engine : str
        As it is called in the error.
    masses : mapping of str to float
        Link to mass [kg].

    Raises
    ------
    SimulationError
        With the link by name.

    """
    for link in model.links:
        expected = 0.0 if link.inertia is None else link.inertia.mass
        found = masses.get(link.name)
        if found is None and link.name == model.root:
            continue
        if found is None or abs(found - expected) > 1e-9 * max(expected, 1e-5):
            raise SimulationError(f'link {link.name!r}: {engine} simulates a mass of {found} kg, '
                                  f'the model has {expected} kg')
