"""
Mistakes of a recording: what changes it so that the URDF explains its efforts far better.

Every candidate is compared with the URDF's bodies first, in some ten thousandths of a second.
Those that leave less are fitted with any bodies: as masses and centres of a URDF are wrong, it
counts what a fit leaves of blocks that were held out.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import NamedTuple

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
from urdf2dyn_ros.robot.spatial import Array

# ---- How a recording would have to be changed to be without a mistake

class Change(NamedTuple):
    """
    A change of recorded positions, stamps and efforts, and of gravity.

    The matrices (n, n) have signs, interchanges, and the sums of two motors of a differential.
    """

    positions: Array   # positions of the joints: this times the recorded ones, plus the shifts
    efforts: Array   # efforts of the joints: this times the recorded ones
    shifts: Array   # (n,) [rad or m]
    gravity: Array | None = None   # (3,) in the frame of the root [m/s^2]; None: the robot's
    pace: float = 1.0   # steps of the recorded stamps over those of the true time

    def motion(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Return the changed positions to accelerations (k, n)."""
        q, qd, qdd = (each @ self.positions.T for each in (q, qd, qdd))
        return q + self.shifts, self.pace * qd, self.pace**2 * qdd

    def effort(self, effort: Array) -> Array:
        """Return the changed efforts (k, n), 0 for those that are not recorded."""
        return np.asarray(np.nan_to_num(effort) @ self.efforts.T)

    def error(self, robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_]) -> Array:
        """Return `held_out_error` of the changed piece of a recording."""
        if self.gravity is not None:
            robot = replace(robot, columns=Columns(robot.system, self.gravity.tolist()))
        return held_out_error(
            robot, [Piece(piece.time / self.pace, piece.rate * self.pace,
                          *self.motion(piece.q, piece.qd, piece.qdd),
                          self.effort(piece.effort))], used, free)

    def shifted(self, joint: int, angle: float) -> 'Change':
        """Return the change that also adds an angle to the positions of a joint."""
        shifts = self.shifts.copy()
        shifts[joint] += angle
        return self._replace(shifts=shifts)


def no_change(joints: int) -> Change:
    """Return the change that leaves a recording as it is."""
    return Change(np.eye(joints), np.eye(joints), np.zeros(joints))


def swapped(joints: int, one: int, other: int) -> Array:
    """Return the matrix that interchanges two joints."""
    result = np.eye(joints)
    result[[one, other]] = result[[other, one]]
    return result


def turned(joints: int, joint: int) -> Array:
    """Return the matrix that changes the sign of one joint."""
    result = np.eye(joints)
    result[joint, joint] = -1.0
    return result


# ---- How well the URDF's bodies and friction of each joint explain a recording, quickly

_SAMPLES = 400   # samples of a recording that are compared
_LEAST_SHARE = 1e-5   # share of an effort below which what is left of it is noise
# share of the squares of gravity that nothing else explains, from which its factor is known
_LEAST_OWN = 0.2
_POSITIVE = [VISCOUS, COULOMB, ARMATURE, LOAD]


class NominalFit:
    """
    The share of the efforts that the URDF leaves if a recording is changed.

    The effort of a joint is that of the URDF's bodies, friction and rotor, each times a factor
    that is not negative, and an offset. If its gain is free, all factors may be negative together.
    """

    def __init__(self, robot: Robot, pieces: Sequence[Piece], used: Array,
                 free: NDArray[np.bool_]) -> None:
        kept = [(each.time >= each.time[0] + UNUSED_ENDS)
                & (each.time <= each.time[-1] - UNUSED_ENDS) for each in pieces]
        q, qd, qdd, effort = (np.concatenate([getattr(each, name)[rows]
                                              for each, rows in zip(pieces, kept)])
                              for name in ('q', 'qd', 'qdd', 'effort'))
        self.joints: list[int] = np.flatnonzero(used).tolist()
        known = np.flatnonzero(np.isfinite(effort[:, self.joints]).all(axis=1))
        self.samples = min(_SAMPLES, len(known))
        rows = known[np.linspace(0, len(known) - 1, self.samples).astype(int)]
        self._q, self._qd, self._qdd, self._effort = q[rows], qd[rows], qdd[rows], effort[rows]
        self._robot, self._free = robot, free
        self._nominal_gravity = np.array(robot.dynamics.gravity_vector, dtype=np.float64)
        self._gravity: Array | None = None

    def left(self, change: Change) -> Array:
        """Return the logarithms of the shares of the squares (n,), 0 for joints not used."""
        q, qd, qdd = change.motion(self._q, self._qd, self._qdd)
        effort, nominal = change.effort(self._effort), self._robot.dynamics(q, qd, qdd)
        if change.gravity is not None:
            if self._gravity is None:   # changes of gravity do not change positions
                self._gravity = _gravity_efforts(self._robot, q)
            nominal = nominal + self._gravity @ (change.gravity - self._nominal_gravity)
        result = np.zeros(len(self._free))
        for joint in self.joints:
            result[joint] = self._share(nominal[:, joint], qd[:, joint], qdd[:, joint],
                                        effort[:, joint], joint)
        return result

    def gravity_factor(self) -> float:
        """
        Return the factor of the URDF's gravity that fits the efforts of all joints best.

        Joints count by what gravity needs besides friction and accelerations [N m or N]. It is 1
        where little is left: where a pendulum swings freely, gravity is what accelerates it.
        """
        q, qd, qdd = self._q, self._qd, self._qdd
        gravity = _gravity_efforts(self._robot, q) @ self._nominal_gravity
        inertial = self._robot.dynamics(q, qd, qdd) - gravity
        product = size = total = 0.0
        for joint in self.joints:
            own = joint_columns(qd[:, joint], qdd[:, joint], gravity[:, joint],
                                self._robot.sign_widths[joint])
            others = np.column_stack((inertial[:, joint], own[:, [*_POSITIVE[:3], OFFSET]]))
            lengths = np.linalg.norm(others, axis=0)
            basis = np.linalg.qr(others / np.where(lengths > 0.0, lengths, 1.0))[0]
            left = gravity[:, joint] - basis @ (basis.T @ gravity[:, joint])
            product += float(left @ self._effort[:, joint])
            size += float(left @ left)
            total += len(left) * float(np.var(gravity[:, joint]))
        return product / size if size > _LEAST_OWN * total > 0.0 else 1.0

    def _share(self, nominal: Array, qd: Array, qdd: Array, effort: Array, joint: int) -> float:
        from scipy.optimize import nnls

        own = joint_columns(qd, qdd, nominal, self._robot.sign_widths[joint])[:, _POSITIVE]
        columns = np.column_stack((nominal, own, effort))
        columns -= columns.mean(axis=0)
        sizes = np.linalg.norm(columns, axis=0)
        columns /= np.where(sizes > 0.0, sizes, 1.0)
        R: Array = np.asarray(np.linalg.qr(columns, mode='r'))
        target, rest = R[:-1, -1], float(R[-1, -1]) ** 2
        signs = (1.0, -1.0) if self._free[joint] else (1.0,)
        left = min(nnls(R[:-1, :-1], sign * target)[1] for sign in signs)
        return math.log(max(left * left + rest, _LEAST_SHARE))


def _gravity_efforts(robot: Robot, q: Array) -> Array:
    """Return the efforts (k, n, 3) for a unit of gravity along each axis of the root frame."""
    rest = np.zeros_like(q)
    result = []
    for axis in np.eye(3).tolist():
        columns = Columns(robot.system, axis)(q, rest, rest)
        result.append(np.stack([part @ robot.prior.parameters[bodies].ravel()
                                for part, bodies in zip(columns, robot.columns.bodies)], axis=1))
    return np.stack(result, axis=-1)


# ---- Mistakes that recordings may have: how each would be corrected, and what the user can do

# differences of the zero of a joint that are tried [rad]
ANGLES = tuple(np.radians([20.0, *np.arange(45.0, 360.0, 45.0), 340.0]).tolist())
_TILT = 0.4   # tangent of the smallest tilts of gravity that are tried
PACES = 0.25, 0.5, 2.0, 4.0   # steps of stamps over true ones that are tried
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
            'renames': ' '.join(f'--rename {name}={joint}' for name, joint in zip(
                names, moved if self.kind == 'order' else moved[::-1]) if name != joint)}
        if self.kind == 'zero':
            shift = float((self.change.shifts[self.joints[0]] + np.pi) % (2.0 * np.pi) - np.pi)
            words |= {'radians': f'{shift:.3g}', 'degrees': f'{np.degrees(shift):.0f}'}
        words |= {'pace': f'{self.change.pace:.3g}', 'weight': f'{self.change.pace**-2:.2g}'}
        if self.change.gravity is not None:
            words['gravity'] = ' '.join(f'{entry:.1f}' for entry in self.change.gravity + 0.0)
            words['nominal'] = ' '.join(f'{entry:.3g}' for entry in robot.dynamics.gravity_vector)
        if self.kind == 'differential':
            words['formulas'] = ' and '.join(
                f'{"-" if one < 0.0 else ""}e_{names[0]} {"-" if other < 0.0 else "+"} '
                f'e_{names[1]} '
                f'for {name}' for name, (one, other) in zip(
                    names, self.change.efforts[np.ix_(self.joints, self.joints)]))
        words['gains'] = ('change the sign of its gain' if gains else
                          'change their sign, or add --effort-semantics current --gains 1 '
                          f'{names[0]}=-1' if names else '')
        return SENTENCES[self.kind].format(**words)


SENTENCES = {
    'sign': 'the efforts of {joint} have the wrong sign: there they are minus what the URDF '
            'needs, and they push where friction brakes; {gains}',
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
    'joints': '{joint} and {other} look interchanged: the efforts fit the URDF if the two have '
              "each other's names; correct the names, or add {renames}",
    'order': 'the recorded joints look like those of the URDF in another order: the efforts fit '
             'it if what is recorded as {order} is what moves {all}; correct the names, or add '
             '{renames}',
    'differential': 'the efforts of {joint} and {other} look like those of two motors that drive '
                    'both joints, as those of a differential: {formulas} fit the URDF; record '
                    'the efforts of the joints, or compute them so',
    'pace': 'the stamps look {pace} times as far apart as they are: the efforts fit the motion if '
            'all times are divided by {pace}; record with the clock of the driver, or correct the '
            'times (or is gravity {weight} times as large?)',
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


def candidates(robot: Robot, base: Change, moving: NDArray[np.bool_], used: Array,
               free: NDArray[np.bool_]) -> Iterator[Mistake]:
    """
    Yield the mistakes that are tried, besides those that `base` corrects.

    Where nothing moves beyond a joint, another zero is another centre of mass, no mistake.
    """
    n, joints = len(moving), np.flatnonzero(used).tolist()
    inner, units = moved_beyond(robot, moving), robot.dynamics.units
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
        order = swapped(n, *pair)
        change = base._replace(efforts=order @ base.efforts)
        yield Mistake(change, 'other efforts', pair)
        yield Mistake(base._replace(positions=order @ base.positions), 'other positions', pair)
        yield Mistake(change._replace(positions=order @ base.positions), 'joints', pair)
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
    yield from _gravities(base, np.array(robot.dynamics.gravity_vector, dtype=np.float64))
    if np.count_nonzero(base.efforts) > n:   # one differential is enough
        return
    for pair in pairwise(joints):
        if free[[*pair]].any() or units[pair[0]] != units[pair[1]]:
            continue
        for first, second, odd in product((1.0, -1.0), (1.0, -1.0), (0, 1)):
            sums = np.eye(n)
            sums[np.ix_(pair, pair)] = [(first, second),
                                        (-first, second) if odd else (first, -second)]
            yield Mistake(base._replace(efforts=sums @ base.efforts), 'differential', pair)


def moved_beyond(robot: Robot, moving: NDArray[np.bool_]) -> set[int]:
    """Return the joints beyond which another one moves."""
    bodies = robot.system.bodies
    return {bodies[each].coordinate for number, body in enumerate(bodies)
            for each in chain(robot.system, number)
            if moving[body.coordinate] and bodies[each].coordinate != body.coordinate}


def _gravities(base: Change, nominal: Array) -> Iterator[Mistake]:
    """Yield gravity along other directions of the root frame, and none."""
    size = float(np.linalg.norm(nominal))
    if size <= 0.0 or base.gravity is not None:
        return
    yield Mistake(base._replace(gravity=np.zeros(3)), 'no gravity')
    across = np.linalg.svd(nominal[None])[2][1:]
    tilted = [nominal + size * _TILT * np.array(each) @ across
              for each in product((-1.0, 0.0, 1.0), repeat=2) if any(each)]
    for direction in (*map(np.array, product((-1.0, 0.0, 1.0), repeat=3)), *tilted):
        length = float(np.linalg.norm(direction))
        if length > 0.0 and direction @ nominal < 0.95 * length * size:
            yield Mistake(base._replace(gravity=size / length * direction), 'gravity')


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
_FACTORS = 1.2, 1.1, 1.05, 1.02   # steps of the search for the pace of stamps
# steps of the search for an angle, and the distance to a right angle that is none [rad]
_WHOLE = np.radians(12.0)


def mistakes_of(robot: Robot, pieces: Sequence[Piece], moving: NDArray[np.bool_], used: Array,
                free: NDArray[np.bool_]) -> list[Mistake]:
    """Return the mistakes of a recording; each corrects those before it as well."""
    nominal = NominalFit(robot, pieces, used, free)
    if nominal.samples < _FEWEST_SAMPLES:
        return []
    longest = max(pieces, key=lambda piece: len(piece.q))
    base, mistakes = no_change(len(used)), list[Mistake]()
    for _ in range(_MOST):
        best = _best(robot, nominal, longest, [*candidates(robot, base, moving, used, free)],
                     base, used, free)
        if best is None:
            break
        mistakes.append(best)
        base = best.change
    others = [each for each in mistakes if each.kind not in ('joints', 'order')]
    if len(mistakes) - len(others) > 1:   # several interchanges are one order of all their joints
        order = np.abs(base.positions).argmax(axis=1)
        moved = np.flatnonzero(order != np.arange(len(order)))
        mistakes = [*others, Mistake(base, 'order', tuple(order[moved].tolist()))]
    if not mistakes and not free.any() and abs(nominal.gravity_factor()) < _ABSENT:
        absent = Mistake(base._replace(gravity=np.zeros(3)), 'no gravity')
        errors = [each.error(robot, longest, used, free) for each in (base, absent.change)]
        with np.errstate(divide='ignore', invalid='ignore'):
            efforts = Spectra(np.nan_to_num(longest.effort), longest.rate).rows()
            explained = np.log(efforts.std(axis=0)) - errors[1]
        if float((errors[0] - errors[1]).sum()) > -_AS_GOOD and (
                explained[used > 0].mean() > _EXPLAINED):
            mistakes.append(absent)
    return mistakes


def _best(robot: Robot, nominal: NominalFit, piece: Piece, tried: Sequence[Mistake],
          base: Change, used: Array, free: NDArray[np.bool_]) -> Mistake | None:
    """Return the mistake that explains most, or None if none explains enough."""
    before = float(nominal.left(base).sum())
    gained = np.array([before - float(nominal.left(each.change).sum()) for each in tried])
    promising = [_refined(nominal, tried[k], base) for k in np.argsort(-gained)[:_FITTED]
                 if gained[k] > _PROMISING]
    error = base.error(robot, piece, used, free) if promising else 0.0
    confirmed = [(score + 0.5 * (before - float(nominal.left(each.change).sum())), each)
                 for each in promising if (score := float(
                     (error - each.change.error(robot, piece, used, free)).sum())) >= _CONFIRMED]
    return max(confirmed, key=lambda pair: pair[0])[1] if confirmed else None


def _refined(nominal: NominalFit, mistake: Mistake, base: Change) -> Mistake:
    """Return a mistake with the angle or direction that explains most; right angles if near."""
    def left(change: Change) -> float:
        return float(nominal.left(change).sum())

    if mistake.kind == 'zero':
        joint, = mistake.joints
        angle = float(mistake.change.shifts[joint] - base.shifts[joint])
        for step in _STEPS:
            angle = min((angle - step, angle, angle + step),
                        key=lambda each: left(base.shifted(joint, each)))
        right = 0.5 * np.pi * round(angle / (0.5 * np.pi))
        if right and abs(angle - right) < _WHOLE:
            angle = right
        return mistake._replace(change=base.shifted(joint, angle))
    if mistake.kind == 'pace':
        pace = mistake.change.pace
        for step in _FACTORS:
            pace = min((pace / step, pace, pace * step),
                       key=lambda each: left(base._replace(pace=each)))
        return mistake._replace(change=base._replace(pace=pace))
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


# ---- Efforts of some joints that are in other units than those of the others

# ratio of two joints' efforts over those of the URDF, whose masses may be wrong, for a trial
_SUSPICIOUS = 3.0
# logarithm of what a fit leaves of held-out blocks, over all joints, by which it falls with free
# gains if units differ: 3 to 15 where they do, up to 0.2 on robots whose efforts are right
_UNITS_DIFFER = 1.0


def other_units(robot: Robot, piece: Piece, used: Array, free: NDArray[np.bool_],
                factors: Mapping[int, float]) -> list[tuple[int, float]]:
    """
    Return joints whose efforts no bodies explain together with those of the others, and factors.

    `factors` are efforts over those of the URDF, of the joints at which this ratio is known; that
    of the joints which are right is the one that is nearest to 1.
    """
    if len(factors) < 2 or piece.time[-1] - piece.time[0] < LEAST_JUDGED:
        return []
    sizes = np.log(np.abs([*factors.values()]))
    right = sizes[np.argmin(np.abs(sizes))]
    suspects = {joint: float(np.exp(size - right)) for joint, size in zip(factors, sizes)
                if abs(size - right) > np.log(_SUSPICIOUS)}
    if not suspects:
        return []
    every = free | np.isin(np.arange(len(used)), list(suspects))

    def error(unknown: NDArray[np.bool_]) -> float:
        return float(held_out_error(robot, [piece], used, unknown).sum())

    least = error(every)
    return [(joint, factor) for joint, factor in suspects.items()
            if error(every & (np.arange(len(used)) != joint)) - least > _UNITS_DIFFER]
