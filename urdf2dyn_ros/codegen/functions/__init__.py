"""The table of generated functions: a new one is a file and a line here."""

from urdf2dyn_ros.codegen.functions import (
    closure,
    derivatives,
    dynamics,
    forward_dynamics,
    links,
    observer,
)
from urdf2dyn_ros.codegen.functions.function import ModelFunction

FUNCTIONS: dict[str, ModelFunction] = {
    'inverse_dynamics': dynamics.EffortsOfMotion(),
    'gravity': dynamics.Gravity(),
    'bias': dynamics.Bias(),
    'mass_matrix': dynamics.MassMatrix(),
    'forward_dynamics': forward_dynamics.CheapestAccelerations(),
    'momentum': dynamics.Momentum(),
    'external_efforts': observer.ExternalEfforts(),
    'coriolis_matrix': derivatives.CoriolisMatrix(),
    'energy': dynamics.Energy(),
    'centre_of_mass': dynamics.CentreOfMass(),
    'terms': dynamics.Terms(),
    'inverse_dynamics_derivatives': derivatives.InverseDynamicsDerivatives(),
    'forward_dynamics_derivatives': derivatives.ForwardDynamicsDerivatives(),
    'forward_kinematics': links.ForwardKinematics(),
    'jacobian': links.Jacobian(),
    'frame_motion': links.FrameMotion(),
    'regressor': dynamics.Regressor(),
    'dynamics': dynamics.Dynamics(),
    'closure': closure.ClosureStep(),
}

# what a user may request, to the functions of the program
CHOICES = {**{name: (name,) for name in FUNCTIONS if name != 'dynamics'},
           'all': (*dynamics.Dynamics.COMBINED, 'dynamics')}
