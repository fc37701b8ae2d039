"""
One cause of what is wrong with a recording: the change with which its efforts are explained.

Every candidate is compared with the URDF's bodies first, in some ten thousandths of a second. Of
those that leave less, a judge decides: where bodies are to be identified, what a fit of any bodies
leaves of blocks that were held out, as masses and centres of a URDF are wrong; else the URDF's.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import LoopError
from urdf2dyn_ros.estimation.degrees import angle_unit
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.credibility import NO_SIGN, have_no_sign
from urdf2dyn_ros.recordings.lag import lateness
from urdf2dyn_ros.recordings.pieces import UNUSED_ENDS, Piece, without_delay
from urdf2dyn_ros.robot.multibody import Multibody, make_multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import SIGN_WIDTHS
from urdf2dyn_ros.text import first_names

LEAST_JUDGED = 5.0   # piece from which on its blocks distinguish delays and units [s]


# ---- How a recording would have to be changed to be without a mistake

class Change(NamedTuple):
    """
    A change of recorded positions, stamps and efforts, and of gravity.

    The matrices (n, n) have signs and interchanges.
    """

    positions: Array   # positions of the joints: this times the recorded ones, plus the shifts
    efforts: Array   # efforts of the joints: this times the recorded ones
    shifts: Array   # (n,) [rad or m]
    delay: Array   # (n,), of recorded efforts behind the positions [s]
    gravity: Array | None = None   # (3,) in the frame of the root [m/s^2]; None: the robot's
    pace: float = 1.0   # steps of the recorded stamps over those of the true time

    def motion(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return the changed positions to accelerations (k, n)."""
        q, qd, qdd = (each @ self.positions.T for each in (q, qd, qdd))
        return q + self.shifts, self.pace * qd, self.pace**2 * qdd

    def effort(self, effort: Array) -> Array:
        """Return the changed efforts (k, n), 0 for those that are not recorded."""
        return np.asarray(np.nan_to_num(effort) @ self.efforts.T)

    def piece(self, piece: Piece) -> Piece:
        """Return the changed piece of a recording."""
        piece = without_delay(piece, self.delay)
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


def turned(joints: int, *chosen: int) -> Array:
    """Return the matrix that changes the sign of some joints."""
    return np.diag(np.where(np.isin(np.arange(joints), chosen), -1.0, 1.0))


# ---- How well the URDF's bodies explain a changed recording

_SAMPLES = 400   # samples of a recording that are compared
_LEAST_SHARE = 1e-5   # share of an effort below which what is left of it is noise
# share of the squares of gravity that nothing else explains, from which its factor is known
_LEAST_OWN = 0.2
_LONGEST_TRIED = 2.0   # delay [s]
_LARGEST_PART = 0.2   # of the longest piece, up to which delays are tried
_LEAST_RATE = 5.0   # of samples, from which on they distinguish these delays [Hz]


class Judge(NamedTuple):
    """What decides which changes correct a recording."""

    # from a change to logarithms of residuals over efforts (n,), both changed, as a change may
    # move efforts between joints, whose sizes differ; 0 where not used
    error: Callable[[Change], Array]
    aligned: float   # largest delay that is found without it, and is no mistake [s]


class RecordingFit:
    """
    How well efforts of a recording are explained if it is changed.

    To the URDF, the effort of a joint is that of its bodies, friction and rotor, each times a
    factor that is not negative, and an offset. If its gain is free, all factors may be negative
    together.
    """

    def __init__(self, dynamics: InverseDynamics, pieces: Sequence[Piece], used: NDArray[np.bool_],
                 free: NDArray[np.bool_]) -> None:
        self.dynamics, self.pieces, self.used, self.free = dynamics, pieces, used, free
        self.system, self.names = make_multibody(dynamics.model), dynamics.joint_names
        self.joints: list[int] = np.flatnonzero(used).tolist()
        self.longest = longest = max(pieces, key=lambda piece: len(piece.q))
        seconds = float(longest.time[-1] - longest.time[0])
        # largest delay of efforts that can be tried [s]
        self.longest_delay = (0.0 if seconds < LEAST_JUDGED or longest.rate < _LEAST_RATE else
                              min(_LONGEST_TRIED, _LARGEST_PART * seconds))
        ends = max(UNUSED_ENDS, self.longest_delay)
        # by rows, in which delays are counted
        inside = np.concatenate([np.minimum(rows, rows[::-1]) >= ends * piece.rate - 1e-6
                                 for piece in pieces for rows in [np.arange(len(piece.q))]])
        q, qd, qdd, self._effort = (np.concatenate([getattr(piece, name) for piece in pieces])
                                    for name in ('q', 'qd', 'qdd', 'effort'))
        complete = np.flatnonzero(inside & np.isfinite(self._effort[:, self.joints]).all(axis=1))
        self.samples = min(_SAMPLES, len(complete))
        self._rows = rows = complete[np.linspace(0, len(complete) - 1, self.samples).astype(int)]
        self._rate = np.repeat([piece.rate for piece in pieces],
                               [len(piece.q) for piece in pieces])
        self._q, self._qd, self._qdd = q[rows], qd[rows], qdd[rows]
        self._widths = [SIGN_WIDTHS[unit] for unit in dynamics.units]
        self.gravity: Array = np.array(dynamics.gravity_vector, dtype=np.float64)
        self._by_axis: Array | None = None   # efforts for a unit of gravity along each axis

    def unexplained(self, change: Change) -> Array:
        """Return the logarithms of the shares of squares (n,) that the URDF leaves, or 0."""
        return self.shares(change)[0]

    def shares(self, change: Change) -> tuple[Array, Array, Array]:
        """
        Return what is left, the share (n,) that the URDF's bodies have of the effort, and factors.

        The factors (n,) are those by which the efforts of these bodies are multiplied.
        """
        q, qd, qdd = change.motion(self._q, self._qd, self._qdd)
        rows = self._rows[:, None] + np.round(
            self._rate[self._rows, None] * change.delay).astype(np.int64)
        effort = change.effort(self._effort[rows, np.arange(len(q.T))])
        result = np.zeros((3, len(self.used)))
        try:
            nominal = self.dynamics(q, qd, qdd)
        except LoopError:   # in positions that close no loops nothing is explained
            return result[0], result[1], result[2]
        if change.gravity is not None:
            if self._by_axis is None:   # changes of gravity do not change positions
                self._by_axis = self._gravity_by_axis(q)
            nominal = nominal + self._by_axis @ (change.gravity - self.gravity)
        for joint in self.joints if self.samples else ():
            result[:, joint] = self._of_joint(nominal[:, joint], qd[:, joint], qdd[:, joint],
                                              effort[:, joint], joint)
        unexplained, shares, factors = result
        return unexplained, shares, factors

    def gravity_factor(self) -> float:
        """
        Return the factor of the URDF's gravity that fits the efforts of all joints best.

        Joints count by what gravity needs besides friction and accelerations [N m or N]. It is 1
        where little is left: where a pendulum swings freely, gravity is what accelerates it.
        """
        q, qd, qdd, effort = self._q, self._qd, self._qdd, self._effort[self._rows]
        gravity = self._gravity_by_axis(q) @ self.gravity
        inertial = self.dynamics(q, qd, qdd) - gravity
        product = size = total = 0.0
        for joint in self.joints:
            signs = np.tanh(qd[:, joint] / self._widths[joint])
            others = np.column_stack((inertial[:, joint], qd[:, joint], signs, qdd[:, joint],
                                      np.ones(len(q))))
            remaining = gravity[:, joint] - others @ np.linalg.lstsq(
                others, gravity[:, joint], rcond=None)[0]
            product += float(remaining @ effort[:, joint])
            size += float(remaining @ remaining)
            total += len(q) * float(np.var(gravity[:, joint]))
        return product / size if size > _LEAST_OWN * total > 0.0 else 1.0

    def _gravity_by_axis(self, q: Array) -> Array:
        """Return the efforts (k, n, 3) for a unit of gravity along each axis of the root frame."""
        mass = self.dynamics.model.mass
        if not mass:   # there is no centre of it
            return np.zeros((*q.shape, 3))
        _, _, J = self.dynamics.centre_of_mass(q)
        return -mass * J.transpose(0, 2, 1)

    def _of_joint(self, nominal: Array, qd: Array, qdd: Array, effort: Array,
                  joint: int) -> tuple[float, float, float]:
        from scipy.optimize import nnls

        signs = np.tanh(qd / self._widths[joint])
        columns = np.column_stack((nominal, qd, signs, qdd, signs * np.abs(nominal), effort))
        columns -= columns.mean(axis=0)
        sizes = np.linalg.norm(columns, axis=0)
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        R: Array = np.asarray(np.linalg.qr(columns / sizes, mode='r'))
        x, residual = min((nnls(R[:-1, :-1], sign * R[:-1, -1])
                           for sign in ((1.0, -1.0) if self.free[joint] else (1.0,))),
                          key=lambda solution: float(solution[1]))
        return (math.log(max(residual * residual + float(R[-1, -1]) ** 2, _LEAST_SHARE)),
                float(x[0]), float(x[0] * sizes[-1] / sizes[0]))


# ---- Mistakes that recordings may have: how each would be corrected, and what the user can do

# differences of the zero of a joint that are tried [rad]
ANGLES = tuple(np.radians([20.0, *np.arange(45.0, 360.0, 45.0), 340.0]).tolist())
_TILT = 0.4   # tangent of the smallest tilts of gravity that are tried
PACES = 0.1, 0.25, 0.5, 2.0, 4.0, 10.0   # steps of stamps over true ones that are tried
LARGEST_GIVEN_DELAY = 0.5   # largest delay that a user may give [s]
_DELAY_STEP = 0.1   # between delays that are tried [s]
_MOST_JOINTS = 12   # joints up to which all pairs are tried


class Mistake(NamedTuple):
    """A mistake."""

    change: Change   # what corrects the recording
    kind: str   # a key of SENTENCES
    # those that it is of; 'order': the recorded ones, of which the k-th is the k-th of the URDF
    joints: tuple[int, ...] = ()

    def sentence(self, dynamics: InverseDynamics, gains: bool) -> str:
        """Return what is wrong and how it is mended, where the recording has currents or not."""
        names = [dynamics.joint_names[joint] for joint in self.joints]
        moved = [dynamics.joint_names[joint] for joint in sorted(self.joints)]
        words = dict(zip(('joint', 'other'), names)) | {
            'order': ', '.join(names), 'all': ', '.join(moved),
            'renames': ' '.join(f'--rename {name}={joint}' for name, joint in zip(names, moved)
                                if name != joint),
            'pace': f'{self.change.pace:.3g}', 'weight': f'{self.change.pace**-2:.2g}',
            'nominal': ' '.join(f'{entry:.3g}' for entry in dynamics.gravity_vector),
            'signs': 'gains' if gains else 'efforts',
            'gains': 'change the sign of its gain' if gains else
                     'change their sign, or add --effort-semantics current --gains 1 '
                     f'{names[0] if names else ""}=-1'}
        if self.kind == 'delay':
            delay = float(self.change.delay[0])
            words |= {'lateness': lateness(delay), 'remedy': (
                f'add --delay {delay:g} to urdf2dyn identify'
                if abs(delay) <= LARGEST_GIVEN_DELAY else
                'change the times of one of the two by it')}
        if self.kind == 'zero':
            shift = float((self.change.shifts[self.joints[0]] + np.pi) % (2.0 * np.pi) - np.pi)
            words |= {'radians': f'{shift:.3g}', 'degrees': f'{np.degrees(shift):.0f}'}
        if self.change.gravity is not None:
            words['gravity'] = ' '.join(f'{entry:.2f}' for entry in self.change.gravity + 0.0)
        if self.kind == 'scale':
            words['factor'] = f'{1.0 / self.change.positions[self.joints[0], self.joints[0]]:.2f}'
        return SENTENCES[self.kind].format(**words)


SENTENCES = {
    'sign': 'the efforts of {joint} have the wrong sign: there they are minus what the URDF '
            'needs, and they push where friction brakes; {gains}',
    'signs': 'the efforts have the wrong sign: they are minus what the URDF needs, and they push '
             'where friction brakes; change the sign of the {signs}',
    'delay': 'the efforts are about {lateness} for the motion that needs them: record positions '
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
    free, n, joints = recording.free, len(moving), recording.joints
    inner, units = moved_beyond(recording.system, moving), recording.dynamics.units
    yield Mistake(base._replace(efforts=turned(n, *np.flatnonzero(~free)) @ base.efforts), 'signs')
    if not base.delay.any():
        for size in np.arange(_DELAY_STEP, recording.longest_delay, _DELAY_STEP):
            for delay in (-size, size):
                yield Mistake(base._replace(delay=np.full(n, delay)), 'delay')
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
    alphabetical = sorted(joints, key=lambda joint: recording.names[joint])
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
        for gravity in _gravities(recording.gravity):
            yield Mistake(base._replace(gravity=gravity),
                          'gravity' if gravity.any() else 'no gravity')


def moved_beyond(system: Multibody, moving: NDArray[np.bool_]) -> set[int]:
    """Return the joints beyond which another one moves, or that are driven together by loops."""
    if system.closed_loops:
        return {*range(len(moving))}
    return {system.bodies[carrier].coordinate for number, body in enumerate(system.bodies)
            for carrier in system.chain(number)
            if moving[body.coordinate] and system.bodies[carrier].coordinate != body.coordinate}


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
        if direction @ nominal < 0.95 * length * size:
            yield size / length * direction


# ---- The mistakes of a recording

FEWEST_JUDGED = 50   # samples with efforts of all joints from which on mistakes are looked for
# falls of the logarithms of residuals, summed over all joints:
_PROMISING = 1.0   # of the URDF's, from which on a candidate is fitted
_CONFIRMED = 2.0   # of the fit's in held-out blocks, from which on it is a mistake
_LIKELY = 0.5   # and from which on a candidate speaks against efforts without gravity
# rise for a joint: what explains the others, but not this one, is not the cause. Of 88 mistakes
# put into recordings of four robots (benchmarks/mistakes.py) limits of 0.02, 0.1, 0.5, 1.0 and 1.2
# find 47, 55, 57, 61 and 62; below 1.0 some are taken for others. At 1.25 a frozen joint is one.
_WORSE = 1.2
# share of the URDF's gravity in the efforts below which there is none, if it fits as well
# (0.1 finds 61 of these 88, from 0.2 on 62)
_ABSENT = 0.2
# rise of the residual's logarithm, of any joint, up to which it fits as well: 1.0 finds 60 of
# these, from 1.3 on 62; from 1.6 on efforts that are too small, with gravity, are without
_AS_GOOD = 1.4
# logarithm of efforts over residuals, mean of the joints, from which on a fit is no accident
_EXPLAINED = 0.3
_MOST_FITTED = 3   # candidates that are fitted
_MOST_MISTAKES = 3   # that are looked for one after the other
# steps of the search for an angle [rad]
_ANGLE_STEPS = tuple(np.radians([30.0, 15.0, 8.0, 4.0]).tolist())
_PACE_STEPS = 0.18, 0.1, 0.05, 0.02   # steps of the search for the logarithm of a pace
_DELAY_STEPS = 0.05, 0.02, 0.01   # steps of the search for a delay [s]
_NEAR_RIGHT_ANGLE = np.radians(12.0)   # distance to a right angle that counts as none [rad]


def mistakes_of(recording: RecordingFit, moving: NDArray[np.bool_],
                judge: Judge) -> list[Mistake]:
    """Return the mistakes of a recording; each corrects those before it as well."""
    if recording.samples < FEWEST_JUDGED:
        return []
    none = base = no_change(len(moving))
    mistakes, kinds = list[Mistake](), set[str]()   # of all that are likely
    for _ in range(_MOST_MISTAKES):
        best, likely = _best(recording, base, moving, judge)
        kinds = kinds or likely
        if best is None:
            break
        mistakes.append(best)
        base = best.change
    # stamps too far apart look like less gravity, columns in another order like none
    if kinds <= {'pace', 'gravity', 'no gravity'} and {each.kind for each in mistakes} <= {
            'pace', 'no gravity'} and _has_no_gravity(recording, none, judge):
        return [Mistake(none._replace(gravity=np.zeros(3)), 'no gravity')]
    others = [mistake for mistake in mistakes if mistake.kind != 'order']
    if len(mistakes) - len(others) > 1:   # several interchanges are one order of all their joints
        order = np.abs(base.positions).argmax(axis=1)
        moved = np.flatnonzero(order != np.arange(len(order)))
        mistakes = [*others, Mistake(base, 'order', tuple(order[moved].tolist()))]
    return mistakes


def _has_no_gravity(recording: RecordingFit, base: Change, judge: Judge) -> bool:
    if recording.free.any() or abs(recording.gravity_factor()) > _ABSENT:
        return False
    error = judge.error(base._replace(gravity=np.zeros(3)))
    return bool(-error[recording.used].mean() > _EXPLAINED
                and (error - judge.error(base)).max() < _AS_GOOD)


def _best(recording: RecordingFit, base: Change,
          moving: NDArray[np.bool_], judge: Judge) -> tuple[Mistake | None, set[str]]:
    """Return the mistake that explains most, or None if none explains enough; likely kinds."""
    def gained(mistake: Mistake) -> float:
        return before - float(recording.unexplained(mistake.change).sum())

    before, kinds = float(recording.unexplained(base).sum()), dict[Any, tuple[float, Mistake]]()
    for mistake in candidates(recording, base, moving):
        gain, key = gained(mistake), (mistake.kind, mistake.joints)
        if gain > max(_PROMISING, kinds[key][0] if key in kinds else 0.0):
            kinds[key] = gain, mistake
    promising = sorted(kinds.values(), key=lambda pair: -pair[0])[:_MOST_FITTED]
    error = judge.error(base) if promising else np.zeros(0)
    confirmed, likely = list[tuple[float, Mistake]](), set[str]()
    for _, mistake in promising:
        refined = _refined(recording, mistake, base)
        if refined.kind == 'delay' and abs(refined.change.delay[0]) <= judge.aligned:
            continue
        falls = error - judge.error(refined.change)
        score = float(falls.sum())
        if score >= _LIKELY:
            likely.add(refined.kind)
        if score >= _CONFIRMED and falls.min() > -_WORSE:
            confirmed.append((score + 0.5 * gained(refined), refined))
    return max(confirmed, key=lambda pair: pair[0])[1] if confirmed else None, likely


def _refined(recording: RecordingFit, mistake: Mistake, base: Change) -> Mistake:
    """Return a mistake with the angle or direction that explains most; right angles if near."""
    def unexplained(change: Change) -> float:
        return float(recording.unexplained(change).sum())

    def nearest(value: float, steps: Sequence[float], change: Callable[[float], Change]) -> float:
        for step in steps:
            value = min((value, value - step, value + step),
                        key=lambda trial: unexplained(change(trial)))
        return value

    if mistake.kind == 'zero':
        joint, = mistake.joints
        angle = nearest(float(mistake.change.shifts[joint] - base.shifts[joint]), _ANGLE_STEPS,
                        lambda trial: base.shifted(joint, trial))
        right = 0.5 * np.pi * round(angle / (0.5 * np.pi))
        return mistake._replace(change=base.shifted(
            joint, right if right and abs(angle - right) < _NEAR_RIGHT_ANGLE else angle))
    if mistake.kind == 'delay':
        def delayed(seconds: float) -> Change:
            most = recording.longest_delay
            return base._replace(delay=np.full(len(base.delay), np.clip(seconds, -most, most)))

        return mistake._replace(change=delayed(round(nearest(
            float(mistake.change.delay[0]), _DELAY_STEPS, delayed), 2)))
    if mistake.kind == 'pace':
        pace = nearest(math.log(mistake.change.pace), _PACE_STEPS,
                       lambda trial: base._replace(pace=math.exp(trial)))
        return mistake._replace(change=base._replace(pace=math.exp(pace)))
    if mistake.kind == 'gravity':
        assert mistake.change.gravity is not None
        gravity, size = mistake.change.gravity, np.linalg.norm(mistake.change.gravity)
        for step in _ANGLE_STEPS:
            near = [gravity, *(gravity + sign * step * size * axis
                               for axis in np.eye(3) for sign in (-1.0, 1.0))]
            gravity = min((size / np.linalg.norm(trial) * trial for trial in near),
                          key=lambda trial: unexplained(base._replace(gravity=trial)))
        axis = np.abs(gravity) == np.abs(gravity).max()
        if np.abs(gravity).max() > np.cos(_NEAR_RIGHT_ANGLE) * size:
            gravity = np.where(axis, np.sign(gravity) * size, 0.0)
        return mistake._replace(change=base._replace(gravity=gravity))
    return mistake


# ---- One cause for all joints: other units of positions or efforts, copies, or a mistake

_DEGREES = 180.0 / np.pi
_BEYOND_RANGE = 5.0   # position of a prismatic joint over its limits, from which on it is in mm
# logarithm of what the URDF leaves, over all joints, by which positions in degrees fit better
_CLEARER = 0.1
_STRONG = 0.5   # share of an effort that the URDF's explains, from which on their ratio is known
_MILLI = 0.7, 1.5   # ratio of efforts over a thousand, within which they are in mN m


def one_cause(recording: RecordingFit, moving: NDArray[np.bool_], judge: Judge, currents: bool,
              wrong_units: float) -> str:
    """
    Return the one cause for which efforts, or currents times gains, contradict the URDF, or ''.

    Positions are damaged or in other units, or have another zero or sign; efforts have no sign, a
    wrong one, other units, another time or gravity; columns are copies, or interchanged. Free
    gains have any unit and sign. Efforts that are `wrong_units` times those of the URDF, or its
    inverse, are in other units.
    """
    return wrong_positions(recording) or _wrong_efforts(recording, moving, judge, currents,
                                                        wrong_units)


def wrong_positions(recording: RecordingFit) -> str:
    """Return that positions are in degrees, counts or mm, or ''."""
    dynamics, names = recording.dynamics, recording.names
    spans = np.max([np.abs(piece.q).max(axis=0) for piece in recording.pieces], axis=0)
    units = np.array(dynamics.units)
    largest = np.array([max((abs(end) for end in (limit.lower, limit.upper) if end),
                            default=2.0 * np.pi if unit == 'rad' else np.inf)
                        for limit, unit in zip(dynamics.limits, units)])

    def exceeded(joint: int, unit: str, remedy: str) -> str:
        return (f'{names[joint]} is at up to {spans[joint]:.4g}, but its limits in the URDF are '
                f'{largest[joint]:.4g} {units[joint]}: are the positions in {unit}? {remedy}; if '
                'they are those of the motors, divide them by the ratios of the gears')

    turns = (units == 'rad') & ~np.array(dynamics.continuous) & (
        spans > np.maximum(2.0 * largest, 10.0))
    none = no_change(len(units))
    farthest = int(np.argmax(np.where(turns, spans / largest, 0.0)))
    if turns.any() and (unit := angle_unit(spans[farthest], largest[farthest])) != 'degrees':
        return exceeded(farthest, unit, 'multiply them by 2 pi over the counts of a turn')
    if turns.any():   # or they turn several times; in degrees are all joints, or those beyond
        as_they_are, *in_degrees = (recording.unexplained(none._replace(positions=np.diag(
            np.where(which, 1.0 / _DEGREES, 1.0)))).sum() for which in (
                np.zeros(len(units)), units == 'rad', turns))
        if not recording.used.any() or min(in_degrees) < as_they_are - _CLEARER:
            these = first_names([names[k] for k in np.flatnonzero(turns)], 8)
            return exceeded(int(np.argmax(turns)), 'degrees', (
                f'divide them by {_DEGREES:.5g}, or add --degrees'
                if in_degrees[0] <= in_degrees[1] else
                f'those of {these} alone: divide these by {_DEGREES:.5g}, or give the column of '
                'each joint its unit, as q1 [deg] and q2 [rad]'))
    for factor, what in ((_DEGREES, 'radians, and read as degrees? Correct the heads of their '
                          'columns, or omit --degrees'), (2.0 * np.pi, 'revolutions?')):
        if recording.used.any() and (factor * spans < 2.0 * largest)[units == 'rad'].all():
            as_they_are, turned = (recording.unexplained(none._replace(positions=np.diag(
                np.where(units == 'rad', each, 1.0)))).sum() for each in (1.0, factor))
            if turned < as_they_are - _CLEARER:
                return f'{factor:.5g} times the positions explain the efforts: are they in {what}'
    slides = (units == 'm') & (spans > _BEYOND_RANGE * largest)
    return exceeded(int(np.argmax(slides)), 'mm or cm', 'convert them to m') if (
        slides.any()) else ''


def _wrong_efforts(recording: RecordingFit, moving: NDArray[np.bool_], judge: Judge,
                   currents: bool, wrong_units: float) -> str:
    joints, pieces = recording.joints, recording.pieces
    qd, effort = (np.concatenate([getattr(piece, name) for piece in pieces])
                  for name in ('qd', 'effort'))
    if have_no_sign([(np.nanmin(effort[:, j]), np.nanmax(effort[:, j])) for j in joints
                     if qd[:, j].min() < 0.0 < qd[:, j].max()]):
        return f'{NO_SIGN}; record them with their signs'
    unexplained, shares, factors = recording.shares(no_change(len(moving)))
    for pair in combinations(joints, 2):
        same = [what for name, what in (('q', 'positions'), ('effort', 'efforts')) if all(
            np.array_equal(*getattr(piece, name)[:, pair].T) for piece in pieces)]
        # fingers may move alike
        if same and (same != ['positions'] or unexplained[[*pair]].max() > np.log(_STRONG)):
            names = [recording.names[joint] for joint in pair]
            copy = names[int(np.argmax(unexplained[[*pair]]))]
            return (f'the {" and ".join(same)} of {names[0]} and {names[1]} are the same in all '
                    f"samples: those of {copy} look like a copy of the other's; record each "
                    "joint's own")
    ratios = sorted(float(factors[j]) for j in joints
                    if shares[j] > _STRONG and not recording.free[j])
    middle = (ratios or [1.0])[(len(ratios) - 1) // 2:len(ratios) // 2 + 1]
    typical = min(middle, key=lambda ratio: abs(math.log(ratio)))
    if not 1.0 / wrong_units < typical < wrong_units:
        least, most = _MILLI
        unit = 'mN m' if least < typical / 1000.0 < most else 'other units'
        return (f'the efforts are {typical:.3g} times what the URDF needs: ' + (
            'are the currents in A, and the gains those of the joint, after its gear?'
            if currents else f'are they in {unit}? they must be in N m or N; for currents, add '
            '--effort-semantics current with --gains, which urdf2dyn identify --gains free finds'))
    return '; '.join(mistake.sentence(recording.dynamics, currents)
                     for mistake in mistakes_of(recording, moving, judge))
