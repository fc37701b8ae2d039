"""Identification from summaries: the fit, and how well it explains what it was not fitted to."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.findings import caveats_of, contradictions_of, remarks_of
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    Fit,
    Pool,
    PooledFit,
    cleaned,
    compute_deviations,
    covariance_of,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
    significant_terms,
    with_further_friction,
    with_spread_of_parts,
)
from urdf2dyn_ros.identification.fit_data import FitData, prepare_fit
from urdf2dyn_ros.identification.gains import Gains
from urdf2dyn_ros.identification.held_out import (
    Figures,
    HeldOutParts,
    figures_of,
    opposed_recordings,
    parts_of,
    unlike_recordings,
)
from urdf2dyn_ros.identification.payload import CarriedPayload, check_carrier, find_payload
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import COULOMB, JOINT_COLUMNS, VISCOUS, Robot
from urdf2dyn_ros.identification.rows import score
from urdf2dyn_ros.identification.summary import Summary, all_rows, all_terms, mean_correlation
from urdf2dyn_ros.robot.spatial import Array, geometric_mean

# weights of the prior that are compared, first the one that is used where there is no choice
WEIGHTS = (PRIOR_WEIGHT, 1.0, 100.0)
# error, relative to that of the first weight, from which another one is chosen
_BETTER_ERROR = 0.98
# residual of the URDF, relative to the efforts without their mean, that a simulator leaves
_EXPLAINED_SHARE = 0.01
# residual over the effort without its mean from which on a model explains nothing
_UNEXPLAINED_SHARE = 0.9
_FOREIGN_RATIO = 6.0   # residual of a recording over those of the others that is not used
# of so few recordings, only if with it the residual of the others is larger by this ratio: sensors
# have other offsets on another day
_FEW, _SPOILING_RATIO = 4, 2.0


def identify_summaries(robot: Robot, summaries: Sequence[Summary],
                       validation: Sequence[Summary] = (),
                       weight: float | None = None, gains: Gains | None = None,
                       show: Callable[[float], None] = lambda fraction: None,
                       payload: CarriedPayload | None = None,
                       left_out: int = 0) -> Identification:
    """
    Return the identification of a robot from summaries of recordings, and of a payload.

    They share links, rotors, friction and gains of currents. Of those that do not fit the others,
    at most a third is left out, with `left_out` earlier ones: more would be days that differ. An
    IdentificationError if the model does not explain what is held out better than the URDF, or
    the recordings do not determine the payload.
    """
    if payload is not None:
        check_carrier(robot, summaries, gains, payload)
    data = prepare_fit(robot, summaries, validation, gains, payload)
    with_load, everything = data.robot, all_rows(data.summaries)   # a payload is its last body
    correlation = mean_correlation(data.summaries)
    parts = parts_of(data.summaries, blocks_only=payload is not None)
    weights = [*WEIGHTS] if weight is None else [weight]
    terms = all_terms(with_load, data.summaries, None if payload is None else payload.mass)
    terms, negative_rotors = significant_terms(with_load, everything, terms, weights[0],
                                               correlation)
    trials = {value: fits_to_others(with_load, parts.seen, terms, value) for value in weights}
    show(0.6)
    judged = parts.every
    errors = {value: score(*left_squares(with_load, fits, judged))
              for value, fits in trials.items()}
    best = min(errors, key=errors.__getitem__)
    if errors[best] >= _BETTER_ERROR * errors[weights[0]]:
        best = weights[0]
    terms, without, by_friction = with_further_friction(
        with_load, parts.seen, judged, terms, best, trials[best])
    unlike = unlike_recordings(with_load, [summary.name for summary in summaries], without,
                               parts.moving) if parts.name == 'recordings' else {}
    whole = fitted(with_load, everything, terms, best)

    def spoils(number: int) -> bool:
        others = [pool for k, pool in enumerate(parts.moving) if k != number]
        with_it, without_it = (score(*left_squares(with_load, [fit] * len(others), others))
                               for fit in (whole, without[number]))
        return with_it > _SPOILING_RATIO * without_it

    foreign = [summary.name for number, summary in enumerate(summaries)
               if summary.name in unlike and unlike[summary.name].ratio > _FOREIGN_RATIO
               and (len(summaries) > _FEW or spoils(number))]
    if foreign and 3 * (left_out + len(foreign)) <= left_out + len(summaries):
        others = [summary for summary in summaries if summary.name not in foreign]
        rest = identify_summaries(robot, others, validation, weight, gains, show,
                                  left_out=left_out + len(foreign))
        return replace(rest, caveats=(*(f'{unlike[name].sentence} It is not used'
                                        for name in foreign), *rest.caveats))
    show(0.8)
    held_out, validated = _judge(data, parts, whole, without, everything)
    correlation = with_spread_of_parts(whole, without, correlation)
    count = len(robot.prior.factors)
    fit, *fits = (full._replace(bodies=full.bodies[:count]) for full in (
        cleaned(whole.fit, whole.problem), *(partial.fit for partial in without)))
    result = Identification(
        robot, summaries, np.any([summary.used for summary in data.summaries], axis=0), terms,
        best, fit, compute_deviations(whole, correlation), held_out, parts.name, fits, by_friction,
        validated, data.gains if any(summary.currents for summary in summaries) else None,
        None if payload is None else find_payload(
            payload, whole, covariance_of(whole, correlation)[0] if data.gain_fit is None else
            # that of the fit that has the gains as unknowns
            covariance_of(data.gain_fit, mean_correlation(data.summaries))[0], data.gains))
    contradictions = [
        *chain.from_iterable(summary.contradictions for summary in (
            *summaries, *(payload.summaries if payload else ()))),
        *(f'{each.sentence} Identify without it, or from it alone' for each in unlike.values())]
    if len(summaries) == 2 and payload is None:
        contradictions += opposed_recordings(with_load, data.summaries, without, terms, best)
    fault = _fault(result)
    if fault:
        raise IdentificationError('; '.join((fault, *contradictions)))
    show(1.0)
    return replace(
        result, contradictions=(*contradictions, *contradictions_of(result)),
        caveats=(*caveats_of(result), *chain.from_iterable(
            summary.contradictions for summary in validation)),
        remarks=(*robot.prior.remarks, *remarks_of(result, negative_rotors)))


def _judge(data: FitData, parts: HeldOutParts, whole: PooledFit, without: Sequence[PooledFit],
           everything: Pool) -> tuple[Figures, dict[str, Figures]]:
    """
    Return how well URDF, the URDF with friction and rotors, and the model explain other data.

    The figures are those of what was held out, and of each validation recording by its name.
    """
    robot, weight = data.robot, whole.problem.weight
    bare = whole.problem.terms._replace(fixed=tuple(range(len(robot.system.bodies))))
    joints = np.zeros((len(robot.joints), len(JOINT_COLUMNS)))
    joints[:, [VISCOUS, COULOMB]] = robot.urdf_friction
    nominal = Fit(robot.prior.nominal, joints, np.ones(len(joints)), np.zeros(0), np.nan)
    units = np.where(data.gains.free, np.abs(data.gains.values), 1.0)
    friction = [result.fit for result in fits_to_others(robot, parts.seen, bare, weight)]
    held_out = figures_of(robot, [[nominal] * len(friction), friction,
                                  [result.fit for result in without]],
                          parts.every, parts.moving, units)
    models = [[nominal], [fitted(robot, everything, bare, weight).fit], [whole.fit]]
    validated = {}
    for summary in data.validation:
        moving, resting = pooled(summary.moving), pooled(summary.resting)
        validated[summary.name] = figures_of(robot, models, [pooled((moving, resting))], [moving],
                                             units)
    return held_out, validated


def _fault(result: Identification) -> str:
    """Return why the model is no better than none or the URDF, or nothing."""
    def mean_ratio(residual: Array, reference: Array) -> float:
        """Return the geometric mean of the ratios of the joints that are identified."""
        with np.errstate(divide='ignore', invalid='ignore'):
            ratio = residual / reference
        finite = np.isfinite(ratio)
        return geometric_mean(ratio[finite]) if finite.any() else 1.0

    urdf, _, identified = result.held_out.every
    mean, of_model, of_urdf = (mean_ratio(residual, reference) for residual, reference in (
        (identified, urdf), (identified, result.held_out.spread), (urdf, result.held_out.spread)))
    if of_model >= _UNEXPLAINED_SHARE:
        return ('the identified model does not explain the efforts: its residuals in held-out '
                f'{result.parts} are {100.0 * of_model:.0f} % of the efforts without their mean '
                '(geometric mean of the joints); check that the efforts belong to this URDF, '
                'these joints and this motion, and that nothing else acts on the robot')
    if mean < 1.0:
        return ''
    if of_urdf < _EXPLAINED_SHARE:
        return (f'there is nothing to identify: the URDF leaves {100.0 * of_urdf:.2g} % of the '
                'efforts (geometric mean of the joints), and the identified model leaves no less; '
                'are they those of a simulator that has the same URDF?')
    return (f'the identified model explains held-out {result.parts} no better than the URDF: its '
            f'residuals are {mean:.2f} times those of the URDF in the geometric mean of the '
            'joints; check that the efforts belong to this URDF, and record a longer motion of '
            'all joints')
