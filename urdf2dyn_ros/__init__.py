"""Inverse dynamics of any robot from its URDF: efforts online, and the equations as text."""

from importlib import import_module

TYPE_CHECKING = False   # as in typing, whose import would delay the command's handler of Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from urdf2dyn_ros.codegen.signature import LinkFrames
    from urdf2dyn_ros.errors import (
        BalanceError,
        ComparisonError,
        CompilerError,
        DrawingError,
        ExportError,
        IdentificationError,
        LoopError,
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
    from urdf2dyn_ros.estimation.observer import Contact, ContactDetector, MomentumObserver
    from urdf2dyn_ros.export import Target, export_model
    from urdf2dyn_ros.identification.excitation import Excitation, excite
    from urdf2dyn_ros.identification.identify import IdentificationSettings, identify
    from urdf2dyn_ros.identification.result import Identification
    from urdf2dyn_ros.inverse_dynamics import InverseDynamics
    from urdf2dyn_ros.recordings import open_recording
    from urdf2dyn_ros.recordings.comparison import JointComparison, compare
    from urdf2dyn_ros.recordings.evaluation import Evaluation, EvaluationSettings, evaluate
    from urdf2dyn_ros.recordings.report import comparison_table
    from urdf2dyn_ros.robot.dh_reader import read_dh
    from urdf2dyn_ros.robot.loads import Loads, Payload
    from urdf2dyn_ros.robot.lock import lock_joints
    from urdf2dyn_ros.robot.model import RobotModel
    from urdf2dyn_ros.robot.reader import read_urdf
    from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring
    from urdf2dyn_ros.simulation import simulator_class
    from urdf2dyn_ros.simulation.simulator import computed_torque
    from urdf2dyn_ros.simulation.trajectories import SmoothTrajectory
    from urdf2dyn_ros.text import __version__

_MODULES = {
    'BalanceError': 'errors', 'compare': 'recordings.comparison',
    'comparison_table': 'recordings.report', 'ComparisonError': 'errors',
    'CompilerError': 'errors', 'computed_torque': 'simulation.simulator',
    'Contact': 'estimation.observer',
    'ContactDetector': 'estimation.observer', 'DrawingError': 'errors',
    'evaluate': 'recordings.evaluation', 'Evaluation': 'recordings.evaluation',
    'EvaluationSettings': 'recordings.evaluation', 'Excitation': 'identification.excitation',
    'excite': 'identification.excitation', 'export_model': 'export', 'ExportError': 'errors',
    'Friction': 'robot.terms', 'Identification': 'identification.result',
    'IdentificationError': 'errors', 'IdentificationSettings': 'identification.identify',
    'identify': 'identification.identify', 'InverseDynamics': 'inverse_dynamics',
    'JointComparison': 'recordings.comparison', 'LinkFrames': 'codegen.signature',
    'Loads': 'robot.loads', 'lock_joints': 'robot.lock', 'LoopError': 'errors',
    'MissingLibraryError': 'errors',
    'MomentumObserver': 'estimation.observer', 'open_recording': 'recordings',
    'ParameterError': 'errors',
    'Payload': 'robot.loads', 'Problem': 'errors', 'read_dh': 'robot.dh_reader',
    'read_urdf': 'robot.reader', 'RecordingError': 'errors', 'RobotModel': 'robot.model',
    'Rotor': 'robot.terms', 'SimulationError': 'errors', 'simulator_class': 'simulation',
    'SmoothTrajectory': 'simulation.trajectories', 'SourceError': 'errors',
    'Spring': 'robot.terms', 'StateError': 'errors', 'Target': 'export',
    'Urdf2DynError': 'errors', 'UrdfError': 'errors', '__version__': 'text',
    'WorkersError': 'errors',
}
"""Public name to its module, imported when the name is used: an estimator needs no URDF reader."""

__all__ = [
    'BalanceError', 'ComparisonError', 'CompilerError', 'Contact', 'ContactDetector',
    'DrawingError', 'Evaluation', 'EvaluationSettings', 'Excitation', 'ExportError', 'Friction',
    'Identification', 'IdentificationError', 'IdentificationSettings', 'InverseDynamics',
    'JointComparison', 'LinkFrames', 'Loads', 'LoopError', 'MissingLibraryError',
    'MomentumObserver', 'ParameterError', 'Payload', 'Problem', 'RecordingError', 'RobotModel',
    'Rotor',
    'SimulationError', 'SmoothTrajectory', 'SourceError', 'Spring', 'StateError', 'Target',
    'Urdf2DynError', 'UrdfError', 'WorkersError', '__version__', 'compare', 'comparison_table',
    'computed_torque', 'evaluate', 'excite', 'export_model', 'identify', 'lock_joints',
    'open_recording', 'read_dh', 'read_urdf', 'simulator_class',
]


def __getattr__(name: str) -> 'Any':
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(import_module(f'{__name__}.{_MODULES[name]}'), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
