"""
Smoothing of whole recordings by splines: positions to velocities and accelerations.

The curve f through the samples q minimises

    period * sum of (q - f(t))^2 + integral of f''''^2 / (2 pi cutoff)^8

Between the ends it is the same as a Butterworth low-pass of order 4 with this cutoff, forwards and
backwards: without lag, and with the half of a sine at the cutoff. It is a sum of B-splines of
degree 5 with a penalty on their fourth differences (Eilers and Marx, Flexible smoothing with
B-splines and penalties, Statistical Science 11, 1996): its equations are banded, and their number
depends on the cutoff, not on the rate of the samples.
"""

from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

# ---- Splines

_DEGREE = 5
_ORDER = 4   # of the derivative that is penalised
_KNOTS = 8.0   # in a period of the cutoff


class SmoothingSpline:
    """
    Smooths the columns of tables at the same, increasing times (k,) [s].

    Their typical step is the period [s]; the cutoff is in [Hz].
    """

    def __init__(self, time: Array, period: float, cutoff: float) -> None:
        # imported here because they take half of the time in which a command starts
        from scipy.interpolate import BSpline
        from scipy.linalg import lapack

        self._lapack, self._spline = lapack, BSpline
        width = max(period, 1.0 / (_KNOTS * cutoff))
        spans = max(int(np.ceil((time[-1] - time[0]) / width)), _ORDER)
        self._count = spans + _DEGREE
        self._knots = time[0] + width * np.arange(-_DEGREE, self._count + 1)
        # the last time may be one rounding behind the last knot
        self._basis: Any = BSpline.design_matrix(   # (k, m)
            np.clip(time, self._knots[_DEGREE], self._knots[self._count]), self._knots, _DEGREE)
        self._penalty = _penalty(self._count) * (
            width ** (1 - 2 * _ORDER) / period / (2.0 * pi * cutoff) ** (2 * _ORDER))

    def fit(self, samples: Array) -> Array:
        """Return the coefficients (m, n) of the curves through samples (k, n)."""
        return self._solve(self._band(self._basis), self._basis.T @ samples)

    def _band(self, basis: Any) -> Array:
        """Return the lower band (6, m) of the normal equations of some samples."""
        normal = basis.T @ basis
        return np.array([np.pad(normal.diagonal(-i), (0, i)) for i in range(_DEGREE + 1)])

    def _solve(self, band: Array, right: Array) -> Array:   # NaN where there is no solution
        _, coefficients, failed = self._lapack.dpbsv(band + self._penalty, right, lower=1)
        return np.full_like(right, np.nan) if failed else coefficients

    def values(self, coefficients: Array, time: Array, derivative: int = 0) -> Array:
        """Return a derivative of the curves at any times (i,) between the ends, (i, n)."""
        curves = self._spline.construct_fast(self._knots, coefficients, _DEGREE)
        return np.asarray(curves(time, derivative))

    def unseen(self, samples: Array, folds: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
               ) -> list[Array]:
        """
        Return by how much samples (k, n) differ from curves that did not see them.

        For each fold, rows that the curve does not see, and those of the differences (i, n).
        """
        band = self._band(self._basis)
        right = self._basis.T @ samples
        differences = []
        for hidden, judged in folds:
            basis = self._basis[hidden]
            coefficients = self._solve(band - self._band(basis), right - basis.T @ samples[hidden])
            differences.append(samples[judged] - self._basis[judged] @ coefficients)
        return differences


def _penalty(count: int) -> Array:
    """Return the lower band (6, m) of the squared fourth differences of m coefficients."""
    difference = np.array([1.0, -4.0, 6.0, -4.0, 1.0])
    band = np.zeros((_DEGREE + 1, count))
    for i in range(_ORDER + 1):
        for j in range(i, _ORDER + 1):
            band[j - i, i:count - _ORDER + i] += difference[i] * difference[j]
    return band


# ---- The cutoff of a smoothing spline for each joint, by how well it predicts what it did not see
#
# Noise of real sensors is not white: encoders, filters in drivers, stamps and vibration make
# errors of neighbouring samples alike. A curve that follows them predicts single samples well, but
# not a block of them: so blocks are hidden from the spline that are longer than such errors last,
# and the curve is compared with the samples in the middle of the block.

CUTOFFS = 2.0 ** np.arange(-1.0, 6.1)   # cutoffs that are compared [Hz]
_LARGEST_CUTOFF = 0.4   # largest cutoff, in rates of the samples
_HIDDEN_TIMES = (0.06, 0.12)   # lengths of hidden blocks [s]
_SHORTEST_BLOCK = 3.0   # shortest hidden block, in periods
_FOLDS = 3   # a block is hidden, and the next two are seen; each is hidden once
_BLOCK_SHIFTS = (0.0, 0.5)   # shifts of the blocks, in blocks
_FAST_MOTION = 20.0   # cutoff beyond which a motion is less and less plausible [Hz]
_CUTOFF_PENALTY = 0.3   # power of the cutoff by which a faster one must predict better
_COMPARED_RATE = 250.0   # rate to which samples are averaged for the comparison [Hz]
# error of the acceleration, relative to its root mean square, that is negligible
_NEGLIGIBLE_ERROR = 1e-4
# variance of the acceleration by white noise of unit variance, period and angular cutoff
_WHITE_NOISE_GAIN = 0.05


def cutoffs(time: Array, samples: Array, period: float, noise: Array) -> Array:
    """
    Return the cutoff (n,) [Hz] for each column of samples (k, n) at times (k,) [s].

    It is the geometric mean of those compared, weighted by the inverse of their mean squared
    errors, as several may predict equally well. A higher one must predict better, much better
    beyond 20 Hz: the noise of an acceleration rises with the cutoff, and few joints move so fast.
    Where `noise` (n,) [rad or m] is negligible, as in simulation, the cutoff is higher.
    """
    most = _LARGEST_CUTOFF / period
    tried = CUTOFFS[most >= CUTOFFS]
    if len(tried) < 2:
        return np.full(samples.shape[1], most)
    middle = SmoothingSpline(time, period, tried[len(tried) // 2])
    accelerations = middle.values(middle.fit(samples), time, 2)
    size = np.sqrt(np.square(accelerations).mean(axis=0))
    with np.errstate(divide='ignore', invalid='ignore'):
        ratios = _NEGLIGIBLE_ERROR * size / (noise * np.sqrt(_WHITE_NOISE_GAIN * period))
    # cutoffs up to which noise is negligible; 0 where nothing moves
    harmless = np.where(size > 0.0, ratios, 0.0) ** 0.4 / (2.0 * np.pi)
    averaged = max(1, round(1.0 / (_COMPARED_RATE * period)))
    time, samples = _averaged(time, averaged), _averaged(samples, averaged)
    period *= averaged
    folds = [fold for length in _HIDDEN_TIMES for shift in _BLOCK_SHIFTS
             for fold in _hidden(time, max(length, _SHORTEST_BLOCK * period), shift)]
    if any(not len(judged) for _, judged in folds):
        return np.full(samples.shape[1], most)
    errors = np.zeros((len(_HIDDEN_TIMES), len(tried), samples.shape[1]))
    for number, cutoff in enumerate(tried):
        spline = SmoothingSpline(time, period, cutoff)
        squares = [np.square(each).mean(axis=0) for each in spline.unseen(samples, folds)]
        errors[:, number] = np.reshape(squares, (len(_HIDDEN_TIMES), -1, len(noise))).mean(axis=1)
    errors *= (tried ** _CUTOFF_PENALTY * (1.0 + (tried / _FAST_MOTION) ** 4))[:, None]
    errors = np.maximum(np.nan_to_num(errors, nan=np.inf), 1e-300)
    weights = errors.min(axis=1, keepdims=True) / errors
    weights /= weights.sum(axis=1, keepdims=True)
    chosen = np.exp((weights * np.log(tried)[:, None]).sum(axis=1).mean(axis=0))
    return np.asarray(np.maximum(chosen, np.minimum(harmless, tried[-1])))


def _averaged(values: Array, count: int) -> Array:
    rows = len(values) // count * count
    return np.asarray(values[:rows].reshape(-1, count, *values.shape[1:]).mean(axis=1))


def _hidden(time: Array, length: float,
            shift: float) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the rows that are hidden and those in the middle of their blocks, for each fold."""
    place = (time - time[0]) / length + shift
    block = place.astype(np.int64)
    middle = np.abs(place - block - 0.5) <= 1.0 / 6.0 + 1e-9
    return [(np.flatnonzero(block % _FOLDS == fold),
             np.flatnonzero((block % _FOLDS == fold) & middle)) for fold in range(_FOLDS)]


# ---- Positions, velocities and accelerations of a piece of a recording, from all of its samples

FEWEST_SMOOTHED = 12   # samples from which on a curve through positions is chosen

# deviation of a sample from a curve through its neighbours that is an error, in typical ones
_SPIKE_DEVIATION = 20.0
# largest step of an acceleration that is no error of a sample [rad/s^2 or m/s^2]
_ACCELERATION_STEP = 100.0
_NEIGHBOURS = np.array([-2, -1, 1, 2])


class Smoothed(NamedTuple):
    q: Array   # (k, n) [rad or m]
    qd: Array   # (k, n) [rad/s or m/s]
    qdd: Array   # (k, n) [rad/s^2 or m/s^2]
    cutoffs: Array   # (n,), of each joint [Hz]


def smooth(stamps: NDArray[np.int64], positions: Array,
           at: NDArray[np.int64] | None = None) -> Smoothed:
    """
    Return the smoothed motion of positions (k, n) [rad or m] at increasing stamps (k,) [ns].

    It is that at these stamps, or `at` others between the first and the last [ns].

    Single positions far from a curve through their neighbours are replaced by that curve; of
    several samples of one instant the last counts. The ends are less exact, as samples are on one
    side only.
    """
    at = stamps if at is None else at
    single = single_instants(stamps)
    if single.sum() >= FEWEST_SMOOTHED:
        stamps, positions = stamps[single], positions[single]
    time = (stamps - stamps[0]) * 1e-9
    period = float(np.median(np.diff(time)))
    origin = positions[0]
    samples, noise = without_spikes(time, positions - origin)
    chosen = cutoffs(time, samples, period, noise)
    wanted = (at - stamps[0]) * 1e-9
    result = np.empty((3, len(wanted), samples.shape[1]))
    for cutoff in np.unique(chosen):
        joints = np.flatnonzero(chosen == cutoff)
        spline = SmoothingSpline(time, period, cutoff)
        coefficients = spline.fit(samples[:, joints])
        for derivative in range(3):
            result[derivative][:, joints] = spline.values(coefficients, wanted, derivative)
    return Smoothed(result[0] + origin, result[1], result[2], chosen)


def without_spikes(time: Array, samples: Array) -> tuple[Array, Array]:
    """
    Return samples (k, n) at times (k,) [s] without single ones far from their neighbours.

    Second, the root mean square (n,) of the differences of all others from curves through theirs:
    for white noise 1.4 of its standard deviations.
    """
    rows = np.arange(2, len(time) - 2)
    near = time[rows[:, None] + _NEIGHBOURS] - time[rows, None]
    weights = cubic_weights(near)
    expected = sum(weights[:, k, None] * samples[rows + offset]
                   for k, offset in enumerate(_NEIGHBOURS))
    errors = np.zeros_like(samples)
    errors[rows] = np.abs(samples[rows] - expected)
    # a spike is in the curves of its neighbours, too
    largest = np.maximum.reduce([np.roll(errors, offset, axis=0) for offset in _NEIGHBOURS])
    step = np.abs(near[:, 1:3]).max(axis=1)
    limit = (_SPIKE_DEVIATION * np.median(errors, axis=0)
             + _ACCELERATION_STEP * np.square(step)[:, None])
    spikes = (errors[rows] > limit) & (errors[rows] > largest[rows])
    cleaned = samples
    if spikes.any():
        cleaned = samples.copy()
        cleaned[rows] = np.where(spikes, expected, samples[rows])
        for offset in (0, *_NEIGHBOURS):
            errors[rows + offset] = np.where(spikes, 0.0, errors[rows + offset])
    return cleaned, np.sqrt(np.square(errors).mean(axis=0))


def cubic_weights(times: Array) -> Array:
    """Return the weights (k, 4) of four values at times (k, 4) in their cubic at the time 0."""
    apart = times[:, :, None] - times[:, None, :]
    factors = np.repeat(-times[:, None, :], 4, axis=1)
    diagonal = np.arange(4)
    apart[:, diagonal, diagonal] = factors[:, diagonal, diagonal] = 1.0
    weights: Array = factors.prod(axis=2) / apart.prod(axis=2)
    return weights


# ---- Samples that were measured anew

_SAME_INSTANT = 0.01   # part of the mean step below which two samples are of one instant
# mean velocity over a run of equal samples, up to which it is a rest, or slow for the resolution:
_SLOW_START = 0.5   # relative to that after it
_SLOW_END = 0.7   # relative to that before it
_STALLED = 3   # equal samples from which on the driver stalls: one that is repeated is bridged
# velocity until the first sample after a stall, over that beyond: it has not caught up yet
_ON_THE_WAY = 0.75


def single_instants(stamps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """
    Return which samples at stamps (k,) [ns] are the last ones of their instant, (k,).

    Messages that are sent twice, or received together, are some microseconds apart; with these
    steps, neither a period nor a velocity is known.
    """
    steps = np.diff(stamps)
    return np.append(steps >= _SAME_INSTANT * steps.mean(), True)


def measured(stamps: NDArray[np.int64], q: Array, effort: Array | None = None,
             ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """
    Return which samples (k,) with positions and efforts (k, m) were measured anew.

    Drivers that publish faster than they measure repeat everything. Repeated samples of a rest
    stay: without them, accelerations would begin before the motion does. Second, return those of
    a driver that stalls, which repeats more than usual and then makes up for it.
    """
    single = single_instants(stamps) if len(stamps) > 1 else np.ones(len(stamps), dtype=bool)
    rows, q = np.flatnonzero(single), q[single]
    values = np.nan_to_num(q if effort is None else np.hstack((q, effort[single])))
    new = np.concatenate(([True], (np.diff(values, axis=0) != 0.0).any(axis=1)))[:len(values)]
    stalled = np.zeros(len(stamps), dtype=bool)
    if new.sum() <= _STALLED:
        new[:] = True
    if not new.all():
        changes = np.flatnonzero(new)
        runs = np.diff(changes, append=len(new))
        usual = int(np.median(runs))
        # over a run and the next one, as the first sample after a stall may be on its way
        over = np.linalg.norm(q[changes[2:]] - q[changes[:-2]], axis=1) / (runs[:-2] + runs[1:-1])
        speeds = np.linalg.norm(np.diff(q[changes], axis=0), axis=1) / runs[:-1]
        rest = np.ones(len(runs), dtype=bool)
        rest[1:-3] = ((over[1:-1] <= _SLOW_START * speeds[3:])
                      | (over[1:-1] <= _SLOW_END * speeds[:-3]))
        stall = ~rest & (runs > max(usual, _STALLED - 1))
        late = stall[:-2] & (speeds[:-1] < _ON_THE_WAY * over)
        since = np.arange(len(new)) - np.repeat(changes, runs)
        new |= np.repeat(rest & (runs > usual), runs) & (since % usual == 0)
        new[changes[1:-1][late]] = False
        stalled[rows] = ~new & (np.repeat(stall, runs) | np.isin(np.arange(len(new)),
                                                                 changes[1:-1][late]))
    single[rows[~new]] = False
    return single, stalled
