"""Whether measured velocities agree with the measured positions."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array

BLOCK_NS = 50_000_000
"""Length of a block [ns]."""

FEWEST_BLOCK_STEPS = 5
"""Fewest steps in a block."""

BLOCK_MEMORY = 100.0
"""Blocks with motion after which the weight of a block is 1/e."""

FEWEST_BLOCKS = 6
"""Blocks with motion from which on a velocity is judged."""

RETRIAL_BLOCKS = 40
"""Blocks with motion after which a faulty velocity is judged again."""

LEAST_MOTION = 3e-4
"""Least motion of a joint in a block that is used [rad or m]."""

LEAST_SIGNAL = 20.0
"""Least motion that is used, in deviations of the noise."""

LEAST_RESOLUTION = 5.0
"""Least motion that is used, in steps of the encoder."""

SUDDEN_SHARE = 0.05
"""Share of the motion by a change of velocity within one step above which a block is not used."""

SIGNIFICANCE = 5.0
"""Deviations by which a figure must exceed its tolerance."""

UNEXPLAINED_SHARE = 0.3
"""Share of the motion that is unexplained; a fault if it is larger in most blocks."""

PRIOR_DEVIATIONS = np.array([10.0, 0.1, 1.0])
"""Prior deviations of gain [-], lag [s] and offset [rad/s or m/s]."""

PRIOR_POSITION_NOISE = 2e-5
"""Prior deviation of the positions [rad or m]."""

DEGREES = 57.3
"""Degrees in a radian."""

_Sample = tuple[int, Array, Array]


def _gain(excess: float) -> str:
    gain = 1.0 + excess
    text = f'the position changes {gain:.3g} times as fast'
    for factor, what in ((DEGREES, 'positions'), (1.0 / DEGREES, 'velocities')):
        if abs(gain / factor - 1.0) < 0.1:
            text += f': are the {what} in degrees?'
    return text


def _lag(lag: float) -> str:
    return f'it is {1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'


def _offset(offset: float) -> str:
    return f'it is {abs(offset):.3g} too {"small" if offset > 0.0 else "large"} [rad/s or m/s]'


TOLERANCES = np.array([0.1, 1e-3, 1e-2])
"""Tolerated errors of gain [-], lag [s] and offset [rad/s or m/s], as of the regressors."""

_ZERO = 'it is zero throughout while the position changes'


class VelocityCheck:
    """
    Compares changes of position with integrals of velocity, over blocks of 50 ms with motion.

    Blocks with an impact are not used, nor are those whose motion is partly noise or resolution.

    If the velocity has an error of gain, a lag and an offset, a change of position is
    gain * integral + lag * change of velocity + offset * time, to first order in the lag. Least
    squares with forgetting estimate the three and their deviations per joint; the prior is an
    exact velocity. The velocity of a joint with a figure beyond its tolerance is dropped, until
    later blocks no longer contradict it. A velocity that was always zero counts as not measured.

    `warnings` has the joints whose velocities are not credible, and why; `dropping` is True while
    the velocity of any joint is dropped.

    """

    def __init__(self, joints: int) -> None:
        self.warnings: dict[int, str] = {}
        self._zero = np.ones(joints, dtype=bool)
        self._all_alive = joints == 0
        self._first: Array | None = None
        self._dropped = np.zeros(joints, dtype=bool)
        self.dropping = False
        self._N = np.zeros((joints, 3, 3))
        self._r = np.zeros((joints, 3))
        self._yy, self._unexplained, self._blocks = (np.zeros(joints) for _ in range(3))
        self._variance = np.full(joints, PRIOR_POSITION_NOISE ** 2)
        # positions and velocities: the smallest change, and whether there were samples without one
        self._smallest = np.full((2, joints), np.inf)
        self._stayed = np.zeros((2, joints), dtype=bool)
        self._work: Iterator[None] = iter(())   # remaining work on the last block
        self.restart()

    def restart(self) -> None:
        """Draw no conclusion from the step to the next sample."""
        self._samples: list[_Sample] = []

    def update(self, stamp: int, q: Array, qd: Array) -> Array:
        """
        Add a sample; return its velocities, NaN for those that must not be used.

        Stamp [ns], q (n,) [rad or m] and qd (n,) [rad/s or m/s] or NaN; the arrays are kept.

        """
        self._samples.append((stamp, q, qd))
        if (stamp - self._samples[0][0] >= BLOCK_NS) and len(self._samples) > FEWEST_BLOCK_STEPS:
            for _ in self._work:   # finish the block before, if this one is short
                pass
            self._work = self._examine(self._samples)
            self._samples = self._samples[-1:]
        next(self._work, None)
        if not self._all_alive:
            self._zero &= ~(np.abs(qd) > 0.0)
            self._all_alive = not self._zero.any()
            qd = np.where(self._zero, np.nan, qd)
        return np.where(self._dropped, np.nan, qd) if self.dropping else qd

    def _examine(self, samples: Sequence[_Sample]) -> Iterator[None]:
        """Add a block and judge, in parts: each sample runs one, so that none takes long."""
        stamps, positions, velocities = zip(*samples)
        times = (np.array(stamps) - stamps[0]) * 1e-9
        values = np.array((positions, velocities))
        yield
        v = values[1]
        steps = times[1:] - times[:-1]
        time = times[-1]
        changes = values[:, 1:] - values[:, :-1]
        sizes = np.abs(changes)
        change = positions[-1] - positions[0]
        integral = 0.5 * (steps @ (v[1:] + v[:-1]))
        variance = _variance(changes)
        noise = variance[1] * (steps @ steps) + 2.0 * variance[0]
        yield
        self._least = LEAST_MOTION + LEAST_RESOLUTION * self._resolution(sizes, time)
        moved = np.maximum(np.square(change), np.square(integral))
        moving = moved > self._least ** 2 + LEAST_SIGNAL ** 2 * noise   # False for NaN
        moving &= ~_sudden(steps, sizes[1], moved)
        yield
        X = np.array([integral, v[-1] - v[0], np.full_like(change, time)]).T[moving]
        y = (change - integral)[moving]
        keep = np.exp(-1.0 / BLOCK_MEMORY)
        for total, new in ((self._N, X[:, :, None] * X[:, None]), (self._r, X * y[:, None]),
                           (self._yy, y * y), (self._blocks, 1.0),
                           (self._unexplained, y * y > UNEXPLAINED_SHARE ** 2 * moved[moving])):
            total[moving] = keep * total[moving] + new
        if self._zero.any():
            self._report_zeros(positions[-1], velocities[-1])
        yield
        yield from self._judge()

    def _resolution(self, changes: Array, time: float) -> Array:
        """Return the resolution of the motion in a block: changes (2, k, n), time [s]."""
        np.minimum(self._smallest, np.where(changes > 0.0, changes, np.inf).min(axis=1),
                   out=self._smallest)
        # a value that changes in some samples alone has a resolution, at most its smallest change
        self._stayed |= (changes == 0.0).any(axis=1)
        known = self._stayed & np.isfinite(self._smallest)
        position, velocity = np.where(known, self._smallest, 0.0)
        steps: Array = position + 0.5 * time * velocity
        return steps

    def _report_zeros(self, q: Array, qd: Array) -> None:
        if self._first is None:
            self._first = q
        moved = self._zero & (np.abs(q - self._first) > self._least) & np.isfinite(qd)
        for joint in np.flatnonzero(moved).tolist():
            self.warnings[joint] = _ZERO

    def _judge(self) -> Iterator[None]:
        A = self._N + self._variance[:, None, None] * np.diag(PRIOR_DEVIATIONS ** -2.0)
        inverse = np.linalg.inv(A)
        error = np.einsum('jab,jb->ja', inverse, self._r)
        residual = self._yy - np.einsum('ja,ja->j', error, 2.0 * self._r - np.einsum(
            'jab,jb->ja', self._N, error))
        absurd = ~np.isfinite(residual)
        squares = np.where(absurd, 0.0, np.maximum(residual, 0.0))
        self._variance = (squares + 2.0 * PRIOR_POSITION_NOISE ** 2) / (
            np.maximum(self._blocks - 3.0, 0.0) + 2.0)
        yield
        deviation = np.sqrt(self._variance[:, None] * np.einsum('jaa->ja', inverse))
        margin = SIGNIFICANCE * deviation
        wrong = np.abs(error) - margin > TOLERANCES
        inconsistent = self._unexplained > 0.5 * self._blocks
        enough = self._blocks >= FEWEST_BLOCKS
        faulty = enough & (wrong.any(axis=1) | inconsistent)
        tried = self._blocks > RETRIAL_BLOCKS
        right = enough & ~faulty & (tried | (np.abs(error) + margin < TOLERANCES).all(axis=1))
        self._dropped = (self._dropped | faulty) & ~right
        self.dropping = bool(self._dropped.any())
        for joint in np.flatnonzero(faulty).tolist():
            if tried[joint] or joint not in self.warnings:
                self.warnings[joint] = (_ZERO if self._zero[joint]
                                      else _text(wrong[joint], error[joint]))
        for joint in np.flatnonzero(right).tolist():
            self.warnings.pop(joint, None)
        # a faulty velocity is judged again, by later blocks alone
        again = (faulty & tried) | absurd
        if again.any():
            for total in (self._N, self._r, self._yy, self._unexplained, self._blocks):
                total[again] = 0.0


def _text(wrong: NDArray[np.bool_], error: Array) -> str:
    """Return the first fault of a velocity in words."""
    for text, is_wrong, size in zip((_gain, _lag, _offset), wrong.tolist(), error.tolist()):
        if is_wrong:
            return text(size)
    return 'the position does not follow it'


def _sudden(steps: Array, changes: Array, moved: Array) -> NDArray[np.bool_]:
    """Return which velocities change within one step, as by an impact: changes (k, n)."""
    largest = changes.max(axis=0)
    sudden: NDArray[np.bool_] = (largest > 0.5 * changes.sum(axis=0)) & (
        (largest * steps.max()) ** 2 > SUDDEN_SHARE ** 2 * moved)
    return sudden


def _variance(changes: Array) -> Array:
    """Return the variance of the noise, (2, n): the fourth difference is mostly noise."""
    fourth: Array = np.square(np.diff(changes, 3, axis=1)).mean(axis=1) / 70.0
    return fourth
