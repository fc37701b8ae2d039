"""Scalars, three-vectors and 3x3 matrices, for numbers and expressions alike."""

import math
from functools import singledispatch
from typing import Any

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
