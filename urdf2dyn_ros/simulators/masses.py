"""The check that an engine read the masses of the model."""

from __future__ import annotations

from collections.abc import Mapping

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot_model import RobotModel


def check_masses(model: RobotModel, engine: str, masses: Mapping[str, float]) -> None:
    """
    Check the mass of every link, but of a root for which the engine has no body.

    Parameters
    ----------
    model : RobotModel
    engine : str
        Its name in the error.
    masses : mapping of str to float
        Mass by link [kg].

    Raises
    ------
    SimulationError
        With the link by name.

    """
    for link in model.links:
        expected = 0.0 if link.inertia is None else link.inertia.mass
        mass = masses.get(link.name)
        if mass is None and link.name == model.root:
            continue
        if mass is None or abs(mass - expected) > 1e-9 * max(expected, 1e-5):
            raise SimulationError(f'link {link.name!r}: {engine} simulates a mass of {mass} kg, '
                                  f'the model has {expected} kg')
