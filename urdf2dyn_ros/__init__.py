"""Inverse dynamics of any robot from its URDF: efforts online, and the equations as text."""

from importlib import import_module

TYPE_CHECKING = False   # as in typing, whose import would delay the command's handler of Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from urdf2dyn_ros.dh.reader import read_dh
    from urdf2dyn_ros.errors import (
        ComparisonError,
        CompilerError,
        DrawingError,
        ExportError,
        IdentificationError,
        MissingLibraryError,
        ParameterError,
        Problem,
        RecordingError,
        SimulationError,
        SourceError,
        StateError,
        Urdf2DynError,
        UrdfError,
        WorkersError,
    )
    from urdf2dyn_ros.export import export_model
    from urdf2dyn_ros.functions.links.link_frames import LinkFrames
    from urdf2dyn_ros.inverse_dynamics import InverseDynamics
    from urdf2dyn_ros.languages import Target
    from urdf2dyn_ros.loads import Friction, Loads, Rotor, Spring
    from urdf2dyn_ros.robot_model import RobotModel
    from urdf2dyn_ros.urdf import read_urdf
    from urdf2dyn_ros.version import __version__

_MODULES = {
    'ComparisonError': 'errors', 'CompilerError': 'errors', 'DrawingError': 'errors',
    'ExportError': 'errors', 'Friction': 'loads', 'IdentificationError': 'errors',
    'InverseDynamics': 'inverse_dynamics', 'LinkFrames': 'functions.links.link_frames',
    'Loads': 'loads', 'MissingLibraryError': 'errors', 'ParameterError': 'errors',
    'Problem': 'errors', 'RecordingError': 'errors', 'RobotModel': 'robot_model',
    'Rotor': 'loads', 'SimulationError': 'errors', 'SourceError': 'errors', 'Spring': 'loads',
    'StateError': 'errors', 'Target': 'languages', 'Urdf2DynError': 'errors',
    'UrdfError': 'errors', 'WorkersError': 'errors', '__version__': 'version',
    'export_model': 'export', 'read_dh': 'dh.reader', 'read_urdf': 'urdf',
}
"""Public name to its module, imported when the name is used: an estimator needs no URDF reader."""

__all__ = [
    'ComparisonError', 'CompilerError', 'DrawingError', 'ExportError', 'Friction',
    'IdentificationError', 'InverseDynamics', 'LinkFrames', 'Loads', 'MissingLibraryError',
    'ParameterError', 'Problem', 'RecordingError', 'RobotModel', 'Rotor', 'SimulationError',
    'SourceError', 'Spring', 'StateError', 'Target', 'Urdf2DynError', 'UrdfError', 'WorkersError',
    '__version__', 'export_model', 'read_dh', 'read_urdf',
]


def __getattr__(name: str) -> 'Any':
    """Import a public name."""
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(import_module(f'{__name__}.{_MODULES[name]}'), name)


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return sorted({*globals(), *__all__})
