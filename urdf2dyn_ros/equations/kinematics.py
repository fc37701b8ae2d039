"""Forward kinematics: where a body is in a frame of reference, and how it moves there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.equations.newton_euler import Sweep, unnoted
from urdf2dyn_ros.robot.joints import (
    JOINTS,
    BodyNote,
    Coordinate,
    Note,
    silent,
    spin,
)
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Body, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    about_z,
    add,
    apply,
    cross,
    product,
    scale,
)


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


REFERENCE = Frame(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO)


def chain(system: Multibody, number: int) -> tuple[int, ...]:
    """Return the numbers of the bodies from the root to one of them, which is the last."""
    numbers = []
    while number != ROOT:
        numbers.append(number)
        number = system.bodies[number].parent
    return tuple(reversed(numbers))


def turns_before(bodies: Sequence[Body]) -> list[int]:
    """Return for each body the number of revolute joints from the root to its parent."""
    result: list[int] = []
    for body in bodies:
        parent = body.parent
        result.append(0 if parent == ROOT else
                      result[parent] + bool(JOINTS[bodies[parent].type].turns))
    return result


def displaced(body: Body, at: Coordinate) -> Vector:
    """Return the body's origin in the parent's frame [m]."""
    joint = JOINTS[body.type]
    if not joint.slides:
        return body.parent_p_joint
    return add(body.parent_p_joint, apply(body.parent_R_joint, joint.displacement(at.q)))


def oriented(parent_R: Matrix, body: Body, at: Coordinate, note: BodyNote = silent) -> Matrix:
    """Return the orientation of a body from that of its parent."""
    cos_sin = JOINTS[body.type].cos_sin(at)
    note('kR', cos_sin)
    return product(product(parent_R, body.parent_R_joint), about_z(*cos_sin))


def next_placement(parent: Placement, body: Body, at: Coordinate) -> Placement:
    return Placement(oriented(parent.R, body, at),
                     add(parent.p, apply(parent.R, displaced(body, at))))


def next_frame(parent: Frame, body: Body, at: Coordinate, note: BodyNote = silent) -> Frame:
    joint = JOINTS[body.type]
    note('kq', (at.q, at.qd, at.qdd))
    R = oriented(parent.R, body, at, note)
    note('kT', sum(R, ()))
    d = apply(parent.R, displaced(body, at))
    note('kd', d)
    fixed = ('kr', 'ku', 'kvb', 'kab') if joint.slides else ('kr', 'ku', 'kv', 'ka')
    p, v, a = _point(parent, d, fixed, note)
    w, wd, z = parent.w, parent.wd, (R[0][2], R[1][2], R[2][2])
    if joint.slides:
        rate = scale(joint.slides * at.qd, z)
        v = add(v, rate)
        note('kv', v)
        a = add(a, add(scale(2.0, cross(w, rate)), scale(joint.slides * at.qdd, z)))
        note('ka', a)
    if joint.turns:
        rate = scale(joint.turns * at.qd, z)
        wd = add(wd, add(cross(w, rate), scale(joint.turns * at.qdd, z)))
        note('kwd', wd)
        w = add(w, rate)
        note('kw', w)
    return Frame(R, p, v, a, w, wd)


def link_frame(body: Frame, link: Attached, note: BodyNote = silent) -> Frame:
    R = product(body.R, link.body_R_link)
    note('lR', sum(R, ()))
    r = apply(body.R, link.body_p_link)
    note('ld', r)
    p, v, a = _point(body, r, ('lp', 'lu', 'lv', 'la'), note)
    return Frame(R, p, v, a, body.w, body.wd)


def _point(frame: Frame, r: Vector, symbols: Sequence[str], note: BodyNote,
           ) -> tuple[Vector, Vector, Vector]:
    """Return p, v, a of a point fixed to a frame, r [m] from its origin."""
    p = add(frame.p, r)
    note(symbols[0], p)
    u = cross(frame.w, r)
    note(symbols[1], u)
    v = add(frame.v, u)
    note(symbols[2], v)
    a = add(frame.a, add(cross(frame.wd, r), cross(frame.w, u)))
    note(symbols[3], a)
    return p, v, a


def root_frames(system: Multibody, state: Sequence[Sequence[Scalar]], links: Collection[str],
                note: Note = unnoted, root: Frame = REFERENCE) -> dict[int, Frame]:
    """
    Return the frames of all bodies on the way to links, by number; the state is q, qd, qdd.

    The root is at the origin of its own axes, and moves there as its frame says.
    """
    frames = {ROOT: root}
    for i in sorted({i for link in links for i in chain(system, system.links[link][0])}):
        body = system.bodies[i]
        frames[i] = next_frame(frames[body.parent], body, body.at(*state), partial(note, i))
    return frames


# ---- Where everything is and how it moves, in the root frame: the third sweep, for any scalar

Vectors = dict[str, tuple[Scalar, ...]]   # kind and name to entries


class _Frame(NamedTuple):
    """A body's frame in the root, in the axes of the root but for w and U of the sweep."""

    T: Matrix   # root_R_body
    r: Vector
    v: Vector
    a: Vector
    rate: Vector   # w, in the axes of the root
    w: Vector
    U: Matrix

    def at(self, p: Vector, R: Matrix) -> Vectors:
        """Return where a frame that is fixed in the body at p with axes R is, and its motion."""
        return {'position': add(self.r, apply(self.T, p)),
                'velocity': add(self.v, apply(self.T, cross(self.w, p))),
                'acceleration': add(self.a, apply(self.T, apply(self.U, p))),
                'orientation': sum(product(self.T, R), ()),
                'angular_velocity': self.rate}


def root_frame(system: Multibody, sweep: Sweep, gravity: Vector,
               note: Note) -> Vectors:
    """
    Return vectors in the root frame, by name of joint or link.

    They are ``position_``, ``velocity_`` and ``acceleration_`` [m, m/s, m/s^2] of the origin of
    every joint's and link's frame, which moves with the joint's child; ``orientation_``, the rows
    of root_R_frame, and ``angular_velocity_`` [rad/s] of this frame; ``forces_`` and
    ``torques_`` [N, N m] that every movable joint transmits to its child, about its origin. Where
    a link and a joint of the same name have different frames, the link's key ends in
    ``' (link)'``.
    """
    root = _Frame(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO, spin(ZERO, ZERO))
    frames: list[_Frame] = []
    vectors: Vectors = {}
    for attached in system.root:
        _attached(vectors, root, attached)
    for i, body in enumerate(system.bodies):
        frame = _frame(i, body, root if body.parent == ROOT else frames[body.parent], sweep,
                       gravity, note)
        frames.append(frame)
        child = body.attached[0].body_R_link if body.attached else IDENTITY
        _add(vectors, body.name, frame.at(ZERO, child))
        for name, vector in zip(('forces', 'torques'), sweep.wrenches[i]):
            vectors[f'{name}_{body.name}'] = apply(frame.T, vector)
        for attached in body.attached:
            _attached(vectors, frame, attached)
        note(i, 'at', ())
    return vectors


def _frame(i: int, body: Body, parent: _Frame, sweep: Sweep, gravity: Vector,
           note: Note) -> _Frame:
    """Return the frame of body i from that of its parent."""
    at, motion = sweep.coordinates[i], sweep.motions[i]
    T = oriented(parent.T, body, at)
    note(i, 'T', sum(T, ()))
    p = displaced(body, at)
    r = add(parent.r, apply(parent.T, p))
    note(i, 'r', r)
    # a displacement is linear in q: of qd it is the velocity along the joint
    sliding = apply(body.parent_R_joint, JOINTS[body.type].displacement(at.qd))
    v = add(parent.v, apply(parent.T, add(cross(parent.w, p), sliding)))
    note(i, 'v', v)
    a = add(apply(T, motion.a), gravity)
    note(i, 'acc', a)
    turning = scale(JOINTS[body.type].turns * at.qd, (T[0][2], T[1][2], T[2][2]))
    rate = add(parent.rate, turning)
    note(i, 'wr', rate)
    return _Frame(T, r, v, a, rate, motion.w, sweep.spins[i])


def _attached(vectors: Vectors, frame: _Frame, attached: Attached) -> None:
    values = frame.at(attached.body_p_link, attached.body_R_link)
    if attached.joint is not None:
        _add(vectors, attached.joint, values)
    same = all(vectors.get(f'{kind}_{attached.link.name}', values[kind]) == values[kind]
               for kind in ('position', 'orientation'))
    suffix = '' if same else ' (link)'
    _add(vectors, attached.link.name + suffix, values)


def _add(vectors: Vectors, name: str, values: Vectors) -> None:
    for kind, vector in values.items():
        vectors.setdefault(f'{kind}_{name}', vector)
