"""Forward dynamics: joints are eliminated from M qdd = tau - bias."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.equations.loop_constraints import LoopConstraints
from urdf2dyn_ros.equations.mass_matrix import mass_matrix
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Forward,
    in_joint,
    in_parent,
    transmitted_wrench,
)
from urdf2dyn_ros.robot.inertia import Inertia
from urdf2dyn_ros.robot.joints import AT_REST, JOINTS, JointType, Note, Wrench, prefixed, turned
from urdf2dyn_ros.robot.loads import BodyTerms
from urdf2dyn_ros.robot.multibody import ROOT, Multibody, body_inertias
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Array,
    Matrix,
    Scalar,
    Vector,
    cross,
    reciprocal,
    symmetric,
    upper,
)

# ---- M = L' D L of a symmetric matrix, tips to root, and the solution of M x = b with it
#
# Joints of different branches do not move the same links, so their entry of the mass matrix is
# zero. If the last row is eliminated first, L has the zeros of M: no entry appears where there was
# none (Featherstone 2005, Efficient Factorization of the Joint-Space Inertia Matrix for Branched
# Kinematic Trees). The zeros are found in the matrix itself, so that those of joints that follow
# others in another branch, and of axes at right angles, are used as well.

RowNote = Callable[[int, str, Sequence[tuple[int, Scalar]]], None]
"""Called with a row's number, a symbol, and the columns with their entries."""


class Factors(NamedTuple):
    """M = L' D L: L has ones on the diagonal, and zeros to the right of it."""

    rows: list[dict[int, Scalar]]   # of L left of the diagonal: entries other than 0 by column
    inverses: list[Scalar]   # of the entries of D
    behind: list[list[int]]   # for each column of L the rows of its entries, from the last


def factorise(M: Sequence[Sequence[Scalar]], note: RowNote) -> Factors:
    """
    Return the factors of a symmetric positive definite matrix (n, n).

    For each row, from the last, `note` is called with what the rows behind leave of it (`r`), the
    inverse of the pivot (`id`), and the row of L (`l`).
    """
    n = len(M)
    rests: list[dict[int, Scalar]] = [{} for _ in M]   # rows before they are divided by the pivot
    rows: list[dict[int, Scalar]] = [{} for _ in M]
    inverses: list[Scalar] = [0.0] * n
    behind: list[list[int]] = [[] for _ in M]
    for k in reversed(range(n)):
        rest = {j: M[k][j] for j in reversed(range(k + 1))
                if not (isinstance(M[k][j], float) and M[k][j] == 0.0)}
        for m in behind[k]:
            for j, entry in rests[m].items():
                if j <= k:
                    rest[j] = rest.get(j, 0.0) - rows[m][k] * entry
        note(k, 'r', [*rest.items()])
        pivot = rest.pop(k)
        inverses[k] = reciprocal(pivot)
        note(k, 'id', [(k, inverses[k])])
        rests[k] = rest
        rows[k] = {j: _ratio(entry, pivot, inverses[k]) for j, entry in rest.items()}
        note(k, 'l', [*rows[k].items()])
        for j in rest:
            behind[j].append(k)
    return Factors(rows, inverses, behind)


def solved(known: Factors, b: Sequence[Scalar], note: RowNote) -> list[Scalar]:
    """Return x of L' D L x = b, where `note` is called with L'^-1 b (`e`) and x (`x`)."""
    e = list(b)
    for k in reversed(range(len(e))):
        for m in known.behind[k]:
            e[k] = e[k] - known.rows[m][k] * e[m]
        note(k, 'e', [(k, e[k])])
    x: list[Scalar] = []
    for k, row in enumerate(known.rows):
        x.append(_less_products(e[k] * known.inverses[k], row, x))
        note(k, 'x', [(k, x[k])])
    return x


def _less_products(total: Scalar, row: Mapping[int, Scalar], x: Sequence[Scalar]) -> Scalar:
    """Return a total less the products of a row with x, those by 1 last."""
    for j in sorted(row, key=lambda j: (is_one(row[j]), j)):
        total = total - row[j] * x[j]
    return total


def inverse(known: Factors) -> list[list[Scalar]]:
    """Return the inverse of L' D L, (n, n), symmetric."""
    # L times it is D^-1 L'^-1, which has zeros below its diagonal D^-1: of each column, the
    # entries above the diagonal are those of columns before, and the others follow from these
    n = len(known.rows)
    result: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for k in range(j, n):
            entry: Scalar = known.inverses[j] if k == j else 0.0
            for m, factor in sorted(known.rows[k].items()):
                entry = entry - factor * result[m][j]
            result[k][j] = result[j][k] = entry
    return result


def is_one(entry: Scalar) -> bool:
    """Return whether an entry is the number 1, with which no multiplication is left."""
    return isinstance(entry, float) and entry == 1.0


def _ratio(entry: Scalar, pivot: Scalar, inverse: Scalar) -> Scalar:
    """Return an entry divided by the pivot; of equal numbers without rounding."""
    equal = isinstance(entry, float) and isinstance(pivot, float) and entry == pivot
    return 1.0 if equal else entry * inverse


# ---- The inertia of a body with joints on it that move freely: it depends on the direction

class SpatialInertia(NamedTuple):
    """
    What accelerates a body by a and wd: the force M a + H wd and the moment H' a + J wd.

    M [kg] and J [kg m^2] are symmetric; with H [kg m] they are relative to the origin of one
    frame. Of a rigid body, M = m 1 and H = -[h]x.
    """

    M: Matrix = NO_TENSOR
    H: Matrix = NO_TENSOR
    J: Matrix = NO_TENSOR

    def plus(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(self.M + other.M, self.H + other.H, self.J + other.J)

    def along(self, joint: JointType) -> Wrench:
        """Return the wrench that a unit acceleration of a joint requires."""
        return Wrench(joint.slides * self.M[2] + joint.turns * self.H.T[2],
                      joint.slides * self.H[2] + joint.turns * self.J[2])

    def freed(self, rest: Mapping[int, Scalar], row: Mapping[int, Scalar]) -> SpatialInertia:
        """
        Return what is left as a joint moves freely.

        `rest` are the entries of the wrench of its unit acceleration that are not zero, force
        then moment; `row` the same divided by the pivot, 1 along the joint itself.
        """
        def product_of(a: int, b: int) -> Scalar:
            a, b = min(a, b), max(a, b)
            if a not in row or b not in row:
                return 0.0
            return row[a] * rest[b] if is_one(row[a]) else rest[a] * row[b]

        def less(part: Matrix, first: int, second: int) -> Matrix:
            return Matrix(*([part[a][b] - product_of(first + a, second + b) for b in range(3)]
                            for a in range(3)))

        return SpatialInertia(less(self.M, 0, 0), less(self.H, 0, 3), less(self.J, 3, 3))

    def rotated_about_z(self, c: Scalar, s: Scalar) -> SpatialInertia:
        """Return it after a rotation about z with this cosine and sine."""
        return self if is_one(c) else self._rotated(2, c, s)

    def rotated(self, R: Matrix) -> SpatialInertia:
        """Return it in axes to which R rotates vectors."""
        if R is IDENTITY:
            return self
        if R[0] == IDENTITY[0] and 0.0 not in (R[1][1], R[2][1]):
            return self._rotated(0, R[1][1], R[2][1])
        M, H, J = (R @ part @ R.T for part in self)
        return SpatialInertia(symmetric(upper(M)), H, symmetric(upper(J)))

    def _rotated(self, axis: int, c: Scalar, s: Scalar) -> SpatialInertia:
        M, H, J = self
        return SpatialInertia(_rotated(M, axis, c, s, True), _rotated(H, axis, c, s, False),
                              _rotated(J, axis, c, s, True))

    def about(self, r: Vector) -> SpatialInertia:
        """Return it about an origin from which this one is at r."""
        if r == ZERO:
            return self
        x, y, z = r
        H, J = self.H, self.J
        new = Matrix(*(row - cross(m, r) for row, m in zip(H, self.M)))   # H - M [r]x
        both = H + new
        # J + ([r]x H)' + [r]x new
        return SpatialInertia(self.M, new, symmetric((
            J[0][0] + (y * both[2][0] - z * both[1][0]),
            J[0][1] + (z * (H[0][0] - new[1][1]) - x * H[2][0] + y * new[2][1]),
            J[0][2] + (y * (new[2][2] - H[0][0]) + x * H[1][0] - z * new[1][2]),
            J[1][1] + (z * both[0][1] - x * both[2][1]),
            J[1][2] + (x * (H[1][1] - new[2][2]) - y * H[0][1] + z * new[0][2]),
            J[2][2] + (x * both[1][2] - y * both[0][2]))))


def rigid(inertia: Inertia | None) -> SpatialInertia:
    """Return the inertia of a rigid body."""
    if inertia is None:
        return SpatialInertia()
    m, (x, y, z), J = inertia.m, inertia.h, inertia.J
    return SpatialInertia(symmetric((m, 0.0, 0.0, m, 0.0, m)),
                          Matrix((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)), symmetric(upper(J)))


def _rotated(m: Matrix, k: int, c: Scalar, s: Scalar, symmetrical: bool) -> Matrix:
    """Return R m R' of a rotation about the axis k, with four products across it."""
    i, j = (k + 1) % 3, (k + 2) % 3
    across = (2.0 * s) * m[i][j] if symmetrical else s * (m[i][j] + m[j][i])
    t = c * (m[i][i] - m[j][j]) - across   # c^2 + s^2 = 1
    rows = [[m[k][k]] * 3 for _ in range(3)]
    rows[i][i], rows[i][j] = m[j][j] + c * t, m[i][j] + s * t
    rows[j][i], rows[j][j] = m[j][i] + s * t, m[i][i] - c * t
    rows[i][k], rows[j][k] = c * m[i][k] - s * m[j][k], s * m[i][k] + c * m[j][k]
    rows[k][i], rows[k][j] = c * m[k][i] - s * m[k][j], s * m[k][i] + c * m[k][j]
    return Matrix(*rows)


# ---- Forward dynamics by articulated bodies: each joint is eliminated where its body is
#
# As a joint moves freely, its body and all that it carries is, for the parent, a body with another
# inertia and another force (Featherstone 1983; Rigid Body Dynamics Algorithms, chapter 7). The
# work grows with the number of joints, where the factors of the mass matrix grow with the cube of
# the depth of the tree. Here the accelerations are those that are added to the ones without qdd,
# so that the wrenches of the recursion, summed once, are the forces of the bodies.

_Acceleration = tuple[Vector, Vector]   # of a body by qdd alone: of its origin, then angular


class EliminatedJoint(NamedTuple):
    """A joint whose acceleration is (effort - row . acceleration of its body without it) / d."""

    row: dict[int, Scalar]   # entries other than 0 of the wrench of a unit acceleration, over d
    inverse: Scalar   # of d
    effort: Scalar


class ArticulatedBodies:
    """A robot without mimic joints in the sweeps of the algorithm, with the motion without qdd."""

    def __init__(self, system: Multibody, inertias: Sequence[SpatialInertia], forward: Forward,
                 loads: AppliedLoads, note: Note) -> None:
        self._system, self._forward, self._loads = system, forward, loads
        self._inertias, self._note = list(inertias), note
        self._carried: list[list[SpatialInertia]] = [[] for _ in inertias]
        self._eliminated: dict[int, EliminatedJoint] = {}   # by number of the body

    def eliminate(self, tau: Sequence[Scalar]) -> None:
        """Eliminate all joints, tips to root, as the efforts (n,) act on them."""
        received: dict[int, list[Wrench]] = {i: [] for i in self._forward.own}
        for i in reversed(range(len(self._system.bodies))):
            body, says = self._system.bodies[i], partial(self._note, i)
            joint, coordinate = JOINTS[body.type], self._forward.coordinates[i]
            parent = in_joint(body, self._forward.motions[body.parent])
            for inertia in self._carried[i]:
                self._inertias[i] = self._inertias[i].plus(inertia)
            self._say_inertia(i, 'IA', self._inertias[i])
            wrench = transmitted_wrench(i, self._forward.own[i], received[i], self._loads,
                                        self._note)
            moment = ZERO
            if body.moves:
                left = tau[body.coordinate]
                for term in self._loads.terms.get(i, ()):
                    part = term.effort(parent, coordinate, 0.0)
                    says(term.NAME, (part,))
                    left = left - part
                    moment = moment + term.on_parent(parent, coordinate)
                left = left - joint.along(wrench.f[2], wrench.n[2])
                says('Ae', (left,))
                wrench = self._freed(i, wrench, left)
            if body.parent != ROOT:
                self._carry(i)
                kind = 'A' if body.moves else ''
                _, wrench = joint.backward(wrench, coordinate, prefixed(self._note, i, kind))
                if moment != ZERO:
                    wrench = wrench._replace(n=wrench.n + moment)
                    says('Anr', wrench.n)
                received[body.parent].append(in_parent(body, wrench, says))

    def _say_inertia(self, i: int, symbol: str, inertia: SpatialInertia) -> None:
        M, H, J = inertia
        self._note(i, symbol, (*upper(M), *H.entries, *upper(J)))

    def _carry(self, i: int) -> None:
        """Hand the inertia of body i to its parent."""
        body, coordinate = self._system.bodies[i], self._forward.coordinates[i]
        joint = JOINTS[body.type]
        inertia = self._inertias[i].rotated_about_z(*joint.cos_sin(coordinate))
        inertia = inertia.about(joint.displacement(coordinate.q))
        self._say_inertia(i, 'IFj' if body.moves else 'IAj', inertia)
        inertia = inertia.rotated(body.parent_R_joint).about(body.parent_p_joint)
        self._say_inertia(i, 'IFp', inertia)
        self._carried[body.parent].append(inertia)

    def _freed(self, i: int, wrench: Wrench, effort: Scalar) -> Wrench:
        """Eliminate the joint of body i by the effort left for it; return the wrench left."""
        joint, says = JOINTS[self._system.bodies[i].type], partial(self._note, i)
        accelerated = self._forward.coordinates[i]._replace(qd=0.0, qdd=1.0)
        required, moment = self._inertias[i].along(joint), ZERO
        pivot = joint.along(required.f[2], required.n[2])
        for term in self._loads.terms.get(i, ()):
            if term.INERTIAL:
                pivot = pivot + term.effort(AT_REST, accelerated, 0.0)
                moment = moment + term.on_parent(AT_REST, accelerated)   # along the axis
        six = (*required.f, *(required.n + moment))
        rest = {j: six[j] for j in reversed(range(6))
                if not (isinstance(six[j], float) and six[j] == 0.0)}
        says('Ar6', tuple(rest.get(j, 0.0) for j in range(6)))
        says('Ar', (pivot,))
        inverse = reciprocal(pivot)
        says('Aid', (inverse,))
        row = {j: _ratio(entry, pivot, inverse) for j, entry in rest.items()}
        says('Al6', tuple(row.get(j, 0.0) for j in range(6)))
        self._inertias[i] = self._inertias[i].freed(rest, row)
        self._say_inertia(i, 'IF', self._inertias[i])
        self._eliminated[i] = EliminatedJoint(row, inverse, effort)
        e = [-1.0 * x for x in (*wrench.f, *wrench.n)]
        for j in sorted(row, reverse=True):
            e[j] = e[j] - row[j] * effort
        wrench = Wrench(-Vector(*e[:3]), -Vector(*e[3:]))
        says('Af', wrench.f)
        says('An', wrench.n)
        return wrench

    def solve(self) -> list[Scalar]:
        """Return the accelerations (n,), root to tips."""
        qdd: list[Scalar] = [0.0] * len(self._system.joint_names)
        carriers = {body.parent for body in self._system.bodies}
        accelerations: dict[int, _Acceleration] = {ROOT: (ZERO, ZERO)}
        for i, body in enumerate(self._system.bodies):
            a, wd = self._in_body(i, accelerations[body.parent])
            by_joint: Scalar = 0.0
            if body.moves:
                row, inverse, effort = self._eliminated[i]
                by_joint = _less_products(effort * inverse, row, (*a, *wd))
                qdd[body.coordinate] = by_joint
                self._note(i, 'xA', (by_joint,))
            if i in carriers:
                joint = JOINTS[body.type]
                if joint.slides:
                    a = Vector(a[0], a[1], a[2] + joint.slides * by_joint)
                    self._note(i, 'xa', a)
                if joint.turns:
                    wd = Vector(wd[0], wd[1], wd[2] + joint.turns * by_joint)
                    self._note(i, 'xw', wd)
                accelerations[i] = (a, wd)
        return qdd

    def _in_body(self, i: int, parent: _Acceleration) -> _Acceleration:
        """Return the acceleration of the parent at body i, in its axes."""
        body, coordinate = self._system.bodies[i], self._forward.coordinates[i]
        joint, says = JOINTS[body.type], partial(self._note, i)
        back = body.parent_R_joint.T
        a = back @ (parent[0] + cross(parent[1], body.parent_p_joint))
        wd = back @ parent[1]
        says('xaj', a)
        says('xwj', wd)
        c, s = joint.cos_sin(coordinate)
        a = turned(a + cross(wd, joint.displacement(coordinate.q)), c, s)
        says('xab' if joint.slides else 'xa', a)
        wd = turned(wd, c, s)
        says('xwb' if joint.turns else 'xw', wd)
        return a, wd


# ---- Check that the mass matrix of a robot is positive definite, as that of bodies with mass is

SMALLEST_INERTIA = 1e-15   # of a coordinate [kg m^2 or kg]; 1 mm^3 of water has 1e-13
SMALLEST_SHARE = 1e-12   # of it that the joints behind, moving freely, leave: less is rounding


def weakness(system: Multibody, terms: BodyTerms) -> tuple[str, float, float] | None:
    """
    Return where the mass matrix of links and rotors is not positive definite, if anywhere.

    The joint, its entry on the diagonal [kg m^2 or kg], and what the joints behind leave of that.
    """
    inertias = body_inertias(system)
    n, motors = len(system.joint_names), system.actuated
    states = [[math.sin(1.7 * k + 2.0 * state + 0.4) for k in range(n)]
              for state in range(2)]   # without symmetry
    if system.closed_loops:
        start = dict(system.closed_loops.start)
        states = [[start[name] for name in system.joint_names]]
    for q in states:
        M: Array = np.array(mass_matrix(system, inertias, q, terms=terms)).reshape(n, n)
        if system.closed_loops:
            G: Array = np.array(LoopConstraints(system, q, system).motions)
            M = G @ M @ G.T
        rest = M.copy()
        for k in reversed(range(len(M))):   # as in `factors`
            if not rest[k, k] > max(SMALLEST_INERTIA, SMALLEST_SHARE * M[k, k]):
                return system.joint_names[motors[k]], float(M[k, k]), float(rest[k, k])
            rest[:k, :k] -= np.outer(rest[:k, k], rest[k, :k] / rest[k, k])
    return None
