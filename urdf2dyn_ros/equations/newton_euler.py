"""
The recursive Newton-Euler algorithm: the efforts that a motion requires.

Luh, Walker and Paul 1980, in the notation of Khalil and Dombre, Modeling, Identification and
Control of Robots, section 9.5 (Featherstone, Rigid Body Dynamics Algorithms, chapter 5). The frame
of each body is at its joint, with z along the axis. In `forward_sweep`, root to tips, with
quantities of the parent (p), p_i the origin of joint i in the parent and R from the joint's frame
at q to it:

    b  = a_p + U_p p_i                      acceleration of the joint's origin, minus gravity
    w  = R' w_p + qd z                      angular velocity            (prismatic: R' w_p)
    wd = R' wd_p + qdd z + R' w_p x qd z    its derivative              (prismatic: R' wd_p)
    a  = R' b                               (prismatic: + U q z + 2 w x qd z + qdd z)
    U  = [wd]x + [w]x[w]x                   U r: acceleration of r relative to the origin
    F  = m a + U h                          force that accelerates the body, h = m c
    N  = J wd + w x J w + h x a             moment about the origin

and in `backward_sweep`, tips to root:

    f   = F + sum of the children's fp - external force      what the joint transmits
    n   = N + sum of the children's np - external moment
    tau = n_z                               (prismatic: f_z), and the terms at the joint
    fp  = R f                               the same in the parent's frame, about its origin
    np  = R n + p_i x fp

Gravity is an acceleration of the root by -g. Only + - *, sin and cos are used: floats give the
efforts, expressions the text of the equations, arrays a batch. What each joint does about and
along z is in `JointType`, U in `spin`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.robot.inertia import Inertia
from urdf2dyn_ros.robot.joints import (
    JOINTS,
    NO_WRENCH,
    BodyNote,
    Coordinate,
    Motion,
    Note,
    Spun,
    Wrench,
    silent,
    spin,
)
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Body, LinkWrench, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_TENSOR,
    ZERO,
    Matrix,
    Scalar,
    Three,
    Vector,
    about_z,
    cross,
)
from urdf2dyn_ros.robot.terms import JointTerm

# ---- The formulation: how U and J wd + w x J w are computed, and what is told of each quantity

Moment = Callable[[Inertia, Motion, Matrix, BodyNote], Vector]
"""Inertia, motion and U of a body to the moment of its inertia about its origin."""

Spin = Callable[[int, Motion, Matrix, Coordinate, BodyNote], Spun]
"""Body, motion of its joint's frame, U of its parent and coordinate to what returns its U."""


def textbook_spin(i: int, joint: Motion, U_parent: Matrix, coordinate: Coordinate,
                  note: BodyNote) -> Spun:
    """Return what computes U from w and wd alone."""
    return lambda w, wd: (wd, spin(w, wd, note))


def textbook_moment(inertia: Inertia, motion: Motion, U: Matrix, note: BodyNote) -> Vector:
    """Return J wd + w x J w."""
    J = inertia.J
    L = J @ motion.w
    note('L', L)
    return J @ motion.wd + cross(motion.w, L)


def unnoted(body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
    """Note nothing."""


class Recursion(NamedTuple):
    """Formulation of the recursion: the textbook's, or one that takes fewer operations."""

    moment: Moment = textbook_moment   # or `second_moment`
    spin_of: Spin = textbook_spin   # or `inherited_spin`
    note: Note = unnoted   # called with every named quantity


TEXTBOOK = Recursion()


# ---- The algorithm: efforts of a state, by a sweep from the root and one back to it

class AppliedLoads(NamedTuple):
    """Motion of the root; terms at joints and wrenches on bodies, by the body's number."""

    base: Motion | None = None   # in its own frame; None if it is fixed
    terms: Mapping[int, Sequence[JointTerm]] = MappingProxyType({})
    wrenches: Mapping[int, Wrench] = MappingProxyType({})   # by the environment, in its frame
    # effort that the joint of each body transmits, for terms that need it; by default the sweep's
    transmitted: Sequence[Scalar] | None = None


NO_LOADS = AppliedLoads()


def body_wrenches(system: Multibody, wrenches: Iterable[LinkWrench], root_moves: bool,
                  note: Note) -> dict[int, Wrench]:
    """Return the sum of the wrenches on each body, in its frame and about its origin."""
    links = system.links
    by_body: dict[int, list[LinkWrench]] = {}
    for wrench in wrenches:
        i = links[wrench.link][0]
        if (i == ROOT and not root_moves) or wrench.link in system.world:
            continue   # the world holds it
        by_body.setdefault(i, []).append(wrench)
    sums: dict[int, Wrench] = {}
    for i, some in by_body.items():
        total = NO_WRENCH
        for wrench in some:
            attached = links[wrench.link][1]
            f = attached.body_R_link @ wrench.force
            n = attached.body_R_link @ wrench.moment + cross(attached.body_p_link, f)
            total = Wrench(total.f + f, total.n + n)
        sums[i] = total
        note(i, 'fe', total.f)   # once for a body: a name is that of one number
        note(i, 'ne', total.n)
    return sums


class Sweep(NamedTuple):
    """Efforts of the independent joints, and the quantities of the two sweeps by body."""

    efforts: list[Scalar]
    coordinates: list[Coordinate]
    motions: dict[int, Motion]   # as spins and wrenches, of the root as well
    spins: dict[int, Matrix]   # U
    wrenches: dict[int, Wrench]   # that joints transmit to their bodies, in the bodies' frames
    transmitted: list[Scalar]   # efforts of these wrenches, before the terms at the joints


def newton_euler(system: Multibody, inertias: Sequence[Inertia | None],
                 state: Sequence[Sequence[Scalar]], gravity: Three,
                 recursion: Recursion = TEXTBOOK, loads: AppliedLoads = NO_LOADS) -> Sweep:
    """
    Return the efforts (n,) [N m or N] that a state requires, positive along the joint's axis.

    Inertias, one per body and then the root's, are None for a massless one. The state (3, n) is q,
    qd, qdd of the independent joints: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2]. Gravity
    [m/s^2] is in the root frame, and part of the motion of a base that moves.
    """
    coordinates, motions, spins, own = forward_sweep(
        system, inertias, state, gravity, recursion, loads)
    efforts, wrenches, transmitted = backward_sweep(
        system, coordinates, motions, own, loads, recursion.note)
    return Sweep(efforts, coordinates, motions, spins, wrenches, transmitted)


# ---- Forward, root to tips: the motion of each body, and what accelerates it

class Forward(NamedTuple):
    """Results of the forward sweep by body, as in `Sweep`."""

    coordinates: list[Coordinate]
    motions: dict[int, Motion]
    spins: dict[int, Matrix]
    own: dict[int, Wrench]   # F, N that accelerate the bodies themselves, and a root that moves


def forward_sweep(system: Multibody, inertias: Sequence[Inertia | None],
                  state: Sequence[Sequence[Scalar]], gravity: Three, recursion: Recursion,
                  loads: AppliedLoads) -> Forward:
    """Return the motion of every body; arguments are those of `newton_euler`."""
    root, U_root = Motion(ZERO, ZERO, -Vector(*gravity)), NO_TENSOR
    if loads.base is not None:
        note = partial(recursion.note, ROOT)
        root, U_root = loads.base, spin(loads.base.w, loads.base.wd, note)
    *of_bodies, of_root = inertias
    sweep = Forward([], {ROOT: root}, {ROOT: U_root}, {})
    for i, body in enumerate(system.bodies):
        note, joint, coordinate = partial(recursion.note, i), JOINTS[body.type], body.at(*state)
        parent, U_parent = sweep.motions[body.parent], sweep.spins[body.parent]
        note('q', coordinate[:3])
        b = parent.a + U_parent @ body.parent_p_joint
        note('b', b)
        note('A', ())
        # along the axes of the joint, still fixed to the parent
        joint_R_parent = body.parent_R_joint.T
        w = joint_R_parent @ parent.w
        note('wj', w)
        wd = joint_R_parent @ parent.wd
        note('wdj', wd)
        b = joint_R_parent @ b
        note('bj', b)
        note('R', joint.cos_sin(coordinate))
        before = Motion(w, wd, b)
        motion, U = joint.forward(before, coordinate, note,
                                  recursion.spin_of(i, before, U_parent, coordinate, note))
        sweep.coordinates.append(coordinate)
        sweep.motions[i], sweep.spins[i] = motion, U
        sweep.own[i] = inertial(of_bodies[i], motion, U, recursion.moment, note)
    sweep.own[ROOT] = NO_WRENCH if loads.base is None else inertial(
        of_root, root, U_root, recursion.moment, partial(recursion.note, ROOT))
    return sweep


def inertial(inertia: Inertia | None, motion: Motion, U: Matrix, moment: Moment,
             note: BodyNote) -> Wrench:
    """Return what accelerates the body itself: F = m a + U h, N = moment + h x a."""
    if inertia is None:
        return NO_WRENCH
    m, h, _ = inertia
    F = m * motion.a + U @ h
    note('F', F)
    N = moment(inertia, motion, U, note) + cross(h, motion.a)
    note('N', N)
    return Wrench(F, N)


# ---- Backward, tips to root: what each joint transmits, and its part along the axis

def backward_sweep(system: Multibody, coordinates: Sequence[Coordinate],
                   motions: Mapping[int, Motion], own: Mapping[int, Wrench], loads: AppliedLoads,
                   note: Note) -> tuple[list[Scalar], dict[int, Wrench], list[Scalar]]:
    """Return efforts, wrenches and transmitted efforts of `Sweep` from those of `Forward`."""
    efforts: list[Scalar] = [0.0] * len(system.joint_names)
    wrenches = dict.fromkeys(own, NO_WRENCH)
    transmitted: list[Scalar] = [0.0] * len(system.bodies)
    received: dict[int, list[Wrench]] = {i: [] for i in own}
    for i in reversed(range(len(system.bodies))):
        body, coordinate = system.bodies[i], coordinates[i]
        wrenches[i] = transmitted_wrench(i, own[i], received[i], loads, note)
        effort, wrench = JOINTS[body.type].backward(wrenches[i], coordinate, partial(note, i))
        transmitted[i] = effort
        if i in loads.terms:
            known = effort if loads.transmitted is None else loads.transmitted[i]
            parent = in_joint(body, motions[body.parent])
            for term in loads.terms[i]:
                wrench = Wrench(wrench.f, wrench.n + term.on_parent(parent, coordinate))
            note(i, 'nr', wrench.n)
            for term in loads.terms[i]:
                part = term.effort(parent, coordinate, known)
                note(i, term.NAME, (part,))
                effort = effort + part
        efforts[body.coordinate] = efforts[body.coordinate] + body.multiplier * effort
        note(i, 'tau', (efforts[body.coordinate],))
        if body.parent != ROOT or loads.base is not None:
            received[body.parent].append(in_parent(body, wrench, partial(note, i)))
    if loads.base is not None:
        wrenches[ROOT] = transmitted_wrench(ROOT, own[ROOT], received[ROOT], loads, note)
    return efforts, wrenches, transmitted


def transmitted_wrench(i: int, own: Wrench, received: Sequence[Wrench], loads: AppliedLoads,
                       note: Note) -> Wrench:
    """Return what a joint transmits: to its body and the children, less external wrenches."""
    external = loads.wrenches.get(i)
    sums = []
    for k, symbol in enumerate('fn'):
        total = own[k]
        for child in received:
            total = total + child[k]
        sums.append(total if external is None else total - external[k])
        note(i, symbol, sums[k])
    return Wrench(*sums)


def in_joint(body: Body, parent: Motion) -> Motion:
    """Return w and wd of the parent in the axes of the joint, which terms depend on."""
    joint_R_parent = body.parent_R_joint.T
    return Motion(joint_R_parent @ parent.w, joint_R_parent @ parent.wd, ZERO)


def in_parent(body: Body, wrench: Wrench, note: BodyNote) -> Wrench:
    """Return a wrench in the joint's frame as one in the parent's, about the parent's origin."""
    fp = body.parent_R_joint @ wrench.f
    note('fp', fp)
    n_p = body.parent_R_joint @ wrench.n + cross(body.parent_p_joint, fp)
    note('np', n_p)
    return Wrench(fp, n_p)


# ---- Third sweep, root to tips: where everything is and how it moves, in the root frame

Vectors = dict[str, tuple[Scalar, ...]]   # kind and name to entries


class _MovingFrame(NamedTuple):
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
        return {'position': self.r + self.T @ p,
                'velocity': self.v + self.T @ cross(self.w, p),
                'acceleration': self.a + self.T @ (self.U @ p),
                'orientation': (self.T @ R).entries,
                'angular_velocity': self.rate}


def root_frame(system: Multibody, sweep: Sweep, gravity: Three, note: Note) -> Vectors:
    """
    Return vectors in the root frame, by name of joint or link.

    They are ``position_``, ``velocity_`` and ``acceleration_`` [m, m/s, m/s^2] of the origin of
    every joint's and link's frame, which moves with the joint's child; ``orientation_``, the rows
    of root_R_frame, and ``angular_velocity_`` [rad/s] of this frame; ``forces_`` and
    ``torques_`` [N, N m] that every movable joint transmits to its child, about its origin. Where
    a link and a joint of the same name have different frames, the link's key ends in
    ``' (link)'``.
    """
    vectors: Vectors = {}

    def add_values(name: str, values: Vectors) -> None:
        for kind, vector in values.items():
            vectors.setdefault(f'{kind}_{name}', vector)

    def add_links(frame: _MovingFrame, links: Sequence[Attached]) -> None:
        for each in links:
            values = frame.at(each.body_p_link, each.body_R_link)
            if each.joint is not None:
                add_values(each.joint, values)
            same = all(vectors.get(f'{kind}_{each.link.name}', values[kind]) == values[kind]
                       for kind in ('position', 'orientation'))
            add_values(each.link.name + ('' if same else ' (link)'), values)

    root = _MovingFrame(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO, spin(ZERO, ZERO))
    add_links(root, system.root)
    frames: list[_MovingFrame] = []
    for i, body in enumerate(system.bodies):
        parent, joint = root if body.parent == ROOT else frames[body.parent], JOINTS[body.type]
        coordinate, motion = sweep.coordinates[i], sweep.motions[i]
        T = oriented(parent.T, body, coordinate)
        note(i, 'T', T.entries)
        p = displaced(body, coordinate)
        r = parent.r + parent.T @ p
        note(i, 'r', r)
        # a displacement is linear in q: of qd it is the velocity along the joint
        sliding = body.parent_R_joint @ joint.displacement(coordinate.qd)
        v = parent.v + parent.T @ (cross(parent.w, p) + sliding)
        note(i, 'v', v)
        a = T @ motion.a + gravity
        note(i, 'acc', a)
        rate = parent.rate + joint.turns * coordinate.qd * T.T[2]
        note(i, 'wr', rate)
        frame = _MovingFrame(T, r, v, a, rate, motion.w, sweep.spins[i])
        frames.append(frame)
        add_values(body.name, frame.at(
            ZERO, body.attached[0].body_R_link if body.attached else IDENTITY))
        for name, vector in zip(('forces', 'torques'), sweep.wrenches[i]):
            vectors[f'{name}_{body.name}'] = T @ vector
        add_links(frame, body.attached)
        note(i, 'at', ())
    return vectors


def displaced(body: Body, coordinate: Coordinate) -> Vector:
    """Return the body's origin in the parent's frame [m]."""
    joint = JOINTS[body.type]
    if not joint.slides:
        return body.parent_p_joint
    return body.parent_p_joint + body.parent_R_joint @ joint.displacement(coordinate.q)


def oriented(parent_R: Matrix, body: Body, coordinate: Coordinate,
             note: BodyNote = silent) -> Matrix:
    cos_sin = JOINTS[body.type].cos_sin(coordinate)
    note('kR', cos_sin)
    return parent_R @ body.parent_R_joint @ about_z(*cos_sin)


# ---- The same moment with fewer operations, from the entries of U

def second_moment(inertia: Inertia, motion: Motion, U: Matrix, note: BodyNote) -> Vector:
    """Return J wd + w x J w from second moments S, as the integral of r x U r over the mass."""
    S = inertia.second_moments.S
    # U is needed for the accelerations anyway: n_x = S_yy U_zy - S_zz U_yz + S_xy U_zx - S_xz U_yx
    # + S_yz (U_zz - U_yy), and cyclically: 15 products where J wd + w x J w has 24
    d = [U[2][2] - U[1][1], U[0][0] - U[2][2], U[1][1] - U[0][0]]
    if S[0][2] != 0.0 and S[1][2] != 0.0:
        d[2] = -(d[0] + d[1])   # equal, and U_yy may have no other use

    def n(x: int, y: int, z: int) -> Scalar:
        about_x = S[y][y] * U[z][y] - S[z][z] * U[y][z]
        opposite = U[z][y] + U[y][z]
        if isinstance(opposite, float) and opposite == 0.0:   # w_y w_z is 0: what is left is wd_x
            about_x = (S[y][y] + S[z][z]) * U[z][y]
        return about_x + S[x][y] * U[z][x] - S[x][z] * U[y][x] + S[y][z] * d[x]

    return Vector(n(0, 1, 2), n(1, 2, 0), n(2, 0, 1))
