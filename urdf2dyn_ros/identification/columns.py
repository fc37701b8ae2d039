"""
Columns of the efforts: what each inertial parameter of each body contributes to each joint.

The efforts of rigid bodies are linear in mass m, first moments h and inertia J about the body's
origin (Atkeson, An, Hollerbach 1986).
"""

from collections.abc import Iterator, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.equations.kinematics import chain
from urdf2dyn_ros.equations.regressor import sampled_columns
from urdf2dyn_ros.multibody import Body, Multibody

PARAMETERS = ('m', 'hx', 'hy', 'hz', 'Jxx', 'Jxy', 'Jxz', 'Jyy', 'Jyz', 'Jzz')
"""Inertial parameters of a body: [kg], [kg m], and [kg m^2] about its origin."""

_SAMPLES_AT_ONCE = 1024
"""More do not fit into the processor's cache."""


class Columns:
    """The columns of each joint's effort, for gravity (3,) in the root frame [m/s^2]."""

    def __init__(self, system: Multibody, gravity: Sequence[float]) -> None:
        x, y, z = gravity
        self._system, self._gravity = system, (x, y, z)
        numbers = range(len(system.bodies))
        self._units = [(number, BodyInertia.of(entries))
                       for number in numbers for entries in np.eye(10).tolist()]
        depends: list[set[int]] = [set() for _ in system.joint_names]
        for number in numbers:
            for each in chain(system, number):
                depends[system.bodies[each].coordinate].add(number)
        # bodies whose parameters the effort of each joint depends on; ten columns each
        self.bodies = [sorted(each) for each in depends]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> list[Array]:
        """Return the columns (k, 10 b) of each joint at positions to accelerations (k, n)."""
        result = [np.zeros((len(q), len(each), 10)) for each in self.bodies]
        for rows, body, units, efforts in self._of(self._units, q, qd, qdd):
            joint = body.coordinate
            bodies, entries = np.divmod(units, 10)
            places = np.searchsorted(self.bodies[joint], bodies)
            result[joint][rows][:, places, entries] += efforts
        return [each.reshape(len(q), -1) for each in result]

    def efforts(self, q: Array, qd: Array, qdd: Array, bodies: Array) -> Array:
        """Return the efforts (k, n) of bodies with parameters (b, 10)."""
        result = np.zeros(q.shape)
        inertias = [(number, BodyInertia.of(entries))
                    for number, entries in enumerate(bodies.tolist())]
        for rows, body, _, efforts in self._of(inertias, q, qd, qdd):
            result[rows, body.coordinate] += efforts.sum(axis=1)
        return result

    def _of(self, units: Sequence[tuple[int, BodyInertia]], *state: Array,
            ) -> Iterator[tuple[slice, Body, list[int], Array]]:
        """Yield some rows of a state at a time, and their columns: see `sampled_columns`."""
        for first in range(0, len(state[0]), _SAMPLES_AT_ONCE):
            rows = slice(first, first + _SAMPLES_AT_ONCE)
            for columns in sampled_columns(self._system, units,
                                           np.array([each[rows].T for each in state]),
                                           self._gravity):
                yield rows, *columns
