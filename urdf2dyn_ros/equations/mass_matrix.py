"""
The mass matrix: what every joint feels of a unit acceleration of each joint in turn.

At rest and without gravity, the links beyond an accelerated joint move as one body, so the
recursion's own two steps on that composite body give a column (Walker and Orin 1982, method 3;
Featherstone, Rigid Body Dynamics Algorithms, section 6.2). Second moments are shifted and turned
without a trace, and what has been regrouped stays so.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, rotated_about_z, total, transformed
from urdf2dyn_ros.algebra.vectors import IDENTITY, ZERO, add
from urdf2dyn_ros.equations.newton_euler import in_parent, inertial
from urdf2dyn_ros.equations.recursion import prefixed, second_moment, unnoted
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import AT_REST, Coordinate, Note, spin
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import ROOT, Multibody


def mass_matrix(system: Multibody, inertias: Sequence[BodyInertia | None], q: Sequence[Scalar],
                note: Note = unnoted, column: Callable[[int], None] = lambda body: None,
                terms: Mapping[int, Sequence[JointTerm]] = MappingProxyType({}),
                ) -> list[list[Scalar]]:
    """
    Return M of tau = M(q) qdd + bias(q, qd), (n, n), symmetric [kg m^2, kg m or kg].

    Inertias, one per body, have second moments in the place of the tensors; q are the independent
    joints, (n,) [rad or m]. `note` is called with every named quantity, `column` with the number
    of a body whose column begins. Terms at joints are by the number of the body.
    """
    at = [body.at(q) for body in system.bodies]
    composite = _composite(system, inertias, at, note)
    n = len(system.joint_names)
    M: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(len(system.bodies)):
        inertial_terms = [term for term in terms.get(j, ()) if term.INERTIAL]
        moves = system.bodies[j].multiplier != 0.0
        if moves and (composite[j] is not None or inertial_terms):
            column(j)
            _column(system, composite[j], at, j, M, note, inertial_terms)
    return M


def _composite(system: Multibody, inertias: Sequence[BodyInertia | None],
               at: Sequence[Coordinate], note: Note) -> list[BodyInertia | None]:
    """Return the inertia of every body with all that it carries, in its own frame."""
    result = list(inertias)
    for i, body in reversed(list(enumerate(system.bodies))):
        inertia = result[i]
        if inertia is None:
            continue
        note(i, 'Ic', inertia.entries)
        if body.parent != ROOT:
            joint = JOINTS[body.type]
            R = joint.rotation(at[i])
            note(i, 'Rc', (R[0][0], R[1][0]))
            # joints rotate about z, or not at all
            before = rotated_about_z(inertia, R[0][0], R[1][0])
            before = transformed(before, IDENTITY, joint.displacement(at[i].q))
            in_parent_frame = transformed(before, body.parent_R_joint, body.parent_p_joint)
            result[body.parent] = total(
                part for part in (result[body.parent], in_parent_frame) if part is not None)
    return result


def _column(system: Multibody, inertia: BodyInertia | None, at: Sequence[Coordinate], j: int,
            M: list[list[Scalar]], note: Note, terms: Sequence[JointTerm]) -> None:
    """Add the efforts of a unit acceleration of body j's joint, from there to the root."""
    moving = system.bodies[j]
    moved_by_1 = at[j]._replace(qdd=1.0)
    motion, U = JOINTS[moving.type].forward(
        AT_REST, moved_by_1, lambda symbol, entries: None,
        lambda w, wd: (wd, spin(w, wd)))
    wrench = inertial(inertia, motion, U, second_moment, prefixed(note, j, 'u'))
    i = j
    while i != ROOT:
        body = system.bodies[i]
        noted = prefixed(note, i, 'u')
        effort, before = JOINTS[body.type].backward(wrench, at[i], noted)
        for term in terms if i == j else ():
            effort = effort + term.effort(AT_REST, moved_by_1, 0.0)
            moment = term.on_parent(AT_REST, moved_by_1)
            if moment != ZERO:
                before = before._replace(n=add(before.n, moment))
                noted('nr', before.n)
                noted = partial(_note_spun, note, i)
        row, k = body.coordinate, moving.coordinate
        entry = moving.multiplier * (body.multiplier * effort)
        M[row][k] = M[row][k] + entry
        if i != j:
            M[k][row] = M[k][row] + entry   # twice on the diagonal, if one mimics the other
        if body.parent != ROOT:
            wrench = in_parent(body, before, noted)
        noted('tau', ())
        i = body.parent


def _note_spun(note: Note, i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
    note(i, 'unpr' if symbol == 'np' else f'u{symbol}', entries)
