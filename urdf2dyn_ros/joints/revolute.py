"""A joint that turns its body about z: revolute and continuous."""

from __future__ import annotations

import math

from urdf2dyn_ros.algebra.expression import Scalar, cos, sin
from urdf2dyn_ros.algebra.frames import SNAP
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import ZERO, Matrix, Vector, about_z
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Spun, Wrench

UNIT = 'rad'
EFFORT_UNIT = 'N m'
VERB = 'turned'
TURNS = True
FORMULAS = {
    'w': "w{n} = R{n}' {wp} + qd{n} z",
    'wd': "wd{n} = R{n}' {wdp} + qdd{n} z + R{n}' {wp} x qd{n} z",
    'a': "a{n} = R{n}' {bp}",
    'fj': 'fj{n} = R{n} f{n}',
    'nj': 'nj{n} = R{n} n{n}',
    'vo': "v{n} = R{n}' {vp}",
    'Pj': 'Pj{n} = R{n} P{n}',
    'Lj': 'Lj{n} = R{n} L{n}',
}
CHANGE = '(w{n} x z) . L{n} + (v{n} x z) . P{n}'

# cos(q + k pi/2), sin(q + k pi/2) as (index of cos or sin of q, sign): no addition, no product
_QUARTERS = (((0, 1.0), (1, 1.0)), ((1, -1.0), (0, 1.0)),
             ((0, -1.0), (1, -1.0)), ((1, 1.0), (0, -1.0)))


def cos_sin(at: Coordinate) -> tuple[Scalar, Scalar]:
    """Return cosine and sine of the body's angle; quarter turns swap them instead of adding."""
    quarters = round(at.turn / (math.pi / 2))
    if abs(at.turn - quarters * (math.pi / 2)) > SNAP:
        return cos(at.q + at.turn), sin(at.q + at.turn)
    pair = cos(at.q), sin(at.q)
    (i, c_sign), (j, s_sign) = _QUARTERS[quarters % 4]
    return c_sign * pair[i], s_sign * pair[j]


def rotation(at: Coordinate) -> Matrix:
    """Return joint_R_body."""
    return about_z(*cos_sin(at))


def displacement(at: Coordinate) -> Vector:
    """Return the body's origin in the joint's frame [m]."""
    return (0.0, 0.0, 0.0)


def forward(placed: Motion, at: Coordinate, note: BodyNote, spun: Spun) -> tuple[Motion, Matrix]:
    """
    Return motion and U of the body from the motion of the joint's frame fixed in the parent.

    w = R' w_p + qd z,  wd = R' wd_p + qdd z + R' w_p x qd z,  a = R' a_p.

    """
    c, s = cos_sin(at)
    w_x, w_y, w_z = turned(placed.w, c, s)
    w = (w_x, w_y, w_z + at.qd)
    note('w', w)
    wd_x, wd_y, wd_z = turned(placed.wd, c, s)
    wd = (wd_x + w_y * at.qd, wd_y - w_x * at.qd, wd_z + at.qdd)
    note('wd', wd)
    a = turned(placed.a, c, s)
    note('a', a)
    wd, U = spun(w, wd)
    return Motion(w, wd, a), U


def backward(wrench: Wrench, at: Coordinate, note: BodyNote) -> tuple[Scalar, Wrench]:
    """Return the effort [N m], and the wrench in the joint's frame fixed in the parent."""
    c, s = cos_sin(at)
    f = turned(wrench.f, c, -s)
    note('fj', f)
    n = turned(wrench.n, c, -s)
    note('nj', n)
    return wrench.n[2], Wrench(f, n)


def turned(a: Vector, c: Scalar, s: Scalar) -> Vector:
    """Return Rz' a, with c and s the cosine and sine of Rz's angle."""
    return (c * a[0] + s * a[1], c * a[1] - s * a[0], a[2])


def split(inertia: BodyInertia) -> tuple[BodyInertia, BodyInertia]:
    """Return what lies on the axis, which the parent may carry instead, and the rest."""
    m, (h_x, h_y, h_z), S = inertia
    moved = BodyInertia(m, (0.0, 0.0, h_z), (ZERO, ZERO, (0.0, 0.0, S[2][2])))
    kept = BodyInertia(0.0, (h_x, h_y, 0.0), (S[0], S[1], (S[2][0], S[2][1], 0.0)))
    return moved, kept
