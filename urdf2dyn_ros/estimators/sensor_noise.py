"""
How noisy positions, velocities and stamps are, told from the samples alone.

The fourth divided difference of five samples is nothing but noise, as long as the motion is
smooth over them: no filter has to be right for it. Positions that are noisy in proportion to the
velocity have noisy stamps. An encoder that stands still says nothing.

"""

from __future__ import annotations

from itertools import pairwise
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators.mismatch import Mismatch

WINDOW = 5
ENOUGH = 50            # windows; from then on they begin some time apart, to save work
APART = 50_000_000     # ns
MEMORY = 2.0           # s
SAME = 1e-9      # velocities whose squares vary by less are one, within rounding
REGULAR = 1e-3   # changes that differ by less are the same
FEW = 4.0        # windows
CLIP = 4.0      # of the variance: outliers must not make themselves credible
PRIOR = (1e-4, 1e-2)   # rad or m, rad/s or m/s: at first
FLOOR = np.square([[1e-8], [1e-7]])   # covariances stay regular for exact samples


class SensorNoise:
    """
    Variances of the measurements of every joint, and the deviation of the stamps.

    Parameters
    ----------
    joints : int

    Attributes
    ----------
    variance : ndarray, (2, n)
        Of positions [rad^2 or m^2] and velocities.
    stamps : float
        Standard deviation of the stamps [s].

    """

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        n = self._joints
        self.variance = np.repeat(np.square(PRIOR)[:, None], n, axis=1)
        self.stamps = 0.0
        self._prior = np.ones((2, n))      # its weight, halved with every window that tells
        self._weight = np.zeros((2, n))
        self._sum = np.zeros((2, n))
        self._step = np.full(n, np.inf)   # the smallest change of a position: an encoder's step
        self._fits = np.zeros(n)          # how often all changes are multiples of it
        self._told = np.zeros(n)          # windows that told whether they are
        self._moments = np.zeros((4, n))   # of e and v^2: E e, E v^2, E v^4, E e v^2
        self._intervals = 0.0, 0.0         # mean, mean square
        self._windows = 0.0
        self._mismatch = Mismatch(n)
        self._start()

    def pause(self) -> None:
        """Keep what is known: samples are missing, but the sensors are the same."""
        if all(np.isfinite(known).all() for known in (self._sum, self._moments)):
            self._start()
        else:   # absurd samples went before
            self.reset()

    def _start(self) -> None:
        self._times: list[int] = []
        self._samples: list[Array] = []
        self._rates: list[Array] = []
        self._learned = 0                  # end of the last window [ns]
        self._next = 0                     # no window begins earlier [ns]

    def update(self, stamp: int, measured: Array, rates: Array) -> None:
        """
        Take a sample.

        Parameters
        ----------
        stamp : int
            [ns].
        measured, rates : ndarray, (2, n)
            Position and velocity, which may be NaN; velocity and acceleration as they are
            believed to be.

        """
        if stamp < self._next:
            return
        self._times.append(stamp)
        self._samples.append(measured.copy())
        self._rates.append(rates.copy())
        if len(self._times) == WINDOW:
            self._learn(np.array(self._samples), np.array(self._rates))
            if self._windows > ENOUGH:
                self._next = self._times[0] + APART
            self._learned = stamp
            self._times.clear()
            self._samples.clear()
            self._rates.clear()

    def _learn(self, samples: Array, rates: Array) -> None:
        times = [(stamp - self._times[0]) * 1e-9 for stamp in self._times]
        intervals = [later - earlier for earlier, later in pairwise(times)]
        weights = _difference(times)
        e = np.square((weights @ samples.reshape(WINDOW, -1)).reshape(2, -1))
        squares = (np.square(weights) @ np.square(rates).reshape(WINDOW, -1)).reshape(2, -1)
        keep = max(0.0, 1.0 - self._passed() / MEMORY)
        self._learn_stamps(e[0], squares[0], intervals, keep)

        moves = np.abs(samples[1:, 0] - samples[:-1, 0])
        largest, smallest = moves.max(axis=0), moves.min(axis=0)
        # at rest an encoder says nothing, nor does it at a whole number of steps for each sample
        tells = largest - smallest > REGULAR * largest
        self._learn_steps(moves, tells)
        late = squares * self.stamps ** 2
        share = np.square(self.variance / (self.variance + late))
        share[0] *= tells
        share[1] *= largest > 0.0
        known = np.isfinite(e)
        share[~known] = 0.0
        left = np.minimum(np.maximum(np.where(known, e, 0.0) - late, 0.0),
                          CLIP * self.variance + FLOOR)
        told = share > 0.0
        # a window that tells nothing takes the place of none: a joint may rest for hours
        kept = np.where(told, keep, 1.0)
        self._weight = kept * self._weight + share
        self._sum = kept * self._sum + share * left
        self._prior[told] *= 0.5
        weight = self._weight + self._prior
        # as long as they are few, windows may show too little
        self.variance = np.maximum((self._sum + self._prior * np.square(PRIOR)[:, None])
                                   * (1.0 + FEW / weight) / weight, FLOOR)
        steps = np.where(self._fits > 0.9, self._step, 0.0)
        np.maximum(self.variance[0], np.square(steps) / 12.0, out=self.variance[0])
        if min(intervals) > 0.2 * max(intervals):
            self.variance[1] += self._mismatch.found(np.array(times), samples, self.variance,
                                                     late[0], np.where(largest > 0.0, keep, 1.0))

    def _passed(self) -> float:
        """Return the time since the last window [s]."""
        return (self._times[-1] - (self._learned or self._times[0])) * 1e-9

    def _learn_steps(self, moves: Array, tells: NDArray[np.bool_]) -> None:
        """Tell an encoder by its steps: every change is a multiple of the smallest."""
        smallest = np.where(moves > 0.0, moves, np.inf).min(axis=0)
        self._step = np.where(smallest < self._step * (1.0 - 1e-3), smallest, self._step)
        counts = moves[:, tells] / self._step[tells]
        fits = (np.abs(counts - np.rint(counts)) < 1e-2).all(axis=0)
        self._told[tells] += 1.0
        gain = np.maximum(1.0 / self._told[tells], 0.05)
        self._fits[tells] += gain * (fits - self._fits[tells])

    def _learn_stamps(self, e: Array, vv: Array, intervals: list[float],
                      keep: float) -> None:
        """Regress the noise of the positions on the square of the velocity, all joints at once."""
        self._windows = keep * self._windows + 1.0
        new = 1.0 / self._windows
        self._moments += new * (np.array([e, vv, vv * vv, e * vv]) - self._moments)
        mean, square = self._intervals
        mean += new * (sum(intervals) / len(intervals) - mean)
        square += new * (sum(each * each for each in intervals) / len(intervals) - square)
        self._intervals = mean, square
        E_e, E_vv, E_vvvv, E_evv = self._moments
        spread = float((E_vvvv - E_vv * E_vv).sum())
        told = spread > SAME * float(E_vvvv.sum())
        variance = float((E_evv - E_e * E_vv).sum()) / spread if told else 0.0
        most = 0.5 * (square - mean * mean)   # an interval has two ends
        regular = most < (1e-4 * mean) ** 2
        self.stamps = 0.0 if regular else sqrt(min(max(variance, 0.0), most))


def _difference(times: list[float]) -> Array:
    """Return the weights of the divided difference of all samples, of length 1 together."""
    weights = np.array([1.0 / prod(time - other for j, other in enumerate(times) if j != i)
                        for i, time in enumerate(times)])
    normed: Array = weights / sqrt(weights @ weights)
    return normed

