"""
Energies, and the centre of mass with its Jacobian.

Both follow from what each joint carries: its mass m and its first moments h about the joint's
origin, summed from the tips to the root. The potential energy is -g . h of the whole robot, whose
centre of mass is h / m; a joint that turns by dq moves it by (z x h) dq / m, one that slides by
its own m z dq / m. The kinetic energy is half the sum of v . P + w . L of all bodies, with their
momentum P and its moment L about the origin, which the recursion of the momentum has on its way.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from urdf2dyn_ros.equations.kinematics import oriented
from urdf2dyn_ros.equations.mass_matrix import composite_inertias, of_velocities
from urdf2dyn_ros.equations.newton_euler import (
    NO_LOADS,
    TEXTBOOK,
    Recursion,
    forward,
    in_joint,
    unnoted,
)
from urdf2dyn_ros.robot.joints import JOINTS, Note
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    NO_INERTIA,
    ZERO,
    BodyInertia,
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    dot,
    reciprocal,
    scale,
)
from urdf2dyn_ros.robot.terms import JointTerm

_Inertias = Sequence[BodyInertia | None]   # one per body, then the root's


def kinetic_energy(system: Multibody, inertias: _Inertias, q: Sequence[Scalar],
                   qd: Sequence[Scalar], recursion: Recursion = TEXTBOOK,
                   terms: Mapping[int, Sequence[JointTerm]] = NO_LOADS.terms) -> Scalar:
    """Return qd' M qd / 2 [J]; recursion as for `momentum`, terms those with inertia."""
    note = recursion.note
    resting = [0.0] * len(qd)
    moving = forward(system, inertias, (q, resting, qd), ZERO,
                     recursion._replace(note=of_velocities(note)), NO_LOADS)
    twice: Scalar = 0.0
    for i, body in enumerate(system.bodies):
        (_, w, v), (P, L) = moving.motions[i], moving.own[i]
        part = dot(v, P) + dot(w, L)
        parent, at = in_joint(body, moving.motions[body.parent]), moving.coordinates[i]
        for term in terms.get(i, ()):
            part = part + (at.qdd * term.effort(parent, at, 0.0)
                           + dot(parent.wd, term.on_parent(parent, at)))
        note(i, 'twice', (part,))
        twice = twice + part
    return 0.5 * twice


def potential_energy(system: Multibody, inertias: _Inertias, q: Sequence[Scalar],
                     gravity: Vector, note: Note = unnoted,
                     terms: Mapping[int, Sequence[JointTerm]] = NO_LOADS.terms) -> Scalar:
    """Return the energy [J] of all links in gravity, zero at the root's origin, and of springs."""
    energy = -dot(gravity, _carried(system, inertias, q, note)[ROOT].h)
    for i, some in terms.items():
        for term in some:
            energy = energy + term.energy(system.bodies[i].at(q))
    return energy


class CentreOfMass(NamedTuple):
    """Position [m] in the root frame, and a column [m/rad or 1] for each independent joint."""

    p: Vector
    columns: list[Vector]


def centre_of_mass(system: Multibody, inertias: _Inertias, q: Sequence[Scalar],
                   note: Note = unnoted) -> CentreOfMass:
    """Return the centre of mass of all links, that of the root included."""
    share = reciprocal(sum((each.m for each in inertias if each), 0.0))
    if isinstance(share, float):   # of numbers, for which a call does no work
        inertias = [each and each._replace(m=share * each.m, h=scale(share, each.h))
                    for each in inertias]
        share = 1.0
    carried = _carried(system, inertias, q, note)
    p = scale(share, carried[ROOT].h)
    note(ROOT, 'com', p)
    columns = [ZERO] * len(system.joint_names)
    root_R: dict[int, Matrix] = {ROOT: IDENTITY}
    for i, body in enumerate(system.bodies):
        root_R[i] = oriented(root_R[body.parent], body, body.at(q), partial(note, i))
        note(i, 'kT', sum(root_R[i], ()))
        joint, (m, (x, y, _), _) = JOINTS[body.type], carried[i]
        column = scale(share, apply(root_R[i], (
            -(joint.turns * y), joint.turns * x, joint.slides * m)))
        note(i, 'Jcom', column)
        columns[body.coordinate] = add(columns[body.coordinate], scale(body.multiplier, column))
    return CentreOfMass(p, columns)


def _carried(system: Multibody, inertias: _Inertias, q: Sequence[Scalar],
             note: Note) -> list[BodyInertia]:
    """Return mass and first moments of each body with what it carries; those of all are last."""
    def noted(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        note(i, *{'Rc': ('eR', entries), 'Ic': ('carried', entries[:4])}[symbol])

    result = [each or NO_INERTIA for each in composite_inertias(
        system, inertias, [body.at(q) for body in system.bodies], noted, with_root=True)]
    note(ROOT, 'carried', result[ROOT].entries[:4])
    return result
