"""Robots that fly about as known, and what a sensor on one of their links measures of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from support.oracles import GRAVITY, Mimics, State, prepared

Array = NDArray[np.float64]

START = 1_700_000_000_000_000_000


class Wave(NamedTuple):
    """Amplitudes, frequencies [Hz] and phases, (k,) each: sines, and what they change by."""

    amplitude: Array
    frequency: Array
    phase: Array

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Return value, rate and acceleration (k,) at a time [s]."""
        w = 2.0 * np.pi * self.frequency
        angle = w * t + self.phase
        return (self.amplitude * np.sin(angle), self.amplitude * w * np.cos(angle),
                -self.amplitude * w * w * np.sin(angle))


def waves(count: int, seed: int, amplitude: float, most: float) -> Wave:
    rng = np.random.default_rng(seed)
    return Wave(amplitude * rng.uniform(0.3, 1.0, count), rng.uniform(0.2, most, count),
                rng.uniform(0.0, 6.0, count))


class Pose(NamedTuple):
    """
    How the root moves in the world: R is world_R_root.

    p, v, a [m], [m/s], [m/s^2] are of its origin in the world's axes, w, wd [rad/s], [rad/s^2] in
    the root's axes.

    """

    R: Array
    p: Array
    v: Array
    a: Array
    w: Array
    wd: Array

    @property
    def base_motion(self) -> Array:
        """What the equations take, (9,)."""
        return np.concatenate((self.w, self.wd, self.R.T @ (self.a - GRAVITY)))


def pose(position: tuple[Array, Array, Array], angles: tuple[Array, Array, Array]) -> Pose:
    """Return the motion of a root from that of its origin, and from roll, pitch and yaw."""
    (r, p, _), (dr, dp, dy), (ddr, ddp, ddy) = angles
    sr, cr, sp, cp = np.sin(r), np.cos(r), np.sin(p), np.cos(p)
    w = np.array([dr - dy * sp, dp * cr + dy * cp * sr, dy * cp * cr - dp * sr])
    wd = np.array([
        ddr - ddy * sp - dy * dp * cp,
        ddp * cr - dp * dr * sr + ddy * cp * sr - dy * dp * sp * sr + dy * dr * cp * cr,
        ddy * cp * cr - dy * dp * sp * cr - dy * dr * cp * sr - ddp * sr - dp * dr * cr])
    return Pose(pin.rpy.rpyToMatrix(*angles[0]), *position, w, wd)


class Seen(NamedTuple):
    """
    What a link goes through, in its own axes.

    w, wd [rad/s], [rad/s^2]; f: specific force, acceleration of its origin minus gravity [m/s^2];
    v: of its origin relative to the world [m/s]; x, y, z, w of its orientation in the world.

    """

    w: Array
    wd: Array
    f: Array
    v: Array
    quaternion: Array


class FreeFlyer:
    """What Pinocchio says of a URDF when its root flies: efforts, links, and what sensors see."""

    def __init__(self, text: str | bytes) -> None:
        text = prepared(text)
        self._mimics = Mimics(text)
        self._model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self._model.gravity.linear = np.array(GRAVITY)
        self._data = self._model.createData()

    def __call__(self, names: Sequence[str], q: Array, qd: Array, qdd: Array,
                 base_motion: Array, seed: int) -> tuple[Array, Array]:
        """Return efforts by the names of joints, and the wrench on the root."""
        rng = np.random.default_rng(seed)
        turned, v = rng.normal(size=4), rng.normal(size=3)
        w, wd, a = base_motion.reshape(3, 3)
        a = a + _rotation(turned).T @ GRAVITY
        found = pin.rnea(self._model, self._data, *self._vectors(
            dict(zip(names, zip(q, qd, qdd))), turned, [*v, *w], [*a, *wd]))
        return found[self._places(names)], found[:6]

    def link(self, names: Sequence[str], state: Array, base_twist: Array,
             base_acceleration: Array, link: str, axes: str) -> dict[str, Array]:
        """
        Return J, twist and acceleration of a link in the world.

        They are in the axes of the root or of the link. The state is q, qd, qdd; the acceleration
        of the base is that of its origin.

        """
        model, data, turned = self._model, self._data, np.array((0.3, -0.5, 0.7, 0.2))
        q, qd, qdd = self._vectors(dict(zip(names, zip(*state))), turned, base_twist,
                                   base_acceleration)
        pin.forwardKinematics(model, data, q, qd, qdd)
        frame = model.getFrameId(link, pin.FrameType.BODY)
        at = {'root': pin.LOCAL_WORLD_ALIGNED, 'link': pin.LOCAL}[axes]
        back = _rotation(turned).T if axes == 'root' else np.eye(3)
        found = {'J': pin.computeFrameJacobian(model, data, q, frame, at)[
                    :, [*range(6), *self._places(names)]],
                 'twist': pin.getFrameVelocity(model, data, frame, at).vector,
                 'acceleration': pin.getFrameClassicalAcceleration(model, data, frame, at).vector}
        return {name: np.kron(np.eye(2), back) @ each for name, each in found.items()}

    def move(self, root: Pose, joints: State) -> None:
        """Take the motion of the root and of the joints by name."""
        pin.forwardKinematics(self._model, self._data, *self._vectors(
            joints, pin.Quaternion(root.R).coeffs(), [*(root.R.T @ root.v), *root.w],
            [*(root.R.T @ root.a), *root.wd], root.p))
        pin.updateFramePlacements(self._model, self._data)

    def seen(self, link: str) -> Seen:
        frame = self._model.getFrameId(link, pin.FrameType.BODY)
        R = self._data.oMf[frame].rotation
        at = (self._model, self._data, frame, pin.LOCAL)
        velocity = pin.getFrameVelocity(*at)
        f = pin.getFrameClassicalAcceleration(*at).linear - R.T @ GRAVITY
        return Seen(velocity.angular.copy(), pin.getFrameAcceleration(*at).angular.copy(), f,
                    velocity.linear.copy(), pin.Quaternion(R).coeffs())

    def _vectors(self, joints: State, turned: Array, twist: Sequence[float],
                 acceleration: Sequence[float], place: Sequence[float] = (0.0, 0.0, 0.0),
                 ) -> tuple[Array, Array, Array]:
        """Return q, v and a; quaternion, twist and acceleration are of the root's origin."""
        model = self._model
        q, v, a = pin.neutral(model), *np.zeros((2, model.nv))
        q[:3], q[3:7] = place, turned / np.linalg.norm(turned)
        v[:6], a[:6] = twist, acceleration
        # Pinocchio's acceleration is that of the point of the body which passes by
        a[:3] -= np.cross(v[3:6], v[:3])
        state = self._mimics.expanded(joints)
        for name, joint in list(zip(model.names, model.joints))[2:]:
            position, v[joint.idx_v], a[joint.idx_v] = state[name]
            q[joint.idx_q] = position
            if joint.nq == 2:
                q[joint.idx_q:joint.idx_q + 2] = np.cos(position), np.sin(position)
        return q, v, a

    def _places(self, names: Sequence[str]) -> list[int]:
        return [self._model.joints[self._model.getJointId(name)].idx_v for name in names]


def _rotation(turned: Array) -> Array:
    x, y, z, w = turned / np.linalg.norm(turned)
    rotation: Array = pin.Quaternion(w, x, y, z).toRotationMatrix()
    return rotation
