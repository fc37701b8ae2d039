"""Efforts of a motion, of which some inputs may be zero: the recursion itself."""

from collections.abc import Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.functions.function import ModelFunction, Rows, by_joint
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import WRENCH, Quantity
from urdf2dyn_ros.joints.motion import Wrench
from urdf2dyn_ros.multibody import ROOT

EFFORTS_UNIT = 'efforts [N m or N]'


class Efforts(ModelFunction):
    """Efforts where the inputs that are not in INPUTS are zero."""

    RESULTS = (
        Quantity('tau', EFFORTS_UNIT),
        Quantity('wrench', 'force [N] and moment [N m] that the world must apply at the origin '
                 'of the root, in its frame', rows=WRENCH))

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        sweep = mechanics.efforts(self.INPUTS)
        return efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT])


def efforts_of(mechanics: Mechanics, efforts: Sequence[Scalar],
               wrench: Wrench) -> dict[str, Rows]:
    """Return efforts and, with a moving base, the wrench on it as results."""
    results = {'tau': by_joint(efforts)}
    if mechanics.moving:
        results['wrench'] = by_joint([*wrench.f, *wrench.n])
    return results
