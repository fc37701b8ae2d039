"""
A bank of Kalman filters for every joint: the same motion model with many bandwidths.

The state of a joint is x = (q, v, a, j): position, velocity, acceleration and jerk. A filter has
an order: 4, whose snap is white noise, or 3, whose jerk is (j = 0 then). It is corrected by
measured positions, by measured velocities or by both (Bar-Shalom, Li and Kirubarajan, Estimation
with Applications to Tracking and Navigation, section 6.2):

    x <- F(h) x,                        P <- F(h) P F(h)' + s Q(h)            over a step of h
    x <- x + K (z - x_i), K = P_i / (P_ii + R),     P <- P - K P_i'           measurement of x_i

A filter is defined by its bandwidth w alone. With R = 1 and a density s = w^(2 m) h0, where m
integrations lead from the noise to the measurement and h0 is the usual step, its transfer function
is the Butterworth low-pass of order m and cutoff w: no noise of a sensor needs to be known. Where
both are measured, the velocity has R = (2 w)^2, or w^2 where states are smoothed: with that, both
tell as much of the acceleration. The covariance depends on times alone; all joints share one,
except those that began later, which have one of their own until it is the same.

Bandwidths and orders compete, see hindsight.py.
"""

import math

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

SLOWEST = 3.3   # rad/s, bandwidth of the slowest filter: motions of several seconds
RATIO = 1.8   # of neighbouring bandwidths: 1.6 to 2 are equally good
MOST_BANDWIDTHS = 11   # bandwidths, up to 1180 rad/s: of exact positions of a simulator
FEWEST_BANDWIDTHS = 4   # up to 19 rad/s, that of the slowest reference
FASTEST_STEP = 1.8   # largest bandwidth times the usual step: beyond it a sample is followed
# deviation of velocities beside positions, in those that tell as much of the acceleration: now,
# and where states are smoothed
VELOCITY_PARTS = 2.0, 1.0
DIFFUSE = 10.0   # deviations of states at the start, in those that the fastest filter tells apart
STEADY = 1.2   # variance of an acceleration, over the steady one, up to which it is the same

POSITIONS, BOTH, VELOCITIES = range(3)
FAMILIES = ((POSITIONS, 4), (POSITIONS, 3), (BOTH, 4), (VELOCITIES, 4), (VELOCITIES, 3))

# coefficients of the low-pass of an order: gains of the filter, in powers of its bandwidth
BUTTERWORTH = {2: (math.sqrt(2.0), 1.0), 3: (2.0, 2.0, 1.0),
               4: (2.613125929752753, 3.414213562373095, 2.613125929752753, 1.0)}
DELAY = BUTTERWORTH[4][0]   # by which the low-pass of order 4 is late, times its bandwidth


class Bank:
    """
    The filters (k,) of joints (n,) that are sampled together, with a usual step [s].

    There are filters of `velocities` or none; `derivative` says which state is wanted: 2, the
    acceleration, or 1 where velocities take the place of positions. Where states are `smoothed`,
    those at earlier times are corrected by all later measurements (the fixed-point smoother of
    Rauch, Tung and Striebel): `keep` adds the present ones to the `past`, (m, 3, k, n).
    """

    def __init__(self, joints: int, step: float, velocities: bool, derivative: int = 2,
                 smoothed: bool = False) -> None:
        self.derivative = derivative
        w = [SLOWEST * RATIO ** k for k in range(MOST_BANDWIDTHS)]
        if w[FEWEST_BANDWIDTHS - 1] * step < FASTEST_STEP:
            w = [each for each in w if each * step < FASTEST_STEP]
        else:   # below 11 Hz: all that is possible counts, as nothing judges the filters
            w = [FASTEST_STEP / step / RATIO ** k for k in reversed(range(FEWEST_BANDWIDTHS))]
        families = FAMILIES if velocities else FAMILIES[:2]
        rows = [(each, kind, order) for kind, order in families for each in w]
        self.each = len(w)   # filters of a family; the first two families are of positions
        self.w = np.array([row[0] for row in rows])   # bandwidths [rad/s]
        kinds, self.order = (np.array([row[i] for row in rows]) for i in (1, 2))
        self.by_position, self.by_velocity = kinds != VELOCITIES, kinds != POSITIONS
        integrations = np.where(self.by_position, self.order, self.order - 1)
        noise = np.array([step * math.prod([each] * 2 * int(m))
                          for each, m in zip(self.w.tolist(), integrations)])
        self._snap = np.where(self.order == 4, noise, 0.0)
        self._jerk = np.where(self.order == 4, 0.0, noise)
        self._variances = (np.ones(len(rows)), np.where(
            kinds == BOTH, np.square(VELOCITY_PARTS[smoothed] * self.w), 1.0))
        self._steady = np.array([
            _steady_variance(each, int(m), derivative - int(late), step) for each, m, late
            in zip(self.w.tolist(), integrations, ~self.by_position)])
        self._unit = min(w[-1], 1.0 / step)   # rad/s, a motion that two samples tell apart
        self.x = np.zeros((4, len(rows), joints))   # states, SI
        # covariances: the shared one, and that of each joint that began later
        self.P = np.zeros((1 + joints, 4, 4, len(rows)))
        self.slot = np.zeros(joints, dtype=np.int64)   # which of them a joint has
        self.slots = [0]   # those in use
        self.past = np.zeros((0, 3, len(rows), joints))
        self._cross = np.zeros((0, 1 + joints, 3, 4, len(rows)))   # with the present states

    def keep(self) -> None:
        """Keep the present states as past ones."""
        self.past = np.concatenate((self.past, self.x[None, :3]))
        self._cross = np.concatenate((self._cross, self.P[None, :, :3]))

    def forget(self, count: int) -> None:
        """Forget the oldest past states."""
        self.past, self._cross = self.past[count:], self._cross[count:]

    def begin(self, q: Array, qd: Array) -> None:
        """Start all joints at positions and velocities (n,), NaN where not measured."""
        self.slot[:] = 0
        self.slots = [0]
        self.forget(len(self.past))
        for joint in range(len(self.slot)):
            self._start(joint, float(q[joint]), float(qd[joint]), 0)

    def begin_joint(self, joint: int, q: float, qd: float) -> None:
        """Start a joint later than the others."""
        self.slot[joint] = 1 + joint
        self._start(joint, q, qd, 1 + joint)
        self.slots = sorted({0, *self.slot.tolist()})

    def _start(self, joint: int, q: float, qd: float, slot: int) -> None:
        self.x[:, :, joint] = 0.0
        self.x[0, :, joint] = q
        if math.isfinite(qd):
            self.x[1, ~self.by_position, joint] = qd
        # All joints begin as far as the fastest filter follows: nearer, two samples seem to tell
        # an acceleration, and the next ones, late after a gap, to contradict it. A joint that
        # begins later is among outliers, and must be judged as soon as possible.
        deviation, unit = DIFFUSE, self._unit if slot else float(self.w[self.each - 1])
        self.past[..., joint] = self.x[:3, :, joint]
        self._cross[:, slot] = 0.0
        self.P[slot] = 0.0
        self.P[slot, 0, 0] = np.where(self.by_position, 1.0, 0.0)
        for i in range(1, 4):
            before = deviation   # the velocity of a filter of velocities is measured
            deviation *= unit
            variance = np.where(self.by_position, deviation * deviation,
                                1.0 if i == 1 else before * before)
            self.P[slot, i, i] = np.where((i == 3) & (self.order == 3), 0.0, variance)

    def predict(self, h: float) -> None:
        """Advance by a step of h [s]."""
        h2, h3 = h * h / 2.0, h * h * h / 6.0
        x = self.x
        x[0] += h * x[1] + h2 * x[2] + h3 * x[3]
        x[1] += h * x[2] + h2 * x[3]
        x[2] += h * x[3]
        snap, jerk = _densities(h)
        for slot in self.slots:
            P = self.P[slot]
            for rows in (P, P.transpose(1, 0, 2)):
                rows[0] += h * rows[1] + h2 * rows[2] + h3 * rows[3]
                rows[1] += h * rows[2] + h2 * rows[3]
                rows[2] += h * rows[3]
            cross = self._cross[:, slot]   # no rows without a lag
            cross[:, :, 0] += h * cross[:, :, 1] + h2 * cross[:, :, 2] + h3 * cross[:, :, 3]
            cross[:, :, 1] += h * cross[:, :, 2] + h2 * cross[:, :, 3]
            cross[:, :, 2] += h * cross[:, :, 3]
            for i in range(4):
                for j in range(i, 4):
                    P[i, j] += snap[i][j] * self._snap + jerk[i][j] * self._jerk
                    P[j, i] = P[i, j]

    def correct(self, measured: tuple[Array, Array], used: tuple[NDArray[np.bool_], ...]) -> None:
        """Correct by positions and velocities (n,), where they are used (n,)."""
        for i, (z, some, by, variance) in enumerate(zip(
                measured, used, (self.by_position, self.by_velocity), self._variances)):
            if not by.any():
                continue
            for slot in self.slots:
                mine = self.slot == slot
                if not (some & mine).any() and (mine.any() or not some.any()):
                    continue
                y = np.where(some & mine, z - self.x[i], 0.0)
                P = self.P[slot]
                scale = np.where(by, 1.0 / (P[i, i] + variance), 0.0)
                K, row = P[:, i] * scale, P[i].copy()
                if len(self.past):
                    K_past = self._cross[:, slot, :, i] * scale
                    self.past += K_past[..., None] * y
                    self._cross[:, slot] -= K_past[:, :, None] * row
                self.x += K[:, :, None] * y
                for k in range(4):
                    P[k, k:] -= K[k] * row[k:]
                    P[k:, k] = P[k, k:]   # which stays symmetric
        # the position of a filter of velocities is the measured one
        self.x[0] = np.where(~self.by_position[:, None] & used[0], measured[0], self.x[0])
        for joint in np.flatnonzero(self.slot):
            variance = self.P[1 + joint, self.derivative, self.derivative]
            if (variance < STEADY * self._steady).all():
                self.slot[joint] = 0
                self.slots = sorted({0, *self.slot.tolist()})

    def variance_ratio(self) -> Array:
        """Return variances of accelerations, over the steady ones, (k, n): at least 1."""
        variances = self.P[self.slot, self.derivative, self.derivative].T
        ratio: Array = variances / self._steady[:, None]
        return np.maximum(ratio, 1.0)

    def shift(self, joint: int, by: float) -> None:
        """Move the positions of a joint [rad or m]: its sensor has another zero."""
        self.x[0, :, joint] += by


def mixed(weights: Array, values: Array) -> Array:
    """Return the sum over filters (k, n) in their order, (n,)."""
    return np.asarray(np.cumsum(weights * values, axis=0)[-1])


def _densities(h: float) -> tuple[list[list[float]], list[list[float]]]:
    """Return the covariance that white snap, and white jerk, of density 1 add in a step."""
    powers = [1.0]
    for _ in range(7):
        powers.append(powers[-1] * h)
    factorials = [1.0, 1.0, 2.0, 6.0]

    def added(last: int) -> list[list[float]]:
        return [[powers[2 * last + 1 - i - j] / (factorials[last - i] * factorials[last - j]
                                                 * (2 * last + 1 - i - j))
                 if max(i, j) <= last else 0.0 for j in range(4)] for i in range(4)]

    return added(3), added(2)


def _steady_variance(w: float, m: int, row: int, step: float) -> float:
    """
    Return the steady variance of an entry of the state of a filter.

    A P + P A' + s Q = P_1 P_1' / R in continuous time, whose first column P_1 is the Butterworth
    gains: the others follow row by row.
    """
    K = [gain * w ** (1 + i) for i, gain in enumerate(BUTTERWORTH[m])]
    P = {(0, i): each for i, each in enumerate(K)}
    for i in range(1, m):
        for j in range(i, m):
            P[i, j] = K[i - 1] * K[j] - P.get((i - 1, j + 1), 0.0)
    return step * P[row, row]
