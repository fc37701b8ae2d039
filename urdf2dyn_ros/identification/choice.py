"""The cutoff of a recording's columns and the delay of its efforts, by cross-validation."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.pooled_fit import (
    PRIOR_WEIGHT,
    FitTerms,
    Pool,
    PooledFit,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
)
from urdf2dyn_ros.identification.fit.triangles import triangle
from urdf2dyn_ros.identification.low_pass import HIGHEST_CUTOFF
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import BLOCKS, RecordedRows, RowSource

COMPARED_CUTOFFS = tuple(HIGHEST_CUTOFF / 1.25 ** k for k in range(12))
"""Cutoffs that are compared [Hz]."""

LARGEST_DELAY, DELAY_STEP = 0.02, 0.004
"""Delays that are compared, to both sides of zero [s]."""

FARTHEST_DELAY = 0.25
"""Largest delay that is tried where the efforts are late or early by more [s]."""

_FAR_BETTER_ERROR = 0.9
"""Error, relative to that of LARGEST_DELAY, from which a larger delay is chosen."""

_BETTER_ERROR = 0.995
"""Error, relative to that of the higher cutoff or no delay, from which another one is chosen."""

_LATE_FRICTION_ERROR = 0.8
"""Error without friction that follows late, relative to that with it, from which there is some."""


def block_pools(rows: RecordedRows, used: Array) -> list[Pool]:
    """Return the pools of the blocks, then of the gaps; joints that are not used are empty."""
    return weighted_pools(rows, np.broadcast_to(used, rows.moves.shape))


def weighted_pools(rows: RecordedRows, weights: Array) -> list[Pool]:
    """Return the same of rows by the square roots of weights (k, n)."""
    result = []
    for number in range(BLOCKS + 1):
        chosen = weights * (rows.block == number)[:, None]
        result.append(Pool([triangle(part[weight > 0.0] * np.sqrt(weight[weight > 0.0])[:, None])
                            for part, weight in zip(rows.joints, chosen.T)], chosen.sum(axis=0)))
    return result


def score(total: Array, count: Array) -> float:
    """Return the geometric mean of the root mean squares of the joints that count."""
    known = (count > 0) & (total > 0.0)
    return float(np.exp(0.5 * np.log(total[known] / count[known]).mean())) if known.any() else 0.0


def choose_filter(robot: Robot, source: RowSource, used: Array, terms: FitTerms,
                  cutoff: float | None = None, delay: float | None = None,
                  by_bodies: bool = False) -> tuple[float, float]:
    """
    Return cutoff [Hz] and delay [s] with which blocks are predicted best from the others.

    Friction that follows late looks like a delay. With such a delay efforts are predicted better,
    but gains, which are factors of the bodies' efforts, are wrong: `by_bodies` avoids it.
    """
    trials = _Trials(robot, source.rows, used, terms)
    chosen = trials.filter(cutoff, delay)
    if by_bodies and delay is None and chosen[1]:
        others = _Trials(robot, source.rows_without_late_friction, used, terms)
        other = others.filter(cutoff, delay)
        if others.error(*other) < _LATE_FRICTION_ERROR * trials.error(*chosen):
            return other
    return chosen


class _Trials:
    """Errors with which blocks are predicted from the others, by cutoff and delay."""

    def __init__(self, robot: Robot, make: Callable[[float, float], RecordedRows], used: Array,
                 terms: FitTerms) -> None:
        self._robot, self._make, self._used, self._terms = robot, make, used, terms
        self._begin: PooledFit | None = None

    def error(self, cutoff: float, delay: float) -> float:
        """Return the score of a cutoff [Hz] and a delay [s]."""
        pools = block_pools(self._make(cutoff, delay), self._used)[:BLOCKS]
        if self._begin is None:
            self._begin = fitted(self._robot, pooled(pools), self._terms, PRIOR_WEIGHT,
                                 linear=True)
        fits = fits_to_others(self._robot, pools, self._terms, PRIOR_WEIGHT, self._begin,
                              linear=True)
        return score(*left_squares(self._robot, fits, pools))

    def filter(self, cutoff: float | None, delay: float | None) -> tuple[float, float]:
        """Return cutoff and delay of the least error."""
        best = self.cutoff(delay or 0.0) if cutoff is None else cutoff
        if delay is None:
            delay = self.delay(best)
            if cutoff is None and abs(delay) > LARGEST_DELAY:
                best = self.cutoff(delay)
            elif cutoff is None and delay:
                near = [best * factor for factor in (1.12, 1.0, 1.0 / 1.12)]
                best = near[int(np.argmin([self.error(each, delay) for each in near]))]
        return min(best, HIGHEST_CUTOFF), delay

    def cutoff(self, delay: float) -> float:
        """Return the cutoff of the least error; the highest one if that is hardly worse."""
        errors = [self.error(each, delay) for each in COMPARED_CUTOFFS]
        least = int(np.argmin(errors))
        return float(COMPARED_CUTOFFS[least if errors[least] < _BETTER_ERROR * errors[0] else 0])

    def delay(self, cutoff: float) -> float:
        """Return the delay of the least error; zero if that is hardly worse."""
        steps = round(LARGEST_DELAY / DELAY_STEP)
        delays = DELAY_STEP * np.arange(-steps, steps + 1)
        errors = np.array([self.error(cutoff, each) for each in delays])
        least = int(np.argmin(errors))
        if errors[least] > _BETTER_ERROR * errors[steps]:
            return 0.0
        if 0 < least < len(delays) - 1:
            return vertex(delays[least], DELAY_STEP, errors[least - 1:least + 2].tolist())
        inner = 1 if least == 0 else -2
        return self._larger_delay(cutoff, float(delays[least]), errors[least], errors[inner])

    def _larger_delay(self, cutoff: float, bound: float, least: float, before: float) -> float:
        """Return the delay beyond a bound up to which the error falls, or the bound."""
        step, at, bound_error = math.copysign(DELAY_STEP, bound), bound, least
        while abs(at + step) <= FARTHEST_DELAY:
            after = self.error(cutoff, at + step)
            if after >= least:
                break
            at, before, least = at + step, least, after
        else:
            return bound
        if least > _FAR_BETTER_ERROR * bound_error:
            return bound
        return vertex(at, step, (before, least, after))


def vertex(at: float, step: float, errors: Sequence[float]) -> float:
    """Return where a parabola through the errors before, at and after a delay is least."""
    low, middle, high = errors
    bend = low - 2.0 * middle + high
    return float(at + 0.5 * step * (low - high) / bend) if bend > 0.0 else at
