"""
Noise of positions, velocities and stamps, estimated from the samples alone.

As long as the motion is smooth over five samples, their fourth divided difference is noise alone:
the estimate does not depend on a filter. Noise of the positions in proportion to the velocity
comes from the stamps. An encoder at rest carries no information.
"""

from itertools import pairwise
from math import isnan, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.mismatch import Mismatch
from urdf2dyn_ros.robot.spatial import Array

WINDOW = 5
"""Samples of a window."""

DENSE_WINDOWS = 50
"""Windows that follow each other directly; later ones are spaced, to save work."""

WINDOW_SPACING_NS = 50_000_000
"""Time from the beginning of one window to that of the next [ns]."""

NOISE_MEMORY = 2.0
"""Time constant of forgetting [s]."""

SPEED_SPREAD = 1e-9
"""Relative spread of squared velocities below which they are equal, within rounding."""

CHANGE_SPREAD = 1e-3
"""Relative difference below which changes of a position are equal."""

SMALL_SAMPLE = 4.0
"""Windows: the estimated variance is increased by this number over that of the windows."""

CLIPPING_MULTIPLE = 4.0
"""Multiple of the variance at which a window is clipped, so that outliers do not raise it."""

INITIAL_NOISE = (1e-4, 1e-2)
"""Deviations at the start [rad or m, rad/s or m/s]."""

FORGOTTEN_NOISE = 1e-3
"""Deviation of positions where the learned one was too small by far [rad or m]."""

LEAST_VARIANCES = np.square([[1e-8], [1e-7]])
"""Smallest variances: those of exact samples must not make the filter singular."""


INITIAL_SHARE = 0.01
"""Weight of the initial variance where it is compared with what was learned."""

LEAST_LEARNED_PART = 1e-8
"""Least part of a variance that counts as learned."""


class SensorNoise:
    """Variances of the measurements of every joint, and the deviation of the stamps."""

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        n = self._joints
        # [rad^2 or m^2, rad^2/s^2 or m^2/s^2]
        self.variance = np.repeat(np.square(INITIAL_NOISE)[:, None], n, axis=1)
        self.stamps = 0.0       # [s]
        self.known = np.ones(n)   # part that was learned, 0 to 1, since a rest without noise
        self._prior = np.ones((2, n))      # weight of the initial noise, halved by each window
        self._weight = np.zeros((2, n))
        self._sum = np.zeros((2, n))
        self._step = np.full(n, np.inf)   # smallest change of a position: resolution of an encoder
        self._fits = np.zeros(n)          # share of the windows whose changes are multiples of it
        self._judged = np.zeros(n)        # windows in which this could be judged
        self._moments = np.zeros((4, n))   # of e and v^2: E e, E v^2, E v^4, E e v^2
        self._intervals = 0.0, 0.0         # mean, mean square
        self._windows = 0.0
        self._mismatch = Mismatch(n)
        self._start()

    def forget(self, joints: NDArray[np.bool_]) -> None:
        """
        Learn the noise of the positions of joints (n,) again, from a large one.

        What a robot shows at rest may be far less than what it has in motion: a publisher that
        sends the newest sample of a driver at a rate of its own has regular stamps.
        """
        self._prior[0, joints] = 1.0
        self._weight[0, joints] = self._sum[0, joints] = 0.0
        self.variance[0, joints] = FORGOTTEN_NOISE ** 2

    def pause(self) -> bool:
        """
        Keep the estimate over a gap: samples are missing, but the sensors are the same.

        Return False if it was not kept, after samples too large for floating point.
        """
        finite = all(np.isfinite(sums).all() for sums in (self._sum, self._moments))
        if finite:
            self._start()
        else:
            self.reset()
        return finite

    def _start(self) -> None:
        self._times: list[int] = []
        self._samples: list[Array] = []
        self._rates: list[Array] = []
        self._learned = 0                  # end of the last window [ns]
        self._next = 0                     # no window begins earlier [ns]
        # stamps, positions and velocities of joints of which positions were missing
        self._alone: dict[int, list[tuple[int, float, float]]] = {}

    def interrupt(self) -> None:
        """Forget the samples of the window that is not complete."""
        self._times.clear()
        self._samples.clear()
        self._rates.clear()

    def update(self, stamp: int, measured: Array, rates: Array,
               missing: NDArray[np.bool_] | None = None) -> None:
        """
        Add a sample with its stamp [ns].

        `measured` (2, n) are positions and velocities, which may be NaN, `rates` (2, n) estimated
        velocities and accelerations. The noise of joints (n,) that are `missing`, without
        measurements, is learned at stamps of their own from now on.
        """
        if missing is not None:
            measured = np.where(missing, np.nan, measured)
            for joint in np.flatnonzero(missing).tolist():
                self._alone.setdefault(joint, [])
        if self._alone:
            for joint, window in self._alone.items():
                self._learn_alone(joint, window, (
                    stamp, float(measured[0, joint]), float(rates[0, joint])))
        if stamp < self._next:
            return
        self._times.append(stamp)
        self._samples.append(measured.copy())
        self._rates.append(rates.copy())
        if len(self._times) == WINDOW:
            self._learn(np.array(self._samples), np.array(self._rates))
            if self._windows > DENSE_WINDOWS:
                self._next = self._times[0] + WINDOW_SPACING_NS
            self._learned = stamp
            self.interrupt()

    def _learn(self, samples: Array, rates: Array) -> None:
        times = [(stamp - self._times[0]) * 1e-9 for stamp in self._times]
        intervals = [later - earlier for earlier, later in pairwise(times)]
        weights = _difference(times)
        e = np.square((weights @ samples.reshape(WINDOW, -1)).reshape(2, -1))
        squares = (np.square(weights) @ np.square(rates).reshape(WINDOW, -1)).reshape(2, -1)
        keep = max(0.0, 1.0 - self._passed() / NOISE_MEMORY)
        self._learn_stamps(e[0], squares[0], intervals, keep)

        moves = np.abs(samples[1:, 0] - samples[:-1, 0])
        largest, smallest = moves.max(axis=0), moves.min(axis=0)
        moved = largest != 0.0   # or not known
        # an encoder carries no information at rest, nor at a whole number of steps per sample
        informative = largest - smallest > CHANGE_SPREAD * largest
        self._learn_steps(moves, informative)
        late = squares * self.stamps ** 2
        share = np.square(self.variance / (self.variance + late))
        share[0] *= informative
        share[1] *= moved
        self._add_window(e, late, share, keep)
        # velocities that vary at rest have noise
        varied = np.isfinite(e[1]) & (np.ptp(samples[:, 1], axis=0) > 0.0)
        self._estimate(moved, varied)
        if min(intervals) > 0.2 * max(intervals):
            self.variance[1] += self._mismatch.update(np.array(times), samples, self.variance,
                                                      late[0], np.where(moved, keep, 1.0))

    def _add_window(self, e: Array, late: Array, share: Array, keep: float) -> None:
        """Add squared differences, without what is late, by their share; each is (2, n)."""
        known = np.isfinite(e)
        share[~known] = 0.0
        excess = np.minimum(np.maximum(np.where(known, e, 0.0) - late, 0.0),
                            CLIPPING_MULTIPLE * self.variance + LEAST_VARIANCES)
        used = share > 0.0
        # a window without information replaces none: a joint may rest for hours
        kept = np.where(used, keep, 1.0)
        self._weight = kept * self._weight + share
        self._sum = kept * self._sum + share * excess
        self._prior[used] *= 0.5

    def _estimate(self, moved: NDArray[np.bool_], varied: NDArray[np.bool_]) -> None:
        """Estimate the variances, and which part of them was learned."""
        weight = self._weight + self._prior
        initial = self._prior * np.square(INITIAL_NOISE)[:, None]
        learned = self._sum + LEAST_VARIANCES * self._weight
        part = learned / (learned + INITIAL_SHARE * initial)
        # less than 1 from an exact rest on
        least = np.where(moved, self.known, np.where(varied, 1.0, LEAST_LEARNED_PART))
        self.known[:] = np.maximum(part.max(axis=0), least)
        # a few windows may by chance show too little noise
        self.variance = np.maximum((self._sum + initial)
                                   * (1.0 + SMALL_SAMPLE / weight) / weight, LEAST_VARIANCES)
        steps = np.where(self._fits > 0.9, self._step, 0.0)
        np.maximum(self.variance[0], np.square(steps) / 12.0, out=self.variance[0])

    def _learn_alone(self, joint: int, window: list[tuple[int, float, float]],
                     sample: tuple[int, float, float]) -> None:
        """Learn the noise of the positions of a joint as `_learn`, at stamps of its own."""
        if isnan(sample[1]):
            return
        window.append(sample)
        if len(window) < WINDOW:
            return
        stamps, positions, rates = zip(*window)
        window.clear()
        moves = np.abs(np.diff(positions))
        if np.ptp(moves) <= CHANGE_SPREAD * moves.max():
            return
        times = [(stamp - stamps[0]) * 1e-9 for stamp in stamps]
        weights = _difference(times)
        late = float(np.square(weights) @ np.square(rates)) * self.stamps ** 2
        variance, least = float(self.variance[0, joint]), float(LEAST_VARIANCES[0, 0])
        share = (variance / (variance + late)) ** 2
        excess = min(max(float(weights @ positions) ** 2 - late, 0.0),
                     CLIPPING_MULTIPLE * variance + least)
        keep = max(0.0, 1.0 - times[-1] / NOISE_MEMORY)
        at = 0, joint
        self._weight[at] = keep * self._weight[at] + share
        self._sum[at] = keep * self._sum[at] + share * excess
        self._prior[at] *= 0.5
        weight = self._weight[at] + self._prior[at]
        self.variance[at] = max((self._sum[at] + self._prior[at] * INITIAL_NOISE[0] ** 2)
                                * (1.0 + SMALL_SAMPLE / weight) / weight, least)

    def _passed(self) -> float:
        """Return the time since the last window [s]."""
        return (self._times[-1] - (self._learned or self._times[0])) * 1e-9

    def _learn_steps(self, moves: Array, informative: NDArray[np.bool_]) -> None:
        """Recognise an encoder by its steps: every change is a multiple of the smallest."""
        smallest = np.where(moves > 0.0, moves, np.inf).min(axis=0)
        self._step = np.where(smallest < self._step * (1.0 - 1e-3), smallest, self._step)
        counts = moves[:, informative] / self._step[informative]
        fits = (np.abs(counts - np.rint(counts)) < 1e-2).all(axis=0)
        self._judged[informative] += 1.0
        gain = np.maximum(1.0 / self._judged[informative], 0.05)
        self._fits[informative] += gain * (fits - self._fits[informative])

    def _learn_stamps(self, e: Array, vv: Array, intervals: list[float],
                      keep: float) -> None:
        """Regress the noise of the positions on the square of the velocity, all joints at once."""
        self._windows = keep * self._windows + 1.0
        new = 1.0 / self._windows
        change = new * (np.array([e, vv, vv * vv, e * vv]) - self._moments)
        self._moments += np.where(np.isnan(e), 0.0, change)   # of joints with missing positions
        mean, square = self._intervals
        mean += new * (sum(intervals) / len(intervals) - mean)
        square += new * (sum(each * each for each in intervals) / len(intervals) - square)
        self._intervals = mean, square
        E_e, E_vv, E_vvvv, E_evv = self._moments
        spread = float((E_vvvv - E_vv * E_vv).sum())
        varied = spread > SPEED_SPREAD * float(E_vvvv.sum())
        variance = float((E_evv - E_e * E_vv).sum()) / spread if varied else 0.0
        most = 0.5 * (square - mean * mean)   # an interval has two stamps
        regular = most < (1e-4 * mean) ** 2
        self.stamps = 0.0 if regular else sqrt(min(max(variance, 0.0), most))


def _difference(times: list[float]) -> Array:
    """Return the weights of the divided difference of all samples, with norm 1."""
    weights = np.array([1.0 / prod(time - other for j, other in enumerate(times) if j != i)
                        for i, time in enumerate(times)])
    return weights / sqrt(weights @ weights)

