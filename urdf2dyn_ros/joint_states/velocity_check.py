"""Whether measured velocities belong to the measured positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array

Sample = tuple[int, Array, Array]

BLOCK = 50_000_000   # ns
INTERVALS = 5        # in a block, at least
MEMORY = 100.0       # blocks with motion
FEWEST = 6           # blocks with motion
RETRIAL = 40         # blocks, after which who is guilty is judged anew
MOVING = 3e-4        # rad or m in a block: less says nothing
NOISE = 20.0         # times the deviation that noise gives: less says nothing either
SUDDEN = 0.05        # of a block's motion: a change of velocity within one step that matters
STEPS = 5.0          # times what an encoder's step changes: less says nothing either
DEVIATIONS = 5.0     # a figure is credible if it is that many away
UNEXPLAINED = 0.3    # of a block's motion, whatever the reason; in most blocks it is a fault

# What is believed before: deviations of gain [-], lag [s], offset, and of the positions.
PRIOR = np.array([10.0, 0.1, 1.0])
SMALLEST = 2e-5
DEGREE = 57.3


class Fault(NamedTuple):
    """One way of being wrong: how much of it is tolerated, and what is said of it."""

    tolerance: float
    text: Callable[[float], str]


def _gain(excess: float) -> str:
    gain = 1.0 + excess
    text = f'the position changes {gain:.3g} times as fast'
    for factor, what in ((DEGREE, 'positions'), (1.0 / DEGREE, 'velocities')):
        if abs(gain / factor - 1.0) < 0.1:
            text += f': are the {what} in degrees?'
    return text


def _lag(lag: float) -> str:
    return f'it is {1e3 * abs(lag):.3g} ms {"late" if lag > 0.0 else "early"}'


def _offset(offset: float) -> str:
    return f'it is {abs(offset):.3g} too {"small" if offset > 0.0 else "large"} [rad/s or m/s]'


# In the order of the regressors.
FAULTS = (Fault(0.1, _gain), Fault(1e-3, _lag), Fault(1e-2, _offset))
ZERO = 'it is zero throughout while the position changes'
TOLERANCES = np.array([fault.tolerance for fault in FAULTS])


class VelocityCheck:
    """
    Compares changes of position with integrals of velocity, over blocks of 50 ms with motion.

    A block with an impact says nothing, nor one that noise or encoders' steps explain in part.

    If the velocity is off by a gain, late by a lag and off by an offset, a change of position is
    gain * integral + lag * change of velocity + offset * time, to first order in the lag. Least
    squares with forgetting tell the three, joint by joint, and how well they are known; they start
    from what a right velocity has. A joint with a figure beyond its tolerance loses its velocity,
    and has it back when what comes later says nothing against it. A velocity that never was
    anything but zero is taken for not measured.

    Parameters
    ----------
    joints : int
        Their number, n.

    Attributes
    ----------
    doubts : dict of int to str
        What is wrong with the velocities of which joints.
    ignoring : bool
        Whether there is a joint whose velocity is wrong.

    """

    def __init__(self, joints: int) -> None:
        self.doubts: dict[int, str] = {}
        self._zero = np.ones(joints, dtype=bool)
        self._all_alive = joints == 0
        self._first: Array | None = None
        self._ignored = np.zeros(joints, dtype=bool)
        self.ignoring = False
        self._N = np.zeros((joints, 3, 3))
        self._r = np.zeros((joints, 3))
        self._yy, self._strange, self._blocks = (np.zeros(joints) for _ in range(3))
        self._variance = np.full(joints, SMALLEST ** 2)
        # of positions and velocities: the smallest change, and whether there were samples without
        self._smallest = np.full((2, joints), np.inf)
        self._stayed = np.zeros((2, joints), dtype=bool)
        self._work: Iterator[None] = iter(())   # what is left to do for the last block
        self.restart()

    def restart(self) -> None:
        """Conclude nothing from the time between the last sample and the next."""
        self._samples: list[Sample] = []

    def update(self, stamp: int, q: Array, qd: Array) -> Array:
        """
        Take a sample; return its velocities, NaN for those that are not to be used.

        Parameters
        ----------
        stamp : int
            [ns].
        q, qd : ndarray, (n,)
            [rad or m], [rad/s or m/s]; qd is NaN where not measured. Both must stay as they are.

        """
        self._samples.append((stamp, q, qd))
        if (stamp - self._samples[0][0] >= BLOCK) and len(self._samples) > INTERVALS:
            for _ in self._work:   # of the block before, if this one is short
                pass
            self._work = self._examine(self._samples)
            self._samples = self._samples[-1:]
        next(self._work, None)
        if not self._all_alive:
            self._zero &= ~(np.abs(qd) > 0.0)
            self._all_alive = not self._zero.any()
            qd = np.where(self._zero, np.nan, qd)
        return np.where(self._ignored, np.nan, qd) if self.ignoring else qd

    def _examine(self, samples: Sequence[Sample]) -> Iterator[None]:
        """Learn from a block and judge, in parts that a sample each waits for, not one for all."""
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
        self._least = MOVING + STEPS * self._resolution(sizes, time)
        moved = np.maximum(np.square(change), np.square(integral))
        moving = moved > self._least ** 2 + NOISE ** 2 * noise   # False for NaN
        moving &= ~_sudden(steps, sizes[1], moved)
        yield
        X = np.array([integral, v[-1] - v[0], np.full_like(change, time)]).T[moving]
        y = (change - integral)[moving]
        keep = np.exp(-1.0 / MEMORY)
        for total, new in ((self._N, X[:, :, None] * X[:, None]), (self._r, X * y[:, None]),
                           (self._yy, y * y), (self._blocks, 1.0),
                           (self._strange, y * y > UNEXPLAINED ** 2 * moved[moving])):
            total[moving] = keep * total[moving] + new
        if self._zero.any():
            self._tell_zeros(positions[-1], velocities[-1])
        yield
        yield from self._judge()

    def _resolution(self, changes: Array, time: float) -> Array:
        """Return by how much encoders' steps can change a block: sizes (2, k, n), time [s]."""
        np.minimum(self._smallest, np.where(changes > 0.0, changes, np.inf).min(axis=1),
                   out=self._smallest)
        # a value that now changes and now does not has steps, if any that are no smaller
        self._stayed |= (changes == 0.0).any(axis=1)
        known = self._stayed & np.isfinite(self._smallest)
        position, velocity = np.where(known, self._smallest, 0.0)
        steps: Array = position + 0.5 * time * velocity
        return steps

    def _tell_zeros(self, q: Array, qd: Array) -> None:
        if self._first is None:
            self._first = q
        moved = self._zero & (np.abs(q - self._first) > self._least) & np.isfinite(qd)
        for joint in np.flatnonzero(moved).tolist():
            self.doubts[joint] = ZERO

    def _judge(self) -> Iterator[None]:
        A = self._N + self._variance[:, None, None] * np.diag(PRIOR ** -2.0)
        inverse = np.linalg.inv(A)
        error = np.einsum('jab,jb->ja', inverse, self._r)
        left = self._yy - np.einsum('ja,ja->j', error, 2.0 * self._r - np.einsum(
            'jab,jb->ja', self._N, error))
        absurd = ~np.isfinite(left)
        self._variance = (np.where(absurd, 0.0, np.maximum(left, 0.0)) + 2.0 * SMALLEST ** 2) / (
            np.maximum(self._blocks - 3.0, 0.0) + 2.0)
        yield
        deviation = np.sqrt(self._variance[:, None] * np.einsum('jaa->ja', inverse))
        margin = DEVIATIONS * deviation
        wrong = np.abs(error) - margin > TOLERANCES
        inconsistent = self._strange > 0.5 * self._blocks
        enough = self._blocks >= FEWEST
        faulty = enough & (wrong.any(axis=1) | inconsistent)
        tried = self._blocks > RETRIAL
        right = enough & ~faulty & (tried | (np.abs(error) + margin < TOLERANCES).all(axis=1))
        self._ignored = (self._ignored | faulty) & ~right
        self.ignoring = bool(self._ignored.any())
        for joint in np.flatnonzero(faulty).tolist():
            if tried[joint] or joint not in self.doubts:
                self.doubts[joint] = (ZERO if self._zero[joint]
                                      else _text(wrong[joint], error[joint]))
        for joint in np.flatnonzero(right).tolist():
            self.doubts.pop(joint, None)
        # who was found guilty is judged anew, by what comes after
        anew = (faulty & tried) | absurd
        if anew.any():
            for total in (self._N, self._r, self._yy, self._strange, self._blocks):
                total[anew] = 0.0


def _text(wrong: NDArray[np.bool_], error: Array) -> str:
    """Return the first thing that is wrong with a velocity."""
    for fault, found, size in zip(FAULTS, wrong.tolist(), error.tolist()):
        if found:
            return fault.text(size)
    return 'the position does not follow it'


def _sudden(steps: Array, changes: Array, moved: Array) -> NDArray[np.bool_]:
    """Tell where the velocity changes at once, as by an impact: changes (k, n)."""
    largest = changes.max(axis=0)
    sudden: NDArray[np.bool_] = (largest > 0.5 * changes.sum(axis=0)) & (
        (largest * steps.max()) ** 2 > SUDDEN ** 2 * moved)
    return sudden


def _variance(changes: Array) -> Array:
    """Return the variance of the noise, (2, n): the fourth difference is little else."""
    fourth: Array = np.square(np.diff(changes, 3, axis=1)).mean(axis=1) / 70.0
    return fourth
