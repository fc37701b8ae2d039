"""The contract of every simulator: commands in, one physics step, one consistent sample out."""

from abc import ABC, abstractmethod

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.parameters.gravity import GRAVITY
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.simulators.gears import gears
from urdf2dyn_ros.simulators.sample import SimulatedSample
from urdf2dyn_ros.simulators.simulated_model import check_inertia

COMMANDED = ('effort', 'velocity', 'position')
"""Kinds of commands; a servo of the engine follows the last two."""

_LARGEST_VELOCITY = 1e6
"""Velocity beyond which the simulation has diverged [rad/s or m/s]."""


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

    Gravity [m/s^2] is in the root frame, `dt` is the physics step [s], and `command`, one of
    ``COMMANDED``, the kind of the argument of `step`. The attribute `joint_names` has the n
    drivers in the order of the file, and `inertia` (n,) what each of them moves at position zero
    [kg m^2 or kg], the others free.
    """

    def __init__(self, model: RobotModel, gravity: Triple = GRAVITY,
                 dt: float = 0.001, friction: bool = False, command: str = 'effort') -> None:
        self._gears = gears(model)
        if not self._gears.drivers:
            raise SimulationError(f'robot {model.name!r} has no joint that moves')
        if model.forces:
            links = ', '.join(dict.fromkeys(force.link for force in model.forces))
            raise SimulationError(f'robot {model.name!r} has tags <force> (on {links}), which are '
                                  'not simulated; simulate it without them')
        if command not in COMMANDED:
            raise SimulationError(f'command {command!r}: must be one of {", ".join(COMMANDED)}')
        if self._gears.any and command != 'effort':
            raise SimulationError(f'commands of {command} cannot be simulated together with '
                                  'mimic joints; command efforts')
        if self._gears.any and friction and any(j.friction for j in self._gears.joints):
            raise SimulationError('Coulomb friction cannot be simulated together with mimic '
                                  'joints; set friction="0" in their <dynamics>')
        self.joint_names = tuple(joint.name for joint in self._gears.drivers)
        self._command = command
        self._dt = dt
        self._steps = 0
        self._damping = np.array([joint.damping if friction else 0.0
                                  for joint in self._gears.joints])
        self._drivers = [self._gears.joints.index(joint) for joint in self._gears.drivers]
        self._load(model, gravity, friction)
        zeros = np.zeros(len(self.joint_names))
        self.set_state(zeros, zeros)
        M = self._mass_matrix()
        check_inertia(self._gears, M)
        G = self._gears.ratios
        self.inertia: Array = np.asarray(1.0 / np.linalg.inv(G.T @ M @ G).diagonal())

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
    def _inertial(self, qdd: Array) -> Array:
        """Return the links' mass matrix times accelerations (m,)."""

    @abstractmethod
    def _bias(self) -> Array:
        """Return Coriolis, centrifugal and gravity efforts (m,) at the present state."""

    @abstractmethod
    def _advance(self, command: Array) -> tuple[Array, Array]:
        """Step under commands (m,); return the net and the commanded efforts (m,) of the step."""

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

    def step(self, command: Array) -> SimulatedSample:
        """
        Advance by one physics step under efforts, velocities or positions (n,) of the drivers.

        If the state diverges, it raises a SimulationError.
        """
        time, q, qd = self.time, self.q, self.qd
        if not np.isfinite(command).all():
            raise self._diverged(time)
        if self._gears.any:
            efforts, _ = self._advance(self._through_gears(command))
            net, commanded = self._gears.ratios.T @ efforts, command.copy()
            self.set_state(self.q, self.qd)
        else:
            net, commanded = self._advance(command)
        self._steps += 1
        after = self.qd
        if not (np.isfinite([self.q, net]).all() and (np.abs(after) < _LARGEST_VELOCITY).all()):
            raise self._diverged(time)
        return SimulatedSample(time, q, qd, (after - qd) / self._dt, 0.5 * (qd + after), net,
                               commanded)

    @staticmethod
    def _diverged(time: float) -> SimulationError:
        return SimulationError(f'the simulation diverged at {time:.3f} s; use a smaller physics '
                               'step, or a slower motion')

    def required(self, qdd: Array) -> Array:
        """Return the efforts (n,) of accelerations (n,) by the engine's model, with damping."""
        return np.asarray(self._gears.ratios.T @ self._efforts(self._gears.ratios @ qdd))

    def _efforts(self, qdd: Array) -> Array:
        """Return the efforts (m,) of accelerations (m,), without Coulomb friction."""
        velocities = self._state()[1] + self._dt * qdd   # damping after the step
        return self._inertial(qdd) + self._bias() + self._damping * velocities

    def _through_gears(self, tau: Array) -> Array:
        """Return the efforts (m,) of all joints for efforts tau (n,) of the drivers."""
        G = self._gears.ratios
        M = self._mass_matrix() + self._dt * np.diag(self._damping)
        rest = self._bias() + self._damping * self._state()[1]
        return self._efforts(G @ np.linalg.solve(G.T @ M @ G, tau - G.T @ rest))

    def _mass_matrix(self) -> Array:
        return np.array([self._inertial(row) for row in np.eye(len(self._damping))])
