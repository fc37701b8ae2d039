"""The part of the mass matrix that belongs to joints which are eliminated together."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import ZERO, add
from urdf2dyn_ros.equations.elimination.blocks import JointBlock
from urdf2dyn_ros.equations.elimination.spatial_inertia import SpatialInertia
from urdf2dyn_ros.equations.newton_euler import in_parent
from urdf2dyn_ros.equations.recursion import prefixed
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import AT_REST, Coordinate, Note, Wrench
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import ROOT, Multibody


def block_mass_matrix(
        system: Multibody, inertias: Sequence[SpatialInertia], at: Sequence[Coordinate],
        terms: Mapping[int, Sequence[JointTerm]], block: JointBlock, note: Note,
        column: Callable[[int], None]) -> list[list[Scalar]]:
    """
    Return the rows of the mass matrix of the joints of a block, in ascending order.

    Each begins with the wrench that a unit acceleration of the joint requires of the body in whose
    frame the block is: six entries, force first. At the ROOT there are none. `note` is called with
    every named quantity, `column` with the number of a body whose column begins.
    """
    first = 0 if block.frame == ROOT else 6
    row = {k: first + n for n, k in enumerate(block.coordinates)}
    M: list[list[Scalar]] = [[0.0] * (first + len(row)) for _ in range(first + len(row))]
    for j in block.bodies:
        moving = system.bodies[j]
        if moving.multiplier == 0.0:
            continue
        column(j)
        k = row[moving.coordinate]
        of_1 = inertias[j].along(JOINTS[moving.type])
        for i, effort, wrench in _on_the_way(system, of_1, at, terms, j, block, note):
            body = system.bodies[i]
            if i in block.bodies and body.multiplier != 0.0:
                m = row[body.coordinate]
                entry = moving.multiplier * (body.multiplier * effort)
                M[m][k] = M[m][k] + entry
                if i != j:
                    M[k][m] = M[k][m] + entry
            if i == block.frame:
                for n, entry in enumerate((*wrench.f, *wrench.n)):
                    M[k][n] = M[k][n] + moving.multiplier * entry
    return M


def _on_the_way(system: Multibody, wrench: Wrench, at: Sequence[Coordinate],
                terms: Mapping[int, Sequence[JointTerm]], j: int, block: JointBlock, note: Note,
                ) -> Iterator[tuple[int, Scalar, Wrench]]:
    """Yield the bodies from j to the block's, with effort and wrench of a unit acceleration."""
    i, accelerated = j, at[j]._replace(qd=0.0, qdd=1.0)
    while i != ROOT:
        body, joint = system.bodies[i], JOINTS[system.bodies[i].type]
        effort, moment = joint.along(wrench.f[2], wrench.n[2]), ZERO
        for term in terms.get(i, ()) if i == j else ():
            if term.INERTIAL:
                effort = effort + term.effort(AT_REST, accelerated, 0.0)
                moment = add(moment, term.on_parent(AT_REST, accelerated))   # along the axis
        yield i, effort, wrench._replace(n=add(wrench.n, moment))
        if i == block.frame:
            break
        _, before = joint.backward(wrench, at[i], prefixed(note, i, 'c'))
        before = before._replace(n=add(before.n, moment))
        if body.parent == ROOT:
            break
        wrench = in_parent(body, before, prefixed(note, i, 'c'))
        i = body.parent
