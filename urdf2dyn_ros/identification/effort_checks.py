"""Checks of measured efforts against those of the URDF: their signs, units and gravity."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.columns import Columns
from urdf2dyn_ros.identification.fit.joint_columns import (
    ARMATURE,
    COULOMB,
    OFFSET,
    QUADRATIC,
    VISCOUS,
    joint_columns,
)
from urdf2dyn_ros.identification.preparation import Piece
from urdf2dyn_ros.identification.robot import Robot

_WRONG_UNITS = 30.0
"""Effort over that of the URDF, or its inverse, that is one of units."""

_STRONG = 0.5
"""Share of an effort that the URDF's explains, from which on their ratio is known."""

_LEAST_FRICTION = 0.03
"""Share of an effort from which on its sign is known by the friction."""

_BEARS = 0.3
"""Gravity of the URDF over the effort of a joint, from which on the joint counts for gravity."""

_FEWEST_JOINTS = 3
"""Fewest such joints from which gravity is distinguished from centres of mass."""

_TILTED = 20.0
"""Angle between gravity and that of the efforts, from which on it is not the URDF's [deg]."""

_EXPLAINS = 0.5
"""Share of squares that another gravity leaves, up to which it explains the efforts."""

_ABSENT = 3.0
"""Gravity of the URDF over that of the efforts, from which on the efforts are without it."""

_CHANCE = 0.7
"""Share of squares that a fraction of the URDF's gravity leaves, if it fits by chance alone."""

_MOST_SAMPLES = 4000


class ComparedEffort(NamedTuple):
    """
    Measured effort of a joint and its parts by the URDF.

    Attributes
    ----------
    joint : str
    effort, nominal : ndarray, (k,)
        [N m or N].
    own : ndarray, (k, 6)
        JOINT_COLUMNS.
    gravity : ndarray, (k, 3)
        Effort for a unit of gravity along each axis of the root frame.

    """

    joint: str
    effort: Array
    nominal: Array
    own: Array
    gravity: Array


def effort_fault(robot: Robot, pieces: Sequence[Piece], used: Array) -> str:
    """Return why efforts have a wrong sign, other units or another gravity, or nothing."""
    compared = _compared(robot, pieces, used)
    return _sign_or_units(compared) or _gravity(
        compared, np.array(robot.dynamics.gravity_vector, dtype=np.float64))


def _compared(robot: Robot, pieces: Sequence[Piece], used: Array) -> list[ComparedEffort]:
    step = max(1, sum(len(piece.q) for piece in pieces) // _MOST_SAMPLES)
    q, qd, qdd, effort = (np.concatenate([getattr(piece, name)[::step] for piece in pieces])
                          for name in ('q', 'qd', 'qdd', 'effort'))
    rest = np.zeros_like(q)
    columns = [robot.columns(q, qd, qdd),
               *(Columns(robot.system, axis)(q, rest, rest) for axis in np.eye(3).tolist())]
    result = []
    for j in np.flatnonzero(used).tolist():
        parameters = robot.prior.parameters[robot.columns.bodies[j]].ravel()
        nominal, *gravity = (each[j] @ parameters for each in columns)
        own = joint_columns(qd[:, j], qdd[:, j], nominal, robot.sign_widths[j])
        known = np.isfinite(effort[:, j])
        result.append(ComparedEffort(robot.joints[j], effort[known, j], nominal[known],
                                     own[known], np.column_stack(gravity)[known]))
    return result


def _sign_or_units(compared: Sequence[ComparedEffort]) -> str:
    """Return a fault of efforts that are proportional to those of the URDF and friction."""
    factors, frictions, strong = [], [], []
    for _, effort, nominal, own, _ in compared:
        columns = np.column_stack((nominal, own[:, [COULOMB, OFFSET]]))
        x = np.linalg.lstsq(columns, effort, rcond=None)[0]
        share = float(np.std(nominal * x[0])) / max(float(np.std(effort)), 1e-9)
        factors.append(float(x[0]))
        frictions.append(float(x[1] * np.std(own[:, COULOMB])) / max(float(np.std(effort)), 1e-9))
        strong.append(share > _STRONG)
    known = [factor for factor, flag in zip(factors, strong) if flag]
    if known and max(known) < -0.1 and np.mean(np.array(frictions) < 0.0) > 0.7:
        return ('the efforts have the wrong sign: they are minus what the URDF needs, and they '
                'push where friction brakes; change the sign of the efforts')
    middle = float(np.median(np.abs(known))) if known else 1.0
    if not 1.0 / _WRONG_UNITS < middle < _WRONG_UNITS:
        return (f'the efforts are {middle:.3g} times what the URDF needs: are they in other '
                'units? they must be in N m or N; for currents, add --effort-semantics current '
                '--gains free')
    wrong = [each.joint for each, factor, friction, flag in zip(
        compared, factors, frictions, strong)
        if flag and friction < -_LEAST_FRICTION and factor < -1.0 / 3.0]
    if wrong:
        negative = ' '.join(f'{joint}=-1' for joint in wrong)
        return (f'the efforts of {", ".join(wrong)} have the wrong sign: there they are minus '
                'what the URDF needs, and they push where friction brakes; change their sign, '
                f'or add --effort-semantics current --gains 1 {negative}')
    return ''


def _gravity(compared: Sequence[ComparedEffort], nominal: Array) -> str:
    """
    Return a fault of efforts in which gravity has another direction, or is absent.

    The vector is fitted to the efforts of all joints, besides friction, rotors, offsets and the
    effort of the URDF without gravity of each.

    """
    if not nominal.any() or not compared:
        return ''
    left, right = [], []
    for _, effort, whole, own, gravity in compared:
        others = np.column_stack((own[:, [VISCOUS, COULOMB, OFFSET, ARMATURE, QUADRATIC]],
                                  whole - gravity @ nominal))
        size = np.linalg.norm(others, axis=0)
        basis = np.linalg.qr(others / np.where(size > 0.0, size, 1.0))[0]
        scale = max(float(np.std(effort)), 1e-9)
        left.append((gravity - basis @ (basis.T @ gravity)) / scale)
        right.append((effort - basis @ (basis.T @ effort)) / scale)
    A, y = np.concatenate(left), np.concatenate(right)
    along, measured = A @ nominal, float(y @ y)
    size = float(along @ along)
    factor = max(float(along @ y) / max(size, 1e-300), 0.0)
    left_by_nominal = float(np.sum((y - factor * along) ** 2))
    if size > _ABSENT ** 2 * measured and left_by_nominal > _CHANCE * measured:
        return ('the efforts are without gravity: the URDF needs '
                f'{np.sqrt(size / max(measured, 1e-300)):.2g} times as much for it as they have '
                'besides friction and accelerations; if the driver subtracts gravity, record the '
                'efforts before it does, or set --gravity 0 0 0')
    fitted = np.linalg.lstsq(A, y, rcond=1e-6)[0]
    left_by_fitted = float(np.sum((y - A @ fitted) ** 2))
    cosine = float(fitted @ nominal) / max(float(np.linalg.norm(fitted)), 1e-300) / float(
        np.linalg.norm(nominal))
    bearing = sum(np.linalg.norm(part @ nominal) > _BEARS * np.linalg.norm(effort)
                  for part, effort in zip(left, right))
    if (bearing >= _FEWEST_JOINTS and cosine < np.cos(np.radians(_TILTED))
            and left_by_fitted < _EXPLAINS * measured
            and left_by_fitted < _EXPLAINS * left_by_nominal):
        direction = fitted / np.linalg.norm(fitted) * np.linalg.norm(nominal)
        text = ' '.join(f'{entry:.1f}' for entry in direction + 0.0)
        return (f'the efforts fit a gravity of about {text} m/s^2 in the frame of the root, not '
                f'{" ".join(f"{entry:.3g}" for entry in nominal)}: if the robot is mounted so, '
                f'set it with --gravity {text}; otherwise the zeros of its joints differ from '
                'those of the URDF')
    return ''
