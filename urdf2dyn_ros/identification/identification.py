"""Identification from summaries: the fit, and how well it explains what it was not fitted to."""

from collections.abc import Callable, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.choice import score
from urdf2dyn_ros.identification.fit.consistent_fit import Fit
from urdf2dyn_ros.identification.fit.deviations import deviations
from urdf2dyn_ros.identification.fit.held_out import (
    FEWEST_RECORDINGS,
    HeldOutParts,
    figures_of,
    held_out_fits,
    parts_of,
    totals,
)
from urdf2dyn_ros.identification.fit.joint_columns import ARMATURE, JOINT_COLUMNS, top_speeds
from urdf2dyn_ros.identification.fit.own_friction import (
    in_joint_sets,
    in_least_residuals,
    last_sets,
    of_joints,
    with_joint_sets,
    without_friction,
)
from urdf2dyn_ros.identification.fit.pooled_fit import (
    FitTerms,
    Pool,
    cleaned,
    fitted,
    pooled,
    signed_terms,
    with_negative_rotors,
    with_significant_load,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, known_gains, with_gains
from urdf2dyn_ros.identification.misfits import misfits, other_recordings
from urdf2dyn_ros.identification.mistakes.gain_signs import signs_fault
from urdf2dyn_ros.identification.payload.identified_payload import identified_payload
from urdf2dyn_ros.identification.payload.payload_body import (
    CarriedPayload,
    check_carried,
    with_payload,
    with_payload_columns,
    with_scaled_prior,
)
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary, in_other_units

WEIGHTS = (10.0, 1.0, 100.0)
"""Weights of the prior that are compared, first the one that is used where there is no choice."""

_FREE_GAINS_FACTOR = 10.0
"""Factor of these weights where gains are free, which rest on the URDF's masses."""

_PRIOR_SCALINGS = 4
"""Fits after each of which the priors have the scale that a payload's known mass determines."""

_BETTER_ERROR = 0.98
"""Error, relative to that of the first weight, from which another one is chosen."""

_UNEXPLAINED_SHARE = 0.9
"""Residual over the effort without its mean from which on a model explains nothing."""


def identify(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary] = (),
             weight: float | None = None, gains: Gains | None = None,
             show: Callable[[float], None] = lambda fraction: None,
             own_friction: bool = False, payload: CarriedPayload | None = None) -> Identification:
    """
    Return the identification of a robot from summaries of recordings, and of a payload.

    They share links, rotors and gains of currents, and friction too, unless each has its own.

    Raises
    ------
    IdentificationError
        If the model does not explain what is held out better than the URDF, or the recordings do
        not determine the payload.

    """
    plain, recorded = robot, summaries
    if payload is not None:   # first, so that an own friction that is kept is one without it
        check_carried(plain, payload)
        robot = with_payload(plain, payload)
        summaries = [*(with_payload_columns(plain, payload, each, True)
                       for each in payload.summaries),
                     *(with_payload_columns(plain, payload, each, False) for each in recorded)]
        validation = [with_payload_columns(plain, payload, each, False) for each in validation]
    last = last_sets(summaries[:1])
    robot, gains = _scaled(robot, summaries, gains, payload)
    scaled = summaries = [in_other_units(each, gains.values) for each in summaries]
    validation = [in_other_units(each, gains.values) for each in validation]
    units = np.where(gains.free, np.abs(gains.values), 1.0)
    if own_friction:
        last, summaries = last_sets(summaries), in_joint_sets(summaries)
        robot = with_joint_sets(robot, len(summaries))
    used = np.any([each.used for each in summaries], axis=0)
    terms = _terms(robot, summaries, used, gains, payload)
    everything = pooled([pool for each in summaries for pool in each.weighted])
    correlation = _correlation(summaries)
    weights = [_FREE_GAINS_FACTOR ** gains.free.any() * each
               for each in WEIGHTS] if weight is None else [weight]
    first = weights[0]
    signed = signed_terms(robot, everything, terms, first, correlation)
    terms = with_significant_load(terms, signed)
    parts = parts_of(summaries, own_friction or payload is not None)
    judged = parts.every
    trials = {each: held_out_fits(robot, parts, terms, each)
              for each in weights}
    show(0.6)
    errors = {each: score(*totals(robot, fits, judged)) for each, fits in trials.items()}
    least = min(errors, key=errors.__getitem__)
    weight = least if errors[least] < _BETTER_ERROR * errors[first] else first
    result = fitted(robot, everything, terms, weight)
    fits = [each.fit for each in trials[weight]]
    bare = terms._replace(fixed=tuple(range(len(robot.system.bodies))))
    friction = [each.fit for each in held_out_fits(robot, parts, bare, weight)]
    show(0.8)
    nominal = _nominal(robot, everything, bare, weight)
    models = [[nominal] * len(judged), friction, fits]
    held_out = figures_of(robot, models, judged, parts.moving, units)
    remarks = list(robot.prior.remarks)
    if parts.name == 'recordings':
        remarks += other_recordings(robot, summaries, fits, judged)
    elif own_friction and payload is None and len(recorded) >= FEWEST_RECORDINGS:
        remarks += _others_without_friction(plain, scaled, terms, weight)
    friction_all = fitted(robot, everything, bare, weight).fit
    checks = {}
    for each in validation:
        pools = [pooled(each.moving), pooled(each.resting)]
        models = [[of_joints(fit, last)] for fit in (nominal, friction_all, result.fit)]
        checks[each.name] = figures_of(robot, models, [pooled(pools)], pools[:1], units)
    fit, errors_of = cleaned(result.fit, result.problem), deviations(result, correlation)
    n, b = len(robot.joints), len(plain.prior.factors)
    carried = None
    if payload is not None:
        carried, errors_of = identified_payload(payload, result, correlation, errors_of)
    own = {each.name: (fit.joints / fit.gains[:, None])[n * k:n * k + n]
           for k, each in enumerate(summaries, len(recorded) - len(summaries)) if k >= 0
           } if own_friction else {}
    fit, *fits = (each._replace(bodies=each.bodies[:b]) for each in (fit, *fits))
    found = Identification(
        plain, recorded, used[last] > 0,
        terms._replace(used=terms.used[last], top_speed=terms.top_speed[last]), weight,
        of_joints(fit, last), result.sigma[last],
        errors_of._replace(joints=errors_of.joints[last], gains=errors_of.gains[last],
                           ratios=errors_of.ratios[last]), held_out, parts.name,
        [of_joints(each, np.arange(n)) for each in fits], checks, remarks, own,
        gains if any(each.currents for each in recorded) else None, carried)
    remarks += misfits(found, with_negative_rotors(signed)[last])
    _check_better(found)
    show(1.0)
    return found


def _scaled(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
            payload: CarriedPayload | None) -> tuple[Robot, Gains]:
    """
    Return gains in which free ones have the values of a first fit.

    If a payload's mass is known, priors of the robot have the scale that follows from it.

    """
    if gains is None:
        return robot, known_gains(len(robot.joints))
    fault = signs_fault(robot, summaries, gains)
    if fault:
        raise IdentificationError(fault)
    everything = pooled([pool for each in summaries for pool in each.weighted])
    gains = approximated(robot, everything, gains)
    known = _known_mass(payload)
    used = np.any([each.used for each in summaries], axis=0)
    for _ in range((_PRIOR_SCALINGS if known else 1) if gains.free.any() else 0):
        pool, = with_gains([everything], gains.values)
        first = fitted(robot, pool, _terms(robot, summaries, used, gains, payload),
                       WEIGHTS[0] * (1.0 if known else _FREE_GAINS_FACTOR))
        gains = gains._replace(values=gains.values / first.fit.gains)
        robot = with_scaled_prior(robot, first.fit.bodies) if known else robot
    return robot, gains


def _known_mass(payload: CarriedPayload | None) -> bool:
    return payload is not None and bool(np.isfinite(payload.mass))


def _terms(robot: Robot, summaries: Sequence[Summary], used: Array, gains: Gains,
           payload: CarriedPayload | None) -> FitTerms:
    """Return all terms of the joints that are used; with one joint, only its own body is free."""
    every = np.broadcast_to(used[:, None] > 0, (len(used), len(JOINT_COLUMNS)))
    fastest = np.max([each.fastest for each in summaries], axis=0)
    fixed: tuple[int, ...] = ()
    moved = np.unique(np.flatnonzero(used) % len(robot.joints))
    if len(moved) == 1:
        joint = int(moved[0])
        fixed = tuple(number for number, body in enumerate(robot.system.bodies)
                      if body.coordinate != joint)
    free = tuple(int(joint) for joint in moved if gains.free[joint])
    return FitTerms(every, top_speeds(robot.speed_limits, fastest), free, fixed,
                    len(used) // len(robot.joints), None if payload is None else payload.term)


def _correlation(summaries: Sequence[Summary]) -> Array:
    """Return the rows that count as one, the mean over all rows."""
    rows = np.array([each.joint_seconds for each in summaries])
    times = np.array([each.correlation for each in summaries])
    total = rows.sum(axis=0)
    return np.where(total > 0.0, (rows * times).sum(axis=0) / np.maximum(total, 1e-12), 1.0)


def _nominal(robot: Robot, pool: Pool, bare: FitTerms, weight: float) -> Fit:
    """Return the URDF as a fit; with free gains these alone are fitted."""
    if bare.free_gains:
        none = bare._replace(used=np.zeros_like(bare.used))
        return fitted(robot, pool, none, weight).fit
    joints = np.zeros((len(robot.urdf_friction), len(JOINT_COLUMNS)))
    joints[:, :2] = robot.urdf_friction
    return Fit(robot.prior.nominal, joints, np.ones(len(joints)), np.zeros(0), np.nan)


def _others_without_friction(robot: Robot, summaries: Sequence[Summary], terms: FitTerms,
                             weight: float) -> list[str]:
    """
    Return what `other_recordings` does for recordings each of which has its own friction.

    They may differ in noise as well: residuals are compared over the least possible ones.

    """
    seen = [without_friction(pooled(each.weighted)) for each in summaries]
    judged = [in_least_residuals(without_friction(pooled([*each.moving, *each.resting])))
              for each in summaries]
    n = len(robot.joints)
    rotors = terms.used[:n] & (np.arange(len(JOINT_COLUMNS)) == ARMATURE)
    bare = terms._replace(used=rotors, top_speed=terms.top_speed[:n], sets=1)
    parts = HeldOutParts(seen, judged, judged, 'recordings')
    fits = [each.fit for each in held_out_fits(robot, parts, bare, weight)]
    return other_recordings(robot, summaries, fits, judged)


def _mean_ratio(residual: Array, reference: Array) -> float:
    """Return the geometric mean of the ratios of the joints that are identified."""
    with np.errstate(divide='ignore', invalid='ignore'):
        ratio = residual / reference
    known = np.isfinite(ratio)
    return float(np.exp(np.log(np.maximum(ratio[known], 1e-12)).mean())) if known.any() else 1.0


def _check_better(found: Identification) -> None:
    mean = _mean_ratio(found.held_out.every[2], found.held_out.every[0])
    left = _mean_ratio(found.held_out.every[2], found.held_out.spread)
    if left >= _UNEXPLAINED_SHARE:
        raise IdentificationError(
            'the identified model does not explain the efforts: its residuals in held-out '
            f'{found.parts} are {100.0 * left:.0f} % of the efforts without their mean (geometric '
            'mean of the joints); check that the efforts belong to this URDF, these joints and '
            'this motion, and that nothing else acts on the robot')
    if mean >= 1.0:
        raise IdentificationError(
            f'the identified model explains held-out {found.parts} no better than the URDF: its '
            f'residuals are {mean:.2f} times those of the URDF in the geometric mean of the '
            'joints; check that the efforts belong to this URDF, and record a longer motion of '
            'all joints')
