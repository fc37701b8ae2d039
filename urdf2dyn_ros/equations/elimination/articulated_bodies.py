"""
Forward dynamics by articulated bodies: each joint is eliminated where its body is.

As a joint moves freely, its body and all that it carries is, for the parent, a body with another
inertia and another force (Featherstone 1983; Rigid Body Dynamics Algorithms, chapter 7). The work
grows with the number of joints, where the factors of the mass matrix grow with the cube of the
depth of the tree. Here the accelerations are those that are added to the ones without qdd, so that
the wrenches of the recursion, summed once, are the forces of the bodies. Joints that move together
are eliminated together, with the factors of their own part of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import ZERO, Vector, add, apply, cross, transpose, upper
from urdf2dyn_ros.equations.elimination.block_mass_matrix import block_mass_matrix
from urdf2dyn_ros.equations.elimination.blocks import JointBlock, blocks
from urdf2dyn_ros.equations.elimination.sparse_factors import (
    Factors,
    RowNote,
    factors,
    reduced,
    substituted,
)
from urdf2dyn_ros.equations.elimination.spatial_inertia import SpatialInertia
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Forward,
    in_joint,
    in_parent,
    summed,
)
from urdf2dyn_ros.equations.recursion import prefixed
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.joint_type import turned
from urdf2dyn_ros.joints.motion import NO_WRENCH, Note, Wrench
from urdf2dyn_ros.multibody import ROOT, Multibody

_Acceleration = tuple[Vector, Vector]
"""Acceleration of a body by qdd alone: that of its origin, then the angular one."""


class _Eliminated(NamedTuple):
    """The joints of a block, but for the acceleration of the body in whose frame they are."""

    block: JointBlock
    known: Factors
    e: list[Scalar]


class ArticulatedBodies:
    """
    A robot in the sweeps of the algorithm.

    Inertias are one per body, `forward` the motion without qdd; loads are by the numbers of the
    bodies. `note` is called with every named quantity, with an A before the symbols of a joint by
    itself, and a B before those of joints that are eliminated together. `part` is called with the
    bodies of the latter and the one that a column is about, and with None and None after these.
    """

    def __init__(self, system: Multibody, inertias: Sequence[SpatialInertia], forward: Forward,
                 loads: AppliedLoads, note: Note,
                 part: Callable[[Sequence[int] | None, int | None], None]) -> None:
        self._system, self._forward, self._loads = system, forward, loads
        self._inertias, self._note, self._part = list(inertias), note, part
        self._carried: list[list[SpatialInertia]] = [[] for _ in inertias]
        self._drivers = system.drivers
        self._blocks: dict[int, list[JointBlock]] = {}
        for block in blocks(system):
            self._blocks.setdefault(block.frame, []).append(block)
        self._eliminated: dict[int, list[_Eliminated]] = {}

    def eliminate(self, tau: Sequence[Scalar]) -> None:
        """Eliminate all joints, tips to root, as the efforts (n,) act on them."""
        rest = list(tau)
        received: list[list[Wrench]] = [[] for _ in self._forward.own]
        for i in reversed(range(len(self._system.bodies))):
            body, says = self._system.bodies[i], partial(self._note, i)
            joint, at = JOINTS[body.type], self._forward.coordinates[i]
            parent = in_joint(body, self._forward.motions[body.parent])
            for inertia in self._carried[i]:
                self._inertias[i] = self._inertias[i].plus(inertia)
            self._say_inertia(i, 'IA', self._inertias[i])
            wrench = summed(i, self._forward.own[i], received[i], self._loads, self._note)
            wrench = self._freed(i, False, wrench, rest)
            left, moment = rest[body.coordinate], ZERO
            for term in self._loads.terms.get(i, ()):
                part = term.effort(parent, at, 0.0)
                says(term.NAME, (part,))
                left = left - body.multiplier * part
                moment = add(moment, term.on_parent(parent, at))
            left = left - body.multiplier * joint.along(wrench.f[2], wrench.n[2])
            rest[body.coordinate] = left
            if any(block.bodies == (i,) for block in self._blocks.get(i, ())):
                says('Ae', (left,))
            wrench = self._freed(i, True, wrench, rest)
            if body.parent != ROOT:
                self._carry(i)
                kind = 'A' * self._is_freed(i)
                _, wrench = joint.backward(wrench, at, prefixed(self._note, i, kind))
                if moment != ZERO:
                    wrench = wrench._replace(n=add(wrench.n, moment))
                    says('Anr', wrench.n)
                received[body.parent].append(in_parent(body, wrench, says))
        self._freed(ROOT, False, NO_WRENCH, rest)

    def _is_freed(self, i: int) -> bool:
        """Return whether the joint of a body is eliminated in the frame of this body."""
        return any(i in block.bodies for block in self._blocks.get(i, ()))

    def _say_inertia(self, i: int, symbol: str, inertia: SpatialInertia) -> None:
        M, H, J = inertia
        self._note(i, symbol, (*upper(M), *H[0], *H[1], *H[2], *upper(J)))

    def _carry(self, i: int) -> None:
        """Hand the inertia of body i to its parent."""
        body, at = self._system.bodies[i], self._forward.coordinates[i]
        joint = JOINTS[body.type]
        rotation = joint.rotation(at)
        inertia = self._inertias[i].rotated_about_z(rotation[0][0], rotation[1][0])
        inertia = inertia.about(joint.displacement(at.q))
        self._say_inertia(i, 'IFj' if self._is_freed(i) else 'IAj', inertia)
        inertia = inertia.rotated(body.parent_R_joint).about(body.parent_p_joint)
        self._say_inertia(i, 'IFp', inertia)
        self._carried[body.parent].append(inertia)

    def _freed(self, i: int, itself: bool, wrench: Wrench, rest: Sequence[Scalar]) -> Wrench:
        """
        Return the wrench of a body on which joints move freely.

        These are the joints of the body `itself` and those that are eliminated with it, or others
        in its frame. Its inertia becomes what they leave of it.
        """
        for block in self._blocks.get(i, ()):
            if (i in block.bodies) == itself:
                wrench = self._without(block, wrench, [rest[k] for k in block.coordinates])
        return wrench

    def _without(self, block: JointBlock, wrench: Wrench, rest: Sequence[Scalar]) -> Wrench:
        """Eliminate the joints of a block, and return the wrench that is left."""
        i, numbers = block.frame, [self._drivers[k] for k in block.coordinates]
        together = None if block.bodies == (i,) else [
            j for j in block.bodies if self._system.bodies[j].multiplier != 0.0]
        M = block_mass_matrix(
            self._system, self._inertias, self._forward.coordinates, self._loads.terms, block,
            self._note, partial(self._part, together))
        first = len(M) - len(numbers)
        note = self._row_note(numbers, together, first)
        known = factors(M, note, first)
        # several blocks may be in the frame of a body that is in none of them
        about = None if i in block.bodies else numbers[0]
        if i != ROOT:
            self._part(together, about)
            for k in reversed(range(first, len(M))):
                self._inertias[i] = self._inertias[i].freed(known.rests[k], known.rows[k])
            self._say_inertia(i, 'IF' if i in block.bodies else 'BF', self._inertias[i])
        e = reduced(known, [*(-1.0 * x for x in (*wrench.f, *wrench.n)[:first]), *rest], note)
        self._eliminated.setdefault(i, []).append(_Eliminated(block, known, e))
        if i != ROOT:
            f_x, f_y, f_z, n_x, n_y, n_z = (-1.0 * x for x in e[:first])
            wrench = Wrench((f_x, f_y, f_z), (n_x, n_y, n_z))
            self._part(together, about)
            self._note(i, 'Bf' if together else 'Af', wrench.f)
            self._note(i, 'Bn' if together else 'An', wrench.n)
        self._part(None, None)
        return wrench

    def _row_note(self, numbers: Sequence[int], together: Sequence[int] | None,
                  first: int) -> RowNote:
        """Return what notes the rows of the factors: six entries, those of a block, the pivot."""
        kind = 'B' if together else 'A'

        def note(k: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
            i, by_column = numbers[k - first], dict(entries)
            self._part(together, None)
            if symbol in 'rl':
                self._note(i, f'{kind}{symbol}6',
                           tuple(by_column.get(j, 0.0) for j in range(first)))
            for j in sorted(by_column):
                if j >= first:
                    other = numbers[j - first] if j != k else None
                    self._part(together, other)
                    self._note(i, f'{kind}{symbol}' + '_j' * (j != k), (by_column[j],))

        return note

    def solve(self) -> list[Scalar]:
        """Return the accelerations (n,), root to tips."""
        qdd: list[Scalar] = [0.0] * len(self._drivers)
        carriers = {body.parent for body in self._system.bodies}
        accelerations: dict[int, _Acceleration] = {ROOT: (ZERO, ZERO)}
        self._accelerate(ROOT, False, (ZERO, ZERO), qdd)
        for i, body in enumerate(self._system.bodies):
            a, wd = self._in_body(i, accelerations[body.parent])
            self._accelerate(i, True, (a, wd), qdd)
            if i in carriers:
                joint = JOINTS[body.type]
                by_joint = body.multiplier * qdd[body.coordinate]
                if joint.slides:
                    a = (a[0], a[1], a[2] + joint.slides * by_joint)
                    self._note(i, 'xa', a)
                if joint.turns:
                    wd = (wd[0], wd[1], wd[2] + joint.turns * by_joint)
                    self._note(i, 'xw', wd)
                self._accelerate(i, False, (a, wd), qdd)
                accelerations[i] = (a, wd)
        return qdd

    def _accelerate(self, i: int, itself: bool, acceleration: _Acceleration,
                    qdd: list[Scalar]) -> None:
        """Compute the accelerations of joints from that of the body in whose frame they are."""
        for block, known, e in self._eliminated.get(i, ()):
            if (i in block.bodies) == itself:
                first = [*acceleration[0], *acceleration[1]][:known.first]
                for k, x in zip(block.coordinates, substituted(known, e, first)[known.first:]):
                    qdd[k] = x
                    self._note(self._drivers[k], 'xB' if len(block.bodies) > 1 else 'xA', (x,))

    def _in_body(self, i: int, parent: _Acceleration) -> _Acceleration:
        """Return the acceleration of the parent at body i, in its axes."""
        body, at = self._system.bodies[i], self._forward.coordinates[i]
        joint, says = JOINTS[body.type], partial(self._note, i)
        back = transpose(body.parent_R_joint)
        a = apply(back, add(parent[0], cross(parent[1], body.parent_p_joint)))
        wd = apply(back, parent[1])
        says('xaj', a)
        says('xwj', wd)
        c, s = joint.cos_sin(at)
        a = turned(add(a, cross(wd, joint.displacement(at.q))), c, s)
        says('xab' if joint.slides else 'xa', a)
        wd = turned(wd, c, s)
        says('xwb' if joint.turns else 'xw', wd)
        return a, wd
