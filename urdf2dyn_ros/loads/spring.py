"""A spring in parallel with a joint's motor: ks (q - qs)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.loads.joint_term import JointTerm, parameter


@dataclass(frozen=True)
class Spring(JointTerm):
    """
    Parameters of the spring of one joint.

    Attributes
    ----------
    stiffness, reference : Scalar
        [N m/rad or N/m], and the position at which it is slack [rad or m].

    """

    NAME: ClassVar[str] = 'spring'
    PLURAL: ClassVar[str] = 'springs'

    stiffness: Scalar = parameter(
        'ks', 'stiffness of the spring', '{effort}/{unit}', 'spring_stiffness',
        'Stiffness of the spring.')
    reference: Scalar = parameter(
        'qs', 'where it is slack', '{unit}', 'spring_reference', 'Position at which it is slack.',
        least=None)

    def shifted(self, offset: float) -> Spring:
        return replace(self, reference=self.reference - offset)

    def is_off(self) -> bool:
        return bool(self.stiffness == 0.0)

    def effort(self, parent: Motion, at: Coordinate, transmitted: Scalar) -> Scalar:
        return self.stiffness * (at.q - self.reference)

    def slopes(self, at: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        return self.stiffness, 0.0, 0.0

    def formula(self) -> str:
        slack = ' - qs{n}' if self.reference != 0.0 else ''
        return 'spring{n} = ks{n} ' + (f'(q{{n}}{slack})' if slack else 'q{n}')
