"""
What is fitted: a robot and summaries in units of their gains, with a payload, with own friction.

A payload is one more body of the fit. Its columns are those of the body that carries it, in the
rows of the recordings in which it is there, and zero in the others. So the same fit has robot and
payload, with friction and rotors in common, and effort per current as well: with the payload's
known mass nothing is left that a factor could change. A robot whose recordings have friction of
their own is one with a set of joints for each of them, which move the same bodies.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.identification.fit import (
    FAINT_WEIGHT,
    ConsistentFit,
    Fit,
    FitTerms,
    Pool,
    PooledFit,
    covariance_of,
    deviations_of_gains,
    fits_to_others,
    fitted,
    pooled,
    scale_of_efforts,
    scale_of_inertias,
    squares,
    triangle,
    used_terms,
    with_scaled_prior,
    with_spread_of_parts,
)
from urdf2dyn_ros.identification.gains import (
    Gains,
    approximated,
    known_gains,
    sign_evidence,
    undetermined_signs,
    with_gains,
)
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    BASIS,
    JOINT_COLUMNS,
    OFFSET,
    Robot,
    parameters_of,
    placement,
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


def payload_on(robot: Robot, link: str, mass: float,
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
    return CarriedPayload(link, mass, summaries, carrier, placement(attached))


def check_carried(robot: Robot, payload: CarriedPayload) -> None:
    """Raise an IdentificationError if no joint that moves the payload is used."""
    carrying = [payload.carrier in bodies for bodies in robot.columns.bodies]
    used = np.any([each.used > 0 for each in payload.summaries], axis=0)
    if not (used & carrying).any():
        raise IdentificationError(
            f'none of the joints that move the payload on {payload.link} '
            f'({", ".join(compress(robot.joints, carrying))}) moves in a payload recording with a '
            'measured effort: record a motion of these')


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
            place, own = 10 * bodies.index(payload.carrier), R.shape[1] - len(JOINT_COLUMNS) - 1
            new = R[:, place:place + 10] * float(carried)
            R = triangle(np.concatenate((R[:, :own], new, R[:, own:]), axis=1))
        triangles.append(R)
    return pool._replace(triangles=triangles)


# ---- Links and rotors that recordings share, with friction and offsets of each its own

def in_joint_sets(robot: Robot, summaries: Sequence[Summary]) -> tuple[Robot, list[Summary]]:
    """Return a robot with a set of joints for each summary, whose rows are of its set alone."""
    columns, count = copy.copy(robot.columns), len(summaries)
    columns.bodies = robot.columns.bodies * count

    def in_set(number: int, summary: Summary) -> Summary:
        def spread(values: Array) -> Array:
            return np.concatenate([values * (k == number) for k in range(count)])

        def pools(some: Sequence[Pool]) -> list[Pool]:
            return [Pool([R * (k == number) for k in range(count) for R in pool.triangles],
                         spread(pool.rows)) for pool in some]

        return summary.with_pools(pools, **{name: spread(getattr(summary, name)) for name in (
            'used', 'fastest', 'correlation', 'joint_seconds')})

    return replace(robot, columns=columns, urdf_friction=np.tile(robot.urdf_friction, (count, 1)),
                   speed_limits=np.tile(robot.speed_limits, count)), [
                       in_set(*each) for each in enumerate(summaries)]


def in_least_residuals(pool: Pool) -> Pool:
    """Return a pool whose efforts and columns are in units of the least residual of any robot."""
    least = [abs(float(R[-1, -1])) / np.sqrt(max(rows, 1.0))
             for R, rows in zip(pool.triangles, pool.rows)]
    return pool._replace(triangles=[R / (size or 1.0) for R, size in zip(pool.triangles, least)])


def last_sets(summaries: Sequence[Summary]) -> NDArray[np.int64]:
    """Return the number (n,) of each joint in its last set that is used."""
    used = np.array([each.used > 0 for each in summaries])
    count, n = used.shape
    last = count - 1 - np.argmax(used[::-1], axis=0)
    return np.asarray(last * n + np.arange(n))


def of_joints(fit: Fit, chosen: NDArray[np.int64]) -> Fit:
    """Return a fit with the friction and rotors of some of its joints."""
    return fit._replace(joints=fit.joints[chosen], gains=fit.gains[chosen])


# ---- Currents whose sign is not the same in all recordings

_DECISIVE = 1.0   # logarithm of the ratio of what the two signs leave, for a sign that is known


def signs_fault(robot: Robot, summaries: Sequence[Summary], gains: Gains) -> str:
    """Return which recordings' currents have another sign than those of the others, or nothing."""
    faults = []
    pools = [pooled(each.weighted) for each in summaries]
    for j in np.flatnonzero(gains.free).tolist():
        evidence = [sign_evidence(pool, j) for pool in pools]
        positive, negative = ([each.name for each, value in zip(summaries, evidence)
                               if sign * value > _DECISIVE] for sign in (1.0, -1.0))
        if positive and negative:
            fewer, more = sorted((negative, positive), key=len)
            faults.append(f'the current of {robot.joints[j]} has another sign in '
                          f'{", ".join(fewer)} than in {", ".join(more)}: change it, or identify '
                          'without the former')
    return '; '.join(faults)


# ---- Robot and summaries as they are fitted

# weight of the URDF where gains are free, whose scale rests on its masses, and where a payload
# of known mass has it instead
_WEIGHT_OF_GAINS, _WEIGHT_BESIDE_PAYLOAD = 100.0, 10.0
_BETTER_SIGN = 0.98   # what the other sign of a gain leaves, by the first, if it is chosen
_PRIOR_SCALINGS = 4   # fits after which priors have the scale by a payload's known mass


class FitData(NamedTuple):
    """
    Robot and summaries of a fit, with the payload, in units of the gains.

    If recordings have friction of their own there are several sets of joints, but not in `plain`;
    `last` is the number of each joint in its last set that is used.
    """

    robot: Robot
    summaries: Sequence[Summary]
    validation: Sequence[Summary]
    plain: Sequence[Summary]
    gains: Gains
    gain_fit: PooledFit | None   # by which free gains were found
    last: NDArray[np.int64]

    @property
    def everything(self) -> Pool:   # all rows of the fit
        return all_rows(self.summaries)

    @property
    def correlation(self) -> Array:   # the rows that count as one (n,)
        return mean_correlation(self.summaries)


def mean_correlation(summaries: Sequence[Summary]) -> Array:
    """Return how many rows count as one (n,), the mean over all rows."""
    rows = np.array([each.joint_seconds for each in summaries])
    times = np.array([each.correlation for each in summaries])
    total = rows.sum(axis=0)
    return np.where(total > 0.0, (rows * times).sum(axis=0) / np.maximum(total, 1e-12), 1.0)


def fit_data(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary],
             gains: Gains | None, own_friction: bool, payload: CarriedPayload | None) -> FitData:
    """
    Return robot and summaries as they are fitted.

    An IdentificationError if no joint that moves the payload is used, or signs of currents
    contradict each other.
    """
    if payload is not None:   # first, so that an own friction that is kept is one without it
        check_carried(robot, payload)
        plain, carrying = robot, payload

        def wider(summary: Summary, carried: bool) -> Summary:
            return summary.with_pools(lambda pools: [payload_pool(plain, carrying, pool, carried)
                                                     for pool in pools], rows=None)

        summaries = [*(wider(each, True) for each in payload.summaries),
                     *(wider(each, False) for each in summaries)]
        validation = [wider(each, False) for each in validation]
        robot = with_payload(plain, payload)
    last = last_sets(summaries[:1])
    fault = '' if gains is None else signs_fault(robot, [*summaries, *validation], gains)
    if fault:
        raise IdentificationError(fault)
    robot, gains, gain_fit = _scaled(robot, summaries, gains, payload)
    scaled, checked = ([in_other_units(each, gains.values) for each in some]
                       for some in (summaries, validation))
    if not own_friction:
        return FitData(robot, scaled, checked, scaled, gains, gain_fit, last)
    return FitData(*in_joint_sets(robot, scaled), checked, scaled, gains, gain_fit,
                   last_sets(scaled))


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
    for joint in undetermined_signs(everything, gains):
        signs = np.where(np.arange(len(gains.values)) == joint, -1.0, 1.0)
        turned = gains._replace(values=signs * gains.values)
        other = _gain_fit(robot, summaries, turned, payload)
        if other[3] < _BETTER_SIGN * best[3]:
            best, gains = other, turned
    return best[:3]


def _gain_fit(robot: Robot, summaries: Sequence[Summary], gains: Gains,
              payload: CarriedPayload | None) -> tuple[Robot, Gains, PooledFit, float]:
    """Return the same, and what the fit leaves of the currents (geometric mean)."""
    known = payload is not None and bool(np.isfinite(payload.mass))
    weight = _WEIGHT_BESIDE_PAYLOAD if known else _WEIGHT_OF_GAINS
    parts = parts_of(summaries, blocks_only=payload is not None).frictionless
    terms, moves = all_terms(robot, summaries, payload), pooled(parts).rows > 0.0
    terms = terms._replace(used=terms.used & (np.arange(len(JOINT_COLUMNS)) == ARMATURE),
                           free_gains=tuple(np.flatnonzero(gains.free & moves).tolist()))
    for _ in range(_PRIOR_SCALINGS if known else 1):
        before, scaled = robot, with_gains(parts, gains.values)
        result = fitted(robot, pooled(scaled), terms, weight)
        left = geometric_mean((result.sigma / np.abs(gains.values))[moves])
        gains = gains._replace(values=gains.values / result.fit.gains)
        if known:
            bodies = result.fit.bodies[:-1]
            robot = with_scaled_prior(robot, scale_of_inertias(robot, bodies), len(bodies))
        elif payload is None and gains.free[moves].all():
            pool, = with_gains([all_rows(summaries)], gains.values)
            scale = 1.0 / scale_of_efforts(robot, pool, result.fit.bodies)
            gains = gains._replace(values=scale * gains.values)
            robot = with_scaled_prior(robot, scale, len(robot.prior.factors))
    correlation = with_spread_of_parts(result, fits_to_others(before, scaled, terms, weight),
                                       mean_correlation(summaries))
    if known:   # the URDF's masses must not count for the scale
        result = result._replace(problem=result.problem._replace(weight=FAINT_WEIGHT))
    own, ratios = deviations_of_gains(result, correlation)
    return robot, gains._replace(deviations=own, ratios=ratios), result, left


def all_terms(robot: Robot, summaries: Sequence[Summary],
              payload: CarriedPayload | None) -> FitTerms:
    """Return all terms of the joints that are used; with one joint, only its own body is free."""
    used = np.any([each.used > 0 for each in summaries], axis=0)
    fastest = np.max([each.fastest for each in summaries], axis=0)
    fixed: tuple[int, ...] = ()
    moving = np.unique(np.flatnonzero(used) % len(robot.joints))
    if len(moving) == 1:
        joint = int(moving[0])
        fixed = tuple(number for number, body in enumerate(robot.system.bodies)
                      if body.coordinate != joint)
    return used_terms(robot, used, fastest)._replace(
        fixed=fixed, sets=len(used) // len(robot.joints),
        payload=None if payload is None else payload.mass)


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
        [pooled(getattr(each, name)) for each in summaries] if whole else
        [pooled(pools) for pools in zip(*(getattr(each, name)[:BLOCKS] for each in summaries))]
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
        """The same: moving samples."""
        return self._replace(every=self.moving, spread=self.spread_moving).r2


def figures_of(robot: Robot, models: Sequence[Sequence[Fit]], every: Sequence[Pool],
               moving: Sequence[Pool], units: Array) -> Figures:
    """Return figures of models, a fit for each part of the rows, in units (n,) of efforts."""
    def total(values: Sequence[Array]) -> Array:   # over parts and sets of joints
        return np.asarray(np.sum(values, axis=0).reshape(-1, len(robot.joints)).sum(axis=0))

    def roots(pools: Sequence[Pool]) -> Array:
        rows = total([pool.rows for pool in pools])
        sums = [total([squares(fit, pool, robot) for fit, pool in zip(fits, pools)])
                for fits in models]
        return np.asarray(np.sqrt(np.array(sums) / np.where(rows > 0.0, rows, np.nan)) / units)

    def efforts(pools: Sequence[Pool]) -> tuple[Array, Array]:
        """Return root mean squares of efforts, and of efforts without their mean."""
        rows = total([pool.rows for pool in pools])
        count = np.where(rows > 0.0, rows, np.nan)
        square, mean = (total([np.array([float(R[:, column] @ R[:, -1]) for R in pool.triangles])
                               for pool in pools]) / count
                        for column in (-1, OFFSET - len(JOINT_COLUMNS) - 1))
        return (np.sqrt(square) / units,
                np.sqrt(np.maximum(square - mean ** 2, 0.0)) / units)

    measured, spread = efforts(every)
    return Figures(roots(every), roots(moving), measured, spread, efforts(moving)[1])


# ---- A payload as it was identified, in the frame of its link, and whether it was determined

# mass of the robot over that of its URDF that is plausible; 1.24 for a UR10e that is known
_LARGEST_SCALE = 1.6
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
        P[:3, 3] = P[3, :3] = 0.0
        return parameters_of(P)[4:]

    def settings(self) -> Mapping[str, Any]:
        """Return the node's parameters of this payload."""
        return {'payload.link': self.link, 'payload.mass': float(self.parameters[0]),
                'payload.com': [float(each) for each in self.centre[0]],
                'payload.inertia': [float(each) for each in self.inertia]}


def identified_payload(payload: CarriedPayload, result: PooledFit, correlation: Array,
                       data: FitData) -> IdentifiedPayload:
    """
    Return the payload of a fit.

    An IdentificationError if the data determine neither the unknown mass, nor gains by the known
    one. Beside these, the deviations are those of the fit that has the gains as unknowns.
    """
    known = bool(np.isfinite(payload.mass))
    problem = result.problem
    rows = slice(10 * len(problem.factors) - 10, 10 * len(problem.factors))
    slopes = ConsistentFit(problem).slopes[-1]
    uncertain = (covariance_of(result, correlation) if data.gain_fit is None else
                 covariance_of(data.gain_fit, mean_correlation(data.plain)))[0][rows, rows]
    covariance = slopes @ uncertain @ slopes.T
    back = np.linalg.inv(payload.transformation)
    in_link: Array = parameters_of(back @ BASIS @ back.T).T
    estimate = IdentifiedPayload(
        payload.link, tuple(each.name for each in payload.summaries), known,
        in_link @ result.fit.bodies[-1], in_link @ covariance @ in_link.T)
    mass, deviation = estimate.parameters[0], estimate.deviations[0]
    if not known and deviation > _MOST_OF_MASS * mass:
        raise IdentificationError(
            f'the payload on {payload.link} is not determined: {mass:.3g} kg with a standard '
            f'deviation of {deviation:.2g} kg; record both with faster motions of the joints that '
            'move it, against gravity where they can, or with a heavier payload')
    best = 100.0 * np.nanmin(data.gains.deviations, initial=np.inf)
    if known and not best <= 100.0 * _MOST_OF_GAIN:
        raise IdentificationError(
            f'the payload of {payload.mass:g} kg on {payload.link} does not determine the gains: '
            f'the best one has a standard deviation of {best:.0f} %; check that it was carried in '
            f'{", ".join(estimate.recordings)} and in no other recording, or take a heavier one')
    return estimate


def scale_remark(payload: CarriedPayload, before: Array, after: Array) -> list[str]:
    """Return that a payload's known mass does not fit masses of the URDF and of the fit (b,)."""
    scale = float(after.sum() / before.sum())
    if not np.isfinite(payload.mass) or 1.0 / _LARGEST_SCALE < scale < _LARGEST_SCALE:
        return []
    return [f'with a payload of {payload.mass:g} kg the robot would have {scale:.2g} times the '
            f'mass of its URDF, with {payload.mass / scale:.2g} kg the same: check '
            '--payload-mass, to which all gains are proportional, and the masses of the URDF']
