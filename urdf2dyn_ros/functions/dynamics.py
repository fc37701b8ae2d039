"""All functions of the equation of motion in one, which share their work."""

from urdf2dyn_ros.functions.bias import Bias
from urdf2dyn_ros.functions.efforts import EFFORTS_UNIT
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows
from urdf2dyn_ros.functions.gravity import Gravity
from urdf2dyn_ros.functions.inverse_dynamics import EffortsOfMotion
from urdf2dyn_ros.functions.mass_matrix import MassMatrix
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Quantity

_REFERENCES = {'tau': ('inverse_dynamics', 'tau'), 'wrench': ('inverse_dynamics', 'wrench'),
               'tau_gravity': ('gravity', 'tau'), 'tau_bias': ('bias', 'tau'),
               'M': ('mass_matrix', 'M')}


class Dynamics(ModelFunction):
    """Inverse dynamics, gravity, bias and mass matrix on one graph: equal terms once."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = ('what inverse_dynamics, gravity, bias and mass_matrix return, shared work done '
               'once')
    TITLE = ('Dynamics{robot}: tau = ID({inverse_dynamics}) = M({mass_matrix}) qdd + '
             'bias({bias}).')
    COMBINED = ('inverse_dynamics', 'gravity', 'bias', 'mass_matrix')
    RESULTS = (*EffortsOfMotion.RESULTS, Quantity('tau_gravity', EFFORTS_UNIT),
               Quantity('tau_bias', EFFORTS_UNIT), *MassMatrix.RESULTS)
    SECOND_MOMENTS = True

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        results = EffortsOfMotion().derive(mechanics)
        for name, function in (('gravity', Gravity()), ('bias', Bias())):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}')
            results[f'tau_{name}'] = function.derive(mechanics)['tau']
        mechanics.notes.begin('', '_M')
        return {**results, **MassMatrix().derive(mechanics)}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return nothing: the results are those of other functions."""
        return {}

    def reference(self, result: str) -> tuple[str, str]:
        """Return the function that returns a result alone, and its name there."""
        return _REFERENCES[result]
