"""
The tree of a robot cut open at its loops, in many poses at once: how far open, and closed.

Poses (N, n) are those of its independent joints. `LoopState` has the equations of loops for any
scalar, with velocities; here they are in numpy, tens of poses at once, for what is read.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loops import constraints_of
from urdf2dyn_ros.robot.model import Loop, LoopConstraint, LoopFrame, RobotModel
from urdf2dyn_ros.robot.multibody import ROOT, Multibody, make_multibody
from urdf2dyn_ros.robot.rotations import aligned, from_rpy
from urdf2dyn_ros.robot.spatial import Array

Mask = NDArray[np.bool_]


def _cross(a: Array, b: Array) -> Array:   # a tenth of what that of numpy takes
    x, y = [1, 2, 0], [2, 0, 1]
    return np.asarray(a[..., x] * b[..., y] - a[..., y] * b[..., x])


def _rotation(R: Array) -> tuple[Array, Array]:
    """Return vectors (N, 3) of rotations, and their rates (N, 3, 3) by angular velocities."""
    v = 0.5 * np.stack((R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0],
                        R[:, 1, 0] - R[:, 0, 1]), axis=1)
    cos = 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
    v[(np.linalg.norm(v, axis=1) < 1e-9) & (cos < 0.0), 0] = 1e-9   # half a turn: about any axis
    sin = np.linalg.norm(v, axis=1)
    angle = np.arctan2(sin, cos)
    small = angle < 1e-3
    with np.errstate(all='ignore'):
        vector = np.where(small, 1.0, angle / sin)[:, None] * v
        square = np.where(small, 1.0 / 12.0, angle**-2.0 - (1.0 + cos) / (2.0 * angle * sin))
    X = _cross(vector[:, None], np.eye(3)).transpose(0, 2, 1)   # X w = vector x w
    return vector, np.eye(3) - 0.5 * X + square[:, None, None] * (X @ X)


class _FramePoses:
    """A frame of a cut joint, on one of some bodies, in many poses at once."""

    def __init__(self, system: Multibody, frame: LoopFrame, bodies: Sequence[int]) -> None:
        i, link = system.links[frame.link]
        self._k = [*bodies, ROOT].index(i)
        R: Array = np.array(link.body_R_link)
        self._p = np.array(link.body_p_link) + R @ np.array(frame.xyz)
        self._R = R @ np.array(from_rpy(frame.rpy)) @ np.array(aligned(frame.axis))

    def at(self, frames: Sequence[Array]) -> tuple[Array, Array]:
        """Return axes (N, 3, 3) and origin (N, 3) in the root frame."""
        R = frames[2][self._k]
        return R @ self._R, frames[3][self._k] + R @ self._p


class _LoopPoses:
    """
    A cut joint in many poses at once: `LoopState` in a third of its time.

    Joints before the nearest body that carries both chains are left out, as there.
    """

    def __init__(self, system: Multibody, loop: Loop, bodies: Sequence[int]) -> None:
        self.ends = [_FramePoses(system, end, bodies) for end in (loop.first, loop.second)]
        first, second = chains = [system.chain(system.links[end.link][0])
                                  for end in (loop.first, loop.second)]
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second)))
        reference = system.attached(first[shared - 1] if shared else ROOT)[0].link.name
        self._reference = _FramePoses(system, LoopFrame(reference, axis=(0.0, 0.0, 1.0)), bodies)
        joints = [(sign, i) for sign, part in zip((-1.0, 1.0), chains) for i in part[shared:]]
        self._k = [bodies.index(i) for _, i in joints]
        self._second = np.array([sign > 0.0 for sign, _ in joints], bool)
        self._turns = np.array([bool(JOINTS[system.bodies[i].type].turns) for _, i in joints],
                               bool)
        self._factors = np.zeros((len(joints), len(system.joint_names)))
        for row, (sign, i) in zip(self._factors, joints):
            row[system.bodies[i].coordinate] = sign * float(system.bodies[i].multiplier)
        self._length = loop.length

    def rows(self, rows: Sequence[LoopConstraint], frames: Sequence[Array], whole: bool,
             ) -> tuple[Array, Array]:
        """
        Return phi (N, m) and J (N, m, n) of rows, as `LoopState.value` and `column` do.

        On the whole, where frames coincide, it is the vector of the rotation between them, which
        is no zero half a turn off.
        """
        (R1, p1), (R2, p2) = (end.at(frames) for end in self.ends)
        R0, d = self._reference.at(frames)[0], p2 - p1
        F, M = np.zeros((2, len(rows), *d.shape))
        phi = np.empty((len(d), len(rows)))
        for r, row in enumerate(rows):
            if row.kind == 'turn':
                u, v = R1[:, :, row.i], R2[:, :, row.j]
                M[r] = -row.scale * _cross(u, v)
                phi[:, r] = row.scale * (u * v).sum(axis=1)
                continue
            F[r] = (R0[:, :, row.i] if row.kind == 'point' else
                    R1[:, :, row.i] if row.kind == 'slide' else d / self._length)
            phi[:, r] = (F[r] * d).sum(axis=1)
            if row.kind == 'distance':
                phi[:, r] = 0.5 * (phi[:, r] - self._length)
        turns = [r for r, row in enumerate(rows) if row.kind == 'turn']
        if whole and len(turns) == 3:
            vector, slopes = _rotation(R1.transpose(0, 2, 1) @ R2)
            phi[:, turns] = rows[-1].scale * vector
            M[turns] = (rows[-1].scale * R1 @ slopes.transpose(0, 2, 1)).transpose(2, 0, 1)
        z, o = (part[self._k].transpose(1, 0, 2) for part in frames[:2])   # (N, k, 3)
        at_point = np.where(self._second[:, None], p2[:, None], p1[:, None]) - o
        arms = [np.where(self._turns[:, None], _cross(z, arm), z)
                for arm in (p2[:, None] - o, at_point)]
        F, M = F.transpose(1, 2, 0), M.transpose(1, 2, 0)
        points = np.array([row.kind == 'point' for row in rows])
        entries = np.where(points, arms[1] @ F, arms[0] @ F) + self._turns[:, None] * (z @ M)
        return phi, entries.transpose(0, 2, 1) @ self._factors


class CutTree:
    """The tree of a robot, cut open at its loops, in many poses (N, n) at once."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self.system = make_multibody(replace(model, loops=(), couplings=(), closed_loops=None))
        self.names, self.n = self.system.joint_names, len(self.system.joint_names)
        self.bodies = [self.system.bodies[i] for i in self.system.drivers]
        self.turning = np.array([bool(JOINTS[body.type].turns) for body in self.bodies], bool)
        limits = np.array([(body.limits.lower, body.limits.upper) for body in self.bodies],
                          np.float64).reshape(-1, 2)
        free = np.where(self.turning, math.pi, self.size)
        self.lower = np.where(np.isnan(limits[:, 0]), -np.inf, limits[:, 0])
        self.upper = np.where(np.isnan(limits[:, 1]), np.inf, limits[:, 1])
        self.range = (np.where(np.isfinite(self.lower), self.lower, -free),
                      np.where(np.isfinite(self.upper), self.upper, free))
        self.rows = [row for k, loop in enumerate(model.loops)
                     for row in constraints_of(k, loop, self.size)]

    @cached_property
    def size(self) -> float:
        """The largest distance [m] from joint to joint and to where loops are closed."""
        lengths = [math.hypot(*body.parent_p_joint) for body in self.system.bodies]
        lengths += [math.hypot(*end.xyz) for loop in self.model.loops
                    for end in (loop.first, loop.second)]
        return max(lengths, default=0.0) or 1.0

    @cached_property
    def gears(self) -> tuple[Array, Array]:
        """Multipliers of the independent joints in each coupling (c, n), and its offset (c,)."""
        factors = np.zeros((len(self.model.couplings), self.n))
        offsets = np.array([coupling.offset for coupling in self.model.couplings])
        for r, coupling in enumerate(self.model.couplings):
            ratios = np.array([k for _, k in coupling.terms])
            rows, constants = self.system.joint_rows([name for name, _ in coupling.terms])
            factors[r], offsets[r] = ratios @ rows, offsets[r] - ratios @ constants
        return factors, offsets

    @cached_property
    def _bodies(self) -> list[int]:
        """Numbers of the bodies between the root and loops."""
        return sorted({i for loop in self.model.loops for end in (loop.first, loop.second)
                       for i in self.system.chain(self.system.links[end.link][0])})

    @cached_property
    def cuts(self) -> list[_LoopPoses]:
        return [_LoopPoses(self.system, loop, self._bodies) for loop in self.model.loops]

    def evaluate(self, q: Array, whole: bool = False) -> tuple[Array, Array]:
        """Return phi (N, m) and J (N, m, n) of all rows, then of all couplings."""
        frames = self.frames(q)
        parts = [cut.rows([row for row in self.rows if row.loop == k], frames, whole)
                 for k, cut in enumerate(self.cuts)]
        factors, offsets = self.gears
        parts.append((q @ factors.T - offsets, np.broadcast_to(
            factors, (len(q), *factors.shape))))
        return (np.concatenate([phi for phi, _ in parts], axis=1),
                np.concatenate([J for _, J in parts], axis=1))

    @cached_property
    def _geometry(self) -> tuple[Array, ...]:
        """Of each body between root and loops: numbers of parents, depth, and constants."""
        where = {i: k for k, i in enumerate([*self._bodies, ROOT])}
        bodies = [self.system.bodies[i] for i in self._bodies]
        parents, depths = [where[body.parent] for body in bodies], [0] * (len(bodies) + 1)
        for k, parent in enumerate(parents):
            depths[k] = depths[parent] + 1
        return (np.array(parents, int), np.array(depths[:-1], int),
                np.array([body.parent_R_joint for body in bodies]).reshape(-1, 1, 3, 3),
                np.array([body.parent_p_joint for body in bodies]).reshape(-1, 1, 3, 1),
                np.array([body.coordinate for body in bodies], int),
                *np.array([(float(body.multiplier), float(body.offset), body.turn,
                            JOINTS[body.type].turns, JOINTS[body.type].slides)
                           for body in bodies]).reshape(-1, 5).T[..., None])

    def frames(self, q: Array) -> tuple[Array, ...]:
        """Return axes and origins of joints and of bodies in the root frame; last the root's."""
        parents, depths, R_joint, p_joint, coordinates, k, offset, turn, turns, slides = (
            self._geometry)
        x = k * q.T[coordinates] + offset
        angle = turns * x + turn
        cos, sin, far = np.cos(angle)[..., None], np.sin(angle)[..., None], (slides * x)[..., None]
        z, o, p = np.zeros((3, len(parents) + 1, len(q), 3))
        R = np.zeros((len(parents) + 1, len(q), 3, 3))
        R[-1] = np.eye(3)
        for depth in range(1, int(depths.max(initial=0)) + 1):
            i = np.flatnonzero(depths == depth)
            back = R[parents[i]]
            o[i] = p[parents[i]] + (back @ p_joint[i])[..., 0]
            A = back @ R_joint[i]
            z[i] = A[..., 2]
            R[i] = np.stack((A[..., 0] * cos[i] + A[..., 1] * sin[i],
                             A[..., 1] * cos[i] - A[..., 0] * sin[i], z[i]), axis=-1)
            p[i] = o[i] + far[i] * z[i]
        return z, o, R, p

    def close(self, q: Array, free: Sequence[int], steps: int = 80, whole: bool = False,
              ) -> tuple[Array, Array]:
        """Return poses, closed by moving some joints if they can be, and how far they are open."""
        q = q.copy()
        damping = np.full(len(q), 1e-3)
        phi, J = self.evaluate(q, whole)
        error = np.linalg.norm(phi, axis=1)
        unit = np.eye(phi.shape[1])
        for _ in range(steps):
            live = np.flatnonzero((error > 1e-14) & (damping < 1e3))
            if not len(live):
                break
            A = J[live][:, :, free]
            push = np.linalg.solve(
                A @ A.transpose(0, 2, 1) + (damping[live]**2)[:, None, None] * unit,
                phi[live][..., None])
            step = (A.transpose(0, 2, 1) @ push)[..., 0]
            longest = np.abs(step).max(axis=1, initial=1e-300, keepdims=True)
            trial = q[live]
            trial[:, free] -= step * np.minimum(1.0, 0.5 / longest)
            new_phi, new_J = self.evaluate(trial, whole)
            new = np.linalg.norm(new_phi, axis=1)
            better = new < error[live]
            change = np.where(better, 0.1, np.where(error[live] < 1e-12, 1e9, 10.0))   # none left
            damping[live] = np.maximum(change * damping[live], 1e-6)
            live = live[better]
            q[live], phi[live], J[live] = trial[better], new_phi[better], new_J[better]
            error[live] = new[better]
        return q, error

    def open(self, q: Array) -> float:
        return float(np.abs(self.evaluate(q[None])[0]).max(initial=0.0))

    def within(self, q: Array) -> Mask:
        return np.asarray(((q > self.lower - 1e-6) & (q < self.upper + 1e-6)).all(axis=1))

    def wrapped(self, q: Array) -> Array:
        """Return poses with the angles of joints without limits within half a turn."""
        free = self.turning & np.isinf(self.lower) & np.isinf(self.upper)
        turn = 2.0 * math.pi
        return np.where(free & (np.abs(q) > math.pi), q - turn * np.round(q / turn), q)

    def positions(self, pose: Array, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
        """Return the positions of joints of the tree, also of those that follow others now."""
        factors, offsets = self.system.joint_rows(names)
        return tuple(zip(names, (factors @ pose + offsets).tolist()))
