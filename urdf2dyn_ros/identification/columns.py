"""
Columns of the efforts: what each inertial parameter of each body contributes to each joint.

The efforts of rigid bodies are linear in mass m, first moments h and inertia J about the body's
origin. A body with angular velocity w and acceleration a of its origin minus gravity needs

    f = m a + U h,   n = J wd + w x J w + h x a,   U = [wd]x + [w]x[w]x

which its joint and all joints between it and the root transmit (Atkeson, An, Hollerbach 1986).

"""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

PARAMETERS = ('m', 'hx', 'hy', 'hz', 'Jxx', 'Jxy', 'Jxz', 'Jyy', 'Jyz', 'Jzz')
"""Inertial parameters of a body: [kg], [kg m], and [kg m^2] about its origin."""

_AT_ONCE = 4096
"""Samples at once: more do not fit into the processor's cache."""

_TENSOR = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def ancestors(system: Multibody, number: int) -> list[int]:
    """Return a body and those between it and the root, in this order."""
    chain = []
    while number != ROOT:
        chain.append(number)
        number = system.bodies[number].parent
    return chain


class Columns:
    """
    The columns of each joint's effort.

    Attributes
    ----------
    bodies : list of list of int
        For each joint the bodies whose parameters its effort depends on; ten columns each.

    """

    def __init__(self, system: Multibody, gravity: Sequence[float]) -> None:
        self._system = system
        self._gravity = np.array(gravity, dtype=np.float64)
        depends: list[set[int]] = [set() for _ in system.joint_names]
        for number in range(len(system.bodies)):
            for each in ancestors(system, number):
                depends[system.bodies[each].coordinate].add(number)
        self.bodies = [sorted(each) for each in depends]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> list[Array]:
        """Return the columns (k, 10 b) of each joint at positions to accelerations (k, n)."""
        result = [np.zeros((len(q), 10 * len(each))) for each in self.bodies]
        for first in range(0, len(q), _AT_ONCE):
            rows = slice(first, first + _AT_ONCE)
            self._fill([each[rows] for each in result], q[rows], qd[rows], qdd[rows])
        return result

    def _fill(self, result: list[Array], q: Array, qd: Array, qdd: Array) -> None:
        system, count = self._system, len(q)
        zero = np.zeros((count, 3))
        motions: list[tuple[Array, Array, Array]] = []
        placed: list[tuple[Array, Array]] = []
        for number, body in enumerate(system.bodies):
            root = (zero, zero, np.broadcast_to(-self._gravity, (count, 3)))
            parent = root if body.parent == ROOT else motions[body.parent]
            motion, place = _forward(body, parent, q, qd, qdd)
            motions.append(motion)
            placed.append(place)
            force, moment = _unit_wrenches(*motion)
            for each in ancestors(system, number):
                at = system.bodies[each]
                kind = JOINTS[at.type]
                column = 10 * self.bodies[at.coordinate].index(number)
                result[at.coordinate][:, column:column + 10] += at.multiplier * (
                    kind.turns * moment[:, 2] + kind.slides * force[:, 2])
                R, p = placed[each]
                force = R @ force
                moment = R @ moment + np.cross(p[:, None], force.transpose(0, 2, 1)
                                               ).transpose(0, 2, 1)


def _forward(body: Body, parent: tuple[Array, Array, Array], q: Array, qd: Array,
             qdd: Array) -> tuple[tuple[Array, Array, Array], tuple[Array, Array]]:
    """Return w, wd and a of a body (k, 3), and its rotation and origin in the parent."""
    kind, j = JOINTS[body.type], body.coordinate
    position = body.multiplier * q[:, j] + body.offset
    velocity, acceleration = body.multiplier * qd[:, j], body.multiplier * qdd[:, j]
    angle = kind.turns * position + body.turn
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.zeros((len(q), 3, 3))
    rotation[:, 0, 0] = rotation[:, 1, 1] = c
    rotation[:, 1, 0], rotation[:, 0, 1], rotation[:, 2, 2] = s, -s, 1.0
    parent_R_joint = np.array(body.parent_R_joint, dtype=np.float64)
    R = parent_R_joint @ rotation
    axis = parent_R_joint[:, 2]
    p = np.array(body.parent_p_joint, dtype=np.float64) + (
        kind.slides * position[:, None]) * axis
    w, wd, a = parent
    a = a + np.cross(wd, p) + np.cross(w, np.cross(w, p))
    if kind.slides:
        a = a + kind.slides * (acceleration[:, None] * axis
                               + 2.0 * velocity[:, None] * np.cross(w, axis))
    wd = wd + kind.turns * (acceleration[:, None] * axis
                            + velocity[:, None] * np.cross(w, axis))
    w = w + kind.turns * velocity[:, None] * axis
    back = R.transpose(0, 2, 1)
    return tuple((back @ each[:, :, None])[:, :, 0] for each in (w, wd, a)), (R, p)  # type: ignore


def _skew(a: Array) -> Array:
    """Return the matrices (k, 3, 3) of a x r."""
    result = np.zeros((len(a), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[:, i, j], result[:, j, i] = -a[:, k], a[:, k]
    return result


def _products(w: Array) -> Array:
    """Return J w for each of the six entries of J, (k, 3, 6)."""
    result = np.zeros((len(w), 3, 6))
    for column, (i, j) in enumerate(_TENSOR):
        result[:, i, column] += w[:, j]
        if i != j:
            result[:, j, column] += w[:, i]
    return result


def _unit_wrenches(w: Array, wd: Array, a: Array) -> tuple[Array, Array]:
    """Return force and moment (k, 3, 10) that each parameter of one needs."""
    force, moment = np.zeros((2, len(w), 3, 10))
    spin = _skew(w)
    force[:, :, 0] = a
    force[:, :, 1:4] = _skew(wd) + spin @ spin
    moment[:, :, 1:4] = -_skew(a)
    moment[:, :, 4:] = _products(wd) + spin @ _products(w)
    return force, moment
