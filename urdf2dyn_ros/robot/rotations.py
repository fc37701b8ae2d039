"""Constant rotations: of printed angles, with z on an axis, and with entries set to 0 and 1."""

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import compress

from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    Matrix,
    Scalar,
    Triple,
    about_x,
    about_z,
    cross,
)

ROUNDOFF = 2e-15   # largest error of an entry by floating point alone, some units of 2^-53
# Largest error of an angle [rad] that is a quarter turn, printed with ten decimals or more: a
# fifth of the promised 1e-10 of efforts, and not more: with angles of 0.27931 and -0.00019159 rad
# (Unitree's G1) an entry of 4e-10 is no zero.
PRINTED = 2e-11
_HALF_TURN = 179.999   # [deg], from which on the axis does not follow from the antisymmetric part
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))   # cosine, sine of each

Pair = tuple[Scalar, Scalar]


def snapped(m: Matrix, within: float = ROUNDOFF) -> Matrix:
    """Return m with entries close to 0, 1 and -1 set to these."""
    return Matrix(*([_snapped(entry, within) for entry in row] for row in m))


def turned_about_x(angle: float, within: float = ROUNDOFF) -> Matrix:
    """Return the rotation about x by an angle [rad], snapped."""
    return snapped(about_x(math.cos(angle), math.sin(angle)), within)


def turned_about_z(angle: float, within: float = ROUNDOFF) -> Matrix:
    """Return the rotation about z by an angle [rad], snapped."""
    return snapped(about_z(math.cos(angle), math.sin(angle)), within)


def _snapped(value: float, within: float = ROUNDOFF) -> float:
    nearest = float(round(value))
    return nearest + 0.0 if abs(value - nearest) < within else value


def quarter_turns(angle: float) -> int | None:
    """
    Return the quarter turns that an angle [rad] means; None if it is another angle.

    It is a multiple of pi / 2, rounded or truncated to the decimals that it has: 1.5707963268, but
    not 1.5707963269. Zero prints as 0: a small angle is one.
    """
    number = round(angle / (math.pi / 2))
    error = angle - number * (math.pi / 2)
    if abs(error) < ROUNDOFF:
        return number
    return number if abs(error) < PRINTED and _is_printed(angle, number, error) else None


def is_coarse(angle: float) -> bool:
    """
    Return whether an angle [rad] is a quarter turn printed with few decimals, such as 1.5708.

    It is not read as one, but what its error of 4e-6 makes of 0 and 1 in second order, 1e-11, is
    explained by the decimals that it lacks.
    """
    number = round(angle / (math.pi / 2))
    error = angle - number * (math.pi / 2)
    return PRINTED < abs(error) < 1e-4 and _is_printed(angle, number, error)


def _is_printed(angle: float, number: int, error: float) -> bool:
    """Return whether an angle is a multiple of pi / 2, rounded or truncated to its decimals."""
    last = 10.0 ** int(Decimal(repr(angle)).as_tuple().exponent)   # a unit of the last decimal
    return number != 0 and abs(error) <= (0.5001 if error * angle > 0.0 else 1.0001) * last


def _cosine_and_sine(angle: float) -> tuple[float, float]:
    number = quarter_turns(angle)
    return (math.cos(angle), math.sin(angle)) if number is None else _QUARTERS[number % 4]


def from_rpy(rpy: Triple) -> Matrix:
    """Return parent_R_child for URDF's fixed-axis roll, pitch, yaw [rad]: Rz(y) Ry(p) Rx(r)."""
    if rpy == (0.0, 0.0, 0.0):
        return IDENTITY
    return snapped(from_cosines_and_sines(*map(_cosine_and_sine, rpy)))


def from_cosines_and_sines(roll: Pair, pitch: Pair, yaw: Pair) -> Matrix:
    """Return the rotation of three angles from cosine and sine of each, any scalars."""
    (cr, sr), (cp, sp), (cy, sy) = roll, pitch, yaw
    return Matrix((cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
                  (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
                  (-sp, cp * sr, cp * cr))


def to_rpy(m: Matrix) -> Triple:
    """Return roll, pitch, yaw [rad] of a rotation: `from_rpy` of them is it, near pi / 2 too."""
    roll = math.atan2(m[2][1], m[2][2])
    s, c = math.sin(roll), math.cos(roll)
    return (roll, math.atan2(-m[2][0], math.hypot(m[2][1], m[2][2])),
            math.atan2(s * m[0][2] - c * m[0][1], c * m[1][1] - s * m[1][2]))


def meant(angle: float) -> float:
    """Return an angle [rad], or the quarter turns that it means."""
    number = quarter_turns(angle)
    return angle if number is None else number * (math.pi / 2)


def composed(m: Matrix, n: Matrix, within: float = ROUNDOFF) -> Matrix:
    """Return the rotation m n, snapped."""
    if m is IDENTITY:
        return n
    return m if n is IDENTITY else snapped(m @ n, within)


def aligned(axis: Triple) -> Matrix:
    """
    Return link_R_body whose z is the axis: a permutation of axes if the axis is x, y or z.

    For an oblique axis the body's y is in the link's coordinate plane that is most nearly normal
    to the axis, so that one more entry is zero.
    """
    x, y, z = (_snapped(entry) for entry in axis)
    if x == y == 0.0:
        return IDENTITY if z > 0.0 else Matrix((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    if y == z == 0.0:
        return Matrix((0.0, 0.0, x), (1.0, 0.0, 0.0), (0.0, x, 0.0))
    if x == z == 0.0:
        return Matrix((0.0, y, 0.0), (0.0, 0.0, y), (1.0, 0.0, 0.0))
    smallest = min(range(3), key=lambda k: abs(axis[k]))
    across = cross(axis, IDENTITY[smallest])
    column_x = 1.0 / math.sqrt(sum(entry * entry for entry in across)) * across
    return snapped(Matrix(column_x, cross(axis, column_x), axis).T)


def turn_in_words(m: Matrix) -> str:
    """Return axis and angle of a rotation: turn about x by -90 deg."""
    cosine = 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0)
    twice_sine = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1])
    angle = math.degrees(math.atan2(0.5 * math.hypot(*twice_sine), cosine))
    if angle == 0.0:
        return 'no turn'
    axis: Sequence[float] = twice_sine
    if angle > _HALF_TURN:   # a column of m + 1 is along the axis
        axis = max(([m[i][k] + (i == k) for i in range(3)] for k in range(3)),
                   key=lambda column: math.hypot(*column))
    size = max(map(abs, axis))
    x, y, z = (round(entry / size, 4) + 0.0 for entry in axis)
    names = [*compress(AXES, (x, y, z))]
    if len(names) == 1:
        return f'turn about {names[0]} by {angle * (x + y + z):.6g} deg'
    return f'turn about ({x:g}, {y:g}, {z:g}) by {angle:.6g} deg'
