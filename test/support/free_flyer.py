"""A robot whose root is free: Pinocchio's efforts at its joints, and its wrench on the root."""

import numpy as np
import pinocchio as pin

from support.oracles import Array, prepared

GRAVITY = np.array((0.0, 0.0, -9.81))


class FreeFlyer:
    """Pinocchio's rnea of a robot whose root is free."""

    def __init__(self, text: str | bytes) -> None:
        self._model = pin.buildModelFromXML(prepared(text), pin.JointModelFreeFlyer())
        self._model.gravity.linear = GRAVITY
        self._data = self._model.createData()

    def __call__(self, names: tuple[str, ...], q: Array, qd: Array, qdd: Array,
                 base_motion: Array, seed: int) -> tuple[Array, Array]:
        """Return efforts by the names of joints, and the wrench on the root."""
        model, rng = self._model, np.random.default_rng(seed)
        position, velocity, acceleration = pin.neutral(model), *np.zeros((2, model.nv))
        turned = rng.normal(size=4)
        position[3:7] = turned / np.linalg.norm(turned)
        R = pin.Quaternion(*position[[6, 3, 4, 5]]).toRotationMatrix()
        w, wd, a = base_motion.reshape(3, 3)
        v = rng.normal(size=3)
        # Pinocchio's acceleration is that of the point of the body which passes by
        velocity[:6] = *v, *w
        acceleration[:6] = *(a + R.T @ GRAVITY - np.cross(w, v)), *wd
        places = [model.joints[model.getJointId(name)] for name in names]
        for k, joint in enumerate(places):
            velocity[joint.idx_v], acceleration[joint.idx_v] = qd[k], qdd[k]
            position[joint.idx_q:joint.idx_q + joint.nq] = (
                (np.cos(q[k]), np.sin(q[k])) if joint.nq == 2 else q[k])
        found = pin.rnea(model, self._data, position, velocity, acceleration)
        return np.array([found[joint.idx_v] for joint in places]), found[:6]
