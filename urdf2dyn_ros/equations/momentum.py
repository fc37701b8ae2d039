"""
The generalised momentum p = M(q) qd, and beta = C(q, qd)' qd of its derivative.

d/dt p = tau + beta - load, where load are the efforts of gravity and of the loads, without
Coriolis and centrifugal ones (De Luca, Mattone 2003): an observer of efforts needs no
accelerations. As p is linear in qd, the recursion returns it with velocities in the place of
accelerations: on the way it computes angular velocity, velocity of the origin, and linear and
angular momentum of each link with what it carries. So p takes no mass matrix, and beta, the
derivative of the kinetic energy with respect to q, needs the same vectors only.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, traced
from urdf2dyn_ros.algebra.vectors import ZERO, Matrix, Vector, apply
from urdf2dyn_ros.equations.newton_euler import NO_LOADS, AppliedLoads, Sweep, newton_euler
from urdf2dyn_ros.equations.recursion import TEXTBOOK, Recursion
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import AT_REST, BodyNote, Motion, Note
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import Multibody

_OF_VELOCITIES = {
    'R': 'mR', 'wdj': 'mwj', 'wd': 'mw', 'b': 'mvb', 'bj': 'mvj', 'a': 'mvo', 'F': 'mPo',
    'N': 'mLo', 'f': 'mP', 'n': 'mL', 'fj': 'mPj', 'nj': 'mLj', 'fp': 'mPp', 'np': 'mLp',
    'rotor': 'mrotor', 'nr': 'mLr', 'tau': 'mp',
}
"""What the recursion notes of accelerations, to what it is of velocities."""


MOMENTUM_UNITS = {'N m': 'kg m^2/s', 'N': 'kg m/s'}
"""Unit of an effort to that of the momentum it changes."""


class MomentumRates(NamedTuple):
    """Momentum p [kg m^2/s or kg m/s], beta and load [N m or N] of independent joints, (n,)."""

    p: list[Scalar]
    beta: list[Scalar]
    load: list[Scalar]


def angular_momentum(S: Matrix, motion: Motion, U: Matrix, note: BodyNote) -> Vector:
    """Return J w from second moments S, as J = tr(S) 1 - S, with w in the place of wd."""
    return apply(traced(S), motion.wd)


def momentum(system: Multibody, inertias: Sequence[BodyInertia | None], q: Sequence[Scalar],
             qd: Sequence[Scalar], gravity: Vector, recursion: Recursion = TEXTBOOK,
             loads: AppliedLoads = NO_LOADS) -> MomentumRates:
    """
    Return the momentum of every independent joint, and what changes it besides the efforts.

    The arguments are those of `newton_euler`, but for accelerations and a base; the recursion's
    moment is `textbook_moment` of tensors, or `angular_momentum` of second moments. A base that
    moves raises a ParameterError.
    """
    if loads.base is not None:
        raise ParameterError('the momentum is that of a robot whose base is fixed: what the world '
                             "gives a moving one is not known; set base 'fixed'")

    note, resting = recursion.note, [0.0] * len(qd)

    def of_velocities(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        if symbol == 'q':
            note(i, 'mq', (entries[0], entries[2]))
        elif symbol in _OF_VELOCITIES:
            note(i, _OF_VELOCITIES[symbol], entries)

    def at_rest(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        note(i, f'l{symbol}' if symbol in ('np', 'tau') else symbol, entries)

    moving = newton_euler(
        system, inertias, (q, resting, qd), ZERO, recursion._replace(note=of_velocities),
        AppliedLoads(terms=_kept(loads.terms, inertial=True)))
    beta = _beta(system, moving, note)
    static = newton_euler(
        system, inertias, (q, resting, resting), gravity, recursion._replace(note=at_rest),
        AppliedLoads(wrenches=loads.wrenches))
    terms = _kept(loads.terms, inertial=False)
    return MomentumRates(moving.efforts, beta, _load(system, moving, static, terms, note))


def _beta(system: Multibody, moving: Sweep, note: Note) -> list[Scalar]:
    """Return how the kinetic energy changes as each joint moves what it carries."""
    beta: list[Scalar] = [0.0] * len(moving.efforts)
    for i, body in enumerate(system.bodies):
        motion, (P, L) = moving.motions[i], moving.wrenches[i]
        w, v = motion.wd, motion.a
        change = JOINTS[body.type].along(_across_z(w, P), _across_z(w, L) + _across_z(v, P))
        beta[body.coordinate] = beta[body.coordinate] + body.multiplier * change
        note(i, 'beta', (beta[body.coordinate],))
    return beta


def _load(system: Multibody, moving: Sweep, static: Sweep,
          terms_of: Mapping[int, Sequence[JointTerm]], note: Note) -> list[Scalar]:
    """Return the efforts of gravity, wrenches and the terms of joints at their velocities."""
    load = static.efforts
    for i, terms in terms_of.items():
        body, at = system.bodies[i], moving.coordinates[i]
        for term in terms:
            # without accelerations, what the joint transmits is known at rest alone
            part = term.effort(AT_REST, at._replace(qd=at.qdd, qdd=0.0), static.transmitted[i])
            note(i, term.NAME, (part,))
            load[body.coordinate] = load[body.coordinate] + body.multiplier * part
        note(i, 'load', (load[body.coordinate],))
    return load


def _kept(terms: Mapping[int, Sequence[JointTerm]], inertial: bool) -> dict[int, list[JointTerm]]:
    """Return the terms that depend on accelerations, or the others."""
    kept = {i: [term for term in each if inertial == term.INERTIAL]
            for i, each in terms.items()}
    return {i: each for i, each in kept.items() if each}


def _across_z(a: Vector, b: Vector) -> Scalar:
    """Return (a x z) . b."""
    return a[1] * b[0] - a[0] * b[1]
