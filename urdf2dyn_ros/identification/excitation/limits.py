"""The limits that a motion keeps: fractions of those of the URDF, or of a file."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.parameters.parameter_file import yaml_fault
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.robot_model import Limits, RobotModel
from urdf2dyn_ros.simulators.gears import gears

_NAMES = tuple(field.name for field in fields(Limits))


class MotionLimits(NamedTuple):
    """
    Limits of a motion of n joints.

    Positions [rad or m] are within `middle` plus and minus `half`, velocities [rad/s or m/s] and
    efforts [N m or N] below `velocity` and `effort`; `rated` are the whole limits of the efforts.
    """

    middle: Array
    half: Array
    velocity: Array
    effort: Array
    rated: Array


def read_limits(path: Path, joints: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return the limits of a YAML file: joint to some of lower, upper, effort, velocity."""
    where = printable(str(path))
    try:
        content = yaml.safe_load(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise ParameterError(f'cannot read {where}: {error.strerror}') from None
    except (yaml.YAMLError, ValueError) as error:   # no UTF-8, no such day, 5000 digits
        raise ParameterError(f'{where} is no YAML: {yaml_fault(error)}') from None
    rule = f'{where}: a line for each joint is needed, as "{joints[0]}: {{lower: -1, upper: 1}}"'
    if not isinstance(content, dict):
        raise ParameterError(rule)
    for joint, row in content.items():
        if joint not in joints:
            raise ParameterError(f'{where}: there is no joint {joint!r}; there are: '
                                 f'{", ".join(joints)}')
        if not isinstance(row, dict):
            raise ParameterError(rule)
        for name, value in row.items():
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if name not in _NAMES or not number or not abs(value) <= LARGEST_MAGNITUDE:
                raise ParameterError(f'{where}, joint {joint!r}: {name}: {value!r} must be a '
                                     f'number up to {LARGEST_MAGNITUDE:g} for one of '
                                     f'{", ".join(_NAMES)}')
    return content


def motion_limits(model: RobotModel, dynamics: InverseDynamics, fraction: float,
                  changes: Mapping[str, Mapping[str, float]]) -> MotionLimits:
    """
    Return a fraction of the limits of the URDF, in part replaced by `changes`.

    Without limits of its own, a continuous joint has -pi to pi. Mimic joints keep theirs as well.
    A missing limit raises a ParameterError that names the joints.
    """
    of_gears = gears(model)
    of_drivers = {joint.name: limits for joint, limits in zip(of_gears.drivers, of_gears.limits)}
    rows, faults = [], []
    for joint, continuous, own in zip(dynamics.joint_names, dynamics.continuous, dynamics.limits):
        limits = of_drivers[joint]
        values: dict[str, float | None] = {
            # those of an empty range are not among the limits of the drivers
            'lower': -np.pi if continuous else _known(limits.lower, own.lower),
            'upper': np.pi if continuous else _known(limits.upper, own.upper),
            'velocity': limits.velocity, 'effort': own.effort, **changes.get(joint, {})}
        missing = [name for name in ('lower', 'upper') if values[name] is None]
        missing += [name for name in ('velocity', 'effort') if not (values[name] or 0.0) > 0.0]
        lower, upper, velocity, effort = (values[name] or 0.0 for name in (
            'lower', 'upper', 'velocity', 'effort'))
        if missing:
            faults.append(f'joint {joint!r} has no limit {", ".join(missing)}')
        elif not lower < upper:
            faults.append(f'joint {joint!r} has no range: lower {lower:g}, upper {upper:g}')
        rows.append(((lower + upper) / 2.0, fraction * (upper - lower) / 2.0,
                     fraction * velocity, fraction * effort, effort))
    if faults:
        raise ParameterError('\n'.join(faults) + '\nwrite <limit lower upper velocity effort> in '
                             'the URDF, or a file for --limits with the lines "<joint>: {lower: '
                             '-1, upper: 1, velocity: 1, effort: 10}"')
    return MotionLimits(*np.array(rows).T)


def _known(limit: float | None, own: float | None) -> float | None:
    return own if limit is None else limit
