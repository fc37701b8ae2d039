"""Recordings as summaries: triangles of blocks, from which all fits and figures follow."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.errors import ParameterError, RecordingError
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    FitTerms,
    Pool,
    PooledFit,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
    used_terms,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, with_gains
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, Robot
from urdf2dyn_ros.identification.rows import BLOCKS, RecordedRows, RowSource, coupling, triangle
from urdf2dyn_ros.identification.segments import HIGHEST_CUTOFF, ROW_RATE, Piece
from urdf2dyn_ros.robot.spatial import Array

# ---- The cutoff of a recording's columns and the delay of its efforts, by cross-validation

# cutoffs that are compared [Hz]
COMPARED_CUTOFFS = tuple(HIGHEST_CUTOFF / 1.25 ** k for k in range(12))
LARGEST_DELAY, DELAY_STEP = 0.02, 0.004   # delays that are compared, to both sides of zero [s]
# largest delay that is tried where the efforts are late or early by more [s]
FARTHEST_DELAY = 0.25
# error, relative to that of LARGEST_DELAY, from which a larger delay is chosen
_FAR_BETTER_ERROR = 0.9
# error, relative to that of the higher cutoff or no delay, from which another one is chosen
_BETTER_ERROR = 0.995
# error without friction that follows late, relative to that with it, from which there is some
_LATE_FRICTION_ERROR = 0.8


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


# ---- A recording as a summary: triangles of its blocks, from which all fits and figures follow

_HUBER = 1.5   # residual, in standard deviations, from which its weight falls
# duration below which no delay is chosen: that of a dozen parts of a UR10, 2 s each, is -20 to 33
# ms, where the whole recording has 8 [s]
_LEAST_FOR_DELAY = 4.0


@dataclass(frozen=True)
class Summary:
    """What a fit needs of one or several recordings, with efforts in the recorded units."""

    name: str
    seconds: float   # duration of what is used [s]
    cutoff: float   # of the columns [Hz]
    delay: float   # of the efforts [s]
    used: Array   # (n,), 1 for joints whose efforts count, else 0
    fastest: Array   # (n,) [rad/s or m/s]
    correlation: Array   # (n,), rows that count as one, as neighbouring residuals are alike
    # rows of the fit, with small weights of large residuals: blocks, then gaps
    weighted: list[Pool]
    moving: list[Pool]   # rows for figures, of each block, in which a joint moves
    resting: list[Pool]   # the same in which it rests
    coupling: Array   # (n, n), what friction with another joint's velocity predicts
    joint_seconds: Array   # (n,), duration of what is used of each joint [s]
    currents: bool = False   # whether the efforts are currents
    recordings: int = 1
    rows: RecordedRows | None = None   # for pictures, where the recording was read

    def with_pools(self, change: Callable[[Sequence[Pool]], list[Pool]],
                   **values: Any) -> 'Summary':
        """Return a summary whose lists of pools are changed, with other values."""
        return replace(self, weighted=change(self.weighted), moving=change(self.moving),
                       resting=change(self.resting), **values)


def summarised(robot: Robot, name: str, pieces: Sequence[Piece], used: Array,
               filtering: tuple[float | None, float | None] = (None, None),
               gains: Gains | None = None,
               show: Callable[[float], None] = lambda fraction: None) -> Summary:
    """Return the summary of a recording's pieces; cutoff and delay are chosen unless set."""
    source = RowSource(pieces, robot.columns, robot.prior.parameters, robot.sign_widths,
                       filtering[1] or 0.0)
    if gains is not None:
        recorded = source.rows(HIGHEST_CUTOFF, 0.0)
        gains = approximated(robot, pooled(block_pools(recorded, used)), gains)
        source.set_gains(gains.values)
    show(0.3)
    terms = used_terms(robot, used, source.fastest)
    seconds = sum(piece.time[-1] - piece.time[0] for piece in pieces)
    given = 0.0 if filtering[1] is None and seconds < _LEAST_FOR_DELAY else filtering[1]
    cutoff, delay = choose_filter(robot, source, used, terms, filtering[0], given,
                                  by_bodies=gains is not None and bool(gains.free.any()))
    show(0.8)
    rows = source.rows(cutoff, delay)
    first = fitted(robot, pooled(block_pools(rows, used)), terms, PRIOR_WEIGHT, linear=True)
    source.set_bodies(first.fit.bodies)
    rows = source.rows(cutoff, delay)
    fit = fitted(robot, pooled(block_pools(rows, used)), terms, PRIOR_WEIGHT, linear=True)
    residuals = [part[:, :-1] @ fit.fit.solution(j, bodies) - part[:, -1]
                 for j, (part, bodies) in enumerate(zip(rows.joints, robot.columns.bodies))]
    result = Summary(name, float(seconds), cutoff, delay, used, source.fastest,
                     np.array([integral_time(each) for each in residuals]),
                     weighted_pools(rows, used * _huber_weights(residuals)),
                     weighted_pools(rows, used * rows.moves)[:BLOCKS],
                     weighted_pools(rows, used * ~rows.moves)[:BLOCKS],
                     coupling(rows, residuals, used), used * float(seconds),
                     gains is not None, 1, rows)
    return result if gains is None else in_other_units(result, 1.0 / gains.values)


def in_other_units(summary: Summary, factors: Array) -> Summary:
    """Return a summary whose efforts are multiplied by factors (n,)."""
    return summary.with_pools(lambda pools: with_gains(pools, factors),
                              rows=summary.rows and summary.rows.in_units(factors))


def _huber_weights(residuals: Sequence[Array]) -> Array:
    """Return the weights (k, n) of the rows of each joint."""
    weights = []
    for residual in residuals:
        sigma = 1.4826 * float(np.median(np.abs(residual)))
        weights.append(np.minimum(1.0, _HUBER * sigma / np.maximum(np.abs(residual), 1e-300))
                       if sigma > 0.0 else np.ones(len(residual)))
    return np.stack(weights, axis=1)


def integral_time(residual: Array) -> float:
    """Return how many rows count as one: 1 + 2 sum of autocorrelations, up to the first zero."""
    count = len(residual)
    centred = residual - residual.mean()
    size = float(centred @ centred)
    if count < 8 or size <= 0.0:
        return 1.0
    length = 2 * count
    spectrum = np.abs(np.fft.rfft(centred, length)) ** 2
    correlation = np.fft.irfft(spectrum, length)[:min(count // 2, round(5.0 * ROW_RATE))] / size
    below = np.flatnonzero(correlation < 0.05)
    last = int(below[0]) if len(below) else len(correlation)
    return float(1.0 + 2.0 * correlation[1:last].sum())


# ---- Summaries as files of numpy, versioned and checked, which stand in for recordings

SUFFIX = '.npz'
_VERSION = 4
# lists of pools in a summary, and their lengths
_LISTS = {'weighted': BLOCKS + 1, 'moving': BLOCKS, 'resting': BLOCKS}
_VECTORS = ('used', 'fastest', 'correlation', 'joint_seconds')


def summary_bytes(summary: Summary, robot: Robot) -> bytes:
    """Return the content of a summary's file."""
    head = {'version': _VERSION, 'robot': robot.key, 'joints': robot.joints,
            'name': summary.name, 'seconds': summary.seconds, 'cutoff': summary.cutoff,
            'delay': summary.delay, 'currents': summary.currents, 'recordings': summary.recordings}
    arrays: dict[str, Any] = {name: getattr(summary, name) for name in _VECTORS}
    arrays['coupling'] = summary.coupling
    for name in _LISTS:
        pools: list[Pool] = getattr(summary, name)
        arrays[f'{name}_rows'] = np.array([pool.rows for pool in pools])
        for joint in range(len(robot.joints)):
            arrays[f'{name}_{joint}'] = np.array([pool.triangles[joint] for pool in pools])
    buffer = BytesIO()
    np.savez_compressed(buffer, head=np.array(json.dumps(head)), **arrays)
    return buffer.getvalue()


def read_summary(path: Path, robot: Robot) -> Summary:
    """Return a summary; a RecordingError for a damaged file, another version, or another robot."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, Array] = {name: file[name] for name in file.files}
        head = json.loads(str(arrays['head']))
        if head['version'] != _VERSION:
            raise RecordingError(path, f'a summary of version {head["version"]}, but this program '
                                 f'reads {_VERSION}: make it again from the recording')
        if head['robot'] != robot.key:
            raise RecordingError(path, 'a summary for another robot, URDF or gravity: make it '
                                 'again from the recording with this URDF')
        return _summary(head, arrays, robot)
    except RecordingError:
        raise
    # a damaged archive raises many types
    except Exception as error:
        raise RecordingError(path, f'no summary, or damaged ({type(error).__name__}): make it '
                             'again from the recording') from None


def summary_paths(folder: Path) -> list[Path]:
    """Return the files of a directory that `summary_bytes` wrote, also those of other robots."""
    return [path for path in sorted(folder.glob(f'*{SUFFIX}')) if _is_summary(path)]


def _is_summary(path: Path) -> bool:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {'version', 'robot', 'seconds'} <= set(json.loads(str(file['head'])))
    # a damaged archive, or another one, raises many types
    except Exception:
        return False


def _summary(head: dict[str, Any], arrays: dict[str, Array], robot: Robot) -> Summary:
    n, name = len(robot.joints), str(head['name'])
    if Path(name).name != name:   # a file is named after it
        raise ValueError('name')
    lists = {}
    for key, count in _LISTS.items():
        rows = _checked(arrays[f'{key}_rows'], (count, n))
        sizes = [10 * len(bodies) + len(JOINT_COLUMNS) + 1 for bodies in robot.columns.bodies]
        joints = [_checked(arrays[f'{key}_{joint}'], (count, size, size))
                  for joint, size in enumerate(sizes)]
        lists[key] = [Pool([each[k] for each in joints], rows[k]) for k in range(count)]
    used, fastest, correlation, seconds = (_checked(arrays[each], (n,)) for each in _VECTORS)
    return Summary(name, float(head['seconds']), float(head['cutoff']),
                   float(head['delay']), used, fastest, correlation, lists['weighted'],
                   lists['moving'], lists['resting'], _checked(arrays['coupling'], (n, n)),
                   seconds, bool(head['currents']), int(head['recordings']))


def _checked(values: Array, shape: tuple[int, ...]) -> Array:
    if values.shape != shape or values.dtype != np.float64 or not np.isfinite(values).all():
        raise ValueError('shape, type or value')
    return values


# ---- Summaries of several recordings, merged into one of the same size
#
# Merging is associative, and its order has no effect beyond rounding: triangles of the same block
# are those of all their rows, and everything else is a sum, a largest value or a weighted mean. So
# days merge into months, and robots into a fleet, and no more than two summaries are in memory.

# largest number of groups of neighbours as which many recordings are fitted and held out
MOST_SUMMARIES = 30


def merged_summary(first: Summary, second: Summary) -> Summary:
    """
    Return the summary of two; a ParameterError if one is of currents and the other of efforts.
    """
    if first.currents != second.currents:
        raise ParameterError(f'{first.name} and {second.name}: one is a summary of currents, the '
                             'other of efforts: merge those of each kind')
    seconds = first.seconds + second.seconds
    share = second.seconds / seconds
    joints = first.joint_seconds + second.joint_seconds
    joint_share = second.joint_seconds / np.where(joints > 0.0, joints, 1.0)
    return replace(
        first, seconds=seconds, cutoff=first.cutoff + share * (second.cutoff - first.cutoff),
        delay=first.delay + share * (second.delay - first.delay),
        recordings=first.recordings + second.recordings,
        used=np.maximum(first.used, second.used),
        fastest=np.maximum(first.fastest, second.fastest),
        correlation=_mean(first.correlation, second.correlation, joint_share),
        joint_seconds=joints, weighted=_merged(first.weighted, second.weighted),
        moving=_merged(first.moving, second.moving),
        resting=_merged(first.resting, second.resting),
        coupling=_mean(first.coupling, second.coupling, np.full(len(joints), share)))


def _mean(first: Array, second: Array, share: Array) -> Array:
    """Return the mean of each row with the second's share (n,)."""
    return first + (share * (second - first).T).T


def _merged(first: Sequence[Pool], second: Sequence[Pool]) -> list[Pool]:
    return [pooled(pair) for pair in zip(first, second)]


class SummaryGroups:
    """
    Summaries one after the other, as at most so many groups of neighbours.

    The memory is that of the groups, however many summaries are added.
    """

    def __init__(self, total: int, most: int) -> None:
        self._total, self._most = max(total, most), most
        self._added = 0
        self._groups: dict[int, Summary] = {}

    def add(self, summary: Summary) -> None:
        number = self._added * self._most // self._total
        self._added += 1
        before = self._groups.get(number)
        self._groups[number] = summary if before is None else merged_summary(before, summary)

    def summaries(self) -> list[Summary]:
        """Return the groups, each with the name of its first recording."""
        return [each if each.recordings == 1 else replace(
            each, name=f'{each.name}_and_{each.recordings - 1}_more')
            for each in self._groups.values()]
