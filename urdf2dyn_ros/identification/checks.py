"""Checks of a recording before it is used: what cannot be identified from, with the reason."""

import math
from collections.abc import Sequence
from itertools import combinations, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.gains import Gains, free_gains
from urdf2dyn_ros.identification.mistakes import (
    RecordingFit,
    late_joints,
    mistakes_of,
    no_change,
    other_units,
)
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import MOVING_SPEED, STILL_RANGE, Piece
from urdf2dyn_ros.recordings.credibility import (
    NO_SIGN,
    dead_position,
    effort_doubts,
    have_no_sign,
    is_of_motion,
    sensor_fault,
)
from urdf2dyn_ros.robot.spatial import Array

_FEWEST_SAMPLES = 50   # with an effort, from which on it is judged
# largest position that is no damage [rad or m]; efforts of that size are not read
_LARGEST_POSITION = 1e9
_DEGREES = 180.0 / np.pi
_BEYOND_RANGE = 5.0   # position of a prismatic joint over its limits, from which on it is in mm
# logarithm of what the URDF leaves, over all joints, by which positions in degrees fit better
_CLEARER = 0.1
_WRONG_UNITS = 30.0   # effort over that of the URDF, or its inverse, that is one of units
_STRONG = 0.5   # share of an effort that the URDF's explains, from which on their ratio is known


class Checked(NamedTuple):
    """Which joints of a recording count, and why others do not."""

    moving: NDArray[np.bool_]   # (n,)
    used: Array   # (n,), 1 for joints that move and whose efforts are measured, else 0
    remarks: list[str]
    contradictions: list[str]   # what no model of the robot would explain
    fault: str   # why nothing can be identified, or empty


def checked(robot: Robot, pieces: Sequence[Piece], gains: Gains | None = None) -> Checked:
    """Return the checks of the pieces of a recording; with gains, its efforts are currents."""
    joints, limits, none = robot.joints, robot.dynamics.limits, no_change(len(robot.joints))
    if gains is not None:
        pieces = [piece._replace(effort=piece.effort * gains.values) for piece in pieces]
    q, qd, effort = (np.concatenate([getattr(piece, name) for piece in pieces])
                     for name in ('q', 'qd', 'effort'))
    moving, speed = np.ptp(q, axis=0) > STILL_RANGE, np.abs(qd)
    while_moving = [effort[speed[:, j] > MOVING_SPEED * speed[:, j].max(initial=0.0), j]
                    for j in range(len(joints))]
    faults = list(map(sensor_fault, effort.T, while_moving))
    used = np.array([float(moves and not fault) for moves, fault in zip(moving, faults)])
    remarks = [f'{joint}: {fault}; it is not identified'
               for joint, fault, moves in zip(joints, faults, moving) if fault and moves]
    free = free_gains(gains, len(joints))   # which have any unit
    found = effort_doubts(
        {joint: effort for joint, effort, uses in zip(joints, while_moving, used) if uses},
        {joint: None if any_unit else limit.effort
         for joint, limit, any_unit in zip(joints, limits, free)})
    dead = []
    for j in np.flatnonzero(~moving & [not fault for fault in faults]).tolist():
        one = RecordingFit(robot, pieces, 1.0 * (np.arange(len(joints)) == j), free)
        if one.samples >= _FEWEST_SAMPLES and is_of_motion(
                effort[:, j], 1.0 - math.exp(one.left(none)[j])):
            dead.append(joints[j])
    if dead:
        found.append(dead_position(dead))
    recording = RecordingFit(robot, pieces, used, free)
    fault = _positions_fault(recording, q, moving)
    if not fault and not used.any():
        reasons = [*dict.fromkeys(compress(faults, moving))]
        more = f'; and {len(reasons) - 2} more such reasons' if len(reasons) > 2 else ''
        fault = ('no joint that moves has a measured effort that can be used: '
                 f'{"; ".join(reasons[:2])}{more}')
    fault = fault or _efforts_fault(recording, pieces, moving, gains is not None)
    if not fault:
        found += late_joints(recording)
    return Checked(moving, used, remarks, found, fault)


def _positions_fault(recording: RecordingFit, q: Array, moving: NDArray[np.bool_]) -> str:
    """Return that no joint moves, that positions are damaged or in degrees or mm, or nothing."""
    robot, spans = recording.robot, np.abs(q).max(axis=0)
    dynamics, units = robot.dynamics, np.array(robot.dynamics.units)
    if not moving.any():
        return ('no joint moves by more than 0.02 rad or m: there is nothing to identify from; '
                'record a motion of all joints')
    if spans.max() > _LARGEST_POSITION:
        return f'position of up to {spans.max():.3g}: the recording is damaged'
    largest = np.array([max((abs(end) for end in (limit.lower, limit.upper) if end),
                            default=2.0 * np.pi if unit == 'rad' else np.inf)
                        for limit, unit in zip(dynamics.limits, units)])

    def beyond(joint: int, unit: str, remedy: str) -> str:
        return (f'{robot.joints[joint]} is at up to {spans[joint]:.4g}, but its limits in the '
                f'URDF are {largest[joint]:.4g} {units[joint]}: are the positions in {unit}? '
                f'{remedy}')

    turns = (units == 'rad') & ~np.array(dynamics.continuous) & (
        spans > np.maximum(2.0 * largest, 10.0))
    if turns.any():   # or they turn several times; in degrees are all joints, or those beyond
        none = no_change(len(units))
        as_they_are, *in_degrees = (recording.left(none._replace(positions=np.diag(
            np.where(which, 1.0 / _DEGREES, 1.0)))).sum() for which in (
                np.zeros(len(units)), units == 'rad', turns))
        if not recording.used.any() or min(in_degrees) < as_they_are - _CLEARER:
            return beyond(int(np.argmax(turns)), 'degrees', f'divide them by {_DEGREES:.5g}')
    slides = (units == 'm') & (spans > _BEYOND_RANGE * largest)
    return beyond(int(np.argmax(slides)), 'mm or cm', 'convert them to m') if slides.any() else ''


def _efforts_fault(recording: RecordingFit, pieces: Sequence[Piece], moving: NDArray[np.bool_],
                   currents: bool) -> str:
    """
    Return why efforts, or currents times gains, contradict the URDF's joints, or nothing.

    They have no sign, are copies, of another time, have a wrong sign, other units or another
    gravity, joints are interchanged, or positions have another zero or sign. Free gains have any
    unit and sign.
    """
    robot, joints = recording.robot, recording.joints
    qd, effort = (np.concatenate([getattr(piece, name) for piece in pieces])
                  for name in ('qd', 'effort'))
    if have_no_sign([(np.nanmin(effort[:, j]), np.nanmax(effort[:, j])) for j in joints
                     if qd[:, j].min() < 0.0 < qd[:, j].max()]):
        return f'{NO_SIGN}; record them with their signs'
    residuals, shares, factors = recording.shares(no_change(len(moving)))
    for pair in combinations(joints, 2):
        same = [what for name, what in (('q', 'positions'), ('effort', 'efforts')) if all(
            np.array_equal(*getattr(piece, name)[:, pair].T) for piece in pieces)]
        if same and (same != ['positions'] or residuals[[*pair]].max() > np.log(_STRONG)):
            names = [robot.joints[joint] for joint in pair]   # fingers may move alike
            copy = names[int(np.argmax(residuals[[*pair]]))]
            return (f'the {" and ".join(same)} of {names[0]} and {names[1]} are the same in all '
                    f"samples: those of {copy} look like a copy of the other's; record each "
                    "joint's own")
    of_urdf = {j: float(factors[j]) for j in joints
               if shares[j] > _STRONG and not recording.free[j]}
    typical = min(np.sort([*of_urdf.values()])[[(len(of_urdf) - 1) // 2, len(of_urdf) // 2]],
                  key=lambda factor: abs(np.log(factor))) if of_urdf else 1.0
    if not 1.0 / _WRONG_UNITS < typical < _WRONG_UNITS:
        return (f'the efforts are {typical:.3g} times what the URDF needs: ' + (
            'are the currents in A, and the gains those of the joint, after its gear?'
            if currents else 'are they in other units? they must be in N m or N; for currents, '
            'add --effort-semantics current --gains free'))
    mistakes = mistakes_of(recording, moving)
    if mistakes:
        return '; '.join(mistake.sentence(robot, currents) for mistake in mistakes)
    return '; '.join(
        f'the efforts of {robot.joints[j]} are about {factor:.3g} times what fits those of '
        'the other joints: ' + (
            f'check its gain, or identify it with --gains {robot.joints[j]}=free' if currents else
            'are they in another unit, as N mm or a share of the rated torque? convert them to '
            'N m or N, or identify their unit with --effort-semantics current --gains 1 '
            f'{robot.joints[j]}=free')
        for j, factor in other_units(recording, of_urdf).items())
