"""Check whether a rigid body can have an inertia tensor."""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.vectors import symmetric

_LEAST_MOMENT = 1e-9
_LEAST_THICKNESS = 1e-6
"""Thickness [m]: a thinner body has moments of 1e-35 kg m^2, whose error is rounding."""


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
            f'principal moments {moments} kg m^2: one is negative, which no body has; '
            'check the signs of ixy, ixz, iyz and the units')
    if deficit > triangle:
        return 'inertia-triangle', (
            f'principal moments {moments} kg m^2: the largest exceeds the sum of the others '
            f'by {deficit * scale:.3g}, which no body does; check the order of the entries '
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
