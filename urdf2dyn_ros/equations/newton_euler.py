"""
The recursive Newton-Euler algorithm, written once, for any scalar.

Luh, Walker and Paul 1980; notation of Khalil and Dombre, Modeling, Identification and Control of
Robots, section 9.5. Only + - *, sin and cos are used: floats give the efforts, expressions give
the text of the equations, arrays a batch.

"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import (
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    cross,
    scale,
    subtract,
    transpose,
)
from urdf2dyn_ros.joint_terms.term import Term
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Note, Spun, Wrench, spin
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

Moment = Callable[[Matrix, Motion, Matrix, Note, int], Vector]
"""J, motion and U of a body to the moment of its inertia about its origin."""

Spin = Callable[[int, Motion, Matrix, Coordinate, Note], Spun]
"""Body, motion of its joint's frame, U of its parent and coordinate to what finds its U."""


class Acting(NamedTuple):
    """
    What acts beside the links' inertia and gravity.

    Attributes
    ----------
    base : Motion or None
        Of the root, in its own frame; None if it stands still.
    terms : mapping
        Number of a body to the terms at its joint.
    wrenches : mapping
        Number of a body, or ROOT, to the wrench on it by the environment, in its frame.

    """

    base: Motion | None = None
    terms: Mapping[int, Sequence[Term]] = MappingProxyType({})
    wrenches: Mapping[int, Wrench] = MappingProxyType({})


NOTHING = Acting()


class Sweep(NamedTuple):
    """
    Efforts of the independent joints, and what the two sweeps found on their way.

    Attributes
    ----------
    wrenches : list of Wrench
        That the joint of each body transmits to it, in the body's frame; the last is what the
        world transmits to a root that moves.

    """

    efforts: list[Scalar]
    coordinates: list[Coordinate]
    motions: list[Motion]
    spins: list[Matrix]
    wrenches: list[Wrench]


def unnoted(body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
    """Note nothing."""


def textbook_spin(i: int, placed: Motion, U_parent: Matrix, at: Coordinate, note: Note) -> Spun:
    """Return what finds U from w and wd alone."""
    return lambda w, wd: (wd, spin(w, wd, partial(note, i)))


def textbook_moment(J: Matrix, motion: Motion, U: Matrix, note: Note, i: int) -> Vector:
    """Return J wd + w x J w."""
    L = apply(J, motion.w)
    note(i, 'L', L)
    return add(apply(J, motion.wd), cross(motion.w, L))


def second_moment(S: Matrix, motion: Motion, U: Matrix, note: Note, i: int) -> Vector:
    """
    Return J wd + w x J w from second moments S, as the integral of r x U r over the mass.

    The entries of U are needed for the accelerations anyway: n_x = S_yy U_zy - S_zz U_yz
    + S_xy U_zx - S_xz U_yx + S_yz (U_zz - U_yy), and cyclically: 15 products where J wd + w x J w
    has 24.

    """
    d = [U[2][2] - U[1][1], U[0][0] - U[2][2], U[1][1] - U[0][0]]
    if S[0][2] != 0.0 and S[1][2] != 0.0:
        d[2] = -(d[0] + d[1])   # equal, and U_yy may have no other use

    def n(x: int, y: int, z: int) -> Scalar:
        return (S[y][y] * U[z][y] - S[z][z] * U[y][z] + S[x][y] * U[z][x] - S[x][z] * U[y][x]
                + S[y][z] * d[x])

    return (n(0, 1, 2), n(1, 2, 0), n(2, 0, 1))


def newton_euler(system: Multibody, inertias: Sequence[BodyInertia | None],
                 q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar],
                 gravity: Vector, moment: Moment = textbook_moment, note: Note = unnoted,
                 spin_of: Spin = textbook_spin, acting: Acting = NOTHING) -> Sweep:
    """
    Return the efforts that the motion requires.

    Parameters
    ----------
    system : Multibody
    inertias : sequence of BodyInertia or None
        One per body, then the root's; None for a massless one. Their J is what `moment` takes.
    q, qd, qdd : sequence of Scalar, (n,)
        Independent joints: [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
    gravity : Vector
        [m/s^2], in the root frame.
    moment : callable
        `textbook_moment` of inertia tensors, or `second_moment` of second moments, which takes
        fewer operations: equal in exact arithmetic.
    note : callable
        Told every named quantity as it is made.
    spin_of : callable
        `textbook_spin`, or an `InheritedSpin`, which takes fewer operations: equal as well.
    acting : Acting

    Returns
    -------
    Sweep
        Efforts (n,) [N m or N], positive along the joint's axis.

    """
    root, U_root = Motion(ZERO, ZERO, scale(-1.0, gravity)), (ZERO, ZERO, ZERO)
    if acting.base is not None:
        root, U_root = acting.base, spin(acting.base.w, acting.base.wd, partial(note, ROOT))
    coordinates: list[Coordinate] = []
    motions: list[Motion] = []
    spins: list[Matrix] = []
    own: list[Wrench] = []
    for i, body in enumerate(system.bodies):
        parent, U_parent = ((root, U_root) if body.parent == ROOT
                            else (motions[body.parent], spins[body.parent]))
        at = _coordinate(body, q, qd, qdd, i, note)
        motion, U = _forward(body, parent, U_parent, at, spin_of, i, note)
        coordinates.append(at)
        motions.append(motion)
        spins.append(U)
        own.append(inertial(inertias[i], motion, U, moment, note, i))
    own.append(Wrench(ZERO, ZERO) if acting.base is None else
               inertial(inertias[ROOT], root, U_root, moment, note, ROOT))
    motions.append(root)
    efforts, wrenches = backward(system, coordinates, motions, own, acting, note)
    return Sweep(efforts, coordinates, motions, spins, wrenches)


def _coordinate(body: Body, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar],
                i: int, note: Note) -> Coordinate:
    j, k = body.coordinate, body.multiplier
    at = Coordinate(k * q[j] + body.offset, k * qd[j], k * qdd[j], body.turn)
    note(i, 'q', at[:3])
    return at


def _forward(body: Body, parent: Motion, U_parent: Matrix, at: Coordinate,
             spin_of: Spin, i: int, note: Note) -> tuple[Motion, Matrix]:
    joint_R_parent = transpose(body.parent_R_joint)
    joint = JOINTS[body.type]
    b = add(parent.a, apply(U_parent, body.parent_p_joint))
    note(i, 'b', b)
    placed = []
    for symbol, vector in zip(('wj', 'wdj', 'bj'), (parent.w, parent.wd, b)):
        placed.append(apply(joint_R_parent, vector))
        note(i, symbol, placed[-1])
    rotation = joint.rotation(at)
    note(i, 'R', (rotation[0][0], rotation[1][0]))
    spun = spin_of(i, Motion(*placed), U_parent, at, note)
    found: tuple[Motion, Matrix] = joint.forward(Motion(*placed), at, partial(note, i), spun)
    return found


def inertial(inertia: BodyInertia | None, motion: Motion, U: Matrix, moment: Moment,
             note: Note, i: int) -> Wrench:
    """Return what accelerates the body itself: F = m a + U h, N = moment + h x a."""
    if inertia is None:
        return Wrench(ZERO, ZERO)
    m, h, J = inertia
    F = add(scale(m, motion.a), apply(U, h))
    note(i, 'F', F)
    N = add(moment(J, motion, U, note, i), cross(h, motion.a))
    note(i, 'N', N)
    return Wrench(F, N)


def backward(system: Multibody, coordinates: Sequence[Coordinate], motions: Sequence[Motion],
             own: Sequence[Wrench], acting: Acting, note: Note,
             ) -> tuple[list[Scalar], list[Wrench]]:
    """
    Sum what each joint transmits, tips to root, and take its part along the axis.

    Parameters
    ----------
    system : Multibody
    coordinates : sequence of Coordinate
    motions, own : sequence of Motion, sequence of Wrench
        Of every body, then of the root: how it moves, and what accelerates it.
    acting : Acting
    note : callable

    Returns
    -------
    list of Scalar, list of Wrench
        As in `Sweep`.

    """
    efforts: list[Scalar] = [0.0] * len(system.joint_names)
    transmitted = [Wrench(ZERO, ZERO)] * len(own)
    received: list[list[Wrench]] = [[] for _ in own]
    for i in reversed(range(len(system.bodies))):
        body = system.bodies[i]
        transmitted[i] = _summed(i, own[i], received[i], acting, note)
        effort, placed = JOINTS[body.type].backward(transmitted[i], coordinates[i],
                                                    partial(note, i))
        effort, placed = _with_terms(i, body, effort, placed, coordinates[i],
                                     motions[body.parent], acting, note)
        efforts[body.coordinate] = efforts[body.coordinate] + body.multiplier * effort
        note(i, 'tau', (efforts[body.coordinate],))
        if body.parent != ROOT or acting.base is not None:
            received[body.parent].append(in_parent(body, placed, partial(note, i)))
    if acting.base is not None:
        transmitted[ROOT] = _summed(ROOT, own[ROOT], received[ROOT], acting, note)
    return efforts, transmitted


def _summed(i: int, own: Wrench, received: Sequence[Wrench], acting: Acting,
            note: Note) -> Wrench:
    """Return what accelerates a body and its children, less what the environment gives."""
    (f, n), given = own, acting.wrenches.get(i)
    for child in received:
        f = add(f, child.f)
    if given is not None:
        f = subtract(f, given.f)
    note(i, 'f', f)
    for child in received:
        n = add(n, child.n)
    if given is not None:
        n = subtract(n, given.n)
    note(i, 'n', n)
    return Wrench(f, n)


def _with_terms(i: int, body: Body, effort: Scalar, placed: Wrench, at: Coordinate,
                parent: Motion, acting: Acting, note: Note) -> tuple[Scalar, Wrench]:
    """Return the effort of a joint, and what it takes from its parent, with its terms."""
    if i not in acting.terms:
        return effort, placed
    joint_R_parent = transpose(body.parent_R_joint)
    parent = Motion(apply(joint_R_parent, parent.w), apply(joint_R_parent, parent.wd), ZERO)
    for term in acting.terms[i]:
        placed = placed._replace(n=add(placed.n, term.on_parent(parent, at)))
    note(i, 'nr', placed.n)
    for term in acting.terms[i]:
        part = term.effort(parent, at)
        note(i, term.NAME, (part,))
        effort = effort + part
    return effort, placed


def in_parent(body: Body, placed: Wrench, note: BodyNote) -> Wrench:
    """Return a wrench in the joint's frame as the parent has it, about the parent's origin."""
    fp = apply(body.parent_R_joint, placed.f)
    note('fp', fp)
    np = add(apply(body.parent_R_joint, placed.n), cross(body.parent_p_joint, fp))
    note('np', np)
    return Wrench(fp, np)
