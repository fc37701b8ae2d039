"""Scalars, three-vectors and 3x3 matrices, for numbers and expressions alike."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from typing import Any, NamedTuple, overload

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


class Dual:
    """A value and its derivative, of any scalar; without a derivative it is the value alone."""

    __slots__ = ('slope', 'value')
    __array_ufunc__ = None   # a numpy scalar on the left leaves the operation to this class

    def __init__(self, value: Scalar, slope: Scalar) -> None:
        self.value, self.slope = value, slope

    @staticmethod
    def of(value: Scalar, slope: Scalar) -> Scalar:
        return value if isinstance(slope, float) and slope == 0.0 else Dual(value, slope)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __abs__(self) -> Dual:
        return Dual(abs(self.value), math.copysign(1.0, self.value) * self.slope)

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Dual):
            return Dual(self.value + other, self.slope)
        return Dual.of(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: Scalar) -> Scalar:
        return self + (-other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return -self + other

    def __mul__(self, other: Scalar) -> Scalar:
        if isinstance(other, Vector):
            return NotImplemented
        if not isinstance(other, Dual):
            return Dual.of(self.value * other, self.slope * other)
        return Dual.of(self.value * other.value,
                       self.slope * other.value + self.value * other.slope)

    __radd__ = __add__
    __rmul__ = __mul__


def value(scalar: Scalar) -> Scalar:
    return scalar.value if isinstance(scalar, Dual) else scalar


def slope(scalar: Scalar) -> Scalar:
    return scalar.slope if isinstance(scalar, Dual) else 0.0


sin.register(Dual, lambda x: Dual.of(sin(x.value), cos(x.value) * x.slope))
cos.register(Dual, lambda x: Dual.of(cos(x.value), -sin(x.value) * x.slope))
tanh.register(Dual, lambda x: Dual.of(
    tanh(x.value), (1.0 - tanh(x.value) * tanh(x.value)) * x.slope))
exp.register(Dual, lambda x: Dual.of(exp(x.value), exp(x.value) * x.slope))


# ---- Three-vectors and 3x3 matrices of any scalar

Triple = tuple[float, float, float]
Three = tuple[Scalar, Scalar, Scalar]   # entries of a vector, for a matrix or behind a +


_new = tuple.__new__   # quicker than a class of named tuples


class _Entries(NamedTuple):
    x: Scalar
    y: Scalar
    z: Scalar


class Vector(_Entries):
    """Three entries, with a + b, a - b and k a."""

    __slots__ = ()
    __array_priority__ = 1.0   # an array on the left leaves the operation to this class

    def __add__(self, other: Three) -> Vector:  # type: ignore[override]
        x, y, z = self
        u, v, w = other
        return _new(Vector, (x + u, y + v, z + w))

    __radd__ = __add__   # else a tuple on the left is continued

    def __sub__(self, other: Three) -> Vector:
        x, y, z = self
        u, v, w = other
        return _new(Vector, (x - u, y - v, z - w))

    def __neg__(self) -> Vector:
        x, y, z = self
        return _new(Vector, (-x, -y, -z))

    def __mul__(self, k: Scalar) -> Vector:
        x, y, z = self
        return _new(Vector, (k * x, k * y, k * z))

    __rmul__ = __mul__


class _Rows(NamedTuple):
    x: Vector
    y: Vector
    z: Vector


class Matrix(_Rows):
    """Three rows, with m + n, m v, m n and the transpose m.T."""

    __slots__ = ()

    def __new__(cls, x: Iterable[Scalar], y: Iterable[Scalar], z: Iterable[Scalar]) -> Matrix:
        return _new(cls, (_new(Vector, x), _new(Vector, y), _new(Vector, z)))

    def __add__(self, other: Matrix) -> Matrix:  # type: ignore[override]
        (a, b, c), (d, e, f) = self, other
        return _new(Matrix, (a + d, b + e, c + f))

    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...

    @overload
    def __matmul__(self, other: Three) -> Vector: ...

    def __matmul__(self, other: Matrix | Three) -> Matrix | Vector:
        if isinstance(other, Matrix):
            (a, b, c), (d, e, f), (g, h, i) = other
            return _new(Matrix, [_new(Vector, (
                a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z))
                for x, y, z in self])
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self
        x, y, z = other
        return _new(Vector, (xx * x + xy * y + xz * z, yx * x + yy * y + yz * z,
                             zx * x + zy * y + zz * z))

    @property
    def T(self) -> Matrix:  # noqa: N802 - as of an array
        return _new(Matrix, [_new(Vector, column) for column in zip(*self)])

    @property
    def entries(self) -> tuple[Scalar, ...]:
        """All nine, row by row."""
        return (*self[0], *self[1], *self[2])


ZERO = Vector(0.0, 0.0, 0.0)
NO_TENSOR = Matrix(ZERO, ZERO, ZERO)
IDENTITY = Matrix((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
AXES = 'xyz'
TENSOR = ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')   # entries of a symmetric matrix, as in the URDF
ROUNDING = 2.0**-50   # share of the largest number below which a number is a rounding error


def dot(a: Three, b: Three) -> Scalar:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Three, b: Three) -> Vector:
    """Return a x b."""
    (x, y, z), (u, v, w) = a, b
    return _new(Vector, (y * w - z * v, z * u - x * w, x * v - y * u))


def outer(a: Vector, b: Vector) -> Matrix:
    """Return a b'."""
    return Matrix(a[0] * b, a[1] * b, a[2] * b)


def rounded(a: Three, largest: float) -> Vector:
    """Return a with entries set to zero that are rounding errors of numbers as the largest."""
    least = ROUNDING * largest
    return Vector(*(0.0 if abs(entry) <= least else entry for entry in a))


def about_x(angle_cos: Scalar, angle_sin: Scalar) -> Matrix:
    """Return the rotation about x of the angle with this cosine and sine."""
    return Matrix((1.0, 0.0, 0.0), (0.0, angle_cos, -angle_sin), (0.0, angle_sin, angle_cos))


def about_z(angle_cos: Scalar, angle_sin: Scalar) -> Matrix:
    """Return the rotation about z of the angle with this cosine and sine."""
    return Matrix((angle_cos, -angle_sin, 0.0), (angle_sin, angle_cos, 0.0), (0.0, 0.0, 1.0))


def upper(m: Matrix) -> tuple[Scalar, ...]:
    """Return the entries of a symmetric matrix in the order of TENSOR."""
    return (*m[0], *m[1][1:], m[2][2])


def symmetric(six: tuple[Scalar, ...]) -> Matrix:
    """Return the matrix of its entries in the order of TENSOR."""
    xx, xy, xz, yy, yz, zz = six
    return Matrix((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
