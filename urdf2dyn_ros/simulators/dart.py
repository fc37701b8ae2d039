"""DART, the default physics engine of Gazebo Sim, as a simulator of fixed-base robots."""

from __future__ import annotations

from typing import Any

import dartpy
import numpy as np

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.simulators.dart_loader import check_inertia, load_skeleton
from urdf2dyn_ros.simulators.gears import gears
from urdf2dyn_ros.simulators.simulator import Sample, Vector


class DartSimulator:
    """
    A robot in DART, loaded by DART's own URDF loader: an independent check of our own model.

    The root link is welded to the world, and so is a floating root. There are no contacts and no
    joint limits; damping and Coulomb friction of the URDF act only if `friction` is true. Links
    without inertia are massless (left alone, DART takes them for unit masses of 1 kg).

    The effort of a sample is what gz_ros2_control publishes: the wrench transmitted to the moved
    link, projected on the joint's axis. It is the inverse dynamics of the links alone, whatever
    the friction, at the state from before the step and the acceleration that the step applied;
    a `Sample` keeps those together.

    Mimic joints follow their driver through an ideal, rigid gear without mass: the motion of all
    joints is solved together with DART's own mass matrix, and the effort of a driving joint is
    its own plus, for each joint that mimics it, multiplier * (effort of that joint).

    Parameters
    ----------
    model : RobotModel
    gravity : tuple of float, (3,)
        In the root frame [m/s^2].
    dt : float
        Physics step [s] of the semi-implicit Euler method.
    friction : bool
        Whether the damping and friction of the URDF act in the joints.

    Raises
    ------
    SimulationError
        If DART cannot simulate the robot: joints of several freedoms, joints that move no
        inertia, or a model that DART read differently.

    """

    def __init__(self, model: RobotModel, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
                 dt: float = 0.001, friction: bool = False) -> None:
        self._gears = gears(model)
        if not self._gears.drivers:
            raise SimulationError(f'robot {model.name!r} has no joint that moves')
        if friction and self._gears.any and any(j.friction for j in self._gears.joints):
            raise SimulationError('Coulomb friction cannot be simulated together with mimic '
                                  'joints; set friction="0" in their <dynamics>')
        self.joint_names = tuple(joint.name for joint in self._gears.drivers)
        self._steps = 0
        self._dt = dt
        self._world = _world(gravity, dt)
        self._skeleton = load_skeleton(model, friction)
        self._world.addSkeleton(self._skeleton)
        self._bodies = [self._skeleton.getBodyNode(j.child) for j in self._gears.joints]
        # The axis in the frame of the moved link, as moment and force: constant for our types.
        self._axes = np.array([body.getParentJoint().getRelativeJacobian().ravel()
                               for body in self._bodies])
        # DART numbers the coordinates limb by limb, the file may not.
        rows = [body.getParentJoint().getIndexInSkeleton(0) for body in self._bodies]
        self._ratios = np.zeros_like(self._gears.ratios)
        self._ratios[rows] = self._gears.ratios
        self._offsets = np.zeros(len(rows))
        self._offsets[rows] = self._gears.offsets
        self._drivers = [row for row, joint in zip(rows, self._gears.joints, strict=True)
                         if joint.mimic is None]
        self._damping = np.array([dof.getDampingCoefficient()
                                  for dof in self._skeleton.getDofs()])
        zeros = np.zeros(len(self.joint_names))
        self.set_state(zeros, zeros)
        check_inertia(self._gears, self._skeleton.getMassMatrix()[np.ix_(rows, rows)])

    @property
    def time(self) -> float:
        """Simulated time [s], exact multiples of the physics step."""
        return self._steps * self._dt

    @property
    def q(self) -> Vector:
        """Present positions (n,) [rad or m]."""
        return np.array(self._skeleton.getPositions()[self._drivers])

    @property
    def qd(self) -> Vector:
        """Present velocities (n,) [rad/s or m/s]."""
        return np.array(self._skeleton.getVelocities()[self._drivers])

    def set_state(self, q: Vector, qd: Vector) -> None:
        """Place the robot: q, qd (n,)."""
        self._skeleton.setPositions(self._ratios @ q + self._offsets)
        self._skeleton.setVelocities(self._ratios @ qd)

    def step(self, tau: Vector) -> Sample:
        """
        Advance by one physics step under the efforts tau (n,) [N m or N] of the drivers.

        Raises
        ------
        SimulationError
            If the state is not finite any more.

        """
        time, q, qd = self.time, self.q, self.qd
        self._skeleton.setForces(self._through_gears(tau) if self._gears.any
                                 else self._ratios @ tau)
        self._world.step()
        self._steps += 1
        if self._gears.any:
            self.set_state(self.q, self.qd)
        wrenches = np.array([body.getBodyForce() for body in self._bodies])
        effort = self._gears.ratios.T @ np.einsum('ij,ij->i', self._axes, wrenches)
        qdd = (self.qd - qd) / self._dt
        # DART takes accelerations that are not finite for zero; what caused them shows.
        if not np.isfinite([tau, self.q, self.qd, effort]).all():
            raise SimulationError(f'the simulation diverged at {time:.3f} s; use a smaller '
                                  'physics step, or a slower motion')
        return Sample(time, q, qd, qdd, effort)

    def computed_torque(self, q: Vector, qd: Vector, qdd: Vector,
                        kp: float, kd: float) -> Vector:
        """
        Return the efforts that follow a motion, by DART's own mass matrix and bias.

        Parameters
        ----------
        q, qd, qdd : ndarray, (n,)
            Wanted [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
        kp, kd : float
            Feedback of the position [1/s^2] and velocity [1/s] error on the acceleration.

        Returns
        -------
        tau : ndarray, (n,)
            [N m or N].

        """
        wanted = qdd + kp * (q - self.q) + kd * (qd - self.qd)
        return self._ratios.T @ self._forces(wanted)

    def _forces(self, qdd: Vector) -> Vector:
        """Return the effort of every joint for accelerations (n,) of the drivers."""
        # DART damps implicitly; its augmented mass matrix has that part of the damping.
        return np.asarray(self._skeleton.getAugMassMatrix() @ (self._ratios @ qdd) + self._bias())

    def _bias(self) -> Vector:
        velocities = self._skeleton.getVelocities()
        return np.asarray(self._skeleton.getCoriolisAndGravityForces()
                          + self._damping * velocities)

    def _through_gears(self, tau: Vector) -> Vector:
        """Return the effort of every joint when the drivers act with tau through their gears."""
        G = self._ratios
        M = G.T @ self._skeleton.getAugMassMatrix() @ G
        return self._forces(np.linalg.solve(M, tau - G.T @ self._bias()))


def _world(gravity: tuple[float, float, float], dt: float) -> Any:
    world = dartpy.simulation.World()
    world.setGravity(np.array(gravity, dtype=float))
    world.setTimeStep(dt)
    # DART puts what hardly moves to sleep, and reports no effort for it from then on.
    options = world.getDeactivationOptions()
    options.mEnabled = False
    world.setDeactivationOptions(options)
    return world
