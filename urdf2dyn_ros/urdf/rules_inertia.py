"""Rules on inertial parameters: can a body be like that?"""

from __future__ import annotations

from collections.abc import Iterator

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
        scale = max(abs(entry) for entry in entries)  # against overflow, for any finite entries
        tensor = _symmetric([entry / scale for entry in entries])
        rounding = _symmetric([unit / scale for unit in _half_units(inertia, entries)])
        low, middle, high = (float(moment) for moment in np.linalg.eigvalsh(tensor))
        mass = number(link.find('inertial/mass'), 'value') or 0.0
        floor = _FLOOR * max(abs(low), abs(high)) + abs(mass) * _THINNEST**2 / scale
        negative = float(rounding.sum(axis=1).max()) + floor
        off_diagonal = rounding - np.diag(np.diag(rounding))
        deficit = high - middle - low
        triangle = float(np.trace(rounding) + 2.0 * off_diagonal.sum(axis=1).max()) + floor
        moments = ', '.join(f'{moment * scale:.6g}' for moment in (low, middle, high))
        if low < -negative:
            message = (
                f'principal moments {moments} kg m^2: one is negative, which no body has; '
                'check the signs of ixy, ixz, iyz and the units'
            )
            yield warn('inertia-negative', inertia, message)
        elif deficit > triangle:
            message = (
                f'principal moments {moments} kg m^2: the largest exceeds the sum of the others '
                f'by {deficit * scale:.3g}, which no body does; check the order of the entries '
                'and that they are about the centre of mass'
            )
            yield warn('inertia-triangle', inertia, message)


def _half_units(inertia: Element, entries: list[float]) -> list[float]:
    """Rounding of each entry; a zero is mostly exact however it is printed: take the finest."""
    units = [half_unit(inertia.get(name, '')) for name in TENSOR]
    finest = min(unit for unit, entry in zip(units, entries, strict=True) if entry)
    return [
        unit if entry else min(unit, finest)
        for unit, entry in zip(units, entries, strict=True)
    ]


def _symmetric(entries: list[float]) -> NDArray[np.float64]:
    xx, xy, xz, yy, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


RULES = (masses, principal_moments)
