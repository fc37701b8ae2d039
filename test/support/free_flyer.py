"""A robot whose root is free: Pinocchio's efforts, its wrench on the root, and its links."""

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from support.oracles import Array, prepared

GRAVITY = np.array((0.0, 0.0, -9.81))


class FreeFlyer:
    """Pinocchio's rnea and kinematics of a robot whose root is free."""

    def __init__(self, text: str | bytes) -> None:
        self._model = pin.buildModelFromXML(prepared(text), pin.JointModelFreeFlyer())
        self._model.gravity.linear = GRAVITY
        self._data = self._model.createData()

    def __call__(self, names: tuple[str, ...], q: Array, qd: Array, qdd: Array,
                 base_motion: Array, seed: int) -> tuple[Array, Array]:
        """Return efforts by the names of joints, and the wrench on the root."""
        rng = np.random.default_rng(seed)
        turned, v = rng.normal(size=4), rng.normal(size=3)
        w, wd, a = base_motion.reshape(3, 3)
        a = a + _rotation(turned).T @ GRAVITY
        found = pin.rnea(self._model, self._data, *self._state(
            names, (q, qd, qdd), turned, np.array((*v, *w)), np.array((*a, *wd))))
        return found[self._places(names)], found[:6]

    def link(self, names: tuple[str, ...], state: Array, base_twist: Array,
             base_acceleration: Array, link: str, axes: str) -> dict[str, Array]:
        """
        Return J, twist and acceleration of a link in the world.

        They are in the axes of the root or of the link. The state is q, qd, qdd; the acceleration
        of the base is that of its origin.

        """
        model, data, turned = self._model, self._data, np.array((0.3, -0.5, 0.7, 0.2))
        q, qd, qdd = self._state(names, state, turned, base_twist, base_acceleration)
        pin.forwardKinematics(model, data, q, qd, qdd)
        frame = model.getFrameId(link, pin.FrameType.BODY)
        at = {'root': pin.LOCAL_WORLD_ALIGNED, 'link': pin.LOCAL}[axes]
        back = _rotation(turned).T if axes == 'root' else np.eye(3)
        found = {'J': pin.computeFrameJacobian(model, data, q, frame, at)[
                     :, [*range(6), *self._places(names)]],
                 'twist': pin.getFrameVelocity(model, data, frame, at).vector,
                 'acceleration': pin.getFrameClassicalAcceleration(model, data, frame, at).vector}
        return {name: np.kron(np.eye(2), back) @ each for name, each in found.items()}

    def _state(self, names: tuple[str, ...], state: Sequence[Array], turned: Array,
               base_twist: Array, base_acceleration: Array) -> tuple[Array, Array, Array]:
        model = self._model
        position, velocity, acceleration = pin.neutral(model), *np.zeros((2, model.nv))
        position[3:7] = turned / np.linalg.norm(turned)
        velocity[:6], acceleration[:6] = base_twist, base_acceleration
        # Pinocchio's acceleration is that of the point of the body which passes by
        acceleration[:3] -= np.cross(base_twist[3:], base_twist[:3])
        for name, q, qd, qdd in zip(names, *state):
            joint = model.joints[model.getJointId(name)]
            velocity[joint.idx_v], acceleration[joint.idx_v] = qd, qdd
            position[joint.idx_q:joint.idx_q + joint.nq] = (
                (np.cos(q), np.sin(q)) if joint.nq == 2 else q)
        return position, velocity, acceleration

    def _places(self, names: tuple[str, ...]) -> list[int]:
        return [self._model.joints[self._model.getJointId(name)].idx_v for name in names]


def _rotation(turned: Array) -> Array:
    x, y, z, w = turned / np.linalg.norm(turned)
    rotation: Array = pin.Quaternion(w, x, y, z).toRotationMatrix()
    return rotation
