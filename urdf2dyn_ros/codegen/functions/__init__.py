"""The table of generated functions: a new one is a file and a line here."""

from urdf2dyn_ros.codegen.functions.dynamics import (
    Bias,
    CentreOfMass,
    Dynamics,
    EffortsOfMotion,
    Energy,
    Gravity,
    MassMatrix,
    Momentum,
    Regressor,
    Terms,
)
from urdf2dyn_ros.codegen.functions.forward_dynamics import (
    CheapestAccelerations,
    CoriolisMatrix,
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
)
from urdf2dyn_ros.codegen.functions.function import ModelFunction
from urdf2dyn_ros.codegen.functions.links import ForwardKinematics, FrameMotion, Jacobian

FUNCTIONS: dict[str, ModelFunction] = {
    'inverse_dynamics': EffortsOfMotion(),
    'gravity': Gravity(),
    'bias': Bias(),
    'mass_matrix': MassMatrix(),
    'forward_dynamics': CheapestAccelerations(),
    'momentum': Momentum(),
    'coriolis_matrix': CoriolisMatrix(),
    'energy': Energy(),
    'centre_of_mass': CentreOfMass(),
    'terms': Terms(),
    'inverse_dynamics_derivatives': InverseDynamicsDerivatives(),
    'forward_dynamics_derivatives': ForwardDynamicsDerivatives(),
    'forward_kinematics': ForwardKinematics(),
    'jacobian': Jacobian(),
    'frame_motion': FrameMotion(),
    'regressor': Regressor(),
    'dynamics': Dynamics(),
}

# what a user may request, to the functions of the program
CHOICES = {**{name: (name,) for name in FUNCTIONS if name != 'dynamics'},
           'all': (*Dynamics.COMBINED, 'dynamics')}
