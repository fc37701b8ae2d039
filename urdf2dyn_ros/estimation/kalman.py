"""
Positions, velocities and accelerations of joints, or none and the reason.

The promise: an estimate is published only while what arrives is consistent with what the filters
expect, for all joints. One comparison holds it. A measured position differs from what the filters
predict by y, the smallest innovation of the mixture and of the faster half of the filters, and

    y^2 > 30^2 U + (10 h^2 / 2)^2,    U <- U + g (min(y^2, 9 U) - U)

contradicts it: U is the usual y^2 of the joint, h the time since its last sample. So does a sample
that differs by as much as the contradiction before it, within a quarter. A contradiction
is not used, and what follows tells what it was. If the next sample is as expected, it was an
outlier, a stale or foreign message, or a wrong stamp; the prediction has bridged it. If three in a
row differ by the same, the sensor has another zero: the positions of the filters are shifted.
Otherwise the motion is another one: the joint begins anew. A message that repeats all positions
and contradicts is no new one: it is not used, and after 0.3 s the joints begin anew, at rest. One
that repeats them where the mixture expects more than 3^2 U is not used either, but only one in a
row: hardware at half the rate of its publisher. A velocity that repeats with its position, and is
not 0, is stale.

Every joint earns its trust: the share of samples that were as expected, remembered for 12 messages
and for 0.1 s at least, which starts at 0.7, must be above 3/4, and its filters must be settled.
Below 0.7 it is distrusted: two publishers of the same joints, or a sensor that fails often. So is
a joint whose innovations alternate, mean(y_k y_(k-1)) < -0.55 mean(y^2): two publishers in turn
that began together, or a simulation that oscillates; but not within the steps of an encoder: where
all changes of a position are multiples of a quantum (by Euclid's algorithm), as large as the root
mean square of y. Velocities are compared in the same way; without trust, no filter of velocities
has a weight.

A foreign sample may also lie so close that it does not contradict. What is used although
y^2 > 3^2 U, and changes the mixed acceleration by more than three declared deviations, or before
the filters are settled, makes this change unconfirmed; that fades with twice the mean bandwidth.
Nothing is published while it is above half the size A of the accelerations: it is a sudden
change, or a wrong one. Nor is an acceleration that is above 10 rad/s^2 + 10 A, with A as the
slowest reference sees it.
"""

import math
from enum import Enum, IntEnum, auto
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimation.bank import DELAY, Bank, mixed
from urdf2dyn_ros.estimation.hindsight import (
    FEWEST_VALUES,
    SLOWER_REFERENCES,
    SQUARE_MEMORY,
    Hindsight,
    Lag,
)
from urdf2dyn_ros.estimation.stamp_filter import StampFilter
from urdf2dyn_ros.robot.spatial import Array

SAMPLES = 12   # from which the usual step is taken: two steps, should five come at once
OTHER_RATE = 2.0   # ratio of usual steps from which the rate of the samples is another one
OTHER_RATES = 7   # times in a row that are not enough where times are stamps
POSITION_GATE = 30.0   # deviation that contradicts, in usual ones: 20 to 40 are equally good
# part of a deviation within which the next one is the same contradiction again: slips at 50 Hz,
# and a Panda at 30 Hz, whose errors fall by 7 and 12 % with and without velocities
SAME_DEVIATION = 0.25
VELOCITY_GATE = 8.0   # that of a velocity: they lose by their own error as well
PLAUSIBLE_CHANGE = 10.0   # rad/s^2 or m/s^2, change of an acceleration that is no contradiction
USUAL_POSITION = 1e-6   # rad^2 or m^2, usual square before a joint moves: coarse encoders
USUAL_VELOCITY = 1e-2   # rad^2/s^2 or m^2/s^2, that of velocities
# deviation that is suspect, in usual ones; so is a change of the acceleration, in declared ones
SUSPECT_GATE = 3.0
MOST_UNCONFIRMED = 0.5   # part of the size of accelerations that may rest on suspect samples
# RMS of accelerations by the slowest reference above which, and above PLAUSIBLE_CHANGE, one is
# none: held positions at 250 Hz gave 138 times the largest, rounded ones 38, a snake 90 times
# the RMS
LARGEST_RMS_RATIO = 10.0
MOST_CONTRADICTIONS = 3   # in a row: then the motion or the zero of the sensor is another one
LEAST_TRUST = 0.75   # share of samples as expected, from which a joint is trusted
FIRST_TRUST = 0.7   # trust of a joint that begins
LEAST_TRUST_KEPT = 0.7   # below it a joint is distrusted: not where it begins
TRUST_MEMORY = 0.1   # s, time constant of this share
TRUST_SAMPLES = 12.0   # samples that it remembers at least
MOST_VARIANCE = 3.0   # mean variance over the steady one from which there is no estimate
# mean product of an innovation and the one before, over the mean square, with the other sign:
# white noise has about 0.5, two publishers in turn have 1.0, and two of other rates less: from
# 0.58 on, 4 to 57 % of what is published beside a late publisher of 10 Hz is wrong
ALTERNATING_CORRELATION = 0.55
LEAST_ALTERNATION = 1e-5   # rad^2 or m^2, mean square from which that counts
QUANTUM_TOLERANCE = 0.01   # part of a quantum up to which a step is a multiple of it
REST_TIME = 0.3   # s, time of one repeated message after which the joints are at rest
LONGEST_BRIDGE = 2.5   # usual steps over which a prediction bridges a contradiction
COPY_STEP = 0.25   # usual steps within which there is no second sample: a copy, or a wrong stamp
VELOCITY_REFERENCE = 5   # filter by which velocities are judged: 62 rad/s
PROMPT = 6   # slowest filter of prompt velocities: 112 rad/s, and with velocities the next one


class Verdict(IntEnum):
    """Whether an estimate may be used, or why not."""

    VALID = 0       # it may
    STARTING = 1        # too few samples
    LATE = 2            # the sample is no newer than the one before
    REPEATED = 3        # positions are repeated while the motion goes on
    CONTRADICTORY = 4   # positions contradict the motion, and it is not known yet why
    DISTRUSTED = 5      # too many of them do
    BEGUN_ANEW = 6      # a joint has begun anew, or is not settled yet
    AFTER_GAP = 7       # all joints have begun anew after a gap


VALID, STARTING, LATE, REPEATED, CONTRADICTORY, DISTRUSTED, BEGUN_ANEW, AFTER_GAP = Verdict


class Estimate(NamedTuple):
    """State of all joints at one stamp."""

    stamp: int   # [ns]
    q: Array   # (n,) [rad or m]
    qd: Array   # (n,) [rad/s or m/s]
    qdd: Array   # (n,) [rad/s^2 or m/s^2]
    std: Array   # (n,), standard deviation of qdd
    verdict: Verdict   # VALID, or the reason for which the arrays must not be used
    # (n,), velocities of the faster filters alone: noisier, but hardly late after a push; None
    # where they are qd
    prompt_qd: Array | None = None
    # (n,), by which the newest sample shows that positions have another zero [rad or m]; None
    # where it shows none
    shifts: Array | None = None

    @property
    def valid(self) -> bool:
        """Whether the arrays may be used."""
        return self.verdict == VALID


class SampleKind(Enum):
    """What a sample is beside the one before."""

    NEW = auto()
    COPY = auto()        # within a quarter of the usual step: sent twice, or its stamp is wrong
    STALL = auto()       # all positions again, which contradict the motion
    DUPLICATE = auto()   # all positions again where the joints move, once: of a slow sensor


class ComparedSample(NamedTuple):
    """Positions and velocities (2, n), or joints (n,), beside what the filters expect."""

    z: Array   # as measured; NaN for none
    innovation: Array   # difference from the mixture
    nearest: Array   # the smallest one, of the mixture and the faster half of the filters
    gate: Array   # square from which one contradicts
    measured: NDArray[np.bool_]
    outlier: NDArray[np.bool_]   # whether it contradicts filters that are settled
    settled: NDArray[np.bool_]   # (n,)
    stale: NDArray[np.bool_]   # (n,), velocities that are repeated with their positions
    same: bool   # whether all positions are those of the sample before
    kind: SampleKind


class KalmanFilters:
    """
    Estimates the motion of joints that are sampled together.

    With a lag [s], an estimate is that of an earlier sample, with the help of those that followed.
    Where velocities take the place of positions, `derivative` is 1 in the place of 2: the weights
    are those of filters whose first derivative is best.
    """

    def __init__(self, joints: int, lag: float = 0.0, derivative: int = 2) -> None:
        self._joints, self._lag_time, self._derivative = joints, lag, derivative
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        joints = self._joints
        self._bank: Bank | None = None
        self._lag: Lag | None = None
        self._hindsight: Hindsight   # these are made with the bank
        self._prompt: Array
        self._candidates: tuple[NDArray[np.intp], ...]
        self._times: list[float] = []   # of samples since the usual step was found
        self._origin: int | None = None
        self._clock = StampFilter(self._joints)
        self._last = np.full((2, joints), math.nan)
        self._velocities = False
        self._usual = np.tile([[USUAL_POSITION], [USUAL_VELOCITY]], joints)
        self._counts = np.zeros((2, joints))
        # share of positions and velocities (n,) that were as expected, of late
        self.trust, self.velocity_trust = np.full((2, joints), FIRST_TRUST)
        self._outliers = np.zeros((2, joints), dtype=np.int64)   # contradictions in a row
        # of positions: mean square of deviations, mean product with the one before, this one
        self._alternation = np.zeros((3, joints))
        # of which steps are multiples, as those of an encoder; 0 before the first step
        self._quantum = np.zeros(joints)
        self._deviations = np.zeros((MOST_CONTRADICTIONS, joints))
        self._unconfirmed = np.zeros(joints)   # acceleration that rests on suspect samples
        self._shifts = np.zeros(joints)   # of positions by another zero, at the newest sample
        self._sampled = np.zeros(joints)   # time of the last sample that was used
        self._step = self._time = self._good = self._stalled = 0.0
        self._bridged = self._other_rates = 0
        self._confirmed = False   # whether later samples have the usual step
        self._duplicate = False   # whether the last message held the one before

    def pause(self) -> None:
        """Begin all joints anew at the next sample, with what was learned: a gap precedes it."""
        self._time = -math.inf
        self._confirmed = False
        self._clock.begin()

    @property
    def distrusted(self) -> NDArray[np.bool_]:
        """Joints (n,) whose positions contradict their motion too often, or alternate."""
        square, product, _ = self._alternation
        alternates = (square > np.maximum(LEAST_ALTERNATION, self._quantum * self._quantum)) & (
            product < -ALTERNATING_CORRELATION * square)
        return np.asarray((self.trust < LEAST_TRUST_KEPT) | alternates)

    @property
    def delayed_velocity(self) -> tuple[float, Array] | None:
        """
        Velocities and accelerations (2, n) a time [s] ago, by positions alone.

        They are those of a filter of order 4, whose jerk leads back to where its low-pass is
        without lag.
        """
        bank = self._bank
        if bank is None:
            return None
        number = min(VELOCITY_REFERENCE, bank.each - 1)
        delay, (_, v, a, j) = DELAY / float(bank.w[number]), bank.x[:, number]
        return delay, np.stack((v - delay * (a - delay / 2.0 * j), a - delay * j))

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Add a sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s], NaN for none."""
        estimate = self._update(stamp, self._moment(stamp, q), q, qd)
        if any(self._shifts.tolist()):
            estimate = estimate._replace(shifts=self._shifts.copy())
            self._shifts[:] = 0.0
        return estimate

    def _moment(self, stamp: int, q: Array) -> float:
        """Return the time [s] at which a sample was taken."""
        if self._origin is None:
            self._origin = stamp
        time = self._clock.time((stamp - self._origin) * 1e-9, q)
        if self._clock.lost:   # the times since then were wrong
            self.pause()
            self._times.clear()
            return self._moment(stamp, q)
        self._watch(time)
        return time

    def _update(self, stamp: int, time: float, q: Array, qd: Array) -> Estimate:
        verdict = self._add(time, q, qd)
        bank = self._bank
        if bank is not None and self._clock.irregular:
            self._clock.motion = self._hindsight.motion(bank.x)
        if bank is None:
            q, qd, qdd, std = np.full((4, self._joints), math.nan)
            return Estimate(stamp, q, qd, qdd, std, verdict)
        if self._lag is not None:
            return self._lagged(stamp, time, verdict)
        q, qd, qdd = self._hindsight.motion(bank.x)
        faster = self._hindsight.weights[:-1] * self._prompt[:, None]
        sums = np.cumsum(faster, axis=0)[-1]   # 0 where a bandwidth is fixed
        prompt = np.where(sums > 0.0, mixed(faster, bank.x[1]) / np.where(sums > 0.0, sums, 1.0),
                          qd)
        return Estimate(stamp, q, qd, qdd, np.sqrt(self._hindsight.declared), verdict, prompt)

    def _lagged(self, stamp: int, time: float, verdict: Verdict) -> Estimate:
        """Return the estimate of an earlier sample."""
        assert self._lag is not None and self._origin is not None
        # a message that is not used is a moment, too
        past = (None if verdict in (LATE, AFTER_GAP) or self._time != time
                else self._lag.add(self._time))
        if past is None or not self._hindsight.known:
            nothing = np.full(self._joints, math.nan)
            return Estimate(stamp, nothing, nothing, nothing, nothing,
                            STARTING if verdict is VALID else verdict)
        time, state, std = past
        # regular times may be later than stamps: an estimate is never of the future
        at = min(self._origin + round(time * 1e9), stamp)
        return Estimate(at, state[0], state[1], state[2], std, verdict)

    def _add(self, time: float, q: Array, qd: Array) -> Verdict:
        """Return the verdict on a sample at a time [s]."""
        if np.isfinite(qd).any() and not self._velocities:
            self._velocities = True   # filters of velocities are new ones
            self._bank = None
        if self._bank is None:
            return self._start(time, q, qd)
        h, bank = time - self._time, self._bank
        if h <= 0.0:
            return LATE
        if h == math.inf and not np.isfinite(q).all():
            return AFTER_GAP   # as at the start, joints begin at a sample of all
        self._time = time
        if h == math.inf:
            self._begin(q, qd)
            # what is usual of filters that begin is not that of steady ones
            self._usual[0] = np.maximum(self._usual[0], USUAL_POSITION)
            self._counts[0] = 0.0
            return AFTER_GAP
        bank.predict(h)
        return self._compare(h, q, qd)

    def _watch(self, time: float) -> None:
        """Learn the usual step from all stamps; begin again where it has become another one."""
        times = self._times
        if times and time <= times[-1]:
            return
        times.append(time)
        if len(times) < SAMPLES:
            return
        steps = np.sort(np.diff(times))
        if steps[:-1].sum() < COPY_STEP * steps[-1] and len(times) < 2 * SAMPLES:
            return   # more than five at once, or a long gap
        steps = steps[steps > COPY_STEP * steps[-2]]   # others are of copies; one may be long
        step = float(steps[len(steps) // 2])
        del times[:-1]
        if self._bank is None:
            self._step, self._confirmed = step, False
            return
        slower = (step > OTHER_RATE * self._step) - (self._step > OTHER_RATE * step)
        self._other_rates = slower * (1 + max(0, slower * self._other_rates))
        self._confirmed |= not slower
        # the steps of a busy publisher are now longer, now shorter
        stamped = self._confirmed and not self._clock.regular
        if abs(self._other_rates) > (OTHER_RATES if stamped else 1):
            self._step, self._bank, self._confirmed = step, None, False

    def _start(self, time: float, q: Array, qd: Array) -> Verdict:
        """Begin with the first sample at which the usual step and all positions are known."""
        if time < self._times[-1]:
            return LATE
        if not (self._step and np.isfinite(q).all()):
            return STARTING
        self._bank = bank = Bank(
            self._joints, self._step, self._velocities, self._derivative, self._lag_time > 0.0)
        number = np.arange(len(bank.w)) % bank.each
        fast = number >= bank.each // 2
        self._prompt = np.where(number >= min(PROMPT + self._velocities, bank.each - 1), 1.0, 0.0)
        self._candidates = tuple(np.flatnonzero(fast & by) for by in (
            ~bank.by_velocity, ~bank.by_position))
        self._hindsight = Hindsight(bank)
        self._lag = Lag(bank, self._lag_time, self._hindsight) if self._lag_time else None
        self._other_rates = 0
        self._time = time
        self._begin(q, qd)
        return STARTING

    def _begin(self, q: Array, qd: Array) -> None:
        """Start all joints at a sample; the learned figures are kept."""
        assert self._bank is not None
        last = np.where(np.isfinite(q), q, self._last[0])
        self._bank.begin(last, qd)
        self._hindsight.begin(self._time)
        if self._lag is not None:
            self._lag.begin(self._time)
        self._last[:] = last, qd
        self.trust[:] = self.velocity_trust[:] = FIRST_TRUST
        self._quantum[:] = 0.0
        self._outliers[:] = 0
        self._sampled[:] = self._good = self._time
        self._stalled = 0.0

    def _compare(self, h: float, q: Array, qd: Array) -> Verdict:
        """Use a sample as far as it is consistent; return the verdict."""
        bank, hindsight = self._bank, self._hindsight
        assert bank is not None
        sample = self._compare_sample(h, np.stack((q, qd)))
        if sample.kind is SampleKind.COPY and not sample.same and (
                np.isinf(hindsight.variance_ratio).all()):
            self._begin(q, qd)   # of those that waited during a gap, the last
            return BEGUN_ANEW
        self._duplicate = sample.kind is SampleKind.DUPLICATE
        outlier, unexplained = sample.outlier, self._outliers[0] > 0
        used = np.zeros_like(sample.measured)
        if sample.kind is SampleKind.NEW:
            used, outlier = self._select_used(h, sample)
        elif sample.kind is SampleKind.COPY and not sample.same:
            self._trust(self._step, sample)
        if sample.kind is SampleKind.STALL and not self._stalled:
            self._stalled = self._time
        elif sample.kind is SampleKind.STALL and self._time - self._stalled > REST_TIME:
            self._begin(q, qd)
            return BEGUN_ANEW
        self._sampled[used[0]] = self._time
        self._correct(h, sample, used)
        hindsight.add(self._time, self.velocity_trust >= LEAST_TRUST, bank.x[bank.derivative])
        if sample.kind in (SampleKind.NEW, SampleKind.STALL):
            unexplained = outlier[0]
        return self._verdict(sample, unexplained)

    def _compare_sample(self, h: float, z: Array) -> ComparedSample:
        """Compare what is measured (2, n) with what is expected."""
        bank, hindsight = self._bank, self._hindsight
        assert bank is not None
        innovation, nearest, gate = self._innovations(z)
        measured, settled = np.isfinite(z), hindsight.variance_ratio <= MOST_VARIANCE
        stale = (z == self._last).all(axis=0) & (z[1] != 0.0)   # it moves, but has not
        measured[1] &= ~stale
        copied = h < COPY_STEP * self._step
        if copied:   # or its stamp is wrong, by a step at most
            gate[0] += np.square(self._step * mixed(hindsight.shares, bank.x[1]))
        before = np.where(self._outliers[0] > 0, np.take_along_axis(
            self._deviations, np.maximum(self._outliers[:1] - 1, 0), axis=0)[0], 0.0)
        outside = nearest * nearest > gate
        outside[0] |= np.abs(innovation[0] - before) < SAME_DEVIATION * np.abs(innovation[0])
        outside &= measured
        same = bool((z[0] == self._last[0]).all())
        moves = measured[0] & (innovation[0] * innovation[0] > gate[0] - (
            POSITION_GATE * POSITION_GATE - SUSPECT_GATE * SUSPECT_GATE) * self._usual[0])
        kind = SampleKind.NEW
        if copied:
            kind = SampleKind.COPY
        elif same and (outside[0].any() or self._stalled > 0.0):
            kind = SampleKind.STALL
        elif same and moves.any() and not self._duplicate:
            kind = SampleKind.DUPLICATE
        outlier = outside & (settled | (self._outliers > 0))
        return ComparedSample(
            z, innovation, nearest, gate, measured, outlier, settled, stale, same, kind)

    def _select_used(self, h: float, sample: ComparedSample
                     ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Learn of a new sample; return what is used of it, and its outliers, (2, n) each."""
        outlier = sample.outlier
        self._learn(h, sample)
        self._trust(h, sample)
        self._outliers[:] = np.where(
            outlier, self._outliers + 1, np.where(sample.measured, 0, self._outliers))
        used = sample.measured & ~outlier
        if 2 * int(outlier[0].sum()) > max(self._joints, 2):   # another motion: of all joints
            used[:] = False
        if outlier.any():
            confirmed, outlier = self._resolve(sample)
            used |= confirmed
        q, qd = sample.z
        self._last[:] = np.where(np.isfinite(q), q, self._last[0]), qd
        self._stalled = 0.0
        return used, outlier

    def _correct(self, h: float, sample: ComparedSample, used: NDArray[np.bool_]) -> None:
        """Correct the filters; what an unusual or not compared sample changes is unconfirmed."""
        bank, hindsight = self._bank, self._hindsight
        assert bank is not None
        weights = hindsight.weights[:-1]
        before = mixed(weights, bank.x[bank.derivative])
        bank.correct((sample.z[0], sample.z[1]), (used[0], used[1]))
        change = mixed(weights, bank.x[bank.derivative]) - before
        # it fades with what the filters remember
        self._unconfirmed /= 1.0 + 2.0 * h * mixed(
            weights, np.broadcast_to(bank.w[:, None], weights.shape))
        unusual = np.square(sample.nearest[0]) > SUSPECT_GATE * SUSPECT_GATE * self._usual[0]
        suspect = ~sample.settled | unusual & (
            change * change > SUSPECT_GATE * SUSPECT_GATE * hindsight.variance)
        suspect &= np.isfinite(hindsight.variance_ratio)   # rather than begun with this sample
        self._unconfirmed[:] = np.maximum(
            self._unconfirmed, np.where(suspect, np.abs(change), 0.0))

    def _innovations(self, z: Array) -> tuple[Array, Array, Array]:
        """Return innovations of the mixture, the nearest ones, and squared gates, (2, n) each."""
        bank = self._bank
        assert bank is not None
        innovations, nearest = np.empty_like(z), np.empty_like(z)
        for i, candidates in enumerate(self._candidates):
            innovations[i] = z[i] - mixed(self._hindsight.shares, bank.x[i])
            all_of_them = np.concatenate((innovations[i, None], z[i] - bank.x[i, candidates]))
            nearest[i] = all_of_them[
                np.abs(all_of_them).argmin(axis=0), np.arange(self._joints)]
        h = self._time - self._sampled
        position, velocity = PLAUSIBLE_CHANGE * (h * h) / 2.0, PLAUSIBLE_CHANGE * h
        return innovations, nearest, np.stack((
            POSITION_GATE * POSITION_GATE * self._usual[0] + position * position,
            VELOCITY_GATE * VELOCITY_GATE * self._usual[1] + velocity * velocity))

    def _learn(self, h: float, sample: ComparedSample) -> None:
        """Learn what is usual of a new sample, and whether its innovations alternate."""
        new = sample.measured & ~sample.outlier & sample.settled & (sample.z != self._last)
        least = min(1.0 - math.exp(-h / SQUARE_MEMORY), 1.0 / FEWEST_VALUES)
        self._counts += new
        square = np.minimum(np.square(sample.nearest), SUSPECT_GATE * SUSPECT_GATE * self._usual)
        self._usual += np.where(
            new, np.maximum(least, 1.0 / (1.0 + self._counts)) * (square - self._usual), 0.0)
        step, quantum = np.abs(sample.z[0] - self._last[0]), self._quantum
        rest = np.abs(step - quantum * np.rint(step / np.where(quantum > 0.0, quantum, 1.0)))
        quantum[:] = np.where(new[0] & ~(rest <= QUANTUM_TOLERANCE * quantum), rest, quantum)
        compared = sample.measured[0] & sample.settled & (not sample.same)
        square, product, before = self._alternation
        innovation = sample.innovation[0]
        square += np.where(compared, least * (innovation * innovation - square), 0.0)
        product += np.where(compared, least * (innovation * before - product), 0.0)
        before[:] = np.where(compared, innovation, before)

    def _trust(self, h: float, sample: ComparedSample) -> None:
        """Count what was as expected."""
        share = min(1.0 - math.exp(-h / TRUST_MEMORY), 1.0 / TRUST_SAMPLES)
        for i, trust in enumerate((self.trust, self.velocity_trust)):
            good = sample.measured[i] & ~sample.outlier[i]
            compared = sample.measured[i] | (i == 1) & ~sample.stale
            trust += share * (np.where(good, 1.0, 0.0) - trust) * compared

    def _resolve(self, sample: ComparedSample) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which outliers are used after all, and which are left."""
        bank = self._bank
        assert bank is not None
        used, outlier = np.zeros_like(sample.outlier), sample.outlier.copy()
        used[1] = outlier[1] & (self._outliers[1] >= MOST_CONTRADICTIONS)
        self.velocity_trust[used[1]] = 0.0
        begun = []
        for joint in np.flatnonzero(outlier[0]).tolist():
            number = int(self._outliers[0, joint])
            if number < MOST_CONTRADICTIONS:
                self._deviations[number - 1, joint] = sample.innovation[0, joint]
                continue
            by = float(sample.innovation[0, joint])
            away = self._deviations[:MOST_CONTRADICTIONS - 1, joint] - by
            if (away * away <= sample.gate[0, joint] / 4.0).all():
                bank.shift(joint, by)
                self._shifts[joint] = by
                self.trust[joint] = FIRST_TRUST
                outlier[0, joint], used[0, joint] = False, True
                self._outliers[0, joint] = 0
            else:
                begun.append(joint)
        q, qd = sample.z
        if len(begun) == self._joints:
            self._begin(q, qd)
        else:
            for joint in begun:
                bank.begin_joint(joint, float(q[joint]), float(qd[joint]))
                self._hindsight.begin_joint(joint, self._time)
                if self._lag is not None:
                    self._lag.began = self._time
                self.trust[joint] = FIRST_TRUST
                self._outliers[0, joint] = 0
                self._sampled[joint] = self._time
        return used, outlier

    def _verdict(self, sample: ComparedSample, unexplained: NDArray[np.bool_]) -> Verdict:
        """Return whether there is an estimate, with outliers (n,) that are not explained yet."""
        bridges = self._time - self._good < LONGEST_BRIDGE * self._step
        stalled = sample.kind is SampleKind.STALL
        if not (sample.same or sample.kind is SampleKind.COPY or unexplained.any()):
            self._good = self._time
        self._bridged = self._bridged + 1 if stalled else 0
        if not self._hindsight.known:
            return STARTING
        if self.distrusted.any():
            return DISTRUSTED
        # the sample itself must have been compared, too
        if ((self.trust < LEAST_TRUST) | ~sample.settled | (
                self._hindsight.variance_ratio > MOST_VARIANCE)).any():
            return BEGUN_ANEW
        if stalled and not (bridges and self._bridged == 1):
            return REPEATED
        if (self._outliers[0] > 1).any() or (
                2 * int(unexplained.sum()) > self._joints and not bridges):
            return CONTRADICTORY
        bank, hindsight = self._bank, self._hindsight
        assert bank is not None
        size = hindsight.size[:SLOWER_REFERENCES].max(axis=0)
        unconfirmed = np.square(self._unconfirmed) > MOST_UNCONFIRMED * MOST_UNCONFIRMED * size
        largest = PLAUSIBLE_CHANGE + LARGEST_RMS_RATIO * np.sqrt(hindsight.size[0])
        unseen = np.abs(mixed(hindsight.weights[:-1], bank.x[bank.derivative])) > largest
        if (unconfirmed | unseen & (hindsight.rows[0] >= FEWEST_VALUES)).any():
            return CONTRADICTORY
        return VALID
