"""Rules on inertial parameters: can a body be like that?"""

from __future__ import annotations

from collections.abc import Iterator

from urdf2dyn_ros.algebra.inertia_flaw import inertia_flaw
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.urdf.description import Description, Element, number
from urdf2dyn_ros.urdf.findings import refuse, warn
from urdf2dyn_ros.urdf.schema import TENSOR

# Findings that refuse the description where inertias must be those of a body.
STRICT = ('inertia-negative', 'inertia-triangle')


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
    """Principal moments are not negative, and none exceeds the sum of the other two."""
    for link in robot.links:
        inertia = link.find('inertial/inertia')
        values = [number(inertia, name) for name in TENSOR]
        entries = [value for value in values if value is not None]
        if inertia is None or len(entries) < len(values) or not any(entries):
            continue
        mass = number(link.find('inertial/mass'), 'value') or 0.0
        flaw = inertia_flaw([inertia.get(name, '') for name in TENSOR], entries, mass)
        if flaw is not None:
            yield warn(flaw[0], inertia, flaw[1])


RULES = (masses, principal_moments)
