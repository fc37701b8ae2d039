"""Dual numbers: values with their derivatives in one direction, for the same equations."""

from __future__ import annotations

import math
from dataclasses import dataclass

from urdf2dyn_ros.algebra.expression import Scalar, cos, exp, sin, tanh


@dataclass(frozen=True)
class Dual:
    """A value and its derivative."""

    value: float
    slope: float = 0.0

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __abs__(self) -> Dual:
        return Dual(abs(self.value), math.copysign(1.0, self.value) * self.slope)

    def __add__(self, other: Scalar) -> Dual:
        x = dual(other)
        return Dual(self.value + x.value, self.slope + x.slope)

    def __sub__(self, other: Scalar) -> Dual:
        x = dual(other)
        return Dual(self.value - x.value, self.slope - x.slope)

    def __rsub__(self, other: Scalar) -> Dual:
        return dual(other) - self

    def __mul__(self, other: Scalar) -> Dual:
        x = dual(other)
        return Dual(self.value * x.value, self.slope * x.value + self.value * x.slope)

    __radd__ = __add__
    __rmul__ = __mul__


def dual(scalar: Scalar) -> Dual:
    """Return a dual number; the derivative of a plain number is zero."""
    return scalar if isinstance(scalar, Dual) else Dual(float(scalar))


def _tanh(x: Dual) -> Dual:
    value = math.tanh(x.value)
    return Dual(value, (1.0 - value * value) * x.slope)


def _exp(x: Dual) -> Dual:
    value = math.exp(x.value)
    return Dual(value, value * x.slope)


sin.register(Dual, lambda x: Dual(math.sin(x.value), math.cos(x.value) * x.slope))
cos.register(Dual, lambda x: Dual(math.cos(x.value), -math.sin(x.value) * x.slope))
tanh.register(Dual, _tanh)
exp.register(Dual, _exp)
