"""Libraries that only some commands need: pip installs them with an extra."""

from importlib.util import find_spec

from urdf2dyn_ros.errors import MissingLibraryError

EXTRAS = {'matplotlib': 'plots', 'sympy': 'symbolic', 'scipy': 'analysis'}
"""The extra of setup.py with each of these libraries; `all` has all of them."""


def require(command: str, *libraries: str) -> None:
    """Raise a MissingLibraryError if libraries are not installed, before any work is done."""
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        extra = EXTRAS[missing[0]] if len(libraries) == 1 else 'all'
        raise MissingLibraryError(f'{command} needs {" and ".join(missing)}: '
                                  f"pip install 'urdf2dyn_ros[{extra}]'")
