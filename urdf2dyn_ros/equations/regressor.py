"""
The regressor: the efforts of unit inertial parameters, column by column.

Efforts are linear in the inertial parameters of the bodies (Atkeson, An and Hollerbach 1986;
Khalil and Dombre, Modeling, Identification and Control of Robots, chapter 12). A column is what
the joints from a body to the root transmit where one parameter of that body is 1 and all others
are 0. With second moments as parameters, what such a body requires are entries of U and a.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import AXES, TENSOR, Vector
from urdf2dyn_ros.equations.newton_euler import Sweep, in_parent, inertial, newton_euler
from urdf2dyn_ros.equations.recursion import second_moment, textbook_moment, unnoted
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Note, Wrench, silent
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

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
        return {'m': 'kg', 'h': 'kg m', 'S': 'kg m^2'}[self.entry[0]]


def unit_inertia(entry: str) -> BodyInertia:
    """Return the inertia, with second moments, of which one entry is 1."""
    return BodyInertia.of(float(entry == each) for each in MASS_ENTRIES)


def unit_wrench(column: UnitParameter, sweep: Sweep, note: Note) -> Wrench:
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


def sampled_columns(system: Multibody, units: Sequence[tuple[int, BodyInertia]], state: Array,
                    gravity: Vector) -> Iterator[tuple[Body, list[int], Array]]:
    """
    Yield the columns of the regressor at N instants, from the tips to the root.

    For each column, `units` have the number of a body, and the inertia with a tensor that it then
    has; the state (3, n, N) is q, qd, qdd of the independent joints, gravity [m/s^2] is in the
    root frame. Yielded are each body, the numbers of the c columns of it and of all that it
    carries, and what each adds to the effort of the body's coordinate, (N, c) [N m or N per unit].
    """
    sweep = newton_euler(system, [None] * (len(system.bodies) + 1), list(state), gravity)
    waiting: dict[int, list[tuple[list[int], Array]]] = {}   # wrenches (6, c, N) at a body
    for i, body in reversed(list(enumerate(system.bodies))):
        own = [k for k, (number, _) in enumerate(units) if number == i]
        needed = inertial(_together([units[k][1] for k in own]), sweep.motions[i], sweep.spins[i],
                          textbook_moment, silent)
        parts = [(own, _stacked(needed, (len(own), state.shape[2]))), *waiting.pop(i, [])]
        numbers = [k for part, _ in parts for k in part]
        f_x, f_y, f_z, n_x, n_y, n_z = np.concatenate([each for _, each in parts], axis=1)
        effort, before = JOINTS[body.type].backward(
            Wrench((f_x, f_y, f_z), (n_x, n_y, n_z)), sweep.coordinates[i], silent)
        yield body, numbers, body.multiplier * np.broadcast_to(effort, f_x.shape).T
        if body.parent != ROOT:
            there = _wrench_in_parent(body) @ _stacked(before, f_x.shape).reshape(6, -1)
            waiting.setdefault(body.parent, []).append((numbers, there.reshape(6, *f_x.shape)))


def _together(inertias: Sequence[BodyInertia]) -> BodyInertia:
    """Return inertias as one with entries (c, 1)."""
    rows = np.array([inertia.entries for inertia in inertias], dtype=np.float64)
    return BodyInertia.of(rows.reshape(-1, 10).T[..., None])


def _wrench_in_parent(body: Body) -> Array:
    """Return the matrix (6, 6) of `in_parent`."""
    f_x, f_y, f_z, n_x, n_y, n_z = np.eye(6)
    return _stacked(in_parent(body, Wrench((f_x, f_y, f_z), (n_x, n_y, n_z)),
                              silent), (6,))


def _stacked(wrenches: Wrench, shape: tuple[int, ...]) -> Array:
    return np.stack([np.broadcast_to(entry, shape) for vector in wrenches for entry in vector])
