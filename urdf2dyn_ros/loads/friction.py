"""
Friction of a joint and its drive: viscous, Coulomb, Stribeck, with the load, and an offset.

Fv qd + (Fc + Fl |tau_b| + Fs exp(-(qd / vs)^2)) tanh(qd / width) + Fq qd |qd| + Fo
(Armstrong-Helouvry, Dupont, Canudas de Wit 1994; the hyperbolic tangent is a sign without a
jump). tau_b is the effort that the joint transmits, before its terms (Hamon, Gautier, Garrec
2010). At rest it is the offset alone: static friction is undetermined there.
"""

from dataclasses import dataclass
from typing import ClassVar

from urdf2dyn_ros.algebra.expression import Scalar, exp, tanh
from urdf2dyn_ros.algebra.magnitude import SMALLEST_DIVISOR
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.loads.joint_term import JointTerm, parameter


@dataclass(frozen=True)
class Friction(JointTerm):
    """
    Parameters of the friction of one joint.

    Attributes
    ----------
    viscous, coulomb, stribeck, offset : Scalar
        [N m s/rad or N s/m], [N m or N] each; stribeck is what sticking takes more than sliding.
    load : Scalar
        Coulomb friction per unit of the effort that the joint transmits [-].
    quadratic : Scalar
        [N m s^2/rad^2 or N s^2/m^2].
    steepness, decay : Scalar
        1 over the width of the sign [s/rad or s/m]; 1 over the square of the Stribeck velocity
        [s^2/rad^2 or s^2/m^2].

    """

    NAME: ClassVar[str] = 'friction'
    PLURAL: ClassVar[str] = 'friction'

    viscous: Scalar = parameter(
        'Fv', 'viscous friction', '{effort} s/{unit}', 'viscous',
        'Viscous friction; by default the damping of the URDF.', urdf='damping')
    coulomb: Scalar = parameter(
        'Fc', 'Coulomb friction', '{effort}', 'coulomb',
        'Coulomb friction; by default the friction of the URDF.', urdf='friction')
    steepness: Scalar = parameter(
        'iw', '1 over the width of its sign', 's/{unit}', 'friction_width',
        'In the place of friction.width.', 100.0, SMALLEST_DIVISOR, power=-1,
        setting_unit='{unit}/s')
    stribeck: Scalar = parameter(
        'Fs', 'what sticking takes more than sliding', '{effort}', 'stribeck',
        'What sticking takes more than sliding.')
    decay: Scalar = parameter(
        'iv', '1 over the Stribeck velocity squared', 's^2/{unit}^2', 'stribeck_velocity',
        'Velocity at which that has fallen to 1/e.', 100.0, SMALLEST_DIVISOR, power=-2,
        setting_unit='{unit}/s')
    offset: Scalar = parameter(
        'Fo', 'offset of friction', '{effort}', 'friction_offset', 'Offset of the friction.',
        least=None)
    load: Scalar = parameter(
        'Fl', 'Coulomb friction per transmitted effort', '-', 'load',
        'Coulomb friction for each unit of the effort that the joint transmits.')
    quadratic: Scalar = parameter(
        'Fq', 'quadratic viscous friction', '{effort} s^2/{unit}^2', 'quadratic',
        'Viscous friction that grows with the square of the velocity; negative where it grows '
        'less than linearly.', least=None)

    def is_off(self) -> bool:
        return all(value == 0.0 for value in (
            self.viscous, self.coulomb, self.stribeck, self.offset, self.load, self.quadratic))

    def unused(self) -> set[str]:
        return ({'steepness'} if not self._has_sign else set()) | (
            {'decay'} if not self._sticks else set())

    def needs_transmitted(self) -> bool:
        return bool(self.load != 0.0)

    def effort(self, parent: Motion, at: Coordinate, transmitted: Scalar) -> Scalar:
        result = self.viscous * at.qd + self.offset
        if self._has_sign:
            sign = tanh(self.steepness * at.qd)
            level = self.coulomb
            if self.needs_transmitted():
                level = level + self.load * abs(transmitted)
            if self._sticks:
                level = level + self.stribeck * exp(-(self.decay * (at.qd * at.qd)))
            result = result + level * sign
        if self.quadratic != 0.0:
            result = result + self.quadratic * (at.qd * abs(at.qd))
        return result

    def slopes(self, at: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        """Return the derivative by qd, without what the transmitted effort adds."""
        by_rate = self.viscous
        if self._has_sign:
            sign, level = tanh(self.steepness * at.qd), self.coulomb
            if self._sticks:
                peak = self.stribeck * exp(-(self.decay * (at.qd * at.qd)))
                level = level + peak
                by_rate = by_rate - 2.0 * self.decay * (at.qd * (peak * sign))
            by_rate = by_rate + level * (self.steepness * (1.0 - sign * sign))
        if self.quadratic != 0.0:
            by_rate = by_rate + 2.0 * self.quadratic * abs(at.qd)
        return 0.0, by_rate, 0.0

    @property
    def _sticks(self) -> bool:
        return bool(self.stribeck != 0.0)

    @property
    def _has_sign(self) -> bool:
        return bool(self.coulomb != 0.0 or self._sticks or self.needs_transmitted())

    def formula(self) -> str:
        parts = ['Fv{n} qd{n}'] if self.viscous != 0.0 else []
        level = ['Fc{n}'] if self.coulomb != 0.0 else []
        level += ['Fl{n} |{tb}|'] if self.needs_transmitted() else []
        level += ['Fs{n} exp(-iv{n} qd{n}^2)'] if self._sticks else []
        if level:
            joined = ' + '.join(level)
            parts.append((f'({joined})' if len(level) > 1 else joined) + ' tanh(iw{n} qd{n})')
        parts += ['Fq{n} qd{n} |qd{n}|'] if self.quadratic != 0.0 else []
        parts += ['Fo{n}'] if self.offset != 0.0 else []
        return 'friction{n} = ' + ' + '.join(parts)
