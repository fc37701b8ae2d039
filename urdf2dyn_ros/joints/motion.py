"""Motion, wrench and coordinate of joints: what the forward and the backward sweep transmit."""

from collections.abc import Callable
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import ZERO, Matrix, Vector

Note = Callable[[int, str, tuple[Scalar, ...]], None]
"""Called with body number, symbol and entries of every quantity that has a name."""

BodyNote = Callable[[str, tuple[Scalar, ...]], None]
"""Called with symbol and entries of every quantity of a body that has a name."""

Spun = Callable[[Vector, Vector], tuple[Vector, Matrix]]
"""w and wd of a body to its wd and U."""


class Motion(NamedTuple):
    """
    Motion of a frame, in its own axes.

    Angular velocity [rad/s] and its derivative [rad/s^2]; acceleration of the frame's origin minus
    gravity [m/s^2].
    """

    w: Vector
    wd: Vector
    a: Vector


AT_REST = Motion(ZERO, ZERO, ZERO)
"""That of a frame at rest, without gravity."""


class Wrench(NamedTuple):
    """Force f [N] and moment n [N m] about the frame's origin, in the frame's axes."""

    f: Vector
    n: Vector


NO_WRENCH = Wrench(ZERO, ZERO)


class Coordinate(NamedTuple):
    """
    Position [rad or m], velocity and acceleration of a joint, with the x axis chosen for its body.

    That choice is `turn`, the constant angle [rad] about the joint's axis from the frame of the
    joint at position zero to the frame of its body; or cosine and sine of any other angle.
    """

    q: Scalar
    qd: Scalar
    qdd: Scalar
    turn: float = 0.0
    cos_sin: tuple[Scalar, Scalar] | None = None


def silent(symbol: str, entries: tuple[Scalar, ...]) -> None:
    """Note nothing of a body."""


def spin(w: Vector, wd: Vector, note: BodyNote = silent) -> Matrix:
    """
    Return U = [wd]x + [w]x[w]x, so that U r = wd x r + w x (w x r).

    A point fixed at r in a frame is accelerated by U r more than the frame's origin (Khalil and
    Dombre, Modeling, Identification and Control of Robots, section 9.5).
    """
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    note('ww', (xx, yy, zz, xy, xz, yz))
    U = ((-(yy + zz), xy - wd[2], xz + wd[1]),
         (xy + wd[2], -(xx + zz), yz - wd[0]),
         (xz - wd[1], yz + wd[0], -(xx + yy)))
    note('U', (*U[0], *U[1], *U[2]))
    return U
