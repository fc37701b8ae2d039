"""MuJoCo's mj_inverse, in a loop in Python."""

import numpy as np
from cases import Case
from racing.contestant import CHUNK, Array, Ready, in_turns

# masses and inertias as they are written
INERT = '<mujoco><compiler discardvisual="true" balanceinertia="false"/></mujoco>'


def urdf(case: Case) -> str:
    """Return the URDF with MuJoCo's settings in it."""
    return case.urdf.read_text().replace('</robot>', INERT + '</robot>')


def columns(case: Case) -> list[int]:
    """Return the order of MuJoCo's joints."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(urdf(case))
    return case.in_order([model.joint(i).name for i in range(model.njnt)])


def prepare(case: Case) -> Ready:
    """Switch constraints, contacts and limits off."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(urdf(case))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)
    order = columns(case)
    states = list(zip(*np.ascontiguousarray(case.states[:, :, order])))
    turns = in_turns(states)
    mj_inverse = mujoco.mj_inverse

    def efforts() -> Array:
        result = np.empty(case.states.shape[1:])
        for row, (q, qd, qdd) in zip(result, states):
            data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
            mj_inverse(model, data)
            row[order] = data.qfrc_inverse
        return result

    def run() -> None:
        for q, qd, qdd in next(turns):
            data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
            mj_inverse(model, data)

    return Ready(efforts, run, CHUNK)
