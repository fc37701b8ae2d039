"""A group of parallel axes in a position: the angles of its joints, and vectors across it."""

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.frames import turned_about_x
from urdf2dyn_ros.algebra.vectors import Vector, add, apply
from urdf2dyn_ros.equations.links.screws import AxisGroup
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.joint_type import turn_by, turned
from urdf2dyn_ros.multibody import Multibody


class _Joint(NamedTuple):
    """A joint of a group: its coordinate; rotation about z and length along it per unit of it."""

    coordinate: int
    turns: float
    slides: float


class TurnedGroup:
    """A group of a robot in a position."""

    def __init__(self, group: AxisGroup, system: Multibody, q: Sequence[Scalar]) -> None:
        self.group = group
        self.joints: list[_Joint] = []
        self.tilt = turned_about_x(group.tilt)
        for step in group.steps:
            body = system.bodies[step.body]
            joint, k = JOINTS[body.type], step.sign * body.multiplier
            self.joints.append(_Joint(body.coordinate, k * joint.turns, k * joint.slides))
        self.angles = self.turning(q)
        self.cos, self.sin = turn_by(self.angles[-1], group.turn)
        self.height: Scalar = self.sliding(q)

    def turning(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """Return the sums of the angles, or of their rates, up to each joint."""
        sums: list[Scalar] = []
        for joint in self.joints:
            sums.append((sums[-1] if sums else 0.0) + joint.turns * rates[joint.coordinate])
        return sums

    def sliding(self, rates: Sequence[Scalar]) -> Scalar:
        """Return what the joints slide along z, or its rate."""
        total: Scalar = 0.0
        for joint in self.joints:
            total = total + joint.slides * rates[joint.coordinate]
        return total

    def beyond(self, v: Vector) -> Vector:
        """Return a point of the next group's frame in the turned axes."""
        return add((*self.group.normal, 0.0), apply(self.tilt, v))

    def before(self, v: Vector) -> Vector:
        """Return a vector in the turned axes as one in the group's frame."""
        return turned(v, self.cos, -self.sin)

    def along(self, v: Vector) -> Vector:
        """Return a vector with what the group adds along z."""
        return (v[0], v[1], v[2] + self.group.height + self.height)

    def arms(self, after: bool = False) -> list[Vector]:
        """Return the vector from each joint to the next one, in the turned axes if `after`."""
        arms = []
        for step, angle in zip(self.group.steps[:-1], self.angles):
            phase = step.phase
            if after:
                angle, phase = angle - self.angles[-1], phase - self.group.turn
            c, s = turn_by(angle, phase) if step.arm else (0.0, 0.0)
            arms.append((step.arm * c, step.arm * s, 0.0))
        return arms
