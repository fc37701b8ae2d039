"""Checks of measured efforts against the URDF: signs, units, gravity, and their joints."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.joint_columns import COULOMB, OFFSET, joint_columns
from urdf2dyn_ros.identification.gains import Gains, free_gains
from urdf2dyn_ros.identification.mistakes.late_efforts import late_efforts
from urdf2dyn_ros.identification.mistakes.mistakes import mistakes_of
from urdf2dyn_ros.identification.mistakes.units import other_units
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot

_WRONG_UNITS = 30.0
"""Effort over that of the URDF, or its inverse, that is one of units."""

_STRONG = 0.5
"""Share of an effort that the URDF's explains, from which on their ratio is known."""

_MOST_SAMPLES = 4000


def effort_fault(robot: Robot, pieces: Sequence[Piece], moving: NDArray[np.bool_], used: Array,
                 gains: Gains | None) -> str:
    """
    Return why efforts, or currents times gains, contradict the URDF's joints, or nothing.

    They are of another time, have a wrong sign, other units or another gravity, joints are
    interchanged, or positions have another zero or sign. Efforts are in N m or N; free gains have
    any unit and sign.
    """
    free = free_gains(gains, len(used))
    known = np.flatnonzero((used > 0) & ~free).tolist()
    factors, frictions, strong = _proportions(robot, pieces, known)
    of_urdf = {joint: float(factor) for joint, factor, is_known in zip(known, factors, strong)
               if is_known and factor}
    longest = max(pieces, key=lambda piece: len(piece.q))
    return (late_efforts(robot, longest, used, free)
            or _sign_or_units_of_all(factors, frictions, strong, gains is not None)
            or '; '.join(each.sentence(robot, gains is not None)
                         for each in mistakes_of(robot, pieces, moving, used, free))
            or '; '.join(_units_of_some(robot, longest, used, free, of_urdf, gains is not None)))


def _proportions(robot: Robot, pieces: Sequence[Piece],
                 joints: Sequence[int]) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return factors of the URDF's efforts (m,), Coulomb friction, and which factors are known."""
    step = max(1, sum(len(piece.q) for piece in pieces) // _MOST_SAMPLES)
    q, qd, qdd, effort = (np.concatenate([getattr(piece, name)[::step] for piece in pieces])
                          for name in ('q', 'qd', 'qdd', 'effort'))
    nominal = robot.dynamics(q, qd, qdd)
    result = []
    for j in joints:
        known = np.isfinite(effort[:, j])
        own = joint_columns(qd[known, j], qdd[known, j], nominal[known, j], robot.sign_widths[j])
        columns = np.column_stack((nominal[known, j], own[:, [COULOMB, OFFSET]]))
        x = np.linalg.lstsq(columns, effort[known, j], rcond=None)[0]
        sizes = np.abs(x[:2]) * columns[:, :2].std(axis=0) / max(
            float(np.std(effort[known, j])), 1e-9)
        result.append((x[0], np.copysign(sizes[1], x[1]), sizes[0] > _STRONG))
    factors, frictions, strong = np.array(result, dtype=np.float64).reshape(-1, 3).T
    return factors, frictions, strong > 0.0


def _sign_or_units_of_all(factors: Array, frictions: Array, strong: NDArray[np.bool_],
                          gains: bool) -> str:
    """Return a fault of efforts that are proportional to those of the URDF and friction."""
    known = factors[strong]
    if len(known) and known.max() < -0.1 and np.mean(frictions < 0.0) > 0.7:
        return ('the efforts have the wrong sign: they are minus what the URDF needs, and they '
                'push where friction brakes; change the sign of the '
                + ('gains' if gains else 'efforts'))
    sizes = np.sort(np.abs(known))
    middle = min((float(sizes[k]) for k in {(len(sizes) - 1) // 2, len(sizes) // 2}),
                 key=lambda each: abs(np.log(each)) if each else np.inf) if len(sizes) else 1.0
    if not 1.0 / _WRONG_UNITS < middle < _WRONG_UNITS:
        return (f'the efforts are {middle:.3g} times what the URDF needs: ' + (
            'are the currents in A, and the gains those of the joint, after its gear?' if gains
            else 'are they in other units? they must be in N m or N; for currents, add '
                 '--effort-semantics current --gains free'))
    return ''


def _units_of_some(robot: Robot, longest: Piece, used: Array, free: NDArray[np.bool_],
                   factors: Mapping[int, float], gains: bool) -> Iterator[str]:
    """Yield a fault for each joint whose efforts are in other units than those of the others."""
    for joint, factor in other_units(robot, longest, used, free, factors):
        name = robot.joints[joint]
        yield (f'the efforts of {name} are about {factor:.3g} times what fits those of the other '
               'joints: ' + (
                   f'check its gain, or identify it with --gains {name}=free' if gains else
                   'are they in another unit, as N mm or a share of the rated torque? convert '
                   'them to N m or N, or identify their unit with --effort-semantics current '
                   f'--gains 1 {name}=free'))
