"""Scalars that are sums of products of q, qd and qdd with sines and cosines of angles."""

from __future__ import annotations

import cmath
from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from urdf2dyn_ros.algebra.expression import cos, sin

Multiples: TypeAlias = tuple[tuple[str, float], ...]
Key: TypeAlias = tuple[Multiples, Multiples]
"""The powers of the symbols, by name, and the multiples of the angles."""

_NEGLIGIBLE_COEFFICIENT = 1e-13
"""Coefficients, relative to the largest, that rounding leaves where terms cancel."""


class Fourier:
    """
    The sum of c x^a y^b ... exp(i (k q + ...)) over keys; equal functions have equal terms.

    Operations are those of numbers; a sine or cosine is that of a sum of angles.
    """

    __slots__ = ('terms',)
    __array_ufunc__ = None   # a numpy scalar on the left leaves the operation to this class

    def __init__(self, terms: Mapping[Key, complex]) -> None:
        self.terms = terms

    @classmethod
    def symbol(cls, name: str) -> Fourier:
        """Return a quantity of this name."""
        return cls({(((name, 1),), ()): 1.0})

    def __neg__(self) -> Fourier:
        return self * -1.0

    def __add__(self, other: Fourier | complex) -> Fourier:
        terms = defaultdict(complex, self.terms)
        for key, value in _terms(other).items():
            terms[key] += value
        return Fourier(_cleaned(terms))

    def __mul__(self, other: Fourier | complex) -> Fourier:
        terms: defaultdict[Key, complex] = defaultdict(complex)
        for (powers, angle), value in self.terms.items():
            for (more, further), factor in _terms(other).items():
                key = _sum(powers, more), _sum(angle, further)
                terms[key] += value * factor
        return Fourier(_cleaned(terms))

    def __sub__(self, other: Fourier | complex) -> Fourier:
        return self + other * -1.0

    def __rsub__(self, other: complex) -> Fourier:
        return -self + other

    def __truediv__(self, other: float) -> Fourier:
        return self * (1.0 / other)

    __radd__, __rmul__ = __add__, __mul__

    def wave(self) -> Fourier:
        """Return exp(i x) of this x, a sum of multiples of symbols and a number."""
        angle, phase = [], 0.0
        for (powers, k), value in self.terms.items():
            if k or sum(power for _, power in powers) > 1:
                raise TypeError('an angle is not a sum of multiples of q')
            if powers:
                angle.append((powers[0][0], value.real))
            else:
                phase = value.real
        return Fourier({((), tuple(sorted(angle))): cmath.exp(1j * phase)})

    def conjugate(self) -> Fourier:
        return Fourier({(powers, tuple((name, -k) for name, k in angle)): value.conjugate()
                        for (powers, angle), value in self.terms.items()})


def _terms(value: Fourier | complex) -> Mapping[Key, complex]:
    return value.terms if isinstance(value, Fourier) else {((), ()): complex(value)}


def _sum(one: Multiples, other: Multiples) -> Multiples:
    total = dict(one)
    for name, number in other:
        total[name] = total.get(name, 0) + number
    return tuple(sorted((name, number) for name, number in total.items() if number))


def _cleaned(terms: Mapping[Key, complex]) -> dict[Key, complex]:
    least = _NEGLIGIBLE_COEFFICIENT * max(map(abs, terms.values()), default=0.0)
    return {key: value for key, value in terms.items() if abs(value) > least}


def _cosine(angle: Fourier) -> Fourier:
    wave = angle.wave()
    return (wave + wave.conjugate()) * 0.5


def _sine(angle: Fourier) -> Fourier:
    wave = angle.wave()
    return (wave - wave.conjugate()) * -0.5j


sin.register(Fourier, _sine)
cos.register(Fourier, _cosine)
