"""How a recording would have to be changed to be without a mistake."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.columns import Columns
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot


class Differential(NamedTuple):
    """
    Two joints (i, j) that two motors drive together, both of them each.

    Their efforts are the products of `signs` (2, 2) with those of the motors, which are recorded.
    """

    joints: tuple[int, int]
    signs: tuple[tuple[float, float], tuple[float, float]]


class Change(NamedTuple):
    """A change of recorded positions and efforts, and of gravity."""

    positions: NDArray[np.int64]   # (n,), the recorded joint whose positions are those of a joint
    efforts: NDArray[np.int64]   # (n,), the one whose efforts are
    position_signs: Array   # (n,), 1 or -1
    effort_signs: Array   # (n,), 1 or -1
    shifts: Array   # (n,), what is added to positions [rad or m]
    gravity: Array | None = None   # (3,) in the frame of the root [m/s^2]; None: the robot's
    # joints whose recorded efforts are those of their motors
    differential: Differential | None = None

    def motion(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return the changed positions to accelerations (k, n)."""
        q, qd, qdd = (self.position_signs * each[:, self.positions] for each in (q, qd, qdd))
        return q + self.shifts, qd, qdd

    def effort(self, effort: Array) -> Array:
        """Return the changed efforts (k, n)."""
        changed = self.effort_signs * effort[:, self.efforts]
        if self.differential is not None:
            joints, signs = [*self.differential.joints], np.array(self.differential.signs)
            changed[:, joints] = changed[:, joints] @ signs.T
        return changed

    def pieces(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the changed pieces of a recording."""
        return [Piece(each.time, each.rate, *self.motion(each.q, each.qd, each.qdd),
                      self.effort(each.effort)) for each in pieces]

    def robot(self, robot: Robot) -> Robot:
        """Return the robot with the changed gravity."""
        if self.gravity is None:
            return robot
        return replace(robot, columns=Columns(robot.system, self.gravity.tolist()))


def no_change(joints: int) -> Change:
    """Return the change that leaves a recording as it is."""
    order, ones = np.arange(joints), np.ones(joints)
    return Change(order, order, ones, ones, np.zeros(joints))


def swapped(joints: int, one: int, other: int) -> NDArray[np.int64]:
    """Return the order of joints in which two are interchanged."""
    order = np.arange(joints)
    order[[one, other]] = other, one
    return order


def turned(joints: int, joint: int) -> Array:
    """Return the signs in which that of one joint is -1."""
    signs = np.ones(joints)
    signs[joint] = -1.0
    return signs
