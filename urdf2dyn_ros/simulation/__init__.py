"""The table of simulators: a new physics engine is a file and a line here."""

from importlib import import_module
from typing import NamedTuple

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.simulation.simulator import Simulator


class Engine(NamedTuple):
    """Class of a simulator, in the module of its name, and the Python package of its engine."""

    class_name: str
    package: str


SIMULATORS = {
    'dart': Engine('DartSimulator', 'dartpy'),
    'mujoco': Engine('MujocoSimulator', 'mujoco'),
}


def simulator_class(name: str) -> type[Simulator]:
    """
    Return the class of a simulator; only then is its engine imported.

    If there is no such simulator, or its engine is not installed, it raises a SimulationError.
    """
    if name not in SIMULATORS:
        raise SimulationError(
            f'no simulator is called {name!r}; there are: {", ".join(SIMULATORS)}')
    engine = SIMULATORS[name]
    try:
        import_module(engine.package)
    except ImportError as error:
        raise SimulationError(
            f'simulator {name!r} needs the Python package {engine.package}, which cannot be '
            f'imported ({error}); install it with: pip install {engine.package}') from error
    simulator: type[Simulator] = getattr(import_module(f'{__name__}.{name}'), engine.class_name)
    return simulator
