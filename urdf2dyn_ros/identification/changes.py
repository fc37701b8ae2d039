"""What changes within a recording: payloads, contacts, offsets; and what is off by little."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.equations.links import chain
from urdf2dyn_ros.identification.fit import PRIOR_WEIGHT, fitted, pooled, slopes_of, used_terms
from urdf2dyn_ros.identification.mistakes import Change, Mistake, moved_beyond, no_change
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, USUAL, Robot
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


# ---- Times in which efforts have another offset: contacts, and steps of current sensors
#
# One more column of each joint's effort is 1 in an interval and 0 in the rest. The best interval
# is compared with what the columns of its bodies and its friction leave, without a prior: it needs
# neither the URDF's masses nor the gains of currents.

_FEWEST_ROWS = 250   # rows in which a joint moves: 10 s
_LONGEST_WINDOW = 12   # rows of the windows from which intervals consist: 0.5 s
# share of the squares that bodies and friction leave, from which on an offset is one
_EXPLAINED = 0.5
# share of the recording below which it is a contact, which at least two joints feel: one may stick
_SHORT = 0.15
_LEAST_OFFSET = 0.05   # size of an offset over the efforts without their mean, worth a word


def other_offsets(joints: Sequence[str], rows: RecordedRows, used: Array) -> str:
    """Return from when to when the efforts of which joints have another offset, or nothing."""
    found = list[tuple[float, float, str]]()
    for name, part, moves, use in zip(joints, rows.joints, rows.moves.T, used):
        if not use or np.count_nonzero(moves) < _FEWEST_ROWS:
            continue
        time, (first, last, size, share) = rows.time[moves], best_offset(part[moves])
        if share > _EXPLAINED and abs(size) > _LEAST_OFFSET * float(part[moves, -1].std()):
            found.append((time[first], time[last], f'that of {name} is {abs(size):.3g} '
                          f'{"larger" if size > 0.0 else "smaller"} from {time[first]:.1f} to '
                          f'{time[last]:.1f} s'))
    least = _SHORT * (rows.time[-1] - rows.time[0])
    told = [text for k, (first, last, text) in enumerate(found) if last - first > least or any(
        begin < last and first < end for begin, end, _ in found[:k] + found[k + 1:])]
    return '' if not told else (
        f'efforts have another offset than in the rest of the recording, whatever bodies and '
        f'friction are: {", ".join(told)}; did something touch the robot, or did the offset of a '
        'sensor change? Identify without that time')


def best_offset(part: Array) -> tuple[int, int, float, float]:
    """
    Return the first and the last row, the size, and the share of squares of the best offset.

    The share is that of what rows of columns and effort (k, c + 1) leave without it.
    """
    X = part[:, :-1] / np.maximum(np.linalg.norm(part[:, :-1], axis=0), 1e-12)
    U, sizes, _ = np.linalg.svd(X, full_matrices=False)
    Q = U[:, sizes > 1e-6 * sizes[0]]
    left = part[:, -1] - Q @ (Q.T @ part[:, -1])
    edges = np.linspace(0, len(part), -(-len(part) // _LONGEST_WINDOW) + 1).astype(int)
    windows = np.zeros((len(part), len(edges) - 1))
    for k, rows in enumerate(map(slice, edges[:-1], edges[1:])):
        windows[rows, k] = 1.0
    windows -= Q @ (Q.T @ windows)
    # sums over the windows of all intervals, by cumulative ones
    products = np.concatenate(([0.0], np.cumsum(left @ windows)))
    squares = np.pad(np.cumsum(np.cumsum(windows.T @ windows, axis=0), axis=1), ((1, 0), (1, 0)))
    begin, end = np.triu_indices(len(edges), 1)
    size = squares[end, end] - 2.0 * squares[begin, end] + squares[begin, begin]
    gained = products[end] - products[begin]
    known = size > 1e-6 * len(part)   # not that of the whole, which is an offset of the joint
    shares = np.where(known, gained ** 2, 0.0) / np.where(known, size, 1.0)
    best = int(np.argmax(shares))
    first, last = edges[begin[best]], edges[end[best]] - 1
    offset = gained[best] / size[best]
    if first == 0:   # rather from then on
        first, last, offset = last + 1, len(part) - 1, -offset
    return int(first), int(last), float(offset), float(
        shares[best] / max(float(left @ left), 1e-300))


# ---- Small errors: zeros or gravity some degrees off, positions or stamps some percent too large,
# and joints with a spring in them
#
# A small error times the derivative of the efforts by it is one more column of the efforts. Wrong
# zeros and stamps have turned the fitted bodies as well: one step finds which ones come into
# question, and they are repeated with bodies that are fitted to the corrected positions.

_STEP = 1e-4   # change of a zero, a position, a pace or gravity for a derivative
_SPRING_STEP = 1e-6   # compliance for a derivative [rad/(N m)]
# fall of the logarithm of held-out residuals, over all joints, from which on a zero counts
_REMOVED = 0.3
# the same for a spring: parts of 9 and 14 s of a UR10 reach 0.4, other robots' URDFs 0.6
_REMOVED_BY_SPRING = 0.8
# share of what the best one removes from which on another one may be the wrong one as well, and
# that after the first step, in which the right one of parallel joints may have 0.66 of another's
_ALIKE, _ALIKE_AT_FIRST = 0.7, 0.4
_MOST_STEPS = 4   # to a zero; 12 deg take three
_SMALL_STEP = np.radians(0.5)   # last step to a zero [rad], or of the logarithm of a pace
# joints of a robot up to which zeros are compared, and the time for which joints move [s]
_MOST_JOINTS, _LEAST_MOTION = 12, 6.0

# sizes that are worth a word: a robot may be mounted some degrees off
_LEAST = {'zero': np.radians(2.0), 'scale': 0.03, 'pace': 0.03, 'gravity': np.radians(2.0)}
_MOST_FACTOR = 0.3   # up to which efforts are linear in the scale of positions


def small_errors(robot: Robot, pieces: Sequence[Piece], summary: Summary, fit: FittedRows,
                 moving: NDArray[np.bool_]) -> str:
    """Return that zeros, positions, stamps or gravity look wrong, or joints elastic, or ''."""
    joints = [joint for joint in sorted(moved_beyond(robot, moving))
              if moving[joint] and robot.dynamics.units[joint] == 'rad']
    motion = float(fit.rows.moves[:, fit.joints].sum(axis=0).mean()) / ROW_RATE
    if not joints or len(moving) > _MOST_JOINTS or motion < _LEAST_MOTION:
        return ''
    nominal = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
    axes = np.linalg.svd(nominal[None])[2][1:] if nominal.any() else np.zeros((0, 3))
    single = [*product(('zero', 'spring', 'scale'), joints), ('pace', 0)]
    columns = _columns(robot, pieces, fit.bodies, summary,
                       [*single, *(('gravity', axis) for axis in axes)])
    groups = [[k] for k in range(len(single))] + [
        [*range(len(single), len(single) + len(axes))]] * (len(axes) > 0)
    found = dict(zip([*single, ('gravity', 0)],
                     explained(fit, columns[::fit.every_nth], groups)))
    (kind, _), best = max(found.items(), key=lambda pair: pair[1].removed)
    if best.removed < (_REMOVED_BY_SPRING if kind == 'spring' else _REMOVED):
        return ''
    share = _ALIKE_AT_FIRST if kind == 'zero' else _ALIKE
    alike = [(each, joint) for (other, joint), each in found.items()
             if other == kind and each.removed >= share * best.removed]
    if kind in ('zero', 'pace'):
        alike = [(_followed(robot, pieces, summary, kind, joint, each), joint)
                 for each, joint in alike]
    alike.sort(key=lambda pair: -pair[0].removed)
    best, first = alike[0]
    alike = [pair for pair in alike if pair[0].removed >= _ALIKE * best.removed]
    value, joint_names = float(best.unknowns[0]), [robot.joints[joint] for _, joint in alike]
    reason = (f'{np.exp(best.removed / len(fit.joints)):.2g} times smaller residuals are left of '
              'held-out blocks (geometric mean of the joints)')
    if kind == 'spring':
        names = ' or '.join(f'{name} ({1.0 / each.unknowns[0]:.2g} N m/rad)' for name, (each, _)
                            in zip(joint_names, alike) if each.unknowns[0] > 0.0)
        return '' if value <= 0.0 else (
            f'{names} looks elastic: with a spring between its encoder and the link, {reason}; '
            'the positions of the links are not those that are recorded, as this model assumes: '
            'record those of encoders on the side of the link, or a slower motion')
    change = _small(robot, kind, first, value)
    if kind == 'gravity':
        gravity, size = nominal + best.unknowns @ axes, float(np.linalg.norm(nominal))
        value = float(np.arctan2(np.linalg.norm(best.unknowns), size))
        change = change._replace(gravity=size / np.linalg.norm(gravity) * gravity)
    if abs(value) < _LEAST[kind] or (kind == 'scale' and abs(value) > _MOST_FACTOR):
        return ''
    others = f', or is it {" or ".join(joint_names[1:])}?' if joint_names[1:] else ''
    return f'{Mistake(change, kind, (first,)).sentence(robot, False)}{others}; then {reason}'


def _small(robot: Robot, kind: str, which: Any, size: float) -> Change:
    """Return the change that corrects an error of a joint, of the pace, or of gravity."""
    none = no_change(len(robot.joints))
    if kind == 'gravity':
        return none._replace(gravity=np.array(robot.dynamics.gravity_vector) + size * which)
    if kind == 'pace':
        return none._replace(pace=1.0 + size)
    if kind == 'zero':
        return none.shifted(which, size)
    return none._replace(positions=np.diag(1.0 + size * (np.arange(len(robot.joints)) == which)))


def _followed(robot: Robot, pieces: Sequence[Piece], summary: Summary, kind: str, joint: int,
              first: Explained) -> Explained:
    """Return what an error explains with bodies fitted to what corrects it, after a first step."""
    value, step = 0.0, float(first.unknowns[0])
    for _ in range(_MOST_STEPS):
        value = value + step if kind == 'zero' else (1.0 + value) * (1.0 + step) - 1.0
        change = _small(robot, kind, joint, value)
        moved = [Piece(each.time, each.rate, *change.motion(each.q, each.qd, each.qdd),
                       each.effort) for each in pieces]
        corrected = summarised(robot, summary.name, moved, summary.used,
                               (summary.cutoff, summary.delay))
        fit = fitted_rows(robot, corrected)
        columns = _columns(robot, moved, fit.bodies, corrected, [(kind, joint)])
        found, = explained(fit, columns[::fit.every_nth], [[0]])
        step = float(found.unknowns[0])
        if abs(step) < _SMALL_STEP:
            break
    last = value + step if kind == 'zero' else (1.0 + value) * (1.0 + step) - 1.0
    return Explained(first.removed + first.left - found.left, found.left, np.array([last]))


def _columns(robot: Robot, pieces: Sequence[Piece], bodies: Array, summary: Summary,
             errors: Sequence[tuple[str, Any]]) -> Array:
    """Return derivatives (k, z, n) of all rows by errors of a kind, and of a joint or an axis."""
    parts, none = [], no_change(len(robot.joints))
    for piece in pieces:
        step = max(1, int(piece.rate / ROW_RATE))
        period = step / piece.rate
        coarse = Piece(piece.time[::step], 1.0 / period, *(
            each[::step] for each in (piece.q, piece.qd, piece.qdd, piece.effort)))
        efforts, slopes = none.efforts_of(robot, coarse, bodies), []
        for kind, which in errors:
            if kind == 'spring':   # its encoder is before a spring, which its effort bends
                bent = -_SPRING_STEP * efforts * (np.arange(len(robot.joints)) == which)
                speed = np.gradient(bent, period, axis=0)
                moved = coarse._replace(q=coarse.q + bent, qd=coarse.qd + speed,
                                        qdd=coarse.qdd + np.gradient(speed, period, axis=0))
                near = none.efforts_of(robot, moved, bodies)
                slopes.append((near - efforts) / _SPRING_STEP)
            else:
                near = _small(robot, kind, which, _STEP).efforts_of(robot, coarse, bodies)
                slopes.append((near - efforts) / _STEP)
        spectra = Spectra(np.concatenate(slopes, axis=1), coarse.rate)
        fine = Spectra(np.zeros((len(piece.q), 1)), piece.rate).time
        kept = fine[inner_times(fine, summary.delay)]
        parts.append(np.stack([np.interp(kept, spectra.time, each) for each in spectra.rows(
            summary.cutoff, summary.delay).T], axis=1))
    return np.concatenate(parts).reshape(-1, len(errors), len(robot.joints))
