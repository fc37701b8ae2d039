"""
What is fitted: a robot and summaries in units of their gains, with a payload.

A payload is one more body of the fit. Its columns are those of the body that carries it, in the
rows of the recordings in which it is there, and zero in the others. So the same fit has robot and
payload, with friction and rotors in common, and effort per current as well: with the payload's
known mass nothing is left that a factor could change.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.identification.fit import (
    FAINT_WEIGHT,
    PRIOR_WEIGHT,
    ConsistentFit,
    Fit,
    FitTerms,
    Pool,
    PooledFit,
    covariance_of,
    fits_to_others,
    fitted,
    pooled,
    squares,
    triangle,
    used_terms,
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
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    BASIS,
    JOINT_COLUMNS,
    OFFSET,
    Robot,
    parameters_of,
    place_in_body,
    pseudo_inertia,
)
from urdf2dyn_ros.identification.rows import BLOCKS
from urdf2dyn_ros.identification.summary import PARTS, Summary, all_rows, in_other_units
from urdf2dyn_ros.robot.multibody import ROOT
from urdf2dyn_ros.robot.spatial import Array, geometric_mean
from urdf2dyn_ros.text import quote, suggestion

# ---- A payload as an additional body, fixed to a link, that is there in some recordings

_GYRATION = 0.1   # radius of gyration of the prior of a payload, about the origin of its link [m]
_PRIOR_MASS_SHARE = 0.05   # mass of that prior, as a share of the robot's, if it is not known


@dataclass(frozen=True)
class CarriedPayload:
    """A payload, and the recordings of the robot that carries it."""

    link: str   # to which it is fixed
    mass: float   # [kg], NaN if it is not known
    summaries: Sequence[Summary]
    carrier: int   # number of the body that the link is part of
    transformation: Array   # (4, 4) of points from the link's frame to the body's


def payload_on(robot: Robot, link: str, mass: float | None,
               summaries: Sequence[Summary]) -> CarriedPayload:
    """Return a payload on a link; a ParameterError without such a link, or if it does not move."""
    names = robot.system.links
    if link not in names:
        raise ParameterError(f'--payload-link {link}: the robot has no link {quote(link)}; '
                             f'{suggestion(link, names, search=True)}')
    carrier, attached = robot.system.links[link]
    if carrier == ROOT:
        raise ParameterError(f'--payload-link {link}: no joint moves this link, so that no effort '
                             'depends on what it carries')
    return CarriedPayload(link, np.nan if mass is None else mass, summaries, carrier,
                          place_in_body(attached))


def with_payload(robot: Robot, payload: CarriedPayload) -> Robot:
    """Return a robot whose last body is the payload, which its URDF lacks."""
    columns = copy.copy(robot.columns)
    number = len(robot.prior.factors)
    columns.bodies = [[*bodies, number] if payload.carrier in bodies else bodies
                      for bodies in robot.columns.bodies]
    mass = payload.mass if np.isfinite(payload.mass) else (
        _PRIOR_MASS_SHARE * float(robot.prior.parameters[:, 0].sum()))
    P = mass * np.diag([*(3 * [_GYRATION ** 2]), 1.0])
    P = payload.transformation @ P @ payload.transformation.T
    factor: Array = np.asarray(np.linalg.cholesky(P), dtype=np.float64)
    prior = robot.prior._replace(
        nominal=np.vstack((robot.prior.nominal, np.zeros(10))),
        parameters=np.vstack((robot.prior.parameters, parameters_of(P))),
        factors=np.concatenate((robot.prior.factors, factor[None])))
    return replace(robot, columns=columns, prior=prior)


def payload_pool(robot: Robot, payload: CarriedPayload, pool: Pool, carried: bool) -> Pool:
    """Return a pool with the columns of the payload, zero where it is not carried."""
    triangles = []
    for R, bodies in zip(pool.triangles, robot.columns.bodies):
        if payload.carrier in bodies:
            place, width = 10 * bodies.index(payload.carrier), R.shape[1] - len(JOINT_COLUMNS) - 1
            new = R[:, place:place + 10] * float(carried)
            R = triangle(np.concatenate((R[:, :width], new, R[:, width:]), axis=1))
        triangles.append(R)
    return pool._replace(triangles=triangles)


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


def mean_correlation(summaries: Sequence[Summary]) -> Array:
    """Return how many rows count as one (n,), the mean over all rows."""
    rows = np.array([summary.joint_seconds for summary in summaries])
    times = np.array([summary.correlation for summary in summaries])
    total = rows.sum(axis=0)
    return np.where(total > 0.0, (rows * times).sum(axis=0) / np.maximum(total, 1e-12), 1.0)


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
        if other[3] < _BETTER_SIGN * best[3]:
            best, gains = other, turned
    return best[:3]


def _gain_fit(robot: Robot, summaries: Sequence[Summary], gains: Gains,
              payload: CarriedPayload | None) -> tuple[Robot, Gains, PooledFit, float]:
    """Return robot, gains, fit, and what this leaves of the currents (geometric mean)."""
    mass_known = payload is not None and bool(np.isfinite(payload.mass))
    weight = _WEIGHT_BESIDE_PAYLOAD if mass_known else _WEIGHT_OF_GAINS
    parts = parts_of(summaries, blocks_only=payload is not None).frictionless
    terms, moves = all_terms(robot, summaries, payload), pooled(parts).rows > 0.0
    terms = terms._replace(used=terms.used & (np.arange(len(JOINT_COLUMNS)) == ARMATURE),
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
    return robot, gains._replace(deviations=deviations, ratios=ratios), result, residual


def all_terms(robot: Robot, summaries: Sequence[Summary],
              payload: CarriedPayload | None) -> FitTerms:
    """Return all terms of the joints that are used; with one joint, only its own body is free."""
    used = np.any([summary.used for summary in summaries], axis=0)
    fastest: Array = np.maximum.reduce([summary.fastest for summary in summaries])
    fixed: tuple[int, ...] = ()
    if np.count_nonzero(used) == 1:
        fixed = tuple(number for number, movers in enumerate(robot.columns.movers)
                      if not used[movers].any())
    return used_terms(robot, used, fastest)._replace(
        fixed=fixed, payload=None if payload is None else payload.mass)


# ---- What is held out of the fit in turn, and what fits without it leave of it

FEWEST_RECORDINGS = 3   # recordings from which on they are held out as a whole, not blocks of them


class HeldOutParts(NamedTuple):
    """Parts held out in turn: pools of the fit, and the moving and resting rows of each."""

    seen: list[Pool]
    moving: list[Pool]
    resting: list[Pool]
    frictionless: list[Pool]
    name: str

    @property
    def every(self) -> list[Pool]:
        """All rows of each part."""
        return [pooled(pair) for pair in zip(self.moving, self.resting)]


def parts_of(summaries: Sequence[Summary], blocks_only: bool) -> HeldOutParts:
    """Return recordings as parts, or blocks of all if there are few recordings."""
    whole = len(summaries) >= FEWEST_RECORDINGS and not blocks_only
    seen, moving, resting, frictionless = (
        [pooled(getattr(summary, name)) for summary in summaries] if whole else
        [pooled(pools) for pools in zip(*(getattr(summary, name)[:BLOCKS]
                                          for summary in summaries))]
        for name in PARTS)
    return HeldOutParts(seen, moving, resting, frictionless, 'recordings' if whole else 'blocks')


class Figures(NamedTuple):
    """Root mean squares of parts that were held out."""

    every: Array   # (3, n), residuals of MODELS in all samples
    moving: Array   # (3, n), the same in moving ones
    measured: Array   # (n,), efforts
    spread: Array   # (n,), efforts without their mean in all samples
    spread_moving: Array   # (n,), the same in moving ones

    @property
    def r2(self) -> Array:
        """Coefficients of determination (3, n) of MODELS: all samples."""
        return np.asarray(1.0 - (self.every / np.where(
            self.spread > 0.0, self.spread, np.nan)) ** 2)

    @property
    def r2_moving(self) -> Array:
        """Coefficients of determination (3, n) of MODELS: moving samples."""
        return self._replace(every=self.moving, spread=self.spread_moving).r2


def figures_of(robot: Robot, models: Sequence[Sequence[Fit]], every: Sequence[Pool],
               moving: Sequence[Pool], units: Array) -> Figures:
    """Return figures of models, a fit for each part of the rows, in units (n,) of efforts."""
    def rows(pools: Sequence[Pool]) -> Array:
        count = np.sum([pool.rows for pool in pools], axis=0)
        return np.where(count > 0.0, count, np.nan)

    def roots(pools: Sequence[Pool]) -> Array:
        sums = [np.sum([squares(fit, pool, robot) for fit, pool in zip(fits, pools)], axis=0)
                for fits in models]
        return np.asarray(np.sqrt(np.array(sums) / rows(pools)) / units)

    def efforts(pools: Sequence[Pool]) -> tuple[Array, Array]:
        """Return root mean squares of efforts, and of efforts without their mean."""
        square, mean = (
            np.sum([[R[:, column] @ R[:, -1] for R in pool.triangles] for pool in pools], axis=0)
            / rows(pools) for column in (-1, OFFSET - len(JOINT_COLUMNS) - 1))
        return np.sqrt(square) / units, np.sqrt(np.maximum(square - mean ** 2, 0.0)) / units

    measured, spread = efforts(every)
    return Figures(roots(every), roots(moving), measured, spread, efforts(moving)[1])


# ---- Recordings that the fit to the others does not predict

_MISFIT_RATIO = 2.5   # error of a recording, over the median of the others, that is no accident
# error of a recording, over its efforts, below which it fits: a faster motion has larger ones
_LEAST_MISFIT = 0.02
# others with which a recording is compared, so that the time does not grow with their square
_MOST_COMPARED = 30


def other_recordings(robot: Robot, names: Sequence[str], fits: Sequence[PooledFit],
                     pools: Sequence[Pool]) -> dict[str, tuple[float, str]]:
    """
    Return the ratio and a sentence for each recording that a fit to the others does not predict.

    Its residuals are compared with those of the others in the same fit: a recording that does fit,
    but is predicted from one that does not, is not worse than they are. The pools are those of
    moving samples, as static friction leaves more than a load does.
    """
    unlike = {}
    for number, (name, fit) in enumerate(zip(names, fits)):
        others = [pool for k, pool in enumerate(pools) if k != number]
        error, *errors = (
            np.sqrt(squares(fit.fit, pool, robot) / np.where(pool.rows > 0.0, pool.rows, np.nan))
            for pool in (pools[number], *others[::-(-len(others) // _MOST_COMPARED)]))
        typical = np.array([np.median(column[np.isfinite(column)]) if np.isfinite(column).any()
                            else np.nan for column in np.transpose(errors)])
        ratio = error / np.maximum(typical, 1e-12)
        efforts = np.array([np.linalg.norm(R[:, -1]) for R in pools[number].triangles])
        least = _LEAST_MISFIT * efforts / np.sqrt(np.maximum(pools[number].rows, 1.0))
        worse = (ratio > _MISFIT_RATIO) & (error > least)
        if worse.any():
            most = float(ratio[worse].max())
            unlike[name] = most, (
                f'recording {name} does not fit the others at '
                f'{", ".join(compress(robot.joints, worse))}: its residual is up to {most:.1f} '
                'times theirs; another payload, tool or day, a contact, or a sensor that failed?')
    return unlike


# ---- Two recordings that no robot explains together as well as each is explained alone

_OPPOSED_RATIO = 1.5   # residual together over that alone; friction of another day reaches 1.48


def opposed_recordings(robot: Robot, summaries: Sequence[Summary], together: Sequence[PooledFit],
                       terms: FitTerms, weight: float) -> Iterator[str]:
    """
    Yield that two recordings contradict each other, from fits to both without each block.

    Each block, which is longer than residuals are alike, is predicted by the other blocks of both
    and by those of its own recording. That counts for a joint by all of its blocks and by their
    median.
    """
    alone = [fit for summary in summaries
             for fit in fits_to_others(robot, summary.weighted[:BLOCKS], terms, weight)]
    blocks = [pool for summary in summaries for pool in summary.moving]
    both, single = (np.array([squares(fit.fit, pool, robot) for fit, pool in zip(fits, blocks)])
                    for fits in ([*together, *together], alone))
    used = np.all([summary.used for summary in summaries], axis=0) & (single.sum(axis=0) > 0.0)
    ratios = np.sqrt(both.sum(axis=0) / np.where(used, single.sum(axis=0), 1.0))
    medians = np.sqrt(np.median(both / np.where(single > 0.0, single, np.inf), axis=0))
    worse = used & (np.minimum(ratios, medians) > _OPPOSED_RATIO)
    if worse.any():
        most = float(ratios[worse].max())
        one, other = (summary.name for summary in summaries)
        joints = ', '.join(compress(robot.joints, worse))
        yield (f'{one} and {other} contradict each other at {joints}: together they leave a '
               f'residual of up to {most:.2g} times that of each alone; which one is wrong is not '
               'known. Are they of the same robot, with the same tool? Identify from each alone, '
               'or add a third')


# ---- A payload that fits another link than the one that is said to carry it, or other recordings

_BETTER = 1.0   # fall of the logarithm of what a fit leaves, over all joints, for another one


def check_carrier(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
                  payload: CarriedPayload) -> None:
    """Raise an IdentificationError if another link or other recordings explain far more."""
    used, loaded_used = (np.any([summary.used for summary in group], axis=0)
                         for group in (summaries, payload.summaries))
    without, loaded = all_rows(summaries), all_rows(payload.summaries)
    if gains is not None:
        gains = approximated(robot, pooled([without, loaded]), gains)
        without, loaded = with_gains([without, loaded], gains.values)
    terms = all_terms(robot, [*summaries, *payload.summaries], payload)._replace(free_gains=(
        () if gains is None else tuple(np.flatnonzero(gains.free & (used + loaded_used > 0)))))

    def residual_of(carried: CarriedPayload, without: Pool, loaded: Pool) -> float:
        """Return the logarithm of what a fit leaves of the efforts, sum of the joints."""
        pool = pooled([payload_pool(robot, carried, without, False),
                       payload_pool(robot, carried, loaded, True)])
        fit = fitted(with_payload(robot, carried), pool, terms, PRIOR_WEIGHT)
        return float(np.log(fit.sigma[pool.rows > 0.0]).sum())

    given = residual_of(payload, without, loaded)
    trials = [(residual_of(payload, loaded, without), 'the recordings with and without the '
               'payload look interchanged: check --payload-recording')]
    moved = {number for bodies, flag in zip(robot.columns.bodies, loaded_used) if flag
             for number in bodies}
    for number in sorted(moved - {payload.carrier}):
        link = robot.system.bodies[number].attached[0].link.name
        trials.append((
            residual_of(payload_on(robot, link, payload.mass, payload.summaries), without, loaded),
            f'the payload looks carried by {link}, or what is fixed to it, not by {payload.link}: '
            'check --payload-link'))
    least, fault = min(trials, key=lambda trial: trial[0])
    if given - least > _BETTER:
        factor = float(np.exp((given - least) / np.count_nonzero(used | loaded_used)))
        raise IdentificationError(f'{fault}; then {factor:.2g} times smaller residuals are left '
                                  '(geometric mean of the joints)')


# ---- A payload as it was identified, in the frame of its link, and whether it was determined

# largest standard deviations of a mass that is identified, and of a gain, as shares of them
_MOST_OF_MASS, _MOST_OF_GAIN = 0.3, 0.15


class IdentifiedPayload(NamedTuple):
    """A payload."""

    link: str
    recordings: tuple[str, ...]   # names of those in which it is carried
    known: bool   # whether its mass was known
    # mass, first moments and inertia about the link's origin, in the link's axes
    parameters: Array   # (10,)
    covariance: Array   # (10, 10)

    @property
    def deviations(self) -> Array:
        """Standard deviations (10,) of the parameters."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def centre(self) -> tuple[Array, Array]:
        """Centre of mass in the link's frame [m] and its standard deviations, (3,) each."""
        mass, centre = self.parameters[0], self.parameters[1:4] / self.parameters[0]
        slopes = np.column_stack((-centre, np.eye(3))) / mass
        return centre, np.sqrt(np.diag(slopes @ self.covariance[:4, :4] @ slopes.T))

    @property
    def inertia(self) -> Array:
        """Inertia (6,) about the centre of mass in the link's axes [kg m^2]."""
        P = pseudo_inertia(self.parameters)
        P[:3, :3] -= np.outer(P[:3, 3], P[:3, 3]) / P[3, 3]
        return parameters_of(P)[4:]

    def settings(self) -> Mapping[str, Any]:
        """Return the node's parameters of this payload."""
        return {'payload.link': self.link, 'payload.mass': float(self.parameters[0]),
                'payload.com': [float(entry) for entry in self.centre[0]],
                'payload.inertia': [float(entry) for entry in self.inertia]}


def find_payload(payload: CarriedPayload, result: PooledFit, correlation: Array,
                 data: FitData) -> IdentifiedPayload:
    """
    Return the payload of a fit.

    An IdentificationError if the data determine neither the unknown mass, nor gains by the known
    one. Beside these, the deviations are those of the fit that has the gains as unknowns.
    """
    mass_known = bool(np.isfinite(payload.mass))
    problem = result.problem
    rows = slice(10 * len(problem.factors) - 10, 10 * len(problem.factors))
    slopes = ConsistentFit(problem).slopes[-1]
    uncertain = (covariance_of(result, correlation) if data.gain_fit is None else
                 covariance_of(data.gain_fit, mean_correlation(data.summaries)))[0][rows, rows]
    covariance = slopes @ uncertain @ slopes.T
    back = np.linalg.inv(payload.transformation)
    in_link: Array = parameters_of(back @ BASIS @ back.T).T
    estimate = IdentifiedPayload(
        payload.link, tuple(summary.name for summary in payload.summaries), mass_known,
        in_link @ result.fit.bodies[-1], in_link @ covariance @ in_link.T)
    mass, deviation = estimate.parameters[0], estimate.deviations[0]
    if not mass_known and deviation > _MOST_OF_MASS * mass:
        raise IdentificationError(
            f'the payload on {payload.link} is not determined: {mass:.3g} kg with a standard '
            f'deviation of {deviation:.2g} kg; record both with faster motions of the joints that '
            'move it, against gravity where they can, or with a heavier payload')
    best = 100.0 * np.nanmin(data.gains.deviations, initial=np.inf)
    if mass_known and not best <= 100.0 * _MOST_OF_GAIN:
        raise IdentificationError(
            f'the payload of {payload.mass:g} kg on {payload.link} does not determine the gains: '
            f'the best one has a standard deviation of {best:.0f} %; check that it was carried in '
            f'{", ".join(estimate.recordings)} and in no other recording, or take a heavier one')
    return estimate
