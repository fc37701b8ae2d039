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
from urdf2dyn_ros.robot.joints import (
    AT_REST,
    JOINTS,
    NO_WRENCH,
    Coordinate,
    JointType,
    Note,
    Wrench,
    prefixed,
    turned,
)
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
from urdf2dyn_ros.robot.terms import JointTerm

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
    rests: list[dict[int, Scalar]]   # the same before they are divided by the pivot
    inverses: list[Scalar]   # of the entries of D
    behind: list[list[int]]   # for each column of L the rows of its entries, from the last
    first: int = 0   # so many rows are not eliminated


def factorise(M: Sequence[Sequence[Scalar]], note: RowNote, first: int = 0) -> Factors:
    """
    Return the factors of a symmetric positive definite matrix (n, n), but for the `first` rows.

    For each row, from the last, `note` is called with what the rows behind leave of it (`r`), the
    inverse of the pivot (`id`), and the row of L (`l`).
    """
    n = len(M)
    rests: list[dict[int, Scalar]] = [{} for _ in M]
    rows: list[dict[int, Scalar]] = [{} for _ in M]
    inverses: list[Scalar] = [0.0] * n
    behind: list[list[int]] = [[] for _ in M]
    for k in reversed(range(first, n)):
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
    return Factors(rows, rests, inverses, behind, first)


def solved(known: Factors, b: Sequence[Scalar], note: RowNote) -> list[Scalar]:
    """Return x of L' D L x = b, where `note` is called with L'^-1 b (`e`) and x (`x`)."""
    return back_substituted(known, forward_substituted(known, b, note), (), note)


def forward_substituted(known: Factors, b: Sequence[Scalar], note: RowNote) -> list[Scalar]:
    """Return L'^-1 b, as far as rows are eliminated; `note` is called with its entries (`e`)."""
    e = list(b)
    for k in reversed(range(len(e))):
        for m in known.behind[k]:
            e[k] = e[k] - known.rows[m][k] * e[m]
        if k >= known.first:
            note(k, 'e', [(k, e[k])])
    return e


def back_substituted(known: Factors, e: Sequence[Scalar], first: Sequence[Scalar],
                     note: RowNote = lambda row, symbol, entries: None) -> list[Scalar]:
    """Return x of D L x = e from its first entries; `note` is called with the others (`x`)."""
    x = list(first)
    for k in range(len(x), len(e)):
        row = known.rows[k]
        x.append(e[k] * known.inverses[k])
        for j in sorted(row, key=lambda j: (is_one(row[j]), j)):
            x[k] = x[k] - row[j] * x[j]
        note(k, 'x', [(k, x[k])])
    return x


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


# ---- Which joints are eliminated together, as they are coupled, and in the frame of which body

class JointBlock(NamedTuple):
    """Bodies that are moved by coordinates which move no other body."""

    # the body, or ROOT, in whose frame they are eliminated: the first of them if it carries all
    # others, else the one that carries all of them
    frame: int
    bodies: tuple[int, ...]   # numbers, parents first, with all that are between them
    coordinates: tuple[int, ...]   # their coordinates, ascending


def joint_blocks(system: Multibody) -> list[JointBlock]:
    """Return the blocks: one body each, but for joints that follow others."""
    together = [{i} for i in range(len(system.bodies))]
    moved: dict[int, list[int]] = {}
    for i, body in enumerate(system.bodies):
        if body.moves:
            moved.setdefault(body.coordinate, []).append(i)
    for bodies in moved.values():
        if len(bodies) > 1:
            # with those between them, and with what these are joined to
            chains = [{*system.chain(i)} for i in bodies]
            shared = set.intersection(*chains) - {*bodies}
            joined = set().union(*(together[i] for i in set().union(*chains) - shared))
            for i in joined:
                together[i] = joined
    result = []
    for i, members in enumerate(together):
        coordinates = {system.bodies[k].coordinate for k in members if system.bodies[k].moves}
        if i == min(members) and coordinates:
            firsts = [k for k in members if system.bodies[k].parent not in members]
            frame = firsts[0] if len(firsts) == 1 else system.bodies[i].parent
            result.append(JointBlock(frame, tuple(sorted(members)), tuple(sorted(coordinates))))
    return result


# ---- The part of the mass matrix that belongs to joints which are eliminated together

def block_mass_matrix(
        system: Multibody, inertias: Sequence[SpatialInertia], coordinates: Sequence[Coordinate],
        terms: Mapping[int, Sequence[JointTerm]], block: JointBlock, note: Note,
        column: Callable[[int], None]) -> list[list[Scalar]]:
    """
    Return the rows of the mass matrix of the joints of a block, in ascending order.

    Each begins with the wrench that a unit acceleration of the joint requires of the body in whose
    frame the block is: six entries, force first. At the ROOT there are none. `column` is called
    with the number of a body whose column begins.
    """
    first = 0 if block.frame == ROOT else 6
    row = {k: first + n for n, k in enumerate(block.coordinates)}
    M: list[list[Scalar]] = [[0.0] * (first + len(row)) for _ in range(first + len(row))]
    for j in block.bodies:
        moving = system.bodies[j]
        if not moving.moves:
            continue
        column(j)
        k, accelerated = row[moving.coordinate], coordinates[j]._replace(qd=0.0, qdd=1.0)
        wrench, i = inertias[j].along(JOINTS[moving.type]), j
        while i != ROOT:   # to the body of the block
            body, joint = system.bodies[i], JOINTS[system.bodies[i].type]
            effort, moment = joint.along(wrench.f[2], wrench.n[2]), ZERO
            for term in terms.get(i, ()) if i == j else ():
                if term.INERTIAL:
                    effort = effort + term.effort(AT_REST, accelerated, 0.0)
                    moment = moment + term.on_parent(AT_REST, accelerated)   # along the axis
            required = wrench._replace(n=wrench.n + moment)
            if i in block.bodies and body.moves:
                m = row[body.coordinate]
                entry = moving.multiplier * (body.multiplier * effort)
                M[m][k] = M[m][k] + entry
                if i != j:
                    M[k][m] = M[k][m] + entry
            if i == block.frame:
                for n, entry in enumerate((*required.f, *required.n)):
                    M[k][n] = M[k][n] + moving.multiplier * entry
                break
            _, before = joint.backward(wrench, coordinates[i], prefixed(note, i, 'c'))
            before = before._replace(n=before.n + moment)
            if body.parent != ROOT:
                wrench = in_parent(body, before, prefixed(note, i, 'c'))
            i = body.parent
    return M


# ---- Forward dynamics by articulated bodies: each joint is eliminated where its body is
#
# As a joint moves freely, its body and all that it carries is, for the parent, a body with another
# inertia and another force (Featherstone 1983; Rigid Body Dynamics Algorithms, chapter 7). The
# work grows with the number of joints, where the factors of the mass matrix grow with the cube of
# the depth of the tree. Here the accelerations are those that are added to the ones without qdd,
# so that the wrenches of the recursion, summed once, are the forces of the bodies. Joints that
# move together are eliminated together, with the factors of their own part of the mass matrix.

_Acceleration = tuple[Vector, Vector]   # of a body by qdd alone: of its origin, then angular


class ArticulatedBodies:
    """
    A robot in the sweeps of the algorithm, with the motion without qdd.

    Symbols of a joint by itself begin with an A, those of joints that are eliminated together with
    a B; `part` is called with the bodies of the latter and the one that a column is about.
    """

    def __init__(self, system: Multibody, inertias: Sequence[SpatialInertia], forward: Forward,
                 loads: AppliedLoads, note: Note,
                 part: Callable[[Sequence[int] | None, int | None], None]) -> None:
        self._system, self._forward, self._loads = system, forward, loads
        self._inertias, self._note, self._part = list(inertias), note, part
        self._carried: list[list[SpatialInertia]] = [[] for _ in inertias]
        self._drivers = system.drivers
        self._blocks: dict[int, list[JointBlock]] = {}
        for block in joint_blocks(system):
            self._blocks.setdefault(block.frame, []).append(block)
        # joints of blocks by the body in whose frame they are, but for its acceleration
        self._eliminated: dict[int, list[tuple[JointBlock, Factors, list[Scalar]]]] = {}

    def eliminate(self, tau: Sequence[Scalar]) -> None:
        """Eliminate all joints, tips to root, as the efforts (n,) act on them."""
        rest = list(tau)
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
            wrench = self._eliminate(i, False, wrench, rest)
            left, moment = rest[body.coordinate], ZERO
            for term in self._loads.terms.get(i, ()):
                part = term.effort(parent, coordinate, 0.0)
                says(term.NAME, (part,))
                left = left - body.multiplier * part
                moment = moment + term.on_parent(parent, coordinate)
            left = left - body.multiplier * joint.along(wrench.f[2], wrench.n[2])
            rest[body.coordinate] = left
            if any(block.bodies == (i,) for block in self._blocks.get(i, ())):
                says('Ae', (left,))
            wrench = self._eliminate(i, True, wrench, rest)
            if body.parent != ROOT:
                self._carry(i)
                kind = 'A' if self._is_freed(i) else ''
                _, wrench = joint.backward(wrench, coordinate, prefixed(self._note, i, kind))
                if moment != ZERO:
                    wrench = wrench._replace(n=wrench.n + moment)
                    says('Anr', wrench.n)
                received[body.parent].append(in_parent(body, wrench, says))
        self._eliminate(ROOT, False, NO_WRENCH, rest)

    def _is_freed(self, i: int) -> bool:
        return any(i in block.bodies for block in self._blocks.get(i, ()))

    def _say_inertia(self, i: int, symbol: str, inertia: SpatialInertia) -> None:
        M, H, J = inertia
        self._note(i, symbol, (*upper(M), *H.entries, *upper(J)))

    def _carry(self, i: int) -> None:
        """Hand the inertia of body i to its parent."""
        body, coordinate = self._system.bodies[i], self._forward.coordinates[i]
        joint = JOINTS[body.type]
        inertia = self._inertias[i].rotated_about_z(*joint.cos_sin(coordinate))
        inertia = inertia.about(joint.displacement(coordinate.q))
        self._say_inertia(i, 'IFj' if self._is_freed(i) else 'IAj', inertia)
        inertia = inertia.rotated(body.parent_R_joint).about(body.parent_p_joint)
        self._say_inertia(i, 'IFp', inertia)
        self._carried[body.parent].append(inertia)

    def _eliminate(self, i: int, itself: bool, wrench: Wrench, rest: Sequence[Scalar]) -> Wrench:
        """Eliminate a body's own joints, or others in its frame; return the wrench left."""
        for block in self._blocks.get(i, ()):
            if (i in block.bodies) == itself:
                wrench = self._without(block, wrench, [rest[k] for k in block.coordinates])
        return wrench

    def _without(self, block: JointBlock, wrench: Wrench, rest: Sequence[Scalar]) -> Wrench:
        """Eliminate the joints of a block, and return the wrench that is left."""
        i, numbers = block.frame, [self._drivers[k] for k in block.coordinates]
        together = None if block.bodies == (i,) else [
            j for j in block.bodies if self._system.bodies[j].moves]
        kind = 'B' if together else 'A'
        M = block_mass_matrix(
            self._system, self._inertias, self._forward.coordinates, self._loads.terms, block,
            self._note, partial(self._part, together))
        first = len(M) - len(numbers)

        def note(k: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
            """Note a row: six entries, those of the block, the pivot."""
            row, by_column = numbers[k - first], dict(entries)
            self._part(together, None)
            if symbol in 'rl':
                self._note(row, f'{kind}{symbol}6',
                           tuple(by_column.get(j, 0.0) for j in range(first)))
            for j in sorted(by_column):
                if j >= first:
                    self._part(together, numbers[j - first] if j != k else None)
                    self._note(row, f'{kind}{symbol}' + ('_j' if j != k else ''), (by_column[j],))

        known = factorise(M, note, first)
        # several blocks may be in the frame of a body that is in none of them
        about = None if i in block.bodies else numbers[0]
        if i != ROOT:
            self._part(together, about)
            for k in reversed(range(first, len(M))):
                self._inertias[i] = self._inertias[i].freed(known.rests[k], known.rows[k])
            self._say_inertia(i, 'IF' if i in block.bodies else 'BF', self._inertias[i])
        left = [-1.0 * x for x in (*wrench.f, *wrench.n)[:first]]
        e = forward_substituted(known, [*left, *rest], note)
        self._eliminated.setdefault(i, []).append((block, known, e))
        if i != ROOT:
            wrench = Wrench(-Vector(*e[:3]), -Vector(*e[3:6]))
            self._part(together, about)
            self._note(i, f'{kind}f', wrench.f)
            self._note(i, f'{kind}n', wrench.n)
        self._part(None, None)
        return wrench

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
                    a = Vector(a[0], a[1], a[2] + joint.slides * by_joint)
                    self._note(i, 'xa', a)
                if joint.turns:
                    wd = Vector(wd[0], wd[1], wd[2] + joint.turns * by_joint)
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
                new = back_substituted(known, e, first)[known.first:]
                for k, x in zip(block.coordinates, new):
                    qdd[k] = x
                    self._note(self._drivers[k], 'xB' if len(block.bodies) > 1 else 'xA', (x,))

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
