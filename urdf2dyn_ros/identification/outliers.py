"""Recordings that do not fit the others, or the payload that they are said to carry."""

from collections.abc import Collection, Sequence
from itertools import compress

import numpy as np

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    Fit,
    FitTerms,
    Pool,
    PooledFit,
    fitted,
    left_squares,
    pooled,
    squares,
)
from urdf2dyn_ros.identification.fit_data import (
    CarriedPayload,
    all_terms,
    payload_on,
    payload_pool,
    with_payload,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, with_gains
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import score
from urdf2dyn_ros.identification.summary import Summary, all_rows

_REASONS = 'another payload, tool or day, a contact, or a sensor that failed?'

# ---- Recordings that the fit to the others does not predict

_MISFIT_RATIO = 2.5   # error of a recording, over the median of the others, that is no accident
# error of a recording, over its efforts, below which it fits: a faster motion has larger ones
_LEAST_MISFIT = 0.02
# others with which a recording is compared, so that the time does not grow with their square
_MOST_COMPARED = 30


def other_recordings(robot: Robot, summaries: Sequence[Summary], fits: Sequence[Fit],
                     pools: Sequence[Pool], own_friction: bool = False) -> list[str]:
    """
    Return a sentence for each recording that a fit to the others does not predict.

    Its residuals are compared with those of the others in the same fit: a recording that does fit,
    but is predicted from one that does not, is not worse than they are.
    """
    remarks = []
    for number, (each, fit, own_pool) in enumerate(zip(summaries, fits, pools)):
        others = [pool for k, pool in enumerate(pools) if k != number]
        own, *errors = (
            np.sqrt(squares(fit, pool, robot) / np.where(pool.rows > 0.0, pool.rows, np.nan))
            for pool in (own_pool, *others[::-(-len(others) // _MOST_COMPARED)]))
        typical = np.array([np.median(column[np.isfinite(column)]) if np.isfinite(column).any()
                            else np.nan for column in np.transpose(errors)])
        ratio = own / np.maximum(typical, 1e-12)
        efforts = np.array([np.linalg.norm(R[:, -1]) for R in own_pool.triangles])
        least = _LEAST_MISFIT * efforts / np.sqrt(np.maximum(own_pool.rows, 1.0))
        worse = (ratio > _MISFIT_RATIO) & (own > least)
        if worse.any():
            remarks.append(
                f'recording {each.name} does not fit the others at '
                f'{", ".join(compress(robot.joints, worse))}: its residual is up to '
                f'{ratio[worse].max():.1f} times theirs; {_REASONS} identify without it'
                + (', or alone' if own_friction else ', alone, or with --friction-per-recording'))
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
_FOREIGN_RATIO = 10.0   # residual of one recording over that of the others that is too large
_LEAST_FOREIGN = 0.1   # share of the efforts of a recording that such a residual has at least
_FEWEST_OTHERS = 4   # that agree, from which on one that does not is not used in any case


def spoiling_recordings(robot: Robot, names: Sequence[str], whole: PooledFit,
                        fits: Sequence[PooledFit], pools: Sequence[Pool], seen: Sequence[Pool],
                        terms: FitTerms, weight: float) -> tuple[Collection[int], str]:
    """
    Return the recordings that are not used, and a sentence on why and what to do.

    They are those without which the others are explained far better: the fit to all of them and
    that without some are both judged by the others (geometric mean of the joints). Of two that
    agree and one that does not it is the latter: without one of the former the others still
    contradict each other. Two with a load each spoil the fit without one of them as well: where no
    single one is enough and one does not fit, further ones are excluded with it.
    `fits` are without each recording, `seen` are the pools that were fitted; `pools` are those of
    moving samples, as static friction leaves more than a load does.
    """
    every = range(len(pools))

    def error(fit: PooledFit, numbers: Sequence[int]) -> float:
        return score(*left_squares(robot, [fit] * len(numbers), [pools[k] for k in numbers]))

    def ratio(fit: PooledFit, out: Collection[int]) -> float:
        """Return the residual of the others in the fit to all over that in another one."""
        others = [k for k in every if k not in out]
        without = error(fit, others)
        return error(whole, others) / without if without > 0.0 else 1.0

    def suspicious(fit: PooledFit, number: int) -> bool:
        others = error(fit, [k for k in every if k != number])
        return others > 0.0 and error(fit, [number]) / others > _SUSPICIOUS_RATIO

    ratios = [ratio(fit, [number]) for number, fit in enumerate(fits)]
    out, most = [int(np.argmax(ratios))], max(ratios)
    while most <= _SPOILING_RATIO:
        before, rest = most, [k for k in every if k not in out]
        if len(out) == min(_MOST_TOGETHER, len(pools) // _LARGEST_SHARE) or (
                len(out) == 1 and not any(map(suspicious, fits, every))):
            return _foreign(robot, names, fits, pools)
        ratios = [ratio(fitted(robot, pooled([seen[other] for other in rest if other != k]), terms,
                               weight, whole), [*out, k]) for k in rest]
        most = max(ratios)
        if most < _WORTHWHILE * before:
            return _foreign(robot, names, fits, pools)
        out.append(rest[int(np.argmax(ratios))])
    them = 'them' if len(out) > 1 else 'it'
    return out, _sentence(names, sorted(out),
                          f'without {them} their residual is {most:.1f} times smaller')


def _foreign(robot: Robot, names: Sequence[str], fits: Sequence[PooledFit],
             pools: Sequence[Pool]) -> tuple[Collection[int], str]:
    """
    Return the recording that the model of the others explains least at some joint, if any.

    Among a dozen it hardly changes the model, but is of no use: a dead sensor, a cut effort.
    """
    if len(pools) <= _FEWEST_OTHERS:
        return (), ''
    ratios = []
    for number, (fit, pool) in enumerate(zip(fits, pools)):
        efforts = np.array([R[:, -1] @ R[:, -1] for R in pool.triangles])
        own, efforts = (np.sqrt(each / np.maximum(pool.rows, 1.0))
                        for each in (squares(fit.fit, pool, robot), efforts))
        others = [each for k, each in enumerate(pools) if k != number]
        total, count = left_squares(robot, [fit] * len(others), others)
        known = (pool.rows > 0.0) & (total > 0.0) & (own > _LEAST_FOREIGN * efforts)
        ratios.append(float((own[known] / np.sqrt(total[known] / count[known])).max(initial=0.0)))
    most, number = max((each, k) for k, each in enumerate(ratios))
    if most <= _FOREIGN_RATIO:
        return (), ''
    return [number], _sentence(names, [number],
                               f'its residual is up to {most:.0f} times theirs')


def _sentence(names: Sequence[str], numbers: Sequence[int], why: str) -> str:
    several = len(numbers) > 1
    words, them = ('s {} do not fit the others, and are', 'them') if several else (
        ' {} does not fit the others, and is', 'it')
    return (f'recording{words.format(", ".join(names[number] for number in numbers))} not used: '
            f'{why}; {_REASONS} if nothing is wrong with {them}, identify {them} alone, with '
            '--payload-recording, or with --friction-per-recording')


# ---- A payload that fits another link than the one that is said to carry it, or other recordings

_BETTER = 1.0   # fall of the logarithm of what a fit leaves, over all joints, for another one


def check_carrier(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
                  payload: CarriedPayload) -> None:
    """Raise an IdentificationError if another link or other recordings explain far more."""
    used, loaded_used = (np.any([each.used > 0 for each in some], axis=0)
                         for some in (summaries, payload.summaries))
    without, loaded = all_rows(summaries), all_rows(payload.summaries)
    if gains is not None:
        gains = approximated(robot, pooled([without, loaded]), gains)
        without, loaded = with_gains([without, loaded], gains.values)
    terms = all_terms(robot, [*summaries, *payload.summaries], payload)._replace(free_gains=(
        () if gains is None else tuple(np.flatnonzero(gains.free & (used + loaded_used > 0)))))

    def left(carried: CarriedPayload, without: Pool, loaded: Pool) -> float:
        """Return the logarithm of what a fit leaves of the efforts, sum of the joints."""
        pool = pooled([payload_pool(robot, carried, without, False),
                       payload_pool(robot, carried, loaded, True)])
        fit = fitted(with_payload(robot, carried), pool, terms, PRIOR_WEIGHT)
        return float(np.log(fit.sigma[pool.rows > 0.0]).sum())

    given = left(payload, without, loaded)
    trials = [(left(payload, loaded, without), 'the recordings with and without the payload look '
               'interchanged: check --payload-recording')]
    moved = {number for bodies, flag in zip(robot.columns.bodies, loaded_used) if flag
             for number in bodies}
    for number in sorted(moved - {payload.carrier}):
        link = robot.system.bodies[number].attached[0].link.name
        trials.append((
            left(payload_on(robot, link, payload.mass, payload.summaries), without, loaded),
            f'the payload looks carried by {link}, or what is fixed to it, not by {payload.link}: '
            'check --payload-link'))
    least, fault = min(trials, key=lambda trial: trial[0])
    if given - least > _BETTER:
        factor = float(np.exp((given - least) / np.count_nonzero(used | loaded_used)))
        raise IdentificationError(f'{fault}; then {factor:.2g} times smaller residuals are left '
                                  '(geometric mean of the joints)')
