"""The mass matrix, the generalised momentum and its derivative, energies, the centre of mass."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from urdf2dyn_ros.equations.newton_euler import (
    NO_LOADS,
    TEXTBOOK,
    AppliedLoads,
    Recursion,
    forward_sweep,
    in_joint,
    in_parent,
    inertial,
    newton_euler,
    oriented,
    second_moment,
    unnoted,
)
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.inertia import NO_MOMENTS, Inertia, SecondMoments, second_moments, total
from urdf2dyn_ros.robot.joints import (
    AT_REST,
    JOINTS,
    BodyNote,
    Coordinate,
    Motion,
    Note,
    prefixed,
    silent,
    spin,
)
from urdf2dyn_ros.robot.loads import TERMS
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Three,
    Vector,
    dot,
    reciprocal,
)
from urdf2dyn_ros.robot.terms import JointTerm

# ---- The mass matrix: what every joint feels of a unit acceleration of each joint in turn
#
# At rest and without gravity, the links beyond an accelerated joint move as one body, so the
# recursion's own two steps on that composite body give a column (Walker and Orin 1982, method 3;
# Featherstone, Rigid Body Dynamics Algorithms, section 6.2). Second moments are shifted and turned
# without a trace, and what has been regrouped stays so.


def mass_matrix(system: Multibody, inertias: Sequence[Inertia | None], q: Sequence[Scalar],
                note: Note = unnoted, column: Callable[[int], None] = lambda body: None,
                terms: Mapping[int, Sequence[JointTerm]] = MappingProxyType({}),
                ) -> list[list[Scalar]]:
    """
    Return M of tau = M(q) qdd + bias(q, qd), (n, n), symmetric [kg m^2, kg m or kg].

    Inertias are one per body; `column` is called with the number of a body whose column begins.
    Terms at joints are by the number of the body.
    """
    coordinates = [body.at(q) for body in system.bodies]
    composite = composite_inertias(system, inertias, coordinates, note)
    n = len(system.joint_names)
    M: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(len(system.bodies)):
        inertial_terms = [term for term in terms.get(j, ()) if term.INERTIAL]
        if system.bodies[j].moves and (composite[j] is not None or inertial_terms):
            column(j)
            _column(system, composite[j], coordinates, j, M, note, inertial_terms)
    return M


def composite_inertias(system: Multibody, inertias: Sequence[Inertia | None],
                       coordinates: Sequence[Coordinate], note: Note, with_root: bool = False,
                       ) -> dict[int, SecondMoments | None]:
    """Return the second moments of every body with all that it carries, in its own frame."""
    numbers = [*range(len(system.bodies)), *([ROOT] if with_root else ())]
    result = dict(zip(numbers, second_moments(inertias)))
    for i, body in reversed(list(enumerate(system.bodies))):
        inertia = result[i]
        if inertia is None:
            continue
        note(i, 'Ic', inertia.entries)
        if body.parent in result:
            joint = JOINTS[body.type]
            cos_sin = joint.cos_sin(coordinates[i])
            note(i, 'Rc', cos_sin)
            # joints rotate about z, or not at all
            before = inertia.rotated_about_z(*cos_sin).in_frame(
                IDENTITY, joint.displacement(coordinates[i].q))
            in_parent_frame = before.in_frame(body.parent_R_joint, body.parent_p_joint)
            result[body.parent] = total(
                part for part in (result[body.parent], in_parent_frame) if part is not None)
    return result


def _column(system: Multibody, inertia: SecondMoments | None,
            coordinates: Sequence[Coordinate], j: int, M: list[list[Scalar]], note: Note,
            terms: Sequence[JointTerm]) -> None:
    """Add the efforts of a unit acceleration of body j's joint, from there to the root."""
    moving = system.bodies[j]
    moved_by_1 = coordinates[j]._replace(qdd=1.0)
    motion, U = JOINTS[moving.type].forward(AT_REST, moved_by_1, silent,
                                            lambda w, wd: (wd, spin(w, wd)))
    wrench = inertial(inertia, motion, U, second_moment, prefixed(note, j, 'u'))

    def spun(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        note(i, 'unpr' if symbol == 'np' else f'u{symbol}', entries)

    i = j
    while i != ROOT:
        body = system.bodies[i]
        noted = prefixed(note, i, 'u')
        effort, before = JOINTS[body.type].backward(wrench, coordinates[i], noted)
        for term in terms if i == j else ():
            effort = effort + term.effort(AT_REST, moved_by_1, 0.0)
            moment = term.on_parent(AT_REST, moved_by_1)
            if moment != ZERO:
                before = before._replace(n=before.n + moment)
                noted('nr', before.n)
                noted = partial(spun, i)
        row, k = body.coordinate, moving.coordinate
        entry = moving.multiplier * (body.multiplier * effort)
        M[row][k] = M[row][k] + entry
        if i != j:
            M[k][row] = M[k][row] + entry   # twice on the diagonal, if one mimics the other
        if body.parent != ROOT:
            wrench = in_parent(body, before, noted)
        noted('tau', ())
        i = body.parent


# ---- The generalised momentum p = M(q) qd, and beta = C(q, qd)' qd of its derivative
#
# d/dt p = tau + beta - load, where load are the efforts of gravity and of the loads, without
# Coriolis and centrifugal ones (De Luca, Mattone 2003): an observer of efforts needs no
# accelerations. As p is linear in qd, the recursion returns it with velocities in the place of
# accelerations: on the way it computes angular velocity, velocity of the origin, and linear and
# angular momentum of each link with what it carries. So p takes no mass matrix, and beta, the
# derivative of the kinetic energy with respect to q, needs the same vectors only.

# what the recursion notes of accelerations, to what it is of velocities
_OF_VELOCITIES = {
    'R': 'mR', 'wdj': 'mwj', 'wd': 'mw', 'b': 'mvb', 'bj': 'mvj', 'a': 'mvo', 'F': 'mPo',
    'N': 'mLo', 'f': 'mP', 'n': 'mL', 'fj': 'mPj', 'nj': 'mLj', 'fp': 'mPp', 'np': 'mLp',
    'nr': 'mLr', 'tau': 'mp',
    **{name: f'm{name}' for name, term in TERMS.items() if term.INERTIAL},
}
MOMENTUM_UNITS = {'N m': 'kg m^2/s', 'N': 'kg m/s'}   # unit of an effort to that of its momentum


def of_velocities(note: Note) -> Note:
    """Return what notes the quantities of a recursion on velocities under their own symbols."""
    def noted(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        if symbol == 'q':
            note(i, 'mq', (entries[0], entries[2]))
        elif symbol in _OF_VELOCITIES:
            note(i, _OF_VELOCITIES[symbol], entries)
    return noted


def angular_momentum(inertia: Inertia, motion: Motion, U: Matrix, note: BodyNote) -> Vector:
    """Return J w, with w in the place of wd."""
    return inertia.J @ motion.wd


def momentum(system: Multibody, inertias: Sequence[Inertia | None], q: Sequence[Scalar],
             qd: Sequence[Scalar], gravity: Three, recursion: Recursion = TEXTBOOK,
             loads: AppliedLoads = NO_LOADS) -> dict[str, list[Scalar]]:
    """
    Return p [kg m^2/s or kg m/s] of every joint, beta and load [N m or N], (n,).

    The recursion's moment is `textbook_moment` or `angular_momentum`. A base that moves raises a
    ParameterError.
    """
    if loads.base is not None:
        raise ParameterError('the momentum is that of a robot whose base is fixed: what the world '
                             "gives a moving one is not known; set base 'fixed'")

    note, resting = recursion.note, [0.0] * len(qd)

    def at_rest(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        note(i, f'l{symbol}' if symbol in ('np', 'tau') else symbol, entries)

    moving = newton_euler(
        system, inertias, (q, resting, qd), ZERO, recursion._replace(note=of_velocities(note)),
        AppliedLoads(terms=_kept(loads.terms, inertial=True)))
    beta: list[Scalar] = [0.0] * len(qd)   # how the kinetic energy changes as each joint moves
    for i, body in enumerate(system.bodies):
        motion, (P, L) = moving.motions[i], moving.wrenches[i]
        w, v = motion.wd, motion.a
        change = JOINTS[body.type].along(_across_z(w, P), _across_z(w, L) + _across_z(v, P))
        beta[body.coordinate] = beta[body.coordinate] + body.multiplier * change
        note(i, 'beta', (beta[body.coordinate],))
    static = newton_euler(
        system, inertias, (q, resting, resting), gravity, recursion._replace(note=at_rest),
        AppliedLoads(wrenches=loads.wrenches))
    load = static.efforts   # with the terms of joints at their velocities
    for i, terms in _kept(loads.terms, inertial=False).items():
        body, coordinate = system.bodies[i], moving.coordinates[i]
        for term in terms:
            # without accelerations, what the joint transmits is known at rest alone
            still = coordinate._replace(qd=coordinate.qdd, qdd=0.0)
            part = term.effort(AT_REST, still, static.transmitted[i])
            note(i, term.NAME, (part,))
            load[body.coordinate] = load[body.coordinate] + body.multiplier * part
        note(i, 'load', (load[body.coordinate],))
    return {'p': moving.efforts, 'beta': beta, 'load': load}


def _kept(terms: Mapping[int, Sequence[JointTerm]], inertial: bool) -> dict[int, list[JointTerm]]:
    kept = {i: [term for term in each if inertial == term.INERTIAL] for i, each in terms.items()}
    return {i: each for i, each in kept.items() if each}


def _across_z(a: Vector, b: Vector) -> Scalar:
    """Return (a x z) . b."""
    return a[1] * b[0] - a[0] * b[1]


# ---- Energies, and the centre of mass with its Jacobian
#
# Both follow from what each joint carries: its mass m and its first moments h about the joint's
# origin, summed from the tips to the root. The potential energy is -g . h of the whole robot,
# whose centre of mass is h / m; a joint that turns by dq moves it by (z x h) dq / m, one that
# slides by its own m z dq / m. The kinetic energy is half the sum of v . P + w . L of all bodies,
# with their momentum P and its moment L about the origin, which the recursion of the momentum has
# on its way. Inertias are those of the bodies, then the root's.

def kinetic_energy(system: Multibody, inertias: Sequence[Inertia | None],
                   q: Sequence[Scalar], qd: Sequence[Scalar], recursion: Recursion,
                   terms: Mapping[int, Sequence[JointTerm]]) -> Scalar:
    """Return qd' M qd / 2 [J]; recursion as for `momentum`, terms those with inertia."""
    note = recursion.note
    resting = [0.0] * len(qd)
    moving = forward_sweep(system, inertias, (q, resting, qd), ZERO,
                           recursion._replace(note=of_velocities(note)), NO_LOADS)
    twice: Scalar = 0.0
    for i, body in enumerate(system.bodies):
        (_, w, v), (P, L) = moving.motions[i], moving.own[i]
        part = dot(v, P) + dot(w, L)
        parent, coordinate = in_joint(body, moving.motions[body.parent]), moving.coordinates[i]
        for term in terms.get(i, ()):
            part = part + (coordinate.qdd * term.effort(parent, coordinate, 0.0)
                           + dot(parent.wd, term.on_parent(parent, coordinate)))
        note(i, 'twice', (part,))
        twice = twice + part
    return 0.5 * twice


def potential_energy(system: Multibody, inertias: Sequence[Inertia | None],
                     q: Sequence[Scalar], gravity: Three, note: Note,
                     terms: Mapping[int, Sequence[JointTerm]]) -> Scalar:
    """Return the energy [J] of all links in gravity, zero at the root's origin, and of springs."""
    energy = -dot(gravity, _carried(system, inertias, q, note)[ROOT].h)
    for i, some in terms.items():
        for term in some:
            energy = energy + term.energy(system.bodies[i].at(q))
    return energy


def centre_of_mass(system: Multibody, inertias: Sequence[Inertia | None],
                   q: Sequence[Scalar], note: Note = unnoted) -> tuple[Vector, list[Vector]]:
    """
    Return the centre of mass of all links, that of the root included, and how each joint moves it.

    Position [m] in the root frame, and a column [m/rad or 1] for each independent joint.
    """
    share = reciprocal(sum((each.m for each in inertias if each), 0.0))
    if isinstance(share, float):   # of numbers, for which a call does no work
        inertias = [each and each._replace(m=share * each.m, h=share * each.h)
                    for each in inertias]
        share = 1.0
    carried = _carried(system, inertias, q, note)
    p = share * carried[ROOT].h
    note(ROOT, 'com', p)
    columns = [ZERO] * len(system.joint_names)
    root_R: dict[int, Matrix] = {ROOT: IDENTITY}
    for i, body in enumerate(system.bodies):
        root_R[i] = oriented(root_R[body.parent], body, body.at(q), partial(note, i))
        note(i, 'kT', root_R[i].entries)
        joint, (m, (x, y, _), _) = JOINTS[body.type], carried[i]
        column = share * (root_R[i] @ (-(joint.turns * y), joint.turns * x, joint.slides * m))
        note(i, 'Jcom', column)
        columns[body.coordinate] = columns[body.coordinate] + body.multiplier * column
    return p, columns


def _carried(system: Multibody, inertias: Sequence[Inertia | None], q: Sequence[Scalar],
             note: Note) -> dict[int, SecondMoments]:
    def noted(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        note(i, *{'Rc': ('eR', entries), 'Ic': ('carried', entries[:4])}[symbol])

    result = {i: each or NO_MOMENTS for i, each in composite_inertias(
        system, inertias, [body.at(q) for body in system.bodies], noted, with_root=True).items()}
    note(ROOT, 'carried', result[ROOT].entries[:4])
    return result
