"""Recordings as summaries: triangles of blocks, from which all fits and figures follow."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.errors import ParameterError, RecordingError
from urdf2dyn_ros.identification.delays import LARGEST_DELAY, choose_filter
from urdf2dyn_ros.identification.fit import PRIOR_WEIGHT, Pool, fitted, pooled, used_terms
from urdf2dyn_ros.identification.gains import Gains, approximated, with_gains
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, Robot
from urdf2dyn_ros.identification.rows import (
    BLOCKS,
    HIGHEST_CUTOFF,
    ROW_RATE,
    Piece,
    RecordedRows,
    RowSource,
    block_pools,
    coupling,
    weighted_pools,
)
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
    used: Array   # (n,), 1 for joints whose efforts count, else 0
    fastest: Array   # (n,) [rad/s or m/s]
    correlation: Array   # (n,), rows that count as one, as neighbouring residuals are alike
    # rows of the fit, with small weights of large residuals: blocks, then gaps
    weighted: list[Pool]
    moving: list[Pool]   # rows for figures, of each block, in which a joint moves
    resting: list[Pool]   # the same in which it rests
    # moving rows without friction, weighted as those of the fit: blocks, then gaps
    frictionless: list[Pool]
    coupling: Array   # (n, n), what friction with another joint's velocity predicts
    joint_seconds: Array   # (n,), duration of what is used of each joint [s]
    # by which efforts are late, from the least to the largest that is possible [s]
    delays: tuple[float, float] = (0.0, 0.0)
    currents: bool = False   # whether the efforts are currents
    recordings: int = 1
    contradictions: tuple[str, ...] = ()   # what in it contradicts any model, in sentences
    rows: RecordedRows | None = None   # for pictures, where the recording was read

    def with_pools(self, change: Callable[[Sequence[Pool]], list[Pool]],
                   **values: Any) -> 'Summary':
        """Return a summary whose lists of pools are changed, with other values."""
        values |= {name: change(getattr(self, name)) for name in PARTS}
        return replace(self, **values)


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
        source.gains = gains.values
    show(0.3)
    terms = used_terms(robot, used, source.fastest)
    seconds = sum(piece.time[-1] - piece.time[0] for piece in pieces)
    unknown = filtering[1] is None and seconds < _LEAST_FOR_DELAY
    cutoff, delay, delays = choose_filter(
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
    weights = used * _huber_weights(residuals)
    result = Summary(name, float(seconds), cutoff, delay, used, source.fastest,
                     np.array([integral_time(each) for each in residuals]),
                     weighted_pools(rows, weights),
                     weighted_pools(rows, used * rows.moves)[:BLOCKS],
                     weighted_pools(rows, used * ~rows.moves)[:BLOCKS],
                     weighted_pools(source.frictionless(cutoff, delay), weights * rows.moves),
                     coupling(rows, residuals, used), used * float(seconds), delays,
                     gains is not None, rows=rows)
    return result if gains is None else in_other_units(result, 1.0 / gains.values)


def all_rows(summaries: Sequence[Summary]) -> Pool:
    """Return the pool of all rows of the fit."""
    return pooled([pool for each in summaries for pool in each.weighted])


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
_VERSION = 7
_VECTORS = ('used', 'fastest', 'correlation', 'joint_seconds')


def summary_bytes(summary: Summary, robot: Robot) -> bytes:
    """Return the content of a summary's file."""
    head = {'version': _VERSION, 'robot': robot.key, 'joints': robot.joints,
            'name': summary.name, 'seconds': summary.seconds, 'cutoff': summary.cutoff,
            'delay': summary.delay, 'delays': summary.delays, 'currents': summary.currents,
            'recordings': summary.recordings, 'contradictions': summary.contradictions}
    arrays: dict[str, Any] = {name: getattr(summary, name) for name in _VECTORS}
    arrays['coupling'] = summary.coupling
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
        return _summary(head, arrays, robot)
    except RecordingError:
        raise
    except Exception as error:   # a damaged archive raises many types
        raise RecordingError(path, f'no summary, or damaged ({type(error).__name__}): make it '
                             'again from the recording') from None


def summary_paths(folder: Path) -> list[Path]:
    """Return the files of a directory that `summary_bytes` wrote, also those of other robots."""
    def is_summary(path: Path) -> bool:
        try:
            with np.load(path, allow_pickle=False) as file:
                return {'version', 'robot', 'seconds'} <= set(json.loads(str(file['head'])))
        except Exception:   # a damaged archive, or another one, raises many types
            return False

    return [path for path in sorted(folder.glob(f'*{SUFFIX}')) if is_summary(path)]


def _summary(head: dict[str, Any], arrays: dict[str, Array], robot: Robot) -> Summary:
    n, name = len(robot.joints), str(head['name'])
    if Path(name).name != name:   # a file is named after it
        raise ValueError('name')
    lists: dict[str, Any] = {}
    for key, count in PARTS.items():
        rows = _checked(arrays[f'{key}_rows'], (count, n))
        sizes = [10 * len(bodies) + len(JOINT_COLUMNS) + 1 for bodies in robot.columns.bodies]
        joints = [_checked(arrays[f'{key}_{joint}'], (count, size, size))
                  for joint, size in enumerate(sizes)]
        lists[key] = [Pool([each[k] for each in joints], rows[k]) for k in range(count)]
    used, fastest, correlation, seconds = (_checked(arrays[each], (n,)) for each in _VECTORS)
    return Summary(name, float(head['seconds']), float(head['cutoff']),
                   float(head['delay']), used, fastest, correlation, **lists,
                   coupling=_checked(arrays['coupling'], (n, n)), joint_seconds=seconds,
                   delays=(float(head['delays'][0]), float(head['delays'][1])),
                   currents=bool(head['currents']), recordings=int(head['recordings']),
                   contradictions=tuple(map(str, head['contradictions'])))


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
        coupling=mean('coupling', share), correlation=mean('correlation', joint_share),
        used=np.maximum(first.used, second.used),
        fastest=np.maximum(first.fastest, second.fastest),
        **pools)


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
