"""Rules on inertial parameters: can a body be like that?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.urdf.description import Description, Element, number
from urdf2dyn_ros.urdf.findings import refuse, warn
from urdf2dyn_ros.urdf.numbers import half_unit
from urdf2dyn_ros.urdf.schema import TENSOR

# Findings that refuse the description where inertias must be those of a body.
STRICT = ('inertia-negative', 'inertia-triangle')

_FLOOR = 1e-9
# [m]; what is missing for a body so thin is rounding, as in moments of 1e-35 kg m^2.
_THINNEST = 1e-6


def masses(robot: Description) -> Iterator[Problem]:
    """Mass is positive; zero only together with zero inertia, for a massless support."""
    for link in robot.links:
        mass = link.find('inertial/mass')
        value = number(mass, 'value')
        if mass is None or value is None:
            continue
        if value < 0.0:
            message = 'a mass is not negative; drop the sign or measure it again'
            yield refuse('mass-negative', mass, message, 'value')
        elif value == 0.0 and _some_inertia(link.find('inertial/inertia')):
            message = 'no mass but an inertia; computed as it stands, give the link its mass'
            yield warn('mass-zero', mass, message, 'value')


def _some_inertia(inertia: Element | None) -> bool:
    return any(number(inertia, name) for name in TENSOR)


def principal_moments(robot: Description) -> Iterator[Problem]:
    """
    Principal moments are not negative, and none exceeds the sum of the other two.

    Texts are rounded: a finding is what no digits beyond those printed could mend.

    """
    for link in robot.links:
        inertia = link.find('inertial/inertia')
        values = [number(inertia, name) for name in TENSOR]
        entries = [value for value in values if value is not None]
        if inertia is None or len(entries) < len(values) or not any(entries):
            continue
        mass = number(link.find('inertial/mass'), 'value') or 0.0
        found = finding([inertia.get(name, '') for name in TENSOR], entries, mass)
        if found is not None:
            yield warn(found[0], inertia, found[1])


def finding(texts: Sequence[str], entries: Sequence[float], mass: float,
            ) -> tuple[str, str] | None:
    """
    Return why no body has a tensor, as the code of a rule and a message; None if one may.

    Parameters
    ----------
    texts : sequence of str, (6,)
        As they are printed.
    entries : sequence of float, (6,)
        ixx, ixy, ixz, iyy, iyz, izz [kg m^2], not all zero.
    mass : float
        [kg].

    """
    scale = max(abs(entry) for entry in entries)  # against overflow, for any finite entries
    tensor = _symmetric([entry / scale for entry in entries])
    rounding = _symmetric([unit / scale for unit in _half_units(texts, entries)])
    low, middle, high = (float(moment) for moment in np.linalg.eigvalsh(tensor))
    floor = _FLOOR * max(abs(low), abs(high)) + abs(mass) * _THINNEST**2 / scale
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
    """Rounding of each entry; a zero is mostly exact however it is printed: take the finest."""
    units = [half_unit(text) for text in texts]
    finest = min(unit for unit, entry in zip(units, entries, strict=True) if entry)
    return [
        unit if entry else min(unit, finest)
        for unit, entry in zip(units, entries, strict=True)
    ]


def _symmetric(entries: list[float]) -> NDArray[np.float64]:
    xx, xy, xz, yy, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


RULES = (masses, principal_moments)
