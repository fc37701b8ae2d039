"""How well the URDF's bodies and friction of each joint explain a recording, quickly."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.columns import Columns
from urdf2dyn_ros.identification.fit.joint_columns import (
    ARMATURE,
    COULOMB,
    LOAD,
    OFFSET,
    VISCOUS,
    joint_columns,
)
from urdf2dyn_ros.identification.mistakes.change import Change
from urdf2dyn_ros.identification.pieces import UNUSED_ENDS, Piece
from urdf2dyn_ros.identification.robot import Robot

_SAMPLES = 400
"""Samples of a recording that are compared."""

_LEAST_SHARE = 1e-3
"""Share of an effort below which what is left of it is noise."""

_LEAST_OWN = 0.2
"""Share of the squares of gravity that nothing else explains, from which its factor is known."""

_POSITIVE = [VISCOUS, COULOMB, ARMATURE, LOAD]


class NominalFit:
    """
    The share of the efforts that the URDF leaves if a recording is changed.

    The effort of a joint is that of the URDF's bodies, friction and rotor, each times a factor
    that is not negative, and an offset. If its gain is free, all factors may be negative together.
    """

    def __init__(self, robot: Robot, pieces: Sequence[Piece], used: Array,
                 free: NDArray[np.bool_]) -> None:
        kept = [(each.time >= each.time[0] + UNUSED_ENDS)
                & (each.time <= each.time[-1] - UNUSED_ENDS) for each in pieces]
        q, qd, qdd, effort = (np.concatenate([getattr(each, name)[rows]
                                              for each, rows in zip(pieces, kept)])
                              for name in ('q', 'qd', 'qdd', 'effort'))
        self.joints: list[int] = np.flatnonzero(used).tolist()
        known = np.flatnonzero(np.isfinite(effort[:, self.joints]).all(axis=1))
        self.samples = min(_SAMPLES, len(known))
        rows = known[np.linspace(0, len(known) - 1, self.samples).astype(int)]
        self._q, self._qd, self._qdd, self._effort = q[rows], qd[rows], qdd[rows], effort[rows]
        self._robot, self._free = robot, free
        self._nominal_gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
        self._gravity: Array | None = None

    def left(self, change: Change) -> Array:
        """Return the logarithms of the shares of the squares (n,), 0 for joints not used."""
        q, qd, qdd = change.motion(self._q, self._qd, self._qdd)
        effort, nominal = change.effort(self._effort), self._nominal(change, q, qd, qdd)
        result = np.zeros(len(self._free))
        for joint in self.joints:
            result[joint] = self._share(nominal[:, joint], qd[:, joint], qdd[:, joint],
                                        effort[:, joint], joint)
        return result

    def gravity_factor(self) -> float:
        """
        Return the factor of the URDF's gravity that fits the efforts of all joints best.

        Joints count by what gravity needs besides friction and accelerations [N m or N]. It is 1
        where little is left: where a pendulum swings freely, gravity is what accelerates it.
        """
        q, qd, qdd = self._q, self._qd, self._qdd
        gravity = _gravity_efforts(self._robot, q) @ self._nominal_gravity
        inertial = self._robot.dynamics(q, qd, qdd) - gravity
        product = size = total = 0.0
        for joint in self.joints:
            own = joint_columns(qd[:, joint], qdd[:, joint], gravity[:, joint],
                                self._robot.sign_widths[joint])
            others = np.column_stack((inertial[:, joint], own[:, [*_POSITIVE[:3], OFFSET]]))
            lengths = np.linalg.norm(others, axis=0)
            basis = np.linalg.qr(others / np.where(lengths > 0.0, lengths, 1.0))[0]
            left = gravity[:, joint] - basis @ (basis.T @ gravity[:, joint])
            product += float(left @ self._effort[:, joint])
            size += float(left @ left)
            total += len(left) * float(np.var(gravity[:, joint]))
        return product / size if size > _LEAST_OWN * total > 0.0 else 1.0

    def _nominal(self, change: Change, q: Array, qd: Array, qdd: Array) -> Array:
        nominal = self._robot.dynamics(q, qd, qdd)
        if change.gravity is not None:
            if self._gravity is None:   # changes of gravity do not change positions
                self._gravity = _gravity_efforts(self._robot, q)
            nominal = nominal + self._gravity @ (change.gravity - self._nominal_gravity)
        return nominal

    def _share(self, nominal: Array, qd: Array, qdd: Array, effort: Array, joint: int) -> float:
        from scipy.optimize import nnls

        own = joint_columns(qd, qdd, nominal, self._robot.sign_widths[joint])[:, _POSITIVE]
        columns = np.column_stack((nominal, own, effort))
        columns -= columns.mean(axis=0)
        sizes = np.linalg.norm(columns, axis=0)
        columns /= np.where(sizes > 0.0, sizes, 1.0)
        R: Array = np.asarray(np.linalg.qr(columns, mode='r'))
        target, rest = R[:-1, -1], float(R[-1, -1]) ** 2
        signs = (1.0, -1.0) if self._free[joint] else (1.0,)
        left = min(nnls(R[:-1, :-1], sign * target)[1] for sign in signs)
        return math.log(max(left * left + rest, _LEAST_SHARE))


def _gravity_efforts(robot: Robot, q: Array) -> Array:
    """Return the efforts (k, n, 3) for a unit of gravity along each axis of the root frame."""
    rest = np.zeros_like(q)
    result = []
    for axis in np.eye(3).tolist():
        columns = Columns(robot.system, axis)(q, rest, rest)
        result.append(np.stack([part @ robot.prior.parameters[bodies].ravel()
                                for part, bodies in zip(columns, robot.columns.bodies)], axis=1))
    return np.stack(result, axis=-1)
