"""
Mistakes of a recording: what changes it so that the URDF explains its efforts far better.

Every candidate is compared with the URDF's bodies first, in some ten thousandths of a second.
Those that leave less are fitted with any bodies: as masses and centres of a URDF are wrong, it
counts what a fit leaves of blocks that were held out.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.equations.links import chain
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    COULOMB,
    LOAD,
    OFFSET,
    VISCOUS,
    Columns,
    Robot,
    joint_columns,
)
from urdf2dyn_ros.identification.rows import (
    LEAST_JUDGED,
    UNUSED_ENDS,
    Piece,
    Spectra,
    held_out_error,
)
from urdf2dyn_ros.identification.summary import FARTHEST_DELAY, LARGEST_DELAY
from urdf2dyn_ros.robot.spatial import Array

# ---- How a recording would have to be changed to be without a mistake

class Change(NamedTuple):
    """
    A change of recorded positions, stamps and efforts, and of gravity.

    The matrices (n, n) have signs and interchanges.
    """

    positions: Array   # positions of the joints: this times the recorded ones, plus the shifts
    efforts: Array   # efforts of the joints: this times the recorded ones
    shifts: Array   # (n,) [rad or m]
    late: Array   # (n,), by which recorded efforts are later than positions [s]
    gravity: Array | None = None   # (3,) in the frame of the root [m/s^2]; None: the robot's
    pace: float = 1.0   # steps of the recorded stamps over those of the true time

    def motion(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return the changed positions to accelerations (k, n)."""
        q, qd, qdd = (each @ self.positions.T for each in (q, qd, qdd))
        return q + self.shifts, self.pace * qd, self.pace**2 * qdd

    def effort(self, effort: Array) -> Array:
        """Return the changed efforts (k, n), 0 for those that are not recorded."""
        return np.asarray(np.nan_to_num(effort) @ self.efforts.T)

    def efforts_of(self, robot: Robot, piece: Piece, bodies: Array) -> Array:
        """Return the efforts (k, n) that bodies (b, 10) need in the changed motion."""
        columns = robot.columns if self.gravity is None else Columns(
            robot.system, self.gravity.tolist())
        return columns.efforts(*self.motion(piece.q, piece.qd, piece.qdd), bodies)

    def piece(self, piece: Piece) -> Piece:
        """Return the changed piece of a recording."""
        piece = without_delay(piece, self.late)
        return Piece(piece.time / self.pace, piece.rate * self.pace,
                     *self.motion(piece.q, piece.qd, piece.qdd), self.effort(piece.effort))

    def shifted(self, joint: int, angle: float) -> 'Change':
        """Return the change that also adds an angle to the positions of a joint."""
        shifts = self.shifts.copy()
        shifts[joint] += angle
        return self._replace(shifts=shifts)


def no_change(joints: int) -> Change:
    """Return the change that leaves a recording as it is."""
    return Change(np.eye(joints), np.eye(joints), np.zeros(joints), np.zeros(joints))


def without_delay(piece: Piece, late: Array) -> Piece:
    """Return a piece whose efforts are earlier by delays (n,) [s]."""
    samples = np.round(late * piece.rate).astype(np.int64)
    kept = np.arange(-min(0, int(samples.min())), len(piece.q) - max(0, int(samples.max())))
    effort = piece.effort[kept[:, None] + samples, np.arange(len(samples))]
    return Piece(piece.time[kept], piece.rate, piece.q[kept], piece.qd[kept], piece.qdd[kept],
                 effort)


def turned(joints: int, *chosen: int) -> Array:
    """Return the matrix that changes the sign of some joints."""
    return np.diag(np.where(np.isin(np.arange(joints), chosen), -1.0, 1.0))


# ---- How well a changed recording is explained: by the URDF's bodies, quickly, and by any bodies

_SAMPLES = 400   # samples of a recording that are compared
_LEAST_SHARE = 1e-5   # share of an effort below which what is left of it is noise
# share of the squares of gravity that nothing else explains, from which its factor is known
_LEAST_OWN = 0.2
_LARGEST_TRIED, _LARGEST_PART = 2.0, 0.2   # largest delay that is tried [s], share of a piece
_POSITIVE = [VISCOUS, COULOMB, ARMATURE, LOAD]


class RecordingFit:
    """
    How well efforts of a recording are explained if it is changed.

    To the URDF, the effort of a joint is that of its bodies, friction and rotor, each times a
    factor that is not negative, and an offset. If its gain is free, all factors may be negative
    together.
    """

    def __init__(self, robot: Robot, pieces: Sequence[Piece], used: Array,
                 free: NDArray[np.bool_]) -> None:
        self.robot, self.used, self.free = robot, used, free
        self.joints: list[int] = np.flatnonzero(used).tolist()
        self.longest = max(pieces, key=lambda piece: len(piece.q))
        seconds = float(self.longest.time[-1] - self.longest.time[0])
        # largest delay of efforts that can be tried [s]
        self.latest = (0.0 if seconds < LEAST_JUDGED else
                       min(_LARGEST_TRIED, _LARGEST_PART * seconds))
        ends = max(UNUSED_ENDS, self.latest)
        kept = np.concatenate([(each.time >= each.time[0] + ends)
                               & (each.time <= each.time[-1] - ends) for each in pieces])
        q, qd, qdd, self._effort = (np.concatenate([getattr(each, name) for each in pieces])
                                    for name in ('q', 'qd', 'qdd', 'effort'))
        known = np.flatnonzero(kept & np.isfinite(self._effort[:, self.joints]).all(axis=1))
        self.samples = min(_SAMPLES, len(known))
        self._rows = rows = known[np.linspace(0, len(known) - 1, self.samples).astype(int)]
        self._rate = np.repeat([each.rate for each in pieces], [len(each.q) for each in pieces])
        self._q, self._qd, self._qdd = q[rows], qd[rows], qdd[rows]
        self._nominal_gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
        self._gravity: Array | None = None

    def error(self, change: Change) -> Array:
        """Return `held_out_error` (n,) of the longest piece, by any possible bodies."""
        robot = self.robot if change.gravity is None else replace(
            self.robot, columns=Columns(self.robot.system, change.gravity.tolist()))
        return held_out_error(robot, [change.piece(self.longest)], self.used, self.free)

    def left(self, change: Change) -> Array:
        """Return the logarithms of the shares of squares (n,) that the URDF leaves, or 0."""
        return self.shares(change)[0]

    def shares(self, change: Change) -> tuple[Array, Array, Array]:
        """
        Return what is left, the share (n,) that the URDF's bodies have of the effort, and factors.

        The factors (n,) are those by which the efforts of these bodies are multiplied.
        """
        q, qd, qdd = change.motion(self._q, self._qd, self._qdd)
        late = np.round(self._rate[self._rows, None] * change.late).astype(np.int64)
        effort = change.effort(self._effort[self._rows[:, None] + late, np.arange(len(q.T))])
        nominal = self.robot.dynamics(q, qd, qdd)
        if change.gravity is not None:
            if self._gravity is None:   # changes of gravity do not change positions
                self._gravity = _gravity_efforts(self.robot, q)
            nominal = nominal + self._gravity @ (change.gravity - self._nominal_gravity)
        result = np.zeros((3, len(self.used)))
        for joint in self.joints if self.samples else ():
            result[:, joint] = self._of_joint(nominal[:, joint], qd[:, joint], qdd[:, joint],
                                              effort[:, joint], joint)
        left, shares, factors = result
        return left, shares, factors

    def gravity_factor(self) -> float:
        """
        Return the factor of the URDF's gravity that fits the efforts of all joints best.

        Joints count by what gravity needs besides friction and accelerations [N m or N]. It is 1
        where little is left: where a pendulum swings freely, gravity is what accelerates it.
        """
        q, qd, qdd, effort = self._q, self._qd, self._qdd, self._effort[self._rows]
        gravity = _gravity_efforts(self.robot, q) @ self._nominal_gravity
        inertial = self.robot.dynamics(q, qd, qdd) - gravity
        product = size = total = 0.0
        for joint in self.joints:
            own = joint_columns(qd[:, joint], qdd[:, joint], gravity[:, joint],
                                self.robot.sign_widths[joint])
            others = np.column_stack((inertial[:, joint], own[:, [*_POSITIVE[:3], OFFSET]]))
            left = gravity[:, joint] - others @ np.linalg.lstsq(
                others, gravity[:, joint], rcond=None)[0]
            product += float(left @ effort[:, joint])
            size += float(left @ left)
            total += len(left) * float(np.var(gravity[:, joint]))
        return product / size if size > _LEAST_OWN * total > 0.0 else 1.0

    def _of_joint(self, nominal: Array, qd: Array, qdd: Array, effort: Array,
                  joint: int) -> tuple[float, float, float]:
        from scipy.optimize import nnls

        own = joint_columns(qd, qdd, nominal, self.robot.sign_widths[joint])[:, _POSITIVE]
        columns = np.column_stack((nominal, own, effort))
        columns -= columns.mean(axis=0)
        sizes = np.linalg.norm(columns, axis=0)
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        R: Array = np.asarray(np.linalg.qr(columns / sizes, mode='r'))
        signs = (1.0, -1.0) if self.free[joint] else (1.0,)
        x, left = min((nnls(R[:-1, :-1], sign * R[:-1, -1]) for sign in signs),
                      key=lambda found: float(found[1]))
        return (math.log(max(left * left + float(R[-1, -1]) ** 2, _LEAST_SHARE)), float(x[0]),
                float(x[0] * sizes[-1] / sizes[0]))


def _gravity_efforts(robot: Robot, q: Array) -> Array:
    """Return the efforts (k, n, 3) for a unit of gravity along each axis of the root frame."""
    rest = np.zeros_like(q)
    return np.stack([Columns(robot.system, axis).efforts(q, rest, rest, robot.prior.parameters)
                     for axis in np.eye(3).tolist()], axis=-1)


# ---- Mistakes that recordings may have: how each would be corrected, and what the user can do

# differences of the zero of a joint that are tried [rad]
ANGLES = tuple(np.radians([20.0, *np.arange(45.0, 360.0, 45.0), 340.0]).tolist())
_TILT = 0.4   # tangent of the smallest tilts of gravity that are tried
PACES = 0.25, 0.5, 2.0, 4.0   # steps of stamps over true ones that are tried
LARGEST_GIVEN_DELAY = 0.5   # largest delay that a user may give [s]
_DELAY_STEP = 0.1   # between delays that are tried [s]
_MOST_JOINTS = 12   # joints up to which all pairs are tried


class Mistake(NamedTuple):
    """A mistake."""

    change: Change   # what corrects the recording
    kind: str   # a key of SENTENCES
    joints: tuple[int, ...] = ()   # 'order': what is recorded as them moves them, sorted

    def sentence(self, robot: Robot, gains: bool) -> str:
        """Return what is wrong and how it is mended, where the recording has currents or not."""
        names = [robot.joints[joint] for joint in self.joints]
        moved = [robot.joints[joint] for joint in sorted(self.joints)]
        words = dict(zip(('joint', 'other'), names)) | {
            'order': ', '.join(names), 'all': ', '.join(moved),
            'renames': ' '.join(f'--rename {name}={joint}' for name, joint in zip(names, moved)
                                if name != joint),
            'pace': f'{self.change.pace:.3g}', 'weight': f'{self.change.pace**-2:.2g}',
            'nominal': ' '.join(f'{entry:.3g}' for entry in robot.dynamics.gravity_vector),
            'signs': 'gains' if gains else 'efforts',
            'gains': 'change the sign of its gain' if gains else
                     'change their sign, or add --effort-semantics current --gains 1 '
                     f'{names[0] if names else ""}=-1'}
        if self.kind == 'late':
            delay = float(self.change.late[0])
            words |= {'lateness': lateness(delay), 'remedy': (
                f'add --delay {delay:g}' if abs(delay) <= LARGEST_GIVEN_DELAY else
                'change the times of one of the two by it')}
        if self.kind == 'zero':
            shift = float((self.change.shifts[self.joints[0]] + np.pi) % (2.0 * np.pi) - np.pi)
            words |= {'radians': f'{shift:.3g}', 'degrees': f'{np.degrees(shift):.0f}'}
        if self.change.gravity is not None:
            words['gravity'] = ' '.join(f'{entry:.2f}' for entry in self.change.gravity + 0.0)
        if self.kind == 'scale':
            words['factor'] = f'{1.0 / self.change.positions[self.joints[0], self.joints[0]]:.2f}'
        return SENTENCES[self.kind].format(**words)


def lateness(delay: float) -> str:
    return f'{abs(delay):g} s {"later" if delay > 0.0 else "earlier"}'


SENTENCES = {
    'sign': 'the efforts of {joint} have the wrong sign: there they are minus what the URDF '
            'needs, and they push where friction brakes; {gains}',
    'signs': 'the efforts have the wrong sign: they are minus what the URDF needs, and they push '
             'where friction brakes; change the sign of the {signs}',
    'late': 'the efforts are about {lateness} than the motion that needs them: record positions '
            'and efforts with stamps of one clock, or, if the delay is constant, {remedy}',
    'zero': 'the zero of {joint} is not that of the URDF: the efforts fit its geometry if about '
            '{radians} rad ({degrees} deg) is added to the positions of this joint; set the zero '
            "in the driver, or turn the joint's <origin> in the URDF about its axis by it",
    'positions': 'the positions of {joint} have the wrong sign: the efforts fit the geometry of '
                 'the URDF if it is changed; change it, or that of the <axis> in the URDF and of '
                 'the efforts',
    'direction': '{joint} turns the other way than in the URDF: the efforts fit its geometry if '
                 'positions and efforts of this joint change their sign; change the sign of its '
                 '<axis> in the URDF',
    **{f'other {what}': f'the {what} of {{joint}} and {{other}} look interchanged: each fits the '
                        'other joint; interchange the two columns, or the entries of the '
                        f'{what} in the messages' for what in ('positions', 'efforts')},
    'order': 'the recorded joints look like those of the URDF in another order: the efforts fit '
             'it if what is recorded as {order} is what moves {all}; correct the names, or add '
             '{renames}',
    'scale': 'the positions of {joint} look {factor} times as large as they are: is the ratio of '
             'its gear right?',
    'pace': 'the stamps look {pace} times as far apart as they are: the efforts fit the motion if '
            'all times are divided by {pace}; record with the clock of the driver, or correct the '
            'times (or is gravity {weight} times as large, as where a driver compensates a part '
            'of it?)',
    'gravity': 'the efforts fit a gravity of about {gravity} m/s^2 in the frame of the root, not '
               '{nominal}: if the robot is mounted so, set it with --gravity {gravity}; otherwise '
               'the zeros of its joints differ from those of the URDF',
    'no gravity': 'the efforts are without gravity, which the URDF needs: if the driver subtracts '
                  'it, as those of UR robots do since PolyScope 5.23 and 10.11, masses and their '
                  'centres cannot be known from them (urdf2dyn evaluate --effort-semantics '
                  'gravity_compensated adds the gravity of the URDF and fits friction): record '
                  'the efforts before it does, or set --gravity 0 0 0; if they are currents of '
                  'motors, add --effort-semantics current --gains free',
}


def candidates(recording: RecordingFit, base: Change,
               moving: NDArray[np.bool_]) -> Iterator[Mistake]:
    """
    Yield the mistakes that are tried, besides those that `base` corrects.

    Where nothing moves beyond a joint, another zero is another centre of mass, no mistake.
    """
    robot, free, n, joints = recording.robot, recording.free, len(moving), recording.joints
    inner, units = moved_beyond(robot, moving), robot.dynamics.units
    yield Mistake(base._replace(efforts=turned(n, *np.flatnonzero(~free)) @ base.efforts), 'signs')
    if not base.late.any():
        for size in np.arange(_DELAY_STEP, recording.latest, _DELAY_STEP):
            for delay in (-size, size):
                yield Mistake(base._replace(late=np.full(n, delay)), 'late')
    for joint in np.flatnonzero(moving).tolist():
        if joint in inner and units[joint] == 'rad':
            for angle in ANGLES:
                yield Mistake(base.shifted(joint, angle), 'zero', (joint,))
        sign = turned(n, joint)
        positions, efforts = sign @ base.positions, sign @ base.efforts
        if free[joint]:
            yield Mistake(base._replace(positions=positions), 'direction', (joint,))
        else:
            yield Mistake(base._replace(positions=positions), 'positions', (joint,))
            yield Mistake(base._replace(positions=positions, efforts=efforts), 'direction',
                          (joint,))
            yield Mistake(base._replace(efforts=efforts), 'sign', (joint,))
    for pair in combinations(joints, 2) if len(joints) <= _MOST_JOINTS else ():
        order = np.eye(n)
        order[[*pair]] = order[[*pair[::-1]]]
        change = base._replace(efforts=order @ base.efforts)
        yield Mistake(change, 'other efforts', pair)
        yield Mistake(base._replace(positions=order @ base.positions), 'other positions', pair)
        yield Mistake(change._replace(positions=order @ base.positions), 'order', pair[::-1])
    # among joints whose efforts count: any model explains efforts that are not recorded
    alphabetical = sorted(joints, key=lambda joint: robot.joints[joint])
    inverse = [joints[k] for k in np.argsort(alphabetical)]
    rolled = [joints[k:] + joints[:k] for k in range(1, len(joints))]
    for names in (joints[::-1], alphabetical, inverse, *rolled):
        if sum(own != other for own, other in zip(joints, names)) > 2:   # else it is a pair
            columns = np.eye(n)
            columns[joints] = np.eye(n)[names]
            yield Mistake(base._replace(positions=columns @ base.positions,
                                        efforts=columns @ base.efforts), 'order', tuple(names))
    if base.pace == 1.0:
        for pace in PACES:
            yield Mistake(base._replace(pace=pace), 'pace')
    if base.gravity is None:
        for gravity in _gravities(np.array(robot.dynamics.gravity_vector, dtype=np.float64)):
            yield Mistake(base._replace(gravity=gravity),
                          'gravity' if gravity.any() else 'no gravity')


def moved_beyond(robot: Robot, moving: NDArray[np.bool_]) -> set[int]:
    """Return the joints beyond which another one moves."""
    bodies = robot.system.bodies
    return {bodies[each].coordinate for number, body in enumerate(bodies)
            for each in chain(robot.system, number)
            if moving[body.coordinate] and bodies[each].coordinate != body.coordinate}


def _gravities(nominal: Array) -> Iterator[Array]:
    """Yield no gravity, and gravity along other directions of the root frame."""
    size = float(np.linalg.norm(nominal))
    if size <= 0.0:
        return
    yield np.zeros(3)
    across = np.linalg.svd(nominal[None])[2][1:]
    tilted = [nominal + size * _TILT * np.array(each) @ across
              for each in product((-1.0, 0.0, 1.0), repeat=2) if any(each)]
    for direction in (*map(np.array, product((-1.0, 0.0, 1.0), repeat=3)), *tilted):
        length = float(np.linalg.norm(direction))
        if length > 0.0 and direction @ nominal < 0.95 * length * size:
            yield size / length * direction


# ---- The mistakes of a recording

_FEWEST_SAMPLES = 50   # samples with efforts of all joints from which on mistakes are looked for
# falls of the logarithms of the URDF's residuals, over all joints, from which on a candidate is
# fitted, and of the fit's in held-out blocks, from which on it is a mistake
_PROMISING, _CONFIRMED = 1.0, 2.0
# share of the URDF's gravity in the efforts below which there is none, if it fits as well
_ABSENT = 0.1
_AS_GOOD = 0.5   # difference of this logarithm up to which two candidates are equally good
# logarithm of efforts over residuals, mean of the joints, from which on a fit is no accident
_EXPLAINED = 0.3
# candidates that are fitted, and mistakes that are looked for one after the other, at most
_FITTED, _MOST = 3, 3
_STEPS = tuple(np.radians([30.0, 15.0, 8.0, 4.0]).tolist())
_PACE_STEPS = 0.18, 0.1, 0.05, 0.02   # steps of the search for the logarithm of a pace
_DELAY_STEPS = 0.05, 0.02, 0.01   # steps of the search for a delay [s]
# steps of the search for an angle, and the distance to a right angle that is none [rad]
_WHOLE = np.radians(12.0)


def mistakes_of(recording: RecordingFit, moving: NDArray[np.bool_]) -> list[Mistake]:
    """Return the mistakes of a recording; each corrects those before it as well."""
    if recording.samples < _FEWEST_SAMPLES:
        return []
    base, mistakes = no_change(len(moving)), list[Mistake]()
    for _ in range(_MOST):
        best = _best(recording, base, moving)
        if best is None:
            break
        mistakes.append(best)
        base = best.change
    others = [each for each in mistakes if each.kind != 'order']
    if len(mistakes) - len(others) > 1:   # several interchanges are one order of all their joints
        order = np.abs(base.positions).argmax(axis=1)
        moved = np.flatnonzero(order != np.arange(len(order)))
        mistakes = [*others, Mistake(base, 'order', tuple(order[moved].tolist()))]
    if not mistakes and not recording.free.any() and abs(recording.gravity_factor()) < _ABSENT:
        absent, used = base._replace(gravity=np.zeros(3)), recording.used > 0
        error, longest = recording.error(absent), recording.longest
        with np.errstate(divide='ignore', invalid='ignore'):
            efforts = Spectra(np.nan_to_num(longest.effort), longest.rate).rows()
            explained = float((np.log(efforts.std(axis=0)) - error)[used].mean())
        if explained > _EXPLAINED and float((recording.error(base) - error).sum()) > -_AS_GOOD:
            mistakes.append(Mistake(absent, 'no gravity'))
    return mistakes


def _best(recording: RecordingFit, base: Change, moving: NDArray[np.bool_]) -> Mistake | None:
    """Return the mistake that explains most, or None if none explains enough."""
    def gained(mistake: Mistake) -> float:
        return before - float(recording.left(mistake.change).sum())

    before, kinds = float(recording.left(base).sum()), dict[Any, tuple[float, Mistake]]()
    for each in candidates(recording, base, moving):
        gain, key = gained(each), (each.kind, each.joints)
        if gain > max(_PROMISING, kinds[key][0] if key in kinds else 0.0):
            kinds[key] = gain, each
    promising = sorted(kinds.values(), key=lambda pair: -pair[0])[:_FITTED]
    error = recording.error(base) if promising else 0.0
    confirmed = list[tuple[float, Mistake]]()
    for _, each in promising:
        refined = _refined(recording, each, base)
        if refined.kind == 'late' and abs(refined.change.late[0]) <= FARTHEST_DELAY:
            continue   # which the fit finds by itself
        score = float((error - recording.error(refined.change)).sum())
        if score >= _CONFIRMED:
            confirmed.append((score + 0.5 * gained(refined), refined))
    return max(confirmed, key=lambda pair: pair[0])[1] if confirmed else None


def _refined(recording: RecordingFit, mistake: Mistake, base: Change) -> Mistake:
    """Return a mistake with the angle or direction that explains most; right angles if near."""
    def left(change: Change) -> float:
        return float(recording.left(change).sum())

    def nearest(value: float, steps: Sequence[float], change: Callable[[float], Change]) -> float:
        for step in steps:
            value = min((value - step, value, value + step), key=lambda each: left(change(each)))
        return value

    if mistake.kind == 'zero':
        joint, = mistake.joints
        angle = nearest(float(mistake.change.shifts[joint] - base.shifts[joint]), _STEPS,
                        lambda each: base.shifted(joint, each))
        right = 0.5 * np.pi * round(angle / (0.5 * np.pi))
        return mistake._replace(change=base.shifted(
            joint, right if right and abs(angle - right) < _WHOLE else angle))
    if mistake.kind == 'late':
        def late(delay: float) -> Change:
            most = recording.latest
            return base._replace(late=np.full(len(base.late), np.clip(delay, -most, most)))

        return mistake._replace(change=late(round(nearest(
            float(mistake.change.late[0]), _DELAY_STEPS, late), 2)))
    if mistake.kind == 'pace':
        pace = nearest(math.log(mistake.change.pace), _PACE_STEPS,
                       lambda each: base._replace(pace=math.exp(each)))
        return mistake._replace(change=base._replace(pace=math.exp(pace)))
    if mistake.kind == 'gravity':
        assert mistake.change.gravity is not None
        gravity, size = mistake.change.gravity, np.linalg.norm(mistake.change.gravity)
        for step in _STEPS:
            near = [gravity, *(gravity + sign * step * size * axis
                               for axis in np.eye(3) for sign in (-1.0, 1.0))]
            gravity = min((size / np.linalg.norm(each) * each for each in near),
                          key=lambda each: left(base._replace(gravity=each)))
        axis = np.abs(gravity) == np.abs(gravity).max()
        if np.abs(gravity).max() > np.cos(_WHOLE) * size:
            gravity = np.where(axis, np.sign(gravity) * size, 0.0)
        return mistake._replace(change=base._replace(gravity=gravity))
    return mistake


# ---- Efforts of one joint that are late, from a drive or a filter of its own, or in other units

_LARGEST_OF_JOINT, _RATE = 0.5, 50.0   # largest delay that is tried [s], and how many [1/s]
# the two falls above for a joint that alone is late; those of a UR10, a TX40 and a TIAGo reach
# 0.2 and 0
_PROMISING_OF_JOINT, _CONFIRMED_OF_JOINT = 0.4, 0.7
_FEWEST_JOINTS = 3   # joints from which on it is one of them that is late
# ratio of two joints' efforts over those of the URDF, whose masses may be wrong, for a trial
_SUSPICIOUS = 3.0
# logarithm of what a fit leaves of held-out blocks, over all joints, by which it falls with free
# gains if units differ: 3 to 15 where they do, up to 0.2 on robots whose efforts are right
_UNITS_DIFFER = 1.0


def late_joints(recording: RecordingFit) -> Iterator[str]:
    """Yield for each joint whose efforts have another delay than those of the other joints."""
    most, n = int(_RATE * min(_LARGEST_OF_JOINT, recording.latest)), len(recording.used)
    if not most or recording.samples < _FEWEST_SAMPLES or len(recording.joints) < _FEWEST_JOINTS:
        return
    none, near = no_change(n), int(_RATE * LARGEST_DELAY)
    left = np.array([recording.left(none._replace(late=np.full(n, late / _RATE)))
                     for late in range(-most, most + 1)])
    for j in recording.joints:
        common, best = (int(np.argmin(each)) for each in (
            left.sum(axis=1) - left[:, j], left[:, j]))
        usual = left[max(0, common - near):common + near + 1, j].min()
        if usual - left[best, j] < _PROMISING_OF_JOINT:
            continue
        others, delay = np.full(n, (common - most) / _RATE), (best - common) / _RATE
        before, after = (recording.error(none._replace(late=each))[j] for each in (
            others, others + delay * (np.arange(n) == j)))
        if before - after > _CONFIRMED_OF_JOINT:
            yield (f'the efforts of {recording.robot.joints[j]} are about {lateness(delay)} than '
                   'those of the other joints: record all of them with stamps of one clock and '
                   'the same filter, or does its friction follow late?')


def other_units(recording: RecordingFit, factors: Mapping[int, float]) -> dict[int, float]:
    """
    Return joints whose efforts no bodies explain together with those of the others, and factors.

    `factors` are efforts over those of the URDF, of the joints at which this ratio is known; that
    of the joints which are right is the one that is nearest to 1.
    """
    piece, used = recording.longest, recording.used
    if len(factors) < 2 or piece.time[-1] - piece.time[0] < LEAST_JUDGED:
        return {}
    right = min(factors.values(), key=lambda factor: abs(np.log(factor)))
    suspects = {joint: factor / right for joint, factor in factors.items()
                if abs(np.log(factor / right)) > np.log(_SUSPICIOUS)}
    every = recording.free | np.isin(np.arange(len(used)), list(suspects))

    def error(unknown: NDArray[np.bool_]) -> float:
        return float(held_out_error(recording.robot, [piece], used, unknown).sum())

    least = error(every) if suspects else 0.0
    return {joint: factor for joint, factor in suspects.items()
            if error(every & (np.arange(len(used)) != joint)) - least > _UNITS_DIFFER}
