"""Inertial parameters of links and bodies, and whether a body can have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Array,
    Matrix,
    Scalar,
    Vector,
    outer,
    symmetric,
    upper,
)

# ---- Inertial parameters of a body: the sum of those of its links, about the body's origin


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


class _TenNumbers(NamedTuple):
    m: Scalar
    h: Vector
    tensor: Matrix


Kind = TypeVar('Kind', bound='_Inertia')


class _Inertia(_TenNumbers):
    """Mass m [kg], first moments h = m c [kg m], a symmetric tensor about the origin [kg m^2]."""

    __slots__ = ()

    @classmethod
    def of(cls: type[Kind], entries: Iterable[Scalar]) -> Kind:
        """Return that of ten entries: m, h, and the tensor's in the order of TENSOR."""
        m, x, y, z, *six = entries
        return cls(m, Vector(x, y, z), symmetric(tuple(six)))

    @property
    def entries(self) -> tuple[Scalar, ...]:
        """The ten entries, as for `of`."""
        return (self.m, *self.h, *upper(self.tensor))

    def plus(self: Kind, other: Kind) -> Kind:
        """Return the sum of two about the same origin."""
        return type(self)(self.m + other.m, self.h + other.h, self.tensor + other.tensor)

    def rotated_about_z(self: Kind, c: Scalar, s: Scalar) -> Kind:
        """
        Return it after a rotation about z with this cosine and sine.

        From c^2 + s^2 = 1: with t = c (T_xx - T_yy) - 2 s T_xy, the new T_xx is T_yy + c t, T_yy
        is the rest of the sum, and T_xy is T_xy + s t.
        """
        m, (x, y, z), T = self
        t = c * (T[0][0] - T[1][1]) - s * (2.0 * T[0][1])
        xx, xy = T[1][1] + c * t, T[0][1] + s * t
        yy = (T[0][0] + T[1][1]) - xx
        xz, yz = c * T[0][2] - s * T[1][2], s * T[0][2] + c * T[1][2]
        return type(self)(m, Vector(c * x - s * y, s * x + c * y, z),
                          symmetric((xx, xy, xz, yy, yz, T[2][2])))


class BodyInertia(_Inertia):
    """Mass m [kg], first moments h = m c [kg m], inertia J about the origin [kg m^2]."""

    __slots__ = ()

    @property
    def J(self) -> Matrix:  # noqa: N802 - as in the equations
        return self.tensor

    @property
    def second_moments(self) -> SecondMoments:
        """The same with S = tr(J)/2 1 - J."""
        J = self.tensor
        half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
        return SecondMoments(self.m, self.h, Matrix((half - J[0][0], -J[0][1], -J[0][2]),
                                                    (-J[1][0], half - J[1][1], -J[1][2]),
                                                    (-J[2][0], -J[2][1], half - J[2][2])))


class SecondMoments(_Inertia):
    """
    Mass m [kg], first moments h = m c [kg m], second moments S about the origin [kg m^2].

    S is the integral of r r' over the mass. It is shifted and rotated without a trace.
    """

    __slots__ = ()

    @property
    def S(self) -> Matrix:  # noqa: N802 - as in the equations
        return self.tensor

    @property
    def J(self) -> Matrix:  # noqa: N802 - as in the equations
        """J = tr(S) 1 - S."""
        return traced(self.tensor)

    @property
    def second_moments(self) -> SecondMoments:
        return self

    def in_frame(self, R: Matrix, p: Vector) -> SecondMoments:
        """Return m, h and S in a frame where r = R r' + p."""
        m, h, S = self
        h = R @ h
        S = S if R is IDENTITY else R @ S @ R.T
        mixed, shifted = outer(h, p), outer(m * p, p)
        S = S + mixed + mixed.T + shifted
        return SecondMoments(m, h + m * p, symmetric(upper(S)))


Inertia = BodyInertia | SecondMoments

NO_INERTIA = BodyInertia(0.0, ZERO, NO_TENSOR)
NO_MOMENTS = SecondMoments(*NO_INERTIA)


def traced(m: Matrix) -> Matrix:
    """Return tr(m) 1 - m."""
    return Matrix((m[1][1] + m[2][2], -m[0][1], -m[0][2]),
                  (-m[1][0], m[0][0] + m[2][2], -m[1][2]),
                  (-m[2][0], -m[2][1], m[0][0] + m[1][1]))


def total(parts: Iterable[Kind]) -> Kind | None:
    """Return the sum of inertias about the same origin; None where there are none."""
    result = None
    for part in parts:
        result = part if result is None else result.plus(part)
    return result


def second_moments(inertias: Sequence[Inertia | None]) -> list[SecondMoments | None]:
    """Return the second moments of bodies."""
    return [inertia and inertia.second_moments for inertia in inertias]


def com_in_body(link: LinkInertia) -> Vector:
    """Return the centre of mass in the body's frame [m]."""
    return link.body_R_link @ link.com + link.body_p_link


def about_origin(link: LinkInertia) -> BodyInertia:
    """Return a link's inertia about its body's origin: J = R I R' + m (c.c 1 - c c')."""
    com = com_in_body(link)
    R = link.body_R_inertial
    tensor = R @ link.tensor @ R.T
    return BodyInertia(link.mass, link.mass * com,
                       symmetric(upper(tensor + _point_mass(link.mass, com))))


def _point_mass(m: Scalar, c: Vector) -> Matrix:
    """Return m (c.c 1 - c c'), the parallel-axis term."""
    x, y, z = c
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = -(m * (x * y)), -(m * (x * z)), -(m * (y * z))
    return symmetric((m * (yy + zz), xy, xz, m * (xx + zz), yz, m * (xx + yy)))


# ---- Check whether a rigid body can have an inertia tensor

_LEAST_MOMENT = 1e-9   # share of the largest one
_LEAST_THICKNESS = 1e-6   # [m]: a thinner body has moments of 1e-35 kg m^2, all rounding errors


def inertia_flaw(texts: Sequence[str], entries: Sequence[float], mass: float,
                 ) -> tuple[str, str] | None:
    """
    Return why no body has this tensor, as the code of a rule and a message; None if one can.

    Principal moments are not negative, and none exceeds the sum of the other two. Printed entries
    are rounded: a tensor has a flaw only if no values that round to its entries are without it.

    The entries (6,), ixx, ixy, ixz, iyy, iyz, izz [kg m^2], also as printed, are not all zero; the
    mass is in [kg].
    """
    scale = max(abs(entry) for entry in entries)  # against overflow, for any finite entries
    tensor: Array = np.array(symmetric(tuple(entry / scale for entry in entries)))
    rounding: Array = np.array(symmetric(tuple(
        unit / scale for unit in _half_units(texts, entries))))
    low, middle, high = (float(moment) for moment in np.linalg.eigvalsh(tensor))
    floor = _LEAST_MOMENT * max(abs(low), abs(high)) + abs(mass) * _LEAST_THICKNESS**2 / scale
    negative = float(rounding.sum(axis=1).max()) + floor
    off_diagonal = rounding - np.diag(np.diag(rounding))
    deficit = high - middle - low
    triangle = float(np.trace(rounding) + 2.0 * off_diagonal.sum(axis=1).max()) + floor
    moments = ', '.join(f'{moment * scale:.6g}' for moment in (low, middle, high))
    if low < -negative:
        return 'inertia-negative', (
            f'principal moments {moments} kg m^2: one is negative, which is impossible; '
            'check the signs of ixy, ixz, iyz and the units')
    if deficit > triangle:
        return 'inertia-triangle', (
            f'principal moments {moments} kg m^2: the largest exceeds the sum of the others '
            f'by {deficit * scale:.3g}, which is impossible; check the order of the entries '
            'and that they are about the centre of mass')
    return None


def _half_units(texts: Sequence[str], entries: Sequence[float]) -> list[float]:
    """Return the rounding of each entry; for a zero, mostly exact, the finest of all entries."""
    units = [_half_unit(text) for text in texts]
    finest = min(unit for unit, entry in zip(units, entries, strict=True) if entry)
    return [unit if entry else min(unit, finest)
            for unit, entry in zip(units, entries, strict=True)]


def _half_unit(text: str) -> float:
    """Return half a unit in the last printed decimal; 0 for whole numbers, which are exact."""
    mantissa, _, exponent = text.strip(' \t\r\n').lower().partition('e')
    last = float(exponent or 0) - len(mantissa.partition('.')[2])
    return 0.5 * 10.0**last if last < 0 else 0.0
