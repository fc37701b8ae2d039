"""Where a link is on the robot and how it moves there: its motion makes that of the root known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    cross,
    product,
    scale,
    subtract,
)
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.multibody import ROOT, Body, Multibody


class Relative(NamedTuple):
    """
    A frame as an observer on the root sees it, in the root's axes.

    Attributes
    ----------
    R : Matrix
        root_R_frame.
    p, v, a : Vector
        Position [m], velocity [m/s] and acceleration [m/s^2] of the frame's origin.
    w, wd : Vector
        Angular velocity [rad/s] and its derivative [rad/s^2].

    """

    R: Matrix
    p: Vector
    v: Vector
    a: Vector
    w: Vector
    wd: Vector

    def point(self, r: Vector) -> tuple[Vector, Vector, Vector]:
        """Return p, v, a of a point fixed to the frame, r [m] from its origin in root axes."""
        turning = cross(self.w, r)
        return (add(self.p, r), add(self.v, turning),
                add(self.a, add(cross(self.wd, r), cross(self.w, turning))))


AT_ROOT = Relative(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO)


class Mounting:
    """
    A link of the robot.

    Parameters
    ----------
    system : Multibody
    link : str
        Its name.

    """

    def __init__(self, system: Multibody, link: str) -> None:
        number, self._attached = system.links[link]
        way = []
        while number != ROOT:
            way.append(system.bodies[number])
            number = way[-1].parent
        self._way = tuple(reversed(way))
        self._fixed = None if way else self._at_end(AT_ROOT)

    def relative(self, q: Sequence[float], qd: Sequence[float],
                 qdd: Sequence[float]) -> Relative:
        """
        Return the link's motion relative to the root.

        Parameters
        ----------
        q, qd, qdd : sequence of float, (n,)
            Independent joints: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].

        """
        if self._fixed is not None:
            return self._fixed
        frame = AT_ROOT
        for body in self._way:
            frame = _moved(frame, body, body.at(q, qd, qdd))
        return self._at_end(frame)

    def root_motion(self, motion: Motion, q: Sequence[float], qd: Sequence[float],
                    qdd: Sequence[float]) -> Motion:
        """
        Return the motion of the root's origin, in the root frame.

        With w, wd, a of the link in root axes and what an observer on the root sees (rel):
        w0 = w - w_rel,  wd0 = wd - wd_rel - w0 x w_rel,
        a0 = a - a_rel - 2 w0 x v_rel - wd0 x p - w0 x (w0 x p).

        Parameters
        ----------
        motion : Motion
            Of the link, in its own axes: [rad/s], [rad/s^2], and [m/s^2] minus gravity.
        q, qd, qdd : sequence of float, (n,)
            As `relative` takes them.

        """
        R, p, v, a, w, wd = self.relative(q, qd, qdd)
        w0 = subtract(apply(R, motion.w), w)
        wd0 = subtract(apply(R, motion.wd), add(wd, cross(w0, w)))
        coriolis = scale(2.0, cross(w0, v))
        lever = add(cross(wd0, p), cross(w0, cross(w0, p)))
        return Motion(w0, wd0, subtract(apply(R, motion.a), add(a, add(coriolis, lever))))

    def _at_end(self, frame: Relative) -> Relative:
        """Return the frame of the link from that of the body."""
        link = self._attached
        p, v, a = frame.point(apply(frame.R, link.body_p_link))
        return Relative(product(frame.R, link.body_R_link), p, v, a, frame.w, frame.wd)


def _moved(parent: Relative, body: Body, at: Coordinate) -> Relative:
    """Return the frame of a body from that of its parent."""
    joint = JOINTS[body.type]
    R = product(parent.R, body.parent_R_joint)
    # a displacement is linear in q: with qd and qdd in its place it is how it changes
    along, rate, push = (apply(R, joint.displacement(x)) for x in at[:3])
    p, v, a = parent.point(add(apply(parent.R, body.parent_p_joint), along))
    v = add(v, rate)
    a = add(a, add(scale(2.0, cross(parent.w, rate)), push))
    w, wd = parent.w, parent.wd
    if joint.turns:
        z = (R[0][2], R[1][2], R[2][2])
        turning = scale(at.qd, z)
        wd = add(wd, add(cross(w, turning), scale(at.qdd, z)))
        w = add(w, turning)
    return Relative(product(R, joint.rotation(at)), p, v, a, w, wd)
