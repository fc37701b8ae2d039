"""By how much efforts are late, and the low pass of their columns, by cross-validation."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    FitTerms,
    PooledFit,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
)
from urdf2dyn_ros.identification.robot import LOAD, Robot, joint_columns
from urdf2dyn_ros.identification.rows import (
    BLOCKS,
    HIGHEST_CUTOFF,
    LEAST_JUDGED,
    Piece,
    RecordedRows,
    RowSource,
    block_pools,
    held_out_error,
    score,
)
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


def choose_filter(robot: Robot, source: RowSource, used: Array, terms: FitTerms,
                  cutoff: float | None = None, delay: float | None = None,
                  by_bodies: bool = False) -> tuple[float, float, tuple[float, float]]:
    """
    Return cutoff [Hz] and delay [s] with which blocks are predicted best from the others.

    Friction that follows late looks like a delay. With such a delay efforts are predicted better,
    but gains, which are factors of the bodies' efforts, are wrong: `by_bodies` avoids it. Third,
    the delays between which it is: what bodies alone and bodies with friction would choose.
    """
    chosen, other = (source.frictionless, source.rows) if by_bodies else (
        source.rows, source.frictionless)
    best, late = _least_error(_error_of_filter(robot, chosen, used, terms), cutoff, delay)
    if delay is not None:
        return best, late, (late, late)
    error = _error_of_filter(robot, other, used, terms)
    otherwise = vertex(late, LARGEST_DELAY, [error(best, late + step) for step in (
        -LARGEST_DELAY, 0.0, LARGEST_DELAY)])
    return best, late, (min(late, otherwise), max(late, otherwise))


def _error_of_filter(robot: Robot, rows: Callable[[float, float], RecordedRows], used: Array,
                     terms: FitTerms) -> Callable[[float, float], float]:
    """Return the function of cutoff [Hz] and delay [s] that is to be minimised."""
    begin: PooledFit | None = None

    def error(cutoff: float, delay: float) -> float:
        nonlocal begin
        pools = block_pools(rows(cutoff, delay), used)[:BLOCKS]
        begin = begin or fitted(robot, pooled(pools), terms, PRIOR_WEIGHT, linear=True)
        return score(*left_squares(robot, fits_to_others(
            robot, pools, terms, PRIOR_WEIGHT, begin, linear=True), pools))

    return error


def _least_error(error: Callable[[float, float], float], cutoff: float | None,
                 delay: float | None) -> tuple[float, float]:
    """Return cutoff and delay of the least error; those that are given stay."""
    best = _best_cutoff(error, delay or 0.0) if cutoff is None else cutoff
    if delay is None:
        delay = _best_delay(error, best)
        if cutoff is None and abs(delay) > LARGEST_DELAY:
            best = _best_cutoff(error, delay)
        elif cutoff is None and delay:
            near = [best * factor for factor in (1.12, 1.0, 1.0 / 1.12)]
            best = near[int(np.argmin([error(each, delay) for each in near]))]
    return min(best, HIGHEST_CUTOFF), delay


def _best_cutoff(error: Callable[[float, float], float], delay: float) -> float:
    """Return the cutoff of the least error; the highest one if that is hardly worse."""
    errors = [error(each, delay) for each in COMPARED_CUTOFFS]
    least = int(np.argmin(errors))
    return float(COMPARED_CUTOFFS[least if errors[least] < _BETTER_ERROR * errors[0] else 0])


def _best_delay(error: Callable[[float, float], float], cutoff: float) -> float:
    """
    Return the delay of the least error; zero if that is hardly worse.

    At the largest one the search goes on as long as the error falls.
    """
    steps = round(LARGEST_DELAY / DELAY_STEP)
    delays = DELAY_STEP * np.arange(-steps, steps + 1)
    errors = np.array([error(cutoff, each) for each in delays])
    number = int(np.argmin(errors))
    if errors[number] > _BETTER_ERROR * errors[steps]:
        return 0.0
    if 0 < number < len(delays) - 1:
        return vertex(delays[number], DELAY_STEP, errors[number - 1:number + 2].tolist())
    at = bound = float(delays[number])
    before, least = errors[1 if number == 0 else -2], errors[number]
    step = math.copysign(DELAY_STEP, bound)
    while abs(at + step) <= FARTHEST_DELAY:
        after = error(cutoff, at + step)
        if after >= least:
            break
        at, before, least = at + step, least, after
    else:
        return bound
    if least > _FAR_BETTER_ERROR * errors[number]:
        return bound
    return vertex(at, step, (before, least, after))


def vertex(at: float, step: float, errors: Sequence[float]) -> float:
    """Return where a parabola through the errors before, at and after a delay is least."""
    low, middle, high = errors
    bend = low - 2.0 * middle + high
    return float(at + 0.5 * step * (low - high) / bend) if bend > 0.0 else at


# ---- Efforts that are late or early by more than any filter
#
# Those of all joints are of another clock or of another run, those of one joint come from a drive
# or a filter of its own. Delays are compared by what the URDF leaves of the efforts first; one
# that leaves less is confirmed by what a fit of any bodies leaves of blocks that were held out.

LARGEST_GIVEN_DELAY = 0.5   # largest delay that a user may give [s]
_LARGEST_TRIED, _LARGEST_SHARE = 2.0, 0.2   # largest delay that is tried [s], share of a piece
_RATE = 50.0   # rate of the samples that are compared [Hz]
# falls of the logarithms of the squares that the URDF leaves and of a fit's residuals in held-out
# blocks, over all joints, from which on the efforts are late
_PROMISING, _CONFIRMED = 1.0, 2.0
# the same for a joint that alone is late; those of a UR10, a TX40 and a TIAGo reach 0.2 and 0
_PROMISING_OF_JOINT, _CONFIRMED_OF_JOINT = 0.4, 0.7
_FEWEST_JOINTS = 3   # joints from which on it is one of them that is late
_LEAST_LEFT = 1e-3   # share of the squares of an effort below which what is left of it is noise


def piece_without_delay(piece: Piece, delay: float, joint: int | None = None) -> Piece:
    """Return a piece whose efforts, or those of a joint, are earlier by a delay [s]."""
    late = round(delay * piece.rate)
    if late == 0:
        return piece
    count = len(piece.q) - abs(late)
    motion, moved = (slice(start, start + count) for start in (max(0, -late), max(0, late)))
    effort = piece.effort[moved]
    if joint is not None:
        effort = piece.effort[motion].copy()
        effort[:, joint] = piece.effort[moved, joint]
    return Piece(piece.time[motion], piece.rate, piece.q[motion], piece.qd[motion],
                 piece.qdd[motion], effort)


def late_efforts(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_]) -> str:
    """Return that efforts are late or early by more than FARTHEST_DELAY, or nothing."""
    left, most, rate = _left_by_delay(robot, piece, used)
    delay = _promising_delay(left.sum(axis=0), most, rate, FARTHEST_DELAY, _PROMISING)
    if delay == 0.0:
        return ''
    before, after = (float(held_out_error(robot, [each], used, free).sum())
                     for each in (piece, piece_without_delay(piece, delay)))
    if before - after < _CONFIRMED:
        return ''
    remedy = (f'add --delay {delay:g}' if abs(delay) <= LARGEST_GIVEN_DELAY else
              'change the times of one of the two by it')
    return (f'the efforts are about {_lateness(delay)} than the motion that needs them: '
            'record positions and efforts with stamps of one clock, or, if the delay is '
            f'constant, {remedy}')


def late_joints(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_]
                ) -> Iterator[str]:
    """Yield for each joint whose efforts have another delay than those of the other joints."""
    left, most, rate = _left_by_delay(robot, piece, used)
    if np.count_nonzero(used) < _FEWEST_JOINTS or not most:
        return
    total = left.sum(axis=0)
    for j, each in enumerate(left):
        common = int(np.argmin(total - each)) - most
        delay = _promising_delay(each, most, rate, LARGEST_DELAY, _PROMISING_OF_JOINT, common)
        if delay == 0.0:
            continue
        others = piece_without_delay(piece, common / rate)
        before, after = (float(held_out_error(robot, [tried], used, free)[j])
                         for tried in (others, piece_without_delay(others, delay, j)))
        if before - after > _CONFIRMED_OF_JOINT:
            yield (f'the efforts of {robot.joints[j]} are about {_lateness(delay)} than those '
                   'of the other joints: record all of them with stamps of one clock and the same '
                   'filter, or does its friction follow late?')


def _lateness(delay: float) -> str:
    return f'{abs(delay):g} s {"later" if delay > 0.0 else "earlier"}'


def _left_by_delay(robot: Robot, piece: Piece, used: Array) -> tuple[Array, int, float]:
    """
    Return what the URDF leaves of efforts (n, 2 most + 1) that are moved by up to `most` samples.

    It is the logarithm of the share of squares, 0 for joints that are not used; and the rate of
    the samples [Hz].
    """
    step = max(1, round(piece.rate / _RATE))
    q, qd, qdd, effort = (each[::step] for each in (piece.q, piece.qd, piece.qdd, piece.effort))
    rate = piece.rate / step
    share = _LARGEST_SHARE if len(q) >= LEAST_JUDGED * rate else 0.0
    most = int(rate * min(_LARGEST_TRIED, share * len(q) / rate))
    inner = slice(most, len(q) - most)
    nominal = robot.dynamics(q[inner], qd[inner], qdd[inner])
    left = np.zeros((len(used), 2 * most + 1))
    for j in np.flatnonzero(used).tolist():
        if np.isfinite(effort[:, j]).all():
            own = joint_columns(qd[inner, j], qdd[inner, j], nominal[:, j], robot.sign_widths[j])
            basis = np.linalg.qr(np.column_stack((nominal[:, j], own[:, :LOAD])))[0]
            shifted = sliding_window_view(effort[:, j], len(nominal))
            squares = np.square(shifted - shifted.mean(axis=1, keepdims=True)).sum(axis=1)
            rest = np.square(shifted).sum(axis=1) - np.square(shifted @ basis).sum(axis=1)
            left[j] = np.log(np.maximum(rest / np.maximum(squares, 1e-300), _LEAST_LEFT))
    return left, most, rate


def _promising_delay(left: Array, most: int, rate: float, usual: float, least: float,
                     common: int = 0) -> float:
    """
    Return the delay after a common one that leaves less than all usual ones [s], or 0.

    `usual` is the largest usual delay [s], `least` by how much less, `common` is in samples.
    """
    near, zero, best = int(rate * usual), most + common, int(np.argmin(left))
    if most <= near or left[max(0, zero - near):zero + near + 1].min() - left[best] < least:
        return 0.0
    return round((best - zero) / rate, 2)
