"""What is fitted: a robot and summaries in units of their gains, with a payload."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.fit import (
    FAINT_WEIGHT,
    PooledFit,
    fits_to_others,
    fitted,
    pooled,
    with_spread_of_parts,
)
from urdf2dyn_ros.identification.gains import (
    DECISIVE,
    Gains,
    approximated,
    deviations_of_gains,
    known_gains,
    scale_of_efforts,
    scale_of_inertias,
    sign_evidence,
    with_gains,
    with_scaled_prior,
)
from urdf2dyn_ros.identification.held_out import parts_of
from urdf2dyn_ros.identification.payload import CarriedPayload, payload_pool, with_payload
from urdf2dyn_ros.identification.robot import ARMATURE, JOINT_COLUMNS, Robot
from urdf2dyn_ros.identification.summary import (
    Summary,
    all_rows,
    all_terms,
    in_other_units,
    mean_correlation,
)
from urdf2dyn_ros.robot.spatial import geometric_mean

# ---- Robot and summaries as they are fitted

# weight of the URDF where gains are free, whose scale rests on its masses, and where a payload
# of known mass has it instead
_WEIGHT_OF_GAINS, _WEIGHT_BESIDE_PAYLOAD = 100.0, 10.0
# logarithm of the ratio of what the two signs of a current leave, for a sign that is known
_OTHER_SIGN = 1.0
_BETTER_SIGN = 0.98   # what the other sign of a gain leaves, by the first, if it is chosen
_PRIOR_SCALINGS = 4   # fits after which priors have the scale by a payload's known mass


class FitData(NamedTuple):
    """Robot and summaries of a fit, with the payload, in units of the gains."""

    robot: Robot
    summaries: Sequence[Summary]
    validation: Sequence[Summary]
    gains: Gains
    gain_fit: PooledFit | None   # by which free gains were found


def prepare_fit(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary],
                gains: Gains | None, payload: CarriedPayload | None) -> FitData:
    """
    Return robot and summaries as they are fitted.

    An IdentificationError if signs of currents contradict each other.
    """
    if payload is not None:
        plain, carrying = robot, payload

        def wider(summary: Summary, carried: bool) -> Summary:
            return summary.with_pools(lambda pools: [payload_pool(plain, carrying, pool, carried)
                                                     for pool in pools], rows=None)

        summaries = [*(wider(summary, True) for summary in payload.summaries),
                     *(wider(summary, False) for summary in summaries)]
        validation = [wider(summary, False) for summary in validation]
        robot = with_payload(plain, payload)
    for j in [] if gains is None else np.flatnonzero(gains.free).tolist():
        signs = [(sign_evidence(pooled(summary.weighted), j), summary.name)
                 for summary in (*summaries, *validation)]
        (least, one), (most, other) = min(signs), max(signs)
        if least < -_OTHER_SIGN and most > _OTHER_SIGN:
            raise IdentificationError(
                f'the current of {robot.joints[j]} has another sign in {one} than in {other}: '
                'change it, or identify without one of them')
    robot, gains, gain_fit = _scaled(robot, summaries, gains, payload)
    scaled, checked = ([in_other_units(summary, gains.values) for summary in group]
                       for group in (summaries, validation))
    return FitData(robot, scaled, checked, gains, gain_fit)


class GainFit(NamedTuple):
    """A fit by which free gains were found."""

    robot: Robot   # with the scale of its priors that follows
    gains: Gains
    fit: PooledFit
    residual: float   # what it leaves of the currents, the geometric mean of the joints


def _scaled(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
            payload: CarriedPayload | None) -> tuple[Robot, Gains, PooledFit | None]:
    """
    Return the robot, gains in which free ones are identified, and the fit that did it.

    If a payload's mass is known, priors of the robot have the scale that follows from it; if
    nothing is, that with which the robot needs the efforts of its URDF.
    """
    if gains is None:
        return robot, known_gains(len(robot.joints)), None
    everything = all_rows(summaries)
    gains = approximated(robot, everything, gains)
    if not gains.free.any():
        return robot, gains, None
    best = _gain_fit(robot, summaries, gains, payload)
    for joint in np.flatnonzero(gains.free & (everything.rows > 0.0)).tolist():
        if abs(sign_evidence(everything, joint)) > DECISIVE:
            continue
        signs = np.where(np.arange(len(gains.values)) == joint, -1.0, 1.0)
        turned = gains._replace(values=signs * gains.values)
        other = _gain_fit(robot, summaries, turned, payload)
        if other.residual < _BETTER_SIGN * best.residual:
            best, gains = other, turned
    return best.robot, best.gains, best.fit


def _gain_fit(robot: Robot, summaries: Sequence[Summary], gains: Gains,
              payload: CarriedPayload | None) -> GainFit:
    mass_known = payload is not None and bool(np.isfinite(payload.mass))
    weight = _WEIGHT_BESIDE_PAYLOAD if mass_known else _WEIGHT_OF_GAINS
    parts = parts_of(summaries, blocks_only=payload is not None).frictionless
    terms = all_terms(robot, summaries, None if payload is None else payload.mass)
    moves = pooled(parts).rows > 0.0
    terms = terms._replace(unknown=terms.unknown & (np.arange(len(JOINT_COLUMNS)) == ARMATURE),
                           free_gains=tuple(np.flatnonzero(gains.free & moves).tolist()))
    for _ in range(_PRIOR_SCALINGS if mass_known else 1):
        before, scaled = robot, with_gains(parts, gains.values)
        result = fitted(robot, pooled(scaled), terms, weight)
        residual = geometric_mean((result.sigma / np.abs(gains.values))[moves])
        gains = gains._replace(values=gains.values / result.fit.gains)
        if mass_known:
            bodies = result.fit.bodies[:-1]
            robot = with_scaled_prior(robot, scale_of_inertias(robot, bodies), len(bodies))
        elif payload is None and gains.free[moves].all():
            pool, = with_gains([all_rows(summaries)], gains.values)
            scale = 1.0 / scale_of_efforts(robot, pool, result.fit.bodies)
            gains = gains._replace(values=scale * gains.values)
            robot = with_scaled_prior(robot, scale, len(robot.prior.factors))
    correlation = with_spread_of_parts(result, fits_to_others(before, scaled, terms, weight),
                                       mean_correlation(summaries))
    if mass_known:   # the URDF's masses must not count for the scale
        result = result._replace(problem=result.problem._replace(weight=FAINT_WEIGHT))
    deviations, ratios = deviations_of_gains(result, correlation)
    return GainFit(robot, gains._replace(deviations=deviations, ratios=ratios), result, residual)
