"""Efforts of a motion, of which some inputs may be zero: the recursion itself."""

from urdf2dyn_ros.equations.newton_euler import Sweep
from urdf2dyn_ros.functions.function import ModelFunction, Rows, by_joint
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import WRENCH, Quantity
from urdf2dyn_ros.multibody import ROOT

EFFORTS_UNIT = 'efforts [N m or N]'


class Efforts(ModelFunction):
    """Efforts where the inputs that are not in INPUTS are zero."""

    RESULTS = (
        Quantity('tau', EFFORTS_UNIT),
        Quantity('wrench', 'force [N] and moment [N m] that the world must apply at the origin '
                 'of the root, in its frame', rows=WRENCH))

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the efforts and, with a moving base, the wrench on it."""
        return efforts_of(mechanics, mechanics.efforts(self.INPUTS))


def efforts_of(mechanics: Mechanics, sweep: Sweep) -> dict[str, Rows]:
    """Return the results of a sweep."""
    results = {'tau': by_joint(sweep.efforts)}
    if mechanics.moving:
        f, n = sweep.wrenches[ROOT]
        results['wrench'] = by_joint([*f, *n])
    return results
