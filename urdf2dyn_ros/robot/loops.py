"""
Closed kinematic loops: the equations that two frames of a tree coincide, for any scalar.

A loop is cut open where its two frames meet. Each of its equations is phi = u . v = 0, with two
vectors that are fixed in one of the frames or lead from one origin to the other, and all is
relative to the nearest body that carries both chains: joints before it have no column, and what is
planar stays planar. In the axes of that body, with z and o the axis and origin of a joint,

    J = +-(z . ((P - o) x F + M))        (prismatic: z . F; + in the second chain)

is the derivative of a row by the position of the joint: that of a force F at the point P and a
moment M, which is how the loop pushes where it was cut open (Khalil and Dombre 2002, chapter 7;
Featherstone 2008, section 8.1). Rotations about parallel axes add up their angles.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from urdf2dyn_ros.robot.joints import JOINTS, turn_by
from urdf2dyn_ros.robot.model import Loop, LoopConstraint, LoopFrame
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.rotations import aligned, composed, from_rpy
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    about_z,
    cross,
    dot,
    rounded,
)

_POINTS = tuple(('point', k, 0) for k in range(3))
_ACROSS = (('slide', 0, 0), ('slide', 1, 0))
_HINGE = (('turn', 2, 0), ('turn', 2, 1))   # z of the first frame across x and y of the second

# Type to its rows: kind and axes, as in `LoopConstraint`. z of a frame is the axis.
LOOP_TYPES: dict[str, tuple[tuple[str, int, int], ...]] = {
    'spherical': _POINTS,
    'revolute': (*_POINTS, *_HINGE),
    'universal': (*_POINTS, ('turn', 2, 2)),
    'cylindrical': (*_ACROSS, *_HINGE),
    'prismatic': (*_ACROSS, *_HINGE, ('turn', 0, 1)),
    'fixed': (*_POINTS, *_HINGE, ('turn', 0, 1)),
    'distance': (('distance', 0, 0),),
}
LOOP_TYPES['continuous'] = LOOP_TYPES['revolute']

State = Sequence[Sequence[Scalar]]
"""q, qd and qdd of the independent joints of the tree."""


class Screw(NamedTuple):
    """A joint of a chain in the reference: its axis, and a point on it."""

    coordinate: int
    multiplier: Scalar
    axis: Vector
    origin: Vector
    turns: bool   # about the axis; else it slides along it


def constraints_of(number: int, loop: Loop, size: float) -> list[LoopConstraint]:
    """Return all constraints of a loop; some may follow from others."""
    return [LoopConstraint(number, kind, i, j, IDENTITY[i] if kind == 'point' else ZERO,
                           size if kind == 'turn' else 1.0)
            for kind, i, j in LOOP_TYPES[loop.type]]


@dataclass
class _LoopChain:
    """
    A chain from the reference to a frame of a loop, in its axes, as far as joints are passed.

    The axes of the body that is reached are B Rz(angle + turn), then half a turn about x if
    `flipped`, so that rotations about parallel axes are a sum of angles.
    """

    B: Matrix
    p: Vector   # position [m], velocity and acceleration of the origin
    v: Vector = ZERO
    a: Vector = ZERO
    w: Vector = ZERO   # angular velocity and its derivative
    wd: Vector = ZERO
    angle: Scalar = 0.0
    turn: float = 0.0
    flipped: bool = False
    joints: list[Screw] = field(default_factory=list)

    def shift(self, d: Vector) -> None:
        """Go on by a constant vector of the body."""
        if d != ZERO:
            turned = about_z(*turn_by(self.angle, self.turn)) @ self._flip(d)
            self._add(self.B @ turned)

    def _flip(self, d: Vector) -> Vector:
        return Vector(d[0], -d[1], -d[2]) if self.flipped else d

    def _add(self, r: Vector) -> None:
        self.p = self.p + r
        if self.w is not ZERO:   # else no joint before moves
            u = cross(self.w, r)
            self.v, self.a = self.v + u, self.a + (cross(self.wd, r) + cross(self.w, u))

    def rotate(self, C: Matrix) -> None:
        """Go on to axes that a constant rotation leads to."""
        C = Matrix(*map(self._flip, C.T)).T
        if isinstance(C[2][2], float) and abs(C[2][2]) == 1.0:
            self.flipped = C[2][2] < 0.0
            self.turn += math.atan2(C[1][0], C[0][0])
            return
        before = self.B @ about_z(*turn_by(self.angle, self.turn))
        self.B = _composed(before, C)
        self.angle, self.turn, self.flipped = 0.0, 0.0, False

    @property
    def axes(self) -> Matrix:
        """Return reference_R_frame."""
        R = self.B @ about_z(*turn_by(self.angle, self.turn))
        x, y, z = R.T
        return Matrix(x, -y, -z).T if self.flipped else R

    def move(self, system: Multibody, i: int, state: State) -> None:
        """Pass the joint of body i."""
        body = system.bodies[i]
        self.shift(body.parent_p_joint)
        self.rotate(body.parent_R_joint)
        coordinate, joint, sign = body.at(*state), JOINTS[body.type], -1.0 if self.flipped else 1.0
        axis = sign * self.B.T[2]
        self.joints.append(Screw(body.coordinate, body.multiplier, axis, self.p,
                                 bool(joint.turns)))
        if not all(isinstance(x, float) and x == 0.0 for x in (coordinate.qd, coordinate.qdd)):
            rate, w = coordinate.qd * axis, self.w
            if joint.turns:
                self.w, self.wd = w + rate, self.wd + (cross(w, rate) + coordinate.qdd * axis)
            else:
                self.v = self.v + rate
                self.a = self.a + (2.0 * cross(w, rate) + coordinate.qdd * axis)
        if joint.turns:
            self.angle = self.angle + sign * coordinate.q
        else:
            self._add(coordinate.q * axis)
        self.turn += sign * coordinate.turn


Jet = tuple[Vector, Vector, Vector]   # a vector, and its first and second derivative by time


class LoopState:
    """A cut joint in a state: its two chains from the nearest body that carries both."""

    def __init__(self, system: Multibody, loop: Loop, state: State) -> None:
        chains = [system.chain(system.links[end.link][0])
                  for end in (loop.first, loop.second)]
        shared = 0
        while shared < min(map(len, chains)) and len({chain[shared] for chain in chains}) == 1:
            shared += 1
        base = chains[0][shared - 1] if shared else ROOT
        reference = system.attached(base)[0]
        R = reference.body_R_link.T
        p = -(R @ reference.body_p_link)
        self.first, self.second = (
            self._reach(system, chain[shared:], _LoopChain(R, p), end, state)
            for chain, end in zip(chains, (loop.first, loop.second)))
        self.length = loop.length
        self.d: Jet = (self.second.p - self.first.p, self.second.v - self.first.v,
                       self.second.a - self.first.a)

    def _reach(self, system: Multibody, bodies: Sequence[int], end: _LoopChain, frame: LoopFrame,
               state: State) -> _LoopChain:
        for i in bodies:
            end.move(system, i, state)
        _, link = system.links[frame.link]
        p, offset = link.body_p_link, link.body_R_link @ frame.xyz
        point = p + offset
        if all(isinstance(entry, float) for entry in point):
            point = rounded(point, max(map(abs, (*p, *offset))))
        end.shift(point)
        link_R_frame = composed(from_rpy(frame.rpy), aligned(frame.axis))
        end.rotate(_composed(link.body_R_link, link_R_frame))
        return end

    @property
    def joints(self) -> Iterator[tuple[float, Screw]]:
        """Yield the sign and the screw of each joint of both chains."""
        yield from ((-1.0, joint) for joint in self.first.joints)
        yield from ((1.0, joint) for joint in self.second.joints)

    def value(self, row: LoopConstraint) -> Scalar:
        """Return phi of a row [m]."""
        if row.kind == 'distance':
            d, L = self.d[0], self.length
            return (0.5 / L) * dot(d, d) - 0.5 * L
        u, v = self._vectors(row)
        return row.scale * dot(u[0], v[0])

    def column(self, row: LoopConstraint) -> dict[int, Scalar]:
        """Return the derivatives of phi by the coordinates that it depends on."""
        F, M, points = ZERO, ZERO, (self.second.p, self.second.p)
        if row.kind == 'point':
            F, points = Vector(*row.direction), (self.first.p, self.second.p)
        elif row.kind == 'slide':
            F = self.first.axes.T[row.i]
        elif row.kind == 'distance':
            F = 1.0 / self.length * self.d[0]
        else:
            u, v = self._vectors(row)
            M = -row.scale * cross(u[0], v[0])
        result: dict[int, Scalar] = {}
        for sign, (k, multiplier, z, o, turns) in self.joints:
            entry = (dot(z, M) + dot(cross(z, points[sign > 0.0] - o), F) if turns
                     else dot(z, F))
            result[k] = result.get(k, 0.0) + (sign * multiplier) * entry
        return {k: entry for k, entry in result.items()
                if not (isinstance(entry, float) and abs(entry) < 1e-13)}

    def second_derivative(self, row: LoopConstraint) -> Scalar:
        """Return the second derivative of phi by time, in the state."""
        if row.kind == 'distance':
            d = self.d
            return (1.0 / self.length) * (dot(d[1], d[1]) + dot(d[0], d[2]))
        u, v = self._vectors(row)
        return row.scale * (dot(u[2], v[0]) + 2.0 * dot(u[1], v[1]) + dot(u[0], v[2]))

    def _vectors(self, row: LoopConstraint) -> tuple[Jet, Jet]:
        if row.kind == 'point':
            return (Vector(*row.direction), ZERO, ZERO), self.d
        u = self._axis(self.first, row.i)
        return u, self.d if row.kind == 'slide' else self._axis(self.second, row.j)

    def _axis(self, end: _LoopChain, i: int) -> Jet:
        u = end.axes.T[i]
        rate = cross(end.w, u)
        return u, rate, cross(end.wd, u) + cross(end.w, rate)


def _composed(m: Matrix, n: Matrix) -> Matrix:
    exact = all(isinstance(entry, float) for rows in (m, n) for row in rows for entry in row)
    return composed(m, n) if exact else m @ n
