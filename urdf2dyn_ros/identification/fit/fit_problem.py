"""The problem of a fit, and its solution."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.payload_term import PayloadTerm


class FitProblem(NamedTuple):
    """
    A fit.

    Attributes
    ----------
    triangles : sequence of ndarray, (c, c)
        Of each joint: columns of its bodies, its own JOINT_COLUMNS, the effort.
    bodies : sequence of list of int
        The bodies of each joint's columns.
    factors : ndarray, (b, 4, 4)
        L0 of every body.
    scale : ndarray, (n, 6)
        x0 of the unknowns of each joint; zero where there is no such unknown.
    top_speed : ndarray, (n,)
        Velocity up to which friction is not negative [rad/s or m/s].
    sigma : ndarray, (n,)
        Standard deviation of the residual of each joint.
    weight : float
        Of the prior of bodies.
    free_gains : tuple of int
        Joints (of the first set) whose effort has units of its own: their bodies' columns are
        multiplied by an unknown exp(gain), in all sets.
    fixed : tuple of int
        Bodies that stay as in the URDF.
    sets : int
        Sets of joints, one after the other, that have their rotors in common.
    payload : PayloadTerm or None

    """

    triangles: Sequence[Array]
    bodies: Sequence[Sequence[int]]
    factors: Array
    scale: Array
    top_speed: Array
    sigma: Array
    weight: float = 1.0
    free_gains: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()
    sets: int = 1
    payload: PayloadTerm | None = None


class Fit(NamedTuple):
    """
    The solution of a problem.

    Attributes
    ----------
    bodies : ndarray, (b, 10)
    joints : ndarray, (n, 6)
        The unknowns JOINT_COLUMNS.
    gains : ndarray, (n,)
        Effort as it was measured over effort of the bodies, 1 where they are known.
    unknowns : ndarray, (u,)
        The same in the coordinates of the method.
    cost : float

    """

    bodies: Array
    joints: Array
    gains: Array
    unknowns: Array
    cost: float

    def solution(self, joint: int, bodies: Sequence[int]) -> Array:
        """Return the unknowns of a joint's triangle."""
        return np.concatenate((self.gains[joint] * self.bodies[list(bodies)].ravel(),
                               self.joints[joint]))
