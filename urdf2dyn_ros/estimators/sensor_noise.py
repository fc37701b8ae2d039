"""
How noisy positions, velocities and stamps are, told from the samples alone.

The fourth divided difference of five samples is nothing but noise, as long as the motion is
smooth over them: no filter has to be right for it. Positions that are noisy in proportion to the
velocity have noisy stamps. An encoder that stands still says nothing. Where positions and
velocities contradict each other by more than their noise, as after a driver's low-pass, a filter
that takes both for exact would invent accelerations to reconcile them: the velocities count less.

"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimators.estimate import Vector

Array = NDArray[np.float64]

WINDOW = 5
MEMORY = 2.0   # s
CLIP = 4.0      # of the variance: outliers must not make themselves credible
PRIOR = (1e-4, 1e-2)   # rad or m, rad/s or m/s: at first
MISMATCHES = 17   # windows, of which the median is taken
DOUBT = 6.0   # a mismatch that many times larger than noise explains, in square, is no noise
MOMENTS = 1.0 / np.arange(1, WINDOW + 1)   # of powers over the unit interval
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
        self._prior = 2.0                  # its weight, halved with every window
        self._weight = np.zeros((2, n))
        self._sum = np.zeros((2, n))
        self._step = np.full(n, np.inf)   # the smallest change of a position: an encoder's step
        self._fits = np.zeros(n)          # how often all changes are multiples of it
        self._times: list[int] = []
        self._samples: list[Array] = []
        self._rates: list[Array] = []
        self._moments = np.zeros((4, n))   # of e and v^2: E e, E v^2, E v^4, E e v^2
        self._intervals = np.zeros(3)      # number, mean, mean square
        self._windows = 0.0
        self._mismatch = np.zeros((MISMATCHES, n))   # squares, relative to what noise explains
        self._turn = 0
        self._excess = np.zeros(n)

    def update(self, stamp: int, measured: Array, rates: Array) -> None:
        """
        Take a sample.

        Parameters
        ----------
        stamp : int
            [ns].
        measured, rates : ndarray, (2, n)
            Position and velocity, which may be NaN; velocity and acceleration as they are
            believed to be. Both must stay as they are.

        """
        self._times.append(stamp)
        self._samples.append(measured)
        self._rates.append(rates)
        if len(self._times) == WINDOW:
            self._learn(np.array(self._samples), np.array(self._rates))
            self._times.clear()
            self._samples.clear()
            self._rates.clear()

    def _learn(self, samples: Array, rates: Array) -> None:
        times = (np.array(self._times) - self._times[0]) * 1e-9
        intervals = np.diff(times)
        apart = times[:, None] - times
        np.fill_diagonal(apart, 1.0)
        weights = 1.0 / apart.prod(axis=1)
        weights /= np.sqrt(weights @ weights)
        e = np.square(np.tensordot(weights, samples, 1))
        squares = np.tensordot(np.square(weights), np.square(rates), 1)
        keep = max(0.0, 1.0 - float(times[-1]) / MEMORY)
        self._learn_stamps(e[0], squares[0], intervals, keep)

        moves = np.abs(np.diff(samples[:, 0], axis=0))
        self._learn_steps(moves)
        late = squares * self.stamps ** 2
        share = np.square(self.variance / (self.variance + late))
        share *= (moves > 0.0).any(axis=0)
        share[~np.isfinite(e)] = 0.0
        left = np.minimum(np.maximum(np.nan_to_num(e) - late, 0.0), CLIP * self.variance + FLOOR)
        self._weight = keep * self._weight + share
        self._sum = keep * self._sum + share * left
        self._prior *= 0.5
        prior = np.where(self._weight > 0.0, self._prior, 1.0)
        self.variance = np.maximum((self._sum + prior * np.square(PRIOR)[:, None])
                                   / (self._weight + prior), FLOOR)
        steps = np.where(self._fits > 0.9, self._step, 0.0)
        np.maximum(self.variance[0], np.square(steps) / 12.0, out=self.variance[0])
        if intervals.min() > 0.2 * intervals.max():
            self._learn_mismatch(times, samples, 2.0 * late[0], keep)

    def _learn_steps(self, moves: Array) -> None:
        """Tell an encoder by its steps: every change is a multiple of the smallest."""
        smallest = np.where(moves > 0.0, moves, np.inf).min(axis=0)
        moved = np.isfinite(smallest)
        self._step = np.where(smallest < self._step * (1.0 - 1e-3), smallest, self._step)
        counts = moves[:, moved] / self._step[moved]
        fits = (np.abs(counts - np.rint(counts)) < 1e-2).all(axis=0)
        self._fits[moved] += 0.05 * (fits - self._fits[moved])

    def _learn_mismatch(self, times: Vector, samples: Array, late: Vector, keep: float) -> None:
        """
        Compare the change of the position with the integral of the velocity over the window.

        They differ by more than noise explains if the velocity is late or filtered. The velocity
        gets the blame.

        """
        span = times[-1]
        # weights that integrate polynomials of degree 4 exactly, wherever the samples are
        x = times / span
        weights = np.linalg.solve(np.vander(x, increasing=True).T, MOMENTS) * span
        change = samples[-1, 0] - samples[0, 0] - weights @ samples[:, 1]
        noise = 2.0 * self.variance[0] + late + (weights @ weights) * self.variance[1]
        squares = np.square(change) / noise
        self._turn = (self._turn + 1) % MISMATCHES
        self._mismatch[self._turn] = np.nan_to_num(squares)
        # the median of chi squared, so that outliers change nothing
        found = np.median(self._mismatch, axis=0) / 0.455
        np.maximum((found - DOUBT) * noise / span ** 2, keep * self._excess, out=self._excess)
        self.variance[1] += self._excess

    def _learn_stamps(self, e: Vector, vv: Vector, intervals: Vector, keep: float) -> None:
        """Regress the noise of the positions on the square of the velocity, all joints at once."""
        self._windows = keep * self._windows + 1.0
        new = 1.0 / self._windows
        self._moments += new * (np.array([e, vv, vv * vv, e * vv]) - self._moments)
        self._intervals += new * (np.array([1.0, intervals.mean(), np.square(intervals).mean()])
                                  - self._intervals)
        E_e, E_vv, E_vvvv, E_evv = self._moments
        spread = float(np.sum(E_vvvv - E_vv * E_vv))
        variance = float(np.sum(E_evv - E_e * E_vv)) / spread if spread > 0.0 else 0.0
        _, mean, square = self._intervals
        most = 0.5 * (square - mean * mean)   # an interval has two ends
        regular = most < (1e-4 * mean) ** 2
        self.stamps = 0.0 if regular else float(np.sqrt(min(max(variance, 0.0), most)))

