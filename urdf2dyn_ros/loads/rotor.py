"""
The rotor of a joint's motor, which turns gear_ratio times as fast as the joint.

Mounted on the parent, with its axis parallel to the joint's. What it is felt as at the joint is
the reflected inertia Im N^2 (MuJoCo's armature). That the parent turns as well, and has to turn
the spinning rotor with it, are the gyroscopic terms: Im N wdp_z at the joint, and on the parent
the moment Im N (qdd z + wp x qd z) (Sciavicco, Siciliano, Villani 1994). The mass and the inertia
of the rotor at rest are part of the parent link, as a URDF counts them.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import ZERO, Vector
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.joints import JointType
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.loads.joint_term import JointTerm, parameter
from urdf2dyn_ros.quoting import quote


@dataclass(frozen=True)
class Rotor(JointTerm):
    """
    Parameters of the rotor that drives one joint.

    Attributes
    ----------
    inertia : Scalar
        About its axis [kg m^2].
    gear_ratio : Scalar
        Turns of the rotor per turn of the joint, negative where it turns the other way round
        [-], or radians of the rotor per metre of the joint [rad/m].
    armature : Scalar
        Reflected inertia that is known as such [kg m^2 or kg].
    gyroscopic : bool
        Whether the parent feels that the rotor spins.

    """

    NAME: ClassVar[str] = 'rotor'
    PLURAL: ClassVar[str] = 'rotors'
    INERTIAL: ClassVar[bool] = True

    inertia: Scalar = parameter(
        'Im', "rotor's inertia", 'kg m^2', 'rotor_inertia',
        'Inertia of the rotor about its own axis.')
    gear_ratio: Scalar = parameter(
        'N', 'gear ratio', 'rad/{unit}', 'gear_ratio',
        'Turns of the rotor for one of the joint, negative where they are opposite; by default '
        'the mechanicalReduction of the URDF.', 1.0, None, urdf='gear_ratio')
    armature: Scalar = parameter(
        'Ia', 'reflected inertia known as such', '{effort} s^2/{unit}', 'armature',
        'Reflected inertia of the rotor that is known as such, added to rotor_inertia * '
        'gear_ratio^2.')
    gyroscopic: bool = False
    _coupled: Scalar = field(init=False, repr=False, compare=False, default=0.0)
    _reflected: Scalar = field(init=False, repr=False, compare=False, default=0.0)

    def __post_init__(self) -> None:
        # made with the parameters: no work at every call
        coupled = self.inertia * self.gear_ratio
        object.__setattr__(self, '_coupled', coupled if self.gyroscopic else 0.0)
        object.__setattr__(self, '_reflected', coupled * self.gear_ratio + self.armature)

    def check(self, joint: str, kind: JointType) -> None:
        super().check(joint, kind)
        if self.inertia != 0.0 and self.gear_ratio == 0.0:
            raise ParameterError(f'parameter rotor gear_ratio of joint {quote(joint)} = 0: must '
                                 'be a number other than zero; without a gear it is 1')

    def constants(self) -> dict[str, Scalar]:
        """Return the inertia that is felt at the joint, and the one that couples."""
        return {'Ir': self._reflected, 'Ic': self._coupled}

    def is_off(self) -> bool:
        return bool(self.inertia == 0.0 and self.armature == 0.0)

    def unused(self) -> set[str]:
        return {'gear_ratio'} if self.inertia == 0.0 else set()

    def effort(self, parent: Motion, at: Coordinate, transmitted: Scalar) -> Scalar:
        return self._reflected * at.qdd + self._coupled * parent.wd[2]

    def on_parent(self, parent: Motion, at: Coordinate) -> Vector:
        if not self.gyroscopic:
            return ZERO
        spin = self._coupled * at.qd
        return (spin * parent.w[1], -(spin * parent.w[0]), self._coupled * at.qdd)

    def slopes(self, at: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        """Return the reflected inertia: the coupling depends on the joints before this one."""
        return 0.0, 0.0, self._reflected

    def formula(self) -> str:
        if self.inertia == 0.0:
            return 'rotor{n} = Ia{n} qdd{n}'
        return 'rotor{n} = Ir{n} qdd{n}' + (' + Ic{n} {wdp}_z' if self.gyroscopic else '')
