"""Forward kinematics: where a body is in a frame of reference, and how it moves there."""

from __future__ import annotations

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
)
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Coordinate
from urdf2dyn_ros.multibody import ROOT, Attached, Body, Multibody


class Placement(NamedTuple):
    """reference_R_frame, and reference_p_frame [m], the frame's origin."""

    R: Matrix
    p: Vector

    def link(self, link: Attached) -> Placement:
        """Return the placement of a link from that of its body."""
        return Placement(product(self.R, link.body_R_link),
                         add(self.p, apply(self.R, link.body_p_link)))


class Frame(NamedTuple):
    """
    Placement and motion of a frame, all in the axes of the frame of reference.

    reference_R_frame; position [m], velocity [m/s] and acceleration [m/s^2] of the frame's origin;
    angular velocity [rad/s] and its derivative [rad/s^2].

    """

    R: Matrix
    p: Vector
    v: Vector
    a: Vector
    w: Vector
    wd: Vector

    def point(self, r: Vector) -> tuple[Vector, Vector, Vector]:
        """Return p, v, a of a point fixed to the frame, r [m] from its origin."""
        rate = cross(self.w, r)
        return (add(self.p, r), add(self.v, rate),
                add(self.a, add(cross(self.wd, r), cross(self.w, rate))))


REFERENCE = Frame(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO)


def chain(system: Multibody, number: int) -> tuple[int, ...]:
    """Return the numbers of the bodies from the root to one of them, which is the last."""
    numbers = []
    while number != ROOT:
        numbers.append(number)
        number = system.bodies[number].parent
    return tuple(reversed(numbers))


def displaced(body: Body, at: Coordinate) -> Vector:
    """Return the body's origin in the parent's frame [m]."""
    return add(body.parent_p_joint,
               apply(body.parent_R_joint, JOINTS[body.type].displacement(at.q)))


def oriented(parent_R: Matrix, body: Body, at: Coordinate) -> Matrix:
    """Return the orientation of a body from that of its parent."""
    return product(product(parent_R, body.parent_R_joint), JOINTS[body.type].rotation(at))


def next_placement(parent: Placement, body: Body, at: Coordinate) -> Placement:
    """Return the placement of a body from that of its parent."""
    return Placement(oriented(parent.R, body, at),
                     add(parent.p, apply(parent.R, displaced(body, at))))


def next_frame(parent: Frame, body: Body, at: Coordinate) -> Frame:
    """Return the frame of a body from that of its parent."""
    joint = JOINTS[body.type]
    R = oriented(parent.R, body, at)
    p, v, a = parent.point(apply(parent.R, displaced(body, at)))
    w, wd, z = parent.w, parent.wd, (R[0][2], R[1][2], R[2][2])
    if joint.slides:
        rate = scale(joint.slides * at.qd, z)
        v = add(v, rate)
        a = add(a, add(scale(2.0, cross(w, rate)), scale(joint.slides * at.qdd, z)))
    if joint.turns:
        rate = scale(joint.turns * at.qd, z)
        wd = add(wd, add(cross(w, rate), scale(joint.turns * at.qdd, z)))
        w = add(w, rate)
    return Frame(R, p, v, a, w, wd)
