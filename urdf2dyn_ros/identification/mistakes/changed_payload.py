"""
A payload that was taken up or put down during a recording.

The columns of the last body of a chain, in the rows of an interval alone, are those of a payload
that is carried in it. The interval is that in which they explain most of what a fit leaves; it
counts what they explain of blocks that were held out.
"""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.equations.kinematics import chain
from urdf2dyn_ros.identification.mistakes.more_columns import (
    FittedRows,
    explained,
    regularised,
)
from urdf2dyn_ros.identification.robot import Robot

_MOST_WINDOWS, _FEWEST_WINDOWS = 40, 10
"""Windows of equal length from which intervals consist."""

_SHORTEST = 0.15
"""Shortest interval, and shortest rest, as a share of the recording: more is a contact."""

_CONFIRMED = 2.0
"""Fall of the logarithm of held-out residuals, over all joints, from which on it is a payload."""


def changed_payload(robot: Robot, fit: FittedRows) -> str:
    """Return from when to when another payload was carried in a recording, or nothing."""
    time = fit.rows.time[::fit.every_nth]
    count = min(_MOST_WINDOWS, len(time) // 25)
    if count < _FEWEST_WINDOWS:
        return ''
    window = np.arange(len(time)) * count // len(time)
    number, first, last = _best_interval(fit, window, count, _tips(robot, fit))
    inside = (window >= first) & (window < last)
    columns = np.zeros((len(time), 10, len(robot.joints)))
    for joint in fit.joints:
        bodies = robot.columns.bodies[joint]
        if number in bodies:
            place = 10 * bodies.index(number)
            part = fit.rows.joints[joint][::fit.every_nth, place:place + 10]
            columns[:, :, joint] = inside[:, None] * (part @ fit.slopes[number])
    result, = explained(fit, columns, [range(10)])
    if result.removed < _CONFIRMED:
        return ''
    factor = float(np.exp(result.removed / len(fit.joints)))
    return (f'from {time[inside][0]:.0f} to {time[inside][-1]:.0f} s another payload is carried '
            f'than in the rest, on what {robot.system.bodies[number].name} moves: with it, '
            f'{factor:.2g} times smaller residuals are left of held-out blocks (geometric mean of '
            'the joints); divide the recording where it is taken up or put down, and identify '
            'from the part without it, or add that with it as --payload-recording')


def _tips(robot: Robot, fit: FittedRows) -> list[int]:
    """Return the bodies, moved by used joints, beyond which no used joint moves another one."""
    bodies = robot.system.bodies
    moved = [number for number, body in enumerate(bodies) if body.coordinate in fit.joints]
    inner = {each for number in moved for each in chain(robot.system, number) if each != number}
    return [number for number in moved if number not in inner]


def _best_interval(fit: FittedRows, window: NDArray[np.int64], count: int,
                   tips: list[int]) -> tuple[int, int, int]:
    """Return the body, the first window and the one after the last that explain most."""
    grams = np.array([np.sum([part[window == k].T @ part[window == k] for part in fit.parts],
                             axis=0) for k in range(count)])
    sums = np.concatenate((np.zeros_like(grams[:1]), np.cumsum(grams, axis=0)))
    inverse = np.linalg.inv(regularised(sums[-1, :-1, :-1]))
    unknowns = inverse @ sums[-1, :-1, -1]
    pairs = [(first, last) for first in range(count) for last in range(first + 1, count + 1)
             if _SHORTEST * count <= last - first <= (1.0 - _SHORTEST) * count]
    gains = []
    for tip in tips:
        own = slice(10 * tip, 10 * tip + 10)
        for first, last in pairs:
            gram = sums[last] - sums[first]
            cross = gram[:-1, own]
            S = gram[own, own] - cross.T @ (inverse @ cross)
            b: Array = gram[own, -1] - cross.T @ unknowns
            gains.append((float(b @ np.linalg.solve(S + np.eye(10), b)), tip, first, last))
    return max(gains)[1:]
