"""Recordings as summaries: triangles of blocks, from which all fits and figures follow."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import RecordingError
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
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.rows import (
    BLOCKS,
    HIGHEST_CUTOFF,
    ROW_RATE,
    RecordedRows,
    RowSource,
    block_pools,
    score,
    weighted_pools,
)
from urdf2dyn_ros.recordings.pieces import Piece
from urdf2dyn_ros.robot.spatial import Array

# lists of pools in a summary, and their lengths
PARTS = {'weighted': BLOCKS + 1, 'moving': BLOCKS, 'resting': BLOCKS, 'frictionless': BLOCKS + 1}
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
    used: NDArray[np.bool_]   # (n,), joints whose efforts count
    fastest: Array   # (n,) [rad/s or m/s]
    correlation: Array   # (n,), rows that count as one, as neighbouring residuals are alike
    # rows of the fit, with small weights of large residuals: blocks, then gaps
    weighted: list[Pool]
    moving: list[Pool]   # rows for figures, of each block, in which a joint moves
    resting: list[Pool]   # the same in which it rests
    # moving rows without friction, weighted as those of the fit: blocks, then gaps
    frictionless: list[Pool]
    joint_seconds: Array   # (n,), duration of what is used of each joint [s]
    # by which efforts are late, from the least to the largest that is possible [s]
    delays: tuple[float, float] = (0.0, 0.0)
    currents: bool = False   # whether the efforts are currents
    recordings: int = 1
    digest: str = ''   # of positions and efforts, the same for a copy of the recording
    contradictions: tuple[str, ...] = ()   # what in it contradicts any model, in sentences
    # for pictures and what residuals depend on; None of summaries in files and of many recordings
    rows: RecordedRows | None = None

    def with_pools(self, change: Callable[[Sequence[Pool]], list[Pool]],
                   **values: Any) -> 'Summary':
        """Return a summary whose lists of pools are changed, with other values."""
        values |= {name: change(getattr(self, name)) for name in PARTS}
        return replace(self, **values)


def summarised(robot: Robot, name: str, pieces: Sequence[Piece], used: NDArray[np.bool_],
               filtering: tuple[float | None, float | None] = (None, None),
               gains: Gains | None = None,
               show: Callable[[float], None] = lambda fraction: None) -> Summary:
    """Return the summary of a recording's pieces; cutoff and delay are chosen unless set."""
    source = RowSource(pieces, robot.columns, robot.prior.parameters, robot.sign_widths,
                       filtering[1] or 0.0)
    if gains is not None:
        recorded = source.rows(HIGHEST_CUTOFF, 0.0)
        gains = approximated(robot, pooled(block_pools(recorded, used)), gains)
        source.gains = gains.values
    show(0.3)
    terms = used_terms(robot, used, source.fastest)
    seconds = sum(piece.time[-1] - piece.time[0] for piece in pieces)
    unknown = filtering[1] is None and seconds < _LEAST_FOR_DELAY
    cutoff, delay, delays = _chosen_filter(
        robot, source, used, terms, filtering[0], 0.0 if unknown else filtering[1],
        by_bodies=gains is not None and bool(gains.free.any()))
    if unknown:
        delays = -LARGEST_DELAY, LARGEST_DELAY
    show(0.8)
    rows = source.rows(cutoff, delay)
    first = fitted(robot, pooled(block_pools(rows, used)), terms, PRIOR_WEIGHT, linear=True)
    source.set_bodies(first.fit.bodies)
    rows = source.rows(cutoff, delay)
    fit = fitted(robot, pooled(block_pools(rows, used)), terms, PRIOR_WEIGHT, linear=True)
    residuals = [part[:, :-1] @ fit.fit.solution(j, bodies) - part[:, -1]
                 for j, (part, bodies) in enumerate(zip(rows.joints, robot.columns.bodies))]
    counts: Array = used.astype(np.float64)
    weights = counts * _huber_weights(residuals)
    result = Summary(
        name, float(seconds), cutoff, delay, used, source.fastest,
        correlation=np.array([integral_time(residual) for residual in residuals]),
        weighted=weighted_pools(rows, weights),
        moving=weighted_pools(rows, counts * rows.moves)[:BLOCKS],
        resting=weighted_pools(rows, counts * ~rows.moves)[:BLOCKS],
        frictionless=weighted_pools(source.frictionless(cutoff, delay), weights * rows.moves),
        joint_seconds=counts * float(seconds), delays=delays, currents=gains is not None,
        rows=rows)
    return result if gains is None else in_other_units(result, 1.0 / gains.values)


def all_rows(summaries: Sequence[Summary]) -> Pool:
    """Return the pool of all rows of the fit."""
    return pooled([pool for summary in summaries for pool in summary.weighted])


def mean_correlation(summaries: Sequence[Summary]) -> Array:
    """Return how many rows count as one (n,), the mean over all rows."""
    rows = np.array([summary.joint_seconds for summary in summaries])
    times = np.array([summary.correlation for summary in summaries])
    total = rows.sum(axis=0)
    return np.where(total > 0.0, (rows * times).sum(axis=0) / np.maximum(total, 1e-12), 1.0)


def all_terms(robot: Robot, summaries: Sequence[Summary],
              payload_mass: float | None) -> FitTerms:
    """
    Return all terms of the joints that are used; with one joint, only its own body is free.

    The mass [kg] is that of a payload, NaN if it is not known, None without a payload.
    """
    used = np.any([summary.used for summary in summaries], axis=0)
    fastest: Array = np.maximum.reduce([summary.fastest for summary in summaries])
    fixed: tuple[int, ...] = ()
    if np.count_nonzero(used) == 1:
        fixed = tuple(number for number, movers in enumerate(robot.columns.movers)
                      if not used[movers].any())
    return used_terms(robot, used, fastest)._replace(
        fixed=fixed, payload=payload_mass)


def in_other_units(summary: Summary, factors: Array) -> Summary:
    """Return a summary whose efforts are multiplied by factors (n,)."""
    return summary.with_pools(lambda pools: with_gains(pools, factors),
                              rows=summary.rows and summary.rows.in_units(factors))


def _huber_weights(residuals: Sequence[Array]) -> Array:
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


# ---- The cutoff of a recording's columns and the delay of its efforts, by cross-validation

# cutoffs that are compared [Hz]
_CUTOFFS = tuple(HIGHEST_CUTOFF / 1.25 ** k for k in range(12))
LARGEST_DELAY, DELAY_STEP = 0.02, 0.004   # delays that are compared, to both sides of zero [s]
FARTHEST_DELAY = 0.25   # largest that is searched, if LARGEST_DELAY is too small [s]
# error, relative to that of LARGEST_DELAY, from which a larger delay is chosen
_FAR_BETTER_ERROR = 0.9
# error, relative to that of the highest cutoff or no delay, from which another one is chosen
_BETTER_ERROR = 0.995


def _chosen_filter(robot: Robot, source: RowSource, used: NDArray[np.bool_], terms: FitTerms,
                   cutoff: float | None, delay: float | None,
                   by_bodies: bool) -> tuple[float, float, tuple[float, float]]:
    """
    Return cutoff [Hz] and delay [s], where they are not given those that predict blocks best.

    Friction that follows late looks like a delay. With such a delay efforts are predicted better,
    but gains, which are factors of the bodies' efforts, are wrong: `by_bodies` avoids it. Third,
    the delays between which it is: what bodies alone and bodies with friction would choose.
    """
    def error_of(rows: Callable[[float, float], RecordedRows]) -> Callable[[float, float], float]:
        begin: PooledFit | None = None

        def error(cutoff: float, delay: float) -> float:
            nonlocal begin
            pools = block_pools(rows(cutoff, delay), used)[:BLOCKS]
            begin = begin or fitted(robot, pooled(pools), terms, PRIOR_WEIGHT, linear=True)
            return score(*left_squares(robot, fits_to_others(
                robot, pools, terms, PRIOR_WEIGHT, begin, linear=True), pools))

        return error

    def best_cutoff(delay: float) -> float:   # the highest one if it is hardly worse
        errors = [error(trial, delay) for trial in _CUTOFFS]
        least = int(np.argmin(errors))
        return _CUTOFFS[least if errors[least] < _BETTER_ERROR * errors[0] else 0]

    chosen, other = (source.frictionless, source.rows) if by_bodies else (
        source.rows, source.frictionless)
    error = error_of(chosen)
    best = best_cutoff(delay or 0.0) if cutoff is None else cutoff
    if delay is not None:
        return min(best, HIGHEST_CUTOFF), delay, (delay, delay)
    late = _best_delay(cache(lambda k: error(best, k * DELAY_STEP)))
    if cutoff is None and abs(late) > LARGEST_DELAY:
        best = best_cutoff(late)
    elif cutoff is None and late:
        near = [best * factor for factor in (1.12, 1.0, 1.0 / 1.12)]
        best = near[int(np.argmin([error(trial, late) for trial in near]))]
    best, error = min(best, HIGHEST_CUTOFF), error_of(other)
    otherwise = _vertex(late, LARGEST_DELAY, *(error(best, late + step) for step in (
        -LARGEST_DELAY, 0.0, LARGEST_DELAY)))
    return best, late, (min(late, otherwise), max(late, otherwise))


def _best_delay(error: Callable[[int], float]) -> float:
    """
    Return the delay of the least error, a function of DELAY_STEPs; zero if that is hardly worse.

    At the largest one the search goes on as long as the error falls.
    """
    most, farthest = round(LARGEST_DELAY / DELAY_STEP), int(FARTHEST_DELAY / DELAY_STEP)
    best = min(range(-most, most + 1), key=error)
    if error(best) > _BETTER_ERROR * error(0):
        return 0.0
    if abs(best) == most:
        bound, step = best, best // most
        while abs(best) < farthest and error(best + step) < error(best):
            best += step
        if abs(best) == farthest or error(best) > _FAR_BETTER_ERROR * error(bound):
            return bound * DELAY_STEP
    return _vertex(best * DELAY_STEP, DELAY_STEP, *(error(best + k) for k in (-1, 0, 1)))


def _vertex(middle_delay: float, step: float, low: float, middle: float, high: float) -> float:
    """Return where a parabola through the errors before, at and after a delay is least."""
    bend = low - 2.0 * middle + high
    return float(middle_delay + 0.5 * step * (low - high) / bend) if bend > 0.0 else middle_delay


# ---- Summaries as files of numpy, versioned and checked, which stand in for recordings

SUFFIX = '.npz'
_VERSION = 10
_VECTORS = ('used', 'fastest', 'correlation', 'joint_seconds')
_OTHERS = ('name', 'seconds', 'cutoff', 'delay', 'delays', 'currents', 'recordings',
           'digest', 'contradictions')


def summary_bytes(summary: Summary, robot: Robot) -> bytes:
    """Return the content of a summary's file."""
    head = {'version': _VERSION, 'robot': robot.key,
            **{name: getattr(summary, name) for name in _OTHERS}}
    arrays: dict[str, Any] = {name: getattr(summary, name) for name in _VECTORS}
    for name in PARTS:
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
        n, values = len(robot.joints), {name: head[name] for name in _OTHERS}
        if Path(values['name']).name != values['name']:   # a file is named after it
            raise ValueError('name')
        for name, count in PARTS.items():
            values[name] = [Pool([arrays[f'{name}_{joint}'][k] for joint in range(n)],
                                 arrays[f'{name}_rows'][k]) for k in range(count)]
        return Summary(**values | {name: arrays[name] for name in _VECTORS} | {
            name: tuple(head[name]) for name in ('delays', 'contradictions')})
    except RecordingError:
        raise
    except Exception as error:   # a damaged archive raises many types
        raise RecordingError(path, f'no summary, or damaged ({type(error).__name__}): make it '
                             'again from the recording') from None


def summary_paths(folder: Path) -> list[Path]:
    """Return the files of a directory that `summary_bytes` wrote, also those of other robots."""
    return [path for path in sorted(folder.glob(f'*{SUFFIX}')) if is_summary(path)]


def is_summary(path: Path) -> bool:
    """Return whether a file is one that `summary_bytes` wrote, not a recording as arrays."""
    return (path.suffix == SUFFIX and path.is_file() and is_zipfile(path)
            and 'head.npy' in ZipFile(path).namelist())


# ---- Summaries of several recordings, merged into one of the same size
#
# Merging is associative, and its order has no effect beyond rounding: triangles of the same block
# are those of all their rows, and everything else is a sum, a largest value or a weighted mean. So
# days merge into months, and robots into a fleet, and no more than two summaries are in memory.

# largest number of groups of neighbours as which many recordings are fitted and held out
MOST_SUMMARIES = 30


def merged_summary(first: Summary, second: Summary) -> Summary:
    """Return the summary of two, both of efforts or both of currents."""
    def mean(name: str, share: Array | float) -> Any:
        """Return the mean of both, in which the second has a share, or one of each joint (n,)."""
        one, other = getattr(first, name), getattr(second, name)
        return one + (share * np.subtract(other, one).T).T

    pools: dict[str, Any] = {
        name: [pooled(pair) for pair in zip(getattr(first, name), getattr(second, name))]
        for name in PARTS}
    seconds = first.seconds + second.seconds
    joints = first.joint_seconds + second.joint_seconds
    share = second.seconds / seconds
    joint_share = second.joint_seconds / np.where(joints > 0.0, joints, 1.0)
    return replace(
        first, seconds=seconds, joint_seconds=joints,
        recordings=first.recordings + second.recordings,
        cutoff=float(mean('cutoff', share)), delay=float(mean('delay', share)),
        delays=(min(first.delays[0], second.delays[0]), max(first.delays[1], second.delays[1])),
        contradictions=first.contradictions + second.contradictions,
        correlation=mean('correlation', joint_share),
        used=first.used | second.used, rows=None,
        fastest=np.maximum(first.fastest, second.fastest),
        **pools)


def grouped(summaries: Iterable[Summary], total: int) -> list[Summary]:
    """
    Return summaries as at most MOST_SUMMARIES groups of neighbours, each with the first's name.

    The memory is that of the groups, however many summaries there are.
    """
    groups: dict[int, Summary] = {}
    for number, summary in enumerate(summaries):
        group = number * MOST_SUMMARIES // max(total, MOST_SUMMARIES)
        groups[group] = merged_summary(groups[group], summary) if group in groups else summary
    return [group if group.recordings == 1 else replace(
        group, name=f'{group.name}_and_{group.recordings - 1}_more') for group in groups.values()]
