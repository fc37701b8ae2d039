"""Rules on inertial parameters: those of a body that can exist."""

from collections.abc import Iterator

from urdf2dyn_ros.algebra.inertia_flaw import inertia_flaw
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.urdf.description import Description, number
from urdf2dyn_ros.urdf.findings import reject, warn
from urdf2dyn_ros.urdf.schema import TENSOR_ATTRIBUTES

STRICT_CODES = ('inertia-negative', 'inertia-triangle')
"""Codes of the warnings for which `strict_inertia` rejects the description."""


def masses(robot: Description) -> Iterator[Problem]:
    """Mass is positive, or zero together with zero inertia, as of a frame."""
    for link in robot.links:
        mass, inertia = link.find('inertial/mass'), link.find('inertial/inertia')
        value = number(mass, 'value')
        if mass is None or value is None:
            continue
        if value < 0.0:
            yield reject('mass-negative', mass, 'a mass is not negative; drop the sign or measure '
                         'it again', 'value')
        elif value == 0.0 and any(number(inertia, name) for name in TENSOR_ATTRIBUTES):
            yield warn('mass-zero', mass, 'an inertia without mass is used as written; give the '
                       'link its mass', 'value')


def principal_moments(robot: Description) -> Iterator[Problem]:
    """Principal moments are not negative, and none exceeds the sum of the other two."""
    for link in robot.links:
        inertia = link.find('inertial/inertia')
        values = [number(inertia, name) for name in TENSOR_ATTRIBUTES]
        entries = [value for value in values if value is not None]
        if inertia is None or len(entries) < len(values) or not any(entries):
            continue
        mass = number(link.find('inertial/mass'), 'value') or 0.0
        flaw = inertia_flaw([inertia.get(name, '') for name in TENSOR_ATTRIBUTES], entries, mass)
        if flaw is not None:
            yield warn(flaw[0], inertia, flaw[1])


RULES = (masses, principal_moments)
