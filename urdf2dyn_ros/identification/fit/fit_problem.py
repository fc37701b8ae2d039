"""The problem of a fit, and its solution."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.payload_term import PayloadTerm


class FitProblem(NamedTuple):
    """A fit."""

    # (c, c) of each joint: columns of its bodies, its own JOINT_COLUMNS, the effort
    triangles: Sequence[Array]
    bodies: Sequence[Sequence[int]]   # the bodies of each joint's columns
    factors: Array   # (b, 4, 4), L0 of every body
    scale: Array   # (n, 6), x0 of the unknowns of each joint; zero where there is no such unknown
    top_speed: Array   # (n,), velocity up to which friction is not negative [rad/s or m/s]
    sigma: Array   # (n,), standard deviation of the residual of each joint
    weight: float = 1.0   # of the prior of bodies
    # joints (of the first set) whose effort has units of its own: their bodies' columns are
    # multiplied by an unknown exp(gain), in all sets
    free_gains: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()   # bodies that stay as in the URDF
    sets: int = 1   # sets of joints, one after the other, that have their rotors in common
    payload: PayloadTerm | None = None


class Fit(NamedTuple):
    """The solution of a problem."""

    bodies: Array   # (b, 10)
    joints: Array   # (n, 6), the unknowns JOINT_COLUMNS
    # (n,), effort as it was measured over effort of the bodies, 1 where they are known
    gains: Array
    unknowns: Array   # (u,), the same in the coordinates of the method
    cost: float

    def solution(self, joint: int, bodies: Sequence[int]) -> Array:
        """Return the unknowns of a joint's triangle."""
        return np.concatenate((self.gains[joint] * self.bodies[list(bodies)].ravel(),
                               self.joints[joint]))
