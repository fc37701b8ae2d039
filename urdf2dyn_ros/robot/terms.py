"""Terms at joints that a URDF lacks: friction, the motor's rotor, a spring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, ClassVar

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.joints import Coordinate, JointType, Motion
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import (
    LARGEST_MAGNITUDE,
    SMALLEST_DIVISOR,
    ZERO,
    Scalar,
    Vector,
    exp,
    tanh,
)
from urdf2dyn_ros.text import quote

# ---- A joint term: named parameters, an effort, and a moment on the parent

# largest magnitude of a node's parameter; smallest one that is used as a divisor
LARGEST_SETTING, SMALLEST_DIVISOR_SETTING = 1e9, 1e-6


@dataclass(frozen=True)
class TermParameter:
    """A parameter of a joint term: in the equations, and the node's joints.<joint>.<setting>."""

    symbol: str   # its name in the equations, before the number of the joint
    what: str   # what it is
    unit: str   # with {unit} for rad or m and {effort} for N m or N
    default: float
    least: float | None   # the smallest valid value; None if it may be negative
    setting: str   # name of the node's parameter
    meaning: str   # description of the node's parameter
    urdf: str = ''   # attribute of `Joint` in model.py that is its default; empty for none
    shared: str = ''   # the node's parameter of all joints that is its default; empty for none
    power: int = 1   # its value is this power of the setting: -1 for 1 over the setting
    of: tuple[str, ...] = ()   # fields one of which must be other than 0 for it to have an effect
    setting_unit: str = ''   # unit of the setting where that is another one

    @property
    def node_parameter(self) -> Parameter:
        """The node's parameter."""
        unit = self.setting_unit or self.unit
        units = dict.fromkeys(unit.format(unit=u, effort=e) for u, e in (
            ('rad', 'N m'), ('m', 'N')))
        least = -LARGEST_SETTING if self.least is None else (
            SMALLEST_DIVISOR_SETTING if self.power < 0 else self.least)
        return Parameter(self.setting, self.setting_of(self.default), self.meaning,
                         ' or '.join(units), least, LARGEST_SETTING)

    def value(self, setting: float) -> float:
        """Return the parameter from the node's parameter."""
        return setting if self.power == 1 else 1.0 / setting**-self.power

    def setting_of(self, value: float) -> float:
        """Return the node's parameter from the parameter."""
        return value if self.power == 1 else value**(1.0 / self.power)


def parameter(symbol: str, what: str, unit: str, setting: str, meaning: str,
              default: float = 0.0, least: float | None = 0.0, **more: Any) -> Any:
    """Return the field of a parameter, with a `TermParameter`; `more` are its other attributes."""
    return field(default=default, metadata={'row': TermParameter(
        symbol, what, unit, default, least, setting, meaning, **more)})


@dataclass(frozen=True)
class JointTerm(ABC):
    """
    A term at one joint; its parameters are the fields, which may be any scalars.

    A new one says its `effort`, `slopes` and `formula`; where it needs them, `energy`, `shifted`,
    `on_parent`, `needs_transmitted`, `derived_parameters`.
    """

    NAME: ClassVar[str]   # key of TERMS, and what the effort is called in the equations
    PLURAL: ClassVar[str]   # what a sentence calls those of all joints
    PARAMETERS: ClassVar[tuple[Parameter, ...]]   # of all joints; NAME.enabled: whether they count
    INERTIAL: ClassVar[bool] = False   # it depends on accelerations: part of the mass matrix
    DISSIPATES: ClassVar[bool] = False   # it is friction, which efforts may be net of
    # symbols of `derived_parameters` for formulas: Ir of the effort Ir qdd of an INERTIAL term, Ic
    # of the moment Ic (qdd z + w x qd z) on a parent that rotates by w
    REFLECTED: ClassVar[str] = ''
    COUPLING: ClassVar[str] = ''

    @classmethod
    def rows(cls) -> dict[str, TermParameter]:
        """Return the parameters by the names of their fields, in order."""
        return {each.name: each.metadata['row'] for each in fields(cls) if each.metadata}

    @classmethod
    def of_all(cls, values: Mapping[str, Any], kind: JointType) -> dict[str, Any]:
        """Return the fields that one parameter sets at all joints, for one of them."""
        return {}

    def parameters(self) -> Iterator[tuple[str, TermParameter, Scalar]]:
        """Yield field, description and value of each parameter that has an effect, in order."""
        for name, row in self.rows().items():
            value = getattr(self, name)
            if value != 0.0 and (not row.of or self._any(row.of)):
                yield name, row, value

    def is_off(self) -> bool:
        """Return whether its effort is always zero."""
        return not self._any(name for name, row in self.rows().items() if not row.of)

    def _any(self, names: Iterable[str]) -> bool:
        return any(getattr(self, name) != 0.0 for name in names)

    def check(self, joint: str, kind: JointType) -> None:
        """Raise a ParameterError for a parameter that is no finite number within its range."""
        for name, row in self.rows().items():
            value = getattr(self, name)
            Parameter(f'{self.NAME} {name} of joint {quote(joint)}', 0.0, row.what,
                      row.unit.format(**kind.units),
                      -LARGEST_MAGNITUDE if row.least is None else row.least,
                      LARGEST_MAGNITUDE).check(float(value) if isinstance(value, Real) else value)

    def shifted(self, offset: float) -> JointTerm:
        """Return the same term in a coordinate that is smaller by an offset [rad or m]."""
        return self

    def derived_parameters(self) -> dict[str, Scalar]:
        """Return what is computed from the parameters alone: symbol to value."""
        return {}

    def needs_transmitted(self) -> bool:
        """Return whether its effort depends on the effort that the joint transmits."""
        return False

    @abstractmethod
    def effort(self, parent: Motion, coordinate: Coordinate, transmitted: Scalar) -> Scalar:
        """
        Return what the actuator supplies [N m or N].

        The motion of the `parent` is in the joint's axes; `transmitted` is the effort of the
        wrench that the joint transmits, before the terms at this joint [N m or N].
        """

    @abstractmethod
    def slopes(self, coordinate: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        """Return the derivatives of its effort by q, qd and qdd of its joint."""

    def on_parent(self, parent: Motion, coordinate: Coordinate) -> Vector:
        """
        Return the moment [N m] that the parent has to transmit for it, in the joint's axes.

        It is linear in w of the parent and in qd and qdd, and gyroscopic: the effort is what the
        motion of the parent adds in return.
        """
        return ZERO

    def energy(self, coordinate: Coordinate) -> Scalar:
        """Return the potential energy [J] that its effort has stored."""
        return 0.0

    @abstractmethod
    def formula(self) -> str:
        """Return the effort as a formula, with the fields of a `Notation`, as {n} of the joint."""


# ---- Friction of a joint and its drive: viscous, Coulomb, Stribeck, with the load, and an offset
#
# Fv qd + (Fc + Fl |tau_b| + Fs exp(-(qd / vs)^2) + Fa qd) tanh(qd / width) + Fq qd |qd| + Fo
# (Armstrong-Helouvry, Dupont, Canudas de Wit 1994; the hyperbolic tangent is a sign without a
# jump). tau_b is the effort that the joint transmits, before its terms (Hamon, Gautier, Garrec
# 2010). Viscous friction is Fv + Fa forwards and Fv - Fa backwards; Coulomb friction that differs
# between directions is the offset. At rest it is the offset alone: static friction is undetermined
# there.

# velocity within which it turns over in fits to measurements, by the joint's unit [1/s]
SIGN_WIDTHS = {'rad': 0.02, 'm': 0.002}
_SIGNED = ('coulomb', 'stribeck', 'load', 'asymmetry')   # what the smooth sign is a factor of


@dataclass(frozen=True)
class Friction(JointTerm):
    """Friction of one joint; each field has its meaning and its unit, {effort} N m or N."""

    NAME: ClassVar[str] = 'friction'
    PLURAL: ClassVar[str] = 'friction'
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('friction.enabled', False,
                  'Count the friction of the joints: <dynamics damping friction> of the URDF is '
                  'viscous and Coulomb friction, joints.* are added or take its place. False '
                  'where the measured effort is net of friction, as that of Gazebo is.'),
        Parameter('friction.width', 0.01,
                  'Velocity within which the sign of Coulomb friction turns over: '
                  'tanh(qd / width).', unit='rad/s or m/s', minimum=SMALLEST_DIVISOR_SETTING,
                  maximum=LARGEST_SETTING))

    DISSIPATES: ClassVar[bool] = True

    viscous: Scalar = parameter(
        'Fv', 'viscous friction', '{effort} s/{unit}', 'viscous',
        'Viscous friction; by default the damping of the URDF.', urdf='damping')
    coulomb: Scalar = parameter(
        'Fc', 'Coulomb friction', '{effort}', 'coulomb',
        'Coulomb friction; by default the friction of the URDF.', urdf='friction')
    steepness: Scalar = parameter(
        'iw', '1 over the width of its sign', 's/{unit}', 'friction_width',
        'Velocity within which the sign of its friction turns over, instead of friction.width.',
        100.0, SMALLEST_DIVISOR, shared='friction.width',
        power=-1, setting_unit='{unit}/s', of=_SIGNED)
    stribeck: Scalar = parameter(
        'Fs', 'what sticking takes more than sliding', '{effort}', 'stribeck',
        'Static friction in excess of Coulomb friction.')
    decay: Scalar = parameter(
        'iv', '1 over the Stribeck velocity squared', 's^2/{unit}^2', 'stribeck_velocity',
        'Velocity at which stribeck has fallen to 1/e.', 100.0, SMALLEST_DIVISOR, power=-2,
        setting_unit='{unit}/s', of=('stribeck',))
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
    asymmetry: Scalar = parameter(
        'Fa', 'viscous friction that differs between directions', '{effort} s/{unit}',
        'asymmetry', 'By how much viscous friction is larger at positive velocities, and smaller '
        'at negative ones.', least=None)

    def needs_transmitted(self) -> bool:
        return bool(self.load != 0.0)

    def effort(self, parent: Motion, coordinate: Coordinate, transmitted: Scalar) -> Scalar:
        qd = coordinate.qd
        result = self.viscous * qd + self.offset
        if self._any(_SIGNED):
            sign = tanh(self.steepness * qd)
            level = self.coulomb
            if self.needs_transmitted():
                level = level + self.load * abs(transmitted)
            if self.stribeck != 0.0:
                level = level + self.stribeck * exp(-(self.decay * (qd * qd)))
            if self.asymmetry != 0.0:
                level = level + self.asymmetry * qd
            result = result + level * sign
        if self.quadratic != 0.0:
            result = result + self.quadratic * (qd * abs(qd))
        return result

    def slopes(self, coordinate: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        """Return the derivative by qd, without what the transmitted effort adds."""
        by_rate = self.viscous
        if self._any(_SIGNED):
            sign, level = tanh(self.steepness * coordinate.qd), self.coulomb
            if self.stribeck != 0.0:
                peak = self.stribeck * exp(-(self.decay * (coordinate.qd * coordinate.qd)))
                level = level + peak
                by_rate = by_rate - 2.0 * self.decay * (coordinate.qd * (peak * sign))
            if self.asymmetry != 0.0:
                level = level + self.asymmetry * coordinate.qd
                by_rate = by_rate + self.asymmetry * sign
            by_rate = by_rate + level * (self.steepness * (1.0 - sign * sign))
        if self.quadratic != 0.0:
            by_rate = by_rate + 2.0 * self.quadratic * abs(coordinate.qd)
        return 0.0, by_rate, 0.0

    def formula(self) -> str:
        parts = ['Fv{n} qd{n}'] if self.viscous != 0.0 else []
        level = ['Fc{n}'] if self.coulomb != 0.0 else []
        level += ['Fl{n} |{tb}|'] if self.needs_transmitted() else []
        level += ['Fs{n} exp(-iv{n} qd{n}^2)'] if self.stribeck != 0.0 else []
        level += ['Fa{n} qd{n}'] if self.asymmetry != 0.0 else []
        if level:
            joined = ' + '.join(level)
            parts.append((f'({joined})' if len(level) > 1 else joined) + ' tanh(iw{n} qd{n})')
        parts += ['Fq{n} qd{n} |qd{n}|'] if self.quadratic != 0.0 else []
        parts += ['Fo{n}'] if self.offset != 0.0 else []
        return 'friction{n} = ' + ' + '.join(parts)


# ---- The rotor of a joint's motor, which turns gear_ratio times as fast as the joint
#
# Mounted on the parent, with its axis parallel to the joint's. What it is felt as at the joint is
# the reflected inertia Im N^2 (MuJoCo's armature). That the parent turns as well, and has to turn
# the spinning rotor with it, are the gyroscopic terms: Im N wdp_z at the joint, and on the parent
# the moment Im N (qdd z + wp x qd z) (Sciavicco, Siciliano, Villani 1994). The mass and the
# inertia of the rotor at rest are part of the parent link, as a URDF counts them.

@dataclass(frozen=True)
class Rotor(JointTerm):
    """The rotor that drives one joint; `gyroscopic`: whether its spin acts on the parent."""

    NAME: ClassVar[str] = 'rotor'
    PLURAL: ClassVar[str] = 'rotors'
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('rotor.enabled', True, 'Count the inertia of the rotors that drive the joints, '
                  'where joints.* give it.'),
        Parameter('rotor.gyroscopic', False, 'Count that a rotor also rotates with its parent; '
                  'its axis is parallel to that of the joint. Revolute and continuous joints '
                  'only.'))
    INERTIAL: ClassVar[bool] = True
    REFLECTED: ClassVar[str] = 'Ir'
    COUPLING: ClassVar[str] = 'Ic'

    inertia: Scalar = parameter(
        'Im', "rotor's inertia", 'kg m^2', 'rotor_inertia',
        'Inertia of the rotor about its own axis.')
    gear_ratio: Scalar = parameter(
        'N', 'gear ratio', 'rad/{unit}', 'gear_ratio',
        'Turns of the rotor for one of the joint, negative where they are opposite; by default '
        'the mechanicalReduction of the URDF.', 1.0, None, urdf='gear_ratio', of=('inertia',))
    armature: Scalar = parameter(
        'Ia', 'reflected inertia known as such', '{effort} s^2/{unit}', 'armature',
        'Reflected inertia of the rotor that is known as such, added to rotor_inertia * '
        'gear_ratio^2.')
    gyroscopic: bool = False
    _coupled: Scalar = field(init=False, repr=False, compare=False, default=0.0)
    _reflected: Scalar = field(init=False, repr=False, compare=False, default=0.0)

    @classmethod
    def of_all(cls, values: Mapping[str, Any], kind: JointType) -> dict[str, Any]:
        # where a joint slides its rotor's axis may be any
        return {'gyroscopic': values['rotor.gyroscopic'] and bool(kind.turns)}

    def __post_init__(self) -> None:
        # made with the parameters: no work at every call
        with suppress(TypeError):   # of what is no number, which `check` refuses
            coupled = self.inertia * self.gear_ratio
            object.__setattr__(self, '_coupled', coupled if self.gyroscopic else 0.0)
            object.__setattr__(self, '_reflected', coupled * self.gear_ratio + self.armature)

    def check(self, joint: str, kind: JointType) -> None:
        super().check(joint, kind)
        if self.inertia != 0.0 and self.gear_ratio == 0.0:
            raise ParameterError(f'parameter rotor gear_ratio of joint {quote(joint)} = 0: must '
                                 'be a number other than zero; without a gear it is 1')

    def derived_parameters(self) -> dict[str, Scalar]:
        """Return the inertia that is felt at the joint, and the one that couples."""
        return {self.REFLECTED: self._reflected, self.COUPLING: self._coupled}

    def effort(self, parent: Motion, coordinate: Coordinate, transmitted: Scalar) -> Scalar:
        return self._reflected * coordinate.qdd + self._coupled * parent.wd[2]

    def on_parent(self, parent: Motion, coordinate: Coordinate) -> Vector:
        if not self.gyroscopic:
            return ZERO
        spin = self._coupled * coordinate.qd
        return Vector(spin * parent.w[1], -(spin * parent.w[0]), self._coupled * coordinate.qdd)

    def slopes(self, coordinate: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        """Return the reflected inertia: the coupling depends on the joints before this one."""
        return 0.0, 0.0, self._reflected

    def formula(self) -> str:
        if self.inertia == 0.0:
            return 'rotor{n} = Ia{n} qdd{n}'
        return 'rotor{n} = Ir{n} qdd{n}' + (' + Ic{n} {wdp}_z' if self.gyroscopic else '')


# ---- A spring in parallel with a joint's motor: ks (q - qs)

@dataclass(frozen=True)
class Spring(JointTerm):
    """The spring of one joint."""

    NAME: ClassVar[str] = 'spring'
    PLURAL: ClassVar[str] = 'springs'
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('spring.enabled', True,
                  'Count the springs at the joints that joints.* give.'),)

    stiffness: Scalar = parameter(
        'ks', 'stiffness of the spring', '{effort}/{unit}', 'spring_stiffness',
        'Stiffness of the spring.')
    reference: Scalar = parameter(
        'qs', 'where it is slack', '{unit}', 'spring_reference', 'Position at which it is slack.',
        least=None, of=('stiffness',))

    def shifted(self, offset: float) -> Spring:
        return replace(self, reference=self.reference - offset)

    def effort(self, parent: Motion, coordinate: Coordinate, transmitted: Scalar) -> Scalar:
        return self.stiffness * (coordinate.q - self.reference)

    def slopes(self, coordinate: Coordinate) -> tuple[Scalar, Scalar, Scalar]:
        return self.stiffness, 0.0, 0.0

    def energy(self, coordinate: Coordinate) -> Scalar:
        stretch = coordinate.q - self.reference
        return 0.5 * self.stiffness * (stretch * stretch)

    def formula(self) -> str:
        slack = ' - qs{n}' if self.reference != 0.0 else ''
        return 'spring{n} = ks{n} ' + (f'(q{{n}}{slack})' if slack else 'q{n}')
