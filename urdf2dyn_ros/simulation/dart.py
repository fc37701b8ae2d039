"""DART, the default physics engine of Gazebo Sim, as a simulator of fixed-base robots."""

from typing import Any

import dartpy
import numpy as np

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.simulation.simulator import Simulator, check_masses, simulated_urdf

# mass [kg] and moments [kg m^2] of a link without inertia; DART warns of a segfault at 0
_LEAST_MASS = 1e-18


class DartSimulator(Simulator):
    """
    A robot in DART, loaded by DART's own URDF loader: an independent check of our own model.

    The net effort is the one that gz_ros2_control publishes: the wrench transmitted to the moved
    link, projected on the joint's axis.
    """

    def _load(self, model: RobotModel, gravity: tuple[float, float, float],
              friction: bool) -> None:
        self._world = _world(gravity, self._dt)
        self._skeleton = _skeleton(model, friction)
        self._world.addSkeleton(self._skeleton)
        self._bodies = [self._skeleton.getBodyNode(j.child) for j in self._gears.joints]
        self._joints = [body.getParentJoint() for body in self._bodies]
        # the axis in the frame of the moved link, as moment and force: constant for our types
        self._axes = np.array([joint.getRelativeJacobian().ravel() for joint in self._joints])
        # DART numbers the coordinates limb by limb, the file may not
        self._rows = np.array([joint.getIndexInSkeleton(0) for joint in self._joints])

    def _state(self) -> tuple[Array, Array]:
        return (self._skeleton.getPositions()[self._rows],
                self._skeleton.getVelocities()[self._rows])

    def _set_state(self, q: Array, qd: Array) -> None:
        self._skeleton.setPositions(self._in_skeleton(q))
        self._skeleton.setVelocities(self._in_skeleton(qd))

    def _dynamics(self) -> tuple[Array, Array]:
        return (self._skeleton.getMassMatrix()[np.ix_(self._rows, self._rows)],
                self._skeleton.getCoriolisAndGravityForces()[self._rows])

    def _advance(self, efforts: Array) -> Array:
        self._skeleton.setCommands(self._in_skeleton(efforts))
        self._world.step()
        wrenches = np.array([body.getBodyForce() for body in self._bodies])
        return np.asarray(np.einsum('ij,ij->i', self._axes, wrenches))

    def _in_skeleton(self, values: Array) -> Array:
        ordered = np.empty(len(values))
        ordered[self._rows] = values
        return ordered


def _world(gravity: tuple[float, float, float], dt: float) -> Any:
    world = dartpy.simulation.World()
    world.setGravity(np.array(gravity, dtype=float))
    world.setTimeStep(dt)
    # DART deactivates what hardly moves, and then reports no effort
    options = world.getDeactivationOptions()
    options.mEnabled = False
    world.setDeactivationOptions(options)
    return world


def _skeleton(model: RobotModel, friction: bool) -> Any:
    """Return a robot as DART reads it; links without inertia, by default of 1 kg, are massless."""
    options = dartpy.utils.DartLoaderOptions()
    options.mDefaultRootJointType = dartpy.utils.DartLoaderRootJointType.FIXED
    options.mDefaultInertia = dartpy.dynamics.Inertia(
        _LEAST_MASS, np.zeros(3), _LEAST_MASS * np.eye(3))
    loader = dartpy.utils.DartLoader()
    loader.setOptions(options)
    skeleton = loader.parseSkeletonString(simulated_urdf(model, friction), dartpy.common.Uri())
    if skeleton is None:
        raise SimulationError(f'DART cannot read robot {model.name!r}')
    # DART has no body for a root called "world"
    check_masses(model, 'DART', {body.getName(): body.getMass()
                                 for body in skeleton.getBodyNodes()})
    return skeleton
