"""Inertial parameters of a body: the sum of those of its links, about the body's origin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    matrix_sum,
    outer,
    product,
    scale,
    symmetric,
    transpose,
    upper,
)


class LinkInertia(NamedTuple):
    """
    The inertial parameters of a link and its constant placement in its body.

    Mass [kg]; centre of mass [m] in the link's frame; tensor about it [kg m^2], along the inertial
    axes; placement of these and of the link's frame in the body.
    """

    mass: Scalar
    com: Vector
    tensor: Matrix
    body_R_inertial: Matrix
    body_R_link: Matrix
    body_p_link: Vector


class BodyInertia(NamedTuple):
    """
    Mass m [kg], first moments h = m c [kg m], inertia J about the origin [kg m^2].

    Second moments S, the integral of r r' over the mass [kg m^2], may stand in the place of J.
    """

    m: Scalar
    h: Vector
    J: Matrix

    @classmethod
    def of(cls, entries: Iterable[Scalar]) -> BodyInertia:
        """Return the inertia of ten entries: m, h, and J in the order of TENSOR."""
        m, x, y, z, *six = entries
        return cls(m, (x, y, z), symmetric(tuple(six)))

    @property
    def entries(self) -> tuple[Scalar, ...]:
        """The ten entries: m, h, and J in the order of TENSOR."""
        return (self.m, *self.h, *upper(self.J))

    def with_second_moments(self) -> BodyInertia:
        """Return the same with S = tr(J)/2 1 - J in the place of J."""
        J = self.J
        half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
        return self._replace(J=((half - J[0][0], -J[0][1], -J[0][2]),
                                (-J[1][0], half - J[1][1], -J[1][2]),
                                (-J[2][0], -J[2][1], half - J[2][2])))

    def with_tensor(self) -> BodyInertia:
        """Return the same with J = tr(S) 1 - S in the place of S."""
        return self._replace(J=traced(self.J))


NO_INERTIA = BodyInertia(0.0, ZERO, NO_TENSOR)


def traced(m: Matrix) -> Matrix:
    """Return tr(m) 1 - m."""
    return ((m[1][1] + m[2][2], -m[0][1], -m[0][2]), (-m[1][0], m[0][0] + m[2][2], -m[1][2]),
            (-m[2][0], -m[2][1], m[0][0] + m[1][1]))


def total(parts: Iterable[BodyInertia]) -> BodyInertia | None:
    """Return the sum of inertias about the same origin; None where there are none."""
    result = None
    for part in parts:
        result = part if result is None else BodyInertia(
            result.m + part.m, add(result.h, part.h), matrix_sum(result.J, part.J))
    return result


def com_in_body(link: LinkInertia) -> Vector:
    """Return the centre of mass in the body's frame [m]."""
    return add(apply(link.body_R_link, link.com), link.body_p_link)


def about_origin(link: LinkInertia) -> BodyInertia:
    """Return a link's inertia about its body's origin: J = R I R' + m (c.c 1 - c c')."""
    com = com_in_body(link)
    R = link.body_R_inertial
    tensor = product(product(R, link.tensor), transpose(R))
    return BodyInertia(link.mass, scale(link.mass, com), symmetric(upper(
        matrix_sum(tensor, _point_mass(link.mass, com)))))


def transformed(inertia: BodyInertia, R: Matrix, p: Vector) -> BodyInertia:
    """Return m, h and second moments S in a frame where r = R r' + p; J stands for S."""
    m, h, S = inertia
    h = apply(R, h)
    S = S if R is IDENTITY else product(product(R, S), transpose(R))
    mixed = outer(h, p)
    for part in (mixed, transpose(mixed), outer(scale(m, p), p)):
        S = matrix_sum(S, part)
    return BodyInertia(m, add(h, scale(m, p)), symmetric(upper(S)))


def rotated_about_z(inertia: BodyInertia, c: Scalar, s: Scalar) -> BodyInertia:
    """
    Return m, h and second moments S after a rotation about z with this cosine and sine.

    From c^2 + s^2 = 1: with t = c (S_xx - S_yy) - 2 s S_xy, the new S_xx is S_yy + c t, S_yy is
    the rest of the sum, and S_xy is S_xy + s t.
    """
    m, (x, y, z), S = inertia
    t = c * (S[0][0] - S[1][1]) - s * (2.0 * S[0][1])
    xx, xy = S[1][1] + c * t, S[0][1] + s * t
    yy = (S[0][0] + S[1][1]) - xx
    xz, yz = c * S[0][2] - s * S[1][2], s * S[0][2] + c * S[1][2]
    return BodyInertia(m, (c * x - s * y, s * x + c * y, z),
                       ((xx, xy, xz), (xy, yy, yz), (xz, yz, S[2][2])))


def _point_mass(m: Scalar, c: Vector) -> Matrix:
    """Return m (c.c 1 - c c'), the parallel-axis term."""
    x, y, z = c
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = -(m * (x * y)), -(m * (x * z)), -(m * (y * z))
    return ((m * (yy + zz), xy, xz), (xy, m * (xx + zz), yz), (xz, yz, m * (xx + yy)))
