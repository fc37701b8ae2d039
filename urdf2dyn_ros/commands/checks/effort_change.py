"""What a problem does to the efforts, in numbers: against the description without it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.commands.checks.other_descriptions import OTHER_DESCRIPTIONS, no_loads
from urdf2dyn_ros.errors import Problem, Urdf2DynError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody, multibody
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf import read_description
from urdf2dyn_ros.urdf.text import EditableText, edited

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
        return {'compared_with': self.other, 'states': RANDOM_STATES, 'joint': self.joint,
                'unit': self.unit, 'largest': self.largest, 'rms': self.rms,
                'largest_of_joints': self.joints}


class EffortChanges:
    """The changes of one description that is not rejected."""

    def __init__(self, text: str) -> None:
        self._text = EditableText(text)
        self._left = MOST_CHANGES

    def of(self, problem: Problem) -> EffortChange | None:
        """Return the effect of a problem; None where there is nothing to compare with."""
        other = OTHER_DESCRIPTIONS.get(problem.code)
        element = self._text.element(problem)
        if other is None or element is None or not self._left or not self._dynamics.joint_names:
            return None
        self._left -= 1
        edits = other.change(self._text, *element)
        if not edits:
            return None
        try:
            read, corrected = (_dynamics(text, other.loads) for text in (
                self._text.text, edited(self._text.text, edits)))
        except Urdf2DynError:
            return None
        if corrected.joint_names != self._dynamics.joint_names:
            return None
        difference = np.asarray(read(*self._states)) - np.asarray(corrected(*self._states))
        largest = np.abs(difference).max(axis=0)
        k = int(largest.argmax())
        rms = float(np.sqrt((difference[:, k] ** 2).mean()))
        return EffortChange(other.words, read.joint_names[k], read.effort_units[k],
                            float(largest[k]), rms, dict(zip(read.joint_names, largest.tolist())))

    @cached_property
    def _dynamics(self) -> InverseDynamics:
        return _dynamics(self._text.text, no_loads)

    @cached_property
    def _states(self) -> Array:
        return _states(multibody(self._dynamics.model))


def _dynamics(text: str, with_loads: Callable[[RobotModel], tuple[RobotModel, Loads]],
              ) -> InverseDynamics:
    model, loads = with_loads(read_description(text))
    return InverseDynamics(model, backend='python', loads=loads)


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
