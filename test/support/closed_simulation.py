"""Robots with closed loops in MuJoCo, each loop an equality constraint, for tests."""

from functools import cache
from typing import NamedTuple

import mujoco
import numpy as np

from support.mechanisms import mechanism
from support.oracles import prepared
from urdf2dyn_ros import InverseDynamics, read_urdf

STEP, EVERY = 1e-4, 20   # s of a step; steps between samples
STIFFNESS, DAMPING = 200.0, 400.0   # of the drives: natural frequency [rad/s], 2 of it [1/s]


class Run(NamedTuple):
    """Samples of k instants at 500 Hz, of all joints of the tree and of the drives."""

    names: list[str]
    positions: np.ndarray   # (k, m)
    drives: tuple[str, ...]
    efforts: np.ndarray   # (k, n)


def model_of(text: str) -> mujoco.MjModel:
    """Return a robot whose loops are hard equality constraints, of points alone."""
    spec = mujoco.MjSpec.from_string(prepared(text))
    for loop in read_urdf(text).loops:   # the frames of the links are parallel where all is zero
        row = spec.add_equality()
        row.type, row.objtype = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_BODY
        row.name1, row.name2 = loop.first.link, loop.second.link
        row.data[:3] = loop.first.xyz
        row.solref[:], row.solimp[:] = (2.0 * STEP, 1.0), (0.9999, 0.9999, 1e-3, 0.5, 2.0)
    spec.option.timestep, spec.option.tolerance = STEP, 1e-14
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.compiler.boundmass = spec.compiler.boundinertia = 2e-15   # of the crosses of hinges
    return spec.compile()


@cache
def simulated(name: str, duration: float = 1.6) -> Run:
    """Simulate a mechanism whose drives follow sines, with hard equality constraints."""
    text = mechanism(name)
    model = model_of(text)
    data, dynamics = mujoco.MjData(model), InverseDynamics(text, backend='python')
    joints = [model.joint(each).id for each in dynamics.joint_names]
    at, rate = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
    inertia = np.diag(dynamics.mass_matrix(np.zeros(dynamics.n)))
    w = 2.0 * np.pi * np.array([0.7, 0.9, 1.1, 0.8])[:dynamics.n]
    positions, efforts = [], []
    for k in range(round(duration / STEP)):
        t = np.array([k, k + 0.5, k - 0.5])[:, None] * STEP
        s = np.clip(t / 0.4, 0.0, 1.0)
        wanted = 0.3 * np.sin(w * t) * s**4 * (
            35.0 - 84.0 * s + 70.0 * s**2 - 20.0 * s**3)
        effort = inertia * (STIFFNESS**2 * (wanted[0] - data.qpos[at]) + DAMPING * (
            (wanted[1] - wanted[2]) / STEP - data.qvel[rate]))
        if k % EVERY == 0:
            positions.append(data.qpos.copy())
            efforts.append(effort)
        data.qfrc_applied[rate] = effort
        mujoco.mj_step(model, data)
    return Run([model.joint(k).name for k in range(model.njnt)], np.array(positions),
               dynamics.joint_names, np.array(efforts))
