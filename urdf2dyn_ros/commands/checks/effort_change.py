"""What a problem does to the efforts, in numbers: against the description without it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.commands.checks.mending import MENDS, MendableText
from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import Multibody, multibody
from urdf2dyn_ros.urdf import read_description
from urdf2dyn_ros.urdf.description import Element, numbers
from urdf2dyn_ros.urdf.schema import TENSOR_ATTRIBUTES
from urdf2dyn_ros.urdf.text_places import Edit, edited

RANDOM_STATES = 100
"""Random states within the limits."""

MOST_CHANGES = 10
"""Problems of a description that are evaluated."""

_RATES = {'rad': (2.0, 5.0), 'm': (0.5, 2.0)}
"""Velocity without a limit, and acceleration, at most."""

_LARGEST_RANGE = {'rad': math.pi, 'm': 1.0}


@dataclass(frozen=True)
class EffortChange:
    """
    Efforts of the description as read minus those of another one, over random states.

    `other` says what the other one is; `joint` has the largest difference, in `unit`; `rms` is
    that of this joint.

    """

    other: str
    joint: str
    unit: str
    largest: float
    rms: float
    joints: dict[str, float]

    def __str__(self) -> str:
        if self.largest == 0.0:
            return f'no change of any effort, compared with {self.other}'
        return (f'up to {self.largest:.3g} {self.unit} at joint "{self.joint}" (RMS '
                f'{self.rms:.3g} {self.unit}), compared with {self.other}, over {RANDOM_STATES} '
                'random states within the limits')

    def data(self) -> dict[str, Any]:
        """Return the same as data."""
        return {'compared_with': self.other, 'states': RANDOM_STATES, 'joint': self.joint,
                'unit': self.unit, 'largest': self.largest, 'rms': self.rms,
                'largest_of_joints': self.joints}


class EffortChanges:
    """The changes of one description that is not rejected."""

    def __init__(self, text: str) -> None:
        self._text = MendableText(text)
        self._left = MOST_CHANGES

    def of(self, problem: Problem) -> EffortChange | None:
        """Return the effect of a problem; None where there is nothing to compare with."""
        other, change = _OTHERS.get(problem.code, ('', MENDS.get(problem.code)))
        found = self._text.element(problem)
        if change is None or found is None or not self._left or not self._dynamics.joint_names:
            return None
        self._left -= 1
        try:
            other_dynamics = _dynamics(edited(self._text.text, change(self._text, *found)))
        except UrdfError:
            return None
        if other_dynamics.joint_names != self._dynamics.joint_names:
            return None
        difference = self._efforts - np.asarray(other_dynamics(*self._states))
        largest = np.abs(difference).max(axis=0)
        k = int(largest.argmax())
        return EffortChange(other or 'the description without this problem',
                            self._dynamics.joint_names[k], self._dynamics.effort_units[k],
                            float(largest[k]), float(np.sqrt((difference[:, k] ** 2).mean())),
                            dict(zip(self._dynamics.joint_names, largest.tolist())))

    @cached_property
    def _dynamics(self) -> InverseDynamics:
        return _dynamics(self._text.text)

    @cached_property
    def _states(self) -> Array:
        return _states(multibody(self._dynamics.model))

    @cached_property
    def _efforts(self) -> Array:
        return np.asarray(self._dynamics(*self._states))


def _dynamics(text: str) -> InverseDynamics:
    return InverseDynamics(read_description(text), backend='python', base='fixed')


def _states(system: Multibody) -> Array:
    """Return positions, velocities and accelerations within the limits, (3, RANDOM_STATES, n)."""
    generator = np.random.default_rng(0)
    columns = []
    for i in system.drivers:
        body = system.bodies[i]
        unit, limits = JOINTS[body.type].unit, body.limits
        far, (velocity, acceleration) = _LARGEST_RANGE[unit], _RATES[unit]
        lower, upper = -far, far
        if limits.lower is not None and limits.upper is not None and (
                limits.lower < limits.upper):
            lower, upper = limits.lower, limits.upper
        largest = abs(limits.velocity or velocity)
        columns.append([generator.uniform(low, high, RANDOM_STATES) for low, high in (
            (lower, upper), (-largest, largest), (-acceleration, acceleration))])
    return np.stack(columns, axis=-1)


def _scaled(attribute: str, factor: float) -> Callable[[MendableText, Element, str], list[Edit]]:
    def change(text: MendableText, element: Element, _: str) -> list[Edit]:
        values = numbers(element, attribute) or ()
        return text.with_values(element, {
            attribute: ' '.join(repr(value * factor) for value in values)})

    return change


def _without_tensor(text: MendableText, element: Element, _: str) -> list[Edit]:
    inertia = element if element.tag == 'inertia' else element.getparent()
    if inertia is not None and inertia.tag != 'inertia':
        inertia = inertia.find('inertia')
    return [] if inertia is None else text.with_values(
        inertia, dict.fromkeys(TENSOR_ATTRIBUTES, '0'))


def _without_mass(text: MendableText, element: Element, attribute: str) -> list[Edit]:
    return [*text.with_values(element, {'value': '0'}), *_without_tensor(text, element, '')]


_NO_TENSOR = 'a link without this tensor'
_OTHERS = {
    'inertia-negative': (_NO_TENSOR, _without_tensor),
    'inertia-triangle': (_NO_TENSOR, _without_tensor),
    'mass-zero': (_NO_TENSOR, _without_tensor),
    'units-angle': ('the angles in degrees', _scaled('rpy', math.pi / 180.0)),
    'units-length': ('the lengths in millimetres', _scaled('xyz', 1e-3)),
    'units-mass': ('the mass in grams', _scaled('value', 1e-3)),
    'units-mass-ratio': ('the light link without mass', _without_mass),
}
"""Code of a warning that needs a guess to what it is compared with, in words and as edits."""
