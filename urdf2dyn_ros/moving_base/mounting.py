"""The motion of the root from the motion of any link of the robot."""

from collections.abc import Sequence

from urdf2dyn_ros.algebra.vectors import add, apply, cross, scale, subtract
from urdf2dyn_ros.equations.kinematics import REFERENCE, Frame, chain, link_frame, next_frame
from urdf2dyn_ros.joints.motion import Motion
from urdf2dyn_ros.multibody import Multibody


class Mounting:
    """A link that a sensor is mounted on."""

    def __init__(self, system: Multibody, link: str) -> None:
        number, self._link = system.links[link]
        self._bodies = [system.bodies[i] for i in chain(system, number)]
        self._fixed = None if self._bodies else link_frame(REFERENCE, self._link)

    def relative(self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]) -> Frame:
        """Return the link's frame and its motion relative to the root."""
        if self._fixed is not None:
            return self._fixed
        frame = REFERENCE
        for body in self._bodies:
            frame = next_frame(frame, body, body.at(q, qd, qdd))
        return link_frame(frame, self._link)

    def root_motion(self, motion: Motion, q: Sequence[float], qd: Sequence[float],
                    qdd: Sequence[float]) -> Motion:
        """
        Return the motion of the root's origin, in the root frame.

        With w, wd, a of the link in root axes, and its motion relative to the root (rel):
        w0 = w - w_rel,  wd0 = wd - wd_rel - w0 x w_rel,
        a0 = a - a_rel - 2 w0 x v_rel - wd0 x p - w0 x (w0 x p).

        The motion is that of the link, in its own axes: [rad/s], [rad/s^2], and [m/s^2] minus
        gravity. The joints (n,) are independent: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
        """
        R, p, v, a, w, wd = self.relative(q, qd, qdd)
        w0 = subtract(apply(R, motion.w), w)
        wd0 = subtract(apply(R, motion.wd), add(wd, cross(w0, w)))
        coriolis = scale(2.0, cross(w0, v))
        lever = add(cross(wd0, p), cross(w0, cross(w0, p)))
        return Motion(w0, wd0, subtract(apply(R, motion.a), add(a, add(coriolis, lever))))
