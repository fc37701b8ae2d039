"""Scalars, three-vectors, rotations and inertias, for numbers and expressions alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import singledispatch
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# ---- Arrays: their type, whose shapes stand in the docstrings

Array = NDArray[np.float64]


def geometric_mean(values: Array) -> float:
    """Return the geometric mean of values (n,), those below 1e-12 taken for it."""
    return float(np.exp(np.log(np.maximum(values, 1e-12)).mean()))


# ---- Scalars

LARGEST_MAGNITUDE = 1e30   # of a parameter: products of about ten such numbers are finite
SMALLEST_DIVISOR = 1.0 / LARGEST_MAGNITUDE

Scalar = Any
"""A float, an Expression, a numpy array of samples, or any other type with + - * /, sin, cos."""

sin = singledispatch(np.sin)
cos = singledispatch(np.cos)
tanh = singledispatch(np.tanh)
exp = singledispatch(np.exp)
sqrt = singledispatch(np.sqrt)
reciprocal = singledispatch(lambda x: 1.0 / x)
"""These take any scalar; register further types with ``sin.register``."""

sin.register(float, math.sin)
cos.register(float, math.cos)
tanh.register(float, math.tanh)
exp.register(float, math.exp)
sqrt.register(float, math.sqrt)


# ---- Three-vectors and 3x3 matrices as tuples of any scalar

Triple = tuple[float, float, float]
Vector = tuple[Scalar, Scalar, Scalar]
Matrix = tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
NO_TENSOR: Matrix = (ZERO, ZERO, ZERO)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
AXES = 'xyz'
TENSOR = ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')   # entries of a symmetric matrix, as in the URDF
ROUNDING = 2.0**-50   # share of the largest number below which a number is a rounding error


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(k: Scalar, a: Vector) -> Vector:
    """Return k a."""
    return (k * a[0], k * a[1], k * a[2])


def dot(a: Vector, b: Vector) -> Scalar:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def rounded(a: Vector, largest: float) -> Vector:
    """Return a with entries set to zero that are rounding errors of numbers as the largest."""
    least = ROUNDING * largest
    x, y, z = a
    return (0.0 if abs(x) <= least else x, 0.0 if abs(y) <= least else y,
            0.0 if abs(z) <= least else z)


def outer(a: Vector, b: Vector) -> Matrix:
    """Return a b'."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


def transpose(m: Matrix) -> Matrix:
    """Return m'."""
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def apply(m: Matrix, a: Vector) -> Vector:
    """Return m a."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = m
    x, y, z = a
    return (xx * x + xy * y + xz * z, yx * x + yy * y + yz * z, zx * x + zy * y + zz * z)


def product(m: Matrix, n: Matrix) -> Matrix:
    """Return m n."""
    columns = transpose(n)
    return (apply(columns, m[0]), apply(columns, m[1]), apply(columns, m[2]))


def matrix_sum(m: Matrix, n: Matrix) -> Matrix:
    """Return m + n."""
    return (add(m[0], n[0]), add(m[1], n[1]), add(m[2], n[2]))


def about_x(angle_cos: Scalar, angle_sin: Scalar) -> Matrix:
    """Return the rotation about x of the angle with this cosine and sine."""
    return ((1.0, 0.0, 0.0), (0.0, angle_cos, -angle_sin), (0.0, angle_sin, angle_cos))


def about_z(angle_cos: Scalar, angle_sin: Scalar) -> Matrix:
    """Return the rotation about z of the angle with this cosine and sine."""
    return ((angle_cos, -angle_sin, 0.0), (angle_sin, angle_cos, 0.0), (0.0, 0.0, 1.0))


def upper(m: Matrix) -> tuple[Scalar, ...]:
    """Return the entries of a symmetric matrix in the order of TENSOR."""
    return (*m[0], *m[1][1:], m[2][2])


def symmetric(six: tuple[Scalar, ...]) -> Matrix:
    """Return the matrix of its entries in the order of TENSOR."""
    xx, xy, xz, yy, yz, zz = six
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


# ---- Constant rotations: from roll, pitch, yaw; with z on an axis; with entries set to 0 and 1

ROUNDOFF = 2e-15   # largest error of an entry by floating point alone, some units of 2^-53
# Largest error of an angle [rad] that is a quarter turn, printed with ten decimals or more: a
# fifth of the promised 1e-10 of efforts, and not more: with angles of 0.27931 and -0.00019159 rad
# (Unitree's G1) an entry of 4e-10 is no zero.
PRINTED = 2e-11
_HALF_TURN = 179.999   # [deg], from which on the axis does not follow from the antisymmetric part
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))   # cosine, sine of each

Pair = tuple[Scalar, Scalar]


def snapped(m: Matrix, within: float = ROUNDOFF) -> Matrix:
    """Return m with entries close to 0, 1 and -1 set to these."""
    return tuple(tuple(_snapped(entry, within) for entry in row)  # type: ignore[return-value]
                 for row in m)


def turned_about_x(angle: float, within: float = ROUNDOFF) -> Matrix:
    """Return the rotation about x by an angle [rad], snapped."""
    return snapped(about_x(math.cos(angle), math.sin(angle)), within)


def turned_about_z(angle: float, within: float = ROUNDOFF) -> Matrix:
    """Return the rotation about z by an angle [rad], snapped."""
    return snapped(about_z(math.cos(angle), math.sin(angle)), within)


def _snapped(value: float, within: float = ROUNDOFF) -> float:
    nearest = float(round(value))
    return nearest + 0.0 if abs(value - nearest) < within else value


def quarter_turns(angle: float) -> int | None:
    """
    Return the quarter turns that an angle [rad] means; None if it is another angle.

    It is a multiple of pi / 2, rounded or truncated to the decimals that it has: 1.5707963268, but
    not 1.5707963269. Zero prints as 0: a small angle is one.
    """
    number = round(angle / (math.pi / 2))
    error = angle - number * (math.pi / 2)
    if abs(error) < ROUNDOFF:
        return number
    return number if abs(error) < PRINTED and _is_printed(angle, number, error) else None


def is_coarse(angle: float) -> bool:
    """
    Return whether an angle [rad] is a quarter turn printed with few decimals, such as 1.5708.

    It is not read as one, but what its error of 4e-6 makes of 0 and 1 in second order, 1e-11, is
    explained by the decimals that it lacks.
    """
    number = round(angle / (math.pi / 2))
    error = angle - number * (math.pi / 2)
    return PRINTED < abs(error) < 1e-4 and _is_printed(angle, number, error)


def _is_printed(angle: float, number: int, error: float) -> bool:
    """Return whether an angle is a multiple of pi / 2, rounded or truncated to its decimals."""
    last = 10.0 ** int(Decimal(repr(angle)).as_tuple().exponent)   # a unit of the last decimal
    return number != 0 and abs(error) <= (0.5001 if error * angle > 0.0 else 1.0001) * last


def _cosine_and_sine(angle: float) -> tuple[float, float]:
    number = quarter_turns(angle)
    return (math.cos(angle), math.sin(angle)) if number is None else _QUARTERS[number % 4]


def from_rpy(rpy: Triple) -> Matrix:
    """Return parent_R_child for URDF's fixed-axis roll, pitch, yaw [rad]: Rz(y) Ry(p) Rx(r)."""
    if rpy == (0.0, 0.0, 0.0):
        return IDENTITY
    return snapped(from_cosines_and_sines(*map(_cosine_and_sine, rpy)))


def from_cosines_and_sines(roll: Pair, pitch: Pair, yaw: Pair) -> Matrix:
    """Return the same of cosine and sine of each angle, any scalars."""
    (cr, sr), (cp, sp), (cy, sy) = roll, pitch, yaw
    return ((cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr))


def meant(angle: float) -> float:
    """Return an angle [rad], or the quarter turns that it means."""
    number = quarter_turns(angle)
    return angle if number is None else number * (math.pi / 2)


def composed(m: Matrix, n: Matrix, within: float = ROUNDOFF) -> Matrix:
    """Return the rotation m n, snapped."""
    if m is IDENTITY:
        return n
    return m if n is IDENTITY else snapped(product(m, n), within)


def aligned(axis: Triple) -> Matrix:
    """
    Return link_R_body whose z is the axis: a permutation of axes if the axis is x, y or z.

    For an oblique axis the body's y is in the link's coordinate plane that is most nearly normal
    to the axis, so that one more entry is zero.
    """
    x, y, z = (_snapped(entry) for entry in axis)
    if x == y == 0.0:
        return IDENTITY if z > 0.0 else ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    if y == z == 0.0:
        return ((0.0, 0.0, x), (1.0, 0.0, 0.0), (0.0, x, 0.0))
    if x == z == 0.0:
        return ((0.0, y, 0.0), (0.0, 0.0, y), (1.0, 0.0, 0.0))
    smallest = min(range(3), key=lambda k: abs(axis[k]))
    across = cross(axis, IDENTITY[smallest])
    column_x = scale(1.0 / math.sqrt(sum(entry * entry for entry in across)), across)
    return snapped(transpose((column_x, cross(axis, column_x), axis)))


def turn_in_words(m: Matrix) -> str:
    """Return axis and angle of a rotation: turn about x by -90 deg."""
    cosine = 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0)
    twice_sine = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1])
    angle = math.degrees(math.atan2(0.5 * math.hypot(*twice_sine), cosine))
    if angle == 0.0:
        return 'no turn'
    axis: Sequence[float] = twice_sine
    if angle > _HALF_TURN:   # a column of m + 1 is along the axis
        axis = max(([m[i][k] + (i == k) for i in range(3)] for k in range(3)),
                   key=lambda column: math.hypot(*column))
    size = max(map(abs, axis))
    x, y, z = (round(entry / size, 4) + 0.0 for entry in axis)
    names = [*compress(AXES, (x, y, z))]
    if len(names) == 1:
        return f'turn about {names[0]} by {angle * (x + y + z):.6g} deg'
    return f'turn about ({x:g}, {y:g}, {z:g}) by {angle:.6g} deg'


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


def with_second_moments(inertias: Sequence[BodyInertia | None]) -> list[BodyInertia | None]:
    """Return inertias with second moments in the place of the tensors."""
    return [inertia and inertia.with_second_moments() for inertia in inertias]


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
