"""The table of generated functions: a new one is a file and a line here."""

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.functions.bias import Bias
from urdf2dyn_ros.functions.dynamics import Dynamics
from urdf2dyn_ros.functions.forward_dynamics import CheapestAccelerations
from urdf2dyn_ros.functions.forward_dynamics_derivatives import ForwardDynamicsDerivatives
from urdf2dyn_ros.functions.function import ModelFunction
from urdf2dyn_ros.functions.gravity import Gravity
from urdf2dyn_ros.functions.inverse_dynamics import EffortsOfMotion
from urdf2dyn_ros.functions.inverse_dynamics_derivatives import InverseDynamicsDerivatives
from urdf2dyn_ros.functions.links.forward_kinematics import ForwardKinematics
from urdf2dyn_ros.functions.links.frame_motion import FrameMotion
from urdf2dyn_ros.functions.links.jacobian import Jacobian
from urdf2dyn_ros.functions.mass_matrix import MassMatrix
from urdf2dyn_ros.functions.momentum import Momentum
from urdf2dyn_ros.functions.regressor import Regressor
from urdf2dyn_ros.functions.terms import Terms

FUNCTIONS: dict[str, ModelFunction] = {
    'inverse_dynamics': EffortsOfMotion(),
    'gravity': Gravity(),
    'bias': Bias(),
    'mass_matrix': MassMatrix(),
    'forward_dynamics': CheapestAccelerations(),
    'momentum': Momentum(),
    'terms': Terms(),
    'inverse_dynamics_derivatives': InverseDynamicsDerivatives(),
    'forward_dynamics_derivatives': ForwardDynamicsDerivatives(),
    'forward_kinematics': ForwardKinematics(),
    'jacobian': Jacobian(),
    'frame_motion': FrameMotion(),
    'regressor': Regressor(),
    'dynamics': Dynamics(),
}

ALL = 'all'
"""Choice of the function `dynamics`, and of those that it combines."""

CHOICES = (*(name for name in FUNCTIONS if name != 'dynamics'), ALL)
"""What a user may request."""


def functions_of(choice: str) -> dict[str, ModelFunction]:
    """Return the functions of a program, by name; an ExportError for an unknown choice."""
    if not isinstance(choice, str) or choice not in CHOICES:
        raise ExportError(f'unknown model {choice!r}; the models are: {", ".join(CHOICES)}')
    names = (*Dynamics.COMBINED, 'dynamics') if choice == ALL else (choice,)
    return {name: FUNCTIONS[name] for name in names}
