"""
The contract of every simulator: efforts in, one physics step, one consistent sample out.

And what stands between a motion and an engine: mimic joints, drives, and the law of control.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from urdf2dyn_ros.errors import ParameterError, SimulationError
from urdf2dyn_ros.robot.joints import AT_REST, JOINTS, URDF_TYPES, Coordinate
from urdf2dyn_ros.robot.loads import GRAVITY, JOINT_PARAMETERS, TERMS
from urdf2dyn_ros.robot.model import Inertial, Joint, Limits, RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.rotations import from_rpy
from urdf2dyn_ros.robot.spatial import Array, Triple, symmetric, upper
from urdf2dyn_ros.robot.terms import JointTerm
from urdf2dyn_ros.robot.writer import clean_urdf
from urdf2dyn_ros.text import listed

# ---- Mimic joints: the positions of all joints from those of the drivers


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
        lower, upper = [-np.inf], [np.inf]
        magnitudes: dict[str, list[float]] = {
            'velocity': [], 'acceleration': [], 'deceleration': [], 'jerk': []}
        ratios = self.ratios[:, column]
        for joint, ratio, offset in zip(self.joints, ratios, self.offsets, strict=True):
            if ratio == 0.0:
                continue
            limits = joint.limits
            ends = [((-np.inf if limits.lower is None else limits.lower) - offset) / ratio,
                    ((np.inf if limits.upper is None else limits.upper) - offset) / ratio]
            if JOINTS[joint.type].bounded and min(ends) < max(ends):
                lower.append(min(ends))
                upper.append(max(ends))
            for name, values in magnitudes.items():
                value = getattr(limits, name)
                if value or (value is not None and name != 'velocity'):   # 0: a placeholder
                    values.append(value / abs(ratio))
        return Limits(_finite(max(lower)), _finite(min(upper)), None,
                      *(min(values, default=None) for values in magnitudes.values()))


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def find_gears(model: RobotModel) -> Gears:
    """
    Return the gears of a model, with its root fixed to the world even if it floats.

    Any other joint with several coordinates raises a SimulationError.
    """
    moving = []
    for joint in model.joints:
        if URDF_TYPES[joint.type].single:
            moving.append(joint)
        elif joint.moves and not model.floats(joint):
            raise SimulationError(
                f'joint {joint.name!r}: a {joint.type} joint cannot be simulated; write it as '
                'prismatic and revolute joints one after the other')
    if model.loops or model.couplings:
        raise SimulationError(
            'a robot with closed loops cannot be simulated by this command: in MuJoCo, add an '
            '<equality><connect> for each loop to the model, with solref of two time steps, and '
            'publish the joint states of that simulation')
    drivers = tuple(joint for joint in moving if joint.mimic is None)
    system = make_multibody(model)
    bodies = {body.name: body for body in system.bodies}
    ratios = np.zeros((len(moving), len(drivers)))
    for row, body in enumerate(bodies[joint.name] for joint in moving):
        driver = system.joint_names[body.coordinate]
        ratios[row] = [body.multiplier * (joint.name == driver) for joint in drivers]
    offsets = np.array([bodies[joint.name].offset for joint in moving], dtype=np.float64)
    return Gears(tuple(moving), drivers, ratios, offsets)


# ---- The sample of one physics step

EFFORTS = ('net', 'commanded')


@dataclass(frozen=True)
class SimulatedSample:
    """
    State and efforts at the beginning of one step.

    Both engines step by the semi-implicit Euler method: qd' = qd + dt qdd, q' = q + dt qd'. The
    effort holds exactly for q and qd before the step and qdd = (qd' - qd) / dt. In continuous
    time, q and qdd belong to `time`, but qd = (q - q of the step before) / dt to half a step
    earlier and qd' to half a step later; their mean is the velocity that a sensor would measure.
    """

    time: float   # simulated time [s]
    q: Array   # (n,), state of the engine's equations [rad or m]
    qd: Array   # (n,) [rad/s or m/s]
    qdd: Array   # (n,) [rad/s^2 or m/s^2]
    velocity: Array   # (n,), at the instant of q [rad/s or m/s]
    # (n,), effort that moves the links [N m or N]: the wrench that a sensor in the joint would
    # measure, projected on the axis; without damping and friction of the joint
    net: Array
    commanded: Array   # (n,), effort of the actuator [N m or N]: net effort, damping and friction


# ---- The robot as engines read it, and checks of the masses and inertias that they read

_NO_INERTIA = 1e-12   # [kg m^2 or kg], diagonal of M below which a joint moves no inertia
_LEAST_EIGENVALUE = 1e-9   # of an invertible mass matrix, scaled to a unit diagonal


def simulated_urdf(model: RobotModel, friction: bool) -> str:
    """Return a URDF with a fixed root, without gears, limits and inertias of zero."""
    def simulated(joint: Joint) -> Joint:
        if model.floats(joint):
            return replace(joint, type='fixed', mimic=None)
        return replace(joint, mimic=None, limits=Limits(),
                       damping=joint.damping if friction else 0.0,
                       friction=joint.friction if friction else 0.0)

    return clean_urdf(replace(
        model, joints=tuple(simulated(joint) for joint in model.joints),
        links=tuple(link if link.inertia is None or link.mass > 0.0 or any(link.inertia.tensor)
                    else replace(link, inertia=None) for link in model.links)), fill_limits=True)


def with_aligned_inertias(model: RobotModel) -> RobotModel:
    """Return the robot with every inertial frame parallel to the frame of its link."""
    def aligned(inertia: Inertial) -> Inertial:
        R = from_rpy(inertia.rpy)
        tensor = R @ symmetric(inertia.tensor) @ R.T
        xx, xy, xz, yy, yz, zz = upper(tensor)
        return replace(inertia, rpy=(0.0, 0.0, 0.0), tensor=(xx, xy, xz, yy, yz, zz))

    return replace(model, links=tuple(
        link if link.inertia is None else replace(link, inertia=aligned(link.inertia))
        for link in model.links))


def check_masses(model: RobotModel, engine: str, masses: Mapping[str, float]) -> None:
    """
    Raise a SimulationError if an engine read another mass [kg] of a link than the model has.

    An engine may have no body for the root.
    """
    for link in model.links:
        expected, mass = link.mass, masses.get(link.name)
        if mass is None and link.name == model.root:
            continue
        if mass is None or abs(mass - expected) > 1e-9 * max(expected, 1e-5):
            raise SimulationError(f'link {link.name!r}: {engine} simulates a mass of {mass} kg, '
                                  f'the model has {expected} kg')


def check_inertia(gears: Gears, M: Array) -> None:
    """
    Raise a SimulationError for joints that move no inertia, alone or together.

    M (m, m) is the mass matrix of all moving joints [kg m^2, kg m or kg].
    """
    remedy = ('give the links they move an <inertial>, or make the joints fixed; '
              'inverse dynamics itself needs neither')
    diagonal = M.diagonal()
    empty = [joint.name for joint, m in zip(gears.joints, diagonal, strict=True)
             if m < _NO_INERTIA]
    if empty:
        raise SimulationError(f'no inertia is moved by {listed(empty)}: {remedy}')
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(M * np.outer(scale, scale))
    if values[0] < _LEAST_EIGENVALUE:
        together = [joint.name for joint, part in zip(gears.joints, vectors[:, 0], strict=True)
                    if abs(part) > 0.05]
        raise SimulationError(f'no inertia is moved when {listed(together)} move against each '
                              f'other: {remedy}')


# ---- The contract of every simulator: efforts in, one physics step, one consistent sample out

_LARGEST_VELOCITY = 1e6   # beyond which the simulation has diverged [rad/s or m/s]


class Simulator(ABC):
    """
    A fixed-base robot in a physics engine; vectors are in the order of `joint_names`.

    The root is fixed to the world, also a floating one. There are no contacts and no limits.
    Damping and Coulomb friction of the URDF act only if `friction` is true; the damping is
    implicit, with the velocity at the end of the step.

    Mimic joints follow their driver through an ideal, rigid gear without mass: the engine's own
    mass matrix gives the motion of all joints, and the effort of a driver is its own plus
    multiplier * effort of each joint that mimics it.

    An engine is a subclass with the abstract methods; their vectors have an entry for each of the
    m moving joints, including mimic joints, in the order of the file.

    A SimulationError says what the engine cannot simulate: joints with several coordinates, joints
    that move no inertia, constant wrenches, or a model that it read differently.

    Gravity [m/s^2] is in the root frame, and `dt` is the physics step [s]. The attribute
    `joint_names` has the n drivers in the order of the file.
    """

    def __init__(self, model: RobotModel, gravity: Triple = GRAVITY,
                 dt: float = 0.001, friction: bool = False) -> None:
        self._gears = find_gears(model)
        if not self._gears.drivers:
            raise SimulationError(f'robot {model.name!r} has no joint that moves')
        if model.forces:
            links = ', '.join(dict.fromkeys(force.link for force in model.forces))
            raise SimulationError(f'robot {model.name!r} has tags <force> (on {links}), which are '
                                  'not simulated; simulate it without them')
        if self._gears.any and friction and any(j.friction for j in self._gears.joints):
            raise SimulationError('Coulomb friction cannot be simulated together with mimic '
                                  'joints; set friction="0" in their <dynamics>')
        self.joint_names = tuple(joint.name for joint in self._gears.drivers)
        self._dt = dt
        self._steps = 0
        self._damping = np.array([joint.damping if friction else 0.0
                                  for joint in self._gears.joints])
        self._drivers = [self._gears.joints.index(joint) for joint in self._gears.drivers]
        self._load(model, gravity, friction)
        zeros = np.zeros(len(self.joint_names))
        self.set_state(zeros, zeros)
        check_inertia(self._gears, self._dynamics()[0])

    @abstractmethod
    def _load(self, model: RobotModel, gravity: tuple[float, float, float],
              friction: bool) -> None:
        """Load the robot into the engine."""

    @abstractmethod
    def _state(self) -> tuple[Array, Array]:
        """Return the present positions and velocities (m,)."""

    @abstractmethod
    def _set_state(self, q: Array, qd: Array) -> None:
        """Set positions and velocities (m,)."""

    @abstractmethod
    def _dynamics(self) -> tuple[Array, Array]:
        """Return M (m, m) and bias (m,): the links' efforts at the state are M qdd + bias."""

    @abstractmethod
    def _advance(self, efforts: Array) -> Array:
        """Step under efforts (m,); return the net efforts (m,) of the step."""

    @property
    def time(self) -> float:
        """Simulated time [s], exact multiples of the physics step."""
        return self._steps * self._dt

    @property
    def q(self) -> Array:
        """Present positions (n,) [rad or m]."""
        return self._state()[0][self._drivers]

    @property
    def qd(self) -> Array:
        """Present velocities (n,) [rad/s or m/s]."""
        return self._state()[1][self._drivers]

    def set_state(self, q: Array, qd: Array) -> None:
        """Set the state q, qd (n,) of the drivers."""
        self._set_state(self._gears.ratios @ q + self._gears.offsets, self._gears.ratios @ qd)

    def step(self, efforts: Array) -> SimulatedSample:
        """
        Advance by one physics step under efforts (n,) of the drivers.

        If the state diverges, it raises a SimulationError.
        """
        time, q, qd = self.time, self.q, self.qd
        diverged = SimulationError(f'the simulation diverged at {time:.3f} s; use a smaller '
                                   'physics step, or a slower motion')
        if not np.isfinite(efforts).all():
            raise diverged
        if self._gears.any:
            net = self._gears.ratios.T @ self._advance(self._through_gears(efforts))
            self.set_state(self.q, self.qd)
        else:
            net = self._advance(efforts)
        self._steps += 1
        after = self.qd
        if not (np.isfinite([self.q, net]).all() and (np.abs(after) < _LARGEST_VELOCITY).all()):
            raise diverged
        return SimulatedSample(time, q, qd, (after - qd) / self._dt, 0.5 * (qd + after), net,
                               efforts.copy())

    def required(self, qdd: Array) -> Array:
        """Return the efforts (n,) of accelerations (n,) by the engine's model, with damping."""
        return np.asarray(self._gears.ratios.T @ self._efforts(self._gears.ratios @ qdd))

    def _efforts(self, qdd: Array) -> Array:
        """Return the efforts (m,) of accelerations (m,), without Coulomb friction."""
        M, bias = self._dynamics()
        velocities = self._state()[1] + self._dt * qdd   # damping after the step
        return np.asarray(M @ qdd + bias + self._damping * velocities)

    def _through_gears(self, tau: Array) -> Array:
        """Return the efforts (m,) of all joints for efforts tau (n,) of the drivers."""
        G = self._gears.ratios
        M, bias = self._dynamics()
        M = M + self._dt * np.diag(self._damping)
        rest = bias + self._damping * self._state()[1]
        return self._efforts(G @ np.linalg.solve(G.T @ M @ G, tau - G.T @ rest))


# ---- Friction, rotors and springs of the drives, which actuators overcome in addition to the
# links
#
# A drive whose inner loop delivers the effort that moves the links, tau_links, has to supply
#
#     tau = tau_links + rotor qdd + friction(qd) + spring(q)
#
# for the motion that happens. So the engine moves the links alone, and neither its constraints nor
# its steps limit how stiff a friction may be.

class Drives:
    """
    The drives of n joints, with parameters ``joints.<joint>.*`` by their full names.

    Only what is set counts, not <dynamics> of the URDF. A ParameterError names joints that the
    robot does not have.
    """

    def __init__(self, joints: Sequence[Joint], values: Mapping[str, Any]) -> None:
        settings = JOINT_PARAMETERS.of(values)
        names = [joint.name for joint in joints]
        unknown = [name for name in settings if name not in names]
        if unknown:
            raise ParameterError(f'parameters joints.{unknown[0]}.*: there is no joint '
                                 f'{unknown[0]!r} with a drive; there are {", ".join(names)}')
        self._terms = [[*_terms(joint, settings.get(joint.name, {}))] for joint in joints]

    def efforts(self, sample: SimulatedSample) -> Array:
        """Return the efforts (n,) of the drives [N m or N] in addition to those of the links."""
        result = np.zeros(len(self._terms))
        for number, terms in enumerate(self._terms):
            q, qd, qdd, net = (float(values[number]) for values in (
                sample.q, sample.velocity, sample.qdd, sample.net))
            result[number] = sum(float(term.effort(AT_REST, Coordinate(q, qd, qdd), net))
                                 for term in terms)
        return result


def _terms(joint: Joint, settings: Mapping[str, float]) -> Iterator[JointTerm]:
    for kind in TERMS.values():
        term = kind(**{field: row.value(settings[row.setting])
                       for field, row in kind.rows().items() if row.setting in settings})
        term.check(joint.name, JOINTS[joint.type])
        if not term.is_off():
            yield term


# ---- The law by which a simulated robot follows a motion

_KP, _KD = 400.0, 40.0   # of errors [1/s^2], [1/s]: critically damped, 20 rad/s


def computed_torque(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the efforts (n,) of a desired motion by the engine's model, without dry friction."""
    return simulator.required(qdd + _KP * (q - simulator.q) + _KD * (qd - simulator.qd))
