"""
Columns of the efforts: what each inertial parameter of each body contributes to each joint.

The efforts of rigid bodies are linear in mass m, first moments h and inertia J about the body's
origin (Atkeson, An, Hollerbach 1986).

"""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.equations.kinematics import chain
from urdf2dyn_ros.equations.regressor import sampled_columns
from urdf2dyn_ros.multibody import Multibody

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
        for first in range(0, len(q), _SAMPLES_AT_ONCE):
            rows = slice(first, first + _SAMPLES_AT_ONCE)
            state = np.array([each[rows].T for each in (q, qd, qdd)])
            for body, units, efforts in sampled_columns(self._system, self._units, state,
                                                        self._gravity):
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
        for first in range(0, len(q), _SAMPLES_AT_ONCE):
            rows = slice(first, first + _SAMPLES_AT_ONCE)
            state = np.array([each[rows].T for each in (q, qd, qdd)])
            for body, _, efforts in sampled_columns(self._system, inertias, state, self._gravity):
                result[rows, body.coordinate] += efforts.sum(axis=1)
        return result
