"""Checks of a recording before it is used: what cannot be identified from, with the reason."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import LoopError
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    fits_to_others,
    left_squares,
    pooled,
    slopes_of,
    used_terms,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, free_gains
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, USUAL, Columns, Robot, joint_columns
from urdf2dyn_ros.identification.rows import (
    BLOCKS,
    HIGHEST_CUTOFF,
    MOVING_SPEED,
    ROW_RATE,
    STILL_RANGE,
    RowSource,
    Spectra,
    block_pools,
    divide,
    inner_times,
)
from urdf2dyn_ros.identification.summary import FARTHEST_DELAY, LARGEST_DELAY, Summary
from urdf2dyn_ros.recordings.credibility import (
    dead_position,
    effort_doubts,
    is_of_motion,
    sensor_fault,
)
from urdf2dyn_ros.recordings.lag import lateness
from urdf2dyn_ros.recordings.mistakes import (
    FEWEST_JUDGED,
    Change,
    Judge,
    Mistake,
    RecordingFit,
    moved_beyond,
    no_change,
    one_cause,
    wrong_positions,
)
from urdf2dyn_ros.recordings.pieces import Piece
from urdf2dyn_ros.robot.spatial import Array

_WRONG_UNITS = 30.0   # effort over that of the URDF, or its inverse, that is one of units
_SHORTEST = 1.0   # piece with other stamps up to which nothing is held out [s]


class Checked(NamedTuple):
    """Which joints of a recording count, and why others do not."""

    moving: NDArray[np.bool_]   # (n,)
    used: NDArray[np.bool_]   # (n,), joints that move and whose efforts are measured
    remarks: list[str]
    contradictions: list[str]   # what no model of the robot would explain
    fault: str   # why nothing can be identified, or empty


def check_recording(robot: Robot, pieces: Sequence[Piece], gains: Gains | None = None) -> Checked:
    """Return the checks of the pieces of a recording; with gains, its efforts are currents."""
    joints, limits, none = robot.joints, robot.dynamics.limits, no_change(len(robot.joints))
    if gains is not None:
        pieces = [piece._replace(effort=piece.effort * gains.values) for piece in pieces]
    q, qd, effort = (np.concatenate([getattr(piece, name) for piece in pieces])
                     for name in ('q', 'qd', 'effort'))
    moving, speed = np.ptp(q, axis=0) > STILL_RANGE, np.abs(qd)
    while_moving = [effort[speed[:, j] > MOVING_SPEED * speed[:, j].max(initial=0.0), j]
                    for j in range(len(joints))]
    faults = list(map(sensor_fault, effort.T, while_moving))
    used = moving & [not fault for fault in faults]
    remarks = [f'{joint}: {fault}; it is not identified'
               for joint, fault, moves in zip(joints, faults, moving) if fault and moves]
    free = free_gains(gains, len(joints))   # which have any unit
    contradictions = effort_doubts(
        {joint: effort for joint, effort, uses in zip(joints, while_moving, used) if uses},
        {joint: None if any_unit else limit.effort
         for joint, limit, any_unit in zip(joints, limits, free)})
    dead = []
    for j in np.flatnonzero(~moving & [not fault for fault in faults]).tolist():
        single = RecordingFit(robot.dynamics, pieces, np.arange(len(joints)) == j, free)
        if single.samples >= FEWEST_JUDGED and is_of_motion(
                effort[:, j], 1.0 - math.exp(single.unexplained(none)[j])):
            dead.append(joints[j])
    if dead:
        contradictions.append(dead_position(dead))
    recording = RecordingFit(robot.dynamics, pieces, used, free)
    judge = Judge(partial(fitted_error, robot, recording.longest, used, free), FARTHEST_DELAY)
    if not moving.any():
        fault = ('no joint moves by more than 0.02 rad or m: there is nothing to identify from; '
                 'record a motion of all joints')
    elif used.any():
        fault = one_cause(recording, moving, judge, gains is not None, _WRONG_UNITS)
    else:
        reasons = [*dict.fromkeys(compress(faults, moving))]
        more = f'; and {len(reasons) - 2} more such reasons' if len(reasons) > 2 else ''
        fault = wrong_positions(recording) or (
            'no joint that moves has a measured effort that can be used: '
            f'{"; ".join(reasons[:2])}{more}')
    if not fault:
        contradictions += delayed_joints(recording, judge)
    return Checked(moving, used, remarks, contradictions, fault)


def fitted_error(robot: Robot, piece: Piece, used: NDArray[np.bool_], free: NDArray[np.bool_],
                 change: Change) -> Array:
    """Judge a change by `held_out_error` of any possible bodies."""
    if change.gravity is not None:
        robot = replace(robot, columns=Columns(robot.system, robot.dynamics,
                                               change.gravity.tolist()))
    changed = change.piece(piece)
    if changed.time[-1] - changed.time[0] < _SHORTEST:
        return np.full(len(used), np.inf)
    spread = np.std(changed.effort, axis=0)
    try:
        return held_out_error(robot, [changed], used, free) - np.log(
            np.where(used & (spread > 0.0), spread, 1.0))
    except LoopError:   # the changed positions close no loops: nothing is explained
        return np.full(len(used), np.inf)


_WEIGHT, _WEIGHT_OF_FREE_GAINS = 1.0, 10.0   # weights of the URDF's bodies, which may be wrong


def held_out_error(robot: Robot, pieces: Sequence[Piece], used: NDArray[np.bool_],
                   free: NDArray[np.bool_]) -> Array:
    """
    Return the logarithms of the residuals (n,) that a fit leaves of held-out blocks of pieces.

    The fit has possible bodies and friction that brakes; 0 for joints that are not used.
    """
    source = RowSource(pieces, robot.columns, robot.prior.parameters, robot.sign_widths)
    pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    gains = approximated(robot, pooled(pools), Gains(np.ones(len(free)), free))
    if free.any():
        source.gains = gains.values
        pools = block_pools(source.rows(HIGHEST_CUTOFF, 0.0), used)[:BLOCKS]
    unknown = tuple(np.flatnonzero(free & used).tolist())
    fits = fits_to_others(robot, pools, used_terms(robot, used, source.fastest, unknown),
                          _WEIGHT_OF_FREE_GAINS if unknown else _WEIGHT)
    total, count = left_squares(robot, fits, pools)
    with np.errstate(divide='ignore', invalid='ignore'):
        errors = 0.5 * np.log(total / count) - np.log(np.abs(gains.values))
    return np.where(used & np.isfinite(errors), errors, 0.0)


# ---- Efforts of one joint that are late, from a drive or a filter of its own

_LARGEST_OF_JOINT, _RATE = 0.5, 50.0   # largest delay that is tried [s], and how many [1/s]
# falls of the logarithms of what the URDF, and a fit, leave of a joint that alone is late; those
# of a UR10, a TX40 and a TIAGo reach 0.2 and 0
_PROMISING_OF_JOINT, _CONFIRMED_OF_JOINT = 0.4, 0.7
_FEWEST_JOINTS = 3   # joints from which on it is one of them that is late


def delayed_joints(recording: RecordingFit, judge: Judge) -> Iterator[str]:
    """Yield each joint whose efforts have another delay than those of the other joints."""
    most, n = int(_RATE * min(_LARGEST_OF_JOINT, recording.longest_delay)), len(recording.used)
    if not most or recording.samples < FEWEST_JUDGED or len(recording.joints) < _FEWEST_JOINTS:
        return
    none, near = no_change(n), int(_RATE * LARGEST_DELAY)
    unexplained = np.array([recording.unexplained(none._replace(delay=np.full(n, step / _RATE)))
                            for step in range(-most, most + 1)])
    for j in recording.joints:
        common, best = (int(np.argmin(column)) for column in (
            unexplained.sum(axis=1) - unexplained[:, j], unexplained[:, j]))
        usual = unexplained[max(0, common - near):common + near + 1, j].min()
        if usual - unexplained[best, j] < _PROMISING_OF_JOINT:
            continue
        others, more = np.full(n, (common - most) / _RATE), (best - common) / _RATE
        before, after = (judge.error(none._replace(delay=delay))[j] for delay in (
            others, others + more * (np.arange(n) == j)))
        if before - after > _CONFIRMED_OF_JOINT:
            yield (f'the efforts of {recording.names[j]} are about {lateness(more)} beside '
                   'those of the other joints: record all of them with stamps of one clock and '
                   'the same filter, or does its friction follow late?')


# ---- Small errors: zeros or gravity some degrees off, positions or stamps some percent too large
#
# Masses of a URDF are wrong by more, so that the search for one cause does not see them. What a
# linear fit of any bodies leaves of held-out blocks is a parabola of such an error: three points
# of it show where the least is.

# steps of a zero, gravity, the logarithm of a pace and a scale of positions
_STEPS = {'zero': np.radians(1.5), 'gravity': np.radians(1.5), 'pace': 0.02, 'scale': 0.02}
_PLACES = np.linspace(-10.0, 10.0, 201)   # at which the parabola is looked at, in steps
_MOST_STEPS, _NEAR = 5, 0.4   # vertices one after the other, and where they are near enough
_MOST_ROWS = 800
_FAST = 0.1   # velocity over the largest, below which the low pass of an effort blurs friction
# fall of the logarithm of held-out residuals, over all joints, from which on an error counts, and
# the share of an effort that is left, below which less counts, down to half: what is left may look
# like an error
_REMOVED, _LEFT = 0.3, 0.05
# share of what the best one removes from which on another one may be the wrong one as well, and
# that after the first step, in which the right one of parallel joints may have 0.66 of another's
_ALIKE, _ALIKE_AT_FIRST = 0.7, 0.4
# joints of a robot up to which zeros are compared, and the time for which joints move [s]
_MOST_JOINTS, _LEAST_MOTION = 12, 6.0
# sizes that are worth a word: a robot may be mounted some degrees off
_LEAST = {'zero': np.radians(2.0), 'scale': 0.03, 'pace': 0.03, 'gravity': np.radians(2.0)}
# largest ones that are small: a tool may look like a zero that is 33 degrees off
_MOST = {'zero': np.radians(25.0), 'scale': 0.3, 'pace': 0.7, 'gravity': np.radians(25.0)}
# share of an effort that may be left: more is another cause, as a spring
_MOST_UNEXPLAINED = 0.15


class _SmallErrors:
    """The errors of a recording that are small, as numbers in steps, and what they remove."""

    def __init__(self, robot: Robot, piece: Piece, summary: Summary) -> None:
        self._robot, self._none = robot, no_change(len(robot.joints))
        efforts = Spectra(np.nan_to_num(piece.effort), piece.rate)
        inner = efforts.time[inner_times(efforts.time, summary.delay)]
        time = np.linspace(inner[0], inner[-1], min(len(inner), _MOST_ROWS))
        own = piece.time - piece.time[0]
        q, qd, qdd, self._effort = (np.stack([
            np.interp(time, stamps, column) for column in values.T], axis=1)
            for stamps, values in ((own, piece.q), (own, piece.qd), (own, piece.qdd), (
                efforts.time, efforts.rows(summary.cutoff, -summary.delay))))
        self._motion, speed = (q, qd, qdd), np.abs(qd)
        self._moves = (speed > _FAST * speed.max(axis=0)) & summary.used
        self._block = divide(time, self._moves)
        self._slopes = slopes_of(robot.prior.factors)
        self._sigma = np.ones(len(robot.joints))
        self._gravity: Array = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
        self.axes = np.linalg.svd(self._gravity[None])[2][1:] if self._gravity.any() else (
            np.zeros((0, 3)))
        self._sigma = np.exp(self._judge(self._none))
        self._residuals = self._judge(self._none)

    def _judge(self, change: Change) -> Array:
        """Return the logarithms of what a linear fit leaves of held-out blocks (n,)."""
        robot, first = self._robot, 10 * len(self._slopes)
        columns = robot.columns if change.gravity is None else Columns(
            robot.system, robot.dynamics, change.gravity.tolist())
        motion, terms = change.motion(*self._motion), len(JOINT_COLUMNS[USUAL])
        size = first + terms * len(robot.joints) + 1
        grams = np.zeros((len(robot.joints), BLOCKS, size, size))
        for j, part in enumerate(columns(*motion)):
            if not self._moves[:, j].any():
                continue
            bodies = robot.columns.bodies[j]
            nominal = part @ robot.prior.parameters[bodies].ravel()
            whitened = [part[:, 10 * k:10 * k + 10] @ self._slopes[body]
                        for k, body in enumerate(bodies)]
            rows = np.column_stack((*whitened, joint_columns(
                motion[1][:, j], motion[2][:, j], nominal, robot.sign_widths[j])[:, USUAL],
                self._effort[:, j] - nominal)) / self._sigma[j]
            places = np.concatenate((*(10 * body + np.arange(10) for body in bodies),
                                     first + terms * j + np.arange(terms), [size - 1]))
            for number in range(BLOCKS):
                chosen = rows[self._moves[:, j] & (self._block == number)]
                grams[j, number][np.ix_(places, places)] = chosen.T @ chosen
        blocks, squares = grams.sum(axis=0), np.zeros(len(robot.joints))
        for number in range(BLOCKS):
            normal = blocks.sum(axis=0) - blocks[number]
            damping = 1e-9 * np.diag(normal)[:-1] + 1e-9
            damping[:first] += 0.5 * PRIOR_WEIGHT
            x = np.append(np.linalg.solve(normal[:-1, :-1] + np.diag(damping), normal[:-1, -1]),
                          -1.0)
            squares += x @ grams[:, number] @ x
        counts = np.maximum((self._moves & (self._block < BLOCKS)[:, None]).sum(axis=0), 1)
        return np.where(squares > 0.0, 0.5 * np.log(np.maximum(squares, 1e-30) / counts), 0.0) + (
            np.log(self._sigma))

    def change(self, kind: str, joint: int, sizes: Array) -> Change:
        """Return the change that corrects errors of some sizes in steps: of gravity two."""
        size = _STEPS[kind] * float(sizes[0])
        if kind == 'gravity':
            length = float(np.linalg.norm(self._gravity))
            gravity = self._gravity + length * _STEPS[kind] * sizes @ self.axes
            return self._none._replace(gravity=length / np.linalg.norm(gravity) * gravity)
        if kind == 'pace':
            return self._none._replace(pace=math.exp(size))
        if kind == 'zero':
            return self._none.shifted(joint, size)
        return self._none._replace(positions=np.diag(
            1.0 + size * (np.arange(len(self._robot.joints)) == joint)))

    def removed(self, change: Change) -> Array:
        """Return the falls of the logarithms of residuals (n,)."""
        return self._residuals - self._judge(change)

    def unexplained(self, change: Change) -> Array:
        """Return the shares of the efforts, without their mean, that are left (n,)."""
        spread = np.array([values[moves].std() if moves.any() else np.inf for values, moves in zip(
            self._effort.T, self._moves.T)])
        return np.exp(self._judge(change)) / np.where(spread > 0.0, spread, np.inf)

    def vertex(self, kind: str, joint: int, sizes: Array) -> tuple[float, Array]:
        """Return the sum of the falls that parabolas through sizes promise, and where."""
        best, promised = sizes.copy(), 0.0
        middle = self.removed(self.change(kind, joint, sizes)) if sizes.any() else (
            0.0 * self._residuals)
        for k in range(len(sizes)):
            low, high = (np.exp(2.0 * (middle - self.removed(self.change(
                kind, joint, sizes + sign * np.eye(len(sizes))[k])))) for sign in (-1.0, 1.0))
            bend, slope = 0.5 * (low + high) - 1.0, 0.5 * (high - low)
            squares = 1.0 + np.outer(_PLACES, slope) + np.outer(_PLACES**2, bend)
            falls = -0.5 * np.log(np.maximum(squares, 0.05)).sum(axis=1)
            place = int(np.argmax(falls))
            best[k] += _PLACES[place]
            promised += float(falls[place])
        return promised + float(middle.sum()), best

    def followed(self, kind: str, joint: int, sizes: Array) -> tuple[float, Array]:
        """Return the sum of the falls at the least, found by one vertex after the other."""
        for _ in range(_MOST_STEPS):
            _, new = self.vertex(kind, joint, sizes)
            moved, sizes = float(np.abs(new - sizes).max()), new
            if moved < _NEAR:
                break
        return float(self.removed(self.change(kind, joint, sizes)).sum()), sizes


def small_errors(robot: Robot, piece: Piece, summary: Summary, moving: NDArray[np.bool_]) -> str:
    """Return that a zero, positions, stamps or gravity look wrong by little, or ''."""
    joints = [joint for joint in sorted(moved_beyond(robot.system, moving))
              if moving[joint] and robot.dynamics.units[joint] == 'rad']
    assert summary.rows is not None
    motion = float(summary.rows.moves[:, summary.used].sum(axis=0).mean()) / ROW_RATE
    if not joints or len(moving) > _MOST_JOINTS or motion < _LEAST_MOTION:
        return ''
    errors = _SmallErrors(robot, piece, summary)
    trials = [*product(('zero', 'scale'), joints), ('pace', 0),
              *([('gravity', 0)] if len(errors.axes) else [])]
    gains_of = {trial: errors.vertex(*trial, np.zeros(2 if trial[0] == 'gravity' else 1))
                for trial in trials}
    left = errors.unexplained(no_change(len(moving))).max()
    needed = _REMOVED * min(1.0, max(0.5, float(left) / _LEFT))
    promised = {kind: max(falls for (other, _), (falls, _) in gains_of.items() if other == kind)
                for kind in _STEPS}
    alike = sorted(((*errors.followed(kind, joint, sizes), kind, joint)
                    for (kind, joint), (falls, sizes) in gains_of.items()
                    if falls >= max(needed, _ALIKE_AT_FIRST * promised[kind])),
                   key=lambda row: -row[0])
    if not alike:
        return ''
    removed, sizes, kind, first = alike[0]
    size = _STEPS[kind] * float(np.linalg.norm(sizes))
    change = errors.change(kind, first, sizes)
    if removed < needed or not _LEAST[kind] <= size <= _MOST[kind] or (
            errors.unexplained(change) > _MOST_UNEXPLAINED).any():
        return ''
    others = ' or '.join(robot.joints[joint] for falls, _, other, joint in alike[1:]
                         if other == kind and falls >= _ALIKE * removed)
    sentence = Mistake(change, kind, (first,)).sentence(
        robot.dynamics, False)
    return (f'{sentence}' + (f', or is it {others}?' if others else '') + '; then '
            f'{np.exp(removed / np.count_nonzero(summary.used)):.2g} times smaller residuals are '
            'left of held-out blocks (geometric mean of the joints)')
