"""A type of joint: one coordinate along a twist about and along z, in both directions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from urdf2dyn_ros.algebra.expression import Scalar, cos, sin
from urdf2dyn_ros.algebra.frames import ROUNDOFF
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import NO_TENSOR, ZERO, Matrix, Vector, about_z, add
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Spun, Wrench

# cos(q + k pi/2), sin(q + k pi/2) as (index of cos or sin of q, sign): no addition, no product
_QUARTERS = (((0, 1.0), (1, 1.0)), ((1, -1.0), (0, 1.0)),
             ((0, -1.0), (1, -1.0)), ((1, 1.0), (0, -1.0)))


@dataclass(frozen=True)
class JointType:
    """
    Effect of one coordinate on its body, with the words and formulas for it.

    The unit twist is the angular velocity `turns` z and the linear velocity `slides` z of the body
    for a unit velocity of the coordinate; an integer 0 or 1 leaves no trace in the equations.
    """

    turns: float   # angle about z per unit of the coordinate: 1 or 0
    slides: float   # length along z per unit of the coordinate [-, or m/rad]
    unit: str   # of the coordinate
    effort_unit: str   # of the effort that does work along it
    verb: str   # what the joint does to its body, in the past participle
    # symbol of a quantity to its formula, with the fields of `Notation.formula`; and, with {n}
    # alone, the parts along the twist of wrench (`along`) and momentum (`momentum`), and how the
    # kinetic energy changes with the coordinate (`change`)
    formulas: Mapping[str, str]

    @property
    def units(self) -> dict[str, str]:
        """Units of coordinate and effort, for the fields {unit} and {effort} of a text."""
        return {'unit': self.unit, 'effort': self.effort_unit}

    def cos_sin(self, at: Coordinate) -> tuple[Scalar, Scalar]:
        """Return cosine and sine of the body's angle."""
        if at.cos_sin is not None:
            return at.cos_sin
        return turn_by(at.q if self.turns else 0.0, at.turn)

    def rotation(self, at: Coordinate) -> Matrix:
        """Return joint_R_body."""
        return about_z(*self.cos_sin(at))

    def displacement(self, q: Scalar) -> Vector:
        """Return the body's origin in the joint's frame [m]; of qd, the rate of change [m/s]."""
        return (0.0, 0.0, self.slides * q)

    def forward(self, joint: Motion, at: Coordinate, note: BodyNote,
                spun: Spun) -> tuple[Motion, Matrix]:
        """
        Return motion and U of the body from the motion of the joint's frame fixed in the parent.

        With the angle t = turns q and the distance s = slides q: w = R' w_p + td z,
        wd = R' wd_p + tdd z + R' w_p x td z,  a = R' a_p + U s z + 2 w x sd z + sdd z.
        """
        c, s = self.cos_sin(at)
        rate = self.turns * at.qd
        w_x, w_y, w_z = turned(joint.w, c, s)
        w = (w_x, w_y, w_z + rate)
        note('w', w)
        wd_x, wd_y, wd_z = turned(joint.wd, c, s)
        wd = (wd_x + w_y * rate, wd_y - w_x * rate, wd_z + self.turns * at.qdd)
        note('wd', wd)
        a = turned(joint.a, c, s)
        if self.slides:
            wd, U = spun(w, wd)
            distance = self.slides * at.q
            along = (U[0][2] * distance, U[1][2] * distance,
                     U[2][2] * distance + self.slides * at.qdd)
            twice = 2.0 * (self.slides * at.qd)
            coriolis = (twice * w[1], -twice * w[0], 0.0)
            a = add(add(a, along), coriolis)
            note('a', a)
        else:
            note('a', a)
            wd, U = spun(w, wd)
        return Motion(w, wd, a), U

    def along(self, force: Scalar, moment: Scalar) -> Scalar:
        """Return the effort of a wrench with these components along z."""
        return self.slides * force + self.turns * moment

    def backward(self, wrench: Wrench, at: Coordinate, note: BodyNote) -> tuple[Scalar, Wrench]:
        """Return the effort, and the wrench in the joint's frame fixed in the parent."""
        c, s = self.cos_sin(at)
        (f_x, f_y, f_z), (n_x, n_y, n_z) = wrench
        f = turned(wrench.f, c, -s)
        note('fj', f)
        if self.slides:   # n + s z x f: the body's origin is s along z from that of the joint
            distance = self.slides * at.q
            n_x, n_y = n_x - distance * f_y, n_y + distance * f_x
        n = turned((n_x, n_y, n_z), c, -s)
        note('nj', n)
        return self.along(f_z, n_z), Wrench(f, n)

    def split(self, inertia: BodyInertia) -> tuple[BodyInertia, BodyInertia]:
        """Return the part of an inertia that the parent may carry as well, and the rest."""
        m, (h_x, h_y, h_z), S = inertia
        shared, own = BodyInertia(0.0, ZERO, S), BodyInertia(m, inertia.h, NO_TENSOR)
        if self.turns:   # the second moment about the axis alone
            shared = shared._replace(J=(ZERO, ZERO, (0.0, 0.0, S[2][2])))
            own = own._replace(J=(S[0], S[1], (S[2][0], S[2][1], 0.0)))
        if not self.slides:   # and what lies on the axis
            shared = shared._replace(m=m, h=(0.0, 0.0, h_z))
            own = own._replace(m=0.0, h=(h_x, h_y, 0.0))
        return shared, own


def turn_by(angle: Scalar, constant: float) -> tuple[Scalar, Scalar]:
    """Return cosine and sine of an angle and a constant one; quarter turns swap them."""
    quarters = round(constant / (math.pi / 2))
    if abs(constant - quarters * (math.pi / 2)) > ROUNDOFF:
        return cos(angle + constant), sin(angle + constant)
    pair = cos(angle), sin(angle)
    (i, c_sign), (j, s_sign) = _QUARTERS[quarters % 4]
    return c_sign * pair[i], s_sign * pair[j]


def turned(a: Vector, c: Scalar, s: Scalar) -> Vector:
    """Return Rz' a, with c and s the cosine and sine of Rz's angle."""
    return (c * a[0] + s * a[1], c * a[1] - s * a[0], a[2])
