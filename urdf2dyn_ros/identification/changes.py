"""What changes within a recording: payloads, contacts, offsets, zeros that are off."""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.equations.links import chain
from urdf2dyn_ros.identification.fit import PRIOR_WEIGHT, fitted, pooled, slopes_of, used_terms
from urdf2dyn_ros.identification.mistakes import moved_beyond
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, USUAL, Columns, Robot
from urdf2dyn_ros.identification.rows import (
    BLOCKS,
    ROW_RATE,
    Piece,
    RecordedRows,
    Spectra,
    inner_times,
)
from urdf2dyn_ros.identification.summary import Summary, summarised
from urdf2dyn_ros.robot.spatial import Array

# ---- What more columns of the efforts explain of a recording, next to those of any bodies and
# friction
#
# A column is what a small error of the URDF or of the recording adds to the efforts, with one
# unknown for all joints. It counts if it predicts what a fit leaves of blocks that were held out.

_MOST_ROWS = 3000   # rows of each joint that are used


class FittedRows(NamedTuple):
    """
    Moving rows of a recording, in units of what a fit leaves of each joint.

    At rest the efforts are those of static friction, which resemble anything that depends on the
    position.
    """

    # (k, u + 1) of each used joint: unknowns of bodies, ten each, and of joints; what is left
    parts: list[Array]
    every_nth: int   # row of the recording that is used
    bodies: Array   # (b, 10), those of the fit
    slopes: Array   # (b, 10, 10), derivatives of the parameters of bodies by their unknowns
    scales: list[Array]   # (k, 1) of each used joint, by which its rows are multiplied
    rows: RecordedRows
    joints: list[int]


def fitted_rows(robot: Robot, summary: Summary) -> FittedRows:
    """Return the rows of a summary and what the fit to it leaves of them."""
    rows = summary.rows
    assert rows is not None
    used, own = summary.used, len(JOINT_COLUMNS[USUAL])
    fit = fitted(robot, pooled(summary.weighted), used_terms(robot, used, summary.fastest),
                 PRIOR_WEIGHT, linear=True).fit
    slopes = slopes_of(robot.prior.factors)
    joints: list[int] = np.flatnonzero(used).tolist()
    first, every_nth = 10 * len(slopes), -(-len(rows.block) // _MOST_ROWS)
    parts, scales = [], []
    for k, joint in enumerate(joints):
        columns, bodies = rows.joints[joint][::every_nth], robot.columns.bodies[joint]
        part = np.zeros((len(columns), first + own * len(joints) + 1))
        for place, body in enumerate(bodies):
            part[:, 10 * body:10 * body + 10] = (
                columns[:, 10 * place:10 * place + 10] @ slopes[body])
        part[:, first + own * k:first + own * k + own] = (
            columns[:, -1 - len(JOINT_COLUMNS):-1][:, USUAL])
        part[:, -1] = columns[:, -1] - columns[:, :-1] @ fit.solution(joint, bodies)
        moves = rows.moves[::every_nth, joint]
        scale = moves[:, None] / max(float(np.std(part[moves, -1])) if moves.any() else 0.0, 1e-12)
        parts.append(part * scale)
        scales.append(scale)
    return FittedRows(parts, every_nth, fit.bodies, slopes, scales, rows, joints)


class Explained(NamedTuple):
    """What a group of columns explains."""

    removed: float   # fall of the logarithm of held-out residuals, sum of the joints
    left: float   # what is left of this logarithm, in units of the recording
    unknowns: Array   # of the columns of the group, from all rows


def explained(fit: FittedRows, columns: Array, groups: Sequence[Sequence[int]]
              ) -> list[Explained]:
    """Return what each group of columns (k, z, n) explains, without the other groups."""
    parts = [np.column_stack((part[:, :-1], scale * columns[:, :, joint], part[:, -1]))
             for part, scale, joint in zip(fit.parts, fit.scales, fit.joints)]
    block = fit.rows.block[::fit.every_nth]
    rows = [[part[block == number] for part in parts] for number in range(BLOCKS)]
    normals = [np.sum([part.T @ part for part in each], axis=0) for each in rows]
    total, every = np.sum(normals, axis=0), [(), *map(tuple, groups)]
    left, size = np.zeros((len(every), len(parts))), columns.shape[1]
    for normal, each in zip(normals, rows):
        unknowns = _solutions(total - normal, size, every)
        for k, part in enumerate(each):
            left[:, k] += np.square(part[:, -1:] - part[:, :-1] @ unknowns).sum(axis=0)
    logarithms = 0.5 * np.log(np.maximum(left, 1e-30)).sum(axis=1)
    first = len(total) - 1 - size
    units = sum(float(np.log(max(scale.max(), 1e-300))) for scale in fit.scales)
    return [Explained(float(logarithms[0] - after), float(after - units),
                      row[first + np.array(group)])
            for group, after, row in zip(groups, logarithms[1:],
                                         _solutions(total, size, every).T[1:])]


def regularised(normal: Array) -> Array:
    """Return the normal matrix (u, u) of the unknowns of a fit with its prior."""
    return normal + np.diag(1e-9 * np.diag(normal) + 1e-9 + 0.5 * PRIOR_WEIGHT)


def _solutions(normal: Array, size: int, groups: Sequence[Sequence[int]]) -> Array:
    """Return the unknowns (u + z, g) with each group of the z columns, zero for the others."""
    first = len(normal) - size - 1
    X = np.linalg.solve(regularised(normal[:first, :first]), normal[:first, first:])
    S = normal[first:, first:] - normal[first:, :first] @ X
    result = np.zeros((first + size, len(groups)))
    for k, group in enumerate(map(list, groups)):
        own = S[np.ix_(group, group)]
        unknowns = np.linalg.solve(own + np.diag(1e-9 * np.diag(own) + 1e-12), S[group, -1])
        result[:first, k] = X[:, -1] - X[:, group] @ unknowns
        result[first + np.array(group, dtype=np.int64), k] = unknowns
    return result


# ---- A payload that was taken up or put down during a recording
#
# The columns of the last body of a chain, in the rows of an interval alone, are those of a payload
# that is carried in it. The interval is that in which they explain most of what a fit leaves; it
# counts what they explain of blocks that were held out.

_MOST_WINDOWS, _FEWEST_WINDOWS = 40, 10   # windows of equal length from which intervals consist
# shortest interval, and shortest rest, as a share of the recording: more is a contact
_SHORTEST = 0.15
# fall of the logarithm of held-out residuals, over all joints, from which on it is a payload
_CONFIRMED = 2.0


def changed_payload(robot: Robot, fit: FittedRows) -> str:
    """Return from when to when another payload was carried in a recording, or nothing."""
    time = fit.rows.time[::fit.every_nth]
    count = min(_MOST_WINDOWS, len(time) // 25)
    if count < _FEWEST_WINDOWS:
        return ''
    window = np.arange(len(time)) * count // len(time)
    bodies = robot.system.bodies
    moved = [number for number, body in enumerate(bodies) if body.coordinate in fit.joints]
    inner = {each for number in moved for each in chain(robot.system, number) if each != number}
    number, first, last = _best_interval(fit, window, count,
                                         [each for each in moved if each not in inner])
    inside = (window >= first) & (window < last)
    columns = np.zeros((len(time), 10, len(robot.joints)))
    for joint in fit.joints:
        if number in robot.columns.bodies[joint]:
            place = 10 * robot.columns.bodies[joint].index(number)
            part = fit.rows.joints[joint][::fit.every_nth, place:place + 10]
            columns[:, :, joint] = inside[:, None] * (part @ fit.slopes[number])
    result, = explained(fit, columns, [range(10)])
    if result.removed < _CONFIRMED:
        return ''
    factor = float(np.exp(result.removed / len(fit.joints)))
    return (f'from {time[inside][0]:.0f} to {time[inside][-1]:.0f} s another payload is carried '
            f'than in the rest, on what {bodies[number].name} moves: with it, '
            f'{factor:.2g} times smaller residuals are left of held-out blocks (geometric mean of '
            'the joints); divide the recording where it is taken up or put down, and identify '
            'from the part without it, or add that with it as --payload-recording')


def _best_interval(fit: FittedRows, window: NDArray[np.int64], count: int,
                   tips: list[int]) -> tuple[int, int, int]:
    """Return the body, the first window and the one after the last that explain most."""
    grams = np.array([np.sum([part[window == k].T @ part[window == k] for part in fit.parts],
                             axis=0) for k in range(count)])
    sums = np.concatenate((np.zeros_like(grams[:1]), np.cumsum(grams, axis=0)))
    inverse = np.linalg.inv(regularised(sums[-1, :-1, :-1]))
    unknowns = inverse @ sums[-1, :-1, -1]
    pairs = [(first, last) for first in range(count) for last in range(first + 1, count + 1)
             if _SHORTEST * count <= last - first <= (1.0 - _SHORTEST) * count]
    gains = []
    for tip in tips:
        own = slice(10 * tip, 10 * tip + 10)
        for first, last in pairs:
            gram = sums[last] - sums[first]
            cross = gram[:-1, own]
            S = gram[own, own] - cross.T @ (inverse @ cross)
            b: Array = gram[own, -1] - cross.T @ unknowns
            gains.append((float(b @ np.linalg.solve(S + np.eye(10), b)), tip, first, last))
    return max(gains)[1:]


# ---- Contacts in a recording: the time in which several joints need other efforts than before
#
# Each joint's efforts are fitted by the columns of its bodies and its friction so that their
# absolute residuals are least: what acts for a short time hardly changes such a fit. Without a
# prior it does not need the URDF's masses, nor the gains of currents.

_WINDOW = 0.5   # time in which residuals are compared with those of the rest of the recording [s]
# residual of a window, over the median of all windows, from which on it is not that of the motion.
# At two joints at once it is up to 4.8 in 14 recordings of five robots, 230 in a push of 25 N m
_LARGER = 8.0
_LEAST_CONTACT = 0.2   # the same, over the efforts without their mean: less is not worth a word
_LONGEST_SHARE = 0.25   # share of the recording beyond which it is no contact that passes
_FEWEST_JOINTS = 2   # joints that feel it; one alone may stick
_FEWEST_IN_CONTACT = 10
_PASSES = 8


def contacts(joints: Sequence[str], rows: RecordedRows, used: Array) -> str:
    """Return from when to when something else acts on which joints, or nothing."""
    width = round(_WINDOW * ROW_RATE)
    count = len(rows.time) // width
    if count < _FEWEST_IN_CONTACT:
        return ''
    feels = np.array([_windows(part, moves, width) if use else np.zeros(count, dtype=bool)
                      for part, moves, use in zip(rows.joints, rows.moves.T, used)])
    there = feels.sum(axis=0) >= _FEWEST_JOINTS
    if not 0.0 < there.mean() <= _LONGEST_SHARE:
        return ''
    times = rows.time[:count * width].reshape(count, width)
    edges = np.flatnonzero(np.diff(there, prepend=False, append=False)).reshape(-1, 2)
    spans = ', '.join(f'{times[first, 0]:.1f} to {times[last - 1, -1]:.1f} s'
                      for first, last in edges)
    names = ', '.join(compress(joints, np.any(feels[:, there], axis=1)))
    return (f'from {spans} the efforts of {names} do not fit the model that fits the rest of the '
            'recording: did something touch the robot, or was its friction not yet as warm as '
            'later? Remove that time, or record again')


def _windows(part: Array, moves: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return in which windows of so many rows a moving joint has far larger residuals."""
    count = len(part) // width
    residual = np.where(moves, np.abs(_least_absolute(part)), np.nan)[:count * width]
    windows = residual.reshape(count, width)
    enough = np.isfinite(windows).mean(axis=1) > 0.5
    if enough.sum() < _FEWEST_IN_CONTACT:
        return np.zeros(count, dtype=bool)
    size = np.zeros(count)
    size[enough] = np.nanmedian(windows[enough], axis=1)
    found: NDArray[np.bool_] = size > max(_LARGER * float(np.median(size[enough])),
                              _LEAST_CONTACT * float(part[:, -1].std()))
    return found


def _least_absolute(part: Array) -> Array:
    """Return the residuals (k,) of rows of columns and effort, by reweighted least squares."""
    X, y = part[:, :-1], part[:, -1]
    X = X / np.maximum(np.linalg.norm(X, axis=0), 1e-12)
    residual = y - y.mean()
    for _ in range(_PASSES):
        size = np.abs(residual)
        weights = 1.0 / np.maximum(size, max(float(np.median(size)), 1e-12))
        normal = (X.T * weights) @ X
        normal[np.diag_indices(len(normal))] += 1e-8 * np.trace(normal) / len(normal)
        residual = y - X @ np.linalg.solve(normal, X.T @ (weights * y))
    return np.asarray(residual)


# ---- Offsets of efforts that step within a recording, as those of current sensors do

_FEWEST_ROWS = 250   # rows in which a joint moves: 10 s
_STEPS = np.linspace(0.1, 0.9, 41)   # when a step is tried, as shares of the rows
# share of the squares that any bodies and friction leave, from which on a step is one
_EXPLAINED = 0.5
_LEAST_STEP = 0.05   # size of a step over the efforts without their mean that is worth a word


def offset_steps(joints: Sequence[str], rows: RecordedRows, used: Array) -> Iterator[str]:
    """Yield for each joint whose effort has another offset from some time on."""
    for name, part, moves, use in zip(joints, rows.joints, rows.moves.T, used):
        if not use or np.count_nonzero(moves) < _FEWEST_ROWS:
            continue
        time = rows.time[moves]
        at, size, share = largest_step(part[moves])
        if share > _EXPLAINED and abs(size) > _LEAST_STEP * float(part[moves, -1].std()):
            word = 'larger' if size > 0.0 else 'smaller'
            yield (f'the effort of {name} is {abs(size):.3g} {word} from about {time[at]:.0f} s '
                   'on than before, whatever its bodies and friction are: did the offset of its '
                   'sensor change, or does something push or pull since then? Divide the '
                   'recording there, and add --friction-per-recording')


def largest_step(part: Array) -> tuple[int, float, float]:
    """
    Return the row, the size, and the share of squares of the step that explains most.

    The share is that of what rows of columns and effort (k, c + 1) leave without a step.
    """
    X = part[:, :-1] / np.maximum(np.linalg.norm(part[:, :-1], axis=0), 1e-12)
    U, sizes, _ = np.linalg.svd(X, full_matrices=False)
    Q = U[:, sizes > 1e-6 * sizes[0]]
    left = part[:, -1] - Q @ (Q.T @ part[:, -1])
    rows: NDArray[np.int64] = (_STEPS * len(part)).astype(np.int64)
    steps = (np.arange(len(part))[:, None] >= rows).astype(np.float64)
    steps -= Q @ (Q.T @ steps)
    squares, products = np.square(steps).sum(axis=0), left @ steps
    shares = products ** 2 / np.maximum(squares, 1e-12) / max(float(left @ left), 1e-300)
    best = int(np.argmax(shares))
    return int(rows[best]), float(products[best] / max(squares[best], 1e-12)), float(shares[best])


# ---- Zeros of joints, or gravity, some degrees off those of the URDF, joints with a spring in
# them, and positions or stamps some percent too large
#
# A small difference times the derivative of the efforts by it is one more column of the efforts. A
# wrong zero has turned the fitted bodies as well: one step finds which joints come into question,
# the others are repeated with bodies that are fitted to the corrected positions.

_STEP = 1e-4   # difference of a position for a derivative [rad]
_SPRING_STEP = 1e-6   # compliance for a derivative [rad/(N m)]
_FACTOR = 1.0001   # factor of positions, or of velocities, for a derivative
# difference of a factor to 1 that is worth a word, and up to which efforts are linear in it
_LEAST_FACTOR, _MOST_FACTOR = 0.03, 0.3
# fall of the logarithm of held-out residuals, over all joints, from which on a zero counts
_REMOVED = 0.3
# the same for a spring: parts of 9 and 14 s of a UR10 reach 0.4, other robots' URDFs 0.6
_REMOVED_BY_SPRING = 0.8
# difference of a zero that is none: a robot may be mounted so [rad]
_LEAST_ANGLE = np.radians(2.0)
# share of what the best one removes from which on another one may be the wrong one as well, and
# that after the first step, in which the right one of parallel joints may have 0.66 of another's
_ALIKE, _ALIKE_AT_FIRST = 0.7, 0.4
_MOST_STEPS = 4   # to a zero; 12 deg take three
_SMALL_STEP = np.radians(0.5)   # last step to a zero [rad], or of the logarithm of a pace
# joints of a robot up to which zeros are compared, and the time for which joints move [s]
_MOST_JOINTS, _LEAST_MOTION = 12, 6.0


def small_zeros(robot: Robot, pieces: Sequence[Piece], summary: Summary, fit: FittedRows,
                moving: NDArray[np.bool_]) -> str:
    """Return that zeros, positions, stamps or gravity look wrong, or joints elastic, or ''."""
    joints = [joint for joint in sorted(moved_beyond(robot, moving))
              if moving[joint] and robot.dynamics.units[joint] == 'rad']
    motion = float(fit.rows.moves[:, fit.joints].sum(axis=0).mean()) / ROW_RATE
    if not joints or len(moving) > _MOST_JOINTS or motion < _LEAST_MOTION:
        return ''
    gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
    axes = np.linalg.svd(gravity[None])[2][1:] if gravity.any() else np.zeros((0, 3))
    columns = _columns(robot, pieces, fit.bodies, joints, axes, summary)[::fit.every_nth]
    count = len(joints)
    alone = 3 * count + 1
    *results, pace, tilted = explained(fit, columns, [
        *([k] for k in range(alone)), [alone + k for k in range(len(axes))]])
    zeros, springs, scales = (results[k:k + count] for k in range(0, 3 * count, count))
    best = max((*results, pace, tilted), key=lambda each: each.removed)
    if best.removed < (_REMOVED_BY_SPRING if best in springs else _REMOVED):
        return ''

    def reason(found: Explained) -> str:
        return (f'{np.exp(found.removed / len(fit.joints)):.2g} times smaller residuals are left '
                'of held-out blocks (geometric mean of the joints), which other bodies cannot '
                'make up for')

    if best is tilted:
        size = float(np.linalg.norm(gravity))
        direction = gravity + tilted.unknowns @ axes
        angle = float(np.arctan2(np.linalg.norm(tilted.unknowns), size))
        if angle < _LEAST_ANGLE:
            return ''
        words = ' '.join(f'{entry:.2f}' for entry in
                         size / np.linalg.norm(direction) * direction + 0.0)
        return (f'the robot looks tilted by {np.degrees(angle):.0f} deg: with a gravity of '
                f'{words} m/s^2 in the frame of the root, {reason(best)}; if it is mounted so, '
                f'add --gravity {words}')
    if best is pace:
        best = _followed(robot, pieces, summary, None, pace)
        factor = float(best.unknowns[0])
        return '' if abs(factor - 1.0) < _LEAST_FACTOR else (
            f'the stamps look about {factor:.2f} times as far apart as they are: with all times '
            f'divided by it, {reason(best)}; were they recorded with the clock of the driver, or '
            f'is gravity {factor**-2:.2g} times as large, as where a driver compensates a part of '
            'it?')
    own, least = next((each, _ALIKE) for each in (springs, scales) if best in each) if (
        best not in zeros) else (zeros, _ALIKE_AT_FIRST)
    alike = [pair for pair in zip(own, joints) if pair[0].removed >= least * best.removed]
    if own is zeros:
        alike = [(_followed(robot, pieces, summary, joint, each), joint) for each, joint in alike]
        most = max(each.removed for each, _ in alike)
        alike = [pair for pair in alike if pair[0].removed >= _ALIKE * most]
    alike.sort(key=lambda pair: -pair[0].removed)
    why = reason(alike[0][0])
    values = [(robot.joints[joint], float(each.unknowns[0])) for each, joint in alike]
    if own is zeros and abs(values[0][1]) >= _LEAST_ANGLE:
        words = ' or '.join(f'{name} ({np.degrees(angle):.0f} deg)' for name, angle in values)
        return (f'the zero of {words} looks different from that of the URDF: with so much added '
                f'to its positions, {why}; compare the zero with a mark on the robot, and set it '
                'in the driver or in the <origin> of the joint')
    if own is scales and _LEAST_FACTOR < abs(values[0][1]) < _MOST_FACTOR:
        words = ' or '.join(f'{name} (about {1.0 - factor:.2f} times)' for name, factor in values)
        return (f'the positions of {words} look too {"large" if values[0][1] < 0.0 else "small"}: '
                f'divided by it, {why}; is the ratio of its gear right?')
    if own is springs and values[0][1] > 0.0:
        words = ' or '.join(f'{name} ({1.0 / each:.2g} N m/rad)' for name, each in values
                            if each > 0.0)
        return (f'{words} looks elastic: with a spring between its encoder and the link, {why}; '
                'the positions of the links are not those that are recorded, as this model '
                'assumes: record those of encoders on the side of the link, or a slower motion')
    return ''


def _followed(robot: Robot, pieces: Sequence[Piece], summary: Summary, joint: int | None,
              first: Explained) -> Explained:
    """
    Return what a joint's zero explains with bodies fitted to it, after a first step.

    Without a joint it is the pace of the stamps, a factor.
    """
    own = 0.0 if joint is None else 1.0 * (np.arange(len(robot.joints)) == joint)
    step, angle, pace = float(first.unknowns[0]), 0.0, 1.0
    for _ in range(_MOST_STEPS):
        angle, pace = (angle, pace * (1.0 + step)) if joint is None else (angle + step, pace)
        moved = [piece._replace(q=piece.q + angle * own, qd=pace * piece.qd,
                                qdd=pace**2 * piece.qdd) for piece in pieces]
        corrected = summarised(robot, summary.name, moved, summary.used,
                               (summary.cutoff, summary.delay))
        fit = fitted_rows(robot, corrected)
        columns = _columns(robot, moved, fit.bodies, [joint or 0], np.zeros((0, 3)), corrected)
        # zero, spring and scale of the joint, and the pace
        found, = explained(fit, columns[::fit.every_nth], [[3 if joint is None else 0]])
        step = float(found.unknowns[0])
        if abs(step) < _SMALL_STEP:
            break
    return Explained(first.removed + first.left - found.left, found.left,
                     np.array([pace * (1.0 + step) if joint is None else angle + step]))


def _columns(robot: Robot, pieces: Sequence[Piece], bodies: Array, joints: Sequence[int],
             axes: Array, summary: Summary) -> Array:
    """
    Return derivatives (k, z, n) of all rows.

    They are those by the zeros, compliances and scales of joints, by the pace, and by gravity.
    """
    parts = []
    for piece in pieces:
        step = max(1, int(piece.rate / ROW_RATE))
        q, qd, qdd = piece.q[::step], piece.qd[::step], piece.qdd[::step]
        efforts, rest = robot.columns.efforts(q, qd, qdd, bodies), np.zeros_like(q)
        slopes = []
        for joint in joints:
            near = q.copy()
            near[:, joint] += _STEP
            slopes.append((robot.columns.efforts(near, qd, qdd, bodies) - efforts) / _STEP)
        for joint in joints:   # as if its encoder were before a spring, which its effort bends
            bent = np.where(np.arange(len(robot.joints)) == joint, -_SPRING_STEP * efforts, 0.0)
            speed = np.gradient(bent, step / piece.rate, axis=0)
            near = robot.columns.efforts(q + bent, qd + speed, qdd + np.gradient(
                speed, step / piece.rate, axis=0), bodies)
            slopes.append((near - efforts) / _SPRING_STEP)
        for joint in joints:
            factors = np.where(np.arange(len(robot.joints)) == joint, _FACTOR, 1.0)
            slopes.append((robot.columns.efforts(factors * q, factors * qd, factors * qdd, bodies)
                           - efforts) / (_FACTOR - 1.0))
        slopes.append((robot.columns.efforts(q, _FACTOR * qd, _FACTOR**2 * qdd, bodies) - efforts)
                      / (_FACTOR - 1.0))
        slopes += [Columns(robot.system, axis).efforts(q, rest, rest, bodies)
                   for axis in axes.tolist()]
        coarse = Spectra(np.concatenate(slopes, axis=1), piece.rate / step)
        fine = Spectra(np.zeros((len(piece.q), 1)), piece.rate).time
        kept = fine[inner_times(fine, summary.delay)]
        parts.append(np.stack([np.interp(kept, coarse.time, each) for each in coarse.rows(
            summary.cutoff, summary.delay).T], axis=1))
    return np.concatenate(parts).reshape(-1, 3 * len(joints) + 1 + len(axes), len(robot.joints))
