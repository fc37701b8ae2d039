"""
The mistakes of a recording: what changes it so that the URDF explains its efforts far better.

Every candidate is compared with the URDF's bodies first, in some ten thousandths of a second.
Those that leave less are fitted with any bodies: as masses and centres of a URDF are wrong, it
counts what a fit leaves of blocks that were held out.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.low_pass import Spectra
from urdf2dyn_ros.identification.mistakes.candidates import (
    Mistake,
    differentials,
    gravities,
    pairs,
    shifted,
    single_joints,
)
from urdf2dyn_ros.identification.mistakes.change import Change, no_change
from urdf2dyn_ros.identification.mistakes.held_out_fit import held_out_error
from urdf2dyn_ros.identification.mistakes.nominal_fit import NominalFit
from urdf2dyn_ros.identification.pieces import Piece
from urdf2dyn_ros.identification.robot import Robot

_FEWEST_SAMPLES = 50
"""Samples with efforts of all joints from which on mistakes are looked for."""

_PROMISING = 1.0
"""Fall of the logarithm of the URDF's residuals, over all joints, from which on a candidate is
fitted [-]."""

_CONFIRMED = 2.0
"""The same of a fit's residuals in held-out blocks, from which on a candidate is a mistake."""

_ABSENT = 0.1
"""Share of the URDF's gravity in the efforts below which there is none, if it fits as well."""

_AS_GOOD = 0.5
"""Difference of this logarithm up to which two candidates are equally good."""

_EXPLAINED = 0.3
"""Logarithm of the efforts over the residuals, mean of the joints, from which on a fit is no
accident."""

_FITTED = 3
"""Candidates that are fitted."""

_MOST = 3
"""Most mistakes of a recording that are looked for, one after the other."""

_STEPS = tuple(np.radians([30.0, 15.0, 8.0, 4.0]).tolist())
_WHOLE = np.radians(12.0)
"""Steps of the search for an angle, and the distance to a right angle that is none [rad]."""


def mistakes_of(robot: Robot, pieces: Sequence[Piece], moving: NDArray[np.bool_], used: Array,
                free: NDArray[np.bool_]) -> list[Mistake]:
    """Return the mistakes of a recording; each corrects those before it as well."""
    nominal = NominalFit(robot, pieces, used, free)
    if nominal.samples < _FEWEST_SAMPLES:
        return []
    longest = max(pieces, key=lambda piece: len(piece.q))
    base, mistakes = no_change(len(used)), list[Mistake]()
    for _ in range(_MOST):
        best = _best(robot, nominal, longest, _candidates(robot, base, moving, used, free),
                     base, used, free)
        if best is None:
            break
        mistakes.append(best)
        base = best.change
    if not mistakes and not free.any() and abs(nominal.gravity_factor()) < _ABSENT:
        absent = Mistake(base._replace(gravity=np.zeros(3)), 'no gravity')
        errors = [held_out_error(robot, longest, used, free, change)
                  for change in (base, absent.change)]
        with np.errstate(divide='ignore', invalid='ignore'):
            efforts = Spectra(np.nan_to_num(longest.effort), longest.rate).rows()
            explained = np.log(efforts.std(axis=0)) - errors[1]
        if float((errors[0] - errors[1]).sum()) > -_AS_GOOD and (
                explained[used > 0].mean() > _EXPLAINED):
            mistakes.append(absent)
    return mistakes


def _candidates(robot: Robot, base: Change, moving: NDArray[np.bool_], used: Array,
                free: NDArray[np.bool_]) -> list[Mistake]:
    gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
    return [*single_joints(base, robot, moving, free),
            *pairs(base, np.flatnonzero(used).tolist()), *gravities(base, gravity),
            *differentials(base, np.flatnonzero(used).tolist(), free, robot.dynamics.units)]


def _best(robot: Robot, nominal: NominalFit, piece: Piece, candidates: Sequence[Mistake],
          base: Change, used: Array, free: NDArray[np.bool_]) -> Mistake | None:
    """Return the mistake that explains most, or None if none explains enough."""
    before = float(nominal.left(base).sum())
    gained = np.array([before - float(nominal.left(each.change).sum()) for each in candidates])
    order = np.argsort(-gained)[:_FITTED]
    promising = [_refined(nominal, candidates[k], base) for k in order if gained[k] > _PROMISING]
    if not promising:
        return None
    error = held_out_error(robot, piece, used, free, base)
    scores = [float((error - held_out_error(robot, piece, used, free, each.change)).sum())
              for each in promising]
    if max(scores) < _CONFIRMED:
        return None
    totals = [score + 0.5 * (before - float(nominal.left(each.change).sum()))
              for score, each in zip(scores, promising) if score >= _CONFIRMED]
    confirmed = [each for score, each in zip(scores, promising) if score >= _CONFIRMED]
    return confirmed[int(np.argmax(totals))]


def _refined(nominal: NominalFit, mistake: Mistake, base: Change) -> Mistake:
    """Return a mistake with the angle or direction that explains most; right angles if near."""
    def left(change: Change) -> float:
        return float(nominal.left(change).sum())

    if mistake.kind == 'zero':
        joint, = mistake.joints
        angle = float(mistake.change.shifts[joint] - base.shifts[joint])
        for step in _STEPS:
            angle = min((angle - step, angle, angle + step),
                        key=lambda each: left(shifted(base, joint, each)))
        right = 0.5 * np.pi * round(angle / (0.5 * np.pi))
        if right and abs(angle - right) < _WHOLE:
            angle = right
        return mistake._replace(change=shifted(base, joint, angle))
    if mistake.kind == 'gravity':
        assert mistake.change.gravity is not None
        gravity, size = mistake.change.gravity, np.linalg.norm(mistake.change.gravity)
        for step in _STEPS:
            near = [gravity, *(gravity + sign * step * size * axis
                               for axis in np.eye(3) for sign in (-1.0, 1.0))]
            gravity = min((size / np.linalg.norm(each) * each for each in near),
                          key=lambda each: left(base._replace(gravity=each)))
        axis = np.abs(gravity) == np.abs(gravity).max()
        if np.abs(gravity).max() > np.cos(_WHOLE) * size:
            gravity = np.where(axis, np.sign(gravity) * size, 0.0)
        return mistake._replace(change=base._replace(gravity=gravity))
    return mistake
