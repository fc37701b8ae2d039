"""What an identified model does not explain, and the likely reason, in sentences."""

from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.choice import LARGEST_DELAY
from urdf2dyn_ros.identification.fit.fit_problem import Fit
from urdf2dyn_ros.identification.fit.pooled_fit import Pool, pooled, squares
from urdf2dyn_ros.identification.gains import sign_evidence
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

_COUPLED_SHARE = 0.3
"""
Share of the residuals of two joints that a motor which turns with both predicts, from which on
they look coupled: 0.87 on a wrist whose gears are, up to 0.2 on robots whose gears are not.
"""

_UNEXPLAINED_SHARE = 0.5
"""Residual over the measured effort from which on a joint is not explained."""

LEAST_R2 = 0.5
"""R2 in held-out parts below which a joint is not explained."""

_OTHER_SIGN = 0.3
"""Logarithm of the ratio of what the recorded and the other sign of an effort leave, from which on
the other one is suggested."""

_IMPLAUSIBLE_MASS_RATIO = 3.0
"""Ratio of masses from which on a change is not plausible."""

_TYPICAL_MASS_RATIO = 0.5
"""Identified mass over that of the URDF, median of the bodies, below which the units are wrong."""

_RESTING_RATIO = 2.0
"""Residual of all samples over that of moving ones, from which on rest is the reason."""

_MISFIT_RATIO = 2.5
"""Error of a recording, over the median of the others, from which on it does not fit."""

_LEAST_MISFIT = 0.02
"""Error of a recording, over its efforts, below which it fits: a faster motion has larger ones."""

_MOST_COMPARED = 30
"""Others with which a recording is compared, so that the time does not grow with their square."""


def misfits(result: Identification, negative_rotors: NDArray[np.bool_]) -> list[str]:
    """Return a sentence for each joint that does not fit; some joints' rotors are at zero."""
    remarks = [*_poor_joints(result), *_poor_validation(result), *_changed_masses(result),
               *_late_efforts(result)]
    joints, gains = result.robot.joints, result.gains
    names = [joint for joint, gain, used in zip(joints, result.effort_per_unit, result.used)
             if used and gain < 0.0]
    if names and gains is not None and gains.free.any():
        remarks.append(
            f'the gain of {", ".join(names)} is negative: the motor turns the other way than the '
            'joint, or the sign of its current is wrong')
    names = [*compress(joints, negative_rotors & result.used)]
    if names:
        remarks.append(
            f'the data would have a negative rotor inertia at {", ".join(names)}, which is '
            'bounded by zero: torque sensors on the side of the link see no rotor, and friction '
            'that lags looks alike')
    return remarks


def _poor_joints(result: Identification) -> Iterator[str]:
    joints, figures = result.robot.joints, result.held_out
    measured, spread, r2 = figures.measured, figures.spread_moving, figures.r2_moving[2]
    every, moving = result.held_out.every[2], result.held_out.moving[2]
    coupling = np.average([each.coupling for each in result.summaries], axis=0,
                          weights=[each.seconds for each in result.summaries])
    mutual = np.minimum(coupling, coupling.T)
    for j in np.flatnonzero(result.used).tolist():
        other = int(np.argmax(mutual[j]))
        if mutual[j, other] > _COUPLED_SHARE:
            yield (f'{joints[j]} does not fit a friction of its own velocity: that of a '
                   f'motor that turns with {joints[other]} too predicts '
                   f'{100.0 * coupling[j, other]:.0f} % of what is left; the two look coupled by '
                   'their gears, which this model does not have')
        if moving[j] > _UNEXPLAINED_SHARE * measured[j] or r2[j] < LEAST_R2:
            yield (f'{joints[j]} is hardly explained: of {spread[j]:.3g} about the mean a '
                   f'residual of {moving[j]:.3g} remains while it moves; ' + (
                       'friction fits it better with the opposite sign: is its sign wrong?'
                       if _fits_opposite_sign(result, j) else
                       'the effort may not be that of this joint, or not of it alone, as with a '
                       'differential, or contact, cables, springs or a base that moves act on it'))
        elif every[j] > _RESTING_RATIO * moving[j]:
            yield (f'{joints[j]}: most of its residual is at rest ({every[j]:.3g} for all '
                   f'samples, {moving[j]:.3g} while it moves), where static friction is '
                   'undetermined')


def _fits_opposite_sign(result: Identification, joint: int) -> bool:
    """Return whether friction fits an effort of a known sign better with the other sign."""
    if result.gains is not None and result.gains.free[joint]:
        return False
    pool = pooled([part for each in result.summaries for part in each.weighted])
    sign = float(np.sign(result.effort_per_unit[joint]))
    return sign * sign_evidence(pool, joint) < -_OTHER_SIGN


def _poor_validation(result: Identification) -> Iterator[str]:
    for name, figures in result.validation.items():
        poor = result.used & (figures.every[2] >= figures.every[0])
        names = [*compress(result.robot.joints, poor)]
        if names:
            yield (f'{name}: at {", ".join(names)} the identified model is no better than the '
                   'URDF; the recordings of the fit are too short or have other motions and '
                   'postures, or payload, friction or sensors have changed: identify from more')


def _changed_masses(result: Identification) -> Iterator[str]:
    before, after = result.robot.prior.parameters[:, 0], result.fit.bodies[:, 0]
    changes = np.exp(np.abs(np.log(after / before)))
    identified = np.unique([number for bodies, used in zip(result.robot.columns.bodies,
                                                           result.used) if used
                            for number in bodies])
    typical = float(np.median((after / before)[identified]))
    for body, change, mass, nominal in zip(result.robot.system.bodies, changes, after, before):
        if change > _IMPLAUSIBLE_MASS_RATIO:
            why = ('does it carry a tool that the URDF is without, or are the efforts in other '
                   'units?' if mass > nominal else
                   'are the efforts in other units, those of a motor before its gear, or does the '
                   'driver subtract gravity from them?' if typical < _TYPICAL_MASS_RATIO else
                   'other bodies make up for it, as efforts hardly determine the mass of a single '
                   'one, or a spring or a counterweight carries it')
            yield (f'the body that {body.name} moves would have {mass:.3g} kg, in the URDF it has '
                   f'{nominal:.3g} kg: {why}')


def _late_efforts(result: Identification) -> Iterator[str]:
    for each in result.summaries:
        if abs(each.delay) >= LARGEST_DELAY:
            late = 'late' if each.delay > 0.0 else 'early'
            why = ('are positions and efforts of the same instant, and the positions measured, '
                   'not commanded?')
            if each.delay > 0.0:
                why += (' Or does friction follow late when a joint turns back, as in harmonic '
                        'drives? Compare gains, rotors and residuals with --delay 0')
            yield (f'{each.name}: the efforts are {late} by {1e3 * abs(each.delay):.0f} ms, more '
                   f'than filters of drivers explain: {why}')


def other_recordings(robot: Robot, summaries: Sequence[Summary], fits: Sequence[Fit],
                     pools: Sequence[Pool], own_friction: bool = False) -> list[str]:
    """
    Return a sentence for each recording that a fit to the others does not predict.

    Its residuals are compared with those of the others in the same fit: a recording that does fit,
    but is predicted from one that does not, is not worse than they are.
    """
    remedy = 'without it, or alone' if own_friction else (
        'without it, alone, or with --friction-per-recording')
    remarks = []
    for number, (each, fit) in enumerate(zip(summaries, fits)):
        others = [pool for k, pool in enumerate(pools) if k != number]
        own, *errors = (
            np.sqrt(squares(fit, pool, robot) / np.where(pool.rows > 0.0, pool.rows, np.nan))
            for pool in (pools[number], *others[::-(-len(others) // _MOST_COMPARED)]))
        typical = np.array([np.median(column[np.isfinite(column)]) if np.isfinite(column).any()
                            else np.nan for column in np.transpose(errors)])
        ratio = own / np.maximum(typical, 1e-12)
        efforts = np.array([np.linalg.norm(R[:, -1]) for R in pools[number].triangles])
        least = _LEAST_MISFIT * efforts / np.sqrt(np.maximum(pools[number].rows, 1.0))
        worse = (ratio > _MISFIT_RATIO) & (own > least)
        names = [*compress(robot.joints, worse)]
        if names:
            most = float(ratio[worse].max())
            remarks.append(
                f'recording {each.name} does not fit the others at {", ".join(names)}: its '
                f'residual is up to {most:.1f} times theirs; '
                'another payload, tool or day, a contact, or a sensor that failed? identify '
                f'{remedy}')
    return remarks
