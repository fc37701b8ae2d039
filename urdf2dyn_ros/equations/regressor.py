"""
The regressor: the efforts of unit inertial parameters, column by column.

Efforts are linear in the inertial parameters of the bodies (Atkeson, An and Hollerbach 1986;
Khalil and Dombre, Modeling, Identification and Control of Robots, chapter 12). A column is what
the joints from a body to the root transmit where one parameter of that body is 1 and all others
are 0. With second moments as parameters, what such a body requires are entries of U and a.

"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import AXES, TENSOR, symmetric
from urdf2dyn_ros.equations.newton_euler import Sweep, in_parent, inertial
from urdf2dyn_ros.equations.recursion import second_moment, unnoted
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Note, Wrench
from urdf2dyn_ros.multibody import ROOT, Multibody

MASS_ENTRIES = ('m', *(f'h{x}' for x in AXES), *(f'S{xy}' for xy in TENSOR))
"""Mass, first moments and second moments of a body about the origin of its frame."""


class UnitParameter(NamedTuple):
    """An inertial parameter, in MASS_ENTRIES, of the body with this number."""

    body: int
    entry: str

    @property
    def name(self) -> str:
        """The parameter, and the number of the body from 1."""
        return f'{self.entry}{self.body + 1}'

    @property
    def unit(self) -> str:
        """Unit of the parameter."""
        return {'m': 'kg', 'h': 'kg m', 'S': 'kg m^2'}[self.entry[0]]


def unit_inertia(entry: str) -> BodyInertia:
    """Return the inertia, with second moments, of which one entry is 1."""
    m, x, y, z, *S = (float(entry == each) for each in MASS_ENTRIES)
    return BodyInertia(m, (x, y, z), symmetric(tuple(S)))


def unit_wrench(column: UnitParameter, sweep: Sweep, note: Note = unnoted) -> Wrench:
    """Return what a body requires if its only inertial parameter is that of the column."""
    i = column.body
    return inertial(unit_inertia(column.entry), sweep.motions[i], sweep.spins[i], second_moment,
                    partial(note, i))


def regressor(system: Multibody, columns: Sequence[UnitParameter], sweep: Sweep,
              note: Note = unnoted, begin: Callable[[UnitParameter], None] = lambda column: None,
              ) -> list[list[Scalar]]:
    """
    Return Y of tau = Y pi by rows, (n, b), of the independent joints [N m or N per unit of pi].

    The sweep has the motion of every body. `note` is called with every named quantity, `begin`
    with every column before it.

    """
    Y: list[list[Scalar]] = [[0.0] * len(columns) for _ in system.joint_names]
    for k, column in enumerate(columns):
        begin(column)
        wrench, i = unit_wrench(column, sweep, note), column.body
        while i != ROOT:
            body = system.bodies[i]
            effort, before = JOINTS[body.type].backward(wrench, sweep.coordinates[i],
                                                        partial(note, i))
            row = Y[body.coordinate]
            row[k] = row[k] + body.multiplier * effort
            if body.parent != ROOT:
                wrench = in_parent(body, before, partial(note, i))
            note(i, 'tau', (row[k],))
            i = body.parent
    return Y
