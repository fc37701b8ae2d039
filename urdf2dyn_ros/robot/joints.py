"""Types of joints: each is one coordinate along or about z; others are decomposed into these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from urdf2dyn_ros.robot.inertia import SecondMoments
from urdf2dyn_ros.robot.model import FIXED, FLOATING, Joint
from urdf2dyn_ros.robot.rotations import ROUNDOFF, aligned
from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Scalar,
    Triple,
    Vector,
    about_z,
    cos,
    sin,
)

# ---- Motion, wrench and coordinate of joints: what the forward and the backward sweep transmit

Note = Callable[[int, str, tuple[Scalar, ...]], None]
"""
Called with body number, symbol and entries of every quantity that has a name, as it is computed.

The symbols are keys of `SYMBOLS` in `codegen/explanations.py`, which has their formulas: each
stands before the statements since the call before. Without entries a call only marks a place.
"""

BodyNote = Callable[[str, tuple[Scalar, ...]], None]
"""Called with symbol and entries of every quantity of a body that has a name."""

Spun = Callable[[Vector, Vector], tuple[Vector, Matrix]]
"""w and wd of a body to its wd and U."""


class Motion(NamedTuple):
    """
    Motion of a frame, in its own axes.

    Angular velocity [rad/s] and its derivative [rad/s^2]; acceleration of the frame's origin minus
    gravity [m/s^2].
    """

    w: Vector
    wd: Vector
    a: Vector


AT_REST = Motion(ZERO, ZERO, ZERO)   # that of a frame at rest, without gravity


class Wrench(NamedTuple):
    """Force f [N] and moment n [N m] about the frame's origin, in the frame's axes."""

    f: Vector
    n: Vector

    def rotated_about_z(self, c: Scalar, s: Scalar) -> Wrench:
        """Return it after a rotation about z with this cosine and sine."""
        return Wrench(turned(self.f, c, -s), turned(self.n, c, -s))


NO_WRENCH = Wrench(ZERO, ZERO)


class Coordinate(NamedTuple):
    """
    Position [rad or m], velocity and acceleration of a joint, with the x axis chosen for its body.

    That choice is `turn`, the constant angle [rad] about the joint's axis from the frame of the
    joint at position zero to the frame of its body; or cosine and sine of any other angle.
    """

    q: Scalar
    qd: Scalar
    qdd: Scalar
    turn: float = 0.0
    cos_sin: tuple[Scalar, Scalar] | None = None


def silent(symbol: str, entries: tuple[Scalar, ...]) -> None:
    """Note nothing of a body."""


def prefixed(note: Note, i: int, letter: str) -> BodyNote:
    """Return a note of body i with a letter before its symbols."""
    return lambda symbol, entries: note(i, letter + symbol, entries)


def spin(w: Vector, wd: Vector, note: BodyNote = silent) -> Matrix:
    """
    Return U = [wd]x + [w]x[w]x, so that U r = wd x r + w x (w x r).

    A point fixed at r in a frame is accelerated by U r more than the frame's origin (Khalil and
    Dombre, Modeling, Identification and Control of Robots, section 9.5).
    """
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    note('ww', (xx, yy, zz, xy, xz, yz))
    U = Matrix((-(yy + zz), xy - wd[2], xz + wd[1]),
               (xy + wd[2], -(xx + zz), yz - wd[0]),
               (xz - wd[1], yz + wd[0], -(xx + yy)))
    note('U', U.entries)
    return U


# ---- A type of joint: one coordinate along a twist about and along z, in both directions

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
    bounded: bool = True   # whether its position has limits

    @property
    def units(self) -> dict[str, str]:
        """Units of coordinate and effort, for the fields {unit} and {effort} of a text."""
        return {'unit': self.unit, 'effort': self.effort_unit}

    def cos_sin(self, coordinate: Coordinate) -> tuple[Scalar, Scalar]:
        """Return cosine and sine of the body's angle."""
        if coordinate.cos_sin is not None:
            return coordinate.cos_sin
        return turn_by(coordinate.q if self.turns else 0.0, coordinate.turn)

    def rotation(self, coordinate: Coordinate) -> Matrix:
        """Return joint_R_body."""
        return about_z(*self.cos_sin(coordinate))

    def displacement(self, q: Scalar) -> Vector:
        """Return the body's origin in the joint's frame [m]; of qd, the rate of change [m/s]."""
        return Vector(0.0, 0.0, self.slides * q)

    def forward(self, joint: Motion, coordinate: Coordinate, note: BodyNote,
                spun: Spun) -> tuple[Motion, Matrix]:
        """
        Return motion and U of the body from the motion of the joint's frame fixed in the parent.

        With the angle t = turns q and the distance s = slides q: w = R' w_p + td z,
        wd = R' wd_p + tdd z + R' w_p x td z,  a = R' a_p + U s z + 2 w x sd z + sdd z.
        """
        c, s = self.cos_sin(coordinate)
        rate = self.turns * coordinate.qd
        w_x, w_y, w_z = turned(joint.w, c, s)
        w = Vector(w_x, w_y, w_z + rate)
        note('w', w)
        wd_x, wd_y, wd_z = turned(joint.wd, c, s)
        wd = Vector(wd_x + w_y * rate, wd_y - w_x * rate, wd_z + self.turns * coordinate.qdd)
        note('wd', wd)
        a = turned(joint.a, c, s)
        if self.slides:
            wd, U = spun(w, wd)
            distance = self.slides * coordinate.q
            along = (U[0][2] * distance, U[1][2] * distance,
                     U[2][2] * distance + self.slides * coordinate.qdd)
            twice = 2.0 * (self.slides * coordinate.qd)
            coriolis = (twice * w[1], -twice * w[0], 0.0)
            a = a + along + coriolis
            note('a', a)
        else:
            note('a', a)
            wd, U = spun(w, wd)
        return Motion(w, wd, a), U

    def along(self, force: Scalar, moment: Scalar) -> Scalar:
        """Return the effort of a wrench with these components along z."""
        return self.slides * force + self.turns * moment

    def backward(self, wrench: Wrench, coordinate: Coordinate,
                 note: BodyNote) -> tuple[Scalar, Wrench]:
        """Return the effort, and the wrench in the joint's frame fixed in the parent."""
        c, s = self.cos_sin(coordinate)
        (f_x, f_y, f_z), (n_x, n_y, n_z) = wrench
        f = turned(wrench.f, c, -s)
        note('fj', f)
        if self.slides:   # n + s z x f: the body's origin is s along z from that of the joint
            distance = self.slides * coordinate.q
            n_x, n_y = n_x - distance * f_y, n_y + distance * f_x
        n = turned(Vector(n_x, n_y, n_z), c, -s)
        note('nj', n)
        return self.along(f_z, n_z), Wrench(f, n)

    def split(self, moments: SecondMoments) -> tuple[SecondMoments, SecondMoments]:
        """Return the part that the parent may carry as well, and the rest."""
        m, (h_x, h_y, h_z), S = moments
        shared, own = SecondMoments(0.0, ZERO, S), SecondMoments(m, moments.h, NO_TENSOR)
        if self.turns:   # the second moment about the axis alone
            shared = shared._replace(tensor=Matrix(ZERO, ZERO, (0.0, 0.0, S[2][2])))
            own = own._replace(tensor=Matrix(S[0], S[1], (S[2][0], S[2][1], 0.0)))
        if not self.slides:   # and what lies on the axis
            shared = shared._replace(m=m, h=Vector(0.0, 0.0, h_z))
            own = own._replace(m=0.0, h=Vector(h_x, h_y, 0.0))
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
    return Vector(c * a[0] + s * a[1], c * a[1] - s * a[0], a[2])


# ---- A joint that turns its body about z: revolute and continuous

REVOLUTE = JointType(turns=1, slides=0, unit='rad', effort_unit='N m', verb='turned', formulas={
    'w': "w{n} = R{n}' {wp} + qd{n} z",
    'wd': "wd{n} = R{n}' {wdp} + qdd{n} z + R{n}' {wp} x qd{n} z",
    'a': "a{n} = R{n}' {bp}",
    'fj': 'fj{n} = R{n} f{n}',
    'nj': 'nj{n} = R{n} n{n}',
    'vo': "v{n} = R{n}' {vp}",
    'Pj': 'Pj{n} = R{n} P{n}',
    'Lj': 'Lj{n} = R{n} L{n}',
    'along': 'n{n}_z',
    'momentum': 'L{n}_z',
    'change': '(w{n} x z) . L{n} + (v{n} x z) . P{n}',
    'dfq': 'fq{n} = mc{n} (a{n} x z) + U{n} z x hc{n} + (w{n} x z) x Pc{n} + z x f{n}',
    'dnq': 'nq{n} = hc{n} x (a{n} x z) + Jc{n} U{n} z + Kc{n} (w{n} x z) + z x n{n}',
    'dfv': 'fv{n} = (W{n} x z) x hc{n} + z x Pc{n}',
    'dnv': 'nv{n} = Jc{n} (W{n} x z) + Kc{n} z',
    'dfa': 'fa{n} = z x hc{n}',
    'dna': 'na{n} = Jc{n} z',
    'dg': "g{n} = Kc{n}' z",
    'drow': 'derivatives of tau{n}: nq{n}_z, nv{n}_z, na{n}_z',
    'dothers': 'q{n}_tau = g{n} . (w{n} x z) + na{n} . U{n} z + fa{n} . (a{n} x z), '
               'qd{n}_tau = g{n}_z + na{n} . (W{n} x z)',
})


# ---- A joint that moves its body along z

PRISMATIC = JointType(turns=0, slides=1, unit='m', effort_unit='N', verb='moved', formulas={
    'w': 'w{n} = {wp}',
    'wd': 'wd{n} = {wdp}',
    'a': 'a{n} = {bp} + U{n} q{n} z + 2 w{n} x qd{n} z + qdd{n} z',
    'fj': 'fj{n} = f{n}',
    'nj': 'nj{n} = n{n} + q{n} z x f{n}',
    'vo': 'v{n} = {vp} + w{n} x q{n} z + qd{n} z',
    'Pj': 'Pj{n} = P{n}',
    'Lj': 'Lj{n} = L{n} + q{n} z x P{n}',
    'T': 'T{n} = {T}{A}',
    'r': 'r{n} = r{p} + {T}(p{n} + {A}q{n} z)',
    'v': 'v{n} = v{p} + {T}(w{p} x (p{n} + {A}q{n} z) + {A}qd{n} z)',
    'along': 'f{n}_z',
    'momentum': 'P{n}_z',
    'change': '(w{n} x z) . P{n}',
    'dfq': 'fq{n} = mc{n} U{n} z',
    'dnq': 'nq{n} = hc{n} x U{n} z + z x f{n}',
    'dfv': 'fv{n} = mc{n} (W{n} x z)',
    'dnv': 'nv{n} = hc{n} x (W{n} x z)',
    'dfa': 'fa{n} = mc{n} z',
    'dna': 'na{n} = hc{n} x z',
    'dg': 'g{n} = Pc{n} x z',
    'drow': 'derivatives of tau{n}: fq{n}_z, fv{n}_z, fa{n}_z',
    'dothers': 'q{n}_tau = fa{n} . U{n} z, qd{n}_tau = fa{n} . (W{n} x z)',
})


# ---- Coordinates of a URDF joint: one for most types, several for planar and floating

class Part(NamedTuple):
    """
    One coordinate of a joint, along or about a unit vector in the frame of the URDF joint.

    Positions and efforts are exchanged under its name; its type is a key of JOINTS.
    """

    name: str
    type: str
    axis: Triple


def planar_parts(joint: Joint) -> tuple[Part, ...]:
    """
    Return two prismatic joints in the plane, x and y, then a continuous one about its normal.

    For the normal z, x and y are those of the joint's frame.
    """
    x, y, normal = zip(*aligned(joint.axis))
    return (Part(f'{joint.name}/x', 'prismatic', x),
            Part(f'{joint.name}/y', 'prismatic', y),
            Part(f'{joint.name}/theta', 'continuous', normal))


def floating_parts(joint: Joint) -> tuple[Part, ...]:
    """Return three prismatic joints, then three revolute ones: away from the root alone."""
    return tuple(Part(f'{joint.name}/{motion}_{x}', kind, axis)
                 for motion, kind in (('trans', 'prismatic'), ('rot', 'revolute'))
                 for x, axis in zip(AXES, IDENTITY))


# ---- The table of joints: a new one is a `JointType` and a line here

JOINTS: dict[str, JointType] = {
    'revolute': REVOLUTE,
    'continuous': replace(REVOLUTE, bounded=False),
    'prismatic': PRISMATIC,
}
"""Type of a coordinate to what it does."""


class UrdfType(NamedTuple):
    """A type of joint in a URDF, whose coordinates are the `parts`, from the parent outwards."""

    parts: Callable[[Joint], tuple[Part, ...]]
    single: JointType | None = None   # what its coordinate does, if it has one alone
    axial: bool = True   # whether it reads <axis>
    moves: bool = True

    @property
    def bounded(self) -> bool:
        """Whether the URDF requires limits of its position."""
        return self.single is not None and self.single.bounded

    @property
    def slides(self) -> bool:
        """Whether it moves its link along the axis alone."""
        return self.single is not None and not self.single.turns


URDF_TYPES = {
    **{name: UrdfType(lambda joint: (Part(joint.name, joint.type, joint.axis),), single)
       for name, single in JOINTS.items()},
    FIXED: UrdfType(lambda joint: (), axial=False, moves=False),
    'planar': UrdfType(planar_parts),
    FLOATING: UrdfType(floating_parts, axial=False),
}
"""All types that a URDF may have."""
