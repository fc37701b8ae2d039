"""Identification from summaries: the fit, and how well it explains other data."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.delays import LARGEST_DELAY
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    Deviations,
    Fit,
    FitTerms,
    Pool,
    PooledFit,
    cleaned,
    deviations,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
    significant_terms,
    squares,
    with_spread_of_parts,
)
from urdf2dyn_ros.identification.fit_data import (
    FEWEST_RECORDINGS,
    FREE_GAINS_FACTOR,
    Figures,
    FitData,
    HeldOutParts,
    all_terms,
    figures_of,
    fit_data,
    in_least_residuals,
    of_joints,
    parts_of,
    without_friction,
)
from urdf2dyn_ros.identification.gains import (
    Gains,
    approximated,
    free_gains,
    sign_evidence,
    with_gains,
)
from urdf2dyn_ros.identification.payload import (
    CarriedPayload,
    IdentifiedPayload,
    identified_payload,
    payload_on,
    payload_pool,
    scale_remark,
    with_payload,
)
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    JOINT_COLUMNS,
    BaseEstimates,
    Robot,
    base_estimates,
    units_of,
)
from urdf2dyn_ros.identification.rows import score
from urdf2dyn_ros.identification.summary import Summary
from urdf2dyn_ros.robot.spatial import Array, geometric_mean

# ---- The result of an identification

# the URDF as it is; its bodies with fitted friction and rotors; everything fitted
MODELS = ('URDF', 'friction', 'identified')


@dataclass(frozen=True)
class Identification:
    """The result of an identification of n joints."""

    robot: Robot
    summaries: Sequence[Summary]
    used: NDArray[np.bool_]   # (n,), joints that are identified
    terms: FitTerms
    weight: float
    fit: Fit
    sigma: Array
    deviations: Deviations
    held_out: Figures   # of parts that were held out of the fit
    parts: str   # what these are: 'blocks' or 'recordings'
    fits: list[Fit]   # those without each part
    validation: dict[str, Figures] = field(default_factory=dict)   # of other recordings, by name
    remarks: list[str] = field(default_factory=list)
    # JOINT_COLUMNS (n, 6) of each recording by name, if they have friction of their own; `fit` has
    # that of the last in which a joint is used
    own_friction: dict[str, Array] = field(default_factory=dict)
    gains: Gains | None = None   # of currents, before the fit, whose own are relative to them
    payload: IdentifiedPayload | None = None

    @property
    def joints(self) -> Array:
        """JOINT_COLUMNS (n, 6) with efforts in [N m or N], also where gains were free."""
        return self.fit.joints / units_of(self.fit.gains)

    @property
    def effort_per_unit(self) -> Array:
        """Return the gains (n,): effort over what was recorded."""
        return (1.0 if self.gains is None else self.gains.values) / self.fit.gains

    @cached_property
    def base(self) -> BaseEstimates:
        """Base parameters with their deviations."""
        return base_estimates(self.robot, self.fit.bodies, self.deviations.covariance)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each joint's residuals: [N m or N], or [A] where gains are free."""
        return tuple('A' if free else unit for free, unit in zip(
            free_gains(self.gains, len(self.used)), self.robot.dynamics.effort_units))


# ---- What an identified model does not explain, and the likely reason, in sentences

# share of the residuals of two joints that a motor which turns with both predicts, from which on
# they look coupled: 0.87 on a wrist whose gears are, up to 0.2 on robots whose gears are not
_COUPLED_SHARE = 0.3
# residual over the measured effort from which on a joint is not explained
_UNEXPLAINED_JOINT = 0.5
LEAST_R2 = 0.5   # R2 in held-out parts below which a joint is not explained
# logarithm of the ratio of what the recorded and the other sign of an effort leave, from which on
# the other one is suggested
_OTHER_SIGN = 0.3
_IMPLAUSIBLE_MASS_RATIO = 3.0   # ratio of masses from which on a change is not plausible
# identified mass over that of the URDF, median of the bodies, below which the units are wrong
_TYPICAL_MASS_RATIO = 0.5
# residual of all samples over that of moving ones, from which on rest is the reason
_RESTING_RATIO = 2.0
# error of a recording, over the median of the others, from which on it does not fit
_MISFIT_RATIO = 2.5
# error of a recording, over its efforts, below which it fits: a faster motion has larger ones
_LEAST_MISFIT = 0.02
# others with which a recording is compared, so that the time does not grow with their square
_MOST_COMPARED = 30


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
        if moving[j] > _UNEXPLAINED_JOINT * measured[j] or r2[j] < LEAST_R2:
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


# ---- Recordings that spoil the model for the others, or that these contradict

# residual of the others, with recordings over without them, from which on they are not used
_SPOILING_RATIO = 2.0
# residual of a recording over that of the others, in the fit to them, below which it fits
_SUSPICIOUS_RATIO = 1.5
# factor by which the ratio has to grow with each further recording that is excluded
_WORTHWHILE = 1.1
# recordings that are excluded together: so many, and of so many one
_MOST_TOGETHER, _LARGEST_SHARE = 3, 3
# residual of a joint of one recording over that of the others, from which on it is not used
_FOREIGN_RATIO = 10.0
_LEAST_FOREIGN = 0.1   # share of the efforts of a recording that such a residual has at least
# others that agree, from which on one that does not is not used whatever it does to the model
_FEWEST_OTHERS = 4


class Spoiling(NamedTuple):
    """Recordings that are not used, and why."""

    numbers: tuple[int, ...]
    ratio: float   # residual of the others with them over that without
    foreign: bool = False   # then the ratio is the recording's residual over that of the others

    def sentence(self, summaries: Sequence[Summary]) -> str:
        """Return what is wrong and what to do."""
        names = ', '.join(summaries[number].name for number in self.numbers)
        several = len(self.numbers) > 1
        begin, them = ('s {} do not fit the others, and are', 'them') if several else (
            ' {} does not fit the others, and is', 'it')
        why = ('its residual is up to {:.0f} times theirs' if self.foreign else
               f'without {them} their residual is {{:.1f}} times smaller').format(self.ratio)
        return (f'recording{begin.format(names)} not used: {why}; another '
                'payload, tool or day, a contact, or a sensor that failed? if nothing is wrong '
                f'with {them}, identify {them} alone, with --payload-recording, or with '
                '--friction-per-recording')


def spoiling_recordings(robot: Robot, whole: PooledFit, fits: Sequence[PooledFit],
                        pools: Sequence[Pool], seen: Sequence[Pool], terms: FitTerms,
                        weight: float) -> Spoiling | None:
    """
    Return the recordings without which the others are explained far better, or None.

    The fit to all of them and that without some are both judged by the others (geometric mean of
    the joints). Of two that agree and one that does not it is the latter: without one of the
    former the others still contradict each other. Two with a load each spoil the fit without one
    of them as well: where no single one is enough and one does not fit, further ones are excluded
    with it.
    `fits` are without each recording, `seen` are the pools that were fitted; `pools` are those of
    moving samples, as static friction leaves more than a load does.
    """
    ratios = [_ratio(robot, whole, fit, _without(pools, [number]))
              for number, fit in enumerate(fits)]
    out, most = [int(np.argmax(ratios))], max(ratios)
    suspicious = any(_relative_error(robot, fit, pools, number) > _SUSPICIOUS_RATIO
                     for number, fit in enumerate(fits))
    while most <= _SPOILING_RATIO:
        if not suspicious or len(out) == min(_MOST_TOGETHER, len(pools) // _LARGEST_SHARE):
            return _foreign(robot, fits, pools)
        before, candidates = most, [k for k in range(len(pools)) if k not in out]
        ratios = [_ratio(robot, whole, fitted(robot, pooled(_without(seen, [*out, k])), terms,
                                              weight, whole), _without(pools, [*out, k]))
                  for k in candidates]
        most = max(ratios)
        if most < _WORTHWHILE * before:
            return _foreign(robot, fits, pools)
        out.append(candidates[int(np.argmax(ratios))])
    return Spoiling(tuple(sorted(out)), most)


def _foreign(robot: Robot, fits: Sequence[PooledFit], pools: Sequence[Pool]) -> Spoiling | None:
    """
    Return the recording that the model of the others explains least at some joint, or None.

    Among a dozen it hardly changes the model, but is of no use: a dead sensor, a cut effort.
    """
    if len(pools) <= _FEWEST_OTHERS:
        return None
    most, number = max((_largest_ratio(robot, fit, pools, k), k) for k, fit in enumerate(fits))
    return Spoiling((number,), most, foreign=True) if most > _FOREIGN_RATIO else None


def _largest_ratio(robot: Robot, fit: PooledFit, pools: Sequence[Pool], number: int) -> float:
    """Return the largest of the joints' residuals of a recording over those of the others."""
    own, efforts = (np.sqrt(each / np.maximum(pools[number].rows, 1.0)) for each in (
        squares(fit.fit, pools[number], robot),
        np.array([R[:, -1] @ R[:, -1] for R in pools[number].triangles])))
    others = _without(pools, [number])
    total, count = left_squares(robot, [fit] * len(others), others)
    known = (pools[number].rows > 0.0) & (total > 0.0) & (own > _LEAST_FOREIGN * efforts)
    return float((own[known] / np.sqrt(total[known] / count[known])).max(initial=0.0))


def _without(pools: Sequence[Pool], numbers: Collection[int]) -> list[Pool]:
    return [pool for k, pool in enumerate(pools) if k not in numbers]


def _error(robot: Robot, fit: PooledFit, pools: Sequence[Pool]) -> float:
    return score(*left_squares(robot, [fit] * len(pools), pools))


def _ratio(robot: Robot, whole: PooledFit, part: PooledFit, pools: Sequence[Pool]) -> float:
    """Return the residual of pools in a fit to all over that in another one."""
    without = _error(robot, part, pools)
    return _error(robot, whole, pools) / without if without > 0.0 else 1.0


def _relative_error(robot: Robot, fit: PooledFit, pools: Sequence[Pool], number: int) -> float:
    """Return the residual of a recording over that of the others in the fit to them."""
    others = _error(robot, fit, _without(pools, [number]))
    return _error(robot, fit, [pools[number]]) / others if others > 0.0 else 1.0


# ---- A payload that fits another link than the one that is said to carry it, or other recordings

# fall of the logarithm of what a fit leaves, over all joints, from which on it is another one
_BETTER = 1.0


def check_carrier(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
                  payload: CarriedPayload) -> None:
    """Raise an IdentificationError if another link or other recordings explain far more."""
    used = [np.any([each.used > 0 for each in some], axis=0)
            for some in (summaries, payload.summaries)]
    without, loaded = (pooled([pool for each in some for pool in each.weighted])
                       for some in (summaries, payload.summaries))
    if gains is not None:
        gains = approximated(robot, pooled([without, loaded]), gains)
        without, loaded = with_gains([without, loaded], gains.values)
    terms = all_terms(robot, [*summaries, *payload.summaries],
                      gains or Gains(np.ones(len(used[0])), np.zeros(len(used[0]), dtype=bool)),
                      payload)
    given = _left(robot, terms, payload, without, loaded)
    left, fault = min((
        (_left(robot, terms, payload, loaded, without),
         'the recordings with and without the payload look interchanged: check '
         '--payload-recording'),
        *((_left(robot, terms, other, without, loaded),
           f'the payload looks carried by {other.link}, or what is fixed to it, not by '
           f'{payload.link}: check --payload-link') for other in _others(robot, used[1], payload)),
    ), key=lambda pair: pair[0])
    if given - left > _BETTER:
        factor = float(np.exp((given - left) / np.count_nonzero(used[0] | used[1])))
        raise IdentificationError(f'{fault}; then {factor:.2g} times smaller residuals are left '
                                  '(geometric mean of the joints)')


def _others(robot: Robot, used: NDArray[np.bool_], payload: CarriedPayload
            ) -> Iterator[CarriedPayload]:
    """Yield the payload on other bodies that used joints move."""
    moved = {number for bodies, flag in zip(robot.columns.bodies, used) if flag
             for number in bodies}
    for number in sorted(moved - {payload.carrier}):
        link = robot.system.bodies[number].attached[0].link.name
        yield payload_on(robot, link, payload.mass, payload.summaries)


def _left(robot: Robot, terms: FitTerms, payload: CarriedPayload, without: Pool,
          loaded: Pool) -> float:
    """Return the logarithm of what a fit leaves of the efforts, sum of the joints."""
    pool = pooled([payload_pool(robot, payload, without, False),
                   payload_pool(robot, payload, loaded, True)])
    fit = fitted(with_payload(robot, payload), pool, terms, PRIOR_WEIGHT)
    return float(np.log(fit.sigma[pool.rows > 0.0]).sum())


# ---- Identification from summaries: the fit, and how well it explains what it was not fitted to

# weights of the prior that are compared, first the one that is used where there is no choice
WEIGHTS = (PRIOR_WEIGHT, 1.0, 100.0)
# error, relative to that of the first weight, from which another one is chosen
_BETTER_ERROR = 0.98
# residual of the URDF, relative to the efforts without their mean, that a simulator leaves
_EXPLAINED_SHARE = 0.01
# residual over the effort without its mean from which on a model explains nothing
_UNEXPLAINED_SHARE = 0.9


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
    terms, negative_rotors = significant_terms(robot, everything, every, weights[0],
                                               data.correlation)
    trials = {each: fits_to_others(robot, parts.seen, terms, each) for each in weights}
    show(0.6)
    judged = parts.every
    errors = {each: score(*left_squares(robot, fits, judged)) for each, fits in trials.items()}
    best = min(errors, key=errors.__getitem__)
    if errors[best] >= _BETTER_ERROR * errors[weights[0]]:
        best = weights[0]
    return _Model(terms, best, fitted(robot, everything, terms, best), trials[best],
                  negative_rotors)


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
