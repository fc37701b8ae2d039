"""Each body with all that it carries as one: its inertia, its momentum, and their moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, traced
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    cross,
    matrix_sum,
    outer,
    product,
    scale,
    symmetric,
    transpose,
    upper,
)
from urdf2dyn_ros.joints.joint_type import turned


class Composite(NamedTuple):
    """
    A body and what it carries, in one frame, relative to its origin.

    Mass m [kg], first moments h [kg m], inertia J [kg m^2]; P is twice the momentum [kg m/s], and
    K d twice the integral of r x (d x v) over the mass [kg m^2/s], r being the position and v
    the velocity relative to the origin: of the matrix T that is the integral of v r',
    K = 2 (tr(T) 1 - T).
    """

    m: Scalar = 0.0
    h: Vector = ZERO
    J: Matrix = NO_TENSOR
    P: Vector = ZERO
    K: Matrix = NO_TENSOR

    def plus(self, other: Composite) -> Composite:
        """Return the sum of two about the same origin."""
        return Composite(self.m + other.m, add(self.h, other.h), matrix_sum(self.J, other.J),
                         add(self.P, other.P), matrix_sum(self.K, other.K))

    def rotated_about_z(self, c: Scalar, s: Scalar) -> Composite:
        """Return it in axes that a rotation about z, with this cosine and sine, leads back to."""
        return Composite(self.m, turned(self.h, c, -s), _rotated_about_z(self.J, c, s),
                         turned(self.P, c, -s), _rotated_about_z(self.K, c, s))

    def rotated(self, R: Matrix) -> Composite:
        """Return it in axes to which R rotates vectors."""
        if R is IDENTITY:
            return self
        back = transpose(R)
        return Composite(self.m, apply(R, self.h),
                         symmetric(upper(product(product(R, self.J), back))),
                         apply(R, self.P), product(product(R, self.K), back))

    def about(self, r: Vector, twice_v: Vector) -> Composite:
        """Return it about an origin from which this one is at r, and moves with half twice_v."""
        h = add(self.h, scale(self.m, r))
        second = matrix_sum(outer(self.h, r), outer(r, h))
        first = matrix_sum(outer(self.P, r), outer(twice_v, h))
        return Composite(self.m, h, symmetric(upper(matrix_sum(self.J, traced(second)))),
                         add(self.P, scale(self.m, twice_v)), matrix_sum(self.K, traced(first)))


def own_composite(inertia: BodyInertia | None, S: Matrix, twice_w: Vector) -> Composite:
    """Return a body by itself from its inertia, its second moments and twice w."""
    if inertia is None:
        return Composite()
    # T = [w]x S has no trace
    columns = tuple(cross(twice_w, (S[0][k], S[1][k], S[2][k])) for k in range(3))
    K = transpose((scale(-1.0, columns[0]), scale(-1.0, columns[1]), scale(-1.0, columns[2])))
    return Composite(inertia.m, inertia.h, inertia.J, cross(twice_w, inertia.h), K)


def _rotated_about_z(m: Matrix, c: Scalar, s: Scalar) -> Matrix:
    """Return R m R', with four products for the block of x and y, from c^2 + s^2 = 1."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = m
    t = c * (xx - yy) - s * (xy + yx)
    return ((yy + c * t, xy + s * t, c * xz - s * yz),
            (yx + s * t, xx - c * t, s * xz + c * yz),
            (c * zx - s * zy, s * zx + c * zy, zz))


def entries(composite: Composite) -> Sequence[Scalar]:
    """Return all entries, of J in the order of TENSOR."""
    m, h, J, P, K = composite
    return (m, *h, *upper(J), *P, *K[0], *K[1], *K[2])
