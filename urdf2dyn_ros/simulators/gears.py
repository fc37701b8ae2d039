"""Mimic joints: the positions of all joints from those of the drivers."""

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import Joint, Limits, RobotModel

_SINGLE = ('revolute', 'continuous', 'prismatic')
"""Types with one coordinate; of the others only `fixed` can be simulated."""


@dataclass(frozen=True)
class Gears:
    """
    Positions of all m moving joints: ``ratios @ q + offsets``, with q of the n drivers.

    The drivers do not mimic; both are in the order of the file. The ratios (m, n) are products
    along chains of mimic joints; the offsets (m,) are in [rad or m].
    """

    joints: tuple[Joint, ...]
    drivers: tuple[Joint, ...]
    ratios: Array
    offsets: Array

    @property
    def any(self) -> bool:
        """Whether any joint mimics another."""
        return len(self.joints) > len(self.drivers)

    @property
    def limits(self) -> tuple[Limits, ...]:
        """Limits of each driver that keep its mimic joints within theirs too."""
        return tuple(self._limits(column) for column in range(len(self.drivers)))

    def _limits(self, column: int) -> Limits:
        lower, upper, velocity = [-np.inf], [np.inf], [np.inf]
        ratios = self.ratios[:, column]
        for joint, ratio, offset in zip(self.joints, ratios, self.offsets, strict=True):
            if ratio == 0.0:
                continue
            limits = joint.limits
            ends = [((-np.inf if limits.lower is None else limits.lower) - offset) / ratio,
                    ((np.inf if limits.upper is None else limits.upper) - offset) / ratio]
            if joint.type != 'continuous' and min(ends) < max(ends):
                lower.append(min(ends))
                upper.append(max(ends))
            if limits.velocity:
                velocity.append(limits.velocity / abs(ratio))
        return Limits(_finite(max(lower)), _finite(min(upper)), None, _finite(min(velocity)))


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def gears(model: RobotModel) -> Gears:
    """
    Return the gears of a model, with its root fixed to the world even if it floats.

    Any other joint with several coordinates raises a SimulationError.
    """
    moving = []
    for joint in model.joints:
        if joint.type in _SINGLE:
            moving.append(joint)
        elif not (joint.type == 'fixed' or is_floating_root(model, joint)):
            raise SimulationError(
                f'joint {joint.name!r}: a {joint.type} joint cannot be simulated; write it as '
                'prismatic and revolute joints one after the other')
    drivers = tuple(joint for joint in moving if joint.mimic is None)
    column = {joint.name: number for number, joint in enumerate(drivers)}
    system = multibody(model)
    bodies = {body.name: body for body in system.bodies}
    ratios = np.zeros((len(moving), len(drivers)))
    for row, joint in enumerate(moving):
        body = bodies[joint.name]
        ratios[row, column[system.joint_names[body.coordinate]]] = body.multiplier
    offsets = np.array([bodies[joint.name].offset for joint in moving], dtype=np.float64)
    return Gears(tuple(moving), drivers, ratios, offsets)


def is_floating_root(model: RobotModel, joint: Joint) -> bool:
    """Return whether a joint lets the whole robot float."""
    return joint.type == 'floating' and joint.parent == model.root
