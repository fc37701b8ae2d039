"""MuJoCo as a simulator of fixed-base robots."""

import mujoco
import numpy as np

from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.simulation.simulator import (
    Simulator,
    check_masses,
    simulated_urdf,
    with_aligned_inertias,
)

# mass [kg] and moments [kg m^2] of a link without inertia; MuJoCo rejects less
_LEAST_MASS = 2e-15

_COMPILER = (f'<mujoco><compiler discardvisual="true" fusestatic="false" balanceinertia="false" '
             f'boundmass="{_LEAST_MASS}" boundinertia="{_LEAST_MASS}"/></mujoco></robot>')


class MujocoSimulator(Simulator):
    """
    A robot in MuJoCo, loaded by MuJoCo's own URDF reader and stepped by its Euler method.

    The net effort is that of MuJoCo's own recursion for the motion of the step. Coulomb friction
    is MuJoCo's ``frictionloss``, a constraint as stiff as it may be: it follows the textbook's law
    but for the last one or two steps before the joint reverses.
    """

    def _load(self, model: RobotModel, gravity: tuple[float, float, float],
              friction: bool) -> None:
        # before 4.0 its URDF reader loses the rotation of inertial frames (mujoco#3559)
        text = simulated_urdf(with_aligned_inertias(model), friction)
        text = text.replace('</robot>', _COMPILER)
        try:
            self._model = mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            raise SimulationError(
                f'MuJoCo cannot simulate robot {model.name!r}: {error}') from None
        engine = self._model
        check_masses(model, 'MuJoCo', {engine.body(i).name: float(engine.body_mass[i])
                                       for i in range(1, engine.nbody)})
        engine.opt.gravity[:] = gravity
        engine.opt.timestep = self._dt
        engine.opt.tolerance = 1e-12
        # a simulation that diverges must be visible, not restarted
        engine.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
        # with the default of 0.02 s, friction reverses that long before the joint does
        engine.dof_solref[:, 0] = 2.0 * self._dt
        engine.jnt_limited[:] = 0
        engine.jnt_actfrclimited[:] = 0
        self._data = mujoco.MjData(engine)
        self._rows = np.array([engine.joint(joint.name).dofadr[0]
                               for joint in self._gears.joints])
        mujoco.mj_forward(engine, self._data)

    def _state(self) -> tuple[Array, Array]:
        return self._data.qpos[self._rows], self._data.qvel[self._rows]

    def _set_state(self, q: Array, qd: Array) -> None:
        self._data.qpos[self._rows] = q
        self._data.qvel[self._rows] = qd
        mujoco.mj_forward(self._model, self._data)

    def _dynamics(self) -> tuple[Array, Array]:
        M = np.empty((self._model.nv, self._model.nv))
        for row, unit in zip(M, np.eye(len(M))):
            mujoco.mj_mulM(self._model, self._data, row, unit)
        return M[np.ix_(self._rows, self._rows)], self._data.qfrc_bias[self._rows]

    def _advance(self, efforts: Array) -> Array:
        engine, data = self._model, self._data
        data.qfrc_applied[self._rows] = efforts
        before = data.qvel.copy()
        mujoco.mj_step(engine, data)
        # the recursion needs velocities and accelerations of the step
        after = data.qvel.copy()
        net = np.zeros(engine.nv)
        data.qvel[:], data.qacc[:] = before, (after - before) / self._dt
        mujoco.mj_rne(engine, data, 1, net)
        data.qvel[:] = after
        mujoco.mj_forward(engine, data)
        return np.asarray(net[self._rows])
