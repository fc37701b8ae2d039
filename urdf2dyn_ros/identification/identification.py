"""Identification from summaries: the fit, and how well it explains what it was not fitted to."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.choice import score
from urdf2dyn_ros.identification.fit.consistent_fit import Fit
from urdf2dyn_ros.identification.fit.deviations import deviations
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS, top_speeds
from urdf2dyn_ros.identification.fit.pooled_fit import (
    FitTerms,
    Pool,
    PooledFit,
    cleaned,
    fitted,
    pooled,
    signed_terms,
    squares,
    with_negative_rotors,
    with_significant_load,
)
from urdf2dyn_ros.identification.misfits import misfits
from urdf2dyn_ros.identification.result import Figures, Identification
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

WEIGHTS = (10.0, 1.0, 100.0)
"""Weights of the prior that are compared, first the one that is used where there is no choice."""

_BETTER = 0.98
"""Error, relative to that of the first weight, from which another one is chosen."""

_FEWEST_RECORDINGS = 3
"""Recordings from which on they are held out as a whole, not blocks of them."""

_UNEXPLAINED = 0.9
"""Residual over measured effort from which on a model explains nothing."""

_OTHER = 2.5
"""Error of a recording, over the median of the others, from which on it does not fit."""

class HeldOutParts(NamedTuple):
    """What is held out in turn: pools of the fit, and the moving and resting rows of each."""

    seen: list[Pool]
    moving: list[Pool]
    resting: list[Pool]
    name: str

    @property
    def every(self) -> list[Pool]:
        """All rows of each part."""
        return [pooled(pair) for pair in zip(self.moving, self.resting)]


def parts_of(summaries: Sequence[Summary]) -> HeldOutParts:
    """Return recordings as parts, or blocks of all if there are few recordings."""
    if len(summaries) >= _FEWEST_RECORDINGS:
        return HeldOutParts([pooled(each.weighted) for each in summaries],
                     [pooled(each.moving) for each in summaries],
                     [pooled(each.resting) for each in summaries], 'recordings')
    lists = [[pooled(pools) for pools in zip(*(getattr(each, name) for each in summaries))]
             for name in ('weighted', 'moving', 'resting')]
    blocks = len(lists[1])
    return HeldOutParts(lists[0][:blocks], lists[1], lists[2], 'blocks')


def identify(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary] = (),
             weight: float | None = None, gains_free: bool = False,
             show: Callable[[float], None] = lambda fraction: None) -> Identification:
    """
    Return the identification of a robot from summaries of recordings.

    Raises
    ------
    IdentificationError
        If the model does not explain what is held out better than the URDF.

    """
    used = np.any([each.used for each in summaries], axis=0)
    terms = _terms(robot, summaries, used, gains_free)
    everything = pooled([pool for each in summaries for pool in each.weighted])
    correlation = _correlation(summaries)
    first = WEIGHTS[0] if weight is None else weight
    signed = signed_terms(robot, everything, terms, first, correlation)
    terms = with_significant_load(terms, signed)
    parts = parts_of(summaries)
    judged = parts.every
    trials = {each: _held_out(robot, parts, terms, each)
              for each in (WEIGHTS if weight is None else (weight,))}
    show(0.6)
    errors = {each: score(*_totals(robot, fits, judged)) for each, fits in trials.items()}
    first, *_ = trials
    least = min(errors, key=errors.__getitem__)
    weight = least if errors[least] < _BETTER * errors[first] else first
    result = fitted(robot, everything, terms, weight)
    fits = [each.fit for each in trials[weight]]
    bare = terms._replace(fixed=tuple(range(len(robot.system.bodies))))
    friction = [each.fit for each in _held_out(robot, parts, bare, weight)]
    show(0.8)
    nominal = _nominal(robot, everything, bare, weight)
    models = [[nominal] * len(judged), friction, fits]
    held_out = _figures(robot, models, judged, parts.moving)
    remarks = list(robot.prior.remarks)
    if parts.name == 'recordings':
        remarks += _others(robot, summaries, fits, judged)
    friction_all = fitted(robot, everything, bare, weight).fit
    checks = {}
    for each in validation:
        pools = [pooled(each.moving), pooled(each.resting)]
        checks[each.name] = _figures(robot, [[nominal], [friction_all], [result.fit]],
                                     [pooled(pools)], pools[:1])
    found = Identification(
        robot, summaries, used > 0, terms, weight, cleaned(result.fit, result.problem),
        result.sigma, deviations(result, correlation), held_out, parts.name, fits, checks, remarks)
    remarks += misfits(found, with_negative_rotors(signed))
    _check_better(found)
    show(1.0)
    return found


def _terms(robot: Robot, summaries: Sequence[Summary], used: Array, gains_free: bool) -> FitTerms:
    """Return all terms of the joints that are used; with one joint, only its own body is free."""
    every = np.broadcast_to(used[:, None] > 0, (len(used), len(JOINT_COLUMNS)))
    fastest = np.max([each.fastest for each in summaries], axis=0)
    fixed: tuple[int, ...] = ()
    if used.sum() == 1:
        joint = int(np.argmax(used))
        fixed = tuple(number for number, body in enumerate(robot.system.bodies)
                      if body.coordinate != joint)
    return FitTerms(every, top_speeds(robot.speed_limits, fastest), gains_free, fixed)


def _correlation(summaries: Sequence[Summary]) -> Array:
    """Return the rows that count as one, the mean over all rows."""
    rows = np.array([each.used * each.seconds for each in summaries])
    times = np.array([each.correlation for each in summaries])
    total = rows.sum(axis=0)
    return np.where(total > 0.0, (rows * times).sum(axis=0) / np.maximum(total, 1e-12), 1.0)


def _held_out(robot: Robot, parts: HeldOutParts, terms: FitTerms,
              weight: float) -> list[PooledFit]:
    """Return the fits without each part."""
    fits: list[PooledFit] = []
    for number in range(len(parts.seen)):
        seen = pooled([each for k, each in enumerate(parts.seen) if k != number])
        fits.append(fitted(robot, seen, terms, weight, fits[-1] if fits else None))
    return fits


def _totals(robot: Robot, fits: Sequence[PooledFit], pools: Sequence[Pool]) -> tuple[Array, Array]:
    return (np.sum([squares(each.fit, pool, robot) for each, pool in zip(fits, pools)], axis=0),
            np.sum([pool.rows for pool in pools], axis=0))


def _nominal(robot: Robot, pool: Pool, bare: FitTerms, weight: float) -> Fit:
    """Return the URDF as a fit; with free gains these alone are fitted."""
    if bare.gains_free:
        none = bare._replace(used=np.zeros_like(bare.used))
        return fitted(robot, pool, none, weight).fit
    joints = np.zeros((len(robot.joints), len(JOINT_COLUMNS)))
    joints[:, :2] = robot.urdf_friction
    return Fit(robot.prior.nominal, joints, np.ones(len(joints)), np.zeros(0), np.nan)


def _figures(robot: Robot, models: Sequence[Sequence[Fit]], every: Sequence[Pool],
             moving: Sequence[Pool]) -> Figures:
    def roots(pools: Sequence[Pool]) -> Array:
        rows = np.sum([pool.rows for pool in pools], axis=0)
        totals = [np.sum([squares(fit, pool, robot) for fit, pool in zip(fits, pools)], axis=0)
                  for fits in models]
        result: Array = np.sqrt(np.array(totals) / np.where(rows > 0.0, rows, np.nan))
        return result

    rows = np.sum([pool.rows for pool in every], axis=0)
    efforts = np.sum([[float(R[:, -1] @ R[:, -1]) for R in pool.triangles] for pool in every],
                     axis=0)
    return Figures(roots(every), roots(moving),
                   np.sqrt(efforts / np.where(rows > 0.0, rows, np.nan)))


def _others(robot: Robot, summaries: Sequence[Summary], fits: Sequence[Fit],
            pools: Sequence[Pool]) -> list[str]:
    """Return a sentence for each recording that the others do not predict."""
    errors = np.array([np.sqrt(squares(fit, pool, robot) / np.maximum(pool.rows, 1.0))
                       for fit, pool in zip(fits, pools)])
    rows = np.array([pool.rows for pool in pools])
    remarks = []
    for number, each in enumerate(summaries):
        others = np.delete(errors, number, axis=0)
        typical = np.median(others, axis=0)
        worse = (rows[number] > 0) & (errors[number] > _OTHER * np.maximum(typical, 1e-12))
        names = [joint for joint, flag in zip(robot.joints, worse) if flag]
        if names:
            most = float((errors[number] / np.maximum(typical, 1e-12)).max())
            remarks.append(
                f'recording {each.name} does not fit the others at {", ".join(names)}: its '
                f'residual is up to {most:.1f} times theirs; '
                'another payload, tool, or day? identify without it, or alone')
    return remarks


def _mean_ratio(residual: Array, reference: Array) -> float:
    """Return the geometric mean of the ratios of the joints that are identified."""
    with np.errstate(divide='ignore', invalid='ignore'):
        ratio = residual / reference
    known = np.isfinite(ratio)
    return float(np.exp(np.log(np.maximum(ratio[known], 1e-12)).mean())) if known.any() else 1.0


def _check_better(found: Identification) -> None:
    mean = _mean_ratio(found.held_out.every[2], found.held_out.every[0])
    left = _mean_ratio(found.held_out.every[2], found.held_out.measured)
    if left >= _UNEXPLAINED:
        raise IdentificationError(
            f'the identified model does not explain the efforts: {100.0 * left:.0f} % of them '
            f'remain in held-out {found.parts}; check that the efforts belong to this URDF and '
            'these joints, and that nothing else acts on the robot')
    if mean >= 1.0:
        raise IdentificationError(
            f'the identified model explains held-out {found.parts} no better than the URDF: its '
            f'residuals are {mean:.2f} times those of the URDF in the geometric mean of the '
            'joints; check that the efforts belong to this URDF, and record a longer motion of '
            'all joints')
