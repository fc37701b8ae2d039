"""The table of simulators: a new physics engine is a file and a line here."""

from importlib import import_module

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.simulation.simulator import Simulator

# Python package of its engine, by the name of a module here with the class <Name>Simulator
SIMULATORS = {'dart': 'dartpy', 'mujoco': 'mujoco'}


def simulator_class(name: str) -> type[Simulator]:
    """
    Return the class of a simulator; only then is its engine imported.

    If there is no such simulator, or its engine is not installed, it raises a SimulationError.
    """
    if name not in SIMULATORS:
        raise SimulationError(
            f'no simulator is called {name!r}; there are: {", ".join(SIMULATORS)}')
    package = SIMULATORS[name]
    try:
        import_module(package)
    except ImportError as error:
        remedy = (f'install it with: pip install {package}'
                  if isinstance(error, ModuleNotFoundError) else
                  'install the library that it names (libGL.so.1: apt install libgl1)')
        raise SimulationError(
            f'simulator {name!r} needs the Python package {package}, which cannot be imported '
            f'({error}); {remedy}, or choose another simulator: {", ".join(SIMULATORS)}'
        ) from error
    module = import_module(f'{__name__}.{name}')
    simulator: type[Simulator] = getattr(module, f'{name.capitalize()}Simulator')
    return simulator


def available_simulator() -> str:
    """Return the first one whose engine can be imported: DART needs libGL, which servers lack."""
    for name, package in SIMULATORS.items():
        try:
            import_module(package)
        except ImportError:
            continue
        return name
    return next(iter(SIMULATORS))   # which says what it lacks
