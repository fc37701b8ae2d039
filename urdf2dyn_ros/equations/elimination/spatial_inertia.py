"""The inertia of a body with joints on it that move freely: it depends on the direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    matrix_sum,
    product,
    scale,
    subtract,
    symmetric,
    transpose,
    upper,
)
from urdf2dyn_ros.equations.elimination.sparse_factors import is_one
from urdf2dyn_ros.joints import JointType
from urdf2dyn_ros.joints.motion import Wrench

_X_AXIS = (1.0, 0.0, 0.0)


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
        """Return the sum of two about the same origin."""
        return SpatialInertia(matrix_sum(self.M, other.M), matrix_sum(self.H, other.H),
                              matrix_sum(self.J, other.J))

    def along(self, joint: JointType) -> Wrench:
        """Return the wrench that a unit acceleration of a joint requires."""
        H_z = (self.H[0][2], self.H[1][2], self.H[2][2])
        return Wrench(add(scale(joint.slides, self.M[2]), scale(joint.turns, H_z)),
                      add(scale(joint.slides, self.H[2]), scale(joint.turns, self.J[2])))

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
            x, y, z = ([part[a][b] - product_of(first + a, second + b) for b in range(3)]
                       for a in range(3))
            return ((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2]))

        return SpatialInertia(less(self.M, 0, 0), less(self.H, 0, 3), less(self.J, 3, 3))

    def rotated_about_z(self, c: Scalar, s: Scalar) -> SpatialInertia:
        """Return it in axes that a rotation about z, with this cosine and sine, leads back to."""
        return self if is_one(c) else self._rotated(2, c, s)

    def rotated(self, R: Matrix) -> SpatialInertia:
        """Return it in axes to which R rotates vectors."""
        if R is IDENTITY:
            return self
        if R[0] == _X_AXIS and 0.0 not in (R[1][1], R[2][1]):
            return self._rotated(0, R[1][1], R[2][1])
        M, H, J = (product(product(R, part), transpose(R)) for part in self)
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
        new: Matrix = (subtract(H[0], cross(self.M[0], r)), subtract(H[1], cross(self.M[1], r)),
                       subtract(H[2], cross(self.M[2], r)))   # H - M [r]x
        both = matrix_sum(H, new)
        # J + ([r]x H)' + [r]x new
        return SpatialInertia(self.M, new, symmetric((
            J[0][0] + (y * both[2][0] - z * both[1][0]),
            J[0][1] + (z * (H[0][0] - new[1][1]) - x * H[2][0] + y * new[2][1]),
            J[0][2] + (y * (new[2][2] - H[0][0]) + x * H[1][0] - z * new[1][2]),
            J[1][1] + (z * both[0][1] - x * both[2][1]),
            J[1][2] + (x * (H[1][1] - new[2][2]) - y * H[0][1] + z * new[0][2]),
            J[2][2] + (x * both[1][2] - y * both[0][2]))))


def rigid(inertia: BodyInertia | None) -> SpatialInertia:
    """Return the inertia of a rigid body; J is its tensor."""
    if inertia is None:
        return SpatialInertia()
    m, (x, y, z), J = inertia
    return SpatialInertia(((m, 0.0, 0.0), (0.0, m, 0.0), (0.0, 0.0, m)),
                          ((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)), symmetric(upper(J)))


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
    x, y, z = rows
    return ((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2]))
