"""Robots that fly about as known, and what a sensor on one of their links measures of it."""

from collections.abc import Mapping, Sequence
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


class FloatingRobot:
    """What Pinocchio says of a URDF's links when its root flies."""

    def __init__(self, text: str | bytes) -> None:
        text = prepared(text)
        self._mimics = Mimics(text)
        self._model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self._data = self._model.createData()

    def move(self, root: Pose, joints: State) -> None:
        """Take the motion of the root and of the joints by name."""
        model = self._model
        q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        q[:3], q[3:7] = root.p, pin.Quaternion(root.R).coeffs()
        v[:3], v[3:6] = root.R.T @ root.v, root.w
        a[:3], a[3:6] = root.R.T @ root.a - np.cross(root.w, v[:3]), root.wd   # spatial
        state: Mapping[str, Sequence[float]] = self._mimics.expanded(joints)
        for name, joint in list(zip(model.names, model.joints))[2:]:
            position, v[joint.idx_v], a[joint.idx_v] = state[name]
            q[joint.idx_q] = position
            if joint.nq == 2:
                q[joint.idx_q:joint.idx_q + 2] = np.cos(position), np.sin(position)
        pin.forwardKinematics(model, self._data, q, v, a)
        pin.updateFramePlacements(model, self._data)

    def seen(self, link: str) -> Seen:
        frame = self._model.getFrameId(link, pin.FrameType.BODY)
        R = self._data.oMf[frame].rotation
        at = (self._model, self._data, frame, pin.LOCAL)
        velocity = pin.getFrameVelocity(*at)
        f = pin.getFrameClassicalAcceleration(*at).linear - R.T @ GRAVITY
        return Seen(velocity.angular.copy(), pin.getFrameAcceleration(*at).angular.copy(), f,
                    velocity.linear.copy(), pin.Quaternion(R).coeffs())
