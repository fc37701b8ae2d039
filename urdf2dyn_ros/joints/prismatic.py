"""A joint that moves its body along z."""

from __future__ import annotations

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import ZERO, Matrix, Vector, about_z, add
from urdf2dyn_ros.joints import revolute
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Spun, Wrench

UNIT = 'm'
EFFORT_UNIT = 'N'
VERB = 'moved'
TURNS = False
FORMULAS = {
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
}
CHANGE = '(w{n} x z) . P{n}'


def _constant_turn(at: Coordinate) -> tuple[float, float]:
    return revolute.cos_sin(Coordinate(0.0, 0.0, 0.0, at.turn))


def rotation(at: Coordinate) -> Matrix:
    """Return joint_R_body."""
    return about_z(*_constant_turn(at))


def displacement(at: Coordinate) -> Vector:
    """Return the body's origin in the joint's frame [m]."""
    return (0.0, 0.0, at.q)


def forward(placed: Motion, at: Coordinate, note: BodyNote, spun: Spun) -> tuple[Motion, Matrix]:
    """
    Return motion and U of the body from the motion of the joint's frame fixed in the parent.

    w = w_p,  wd = wd_p,  a = a_p + U q z + 2 w x qd z + qdd z.

    """
    w, wd, a = (revolute.turned(v, *_constant_turn(at)) for v in placed)
    note('w', w)
    note('wd', wd)
    wd, U = spun(w, wd)
    along = (U[0][2] * at.q, U[1][2] * at.q, U[2][2] * at.q + at.qdd)
    twice_qd = 2.0 * at.qd
    coriolis = (twice_qd * w[1], -twice_qd * w[0], 0.0)
    a = add(add(a, along), coriolis)
    note('a', a)
    return Motion(w, wd, a), U


def backward(wrench: Wrench, at: Coordinate, note: BodyNote) -> tuple[Scalar, Wrench]:
    """Return the effort [N], and the wrench in the joint's frame fixed in the parent."""
    c, s = _constant_turn(at)
    (f_x, f_y, f_z), (n_x, n_y, n_z) = wrench
    f = revolute.turned(wrench.f, c, -s)
    note('fj', f)
    # n + q z x f: the origin of the body is q along z from that of the joint
    n = revolute.turned((n_x - at.q * f_y, n_y + at.q * f_x, n_z), c, -s)
    note('nj', n)
    return f_z, Wrench(f, n)


def split(inertia: BodyInertia) -> tuple[BodyInertia, BodyInertia]:
    """Return the second moments, whose axes are those of the parent for ever, and the rest."""
    moved = BodyInertia(0.0, ZERO, inertia.J)
    return moved, inertia._replace(J=(ZERO, ZERO, ZERO))
