"""Identification from summaries: the fit, and how well it explains what it was not fitted to."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array, geometric_mean
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.choice import score
from urdf2dyn_ros.identification.fit.deviations import deviations, with_spread_of_parts
from urdf2dyn_ros.identification.fit.fit_data import (
    FREE_GAINS_FACTOR,
    FitData,
    all_terms,
    fit_data,
)
from urdf2dyn_ros.identification.fit.fit_problem import Fit
from urdf2dyn_ros.identification.fit.held_out import (
    FEWEST_RECORDINGS,
    Figures,
    HeldOutParts,
    figures_of,
    parts_of,
)
from urdf2dyn_ros.identification.fit.joint_columns import ARMATURE, JOINT_COLUMNS, units_of
from urdf2dyn_ros.identification.fit.own_friction import (
    in_least_residuals,
    of_joints,
    without_friction,
)
from urdf2dyn_ros.identification.fit.pooled_fit import (
    PRIOR_WEIGHT,
    FitTerms,
    Pool,
    PooledFit,
    cleaned,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
    signed_terms,
    with_negative_rotors,
    with_significant_terms,
)
from urdf2dyn_ros.identification.gains import Gains
from urdf2dyn_ros.identification.misfits import misfits, other_recordings
from urdf2dyn_ros.identification.payload.identified_payload import identified_payload, scale_remark
from urdf2dyn_ros.identification.payload.other_carrier import check_carrier
from urdf2dyn_ros.identification.payload.payload_body import CarriedPayload
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.spoiling_recordings import spoiling_recordings
from urdf2dyn_ros.identification.summary import Summary

WEIGHTS = (PRIOR_WEIGHT, 1.0, 100.0)
"""Weights of the prior that are compared, first the one that is used where there is no choice."""

_BETTER_ERROR = 0.98
"""Error, relative to that of the first weight, from which another one is chosen."""

_EXPLAINED_SHARE = 0.01
"""Residual of the URDF, relative to the efforts without their mean, that a simulator leaves."""

_UNEXPLAINED_SHARE = 0.9
"""Residual over the effort without its mean from which on a model explains nothing."""


class _Model(NamedTuple):
    """The chosen terms and weight, the fit to everything, and the fits without each part."""

    terms: FitTerms
    weight: float
    whole: PooledFit
    without: Sequence[PooledFit]
    negative_rotors: NDArray[np.bool_]


def identify(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary] = (),
             weight: float | None = None, gains: Gains | None = None,
             show: Callable[[float], None] = lambda fraction: None,
             own_friction: bool = False, payload: CarriedPayload | None = None) -> Identification:
    """
    Return the identification of a robot from summaries of recordings, and of a payload.

    They share links, rotors and gains of currents, and friction too, unless each has its own. An
    IdentificationError if the model does not explain what is held out better than the URDF, or the
    recordings do not determine the payload.
    """
    if payload is not None:
        check_carrier(robot, summaries, gains, payload)
    data = fit_data(robot, summaries, validation, gains, own_friction, payload)
    parts = parts_of(data.summaries, own_friction or payload is not None)
    model = _model(data, parts, payload, weight, show)
    if parts.name == 'recordings':
        spoiling = spoiling_recordings(data.robot, model.whole, model.without, parts.moving,
                                       parts.seen, model.terms, model.weight)
        if spoiling is not None:
            others = [each for k, each in enumerate(summaries) if k not in spoiling.numbers]
            rest = identify(robot, others, validation, weight, gains, show)
            rest.remarks.insert(0, spoiling.sentence(summaries))
            return rest
    show(0.8)
    result = _result(robot, summaries, data, parts, model, payload, own_friction)
    if parts.name == 'recordings':
        result.remarks.extend(other_recordings(
            data.robot, data.summaries, [each.fit for each in model.without], parts.every))
    elif own_friction and payload is None and len(summaries) >= FEWEST_RECORDINGS:
        result.remarks.extend(_others_without_friction(robot, data.plain, model))
    result.remarks.extend(misfits(result, model.negative_rotors[data.last]))
    if payload is not None:
        count = len(robot.prior.parameters)
        result.remarks.extend(scale_remark(payload, robot.prior.parameters[:, 0],
                                           result.fit.bodies[:count, 0]))
    _check_better(result)
    show(1.0)
    return result


def _model(data: FitData, parts: HeldOutParts, payload: CarriedPayload | None,
           weight: float | None, show: Callable[[float], None]) -> _Model:
    """
    Return the fits with the terms that are significant, and the weight, if that is not known.

    It is the one with the least error in what was held out, and the first if that is as good.
    """
    robot, everything = data.robot, data.everything
    factor = FREE_GAINS_FACTOR ** data.gains.free.any()
    weights = [factor * each for each in WEIGHTS] if weight is None else [weight]
    every = all_terms(robot, data.summaries, data.gains, payload)
    signed = signed_terms(robot, everything, every, weights[0], data.correlation)
    terms = with_significant_terms(every, signed)
    trials = {each: fits_to_others(robot, parts.seen, terms, each) for each in weights}
    show(0.6)
    judged = parts.every
    errors = {each: score(*left_squares(robot, fits, judged)) for each, fits in trials.items()}
    best = min(errors, key=errors.__getitem__)
    if errors[best] >= _BETTER_ERROR * errors[weights[0]]:
        best = weights[0]
    return _Model(terms, best, fitted(robot, everything, terms, best), trials[best],
                  with_negative_rotors(signed))


def _result(robot: Robot, summaries: Sequence[Summary], data: FitData, parts: HeldOutParts,
            model: _Model, payload: CarriedPayload | None, own_friction: bool) -> Identification:
    """Return what was fitted, for the bodies and joints of the robot alone."""
    terms, whole, n, last = model.terms, model.whole, len(robot.joints), data.last
    held_out, validated = _figures(data, parts, model)
    correlation = with_spread_of_parts(whole, model.without, data.correlation)
    carried, errors = None, deviations(whole, correlation)
    if payload is not None:
        carried, errors = identified_payload(payload, whole, correlation, errors)
    fit, *fits = (each._replace(bodies=each.bodies[:len(robot.prior.factors)])
                  for each in (cleaned(whole.fit, whole.problem),
                               *(each.fit for each in model.without)))
    return Identification(
        robot, summaries, np.any([each.used > 0 for each in data.summaries], axis=0)[last],
        terms._replace(used=terms.used[last], top_speed=terms.top_speed[last]), model.weight,
        of_joints(fit, last), whole.sigma[last],
        errors._replace(joints=errors.joints[last], gains=errors.gains[last],
                        ratios=errors.ratios[last]), held_out, parts.name,
        [of_joints(each, np.arange(n)) for each in fits], validated, list(robot.prior.remarks),
        _own_frictions(fit, summaries, n) if own_friction else {},
        data.gains if any(each.currents for each in summaries) else None, carried)


def _figures(data: FitData, parts: HeldOutParts,
             model: _Model) -> tuple[Figures, dict[str, Figures]]:
    """
    Return how well URDF, the URDF with friction and rotors, and the model explain other data.

    The figures are those of what was held out, and of each validation recording by its name.
    """
    robot, everything, weight = data.robot, data.everything, model.weight
    bare = model.terms._replace(fixed=tuple(range(len(robot.system.bodies))))
    nominal = _nominal(robot, everything, bare, weight)
    units = np.where(data.gains.free, np.abs(data.gains.values), 1.0)
    friction = [each.fit for each in fits_to_others(robot, parts.seen, bare, weight)]
    held_out = figures_of(robot, [[nominal] * len(friction), friction,
                                  [each.fit for each in model.without]],
                          parts.every, parts.moving, units)
    models = (nominal, fitted(robot, everything, bare, weight).fit, model.whole.fit)
    validated = {}
    for each in data.validation:
        pools = [pooled(each.moving), pooled(each.resting)]
        validated[each.name] = figures_of(
            robot, [[of_joints(fit, data.last)] for fit in models], [pooled(pools)],
            pools[:1], units)
    return held_out, validated


def _own_frictions(fit: Fit, summaries: Sequence[Summary], n: int) -> dict[str, Array]:
    """Return JOINT_COLUMNS (n, 6) of the last sets of joints, by name of their recordings."""
    sets = (fit.joints / units_of(fit.gains)).reshape(-1, n, len(JOINT_COLUMNS))
    return {each.name: joints for each, joints in zip(summaries, sets[-len(summaries):])}


def _nominal(robot: Robot, pool: Pool, bare: FitTerms, weight: float) -> Fit:
    """Return the URDF as a fit; with free gains these alone are fitted."""
    if bare.free_gains:
        none = bare._replace(used=np.zeros_like(bare.used))
        return fitted(robot, pool, none, weight).fit
    joints = np.zeros((len(robot.urdf_friction), len(JOINT_COLUMNS)))
    joints[:, :2] = robot.urdf_friction
    return Fit(robot.prior.nominal, joints, np.ones(len(joints)), np.zeros(0), np.nan)


def _others_without_friction(robot: Robot, summaries: Sequence[Summary],
                             model: _Model) -> list[str]:
    """
    Return what `other_recordings` does for recordings each of which has its own friction.

    They may differ in noise as well: residuals are compared over the least possible ones.
    """
    seen = [without_friction(pooled(each.weighted)) for each in summaries]
    judged = [in_least_residuals(without_friction(pooled([*each.moving, *each.resting])))
              for each in summaries]
    n = len(robot.joints)
    rotors = model.terms.used[:n] & (np.arange(len(JOINT_COLUMNS)) == ARMATURE)
    bare = model.terms._replace(used=rotors, top_speed=model.terms.top_speed[:n], sets=1)
    fits = [each.fit for each in fits_to_others(robot, seen, bare, model.weight)]
    return other_recordings(robot, summaries, fits, judged, own_friction=True)


def _mean_ratio(residual: Array, reference: Array) -> float:
    """Return the geometric mean of the ratios of the joints that are identified."""
    with np.errstate(divide='ignore', invalid='ignore'):
        ratio = residual / reference
    known = np.isfinite(ratio)
    return geometric_mean(ratio[known]) if known.any() else 1.0


def _check_better(result: Identification) -> None:
    mean = _mean_ratio(result.held_out.every[2], result.held_out.every[0])
    left = _mean_ratio(result.held_out.every[2], result.held_out.spread)
    if left >= _UNEXPLAINED_SHARE:
        raise IdentificationError(
            'the identified model does not explain the efforts: its residuals in held-out '
            f'{result.parts} are {100.0 * left:.0f} % of the efforts without their mean '
            '(geometric mean of the joints); check that the efforts belong to this URDF, these '
            'joints and this motion, and that nothing else acts on the robot')
    of_urdf = _mean_ratio(result.held_out.every[0], result.held_out.spread)
    if mean >= 1.0 and of_urdf < _EXPLAINED_SHARE:
        raise IdentificationError(
            f'there is nothing to identify: the URDF leaves {100.0 * of_urdf:.2g} % of the '
            'efforts (geometric mean of the joints), and the identified model leaves no less; are '
            'they those of a simulator that has the same URDF?')
    if mean >= 1.0:
        raise IdentificationError(
            f'the identified model explains held-out {result.parts} no better than the URDF: its '
            f'residuals are {mean:.2f} times those of the URDF in the geometric mean of the '
            'joints; check that the efforts belong to this URDF, and record a longer motion of '
            'all joints')
