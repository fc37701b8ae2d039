"""Checks of a recording before it is used: what cannot be identified from, with the reason."""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.effort_checks import effort_fault
from urdf2dyn_ros.identification.gains import Gains, free_gains
from urdf2dyn_ros.identification.mistakes.change import no_change
from urdf2dyn_ros.identification.mistakes.nominal_fit import NominalFit
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import MOVING_SPEED

_STILL_RANGE = 0.02
"""Range of the positions of a joint that does not move [rad or m]."""

_FEWEST_VALUES = 10
"""Fewest different values of an effort that is measured."""

_MOST_EQUAL = 0.5
"""Largest share of equal efforts of a joint that moves."""

_LARGEST_POSITION = 1e9
"""Largest position that is no damage [rad or m]; efforts of that size are not read."""

_DEGREES = 180.0 / np.pi

_BEYOND_RANGE = 5.0
"""Position of a prismatic joint over its limits, from which on it is one of units."""

_CLEARER = 0.1
"""Logarithm of what the URDF leaves, over all joints, by which positions in degrees fit better."""

_SPIKE = 30.0
"""Largest effort over the one below which 95 % are, from which on it is a spike."""

_LIMITED_SHARE, _LIMITED_RATIO, _NEAR_LIMIT = 0.01, 3.0, 0.02
"""
Share of the samples at the largest or smallest effort from which on it is cut there, if it is so
many times the share of those near it (as a share of its range): a sine has more of the latter.
"""

_COARSE = 0.2
"""Part of the range in which a coarsely rounded effort has another value that is as frequent."""

_COARSEST = 0.05
"""The same to the next frequent value, from which on an effort is too coarse to show a limit."""

_TIMES = 3
"""Times that an effort reaches a value at which it is cut."""

_BEYOND_LIMIT = 10.0
"""Effort over its limit in the URDF that is one of units; the bodies may explain none of it."""

_MOST_AT_ONCE = 4000


class Checked(NamedTuple):
    """Which joints of a recording count, and why others do not."""

    moving: NDArray[np.bool_]   # (n,)
    used: Array   # (n,), 1 for joints that move and whose efforts are measured, else 0
    remarks: list[str]
    fault: str   # why nothing can be identified, or empty


def checked(robot: Robot, pieces: Sequence[Piece], gains: Gains | None = None) -> Checked:
    """Return the checks of the pieces of a recording; with gains, its efforts are currents."""
    joints = robot.joints
    if gains is not None:
        pieces = [piece._replace(effort=piece.effort * gains.values) for piece in pieces]
    q = np.concatenate([piece.q for piece in pieces])
    effort = np.concatenate([piece.effort for piece in pieces])
    moving = np.ptp(q, axis=0) > _STILL_RANGE
    speed = np.abs(np.concatenate([piece.qd for piece in pieces]))
    while_moving = [effort[speed[:, j] > MOVING_SPEED * speed[:, j].max(initial=0.0), j]
                    for j in range(len(joints))]
    faults = [_effort_fault(effort[:, j]) or _dead_sensor(while_moving[j])
              for j in range(len(joints))]
    used = np.array([float(moves and not fault) for moves, fault in zip(moving, faults)])
    remarks = [f'{joint}: {fault}; it is not identified'
               for joint, fault, moves in zip(joints, faults, moving) if fault and moves]
    remarks += [f'{joint}: {limit}' for joint, each, use in zip(joints, while_moving, used)
                if use and (limit := _limited(each))]
    known = used * (1.0 if gains is None else ~gains.free)
    remarks += [f'{joint}: {large}' for joint, each, limit, use in zip(
        joints, while_moving, robot.dynamics.limits, known)
        if use and (large := _beyond_limit(each, limit.effort or 0.0))]
    return Checked(moving, used, remarks, _fault(robot, pieces, moving, used, faults, gains))


def _fault(robot: Robot, pieces: Sequence[Piece], moving: NDArray[np.bool_], used: Array,
           faults: Sequence[str], gains: Gains | None) -> str:
    if not moving.any():
        return ('no joint moves by more than 0.02 rad or m: there is nothing to identify from; '
                'record a motion of all joints')
    largest = max(float(np.abs(piece.q).max(initial=0.0)) for piece in pieces)
    if largest > _LARGEST_POSITION:
        return f'position of up to {largest:.3g}: the recording is damaged'
    degrees = _in_degrees(robot, pieces)
    if degrees and (not used.any() or _fit_degrees(robot, pieces, used, gains)):
        return degrees
    far = _beyond_range(robot, pieces)
    if far:
        return far
    if not used.any():
        reasons = [*dict.fromkeys(compress(faults, moving))]
        more = f'; and {len(reasons) - 2} more such reasons' if len(reasons) > 2 else ''
        return ('no joint that moves has a measured effort that can be used: '
                f'{"; ".join(reasons[:2])}{more}')
    return effort_fault(robot, pieces, moving, used, gains)


def _effort_fault(effort: Array) -> str:
    known = effort[np.isfinite(effort)]
    if len(known) < 0.9 * len(effort):
        return 'its effort is not recorded'
    if not known.any():
        return 'its effort is always zero'
    if len(np.unique(known[:_MOST_AT_ONCE].round(12))) < _FEWEST_VALUES and (
            len(np.unique(known.round(12))) < _FEWEST_VALUES):
        return 'its effort is frozen: it has fewer than ten different values'
    return ''


def _dead_sensor(effort: Array) -> str:
    """Return why the effort of a joint, recorded while it moves, is no measurement."""
    if not len(effort):
        return ''
    values, counts = np.unique(effort, return_counts=True)
    share = float(counts.max()) / len(effort)
    if share <= _MOST_EQUAL:
        sizes = np.abs(effort[np.isfinite(effort)])
        usual, largest = (float(np.percentile(sizes, part)) for part in (95.0, 100.0))
        if largest > _SPIKE * usual > 0.0:
            return (f'its effort has spikes of up to {largest:.3g}, where 95 % are below '
                    f'{usual:.3g}: remove them')
        return ''
    return (f'its effort is {values[np.argmax(counts)]:.3g} in {100.0 * share:.0f} % of the '
            'samples in which it moves: it has no sensor or a dead one, or it is at its limit')


def _limited(effort: Array) -> str:
    """Return that the effort of a joint while it moves is cut at a value, or nothing."""
    known = effort[np.isfinite(effort)]
    span = float(np.ptp(known)) if len(known) else 0.0
    values, counts = np.unique(known, return_counts=True)
    for end in (known.max(), known.min()) if span > 0.0 else ():
        distance = np.abs(known - end) / span
        at_end, near = (float(np.mean(distance < limit)) for limit in (1e-6, _NEAR_LIMIT))
        apart = np.abs(values - end) / span
        times = np.count_nonzero(np.diff(distance < 1e-6, prepend=False)) / 2.0
        levels = np.sort(apart[counts > _LIMITED_SHARE * len(known)])
        if times < _TIMES - 0.5 or (len(levels) > 2 and levels[1] > _COARSEST):
            continue
        frequent = counts[(apart > 1e-6) & (apart < _COARSE)].max(initial=0) / len(known)
        if at_end > _LIMITED_SHARE and at_end > _LIMITED_RATIO * max(near - at_end, frequent):
            return (f'its effort is exactly {end:.3g}, and never beyond, in '
                    f'{100.0 * at_end:.2g} % of the samples in which it moves: if the drive or '
                    'sensor has its limit there, the model is too weak; record a slower motion')
    return ''


def _beyond_limit(effort: Array, limit: float) -> str:
    """Return that the effort of a joint while it moves is far beyond its limit, or nothing."""
    usual = float(np.percentile(np.abs(effort[np.isfinite(effort)]), 95.0)) if limit else 0.0
    if usual <= _BEYOND_LIMIT * limit:
        return ''
    return (f'its effort is up to {usual:.3g}, {usual / limit:.3g} times its limit in the URDF: '
            'is it in another unit, as N mm? convert it to N m or N, unless that limit is wrong')


def _beyond_range(robot: Robot, pieces: Sequence[Piece]) -> str:
    """Return that a prismatic joint is far beyond its limits, as in millimetres, or nothing."""
    for j, (joint, limit) in enumerate(zip(robot.joints, robot.dynamics.limits)):
        largest = max(abs(limit.lower or 0.0), abs(limit.upper or 0.0))
        span = max(float(np.abs(piece.q[:, j]).max()) for piece in pieces)
        if robot.dynamics.units[j] == 'm' and span > _BEYOND_RANGE * largest > 0.0:
            return (f'{joint} is at up to {span:.4g}, but its limits in the URDF are '
                    f'{largest:.4g} m: are the positions in mm or cm? convert them to m')
    return ''


def _in_degrees(robot: Robot, pieces: Sequence[Piece]) -> str:
    for j, (joint, limit) in enumerate(zip(robot.joints, robot.dynamics.limits)):
        if robot.dynamics.units[j] != 'rad' or robot.dynamics.continuous[j]:
            continue
        span = max(float(np.abs(piece.q[:, j]).max()) for piece in pieces)
        ends = [abs(end) for end in (limit.lower, limit.upper) if end]
        largest = max(ends, default=2.0 * np.pi)
        if span > 2.0 * largest and span > 10.0:
            return (f'{joint} is at up to {span:.4g}, but its limits in the URDF are '
                    f'{largest:.4g} rad: are the positions in degrees? divide them by '
                    f'{_DEGREES:.5g}')
    return ''


def _fit_degrees(robot: Robot, pieces: Sequence[Piece], used: Array, gains: Gains | None) -> bool:
    """Return whether the efforts fit positions in degrees, or a joint that turns several times."""
    factors = np.where(np.array(robot.dynamics.units) == 'rad', 1.0 / _DEGREES, 1.0)
    converted = [piece._replace(q=factors * piece.q, qd=factors * piece.qd,
                                qdd=factors * piece.qdd) for piece in pieces]
    free = free_gains(gains, len(used))
    recorded, degrees = (float(NominalFit(robot, each, used, free).left(
        no_change(len(used))).sum()) for each in (pieces, converted))
    return degrees < recorded - _CLEARER
