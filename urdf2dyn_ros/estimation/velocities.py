"""What is known of measured velocities: whether they follow the positions, lag and scale."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

BETWEEN_NS = 9_000_000   # time between two samples that are compared
MOST_COMPARED = 1000.0   # compared samples that count, about 10 s
ENOUGH_COMPARED = 50.0   # compared samples from which figures are known
JUDGED = 20   # compared samples between two judgements
USED = 0.05   # share of the velocities in the estimate, below which they are not used
LEAST_SPEED = 1e-2   # rad/s or m/s, root mean square from which figures are known
SCALE_OFF = 0.1   # difference of the scale from 1 that is a fault
LAG_OFF = 0.01   # s, lag that is a fault
OFFSETS = 'it has an offset'   # the fault that no acceleration shows
OFFSET = 0.03   # rad/s or m/s, offset that is a fault, and as a part of the root mean square
ROUNDING = 1e-9   # part of a mean square that is no variance
DEGREES = 180.0 / np.pi   # in a radian
FOLLOWS = 0.5   # part of its variance that the motion explains of a velocity with a scale
IN_DEGREES = 0.1   # difference of a ratio to that of degrees, up to which it is this


class JointVelocity(NamedTuple):
    """Figures of the velocity of a joint."""

    used: bool   # whether the estimate depends on it
    lag: float   # by which it is later than the positions [s]; NaN before there was enough motion
    scale: float   # measured over true velocity [-]; NaN likewise
    fault: str   # why it is not credible; empty if it is
    measured: bool = True   # whether the newest sample had one

    def __str__(self) -> str:
        use = 'used' if self.used else 'not used'
        if not np.isfinite(self.lag):
            why = 'not compared with a motion yet' if self.measured else 'not measured'
            return f'{use}: {self.fault or why}'
        return f'{use}: lag {round(1e3 * self.lag, 1) + 0.0:.1f} ms, scale {self.scale:.3g}' + (
            f' ({self.fault})' if self.fault else '')


class VelocityGate:
    """
    Compares the velocities of joints (n,) with their positions: what does not follow is not used.

    Least squares of z = o + c v + d a over the last seconds, with the measured velocity z, and v
    and a by positions alone. A velocity with the scale s and the lag L has c = s cos(w L) and
    d = -s sin(w L) / w in a motion of the frequency w, which is that of the sizes of v and a.
    """

    def __init__(self, joints: int) -> None:
        self._sums = np.zeros((9, joints))   # means of vv, va, aa, zv, za, zz, v, a, z
        self._count = 0.0
        self._measured_at: deque[tuple[int, Array]] = deque()   # stamps and velocities
        self._use = np.zeros(joints)
        self._measured = np.zeros(joints, dtype=np.bool_)
        # as far as it is known: without a fault, and without an offset
        self.follows, self._centred = np.ones((2, joints), dtype=np.bool_)
        self._flawless = True   # all of them
        self.rejected = False   # whether a velocity of the newest sample was not used

    @property
    def judged(self) -> bool:
        """Whether enough samples were compared."""
        return self._count >= ENOUGH_COMPARED

    @property
    def trusted(self) -> NDArray[np.bool_]:
        """Whether velocities (n,) follow their positions, without a delay that matters."""
        return self.follows & self.judged

    def credible(self, qd: Array, offsets: bool) -> Array:
        """Return velocities (n,) without those that have a fault; `offsets`: other than that."""
        return qd if self._flawless else np.where(
            self._centred if offsets else self.follows, qd, np.nan)

    def restart(self) -> None:
        """Compare no velocity before the next one: the stamps have jumped."""
        self._measured_at.clear()

    def is_due(self, stamp: int) -> bool:
        """Return whether velocities of a stamp [ns] are compared: not those of every message."""
        past = self._measured_at
        return not (past and 0 <= stamp - past[-1][0] < BETWEEN_NS)

    def add(self, stamp: int, measured: Array, use: Array | None,
            delayed: tuple[float, Array] | None) -> None:
        """
        Add measured velocities (n,), NaN for none, of a stamp that is due.

        `use` (n,) is their share in the estimate, if it is known; `delayed` is
        `KalmanFilters.delayed_velocity`.
        """
        past = self._measured_at
        self._measured = there = np.isfinite(measured)
        if not there.any():
            self.rejected = False
            past.clear()
            past.append((stamp, measured))
            return
        self._use = np.where(there, self.follows if use is None else self._centred * use, 0.0)
        self.rejected = bool((there & (self._use < USED)).any())
        if past and stamp < past[-1][0]:
            past.clear()
        past.append((stamp, measured))
        if delayed is None:
            return
        delay, (v, a) = delayed
        then = stamp - round(delay * 1e9)
        while len(past) > 1 and past[1][0] <= then:
            past.popleft()
        (first, z), (second, after) = past[0], past[1 if len(past) > 1 else 0]
        if first <= then < second:
            z = z + (then - first) / (second - first) * (after - z)
            self._count = min(self._count, MOST_COMPARED - 1.0)
            self.compare(z[None], v[None], a[None])
            if (self.judged and self._count % JUDGED == 0.0) or self._count == MOST_COMPARED:
                faults = [velocity.fault for velocity in self.joints]
                self.follows = np.array([not fault for fault in faults])
                self._centred = np.array([OFFSETS not in fault for fault in faults])
                self._flawless = not any(faults)

    def compare(self, measured: Array, qd: Array, qdd: Array) -> None:
        """Compare measured velocities (k, n), NaN for none, with velocities and accelerations."""
        there = np.isfinite(measured)
        self._measured |= there.any(axis=0)
        z, v, a = (np.where(there, values, 0.0) for values in (measured, qd, qdd))
        self._count += len(z)
        sums = np.stack((v * v, v * a, a * a, z * v, z * a, z * z, v, a, z)).sum(axis=1)
        self._sums += (sums - len(z) * self._sums) / self._count

    @property
    def joints(self) -> list[JointVelocity]:
        """Figures and faults of all joints."""
        *products, v, a, z = self._sums
        speed, square = np.sqrt(products[0]), products[5]
        vv, va, aa, zv, za, zz = (product - mean for product, mean in zip(
            products, (v * v, v * a, a * a, z * v, z * a, z * z)))
        with np.errstate(all='ignore'):
            determinant = vv * aa - va * va
            c, d = (zv * aa - za * va) / determinant, (za * vv - zv * va) / determinant
            w = np.sqrt(aa / vv)
            scale = np.copysign(np.hypot(c, d * w), c)
            lag = np.where(zz > 0.0, -np.arctan(d * w / c) / w, 0.0)
            explained = np.where(zz > ROUNDING * square, (c * zv + d * za) / zz,
                                 np.where(square > 0.0, 0.0, 1.0))   # a constant follows nothing
            noise = np.sqrt(np.maximum(square - 2.0 * products[3] + products[0], 0.0))
        offset = z - v
        known = self.judged & (vv > LEAST_SPEED ** 2) & np.isfinite(lag)
        result = []
        for k in range(len(v)):
            fault = ''
            if known[k]:
                fault = ('it does not follow the position' if explained[k] <= FOLLOWS
                         else velocity_fault(float(scale[k]), float(lag[k]), float(square[k])))
            if not fault and self.judged and abs(offset[k]) > OFFSET * (1.0 + speed[k]) + (
                    noise[k] / 5.0 if known[k] else 0.0):
                fault = f'{OFFSETS} of {offset[k]:.3g} rad/s or m/s'
            shown = known[k] and explained[k] > FOLLOWS
            result.append(JointVelocity(
                bool(self._use[k] >= USED), float(lag[k]) if shown else np.nan,
                float(scale[k]) if shown else np.nan, fault, bool(self._measured[k])))
        return result

    @property
    def warnings(self) -> dict[int, str]:
        """Faults of velocities, by joint."""
        return {k: velocity.fault for k, velocity in enumerate(self.joints)
                if velocity.fault and velocity.measured}

    @property
    def positions_in_degrees(self) -> dict[int, float]:
        """By how much the positions that look like degrees are faster than the velocities."""
        return {k: 1.0 / velocity.scale for k, velocity in enumerate(self.joints)
                if velocity.fault and abs(velocity.scale * DEGREES - 1.0) < IN_DEGREES}


def velocity_fault(scale: float, lag: float, square: float) -> str:
    """Return what is wrong with a velocity, or an empty text."""
    if square == 0.0:
        return 'it is zero throughout while the position changes'
    if abs(scale - 1.0) > SCALE_OFF:
        gain = 1.0 / scale if scale else np.inf
        text = f'the position changes {gain:.3g} times as fast'
        for factor, what in ((DEGREES, 'positions'), (1.0 / DEGREES, 'velocities')):
            if abs(gain / factor - 1.0) < IN_DEGREES:
                text += f': are the {what} in degrees?'
        return text
    if abs(lag) > LAG_OFF:
        return f'it is {1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'
    return ''


# ---- Positions that stay the same while velocities move them

PATIENCE = 0.25   # s for which a velocity that is not judged yet may be late
STEPS_MOVED = 3.0   # steps of a position by which its velocity must have moved it
LEAST_MOVED = 0.01   # rad or m, likewise: less makes no effort wrong
STEP_MEMORY = 10.0   # s, in which the size of steps fades
LOOK_NS = 3_500_000   # time between two looks
LONGEST_MOVE = 0.1   # s of one message that count
MOST_STOPPED_NS = 200_000_000   # after which the jump back to the motion is another one
BRAKING = 10.0   # rad/s^2 or m/s^2, by which a joint brakes that no velocity tells of


class FrozenJoints:
    """
    Finds joints (n,) whose position stays the same while their velocity moves them.

    The velocity is integrated since the position changed: by more than three of the steps that
    the position had makes, a sensor of a lower rate included, it cannot have stayed. Without a
    velocity, a joint has `stopped` that would have moved as far even if it had braked at once.
    """

    def __init__(self, joints: int) -> None:
        self._q, self._qd = np.full((2, joints), np.nan)
        self._since, self._moved, self._step = np.zeros((3, joints))   # [s], [rad or m]
        # the last change of a position [rad or m], the time it took [s], and its speed with the
        # change before: noise of a resting sensor goes to and fro
        self._change, self._took, self._speed = np.zeros((3, joints))
        self._stamp, self._any = 0, False   # whether one is frozen
        self._frozen, self._stopped = np.zeros((2, joints), dtype=np.bool_)
        self._stopped_at = np.full(joints, -MOST_STOPPED_NS)   # [ns]
        self._before: tuple[Array, Array] | None = None   # of the change before, for `_speed`
        self._zero, self._none = np.zeros(joints), np.zeros(joints, dtype=np.bool_)

    def add(self, stamp: int, q: Array, qd: Array, gate: VelocityGate) -> bool:
        """
        Add a sample, with velocities that a gate judges; return whether a joint is frozen.

        Not every message is looked at: what is frozen is so in all of them.
        """
        if 0 <= stamp - self._stamp < LOOK_NS:
            return self._any
        change = q - self._q
        step = np.abs(change)
        h = min((stamp - self._stamp) * 1e-9, LONGEST_MOVE) if stamp > self._stamp else 0.0
        self._stamp = stamp
        changes, took = step > 0.0, self._since + h
        self._step *= 1.0 - h / STEP_MEMORY
        if h and all(changes.tolist()):   # what follows, at less cost
            self._before = self._change, self._took
            self._q, self._qd, self._change, self._took = q, qd, change, took
            self._since = self._moved = self._zero
            self._step = np.maximum(self._step, step)
            self._frozen = self._stopped = self._none
            self._any = False
            return False
        stays, measured = step == 0.0, np.isfinite(qd)
        if self._before is not None:   # all joints moved in the message before this one
            earlier, time = self._before
            self._speed = np.abs(self._change + earlier) / (self._took + time)
            self._before = None
        if h:
            self._speed = np.where(
                changes, np.abs(change + self._change) / (took + self._took), self._speed)
            self._change = np.where(changes, change, self._change)
            self._took = np.where(changes, took, self._took)
        self._since = np.where(stays, self._since + h, 0.0)
        self._step = np.maximum(self._step, np.where(changes, step, 0.0))
        self._q = np.where(np.isfinite(q), q, self._q)
        # a velocity may have an offset, of which a resting joint moves nowhere
        least = np.maximum(STEPS_MOVED * self._step, LEAST_MOVED) + OFFSET * self._since
        if True in measured.tolist():
            # one that repeats with its position is stale: the driver waits for its hardware
            counts = stays & (qd != self._qd) & measured & (
                gate.trusted | (self._since > PATIENCE))
            self._moved = np.where(stays, self._moved + np.where(counts, h * qd, 0.0), 0.0)
            self._frozen = stays & (self._frozen | (np.abs(self._moved) > least))
        else:
            self._frozen = stays & self._frozen
        if False in measured.tolist():
            braked = np.minimum(self._since, self._speed / BRAKING)
            self._stopped = stays & ~measured & (self._stopped | (
                braked * (self._speed - BRAKING / 2.0 * braked) > least))
            self._stopped_at = np.where(self._stopped, stamp, self._stopped_at)
        else:
            self._stopped = self._none
        self._qd = qd
        self._any = True in self._frozen.tolist()
        return self._any

    def stopped_until(self, stamp: int) -> NDArray[np.bool_]:
        """Return which joints (n,) have stopped at once until shortly before a stamp [ns]."""
        return np.asarray(stamp - self._stopped_at < MOST_STOPPED_NS)

    def sentences(self, names: Sequence[str]) -> list[str]:
        """What is frozen, for a person."""
        return [f'position of {names[k]!r}: it stays at {self._q[k]:.4g} rad or m, while its '
                f'velocity has moved it by {abs(self._moved[k]):.3g}: has its sensor or its '
                'driver stopped? There are no efforts'
                for k in np.flatnonzero(self._frozen).tolist()]

    def stops(self, names: Sequence[str]) -> list[str]:
        """What has stopped at once, for a person."""
        return [f'position of {names[k]!r}: it stopped from {self._speed[k]:.3g} rad/s or m/s '
                f'within one message, and stays at {self._q[k]:.4g} rad or m: has its sensor or '
                'its driver stopped? The efforts are those of a joint at rest'
                for k in np.flatnonzero(self._stopped).tolist()]
