"""How the recursion is carried out: with inertia tensors or second moments, textbook or not."""

from collections.abc import Callable
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import Matrix, Vector, add, apply, cross
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Note, Spun, spin

Moment = Callable[[Matrix, Motion, Matrix, BodyNote], Vector]
"""J, motion and U of a body to the moment of its inertia about its origin."""

Spin = Callable[[int, Motion, Matrix, Coordinate, BodyNote], Spun]
"""Body, motion of its joint's frame, U of its parent and coordinate to what returns its U."""


def unnoted(body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
    """Note nothing."""


def prefixed(note: Note, i: int, letter: str) -> BodyNote:
    """Return a note of body i with a letter before its symbols."""
    return lambda symbol, entries: note(i, letter + symbol, entries)


def textbook_spin(i: int, joint: Motion, U_parent: Matrix, at: Coordinate, note: BodyNote) -> Spun:
    """Return what computes U from w and wd alone."""
    return lambda w, wd: (wd, spin(w, wd, note))


def textbook_moment(J: Matrix, motion: Motion, U: Matrix, note: BodyNote) -> Vector:
    """Return J wd + w x J w."""
    L = apply(J, motion.w)
    note('L', L)
    return add(apply(J, motion.wd), cross(motion.w, L))


def second_moment(S: Matrix, motion: Motion, U: Matrix, note: BodyNote) -> Vector:
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
        about_x = S[y][y] * U[z][y] - S[z][z] * U[y][z]
        opposite = U[z][y] + U[y][z]
        if isinstance(opposite, float) and opposite == 0.0:   # w_y w_z is 0: what is left is wd_x
            about_x = (S[y][y] + S[z][z]) * U[z][y]
        return (about_x + S[x][y] * U[z][x] - S[x][z] * U[y][x]
                + S[y][z] * d[x])

    return (n(0, 1, 2), n(1, 2, 0), n(2, 0, 1))


class Recursion(NamedTuple):
    """
    Formulation of the recursion, and what is called with every named quantity it computes.

    `second_moment`, and an `InheritedSpin` as `spin_of`, take fewer operations than the textbook
    and are equal in exact arithmetic.
    """

    moment: Moment = textbook_moment
    spin_of: Spin = textbook_spin
    note: Note = unnoted


TEXTBOOK = Recursion()
